/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scounter: statistics counters that many CPUs may increment at once.
 *
 * A counter is exact, or approximate with a stated relative error.  Exact ones
 * spread over the machine: a word a CPU, or a stripe a NUMA node, which is a word
 * in a cache line of its own.  Approximate ones stay in four or eight bytes.  As
 * the count grows, they count a random sample of the events and write the word
 * ever more rarely: at a count of a million one event in 128 or so, as 128.
 *
 * This header has counters with names.  The same counters as bare words, to
 * embed in objects, are in <linux/scounter_word.h>.
 *
 *	static struct scounter *rx;
 *
 *	rx = scounter_create("rx_packets", NULL, SCOUNTER_APPROX, 0, GFP_KERNEL);
 *	if (IS_ERR(rx))				see scounter_create_or_dummy(), too
 *		return PTR_ERR(rx);
 *	scounter_inc(rx);			any context, any CPU
 *	pr_info("%llu\n", scounter_read(rx));
 *	scounter_destroy(rx);
 *
 * The contract:
 *
 * 1. Increment and add may be called from task, softirq, hardirq and NMI
 *    context, with or without preemption.  They take no lock, allocate
 *    nothing, never sleep and never mask interrupts.
 *    Two kinds are exceptions.  racing loses counts, and is there to show it.
 *    cohort waits for a lock once it is contended, with interrupts masked; in
 *    NMI context it only tries.  A CPU that stalls in the middle of its
 *    increment stops no other kind.
 * 2. Reading and fetch-and-reset may be called from the same contexts.  Reading
 *    writes nothing.
 * 3. An exact counter loses nothing, ever.  The expected value of an
 *    approximate one is the exact count, whatever contexts, CPUs and adds it
 *    came from.
 * 4. Without a reset, the value that a reader sees never goes down, even when
 *    CPUs are unplugged.  racing, and a counter that begins again at 0 (10),
 *    are exceptions.
 * 5. The sum of all that fetch-and-reset has returned and what is left is what
 *    was counted: exactly for exact kinds, in expectation for the others.
 * 6. Counters are never decremented.  Sums of approximate counters stay
 *    unbiased.  Differences have no bounded relative error, so there is no such
 *    call (Steele & Tristan 2017, section 14).  An amount that looks negative
 *    is refused.
 * 7. No increment, add or read orders other memory accesses.
 * 8. A counter belongs to the module that made it.  Nobody may use it after
 *    scounter_destroy() or scounter_unregister() has begun.
 * 9. On 32-bit machines without a 64-bit compare-and-swap, only words of four
 *    bytes may be used in NMI context.
 * 10. A counter stays at the end of its range, or begins again at 0 if it was
 *    created so.  atomic, percpu and multiline count on modulo 2^64.  Every
 *    read says which of these has happened since the last reset.
 * 11. Where RCU is not watching (rcu_is_watching()), deep in the idle loop,
 *    multiline_adapt, which exact stands for, must not be incremented, read or
 *    reset, and no other counter with a name may be reset.
 */
#ifndef _LINUX_SCOUNTER_H
#define _LINUX_SCOUNTER_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/percpu.h>
#include <linux/scounter_word.h>
#include <linux/types.h>
#include <uapi/linux/scounter.h>
#if __has_include("linux/cleanup.h")
#include <linux/cleanup.h>
#endif

struct module;
struct scounter_cohort;
struct scounter_history;

/*
 * this_cpu_inc() of 64 bits loses counts to NMIs on machines of 32 bits, and where it is a
 * load and a store with interrupts off, which stops no NMI.  Kernels before 6.2 have no
 * option that says where.
 */
#if defined(CONFIG_64BIT) &&						\
	(defined(CONFIG_ARCH_HAS_NMI_SAFE_THIS_CPU_OPS) ||		\
	 !defined(CONFIG_HAVE_NMI) || defined(CONFIG_X86_64) ||		\
	 defined(CONFIG_ARM64) || defined(CONFIG_S390))
#define __SCOUNTER_PLAIN_CPU_WORDS	1
#else
#define __SCOUNTER_PLAIN_CPU_WORDS	0
#endif

/* One CPU's word. */
struct scounter_cpu {
	/* private: */
#if __SCOUNTER_PLAIN_CPU_WORDS
	u64 count;
#else
	atomic64_t count;
#endif
};

/**
 * struct scounter - a counter of any kind
 *
 * Made by scounter_create() or DEFINE_SCOUNTER().  Its members are for the inline
 * functions below and for scounter.ko only.
 */
struct scounter {
	/* private: */
	struct scounter_class class;
	/* scounter_inc() tests each of these with one instruction. */
	bool is_bfp;
	bool is_other;		/* than bfp, atomic or multiline */
	bool may_inflate;	/* multiline_adapt: it is registered */
	union {
		/* In spread kinds what came before they spread. */
		atomic64_t count;
		struct scounter_word32 word32;
		struct scounter_word64 word64;
	};
	struct scounter_word64 spread;	/* of the multiline kinds, else 0 */
	union {
		struct scounter_cpu __percpu *percpu;	/* or NULL */
		struct scounter_cohort *cohort;		/* or NULL */
	};
	union {
		/* atomic, percpu, multiline: returned by resets */
		atomic64_t fetched;
		/* multiline_adapt: inflations that found no stripes ready */
		atomic_t deferred;
	};
	struct scounter_history *history;	/* NULL without a name */
	atomic_long_t marks;	/* what the word itself does not show */
} ____cacheline_aligned_in_smp;

#define __SCOUNTER_IS_OTHER(kind)					\
	(!__SCOUNTER_IS_ONE_OF(kind, __SCOUNTER_BFP_KINDS |		\
			       BIT(SCOUNTER_ATOMIC) | BIT(SCOUNTER_MULTILINE)))

/* One that counts from the beginning: see DEFINE_SCOUNTER(). */
#define SCOUNTER_INIT(kind_, ppm) {					\
	.class = __SCOUNTER_CLASS(__SCOUNTER_KIND(kind_), kind_,	\
				  __SCOUNTER_PPM_OF(kind_, ppm)),	\
	.is_bfp = __SCOUNTER_IS_BFP(__SCOUNTER_KIND(kind_)),		\
	.is_other = __SCOUNTER_IS_OTHER(__SCOUNTER_KIND(kind_)),	\
}

/**
 * DEFINE_SCOUNTER - define a counter without allocating it
 * @name: name of the variable; write `static` before the macro if it is local
 * @kind_: an enum scounter_kind, a constant
 * @ppm: as for scounter_create(), a constant
 *
 * The counter counts from the beginning.  scounter_register() puts it into the files
 * and gives it its stripes or per-CPU words.
 */
#define DEFINE_SCOUNTER(name, kind_, ppm)				\
	struct scounter name = SCOUNTER_INIT(kind_, ppm)

struct scounter *__scounter_create(const char *name, const char *group,
				   const struct scounter_params *params,
				   gfp_t gfp, struct module *owner);
int __scounter_register(struct scounter *counter, const char *name,
			const char *group, u8 hide, struct module *owner);

/**
 * scounter_create - allocate a counter and publish it under a name
 * @name: 1 to SCOUNTER_NAME_MAX bytes, no '/' and no control character, not
 *	"." or ".."
 * @group: the same, or NULL for the name of the calling module; not "counters",
 *	"kinds", "refused", "arrays" or "topk", as debugfs has what is named so
 * @kind: an enum scounter_kind
 * @ppm: relative standard deviation of an approximate kind, in parts per
 *	million, from SCOUNTER_ERROR_PPM_MIN to SCOUNTER_ERROR_PPM_MAX; 0 for
 *	the default of 1 %.  For bfp_dup, the paper's rounding of Theta can make
 *	it a little larger, at the coarse end (20.5 % instead of 20 %);
 *	estimates say so.
 *	The scalable kinds are never coarser than 2.7 %.  Exact kinds take 0
 *	only.
 * @gfp: how to allocate.  If it does not allow to sleep, the counter works at once
 *	and its files appear a moment later.
 *
 * Context: Any context in which kmalloc() may be called with @gfp.  Never NMI.  On
 * PREEMPT_RT not with preemption or interrupts off.  CONFIG_PROVE_RAW_LOCK_NESTING
 * warns, as it does of kmalloc(), in interrupt handlers that PREEMPT_RT does not
 * thread, such as that of a call to another CPU.
 * Return: the counter, or an ERR_PTR: -EINVAL for an unacceptable name, group
 * or kind, -ENAMETOOLONG, -ERANGE for an error out of range, -EEXIST for a
 * name that the group already has, -ENOMEM, -EWOULDBLOCK in NMI context and, on
 * PREEMPT_RT, where preemption or interrupts are off.
 */
#define scounter_create(name, group, kind, ppm, gfp)			\
	__scounter_create(name, group,					\
			  &(const struct scounter_params) { (kind), (ppm) }, \
			  gfp, THIS_MODULE)

/**
 * scounter_create_params - allocate and publish a counter with all choices
 * @name: as for scounter_create()
 * @group: as for scounter_create()
 * @params: kind, error, overflow policy, granularity, components, where it is not
 *	to be read, and whose directory it has in sysfs
 * @gfp: as for scounter_create(); with a parent GFP_KERNEL
 *
 * Context: As scounter_create().
 * Return: as scounter_create(); -EINVAL, too, for a choice that the kind does
 * not have, and for a parent of what is hidden from sysfs or was not allocated as with
 * GFP_KERNEL; -ERANGE for a choice that is out of range; -ENOENT for a parent that is
 * not in sysfs; -EEXIST for one that has something of this name.  Of a parent the log
 * says what is wrong.
 */
#define scounter_create_params(name, group, params, gfp)		\
	__scounter_create(name, group, params, gfp, THIS_MODULE)

struct scounter *scounter_or_dummy(struct scounter *counter, enum scounter_kind kind);

/**
 * scounter_create_or_dummy - scounter_create() that always gives a counter
 * @name: as for scounter_create()
 * @group: as for scounter_create()
 * @kind: as for scounter_create()
 * @ppm: as for scounter_create()
 * @gfp: as for scounter_create()
 *
 * For clients that go on without a counter that cannot be made.  Increments do not look
 * whether the counter is NULL or an ERR_PTR, which would cost four instructions each time.
 *
 * Context: As scounter_create().
 * Return: the counter, or one that counts nowhere: scounter_or_dummy().
 */
#define scounter_create_or_dummy(name, group, kind, ppm, gfp)		\
	scounter_or_dummy(scounter_create(name, group, kind, ppm, gfp), kind)

/**
 * scounter_register - publish a counter that DEFINE_SCOUNTER() defined
 * @counter: the counter
 * @name: as for scounter_create()
 * @group: as for scounter_create()
 *
 * Context: Task context; may sleep.
 * Return: 0 or an errno as scounter_create(); -EBUSY if it is registered.  On
 * failure the counter goes on counting unpublished.
 */
#define scounter_register(counter, name, group)				\
	__scounter_register(counter, name, group, 0, THIS_MODULE)

/**
 * scounter_register_hidden - publish a counter, but not everywhere
 * @counter: the counter
 * @name: as for scounter_create()
 * @group: as for scounter_create()
 * @hide: SCOUNTER_HIDE_FILES and its like, as in struct scounter_params
 *
 * Context: Task context; may sleep.
 * Return: as scounter_register(); -EINVAL, too, for what cannot be hidden.
 */
#define scounter_register_hidden(counter, name, group, hide)		\
	__scounter_register(counter, name, group, hide, THIS_MODULE)

/**
 * struct scounter_description - what people read of a counter beside its name
 * @unit: what the value is a number of, as "bytes": up to SCOUNTER_NAME_MAX letters, digits
 *	and '_', not a digit first; NULL for events
 * @help: what is counted, as "Bytes received.": up to SCOUNTER_HELP_MAX bytes of UTF-8, no
 *	control character; or NULL
 */
struct scounter_description {
	const char *unit;
	const char *help;
};

int scounter_set_description(struct scounter *counter,
			     const struct scounter_description *description);

/**
 * scounter_describe - say the unit of a counter, and what it counts
 * @counter: a counter with a name
 * @unit_: as in struct scounter_description, a constant
 * @help_: the same
 *
 * As scounter_set_description() of a description that is a part of the calling module.
 *
 * Context: Any context.
 * Return: as scounter_set_description().
 */
#define scounter_describe(counter, unit_, help_) ({			\
	static const struct scounter_description __scounter_described = { \
		.unit = (unit_), .help = (help_),			\
	};								\
	scounter_set_description(counter, &__scounter_described);	\
})

void scounter_unregister(struct scounter *counter);
void scounter_destroy(struct scounter *counter);

/* Where the kernel has it: __free(scounter) destroys a counter at the end of its scope. */
#ifdef DEFINE_FREE
DEFINE_FREE(scounter, struct scounter *, scounter_destroy(_T))
#endif

void __scounter_add(struct scounter *counter, u64 n);
u64 scounter_read(struct scounter *counter);
void scounter_read_est(struct scounter *counter,
		       struct scounter_estimate *estimate);
enum scounter_answer scounter_reached(struct scounter *counter, u64 limit);
u64 scounter_fetch_reset(struct scounter *counter);

const char *scounter_kind_name(enum scounter_kind kind);
int scounter_kind_by_name(const char *name);

/**
 * scounter_add - count n events at once
 * @counter: the counter
 * @n: how many; 0 changes nothing, 2^63 and above is refused
 *
 * Exact kinds add n.  Approximate kinds add n rounded at random to a multiple
 * of what they count in (Steele & Tristan 2017, section 8), in one step for any
 * n.  atomic, percpu and multiline read the counter before they add 2^40 or more.
 *
 * There is no subtraction: a negative constant does not compile, and a negative
 * variable of a signed type arrives as 2^63 or more.  That changes nothing; it
 * is counted in /sys/kernel/debug/scounter/refused, and the log names its caller
 * once.  An unsigned int that was taken below 0 arrives as about 2^32, which is
 * a possible amount: it is counted.
 *
 * Context: Any context, NMI included.
 */
#define scounter_add(counter, n) ({					\
	__SCOUNTER_REFUSE_NEGATIVE(n);					\
	__scounter_add(counter, n);					\
})

static __always_inline void __scounter_inc_percpu(struct scounter_cpu __percpu *percpu)
{
#if __SCOUNTER_PLAIN_CPU_WORDS
	this_cpu_inc(percpu->count);
#else
	atomic64_inc(&raw_cpu_ptr(percpu)->count);
#endif
}

/* Out of line.  The caller has to keep one pointer for it, and no more. */
void __scounter_finish(struct scounter *counter, u32 outcome);
void __scounter_inc_other(struct scounter *counter);

static __always_inline void __scounter_end(struct scounter *counter, u32 outcome)
{
	if (unlikely(outcome))
		__scounter_finish(counter, outcome);
}

static __always_inline void __scounter_inc_percpu_or_count(struct scounter *counter)
{
	struct scounter_cpu __percpu *percpu = READ_ONCE(counter->percpu);

	if (likely(percpu))
		__scounter_inc_percpu(percpu);
	else
		atomic64_inc(&counter->count);
}

/*
 * The kind is not known when this is compiled.  Only multiline_adapt has a count in
 * `spread`, until it inflates.
 */
static __always_inline void __scounter_inc_any(struct scounter *counter)
{
	s64 spread;

	if (unlikely(counter->is_bfp)) {
		__scounter_end(counter, __scounter_bfp_try_inc(&counter->word32,
							       counter->class.limit));
		return;
	}
	spread = atomic64_read(&counter->spread.word);
	if (likely(__scounter_is_stripes(spread)))
		__scounter_inc_stripe(spread);
	else if (spread)
		__scounter_end(counter, __scounter_adapt_plain(&counter->spread, spread));
	else if (!counter->is_other)
		atomic64_inc(&counter->count);
	else if (counter->class.kind == SCOUNTER_PERCPU)
		__scounter_inc_percpu_or_count(counter);
	else
		__scounter_inc_other(counter);
}

/*
 * The kind is a constant.  A counter of a kind that spreads counts in its one word until
 * scounter_register() has given it the rest.
 */
static __always_inline void __scounter_inc_known(struct scounter *counter,
						 const u32 kind)
{
	s64 spread;

	switch (kind) {
	case SCOUNTER_ATOMIC:
		atomic64_inc(&counter->count);
		return;
	case SCOUNTER_PERCPU:
		__scounter_inc_percpu_or_count(counter);
		return;
	case SCOUNTER_MULTILINE:
		spread = atomic64_read(&counter->spread.word);
		if (likely(__scounter_is_stripes(spread)))
			__scounter_inc_stripe(spread);
		else
			atomic64_inc(&counter->count);
		return;
	case SCOUNTER_MULTILINE_ADAPT:
		__scounter_end(counter, __scounter_adapt_try_inc(&counter->spread));
		return;
	case SCOUNTER_BFP_DUP:
	case SCOUNTER_BFP_CSUP:
	case SCOUNTER_SCALABLE32:
		__scounter_end(counter, __scounter_word32_try_inc(&counter->word32,
								  &counter->class, kind));
		return;
	default:
		__scounter_end(counter, __scounter_word64_try_inc(&counter->word64,
								  &counter->class, kind));
	}
}

/**
 * scounter_inc - count one event
 * @counter: a counter of any kind
 *
 * Context: Any context, NMI included.
 */
static __always_inline void scounter_inc(struct scounter *counter)
{
	__scounter_inc_any(counter);
}

/**
 * scounter_inc_kind - count one event in a counter of a known kind
 * @counter: a counter that was made with this kind
 * @kind: its kind, a constant
 *
 * The same as scounter_inc() without the choice at run time: only the code of
 * this kind is inlined.
 *
 * Context: Any context, NMI included.
 */
static __always_inline void scounter_inc_kind(struct scounter *counter,
					      const enum scounter_kind kind)
{
	__scounter_inc_known(counter, __SCOUNTER_KIND(kind));
}

#endif /* _LINUX_SCOUNTER_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scounter: statistics counters that many CPUs may increment at once.
 *
 * A counter is exact, or approximate with a stated relative error.  Exact ones
 * spread over the machine: a word a CPU, or a cache line a NUMA node.
 * Approximate ones stay in four bytes: as the count grows, they count a random
 * sample of the events, so that the word is written ever more rarely.
 *
 *	static struct scounter *rx;
 *
 *	rx = scounter_create("rx_packets", NULL, SCOUNTER_APPROX, 0, GFP_KERNEL);
 *	scounter_inc(rx);			any context, any CPU
 *	pr_info("%llu\n", scounter_read(rx));
 *	scounter_destroy(rx);
 *
 * The contract:
 *
 * 1. Increment and add may be called from task, softirq, hardirq and NMI
 *    context, with or without preemption.  They take no lock, allocate
 *    nothing, never sleep and never mask interrupts.
 * 2. Reading and fetch-and-reset may be called from the same contexts.  They
 *    write nothing that an increment reads, but for the reset of a bfp word.
 * 3. An exact counter loses nothing, ever.  The expected value of an
 *    approximate one is the exact count, whatever contexts, CPUs and adds it
 *    came from.
 * 4. Without a reset, the value that a reader sees never goes down, also when
 *    CPUs are unplugged.
 * 5. The sum of all that fetch-and-reset has returned and what is left is what
 *    was counted: exactly for exact kinds, in expectation for the others.
 * 6. Counters are never decremented.  Sums of approximate counters stay
 *    unbiased; differences have no bounded relative error, so that there is
 *    no such call (Steele & Tristan 2017, section 14).
 * 7. No increment, add or read orders other memory accesses.
 * 8. A counter belongs to the module that made it.  Nobody may use it after
 *    scounter_destroy() or scounter_unregister() has begun.
 * 9. On 32-bit machines without a 64-bit compare-and-swap, exact counters must
 *    not be used in NMI context; embedded bfp words may be.
 */
#ifndef _LINUX_SCOUNTER_H
#define _LINUX_SCOUNTER_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/gfp.h>
#include <linux/percpu.h>
#include <linux/topology.h>
#include <linux/types.h>
#include <uapi/linux/scounter.h>

struct module;
struct scounter_entry;

/**
 * struct scounter_estimate - what a read promises
 * @value: the count; for approximate kinds an unbiased estimate of it
 * @lower: three standard deviations below the value, but not below 0
 * @upper: three standard deviations above the value; U64_MAX when saturated
 * @error_ppm: relative standard deviation of the value, at most, in parts per
 *	million; 0 means that the value is exact
 * @flags: SCOUNTER_F_SATURATED, SCOUNTER_F_OVERFLOW, SCOUNTER_F_DECIMATING
 *
 * For an exact value @lower and @upper equal @value.
 */
struct scounter_estimate {
	u64 value;
	u64 lower;
	u64 upper;
	u32 error_ppm;
	u32 flags;
};

/*
 * Trials that succeed with probability 2^-k: on each CPU, for each k, how many
 * are still to fail before the next success.  One trial is one step down.
 * kmod/random.c says why no interrupt and no migration can bias it.
 */
#define SCOUNTER_TRIAL_EXPONENTS	26

struct scounter_gaps {
	s32 left[SCOUNTER_TRIAL_EXPONENTS];
};

DECLARE_PER_CPU(struct scounter_gaps, scounter_gaps);

/*
 * How far the inline part of an increment has come: the reason in the lower
 * two bits, the exponent above.  All but DONE go on out of line.
 */
enum scounter_outcome {
	SCOUNTER_DONE		= 0,	/* counted, or its trial failed */
	SCOUNTER_CONTENDED	= 1,	/* the compare-and-swap failed */
	SCOUNTER_SUCCESS	= 2,	/* the trial took the countdown below 0 */
	SCOUNTER_UNDECIDED	= 3,	/* the trial found it below 0 */
};

#define SCOUNTER_OUTCOME_BITS	2

#if defined(CONFIG_X86_64) && defined(CONFIG_SMP) && !defined(CONFIG_UML)
/*
 * One instruction steps the countdown: the sign says that it is below zero, and
 * the carry that it was not before.  A trial that fails jumps from here to where
 * the increment ends; the code for the others may lie between.
 */
static __always_inline u32 __scounter_trial_step(unsigned long exponent)
{
	asm goto("subl $1, %%gs:%c[left](,%[exponent],4)\n\t"
		 "jns %l[failed]\n\t"
		 "jc %l[success]"
		 : /* no output */
		 : [exponent] "r" (exponent),
		   [left] "i" (&scounter_gaps)
		 : "cc", "memory"
		 : failed, success);
	return exponent << SCOUNTER_OUTCOME_BITS | SCOUNTER_UNDECIDED;
success:
	return exponent << SCOUNTER_OUTCOME_BITS | SCOUNTER_SUCCESS;
failed:
	return SCOUNTER_DONE;
}

/* numa_node_id(), without a second instruction that widens it to an index. */
static __always_inline unsigned long __scounter_node(void)
{
#ifdef CONFIG_USE_PERCPU_NUMA_NODE_ID
	unsigned long node;

	asm volatile("movl %%gs:%c1, %k0" : "=r" (node) : "i" (&numa_node));
	return node;
#else
	return numa_node_id();
#endif
}
#else
static __always_inline unsigned long __scounter_node(void)
{
	return numa_node_id();
}

static __always_inline u32 __scounter_trial_step(unsigned long exponent)
{
	s32 left = raw_cpu_read(scounter_gaps.left[exponent]) - 1;

	raw_cpu_write(scounter_gaps.left[exponent], left);
	if (likely(left >= 0))
		return SCOUNTER_DONE;
	return exponent << SCOUNTER_OUTCOME_BITS |
	       (left == -1 ? SCOUNTER_SUCCESS : SCOUNTER_UNDECIDED);
}
#endif

/**
 * struct scounter_bfp - an approximate counter of four bytes
 * @word: mantissa and exponent as laid out in <uapi/linux/scounter.h>; 0 is a
 *	counter that has counted nothing
 *
 * To embed in objects that exist by the million.  It has no name and needs no
 * registration.  How it counts is said by the class that its user passes with
 * each call; one word must always be used with the same class.
 */
struct scounter_bfp {
	atomic_t word;
};

/**
 * struct scounter_bfp_class - accuracy and update policy of any number of words
 * @limit: a word below this is incremented by a plain addition of 1
 * @theta: the mantissa threshold Theta (Dice, Lev & Moir 2013, section 4.2)
 *
 * Made with SCOUNTER_BFP_CLASS() or scounter_bfp_class_init().
 */
struct scounter_bfp_class {
	u32 limit;
	u32 theta;
};

#define __SCOUNTER_KIND(kind)						\
	((kind) == SCOUNTER_EXACT ? SCOUNTER_MULTILINE :		\
	 (kind) == SCOUNTER_APPROX ? SCOUNTER_BFP_CSUP : (kind))

#define __SCOUNTER_IS_BFP(kind)						\
	((kind) == SCOUNTER_BFP_DUP || (kind) == SCOUNTER_BFP_CSUP)

#define __SCOUNTER_THETA(ppm)						\
	((u32)((3ULL * SCOUNTER_PPM * SCOUNTER_PPM /			\
		((u64)(ppm) * (ppm)) + 3) / 8 * 2))

#define __SCOUNTER_CLASS(kind, ppm) {					\
	.limit = (kind) == SCOUNTER_BFP_DUP ? __SCOUNTER_THETA(ppm) - 1 :	\
		 (kind) == SCOUNTER_BFP_CSUP ? SCOUNTER_BFP_MANTISSA_MAX : 0,	\
	.theta = (__SCOUNTER_IS_BFP(kind) ? __SCOUNTER_THETA(ppm) : 0) +	\
		 BUILD_BUG_ON_ZERO((ppm) < SCOUNTER_ERROR_PPM_MIN ||	\
				   (ppm) > SCOUNTER_ERROR_PPM_MAX),	\
}

/**
 * SCOUNTER_BFP_CLASS - initializer of a struct scounter_bfp_class
 * @kind: SCOUNTER_BFP_DUP, SCOUNTER_BFP_CSUP or SCOUNTER_APPROX
 * @ppm: relative standard deviation in parts per million, from
 *	SCOUNTER_ERROR_PPM_MIN to SCOUNTER_ERROR_PPM_MAX
 *
 * Both must be constants; anything else does not compile.  Declare the class
 * `static const` and the compiler folds it into the increments.
 */
#define SCOUNTER_BFP_CLASS(kind, ppm)					\
	__SCOUNTER_CLASS(__SCOUNTER_KIND(kind) +			\
			 BUILD_BUG_ON_ZERO(!__SCOUNTER_IS_BFP(__SCOUNTER_KIND(kind))), \
			 ppm)

#define SCOUNTER_BFP_INIT	{ .word = ATOMIC_INIT(0) }

int scounter_bfp_class_init(struct scounter_bfp_class *class,
			    enum scounter_kind kind, u32 ppm);
void scounter_bfp_add(struct scounter_bfp *counter,
		      const struct scounter_bfp_class *class, u64 n);
u64 scounter_bfp_read(const struct scounter_bfp *counter);
void scounter_bfp_read_est(const struct scounter_bfp *counter,
			   const struct scounter_bfp_class *class,
			   struct scounter_estimate *estimate);
u64 scounter_bfp_fetch_reset(struct scounter_bfp *counter);

/* Out of line, for the increments below only. */
void __scounter_bfp_finish(struct scounter_bfp *counter,
			   const struct scounter_bfp_class *class, u32 outcome);

/**
 * scounter_bfp_init - set an embedded bfp counter to zero
 * @counter: the word
 *
 * For memory that nobody else uses yet; zeroed memory needs no such call.
 */
static inline void scounter_bfp_init(struct scounter_bfp *counter)
{
	atomic_set(&counter->word, 0);
}

static __always_inline u32 __scounter_bfp_try_inc(struct scounter_bfp *counter,
						  u32 limit)
{
	int old = atomic_read(&counter->word);
	unsigned long word = (u32)old;

	if (word >= limit)
		return __scounter_trial_step(word >> SCOUNTER_BFP_MANTISSA_BITS);
	if (likely(atomic_try_cmpxchg_relaxed(&counter->word, &old, old + 1)))
		return SCOUNTER_DONE;
	return SCOUNTER_CONTENDED;
}

/**
 * scounter_bfp_inc - count one event in an embedded bfp counter
 * @counter: the word
 * @class: its accuracy and policy, the same in every call for this word
 *
 * With probability 2^-e, where e is the word's exponent, the value grows by
 * 2^e; while e is 0 the counter is exact.  Saturates at (2^28 - 1) * 2^15.
 *
 * Dice, Lev & Moir 2013, sections 4.2 (bfp_dup) and 4.3 (bfp_csup).
 *
 * Context: Any context, NMI included.
 */
static __always_inline void
scounter_bfp_inc(struct scounter_bfp *counter,
		 const struct scounter_bfp_class *class)
{
	u32 outcome = __scounter_bfp_try_inc(counter, class->limit);

	if (unlikely(outcome))
		__scounter_bfp_finish(counter, class, outcome);
}

/* One CPU's word.  32-bit machines cannot step 64 bits in one instruction. */
struct scounter_cpu {
	/* private: */
#ifdef CONFIG_64BIT
	u64 count;
#else
	atomic64_t count;
#endif
};

/**
 * struct scounter - a counter of any kind
 *
 * Made by scounter_create() or DEFINE_SCOUNTER(); its members are for the
 * inline functions below and for scounter.ko only.
 */
struct scounter {
	/* private: */
	struct scounter_bfp_class class;	/* of the bfp kinds */
	union {
		/* Exact kinds; in spread ones what came before they spread. */
		atomic64_t count;
		struct scounter_bfp bfp;
	};
	atomic64_t **lines;			/* by node, or NULL */
	struct scounter_cpu __percpu *percpu;	/* or NULL */
	atomic64_t fetched;	/* exact kinds: what resets have returned */
	u16 kind;
	bool is_bfp;
	atomic_t flags;
	struct scounter_entry *entry;
} ____cacheline_aligned_in_smp;

/**
 * DEFINE_SCOUNTER - define a counter without allocating it
 * @name: name of the variable; write `static` before the macro if it is local
 * @kind_: an enum scounter_kind, a constant
 * @ppm: relative error in parts per million, 0 for the default of 1 %; of no
 *	meaning for exact kinds
 *
 * The counter counts from the beginning, and appears in the files and gets its
 * lines or per-CPU words from scounter_register().
 */
#define DEFINE_SCOUNTER(name, kind_, ppm)				\
	struct scounter name = {					\
		.kind = __SCOUNTER_KIND(kind_),				\
		.is_bfp = __SCOUNTER_IS_BFP(__SCOUNTER_KIND(kind_)),	\
		.count = ATOMIC64_INIT(0),				\
		.class = __SCOUNTER_CLASS(__SCOUNTER_KIND(kind_),	\
					  (ppm) ? (ppm) : SCOUNTER_ERROR_PPM_DEFAULT), \
	}

struct scounter *__scounter_create(const char *name, const char *group,
				   enum scounter_kind kind, u32 ppm, gfp_t gfp,
				   struct module *owner);
int __scounter_register(struct scounter *counter, const char *name,
			const char *group, struct module *owner);

/**
 * scounter_create - allocate a counter and publish it under a name
 * @name: 1 to SCOUNTER_NAME_MAX bytes, no '/' and no control character, not
 *	"." or ".."
 * @group: the same, or NULL for the name of the calling module; not "counters"
 * @kind: an enum scounter_kind
 * @ppm: relative standard deviation of an approximate kind, in parts per
 *	million, from SCOUNTER_ERROR_PPM_MIN to SCOUNTER_ERROR_PPM_MAX; 0 for
 *	the default of 1 %.  The paper's rounding of Theta can make it up
 *	to 4 % of itself larger, at the coarse end; estimates say so.  Exact
 *	kinds take 0 only.
 * @gfp: how to allocate.  Where it does not allow to sleep, the counter works
 *	at once and its files appear a moment later.
 *
 * Context: Any context that @gfp allows, but not NMI.
 * Return: the counter, or an ERR_PTR: -EINVAL for an unacceptable name, group
 * or kind, -ENAMETOOLONG, -ERANGE for an error out of range, -EEXIST for a
 * name that the group already has, -ENOMEM.
 */
#define scounter_create(name, group, kind, ppm, gfp)			\
	__scounter_create(name, group, kind, ppm, gfp, THIS_MODULE)

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
	__scounter_register(counter, name, group, THIS_MODULE)

void scounter_unregister(struct scounter *counter);
void scounter_destroy(struct scounter *counter);

void __scounter_add(struct scounter *counter, u64 n);
u64 scounter_read(struct scounter *counter);
void scounter_read_est(struct scounter *counter,
		       struct scounter_estimate *estimate);
u64 scounter_fetch_reset(struct scounter *counter);
const char *scounter_kind_name(enum scounter_kind kind);
int scounter_kind_by_name(const char *name);

/**
 * scounter_add - count n events at once
 * @counter: the counter
 * @n: how many; 0 changes nothing
 *
 * Exact kinds add n.  Approximate kinds add n rounded at random to a multiple
 * of 2^e (Steele & Tristan 2017, section 8), in one step for any n, and
 * saturate.  A negative constant does not compile: there is no subtraction.
 *
 * Context: Any context, NMI included.
 */
#define scounter_add(counter, n) ({					\
	BUILD_BUG_ON_MSG(__builtin_constant_p(n) &&			\
			 (typeof(n))-1 < (typeof(n))1 && (s64)(n) < 0,	\
			 "scounters are never decremented");		\
	__scounter_add(counter, n);					\
})

static __always_inline void __scounter_inc_percpu(struct scounter_cpu __percpu *percpu)
{
#ifdef CONFIG_64BIT
	this_cpu_inc(percpu->count);
#else
	atomic64_inc(&raw_cpu_ptr(percpu)->count);
#endif
}

static __always_inline void __scounter_inc_line(atomic64_t **lines)
{
	atomic64_inc(lines[__scounter_node()]);
}

/* Out of line; one pointer is all that the caller must keep for it. */
void __scounter_finish(struct scounter *counter, u32 outcome);

static __always_inline void __scounter_inc_bfp(struct scounter *counter)
{
	u32 outcome = __scounter_bfp_try_inc(&counter->bfp, counter->class.limit);

	if (unlikely(outcome))
		__scounter_finish(counter, outcome);
}

/*
 * An increment for any of the kinds that @may_be has as bits; with one bit, all
 * but the code for that kind is compiled away.  A spread counter counts in its
 * one word until scounter_register() has given it the pointer to the rest.
 */
static __always_inline void __scounter_inc(struct scounter *counter,
					   const u32 may_be)
{
	struct scounter_cpu __percpu *percpu;
	atomic64_t **lines;

	if (may_be & (BIT(SCOUNTER_BFP_DUP) | BIT(SCOUNTER_BFP_CSUP)) &&
	    (!(may_be & BIT(SCOUNTER_ATOMIC)) || counter->is_bfp)) {
		__scounter_inc_bfp(counter);
		return;
	}
	if (may_be & BIT(SCOUNTER_MULTILINE)) {
		lines = READ_ONCE(counter->lines);
		if (likely(lines)) {
			__scounter_inc_line(lines);
			return;
		}
	}
	if (may_be & BIT(SCOUNTER_PERCPU)) {
		percpu = READ_ONCE(counter->percpu);
		if (likely(percpu)) {
			__scounter_inc_percpu(percpu);
			return;
		}
	}
	atomic64_inc(&counter->count);
}

/**
 * scounter_inc - count one event
 * @counter: a counter of any kind
 *
 * Context: Any context, NMI included.
 */
static __always_inline void scounter_inc(struct scounter *counter)
{
	__scounter_inc(counter, ~0U);
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
	__scounter_inc(counter, BIT(__SCOUNTER_KIND(kind)));
}

#endif /* _LINUX_SCOUNTER_H */

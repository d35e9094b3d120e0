/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inline part of the increments: what each kind does without contention.  The rest is
 * in __scounter_word32_finish() and __scounter_word64_finish().
 *
 * Example: of the increments of a bfp word at exponent 3, seven of eight end here, after
 * one load and one step of this CPU's countdown.  The eighth goes on out of line.
 *
 * Clients include <linux/scounter_word.h>, which has the words and classes and includes
 * this header after them.
 */
#ifndef _LINUX_SCOUNTER_INLINE_H
#define _LINUX_SCOUNTER_INLINE_H

#ifndef _LINUX_SCOUNTER_WORD_H
#error "include <linux/scounter_word.h>"
#endif

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

/*
 * Trials at 2^-k: left[k] is how many are still to fail on this CPU before the next
 * success.  One trial is one step down.  Example: left[3] is 7 on average after a success.
 * Beyond SCOUNTER_GAP_EXPONENT_MAX the steps are trials at 2^-25, and random bits decide
 * the rest.  kmod/base/random.c says why no interrupt and no migration adds a bias.
 */
#define SCOUNTER_TRIAL_EXPONENTS	64

struct scounter_gaps {
	s32 left[SCOUNTER_TRIAL_EXPONENTS];
};

DECLARE_PER_CPU(struct scounter_gaps, scounter_gaps);

/*
 * Where a CPU counts: its slot in the tables of stripes, and the node that rbo_numa stores
 * above the count.  Wrong values, of a CPU that has moved to another node, cost time and
 * not counts.
 */
struct scounter_place {
	u64 numa_tag;
	u32 slot;
};

DECLARE_PER_CPU(struct scounter_place, scounter_place);

/*
 * The nodes of rbo_numa.  value_max is 2^(63 - ceil(log2(nodes))) - 1: 2^61 - 1 for 4
 * nodes, fixed when the module loads.  starving is how many CPUs have waited for too
 * long, for any word.
 */
struct scounter_numa {
	u64 value_max;
	atomic_t starving;
};

extern struct scounter_numa __scounter_numa;

/*
 * How the inline part of an increment ends: the reason in the lower two bits, the
 * exponent of a trial above.  All but DONE go on out of line.
 */
enum scounter_outcome {
	SCOUNTER_DONE		= 0,	/* counted, or its trial failed */
	SCOUNTER_CONTENDED	= 1,	/* the compare-and-swap failed or was not tried */
	SCOUNTER_SUCCESS	= 2,	/* the trial took the countdown below 0 */
	SCOUNTER_UNDECIDED	= 3,	/* the trial found it below 0 */
	SCOUNTER_UNTRIED	= 5,	/* a class with options, or not a constant */
};

#define SCOUNTER_OUTCOME_BITS	2

#if defined(CONFIG_X86_64) && defined(CONFIG_SMP) && !defined(CONFIG_UML)
/*
 * One instruction steps the countdown.  The sign says that it is below zero, and the carry
 * that it was not before.  A trial that fails jumps from here to the end of the
 * increment; the code of the other outcomes may lie between.  The exponent is the sum of
 * both arguments, and its constant part costs nothing.
 */
static __always_inline u32 __scounter_trial_step(unsigned long exponent,
						 const u32 from)
{
	asm goto("subl $1, %%gs:%c[left](,%[exponent],4)\n\t"
		 "jns %l[failed]\n\t"
		 "jc %l[success]"
		 : /* no output */
		 : [exponent] "r" (exponent),
		   [left] "i" (&scounter_gaps.left[from])
		 : "cc", "memory"
		 : failed, success);
	return (exponent + from) << SCOUNTER_OUTCOME_BITS | SCOUNTER_UNDECIDED;
success:
	return (exponent + from) << SCOUNTER_OUTCOME_BITS | SCOUNTER_SUCCESS;
failed:
	return SCOUNTER_DONE;
}

/* One instruction: a plain read takes a second one to widen the slot to an index. */
static __always_inline unsigned long __scounter_slot(void)
{
	unsigned long slot;

	asm volatile("movl %%gs:%c1, %k0" : "=r" (slot)
					  : "i" (&scounter_place.slot));
	return slot;
}
#else
static __always_inline u32 __scounter_trial_step(unsigned long exponent,
						 const u32 from)
{
	s32 left;

	exponent += from;
	left = raw_cpu_read(scounter_gaps.left[exponent]) - 1;
	raw_cpu_write(scounter_gaps.left[exponent], left);
	if (likely(left >= 0))
		return SCOUNTER_DONE;
	return exponent << SCOUNTER_OUTCOME_BITS |
	       (left == -1 ? SCOUNTER_SUCCESS : SCOUNTER_UNDECIDED);
}

static __always_inline unsigned long __scounter_slot(void)
{
	return raw_cpu_read(scounter_place.slot);
}
#endif

/* With these options the inline part tries nothing. */
#define SCOUNTER_CLASS_OPTIONS	(SCOUNTER_CLASS_SENSITIVE | SCOUNTER_CLASS_CAPPED)

/* The rest of an increment, out of line. */
void __scounter_word32_finish(struct scounter_word32 *counter,
			      const struct scounter_class *class, u32 outcome);
void __scounter_word64_finish(struct scounter_word64 *counter,
			      const struct scounter_class *class, u32 outcome);

static __always_inline u32 __scounter_swap64(atomic64_t *word, s64 old, s64 new)
{
	if (likely(atomic64_try_cmpxchg_relaxed(word, &old, new)))
		return SCOUNTER_DONE;
	return SCOUNTER_CONTENDED;
}

static __always_inline u32 __scounter_bfp_try_inc(struct scounter_word32 *counter,
						  u32 limit)
{
	int old = atomic_read(&counter->word);
	unsigned long word = (u32)old;

	if (word >= limit)
		return __scounter_trial_step(word >> SCOUNTER_BFP_MANTISSA_BITS, 0);
	if (likely(atomic_try_cmpxchg_relaxed(&counter->word, &old, old + 1)))
		return SCOUNTER_DONE;
	return SCOUNTER_CONTENDED;
}

/*
 * A value whose highest bit is threshold_log2 or above is sampled: at 2^-1 there, and at
 * half of that with each further bit.  Example: with 13, a value of 20000 has bit 14 as
 * its highest and is sampled at 1/4.  The unit, what an update adds, is between 2^k and
 * 4 * 2^k; below the threshold it is 1.  The success computes the exact unit:
 * kmod/repr/value.h.
 */
#ifdef CONFIG_64BIT
#define __scounter_highest_bit(value)	__fls(value)
#else
#define __scounter_highest_bit(value)	((unsigned long)fls64(value) - 1)
#endif

static __always_inline bool __scounter_samples(u64 value,
						 const struct scounter_class *class,
						 unsigned long *above)
{
	unsigned long bit = __scounter_highest_bit(value);

	return !__builtin_sub_overflow(bit, (unsigned long)class->threshold_log2, above);
}

static __always_inline u32
__scounter_scalable32_try_inc(struct scounter_word32 *counter,
			      const struct scounter_class *class)
{
	u32 word = atomic_read(&counter->word);
	unsigned long above;

	if (unlikely(class->flags & SCOUNTER_CLASS_OPTIONS))
		return SCOUNTER_UNTRIED;
	if (__scounter_samples(word | 1, class, &above))
		return __scounter_trial_step(above, 1);
	atomic_inc(&counter->word);
	return SCOUNTER_DONE;
}

static __always_inline u32
__scounter_scalable_try_inc(struct scounter_word64 *counter,
			    const struct scounter_class *class)
{
	u64 word = atomic64_read(&counter->word);
	unsigned long above;

	if (unlikely(class->flags & SCOUNTER_CLASS_OPTIONS))
		return SCOUNTER_UNTRIED;
	if (__scounter_samples(word | 1, class, &above))
		return __scounter_trial_step(above, 1);
	atomic64_inc(&counter->word);
	return SCOUNTER_DONE;
}

static __always_inline u32
__scounter_morris_try_inc(struct scounter_word64 *counter,
			  const struct scounter_class *class)
{
	u64 word = atomic64_read(&counter->word);
	unsigned long above;

	if (__scounter_samples(word + class->morris_a, class, &above))
		return __scounter_trial_step(above, 1);
	atomic64_inc(&counter->word);
	return SCOUNTER_DONE;
}

/* The upper half is 0 until it is used, and a + n from then on: nothing to add here. */
static __always_inline u32
__scounter_morris_adapt_try_inc(struct scounter_word64 *counter,
				const struct scounter_class *class)
{
	u64 word = atomic64_read(&counter->word);
	u64 upper = word >> 32;
	unsigned long above;

	if (!upper) {
		u64 new = word + 1;

		if (unlikely(!(u32)new))
			return SCOUNTER_CONTENDED;
		return __scounter_swap64(&counter->word, word, new);
	}
	if (__scounter_samples(upper, class, &above))
		return __scounter_trial_step(above, 1);
	/* Not atomic64_add(): after a reset, 1 in the upper half would stand for 1 - a. */
	return __scounter_swap64(&counter->word, word, word + (1ULL << 32));
}

static __always_inline u32 __scounter_racing_inc(struct scounter_word64 *counter)
{
	atomic64_set(&counter->word, atomic64_read(&counter->word) + 1);
	return SCOUNTER_DONE;
}

static __always_inline u32 __scounter_cas_try_inc(struct scounter_word64 *counter)
{
	u64 old = atomic64_read(&counter->word);
	s64 new = old + 1;

	if (unlikely(new < 0))
		return SCOUNTER_CONTENDED;
	return __scounter_swap64(&counter->word, old, new);
}

/* Only on the node that counted last, and only while no node is starving. */
static __always_inline u32 __scounter_numa_try_inc(struct scounter_word64 *counter,
						   const u32 kind)
{
	u64 word = atomic64_read(&counter->word);

	if (kind == SCOUNTER_RBO_NUMA_ADAPT && likely(word < __scounter_numa.value_max))
		return __scounter_swap64(&counter->word, word, word + 1);
	if (atomic_read(&__scounter_numa.starving))
		return SCOUNTER_CONTENDED;
	if ((word ^ raw_cpu_read(scounter_place.numa_tag)) >= __scounter_numa.value_max)
		return SCOUNTER_CONTENDED;
	return __scounter_swap64(&counter->word, word, word + 1);
}

/*
 * A word that has become stripes holds the address of their table, marked by its two
 * highest bits.  On x86-64 the kernel's addresses have these bits set, and the word is the
 * address.  Elsewhere it is the address shifted by two: tables are aligned to eight bytes.
 */
#define SCOUNTER_SPREAD_STRIPES	(3ULL << 62)
#define SCOUNTER_SPREAD_CLOSING	(1ULL << 62)

#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
#define SCOUNTER_SPREAD_SHIFT	0
#else
#define SCOUNTER_SPREAD_SHIFT	2
#endif

static __always_inline bool __scounter_is_stripes(s64 spread)
{
	return spread < 0;
}

static __always_inline atomic64_t **__scounter_stripes(u64 spread)
{
	return (atomic64_t **)(unsigned long)(spread << SCOUNTER_SPREAD_SHIFT);
}

static __always_inline void __scounter_inc_stripe(u64 spread)
{
	atomic64_inc(__scounter_stripes(spread)[__scounter_slot()]);
}

/*
 * The stripes need no protection here: kmod/kinds/adapt.c frees them only after every task
 * that may have read the word has slept or left the kernel.
 */
static __always_inline u32 __scounter_adapt_plain(struct scounter_word64 *counter,
						  s64 old)
{
	s64 new = old + 1;

	/* The end of the range, or a closing word. */
	if (unlikely(new & SCOUNTER_SPREAD_CLOSING))
		return SCOUNTER_CONTENDED;
	return __scounter_swap64(&counter->word, old, new);
}

static __always_inline u32 __scounter_adapt_try_inc(struct scounter_word64 *counter)
{
	s64 old = atomic64_read(&counter->word);

	if (!__scounter_is_stripes(old))
		return __scounter_adapt_plain(counter, old);
	__scounter_inc_stripe(old);
	return SCOUNTER_DONE;
}

/* A constant kind leaves only its own code. */
static __always_inline u32 __scounter_word64_try_inc(struct scounter_word64 *counter,
						     const struct scounter_class *class,
						     const u32 kind)
{
	switch (kind) {
	case SCOUNTER_RACING:
		return __scounter_racing_inc(counter);
	case SCOUNTER_CAS:
	case SCOUNTER_RBO:
	case SCOUNTER_COHORT:
		return __scounter_cas_try_inc(counter);
	case SCOUNTER_RBO_NUMA:
	case SCOUNTER_RBO_NUMA_ADAPT:
		return __scounter_numa_try_inc(counter, kind);
	case SCOUNTER_MULTILINE_ADAPT:
		return __scounter_adapt_try_inc(counter);
	case SCOUNTER_MORRIS_ADAPT:
		return __scounter_morris_adapt_try_inc(counter, class);
	case SCOUNTER_MORRIS:
		return __scounter_morris_try_inc(counter, class);
	case SCOUNTER_SCALABLE:
		return __scounter_scalable_try_inc(counter, class);
	}
	return SCOUNTER_UNTRIED;
}

static __always_inline u32 __scounter_word32_try_inc(struct scounter_word32 *counter,
						     const struct scounter_class *class,
						     const u32 kind)
{
	if (kind == SCOUNTER_SCALABLE32)
		return __scounter_scalable32_try_inc(counter, class);
	if (__SCOUNTER_IS_BFP(kind))
		return __scounter_bfp_try_inc(counter, class->limit);
	return SCOUNTER_UNTRIED;
}

#endif /* _LINUX_SCOUNTER_INLINE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scounter words: counters of four or eight bytes to embed in objects that
 * exist by the million, and the inline part of their increments.
 *
 *	static const struct scounter_class hits_class =
 *		SCOUNTER_CLASS(SCOUNTER_BFP_CSUP, 20000);		2 %
 *
 *	struct flow { ...; struct scounter_word32 hits; };
 *
 *	scounter_word32_inc(&flow->hits, &hits_class);
 *
 * A word has no name and needs no registration; how it counts is said by the
 * class that its user passes with each call.  Zeroed memory is a counter that
 * has counted nothing.  <linux/scounter.h> has the contract, and counters with
 * names, which are made of the same words.
 */
#ifndef _LINUX_SCOUNTER_WORD_H
#define _LINUX_SCOUNTER_WORD_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <uapi/linux/scounter.h>

/**
 * struct scounter_estimate - what a read promises
 * @value: the count; for approximate kinds an unbiased estimate of it
 * @lower: the count is below it in at most 0.135 % of all cases, as a normal
 *	variable is below three standard deviations
 * @upper: the same above it; U64_MAX: there is no such bound
 * @error_ppm: relative standard deviation of the value, at most, in parts per
 *	million; 0 means that the value is exact, unless SCOUNTER_F_UNSURE says
 *	otherwise: a saturated cas counter has an error of 0, and has lost events
 * @flags: SCOUNTER_F_SATURATED and others, see <uapi/linux/scounter.h>
 *
 * For an exact value @lower and @upper equal @value.  In the states of
 * SCOUNTER_F_UNSURE there is no upper bound, or, of a counter that loses counts
 * (SCOUNTER_F_LOSSY), none that promises anything.
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
 * Beyond SCOUNTER_GAP_EXPONENT_MAX the steps are trials at 2^-25, and random
 * bits decide the rest.  kmod/base/random.c says why no interrupt and no migration
 * can bias it.
 */
#define SCOUNTER_TRIAL_EXPONENTS	64

struct scounter_gaps {
	s32 left[SCOUNTER_TRIAL_EXPONENTS];
};

DECLARE_PER_CPU(struct scounter_gaps, scounter_gaps);

/*
 * Where a CPU counts: the slot of the tables of stripes, and what rbo_numa stores
 * above the count.  Wrong values (a CPU that has moved to another node) cost
 * time, not counts.
 */
struct scounter_place {
	u64 numa_tag;
	u32 slot;
};

DECLARE_PER_CPU(struct scounter_place, scounter_place);

/*
 * The nodes of rbo_numa.  value_max is 2^(63 - ceil(log2(nodes))) - 1, fixed
 * when the module is loaded; starving is how many CPUs have waited for too long, for
 * whatever word.
 */
struct scounter_numa {
	u64 value_max;
	atomic_t starving;
};

extern struct scounter_numa __scounter_numa;

/*
 * How far the inline part of an increment has come: the reason in the lower
 * two bits, the exponent of a trial above.  All but DONE go on out of line.
 */
enum scounter_outcome {
	SCOUNTER_DONE		= 0,	/* counted, or its trial failed */
	SCOUNTER_CONTENDED	= 1,	/* the compare-and-swap failed, or had to */
	SCOUNTER_SUCCESS	= 2,	/* the trial took the countdown below 0 */
	SCOUNTER_UNDECIDED	= 3,	/* the trial found it below 0 */
	SCOUNTER_UNTRIED	= 5,	/* a class with options, or not a constant */
};

#define SCOUNTER_OUTCOME_BITS	2

#if defined(CONFIG_X86_64) && defined(CONFIG_SMP) && !defined(CONFIG_UML)
/*
 * One instruction steps the countdown: the sign says that it is below zero, and
 * the carry that it was not before.  A trial that fails jumps from here to where
 * the increment ends; the code for the others may lie between.  The exponent is
 * the sum of both arguments; a constant part costs nothing.
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

/* Without a second instruction that widens the slot to an index. */
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

/**
 * struct scounter_word32 - a counter of four bytes
 * @word: laid out as <uapi/linux/scounter.h> says
 *
 * For SCOUNTER_BFP_DUP, SCOUNTER_BFP_CSUP, SCOUNTER_APPROX, SCOUNTER_SCALABLE32.
 * One word must always be used with the same class.
 */
struct scounter_word32 {
	atomic_t word;
};

/**
 * struct scounter_word64 - a counter of eight bytes
 * @word: laid out as <uapi/linux/scounter.h> says
 *
 * For all other kinds but SCOUNTER_ATOMIC, SCOUNTER_PERCPU, SCOUNTER_MULTILINE
 * and SCOUNTER_COHORT.  One word must always be used with the same class.  A
 * word of SCOUNTER_MULTILINE_ADAPT may have become stripes: its memory may be
 * freed only after scounter_word64_destroy().
 */
struct scounter_word64 {
	atomic64_t word;
};

#define SCOUNTER_WORD_INIT	{ .word = { 0 } }

/**
 * struct scounter_class - kind, accuracy and policy of any number of words
 * @limit: approximate kinds: below this, an increment is a plain addition of 1
 * @theta: bfp: the mantissa threshold Theta; morris: the parameter a; scalable
 *	with SCOUNTER_CLASS_CAPPED: the largest exponent
 * @kind: an enum scounter_kind, of a kind and not a choice
 * @shift: scalable: log2 of the value that is sampled first; morris: the same
 *	of a + n; approx: log2 of B, which the mantissa never reaches while the
 *	exponent can grow (Documentation/accuracy.rst); multiline,
 *	multiline_adapt: log2 of the most stripes a node
 * @flags: SCOUNTER_CLASS_WRAP and others
 *
 * Made with SCOUNTER_CLASS() or scounter_class_init().
 */
struct scounter_class {
	u32 limit;
	u32 theta;
	u8 kind;
	u8 shift;
	u8 flags;
};

/* At the end of its range a counter begins again at 0, and says so if it can. */
#define SCOUNTER_CLASS_WRAP		BIT(0)
/* scalable: count by one until a compare-and-swap fails. */
#define SCOUNTER_CLASS_SENSITIVE	BIT(1)
/* scalable: an update adds 2^theta at most. */
#define SCOUNTER_CLASS_CAPPED		BIT(2)
/*
 * Of approximate words without a name: they are reset while others count.  An
 * increment may then land after the reset with the weight that it won before, and
 * estimates allow for that.  Of morris and scalable words, which cannot remember it,
 * every estimate does: lower is 0 and error_ppm near 1000000, unless a granularity
 * bounds the weight.
 */
#define SCOUNTER_CLASS_RESETS		BIT(3)
/* What the inline part of an increment leaves to the rest. */
#define SCOUNTER_CLASS_OPTIONS	(SCOUNTER_CLASS_SENSITIVE | SCOUNTER_CLASS_CAPPED)

/**
 * struct scounter_params - what can be chosen about a counter
 * @kind: an enum scounter_kind
 * @error_ppm: relative standard deviation of an approximate kind, in parts per
 *	million, from SCOUNTER_ERROR_PPM_MIN to SCOUNTER_ERROR_PPM_MAX; 0 for
 *	the default of 1 %.  Exact kinds take 0 only.
 * @flags: SCOUNTER_CLASS_WRAP: begin again at 0 at the end of the range, as in
 *	the papers, rather than stay there; SCOUNTER_CLASS_SENSITIVE, of the
 *	scalable kinds; SCOUNTER_CLASS_RESETS, of the approximate kinds: the
 *	words are reset while others count, which takes the lower bound from
 *	morris and scalable words without a granularity
 * @granularity_log2: of the scalable kinds: an update never adds more than 2 to
 *	this power (Ayers 2023, end notes: 10); 0 for no cap
 * @components: of the multiline kinds: stripes a node, a power of two up to
 *	SCOUNTER_COMPONENTS_MAX, each in a cache line of its own, which
 *	multiline_adapt takes only when a node's one stripe is contended; 0 for
 *	one, for SCOUNTER_EXACT for four
 *
 * What does not apply to the kind must be 0.
 */
struct scounter_params {
	enum scounter_kind kind;
	u32 error_ppm;
	u8 flags;
	u8 granularity_log2;
	u8 components;
};

#define SCOUNTER_EXACT_COMPONENTS_LOG2	2

#define __SCOUNTER_KIND(kind)						\
	((kind) == SCOUNTER_EXACT ? SCOUNTER_MULTILINE_ADAPT :		\
	 (kind) == SCOUNTER_APPROX ? SCOUNTER_BFP_CSUP : (kind))

#define __SCOUNTER_IS_ONE_OF(kind, kinds)				\
	((kind) > 0 && (kind) < 32 && (BIT((kind) & 31) & (kinds)))

/* Columns of the table of kinds, for the masks below. */
enum __scounter_family {
	__SCOUNTER_FAMILY_EXACT,
	__SCOUNTER_FAMILY_BFP,
	__SCOUNTER_FAMILY_MORRIS,
	__SCOUNTER_FAMILY_SCALABLE,
	__SCOUNTER_FAMILY_LOSSY,
};

enum __scounter_word_size {
	__SCOUNTER_NO_WORD,
	__SCOUNTER_WORD32,
	__SCOUNTER_WORD64,
};

enum __scounter_use {
	__SCOUNTER_NAMED,
	__SCOUNTER_BARE,
};

#define __SCOUNTER_BIT(number, condition)	((condition) ? BIT(number) : 0) |
#define __SCOUNTER_ALL_BIT(symbol, number, ...)	BIT(number) |
#define __SCOUNTER_EXACT_BIT(symbol, number, name, word, use, family, ...)	\
	__SCOUNTER_BIT(number, __SCOUNTER_FAMILY_##family == __SCOUNTER_FAMILY_EXACT)
#define __SCOUNTER_BFP_BIT(symbol, number, name, word, use, family, ...)	\
	__SCOUNTER_BIT(number, __SCOUNTER_FAMILY_##family == __SCOUNTER_FAMILY_BFP)
#define __SCOUNTER_MORRIS_BIT(symbol, number, name, word, use, family, ...)	\
	__SCOUNTER_BIT(number, __SCOUNTER_FAMILY_##family == __SCOUNTER_FAMILY_MORRIS)
#define __SCOUNTER_SCALABLE_BIT(symbol, number, name, word, use, family, ...)	\
	__SCOUNTER_BIT(number, __SCOUNTER_FAMILY_##family == __SCOUNTER_FAMILY_SCALABLE)
#define __SCOUNTER_WORD32_BIT(symbol, number, name, word, use, ...)		\
	__SCOUNTER_BIT(number, __SCOUNTER_##word == __SCOUNTER_WORD32 &&	\
			       __SCOUNTER_##use == __SCOUNTER_BARE)
#define __SCOUNTER_WORD64_BIT(symbol, number, name, word, use, ...)		\
	__SCOUNTER_BIT(number, __SCOUNTER_##word == __SCOUNTER_WORD64 &&	\
			       __SCOUNTER_##use == __SCOUNTER_BARE)

/* Masks of kinds; those of words are of bare ones. */
enum __scounter_kinds {
	__SCOUNTER_ALL_KINDS = SCOUNTER_KIND_TABLE(__SCOUNTER_ALL_BIT) 0,
	__SCOUNTER_EXACT_KINDS = SCOUNTER_KIND_TABLE(__SCOUNTER_EXACT_BIT) 0,
	__SCOUNTER_BFP_KINDS = SCOUNTER_KIND_TABLE(__SCOUNTER_BFP_BIT) 0,
	__SCOUNTER_MORRIS_KINDS = SCOUNTER_KIND_TABLE(__SCOUNTER_MORRIS_BIT) 0,
	__SCOUNTER_SCALABLE_KINDS = SCOUNTER_KIND_TABLE(__SCOUNTER_SCALABLE_BIT) 0,
	__SCOUNTER_APPROX_KINDS = __SCOUNTER_BFP_KINDS | __SCOUNTER_MORRIS_KINDS |
				  __SCOUNTER_SCALABLE_KINDS,
	__SCOUNTER_WORD32_KINDS = SCOUNTER_KIND_TABLE(__SCOUNTER_WORD32_BIT) 0,
	__SCOUNTER_WORD64_KINDS = SCOUNTER_KIND_TABLE(__SCOUNTER_WORD64_BIT) 0,
};

#define __SCOUNTER_IS_BFP(kind)	(!!__SCOUNTER_IS_ONE_OF(kind, __SCOUNTER_BFP_KINDS))
#define __SCOUNTER_IS_MORRIS(kind)					\
	(!!__SCOUNTER_IS_ONE_OF(kind, __SCOUNTER_MORRIS_KINDS))
#define __SCOUNTER_IS_SCALABLE(kind)					\
	(!!__SCOUNTER_IS_ONE_OF(kind, __SCOUNTER_SCALABLE_KINDS))

/* bfp: Theta = 2M (Dice, Lev & Moir 2013, section 4.2). */
#define __SCOUNTER_THETA(ppm)						\
	((u32)((3ULL * SCOUNTER_PPM * SCOUNTER_PPM /			\
		((u64)(ppm) * (ppm)) + 3) / 8 * 2))

/* approx: the same with M rounded up, as it never has more than the error asked for. */
#define __SCOUNTER_APPROX_THETA(ppm)					\
	((u32)(((3ULL * SCOUNTER_PPM * SCOUNTER_PPM - 1) /		\
		((u64)(ppm) * (ppm)) + 11) / 8 * 2))

/* ... and log2 of the bound of its mantissa; it counts exactly to a third of that. */
#define __SCOUNTER_APPROX_SHIFT(ppm)					\
	(const_ilog2(__SCOUNTER_APPROX_THETA(ppm) - 1) + 1)

#define __SCOUNTER_APPROX_LIMIT(shift)					\
	((((1U << (shift)) - (2U << (shift)) / 3 + 1) & ~1U) - 1)

/* morris: a = 1 / (2 error^2), rounded up (section 3.1). */
#define __SCOUNTER_MORRIS_A(ppm)					\
	((u32)((1ULL * SCOUNTER_PPM * SCOUNTER_PPM - 1) /		\
	       (2ULL * (ppm) * (ppm)) + 1))

/* ... and the power of two from which a + n is sampled: its unit is below 4. */
#define __SCOUNTER_MORRIS_SHIFT(ppm)					\
	(const_ilog2(__SCOUNTER_MORRIS_A(ppm) - 1) + 2)

/*
 * scalable: the least threshold 2^s whose relative standard deviation, in the
 * limit that of bfp with Theta = 2^s, sqrt(3 / (2^(s + 2) - 3)), is small enough.
 */
#define __SCOUNTER_THRESHOLD_SERVES(ppm, s)				\
	(((4ULL << (s)) - 3) * (ppm) * (ppm) >= 3ULL * SCOUNTER_PPM * SCOUNTER_PPM)

#define __SCOUNTER_THRESHOLD_LOG2(ppm)					\
	(__SCOUNTER_THRESHOLD_SERVES(ppm, 10) ? 10 :			\
	 __SCOUNTER_THRESHOLD_SERVES(ppm, 11) ? 11 :			\
	 __SCOUNTER_THRESHOLD_SERVES(ppm, 12) ? 12 :			\
	 __SCOUNTER_THRESHOLD_SERVES(ppm, 13) ? 13 :			\
	 __SCOUNTER_THRESHOLD_SERVES(ppm, 14) ? 14 : 15)

#define __SCOUNTER_LIMIT(kind, asked, ppm)				\
	((kind) == SCOUNTER_BFP_DUP ? __SCOUNTER_THETA(ppm) - 1 :	\
	 (asked) == SCOUNTER_APPROX ?					\
		__SCOUNTER_APPROX_LIMIT(__SCOUNTER_APPROX_SHIFT(ppm)) :	\
	 (kind) == SCOUNTER_BFP_CSUP ? SCOUNTER_BFP_MANTISSA_MAX :	\
	 __SCOUNTER_IS_MORRIS(kind) ?					\
		(1U << __SCOUNTER_MORRIS_SHIFT(ppm)) - __SCOUNTER_MORRIS_A(ppm) : \
	 __SCOUNTER_IS_SCALABLE(kind) ? 1U << __SCOUNTER_THRESHOLD_LOG2(ppm) : 0)

/* The asked kind may be a choice: what a choice has of its own depends on it. */
#define __SCOUNTER_CLASS(kind_, asked, ppm) {				\
	.limit = __SCOUNTER_LIMIT(kind_, asked, ppm) +				\
		 BUILD_BUG_ON_ZERO((ppm) < SCOUNTER_ERROR_PPM_MIN ||	\
				   (ppm) > SCOUNTER_ERROR_PPM_MAX),	\
	.theta = (asked) == SCOUNTER_APPROX ? __SCOUNTER_APPROX_THETA(ppm) : \
		 __SCOUNTER_IS_BFP(kind_) ? __SCOUNTER_THETA(ppm) :	\
		 __SCOUNTER_IS_MORRIS(kind_) ? __SCOUNTER_MORRIS_A(ppm) : 0, \
	.kind = (kind_),						\
	.shift = __SCOUNTER_IS_MORRIS(kind_) ? __SCOUNTER_MORRIS_SHIFT(ppm) : \
		 __SCOUNTER_IS_SCALABLE(kind_) ?			\
			__SCOUNTER_THRESHOLD_LOG2(ppm) :		\
		 (asked) == SCOUNTER_APPROX ? __SCOUNTER_APPROX_SHIFT(ppm) : \
		 (asked) == SCOUNTER_EXACT ? SCOUNTER_EXACT_COMPONENTS_LOG2 : 0, \
}

#define __SCOUNTER_PPM_OR_DEFAULT(ppm)	((ppm) ? (ppm) : SCOUNTER_ERROR_PPM_DEFAULT)

/* Of a constant kind; exact kinds take 0 only. */
#define __SCOUNTER_PPM_OF(kind, ppm)					\
	(__SCOUNTER_PPM_OR_DEFAULT(ppm) +				\
	 BUILD_BUG_ON_ZERO((ppm) && !__SCOUNTER_IS_ONE_OF(__SCOUNTER_KIND(kind), \
							  __SCOUNTER_APPROX_KINDS)))

/**
 * SCOUNTER_CLASS - initializer of a struct scounter_class
 * @kind: a kind that has words, a constant
 * @ppm: relative standard deviation in parts per million, from
 *	SCOUNTER_ERROR_PPM_MIN to SCOUNTER_ERROR_PPM_MAX; 0 for the default of
 *	1 %.  Exact kinds take 0 only.
 *
 * Both must be constants; anything else does not compile.  Declare the class
 * `static const` and the compiler folds it into the increments.
 */
#define SCOUNTER_CLASS(kind, ppm)					\
	__SCOUNTER_CLASS(__SCOUNTER_KIND(kind) +			\
			 BUILD_BUG_ON_ZERO(!__SCOUNTER_IS_ONE_OF(__SCOUNTER_KIND(kind), \
					__SCOUNTER_WORD32_KINDS | __SCOUNTER_WORD64_KINDS)), \
			 kind, __SCOUNTER_PPM_OF(kind, ppm))

int scounter_class_init(struct scounter_class *class,
			const struct scounter_params *params);

void scounter_word32_add(struct scounter_word32 *counter,
			 const struct scounter_class *class, u64 n);
u64 scounter_word32_read(const struct scounter_word32 *counter,
			 const struct scounter_class *class);
void scounter_word32_read_est(const struct scounter_word32 *counter,
			      const struct scounter_class *class,
			      struct scounter_estimate *estimate);
u64 scounter_word32_fetch_reset(struct scounter_word32 *counter,
				const struct scounter_class *class);

void scounter_word64_add(struct scounter_word64 *counter,
			 const struct scounter_class *class, u64 n);
u64 scounter_word64_read(const struct scounter_word64 *counter,
			 const struct scounter_class *class);
void scounter_word64_read_est(const struct scounter_word64 *counter,
			      const struct scounter_class *class,
			      struct scounter_estimate *estimate);
u64 scounter_word64_fetch_reset(struct scounter_word64 *counter,
				const struct scounter_class *class);
void scounter_word64_destroy(struct scounter_word64 *counter,
			     const struct scounter_class *class);

/* Out of line, for the increments below only. */
void __scounter_word32_finish(struct scounter_word32 *counter,
			      const struct scounter_class *class, u32 outcome);
void __scounter_word64_finish(struct scounter_word64 *counter,
			      const struct scounter_class *class, u32 outcome);

/**
 * scounter_word32_init - set a word to zero
 * @counter: the word
 *
 * For memory that nobody else uses yet; zeroed memory needs no such call.
 */
static inline void scounter_word32_init(struct scounter_word32 *counter)
{
	atomic_set(&counter->word, 0);
}

/**
 * scounter_word64_init - set a word to zero
 * @counter: the word
 *
 * For memory that nobody else uses yet; zeroed memory needs no such call.
 */
static inline void scounter_word64_init(struct scounter_word64 *counter)
{
	atomic64_set(&counter->word, 0);
}

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
 * The trial for a value whose highest bit is the class's shift or above: at 2^-1
 * there, and with each further bit at half of that.  The unit of the value, how
 * much an update adds to it, is then between 2^k and 4 * 2^k; below, it is 1.
 * What is exact about the unit is decided after a success: kmod/repr/value.h.
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

	return !__builtin_sub_overflow(bit, (unsigned long)class->shift, above);
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

	if (__scounter_samples(word + class->theta, class, &above))
		return __scounter_trial_step(above, 1);
	atomic64_inc(&counter->word);
	return SCOUNTER_DONE;
}

/* The upper half, once it is used, is a + n: no addition for the trial. */
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
	/* No blind addition: after a reset 1 in the upper half would be 1 - a. */
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

/* Quick only on the node that counted last, and while no node is starving. */
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
 * A word that has become stripes holds the address of their table, marked by its
 * two highest bits; this is the address itself where the kernel's addresses have
 * these bits set.  Tables are aligned to eight bytes.
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
 * The stripes need no protection here: they are freed only after every task that
 * may have read the word has slept or left the kernel (kmod/kinds/adapt.c).
 */
static __always_inline u32 __scounter_adapt_plain(struct scounter_word64 *counter,
						  s64 old)
{
	s64 new = old + 1;

	/* The end of the range, or stripes that are being taken back. */
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

/* With a constant kind all but its code is compiled away. */
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
	return __scounter_bfp_try_inc(counter, class->limit);
}

/**
 * scounter_word32_inc - count one event in a word of four bytes
 * @counter: the word
 * @class: its kind, accuracy and policy, the same in every call for this word
 *
 * With probability 2^-k, where k is 0 at first and grows with the count, the
 * value grows by 2^k.  The bfp kinds end at (2^28 - 1) * 2^15, scalable32 at
 * SCOUNTER_SCALABLE32_MAX: there they saturate, or begin again at 0 if the class says so.
 *
 * Dice, Lev & Moir 2013, sections 4.2 (bfp_dup) and 4.3 (bfp_csup); Ayers 2023
 * (scalable32).
 *
 * Context: Any context, NMI included.
 */
static __always_inline void
scounter_word32_inc(struct scounter_word32 *counter,
		    const struct scounter_class *class)
{
	u32 outcome = __scounter_word32_try_inc(counter, class, class->kind);

	if (unlikely(outcome))
		__scounter_word32_finish(counter, class, outcome);
}

/**
 * scounter_word64_inc - count one event in a word of eight bytes
 * @counter: the word
 * @class: its kind, accuracy and policy, the same in every call for this word
 *
 * With a class that is a constant the code of its kind is inlined, otherwise
 * all is out of line.
 *
 * Dice, Lev & Moir 2013, sections 2 and 3; Ayers 2023 (scalable).
 *
 * Context: Any context, NMI included.
 */
static __always_inline void
scounter_word64_inc(struct scounter_word64 *counter,
		    const struct scounter_class *class)
{
	u32 outcome = SCOUNTER_UNTRIED;

	if (__builtin_constant_p(class->kind))
		outcome = __scounter_word64_try_inc(counter, class, class->kind);
	if (unlikely(outcome))
		__scounter_word64_finish(counter, class, outcome);
}

#endif /* _LINUX_SCOUNTER_WORD_H */

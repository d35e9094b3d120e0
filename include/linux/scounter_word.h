/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scounter words: counters of four or eight bytes, to embed in objects that exist by the
 * million.
 *
 *	static const struct scounter_class hits_class =
 *		SCOUNTER_CLASS(SCOUNTER_BFP_CSUP, 20000);		2 %
 *
 *	struct flow { ...; struct scounter_word32 hits; };
 *
 *	scounter_word32_inc(&flow->hits, &hits_class);
 *
 * A word has no name and needs no registration.  The class that its user passes with each
 * call says how it counts.  Zeroed memory is a counter that has counted nothing.
 * <linux/scounter.h> has the contract, and counters with names, which have the same words.
 *
 * <linux/scounter_class.h> computes classes.  <linux/scounter_inline.h> has the inline part
 * of the increments, and <linux/scounter_estimate.h> what reads promise.
 */
#ifndef _LINUX_SCOUNTER_WORD_H
#define _LINUX_SCOUNTER_WORD_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/scounter_class.h>
#include <linux/scounter_estimate.h>
#include <linux/types.h>
#include <uapi/linux/scounter.h>

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
 * word of SCOUNTER_MULTILINE_ADAPT may have become stripes: call
 * scounter_word64_destroy() before its memory is freed.
 */
struct scounter_word64 {
	atomic64_t word;
};

#define SCOUNTER_WORD_INIT	{ .word = { 0 } }

/**
 * struct scounter_class - kind, accuracy and policy of any number of words
 * @limit: approximate kinds: below this, an increment is a plain addition of 1
 * @theta: bfp: the mantissa threshold Theta
 * @morris_a: morris: the parameter a
 * @granularity_log2: scalable with SCOUNTER_CLASS_CAPPED: log2 of the most that
 *	an update adds
 * @kind: an enum scounter_kind, of a kind and not a choice
 * @threshold_log2: scalable: log2 of the value that is sampled first; morris: the
 *	same of a + n
 * @bound_log2: approx: log2 of the bound B, which the mantissa never reaches while
 *	the exponent can grow (Documentation/accuracy.rst); 0 for other bfp words
 * @components_log2: multiline, multiline_adapt: log2 of the most stripes a node
 * @flags: SCOUNTER_CLASS_WRAP and others
 *
 * Made with SCOUNTER_CLASS() or scounter_class_init().
 */
struct scounter_class {
	u32 limit;
	union {
		u32 theta;
		u32 morris_a;
		u32 granularity_log2;
	};
	u8 kind;
	union {
		u8 threshold_log2;
		u8 bound_log2;
		u8 components_log2;
	};
	u8 flags;
};

/* At the end of its range a counter begins again at 0.  One with a name says so. */
#define SCOUNTER_CLASS_WRAP		BIT(0)
/* scalable: count by one until a compare-and-swap fails. */
#define SCOUNTER_CLASS_SENSITIVE	BIT(1)
/* scalable: an update adds 2^granularity_log2 at most. */
#define SCOUNTER_CLASS_CAPPED		BIT(2)
/*
 * For approximate words without a name that are reset while others count.  An increment
 * may then land after the reset with the weight that it won before, and estimates allow
 * for that.  morris and scalable words cannot remember that one has, so all of their
 * estimates do: lower is 0 and error_ppm near 1000000, unless a granularity bounds the
 * weight.
 */
#define SCOUNTER_CLASS_RESETS		BIT(3)
/* Made as SCOUNTER_EXACT or SCOUNTER_APPROX, and named so.  Not for struct scounter_params. */
#define SCOUNTER_CLASS_CHOSEN		BIT(4)

/*
 * Where a counter with a name is not to be read: what it costs most is its files.  The
 * snapshot is /dev/scounter, and with it the table of all counters in debugfs.
 */
#define SCOUNTER_HIDE_SYSFS		BIT(0)
#define SCOUNTER_HIDE_DEBUGFS		BIT(1)
#define SCOUNTER_HIDE_SNAPSHOT		BIT(2)
#define SCOUNTER_HIDE_FILES		(SCOUNTER_HIDE_SYSFS | SCOUNTER_HIDE_DEBUGFS)
#define SCOUNTER_HIDE_ALL		(SCOUNTER_HIDE_FILES | SCOUNTER_HIDE_SNAPSHOT)

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
 * @hide: of a counter with a name: SCOUNTER_HIDE_FILES and its like, where it cannot
 *	be read; 0 for everywhere
 * @parent: of a counter with a name that is not hidden from sysfs: a kobject of the
 *	client's, &dev->kobj, say, below which its directory is made, with its name,
 *	which nothing there may have; NULL for the directory of its group, which has a
 *	link otherwise.  It is in sysfs, and is held until the directory goes.  If
 *	it leaves sysfs before the counter is destroyed, the directory leaves with it.
 *
 * What does not apply to the kind, or to a word without a name, must be 0.
 */
struct scounter_params {
	enum scounter_kind kind;
	u32 error_ppm;
	u8 flags;
	u8 granularity_log2;
	u8 components;
	u8 hide;
	struct kobject *parent;
};

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
			 __SCOUNTER_ZERO_UNLESS(!__SCOUNTER_IS_ONE_OF(__SCOUNTER_KIND(kind), \
						__SCOUNTER_WORD32_KINDS |	\
						__SCOUNTER_WORD64_KINDS),	\
				"this kind needs a struct scounter, and has no words"), \
			 kind, __SCOUNTER_PPM_OF(kind, ppm))

int scounter_class_init(struct scounter_class *class,
			const struct scounter_params *params);

void __scounter_word32_add(struct scounter_word32 *counter,
			   const struct scounter_class *class, u64 n);
u64 scounter_word32_read(const struct scounter_word32 *counter,
			 const struct scounter_class *class);
void scounter_word32_read_est(const struct scounter_word32 *counter,
			      const struct scounter_class *class,
			      struct scounter_estimate *estimate);
enum scounter_answer scounter_word32_reached(const struct scounter_word32 *counter,
					     const struct scounter_class *class, u64 limit);
u64 scounter_word32_fetch_reset(struct scounter_word32 *counter,
				const struct scounter_class *class);

void __scounter_word64_add(struct scounter_word64 *counter,
			   const struct scounter_class *class, u64 n);
u64 scounter_word64_read(const struct scounter_word64 *counter,
			 const struct scounter_class *class);
void scounter_word64_read_est(const struct scounter_word64 *counter,
			      const struct scounter_class *class,
			      struct scounter_estimate *estimate);
enum scounter_answer scounter_word64_reached(const struct scounter_word64 *counter,
					     const struct scounter_class *class, u64 limit);
u64 scounter_word64_fetch_reset(struct scounter_word64 *counter,
				const struct scounter_class *class);
void scounter_word64_destroy(struct scounter_word64 *counter,
			     const struct scounter_class *class);

/**
 * scounter_word32_init - set a word to zero
 * @counter: the word
 *
 * For memory that nobody else uses yet.  Zeroed memory needs no such call.
 */
static inline void scounter_word32_init(struct scounter_word32 *counter)
{
	atomic_set(&counter->word, 0);
}

/**
 * scounter_word64_init - set a word to zero
 * @counter: the word
 *
 * For memory that nobody else uses yet.  Zeroed memory needs no such call.
 */
static inline void scounter_word64_init(struct scounter_word64 *counter)
{
	atomic64_set(&counter->word, 0);
}

/* A class that is a constant has a kind with words of the size that is counted in. */
#define __SCOUNTER_CHECK_WORD(class, kinds, message)			\
	BUILD_BUG_ON_MSG(__builtin_constant_p((class)->kind) &&		\
			 !__SCOUNTER_IS_ONE_OF((class)->kind, kinds), message)
#define __SCOUNTER_CHECK_WORD32(class)					\
	__SCOUNTER_CHECK_WORD(class, __SCOUNTER_WORD32_KINDS,		\
			      "this kind needs a scounter_word64, as exact does")
#define __SCOUNTER_CHECK_WORD64(class)					\
	__SCOUNTER_CHECK_WORD(class, __SCOUNTER_WORD64_KINDS,		\
			      "this kind needs a scounter_word32, as approx does")

/* It needs the words and the class from above. */
#include <linux/scounter_inline.h>

/**
 * scounter_word32_add - count n events at once in a word of four bytes
 * @counter: the word
 * @class: its kind, accuracy and policy, the same in every call for this word
 * @n: how many; 0 changes nothing, 2^63 and above is refused: see scounter_add()
 *
 * The expected value grows by n exactly, in one step whatever n is (Steele &
 * Tristan 2017, section 8), until the end of the range.
 *
 * Context: Any context, NMI included.
 */
#define scounter_word32_add(counter, class, n) ({			\
	__SCOUNTER_REFUSE_NEGATIVE(n);					\
	__SCOUNTER_CHECK_WORD32(class);					\
	__scounter_word32_add(counter, class, n);			\
})

/**
 * scounter_word32_inc - count one event in a word of four bytes
 * @counter: the word
 * @class: its kind, accuracy and policy, the same in every call for this word
 *
 * The value grows by 2^k with probability 2^-k.  k is 0 at first and grows with the
 * count: at 1 % and a count of a million it is 7 or so.  The bfp kinds end at
 * (2^28 - 1) * 2^15, scalable32 at SCOUNTER_SCALABLE32_MAX.  There they saturate, or
 * begin again at 0 if the class says so.
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
	u32 outcome;

	__SCOUNTER_CHECK_WORD32(class);
	outcome = __scounter_word32_try_inc(counter, class, class->kind);
	if (unlikely(outcome))
		__scounter_word32_finish(counter, class, outcome);
}

/**
 * scounter_word64_add - count n events at once in a word of eight bytes
 * @counter: the word
 * @class: its kind, accuracy and policy, the same in every call for this word
 * @n: how many; 0 changes nothing, 2^63 and above is refused: see scounter_add()
 *
 * As scounter_word32_add(); exact kinds add n.
 *
 * Context: Any context, NMI included.
 */
#define scounter_word64_add(counter, class, n) ({			\
	__SCOUNTER_REFUSE_NEGATIVE(n);					\
	__SCOUNTER_CHECK_WORD64(class);					\
	__scounter_word64_add(counter, class, n);			\
})

/**
 * scounter_word64_inc - count one event in a word of eight bytes
 * @counter: the word
 * @class: its kind, accuracy and policy, the same in every call for this word
 *
 * If the class is a constant, the code of its kind is inlined.  Otherwise all of it is
 * out of line.
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

	__SCOUNTER_CHECK_WORD64(class);
	if (__builtin_constant_p(class->kind))
		outcome = __scounter_word64_try_inc(counter, class, class->kind);
	if (unlikely(outcome))
		__scounter_word64_finish(counter, class, outcome);
}

#endif /* _LINUX_SCOUNTER_WORD_H */

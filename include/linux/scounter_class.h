/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arithmetic of SCOUNTER_CLASS(): masks of kinds, and the thresholds and limits that
 * follow from a relative error.  All of it is constants.
 *
 * Example: 10000 ppm, 1 %, gives bfp_dup a Theta of 7500.  A counter that halves its
 * mantissa there has a relative variance of 3 / (4 * 7500 - 3), which is 0.01^2.
 *
 * Clients include <linux/scounter_word.h>.
 */
#ifndef _LINUX_SCOUNTER_CLASS_H
#define _LINUX_SCOUNTER_CLASS_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/log2.h>
#include <linux/types.h>
#include <uapi/linux/scounter.h>

#define SCOUNTER_EXACT_COMPONENTS_LOG2	2

#define __SCOUNTER_KIND(kind)						\
	((kind) == SCOUNTER_EXACT ? SCOUNTER_MULTILINE_ADAPT :		\
	 (kind) == SCOUNTER_APPROX ? SCOUNTER_BFP_CSUP : (kind))

#define __SCOUNTER_IS_CHOICE(kind)					\
	((kind) == SCOUNTER_EXACT || (kind) == SCOUNTER_APPROX)

/* 0 in a constant expression, or an error that says why not. */
#define __SCOUNTER_ZERO_UNLESS(condition, message)			\
	(0 * (int)sizeof(struct { _Static_assert(!(condition), message); char unused; }))

/* -1 of a signed type; @n may be a bit-field, which has no typeof(). */
#define __SCOUNTER_REFUSE_NEGATIVE(n)					\
	BUILD_BUG_ON_MSG(__builtin_constant_p(n) &&			\
			 (typeof((n) + 0))-1 < (typeof((n) + 0))1 && (s64)(n) < 0, \
			 "scounters are never decremented")

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

/* Masks of kinds.  Those of words have the kinds that can be embedded. */
_Static_assert(__SCOUNTER_KINDS < 32, "a mask of kinds has 31 bits");
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

/* bfp: Theta = 2M: 7500 for 1 % (Dice, Lev & Moir 2013, section 4.2). */
#define __SCOUNTER_THETA(ppm)						\
	((u32)((3ULL * SCOUNTER_PPM * SCOUNTER_PPM /			\
		((u64)(ppm) * (ppm)) + 3) / 8 * 2))

/* approx: the same with M rounded up, as it never has more than the error asked for. */
#define __SCOUNTER_APPROX_THETA(ppm)					\
	((u32)(((3ULL * SCOUNTER_PPM * SCOUNTER_PPM - 1) /		\
		((u64)(ppm) * (ppm)) + 11) / 8 * 2))

/* approx: log2 of the bound of its mantissa.  It counts exactly to a third of that. */
#define __SCOUNTER_BOUND_LOG2(ppm)					\
	(const_ilog2(__SCOUNTER_APPROX_THETA(ppm) - 1) + 1)

#define __SCOUNTER_APPROX_LIMIT(bound_log2)				\
	((((1U << (bound_log2)) - (2U << (bound_log2)) / 3 + 1) & ~1U) - 1)

/* morris: a = 1 / (2 error^2), rounded up: 5000 for 1 % (section 3.1). */
#define __SCOUNTER_MORRIS_A(ppm)					\
	((u32)((1ULL * SCOUNTER_PPM * SCOUNTER_PPM - 1) /		\
	       (2ULL * (ppm) * (ppm)) + 1))

/* log2 of the a + n that is sampled first: there an update adds less than 4. */
#define __SCOUNTER_MORRIS_LOG2(ppm)					\
	(const_ilog2(__SCOUNTER_MORRIS_A(ppm) - 1) + 2)

/*
 * scalable: the least threshold 2^s whose error is small enough.  In the limit
 * the relative standard deviation is that of bfp with Theta = 2^s, which is
 * sqrt(3 / (2^(s + 2) - 3)): 2^13 for 1 %.
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
		__SCOUNTER_APPROX_LIMIT(__SCOUNTER_BOUND_LOG2(ppm)) :	\
	 (kind) == SCOUNTER_BFP_CSUP ? SCOUNTER_BFP_MANTISSA_MAX :	\
	 __SCOUNTER_IS_MORRIS(kind) ?					\
		(1U << __SCOUNTER_MORRIS_LOG2(ppm)) - __SCOUNTER_MORRIS_A(ppm) : \
	 __SCOUNTER_IS_SCALABLE(kind) ? 1U << __SCOUNTER_THRESHOLD_LOG2(ppm) : 0)

/*
 * @asked may be a choice, SCOUNTER_EXACT or SCOUNTER_APPROX, and @kind_ what it stands
 * for.  A union takes one initializer, whichever of its members the kind means.
 */
#define __SCOUNTER_CLASS(kind_, asked, ppm) {				\
	.limit = __SCOUNTER_LIMIT(kind_, asked, ppm) +			\
		 __SCOUNTER_ZERO_UNLESS((ppm) < SCOUNTER_ERROR_PPM_MIN || \
					(ppm) > SCOUNTER_ERROR_PPM_MAX,	\
					"error must be 0 or 5000 to 200000 ppm"), \
	.theta = (asked) == SCOUNTER_APPROX ? __SCOUNTER_APPROX_THETA(ppm) : \
		 __SCOUNTER_IS_BFP(kind_) ? __SCOUNTER_THETA(ppm) :	\
		 __SCOUNTER_IS_MORRIS(kind_) ? __SCOUNTER_MORRIS_A(ppm) : 0, \
	.kind = (kind_),						\
	.threshold_log2 = __SCOUNTER_IS_MORRIS(kind_) ? __SCOUNTER_MORRIS_LOG2(ppm) : \
		 __SCOUNTER_IS_SCALABLE(kind_) ?			\
			__SCOUNTER_THRESHOLD_LOG2(ppm) :		\
		 (asked) == SCOUNTER_APPROX ? __SCOUNTER_BOUND_LOG2(ppm) : \
		 (asked) == SCOUNTER_EXACT ? SCOUNTER_EXACT_COMPONENTS_LOG2 : 0, \
	.flags = __SCOUNTER_IS_CHOICE(asked) ? SCOUNTER_CLASS_CHOSEN : 0, \
}

#define __SCOUNTER_PPM_OR_DEFAULT(ppm)	((ppm) ? (ppm) : SCOUNTER_ERROR_PPM_DEFAULT)

/* @kind is a constant.  Exact kinds take 0 only. */
#define __SCOUNTER_PPM_OF(kind, ppm)					\
	(__SCOUNTER_PPM_OR_DEFAULT(ppm) +				\
	 __SCOUNTER_ZERO_UNLESS((ppm) && !__SCOUNTER_IS_ONE_OF(__SCOUNTER_KIND(kind), \
							       __SCOUNTER_APPROX_KINDS), \
				"error must be 0: this kind is exact, or loses counts"))

#endif /* _LINUX_SCOUNTER_CLASS_H */

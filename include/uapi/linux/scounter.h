/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * What user space may know of scounter: the numbers of the kinds, the limits
 * of names, and how a counter word is laid out.  This file is the
 * specification: a number or a layout in it never changes its meaning.
 */
#ifndef _UAPI_LINUX_SCOUNTER_H
#define _UAPI_LINUX_SCOUNTER_H

#include <linux/types.h>

/* Bytes in the name of a counter or of a group, without the final NUL. */
#define SCOUNTER_NAME_MAX		63

/*
 * The kinds.  The last two are choices rather than kinds: a counter that is
 * created with one of them gets the kind that serves that wish best, and
 * reports that kind.
 */
enum scounter_kind {
	SCOUNTER_ATOMIC		= 1,	/* exact: one 64-bit atomic word */
	SCOUNTER_PERCPU		= 2,	/* exact: one word for each possible CPU */
	SCOUNTER_MULTILINE	= 3,	/* exact: one cache line for each NUMA node */
	SCOUNTER_BFP_DUP	= 4,	/* approximate: deterministic update policy */
	SCOUNTER_BFP_CSUP	= 5,	/* approximate: contention-sensitive policy */

	SCOUNTER_EXACT		= 256,	/* the best exact kind for hot counters */
	SCOUNTER_APPROX		= 257,	/* the best approximate kind */
};

/* States of a counter, or'ed together. */
#define SCOUNTER_F_SATURATED	(1U << 0) /* at its largest value: "at least" */
#define SCOUNTER_F_OVERFLOW	(1U << 1) /* added beyond 2^63 - 1, may have wrapped */
#define SCOUNTER_F_DECIMATING	(1U << 2) /* counts a random sample of the events */

/*
 * Relative errors are one relative standard deviation (the standard deviation
 * divided by the count) in parts per million.
 */
#define SCOUNTER_PPM			1000000U
#define SCOUNTER_ERROR_PPM_MIN		5000U	/* 0.5 % */
#define SCOUNTER_ERROR_PPM_MAX		200000U	/* 20 % */
#define SCOUNTER_ERROR_PPM_DEFAULT	10000U	/* 1 % */

/*
 * A bfp word (binary floating point; Dice, Lev & Moir 2013, section 4.1): the
 * exponent e in the upper 4 bits, the mantissa m in the lower 28.  The word
 * stands for the count m * 2^e, and an increment changes it with probability
 * 2^-e.  The word with all bits set is the saturated state.
 */
#define SCOUNTER_BFP_MANTISSA_BITS	28
#define SCOUNTER_BFP_EXPONENT_BITS	4
#define SCOUNTER_BFP_MANTISSA_MAX	((1U << SCOUNTER_BFP_MANTISSA_BITS) - 1)
#define SCOUNTER_BFP_EXPONENT_MAX	((1U << SCOUNTER_BFP_EXPONENT_BITS) - 1)
#define SCOUNTER_BFP_WORD_MAX		0xffffffffU

#endif /* _UAPI_LINUX_SCOUNTER_H */

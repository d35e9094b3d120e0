/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Non-negative real numbers below 2^64 as fixed point with 64 bits after the
 * point: what a cell stands for when q is no power of two.  They do not wrap:
 * what does not fit becomes the largest number.
 */
#ifndef _SCOUNTER_REPR_REAL_H
#define _SCOUNTER_REPR_REAL_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/types.h>

#include "base/draw.h"

struct scounter_real {
	u64 whole;
	u64 part;	/* in units of 2^-64 */
};

#define SCOUNTER_REAL_MAX	((struct scounter_real){ ~0ULL, ~0ULL })

static inline struct scounter_real scounter_real(u64 whole)
{
	return (struct scounter_real){ .whole = whole };
}

static inline bool scounter_real_is_zero(struct scounter_real a)
{
	return !(a.whole | a.part);
}

static inline bool scounter_real_less(struct scounter_real a, struct scounter_real b)
{
	return a.whole < b.whole || (a.whole == b.whole && a.part < b.part);
}

/* A sum of many, which may be larger than each: over * 2^64 + rest. */
struct scounter_wide {
	u64 over;
	struct scounter_real rest;
};

static inline void scounter_wide_add(struct scounter_wide *sum, struct scounter_real a)
{
	u64 part = sum->rest.part + a.part;
	u64 carry = part < a.part;
	u64 whole = sum->rest.whole + a.whole;

	sum->over += (whole < a.whole) + (whole + carry < whole);
	sum->rest = (struct scounter_real){ whole + carry, part };
}

static inline struct scounter_real scounter_wide_real(struct scounter_wide sum)
{
	return sum.over ? SCOUNTER_REAL_MAX : sum.rest;
}

/* Whether sum / n is 2^64 or more. */
static inline bool scounter_wide_beyond(struct scounter_wide sum, u32 n)
{
	return sum.over >= n;
}

/* sum / 2^shift, for a shift of less than 64. */
static inline struct scounter_wide scounter_wide_shifted(struct scounter_wide sum, u32 shift)
{
	u32 left = 64 - shift;

	if (!shift)
		return sum;
	return (struct scounter_wide){
		.over = sum.over >> shift,
		.rest.whole = sum.over << left | sum.rest.whole >> shift,
		.rest.part = sum.rest.whole << left | sum.rest.part >> shift,
	};
}

/* sum / n, cut off after 64 bits. */
static inline struct scounter_real scounter_wide_over(struct scounter_wide sum, u32 n)
{
	const u32 limbs[] = {
		upper_32_bits(sum.rest.whole), lower_32_bits(sum.rest.whole),
		upper_32_bits(sum.rest.part), lower_32_bits(sum.rest.part),
	};
	u32 quotient[ARRAY_SIZE(limbs)], rest, i;

	if (n == 1)
		return scounter_wide_real(sum);
	if (div_u64_rem(sum.over, n, &rest))
		return SCOUNTER_REAL_MAX;
	for (i = 0; i < ARRAY_SIZE(limbs); i++)
		quotient[i] = div_u64_rem((u64)rest << 32 | limbs[i], n, &rest);
	return (struct scounter_real){
		(u64)quotient[0] << 32 | quotient[1], (u64)quotient[2] << 32 | quotient[3]
	};
}

static inline struct scounter_real scounter_real_sum(struct scounter_real a,
						     struct scounter_real b)
{
	struct scounter_wide sum = { .rest = a };

	scounter_wide_add(&sum, b);
	return scounter_wide_real(sum);
}

/* a - b, which must not be negative. */
static inline struct scounter_real scounter_real_difference(struct scounter_real a,
							    struct scounter_real b)
{
	return (struct scounter_real){
		a.whole - b.whole - (a.part < b.part), a.part - b.part
	};
}

static inline struct scounter_real scounter_real_times(struct scounter_real a, u32 n)
{
	u64 low = (a.part & 0xffffffff) * n;
	u64 second = (a.part >> 32) * n + (low >> 32);
	u64 third = (a.whole & 0xffffffff) * n + (second >> 32);
	u64 high = (a.whole >> 32) * n + (third >> 32);

	if (high >> 32)
		return SCOUNTER_REAL_MAX;
	return (struct scounter_real){
		high << 32 | (third & 0xffffffff), second << 32 | (low & 0xffffffff)
	};
}

/* The 64 bits of a that begin at the highest bit of `scale`, which is not 0. */
static inline u64 scounter_real_bits(struct scounter_real a, struct scounter_real scale)
{
	int n = fls64(scale.whole);

	if (n == 64)
		return a.whole;
	if (n)
		return a.whole << (64 - n) | a.part >> n;
	return a.part << (64 - fls64(scale.part));
}

/*
 * floor(a / b) for a < b * 2^16, b >= 1: estimated with 47 bits of b or more,
 * then put right.
 */
static inline u32 scounter_real_quotient(struct scounter_real a, struct scounter_real b)
{
	u32 quotient;

	if (scounter_real_less(a, b))
		return 0;
	quotient = div64_u64(scounter_real_bits(a, a), scounter_real_bits(b, a));
	while (quotient && scounter_real_less(a, scounter_real_times(b, quotient)))
		quotient--;
	while (!scounter_real_less(a, scounter_real_times(b, quotient + 1)))
		quotient++;
	return quotient;
}

/* True with probability a / b, for a < b; exactly so where b is a power of two. */
static inline bool scounter_real_chance(struct scounter_real a, struct scounter_real b,
					struct rnd_state *rnd)
{
	if (scounter_real_is_zero(a))
		return false;
	return mul_u64_u64_shr(scounter_draw_u64(rnd), scounter_real_bits(b, b), 64) <
	       scounter_real_bits(a, b);
}

/* The largest k with 2^k <= a, for a >= 1. */
static inline u32 scounter_real_log2(struct scounter_real a)
{
	return fls64(a.whole) - 1;
}

/* True with probability 2^k / a, where k is that: what is left of 1 / a. */
static inline bool scounter_real_accept(struct scounter_real a, struct rnd_state *rnd)
{
	u64 bits = scounter_real_bits(a, a);

	return bits == 1ULL << 63 ||
	       mul_u64_u64_shr(scounter_draw_u64(rnd), bits, 64) < 1ULL << 63;
}

/* What is after the point. */
static inline struct scounter_real scounter_real_part(struct scounter_real a)
{
	return (struct scounter_real){ 0, a.part };
}

/* a as a whole number, rounded up. */
static inline u64 scounter_real_up(struct scounter_real a)
{
	return a.whole + (a.part && ~a.whole);
}

/* a as a whole number, rounded to the nearest. */
static inline u64 scounter_real_rounded(struct scounter_real a)
{
	return a.whole + (a.part >> 63 && ~a.whole);
}

#endif /* _SCOUNTER_REPR_REAL_H */

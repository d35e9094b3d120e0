/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Non-negative numbers m * 2^e with 64 bits of m, for variances: of one counter up
 * to 2^128, of a sum more.  What does not fit in m is cut off; a quotient is right to
 * 31 bits.
 */
#ifndef _SCOUNTER_REPR_SCALED_H
#define _SCOUNTER_REPR_SCALED_H

#include <linux/scounter_estimate.h>

#include "repr/bounds.h"
#include "repr/real.h"

static inline struct scounter_scaled scounter_scaled(u64 m, int e)
{
	u32 shift = 64 - fls64(m);

	if (!m)
		return (struct scounter_scaled){ 0 };
	return (struct scounter_scaled){ m << shift, e - (int)shift };
}

static inline struct scounter_scaled scounter_scaled_real(struct scounter_real a)
{
	int bits = a.whole ? fls64(a.whole) : fls64(a.part) - 64;

	if (scounter_real_is_zero(a))
		return (struct scounter_scaled){ 0 };
	return scounter_scaled(scounter_real_bits(a, a), bits - 64);
}

static inline struct scounter_scaled scounter_scaled_sum(struct scounter_scaled a,
							 struct scounter_scaled b)
{
	bool swapped = b.m && (!a.m || b.e > a.e);
	struct scounter_scaled high = swapped ? b : a, low = swapped ? a : b;
	int shift = high.e - low.e;
	u64 m;

	if (!low.m || shift > 63)
		return high;
	m = high.m + (low.m >> shift);
	if (m >= high.m)
		return (struct scounter_scaled){ m, high.e };
	return (struct scounter_scaled){ m >> 1 | 1ULL << 63, high.e + 1 };
}

static inline struct scounter_scaled scounter_scaled_product(struct scounter_scaled a,
							     struct scounter_scaled b)
{
	return scounter_scaled(mul_u64_u64_shr(a.m, b.m, 64), a.e + b.e + 64);
}

/* b is not 0 */
static inline struct scounter_scaled scounter_scaled_quotient(struct scounter_scaled a,
							      struct scounter_scaled b)
{
	return scounter_scaled(div64_u64(a.m, b.m >> 32), a.e - b.e - 32);
}

/* Rounded up; U64_MAX for what is more. */
static inline u64 scounter_scaled_whole(struct scounter_scaled a)
{
	if (!a.m)
		return 0;
	if (a.e > 0)
		return U64_MAX;
	if (a.e <= -64)
		return 1;
	return a.e ? ((a.m - 1) >> -a.e) + 1 : a.m;
}

/* The square root as a whole number, rounded up. */
static inline u64 scounter_scaled_root(struct scounter_scaled square)
{
	u32 shift = square.e & 1 ? 1 : 2;	/* to an even exponent */
	u64 m = (square.m >> shift) + !!(square.m & ((1U << shift) - 1));

	return scounter_scaled_whole(scounter_scaled(scounter_root_up(m),
						     (square.e + (int)shift) / 2));
}

#endif /* _SCOUNTER_REPR_SCALED_H */

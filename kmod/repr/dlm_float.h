/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DLM floating-point counters in narrow cells: an exponent above s bits of
 * mantissa without a hidden bit, f = (x % M) * 2^(x / M), M = 2^s, Q = 2^-(x / M).
 * Dice, Lev & Moir 2013, section 4; Steele & Tristan 2017, section 8.
 *
 * A mantissa that would reach Theta is halved, at the next exponent.  Here
 * additions obey Theta too: a state with a mantissa at or above Theta, as section
 * 8 would allow, has a tau that lowers f, and increments after it lose counts.
 * Only at the last exponent does the mantissa use all its bits.
 */
#ifndef _SCOUNTER_REPR_DLM_FLOAT_H
#define _SCOUNTER_REPR_DLM_FLOAT_H

#include <linux/minmax.h>

#include "repr/type.h"

/* The last state with so many bits whose f is below 2^64. */
static inline u32 scounter_dlm_float_top(u32 bits, u32 s)
{
	u32 exponent = min_t(u32, (1U << (bits - s)) - 1, 64 - s);

	return (exponent << s) + (1U << s) - 1;
}

static inline struct scounter_real scounter_dlm_float_f(u32 x, u32 s)
{
	return scounter_real((u64)(x & ((1U << s) - 1)) << (x >> s));
}

static inline u32 scounter_dlm_float_phi(const struct scounter_repr *repr,
					 struct scounter_real v)
{
	u32 s = repr->shift;
	u32 exponent = min_t(u32, fls64(div64_u64(v.whole, repr->type.theta)),
			     repr->top >> s);

	return (exponent << s) + (u32)(v.whole >> exponent);
}

static inline u32 scounter_dlm_float_tau(const struct scounter_repr *repr, u32 x)
{
	u32 s = repr->shift;

	if ((x & ((1U << s) - 1)) + 1 < repr->type.theta || x >> s == repr->top >> s)
		return x + 1;
	return (((x >> s) + 1) << s) + repr->type.theta / 2;
}

static inline struct scounter_real scounter_dlm_float_gap(u32 x, u32 s)
{
	return scounter_real(1ULL << (x >> s));
}

#endif /* _SCOUNTER_REPR_DLM_FLOAT_H */

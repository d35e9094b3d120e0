/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DLM probability counters in fixed point: the state is the probability itself,
 * p = 1 - x / 2^b for a cell x of b bits, so that a cleared cell has p = 1.
 * f = a * (1 / p - 1), a = 1 / (q - 1), Q = p.
 * Dice, Lev & Moir 2013, section 3; Steele & Tristan 2017, section 7.
 *
 * A success counts for 1 / p, which takes p to p / q.  That is rarely one of the
 * 2^b probabilities that a cell can hold, so that additions and increments alike
 * are rounded at random to one of the two beside it, which keeps the mean.  The
 * last state is p = 2^-b.  Where p has fewer than a units of 2^-b left, its steps
 * are coarser than q, and the variance grows beyond that of a Morris counter.
 */
#ifndef _SCOUNTER_REPR_DLM_PROBABILITY_H
#define _SCOUNTER_REPR_DLM_PROBABILITY_H

#include "repr/type.h"

/* dividend / divisor, both below 2^36: the part to 56 bits. */
static inline struct scounter_real scounter_dlm_ratio(u64 dividend, u64 divisor)
{
	u64 whole = div64_u64(dividend, divisor);
	u64 rest = (dividend - whole * divisor) << 28;
	u64 first = div64_u64(rest, divisor);

	rest = (rest - first * divisor) << 28;
	return (struct scounter_real){
		whole, first << 36 | div64_u64(rest, divisor) << 8
	};
}

/* a * (1 / p - 1) = x / ((q - 1) * (2^b - x)) */
static inline struct scounter_real
scounter_dlm_probability_f(const struct scounter_repr *repr, u32 x)
{
	u32 units = (1U << repr->type.bits) - x;

	return scounter_dlm_ratio((u64)x * SCOUNTER_REPR_MILLION,
				  (u64)units * (repr->type.q_ppm - SCOUNTER_REPR_MILLION));
}

static inline u32 scounter_dlm_probability_phi(const struct scounter_repr *repr,
					       struct scounter_real v)
{
	u32 low = 0, high = repr->top + 1;

	while (high - low > 1) {
		u32 middle = (low + high) / 2;

		if (scounter_real_less(v, scounter_dlm_probability_f(repr, middle)))
			high = middle;
		else
			low = middle;
	}
	return low;
}

static inline u32 scounter_dlm_probability_tau(u32 x)
{
	return x + 1;
}

static inline struct scounter_real
scounter_dlm_probability_gap(const struct scounter_repr *repr, u32 x)
{
	return scounter_real_difference(scounter_dlm_probability_f(repr, x + 1),
					scounter_dlm_probability_f(repr, x));
}

/*
 * Are the first steps so wide that rounding to them is not small?  Near p = 1 each event
 * adds up to f(1)^2 / 4 to the variance by rounding.  A Morris counter has (q - 1) n (n - 1)
 * / 2 after n events: a quarter of that is more from n = 2 on if f(1)^2 <= (q - 1) / 2.
 *
 * Example: at 7 bits and q = 1.01 the first state is 0.79 of an event, and one event has
 * a variance of 0.12 where a Morris counter has none.
 */
static inline bool scounter_dlm_probability_is_wide(const struct scounter_array_type *type)
{
	u64 d = type->q_ppm - SCOUNTER_REPR_MILLION, last = (1U << type->bits) - 1;

	/* f(1) = 10^6 / (last d), q - 1 = d / 10^6 */
	return d < SCOUNTER_REPR_MILLION &&
	       d * d * d < div64_u64(2000000000000000000ULL, last * last);
}

/* 1 / p */
static inline struct scounter_real
scounter_dlm_probability_worth(const struct scounter_repr *repr, u32 x)
{
	u32 all = 1U << repr->type.bits;

	return scounter_dlm_ratio(all, all - x);
}

#endif /* _SCOUNTER_REPR_DLM_PROBABILITY_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bounds of an unknown count: each is on the wrong side of the truth in at most
 * 0.135 % of all cases, as often as a normal variable is three standard deviations
 * or more above its mean.
 *
 * A counter that is incremented one by one has reached a state by the event n if and
 * only if its waiting time T for that state is at most n.  T is a sum of waits, one
 * for each update, geometrically distributed with the unit of that update as its
 * mean, so that the mean of T is the value of the state.  So the exact lower bound is
 * the 0.135 % quantile of T for the state that is seen, and the upper one the 99.865 %
 * quantile of T for the state after it.  A share of the *value* would be wrong: a
 * value that is too small would have an interval that is too narrow.
 *
 * Wilson & Hilferty: a power 1 / p of T is nearly normal, if p is right for the skewness
 * of T.  With s the relative standard deviation of T, the quantiles are
 *
 *	mean * (1 - s^2 (1 - 1 / p) / 2p -+ 3 s / p)^p.
 *
 * Where all units are equal, T has a gamma distribution and a skewness of 2 s: p = 3 is
 * exact enough.  Where they grow with the count, it is (8 / 3) s in a Morris counter and
 * 2.57 s to 2.86 s in those whose units double now and then: p = 9 fits the former, up to
 * 21 the latter.  The powers here are the ones on the safe side of that.
 *
 * Additions, merges and contention scatter less than increments do, so that what
 * holds for these holds for them (Documentation/accuracy.rst).
 *
 * Pure integer functions without kernel state, the same source in the kernel and in
 * user space.
 */
#ifndef _SCOUNTER_REPR_BOUNDS_H
#define _SCOUNTER_REPR_BOUNDS_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <uapi/linux/scounter.h>

/* Relative variances are in units of 10^-12, as errors are in parts per million. */
#define SCOUNTER_VARIANCE_ONE	((u64)SCOUNTER_PPM * SCOUNTER_PPM)

/* What is not known to be less. */
#define SCOUNTER_VARIANCE_MAX	(1000 * SCOUNTER_VARIANCE_ONE)

/* The powers p, for units that are equal and for those that grow. */
#define SCOUNTER_EQUAL_LOWER	3
#define SCOUNTER_EQUAL_UPPER	8
#define SCOUNTER_GROWN_LOWER	8
#define SCOUNTER_GROWN_UPPER	16
/* Of cells, whose relative variance is known without any slack. */
#define SCOUNTER_CELL_UPPER	24

static inline u32 scounter_root_up(u64 square)
{
	u64 root = int_sqrt64(square);

	return root + (root * root < square);
}

/* (1 - s^2 (1 - 1 / p) / 2p -+ 3 s / p)^p in units of 2^-32, rounded outwards; s <= 1. */
static inline u64 scounter_bound_factor(u64 square, u32 p, bool above)
{
	u64 mean = div64_u64(div_u64(square * (p - 1), 2 * p * p) << 24,
			     SCOUNTER_VARIANCE_ONE >> 8);
	u64 deviation = div_u64((3ULL * scounter_root_up(square)) << 32, p * SCOUNTER_PPM) + 1;
	u64 root = (1ULL << 32) - mean;
	u64 factor = 1ULL << 32;
	u32 i;

	if (!above && root <= deviation + 1)
		return 0;
	root = above ? root + deviation : root - deviation - 1;
	for (i = 0; i < p; i++)
		factor = mul_u64_u64_shr(factor, root, 32) + above;
	return factor;
}

/* Of the state that is seen: its value, and the relative variance of T. */
static inline u64 scounter_bound_below(u64 value, u64 square, u32 p)
{
	if (square > SCOUNTER_VARIANCE_ONE)
		return 0;
	return mul_u64_u64_shr(value, scounter_bound_factor(square, p, false), 32);
}

/* Of the state after it.  One event more is for waits of little more than 1. */
static inline u64 scounter_bound_above(u64 next, u64 square, u32 p)
{
	u64 factor;

	if (square > SCOUNTER_VARIANCE_ONE)
		return U64_MAX;
	factor = scounter_bound_factor(square, p, true);
	if (next >= div64_u64(U64_MAX, (factor >> 32) + 1))
		return U64_MAX;
	return mul_u64_u64_shr(next, factor, 32) + 1;
}

/*
 * The relative variance of a count of n when no event was counted with less than
 * probability 1 / unit, at most: (unit - 1) / n, rounded up.
 */
static inline u64 scounter_unit_variance(u64 unit, u64 n)
{
	u32 shift = max(fls64(unit) - 24, 0);

	if (unit == 1)
		return 0;
	unit = ((unit - 1) >> shift) + !!shift;
	n >>= shift;
	if (n <= div_u64(unit, 1000))
		return SCOUNTER_VARIANCE_MAX;
	return div64_u64(unit * SCOUNTER_VARIANCE_ONE - 1, n) + 1;
}

/*
 * The same of a value whose updates add @unit by now, and of which it is known
 * besides that the relative variance is @limit at most, whatever the count.
 */
static inline u64 scounter_lower_bound(u64 value, u64 unit, u64 limit)
{
	u64 square = scounter_unit_variance(unit, value);

	if (limit < square)
		return scounter_bound_below(value, limit, SCOUNTER_GROWN_LOWER);
	return scounter_bound_below(value, square, SCOUNTER_EQUAL_LOWER);
}

static inline u64 scounter_upper_bound(u64 value, u64 unit, u64 limit)
{
	u64 next = value + unit < value ? U64_MAX : value + unit;
	u64 square = scounter_unit_variance(unit, next);

	if (limit < square)
		return scounter_bound_above(next, limit, SCOUNTER_GROWN_UPPER);
	return scounter_bound_above(next, square, SCOUNTER_EQUAL_UPPER);
}

#endif /* _SCOUNTER_REPR_BOUNDS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The value itself as the counter: the estimator f is the identity.  An update
 * adds a unit that grows with the value, and is made with probability Q, one
 * over the unit: whatever whole number the unit is, the expected value grows by
 * exactly 1 an event, and no rounding is left that could bias it.
 *
 * scalable (Ayers 2023): the unit is 2^(h - s + 1), where h is the number of the
 * highest set bit and 2^s the threshold below which it is 1.
 *
 * morris (Dice, Lev & Moir 2013, section 3.2): the paper stores the probability
 * p, from which the projected value follows, n = a (1/p - 1).  Here n is stored,
 * from which p = a / (a + n) follows, and the unit is the whole part of
 * 1/p = 1 + n/a.  That is never more than 1/p: the variance that an event adds,
 * unit - 1 <= n/a, is at most that of the paper's chain, so that its bound
 * n(n - 1)/2a holds, too.  While the highest bit of a + n says that the unit is
 * below 4 at most, it is taken as 1: the first events need no random numbers.
 *
 * Pure integer functions without kernel state, the same source in the kernel and
 * in user space.
 */
#ifndef _SCOUNTER_REPR_VALUE_H
#define _SCOUNTER_REPR_VALUE_H

#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <uapi/linux/scounter.h>

#include "base/draw.h"

struct scounter_value_rule {
	u32 a;		/* of morris, else 0 */
	u8 shift;	/* scalable: s; morris: ceil(log2 a) + 1 */
	u8 cap;		/* scalable: the largest exponent */
	u64 max;	/* the end of the range */
};

/* morris: a = 1 / (2 error^2), rounded up, so that 1 / sqrt(2a) is kept. */
static inline u32 scounter_morris_a(u32 error_ppm)
{
	return DIV64_U64_ROUND_UP((u64)SCOUNTER_PPM * SCOUNTER_PPM,
				  2ULL * error_ppm * error_ppm);
}

/*
 * scalable: log2 of the least threshold 2^s, within its limits, for which the
 * error in the limit of large n, sqrt(3 / (2^(s + 2) - 3)), is small enough.
 */
static inline u32 scounter_threshold_log2(u32 error_ppm)
{
	u64 square = (u64)error_ppm * error_ppm;
	u32 s = SCOUNTER_THRESHOLD_LOG2_MIN;

	while (s < SCOUNTER_THRESHOLD_LOG2_MAX &&
	       ((4ULL << s) - 3) * square < 3ULL * SCOUNTER_PPM * SCOUNTER_PPM)
		s++;
	return s;
}

/* The k of the trial: the unit is from 2^k to below 4 * 2^k. */
static inline u32 scounter_value_exponent(u64 value,
					  const struct scounter_value_rule *rule)
{
	int exponent = fls64(value + rule->a) - rule->shift;

	return clamp(exponent, 0, (int)rule->cap);
}

static inline u64 scounter_value_unit(u64 value,
				      const struct scounter_value_rule *rule)
{
	u32 exponent = scounter_value_exponent(value, rule);

	if (!exponent || !rule->a)
		return 1ULL << exponent;
	return 1 + div64_u64(value, rule->a);
}

/*
 * What is left of an addition of n where an update adds at least a unit: n, or
 * the unit with probability n / unit.  With n = 2^k this is what a trial that
 * succeeded at 2^-k still has to survive.
 */
static inline u64 scounter_value_thin(u64 n, u64 unit, struct rnd_state *rnd)
{
	if (n >= unit)
		return n;
	return scounter_draw_chance(rnd, n, unit) ? unit : 0;
}

static inline u64 scounter_value_sum(u64 value, u64 n,
				     const struct scounter_value_rule *rule)
{
	return n > rule->max - value ? rule->max : value + n;
}

#endif /* _SCOUNTER_REPR_VALUE_H */

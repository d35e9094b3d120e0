/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sum of estimates that err independently of each other, and its bounds.
 *
 * Variances add.  Bounds do not: the sum of 100 lower bounds is 30 standard deviations
 * of the sum below it, not three.  And three standard deviations of the sum are not enough
 * above it: one that was estimated too small has a standard deviation that is too
 * small, and the errors are skewed.  So each distance between a value and its bound is
 * taken apart into three standard deviations s and a rest r:
 *
 *	upper - value = 3 s + r		value - lower = 3 s - r
 *
 * The quantile of a sum has a rest, too, which is the third cumulant over the variance but
 * for a factor (Cornish & Fisher).  Cumulants add as variances do, and r s^2 is one.  So
 * the rest of the sum is the sum of all r s^2 over the sum of all s^2.  What the wrong s
 * of a wrong value adds to the rest goes by the same sum.  Of one estimate, that gives
 * its own bounds; of many alike, a rest that is as large as that of one.
 *
 * Example: 100 counters that each read 1000 with an error of 20 % and units of 64 have
 * bounds of 525 and 1884 each.  Their sum is 100000 with an error of 2 %, and between
 * 94123 and 106285.
 *
 * Pure integer functions without kernel state, the same source in the kernel and in
 * user space.
 */
#ifndef _SCOUNTER_REPR_SUM_H
#define _SCOUNTER_REPR_SUM_H

#include <linux/minmax.h>
#include <linux/scounter_estimate.h>

#include "repr/scaled.h"

static inline u64 scounter_sum_saturating(u64 a, u64 b)
{
	return a > U64_MAX - b ? U64_MAX : a + b;
}

static inline struct scounter_scaled scounter_sum_deviation(u64 value, u32 error_ppm)
{
	return scounter_scaled_quotient(scounter_scaled_product(scounter_scaled(value, 0),
								scounter_scaled(error_ppm, 0)),
					scounter_scaled(SCOUNTER_PPM, 0));
}

/* A bound at so many standard deviations, three times @deviation, and @rest. */
static inline void scounter_sum_side_add(struct scounter_sum_side *side,
					 struct scounter_scaled deviation, u64 rest)
{
	struct scounter_scaled square = scounter_scaled_product(deviation, deviation);

	side->variance = scounter_scaled_sum(side->variance, square);
	side->skew = scounter_scaled_sum(side->skew,
					 scounter_scaled_product(square, scounter_scaled(rest, 0)));
}

static inline struct scounter_scaled scounter_sum_third(u64 distance)
{
	return scounter_scaled_quotient(scounter_scaled(distance, 0), scounter_scaled(3, 0));
}

static inline void scounter_sum_put(struct scounter_sum *sum,
				    const struct scounter_estimate *estimate)
{
	u64 below = estimate->value - min(estimate->lower, estimate->value);
	u64 above = estimate->upper - min(estimate->value, estimate->upper);
	/* Beyond one standard deviation that is the value, all lower bounds are 0. */
	u32 most = min(estimate->error_ppm, SCOUNTER_PPM);
	struct scounter_scaled deviation = scounter_sum_deviation(estimate->value, most);
	u64 three = scounter_scaled_whole(scounter_scaled_product(deviation, scounter_scaled(3, 0)));
	struct scounter_scaled whole = scounter_sum_deviation(estimate->value, estimate->error_ppm);

	if (estimate->value > U64_MAX - sum->value)
		sum->flags |= SCOUNTER_F_SATURATED;
	sum->value = scounter_sum_saturating(sum->value, estimate->value);
	sum->flags |= estimate->flags;
	sum->error_ppm = max(sum->error_ppm, estimate->error_ppm);
	sum->variance = scounter_scaled_sum(sum->variance, scounter_scaled_product(whole, whole));
	sum->below.bounds = scounter_sum_saturating(sum->below.bounds, estimate->lower);
	sum->above.bounds = scounter_sum_saturating(sum->above.bounds, estimate->upper);

	/* Rounded so that each bound is farther away. */
	if (below < three)
		scounter_sum_side_add(&sum->below, deviation, three - below - 1);
	else
		scounter_sum_side_add(&sum->below, scounter_sum_third(below), 0);
	/* A rest of more than that is no skewness that could be small in a sum. */
	if (above >= three && above - three <= three)
		scounter_sum_side_add(&sum->above, deviation, above - three + 1);
	else
		scounter_sum_side_add(&sum->above, scounter_sum_third(above), 0);
}

/* Three standard deviations of a side, rounded up. */
static inline u64 scounter_sum_three(const struct scounter_sum_side *side)
{
	return scounter_scaled_root(scounter_scaled_product(side->variance,
							    scounter_scaled(9, 0)));
}

/* Rounded up. */
static inline u64 scounter_sum_rest(const struct scounter_sum_side *side)
{
	if (!side->variance.m)
		return 0;
	return scounter_scaled_whole(scounter_scaled_quotient(side->skew, side->variance));
}

/* No sum is relatively less exact than the least exact of what is summed. */
static inline u32 scounter_sum_error(const struct scounter_sum *sum)
{
	struct scounter_scaled value = scounter_scaled(sum->value, 0), square;
	u64 ppm;

	if (!sum->value || !sum->error_ppm)
		return sum->error_ppm;
	square = scounter_scaled_quotient(scounter_scaled_quotient(sum->variance, value), value);
	ppm = scounter_scaled_root(scounter_scaled_product(square,
							   scounter_scaled(SCOUNTER_VARIANCE_ONE, 0)));
	return max_t(u64, 1, min_t(u64, ppm, sum->error_ppm));
}

static inline void scounter_sum_get(const struct scounter_sum *sum,
				    struct scounter_estimate *estimate)
{
	u64 three = scounter_sum_three(&sum->below), rest = scounter_sum_rest(&sum->below);
	u64 below = three - min(rest ? rest - 1 : 0, three);
	u64 above = scounter_sum_saturating(scounter_sum_three(&sum->above),
					    scounter_sum_rest(&sum->above));

	*estimate = (struct scounter_estimate) {
		.value = sum->value,
		/* The truth is as seldom beyond the sum of all bounds, or more seldom. */
		.lower = max(sum->value - min(below, sum->value), sum->below.bounds),
		.upper = min(scounter_sum_saturating(sum->value, above), sum->above.bounds),
		.error_ppm = scounter_sum_error(sum),
		.flags = sum->flags,
	};
	if (sum->flags & SCOUNTER_F_SATURATED || sum->above.bounds == U64_MAX)
		estimate->upper = U64_MAX;
}

#endif /* _SCOUNTER_REPR_SUM_H */

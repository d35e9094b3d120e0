/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums over many counters, and how far they may be off.
 *
 * What is summed is f, which is unbiased, not what a read of a counter rounds it to.
 * Cells err independently of each other, so that their variances add.  That of a cell
 * is not known, as it depends on n.  It is at most xi n (n - 1) + 1 / 4, and
 *
 *	xi / (1 + xi) f (f - 1) + 1 / 4
 *
 * is at least as much in the mean: E[f^2] is n^2 plus the variance.  For a Morris
 * counter that is incremented the first part has the very variance as its mean.
 */
#ifndef _SCOUNTER_REPR_TOTAL_H
#define _SCOUNTER_REPR_TOTAL_H

#include "repr/estimate.h"

#define SCOUNTER_TRILLION	1000000000000ULL

struct scounter_total {
	struct scounter_wide sum;	/* of f over all cells */
	struct scounter_scaled variance;	/* of that */
	u64 largest;			/* as in struct scounter_gathered */
	u64 xi;				/* that of `share`, xi / (1 + xi) */
	struct scounter_scaled share;
};

static inline struct scounter_scaled scounter_spread(struct scounter_total *total,
						     struct scounter_real f, u64 xi)
{
	struct scounter_scaled square = scounter_scaled_real(f);

	/* Most cells of an array have the same. */
	if (xi != total->xi) {
		total->xi = xi;
		total->share = scounter_scaled_quotient(scounter_scaled(xi, 0),
							scounter_scaled(SCOUNTER_TRILLION + xi, 0));
	}
	if (f.whole)
		f.whole--;
	else
		f.part = 0;
	square = scounter_scaled_product(square, scounter_scaled_real(f));
	return scounter_scaled_sum(scounter_scaled_product(square, total->share),
				   scounter_scaled(1, -2));
}

/* One cell of one copy more. */
static inline void scounter_total_cell(struct scounter_total *total,
				       const struct scounter_cells *cells, u64 word, u32 bit,
				       u32 mixed_ppm)
{
	struct scounter_gathered one = { 0 };
	struct scounter_scaled more;
	u64 xi;

	scounter_gather_cell(&one, cells, word, bit);
	if (scounter_real_is_zero(one.sum.rest))
		return;
	scounter_wide_add(&total->sum, one.sum.rest);
	total->largest = max_t(u64, total->largest, one.largest);
	more = one.variance;
	xi = max_t(u64, one.xi, (u64)mixed_ppm * mixed_ppm);
	if (cells->repr.type.kind == SCOUNTER_REPR_SHARED ? mixed_ppm : mixed_ppm || one.decimating)
		more = scounter_scaled_sum(more, scounter_spread(total, one.sum.rest, xi));
	total->variance = scounter_scaled_sum(total->variance, more);
}

/* The sum over the counters, each the mean of a group. */
static inline struct scounter_real scounter_total_sum(const struct scounter_total *total,
						      u32 group)
{
	return scounter_wide_over(total->sum, group);
}

static inline struct scounter_scaled scounter_total_variance(const struct scounter_total *total,
							     u32 group)
{
	return scounter_scaled_quotient(total->variance, scounter_scaled((u64)group * group, 0));
}

static inline struct scounter_array_value scounter_value_of(struct scounter_real real)
{
	return (struct scounter_array_value){ real.whole, real.part >> 32 };
}

static inline void scounter_total_of(const struct scounter_total *total, u32 group,
				     u64 lost_from, struct scounter_array_total *sum)
{
	struct scounter_real value = scounter_total_sum(total, group);
	bool lacks = scounter_may_lack(lost_from, total->largest) || !~value.whole;
	u64 half, upper;

	sum->value = scounter_value_of(value);
	sum->deviation = scounter_scaled_root(scounter_total_variance(total, group));
	sum->flags = lacks ? SCOUNTER_F_SATURATED : 0;

	half = sum->deviation > U64_MAX / 3 ? U64_MAX : 3 * sum->deviation;
	upper = value.whole + !!value.part + half;
	sum->lower = value.whole > half ? value.whole - half : 0;
	sum->upper = lacks || upper < half ? U64_MAX : upper;
}

#endif /* _SCOUNTER_REPR_TOTAL_H */

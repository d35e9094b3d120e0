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
 *
 * Where events were counted with probability 1 / unit, f (unit - 1) comes to that.
 * Counters that read 0 have no part in it, but may hide events: once more, a sum may
 * lack the next one that would have been counted.
 */
#ifndef _SCOUNTER_REPR_TOTAL_H
#define _SCOUNTER_REPR_TOTAL_H

#include "repr/estimate.h"

#define SCOUNTER_TRILLION	1000000000000ULL

struct scounter_total {
	struct scounter_wide sum;	/* of f over all cells */
	struct scounter_scaled variance;	/* of that */
	u64 largest;			/* as in struct scounter_cell_total */
	u64 xi;				/* that of `share`, xi / (1 + xi) */
	struct scounter_scaled share;
	u64 unit;			/* the largest, see struct scounter_known */
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

static inline u64 scounter_total_unit(const struct scounter_cell_total *one,
				      const struct scounter_known *known, bool shared)
{
	if (shared)
		return 1ULL << scounter_known_level(known, one->level);
	/* An event that was less than 1 in another type may have become 0. */
	return max_t(u64, max(known->unit, scounter_real_up(one->first)), known->mixed_ppm ? 2 : 1);
}

/*
 * unit - 1, for what a cell stands for.  A cell of a shared level has what it was
 * counted with at worst, that of its word.
 */
static inline struct scounter_scaled scounter_total_rest(const struct scounter_cell_total *one,
							 const struct scounter_known *known,
							 bool shared)
{
	struct scounter_real own = one->first;

	if (shared)
		own = scounter_real(1ULL << one->level);
	if (own.whole < known->unit)
		own = scounter_real(known->unit);
	return scounter_scaled_real(scounter_real_difference(own, scounter_real(1)));
}

/* As scounter_rest_variance(), of one cell. */
static inline struct scounter_scaled
scounter_total_roundings(const struct scounter_cell_total *one, const struct scounter_known *known,
			 u64 mixed)
{
	struct scounter_scaled one_trillion = scounter_scaled(SCOUNTER_TRILLION, 0);
	struct scounter_scaled xi = scounter_scaled(max(one->xi, mixed), 0);
	struct scounter_scaled each = scounter_scaled_sum(scounter_scaled(1, -2),
		scounter_scaled_product(scounter_scaled_quotient(xi, one_trillion),
					scounter_scaled_real(one->sum.rest)));

	return scounter_scaled_product(each, scounter_scaled(known->roundings < 2 ? 0 :
							     known->roundings - 1, 0));
}

/* One cell of one copy more. */
static inline void scounter_total_cell(struct scounter_total *total,
				       const struct scounter_cells *cells, u64 word, u32 bit,
				       const struct scounter_known *known)
{
	bool shared = cells->repr.type.kind == SCOUNTER_REPR_SHARED;
	u64 mixed = scounter_mixed_variance(known->mixed_ppm);
	struct scounter_cell_total one = { 0 };
	struct scounter_scaled more;

	scounter_cell_total_add(&one, cells, word, bit);
	total->unit = max(total->unit, scounter_total_unit(&one, known, shared));
	if (scounter_real_is_zero(one.sum.rest))
		return;
	scounter_wide_add(&total->sum, one.sum.rest);
	total->largest = max_t(u64, total->largest, one.largest);
	more = scounter_scaled_product(scounter_scaled_real(one.sum.rest),
				       scounter_total_rest(&one, known, shared));
	if (mixed || (!shared && one.sampling))
		more = scounter_scaled_sum(more, scounter_spread(total, one.sum.rest,
								 max_t(u64, one.xi, mixed)));
	if (mixed && !shared)
		more = scounter_scaled_sum(more, scounter_total_roundings(&one, known, mixed));
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
	struct scounter_scaled unit = scounter_scaled(total->unit > 1 ? total->unit : 0, 0);
	struct scounter_scaled variance = scounter_scaled_sum(total->variance,
							      scounter_scaled_product(unit, unit));

	return scounter_scaled_quotient(variance, scounter_scaled((u64)group * group, 0));
}

static inline struct scounter_array_value scounter_value_of(struct scounter_real real)
{
	return (struct scounter_array_value){ real.whole, real.part >> 32 };
}

static inline void scounter_total_of(const struct scounter_total *total, u32 group,
				     u64 lost_from, struct scounter_array_total *sum)
{
	struct scounter_real value = scounter_total_sum(total, group);
	bool lacks = scounter_may_lack(lost_from, total->largest) ||
		     scounter_wide_beyond(total->sum, group);
	u64 half, upper;

	sum->value = scounter_value_of(value);
	sum->deviation = scounter_scaled_root(scounter_total_variance(total, group));
	sum->flags = lacks ? SCOUNTER_F_SATURATED : 0;

	half = sum->deviation > U64_MAX / 3 ? U64_MAX : 3 * sum->deviation;
	upper = value.whole + !!value.part + half;
	sum->lower = value.whole > half ? value.whole - half : 0;
	sum->upper = lacks || upper < half ? U64_MAX : upper;
	if (total->unit > 1) {
		sum->lower = min_t(u64, sum->lower,
				   scounter_lower_bound(value.whole, total->unit, U64_MAX));
		sum->upper = max_t(u64, sum->upper,
				   scounter_upper_bound(value.whole, total->unit, U64_MAX));
	}
}

#endif /* _SCOUNTER_REPR_TOTAL_H */

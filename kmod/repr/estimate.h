/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the cells of a counter to what a read promises.
 *
 * A counter is the mean of a group of cells, each of which may be in several
 * copies: sum the copies, divide by the group.  The cells count independently of
 * each other, so that the variance of the mean is a group's part of theirs; the
 * sum of independent copies has at most the relative variance of one.
 */
#ifndef _SCOUNTER_REPR_ESTIMATE_H
#define _SCOUNTER_REPR_ESTIMATE_H

#include <linux/kernel.h>
#include <uapi/linux/scounter.h>

#include "repr/bounds.h"
#include "repr/cells.h"
#include "repr/scaled.h"

struct scounter_cell_total {
	struct scounter_wide sum;	/* of f */
	struct scounter_real gap;	/* the largest, to the state after a cell's */
	u64 xi;				/* the largest, see scounter_repr_xi() */
	u64 largest;			/* f of a cell, without its part */
	struct scounter_real first;	/* what the first update adds */
	u32 cells;
	u32 certain;			/* events at least, if sampling */
	u32 level;			/* SCOUNTER_REPR_SHARED: the highest of a word */
	bool sampling;
};

/* What is said of all cells of an array. */
struct scounter_known {
	u32 copies;
	u32 level;			/* SCOUNTER_REPR_SHARED: of new samples */
	u32 mixed_ppm;			/* error of what other types brought, at most */
	u64 lost_from;			/* see scounter_may_lack() */
	/*
	 * Events that have been merged into the array were counted with probability
	 * 1 / unit or more: a cell of 0 may stand for some.  0 and 1 say nothing.
	 */
	u64 unit;
	u32 roundings;			/* from type to type, one after the other, at most */
};

/* SCOUNTER_REPR_SHARED: the level of a sample of which a word is said to have @level. */
static inline u32 scounter_known_level(const struct scounter_known *known, u32 level)
{
	u32 hidden = known->unit ? fls64(known->unit) - 1 : 0;

	return max_t(u32, level, max_t(u32, known->level, hidden));
}

/* All events of an array were counted with probability one over this, or more. */
static inline u64 scounter_known_unit(const struct scounter_known *known,
				      const struct scounter_repr *repr)
{
	if (repr->type.kind == SCOUNTER_REPR_SHARED)
		return 1ULL << scounter_known_level(known, 0);
	return max(known->unit, scounter_real_up(scounter_repr_first(repr)));
}

static inline void scounter_cell_total_gap(struct scounter_cell_total *total,
				       struct scounter_real gap)
{
	if (scounter_real_less(total->gap, gap))
		total->gap = gap;
}

static inline void scounter_cell_total_add(struct scounter_cell_total *total,
					const struct scounter_cells *cells, u64 word, u32 bit)
{
	const struct scounter_repr *repr = &cells->repr;
	struct scounter_real f = scounter_cells_f(cells, word, bit);
	u32 x = scounter_cells_state(cells, word, bit);
	u32 level;

	scounter_wide_add(&total->sum, f);
	total->largest = max_t(u64, total->largest, f.whole);
	total->cells++;
	if (repr->type.kind == SCOUNTER_REPR_SHARED) {
		level = scounter_shared_level(word);
		total->level = max_t(u32, total->level, level);
		total->sampling |= level > 0;
		return;
	}
	/* A count that belongs to the next state is seen in this one, too. */
	total->xi = max_t(u64, total->xi, scounter_repr_xi(repr, min(x + 1, repr->top)));
	total->first = scounter_repr_first(repr);
	total->certain = scounter_repr_exact(repr);
	total->sampling |= x >= total->certain;
	if (x >= repr->top) {
		total->gap = SCOUNTER_REAL_MAX;
		return;
	}
	/* A DLM probability counter may pass states. */
	scounter_cell_total_gap(total, scounter_repr_gap(repr, x));
	scounter_cell_total_gap(total, scounter_repr_worth(repr, x));
}

/*
 * The mean of a group fits in 64 bits where the sum of its cells may not.  Bounds are made
 * in units of 2^shift events then.
 */
static inline u32 scounter_estimate_shift(const struct scounter_cell_total *total, u32 group)
{
	struct scounter_wide sum = total->sum;

	return sum.over || (group > 1 && sum.rest.whole >> 62) ? fls64(sum.over) + 4 : 0;
}

static inline struct scounter_real scounter_real_shifted(struct scounter_real a, u32 shift)
{
	return scounter_wide_shifted((struct scounter_wide){ .rest = a }, shift).rest;
}

/* A unit of events in these, rounded up. */
static inline u64 scounter_unit_shifted(u64 unit, u32 shift)
{
	return shift && unit ? ((unit - 1) >> shift) + 1 : unit;
}

/* What the bounds of the sum over a group are made of. */
struct scounter_spread {
	u64 below, above;	/* relative variance of the state, and of the one after it */
	u64 next;		/* the sum after one update more */
	u64 first;		/* what the first update adds */
	u32 least;		/* events that are certain */
	u32 lower, upper;	/* the powers of bounds.h */
};

/*
 * One level: all events were counted with probability 2^-level or more.  A word may
 * be behind the array, whose trials its counters have to survive.
 */
static inline struct scounter_spread
scounter_shared_spread(u64 sum, u32 level, u32 shift)
{
	u64 unit = scounter_unit_shifted(1ULL << min_t(u32, level, 63), shift);
	struct scounter_spread spread = {
		.next = sum + unit,
		.least = !!sum,
		.lower = SCOUNTER_EQUAL_LOWER,
		.upper = SCOUNTER_EQUAL_UPPER,
	};

	if (spread.next < unit)
		spread.next = U64_MAX;
	spread.below = scounter_unit_variance(unit, sum);
	spread.above = scounter_unit_variance(unit, spread.next);
	return spread;
}

/*
 * What is known of a cell's count n is better than its value is: with V the value,
 * Var(V) / n^2 is xi at most, while the waiting time for a state has at most
 *
 *	(q^2 - 1) / 4 q m = xi (q + 1) / 2 q,
 *
 * which is at the state q m / (q + 1) of a rung.  The rest is the distance between states,
 * about 1 / m of the difference where a rung has m of them.  A single cell is bounded by
 * the next state in its place; in the mean of many cells, all of that adds up.
 */
static inline u64 scounter_group_variance(const struct scounter_cell_total *total,
					  const struct scounter_array_type *type)
{
	u64 waiting = div_u64(total->xi * (type->q_ppm + SCOUNTER_REPR_MILLION),
			      2 * type->q_ppm);
	u32 m = type->kind == SCOUNTER_REPR_DLM_FLOAT ? type->theta / 2 : type->m;
	u64 rest = div_u64(total->xi - waiting, m);

	if (type->kind == SCOUNTER_REPR_DLM_PROBABILITY)
		return total->xi;
	return waiting + rest - div_u64(rest, total->cells) + 1;
}

/* A broken snapshot may have any number there. */
static inline u64 scounter_mixed_variance(u32 mixed_ppm)
{
	return min_t(u64, (u64)mixed_ppm * mixed_ppm, SCOUNTER_VARIANCE_MAX);
}

/*
 * A rounding to states that are 2 xi f + 1 apart adds xi^2 f^2 + xi f + 1 / 4 at most.
 * The first part is in @variance, which is at least xi, and so are the others of the
 * first rounding, as a count of n has only xi n (n - 1) before.  What they are of the
 * later ones, for the sum over a group.
 */
static inline u64 scounter_rest_variance(const struct scounter_known *known, u64 variance,
					 u64 sum, u32 group)
{
	u64 each;

	if (!known->mixed_ppm || known->roundings < 2 || !sum)
		return 0;
	each = div64_u64(div64_u64(SCOUNTER_VARIANCE_ONE / 4 * group, sum), sum) +
	       div64_u64(variance, sum) + 2;
	return (known->roundings - 1) * each;
}

/* n more by a share of itself, in 10^-12. */
static inline u64 scounter_widen(u64 n, u64 share)
{
	u64 more = mul_u64_u64_shr(n, div64_u64(share << 12, SCOUNTER_VARIANCE_ONE) + 1, 12);

	return more > U64_MAX - n ? U64_MAX : n + more;
}

static inline struct scounter_spread
scounter_group_spread(const struct scounter_cell_total *total, struct scounter_real sum, u32 shift,
		      const struct scounter_array_type *type, const struct scounter_known *known)
{
	u64 variance = scounter_group_variance(total, type);
	u64 mixed = scounter_mixed_variance(known->mixed_ppm);
	u64 unit = max(scounter_real_up(total->first), known->unit);
	u64 first = scounter_unit_shifted(unit, shift);
	struct scounter_real next = SCOUNTER_REAL_MAX;
	bool foreign = mixed || known->unit > 1;
	u64 mean;

	if (~total->gap.whole)
		next = scounter_real_sum(sum, scounter_real_shifted(total->gap, shift));
	/* The states of the other type are up to unit + 2 xi n apart. */
	if (known->unit > 1)
		next = scounter_real_sum(next, scounter_real(first));
	if (mixed) {
		variance = max(mixed, total->xi);
		next.whole = scounter_widen(next.whole, 2 * mixed);
	}
	mean = div_u64(variance, type->group) + 1;
	return (struct scounter_spread) {
		.first = first,
		.below = mean + scounter_unit_variance(first, sum.whole) +
			 scounter_rest_variance(known, variance, sum.whole, type->group),
		.above = mean + scounter_unit_variance(first, next.whole) +
			 scounter_rest_variance(known, variance, next.whole, type->group),
		/* Only an event makes a cell leave 0. */
		.least = foreign ? !scounter_real_is_zero(sum) : total->certain,
		.next = scounter_real_up(next),
		/* Of steps that are equal at first, the one that is further off. */
		.lower = first > 1 ? SCOUNTER_EQUAL_LOWER : SCOUNTER_GROWN_LOWER,
		.upper = SCOUNTER_CELL_UPPER,
	};
}

/* sum * 2^shift over the group; one more of the next, less one, is above all below it. */
static inline u64 scounter_mean(u64 sum, u32 shift, u32 group, bool up)
{
	struct scounter_wide wide = { .rest.whole = sum };
	struct scounter_real mean;

	if (shift) {
		sum += up;
		wide = (struct scounter_wide){ sum >> (64 - shift), { sum << shift, 0 } };
	}
	mean = scounter_wide_over(wide, group);
	return up ? scounter_real_up(mean) : mean.whole;
}

static inline void scounter_estimate_bounds(struct scounter_array_estimate *estimate, u64 sum,
					    u32 shift, const struct scounter_spread *spread,
					    u32 group)
{
	u64 lower = scounter_bound_below(sum, spread->below, spread->lower);
	u64 upper = scounter_bound_above(spread->next, spread->above, spread->upper);

	estimate->lower = max(scounter_mean(lower, shift, group, false),
			      min_t(u64, spread->least, estimate->value));
	estimate->upper = upper == U64_MAX ? U64_MAX : scounter_mean(upper, shift, group, true);
}

/* A full cell is below 2^64 at any level. */
static inline u64 scounter_shared_deviation(const struct scounter_array_type *type, u32 copies,
					    u32 level)
{
	u64 most = (u64)copies << min(type->bits, 64 - level);

	u32 root = scounter_root_up(div_u64(most, type->group) + 1);

	return scounter_scaled_whole(scounter_scaled(root, level));
}

static inline void scounter_estimate_of(const struct scounter_cell_total *total,
					const struct scounter_array_type *type,
					const struct scounter_known *known,
					struct scounter_array_estimate *estimate)
{
	bool shared = type->kind == SCOUNTER_REPR_SHARED;
	bool lacks = scounter_may_lack(known->lost_from, total->largest) ||
		     scounter_wide_beyond(total->sum, type->group);
	u32 shift = scounter_estimate_shift(total, type->group);
	struct scounter_real sum = scounter_wide_shifted(total->sum, shift).rest;
	u64 value = scounter_real_rounded(scounter_wide_over(total->sum, type->group));
	u64 mixed = scounter_mixed_variance(known->mixed_ppm);
	u32 level = scounter_known_level(known, total->level);
	bool sampling = shared ? level : total->sampling;
	struct scounter_spread spread;
	u64 square;

	*estimate = (struct scounter_array_estimate){
		.value = value, .lower = value, .upper = value,
	};
	if (shared) {
		spread = scounter_shared_spread(sum.whole, level, shift);
		spread.below = max(spread.below, mixed);
		spread.above = max(spread.above, mixed);
		square = spread.below;
	} else {
		spread = scounter_group_spread(total, sum, shift, type, known);
		square = max(total->xi, mixed);
		square = div_u64(square, type->group) +
			 scounter_rest_variance(known, square, sum.whole, type->group) +
			 scounter_unit_variance(spread.first, sum.whole);
	}
	if (shared && level)
		estimate->additive = scounter_shared_deviation(type, known->copies, level);
	if (sampling || mixed || known->unit > 1) {
		estimate->error_ppm = scounter_root_up(square);
		scounter_estimate_bounds(estimate, sum.whole, shift, &spread, type->group);
	}
	estimate->flags = (lacks ? SCOUNTER_F_SATURATED : 0) |
			  (sampling ? SCOUNTER_F_SAMPLING : 0);
	if (lacks)
		estimate->upper = U64_MAX;
}

/* Of what is scattered by @a and is then scattered by @b: (1 + a) (1 + b) - 1. */
static inline u64 scounter_variance_product(u64 a, u64 b)
{
	u64 both = (div_u64(a, SCOUNTER_PPM) + 1) * (div_u64(b, SCOUNTER_PPM) + 1);

	return min_t(u64, a + b + both, SCOUNTER_VARIANCE_MAX);
}

/*
 * What a cell brings to `into` by a merge as relative error, at most, beyond what
 * is said of that type's own cells: that which it has, and for another type that of
 * the rounding to its states.  @same: it comes from the same type; @mixed_ppm: what its
 * array has from others.
 *
 * The largest that was brought is that of all.  Let x be in a cell and z be brought,
 * with relative variances of T at most.  Those of their sum are T (x^2 + z^2) and what
 * rounding adds.  That is 2 xi x z + 1 / 4 at most while z is below x; beyond that it is
 * no more than it was when z alone was rounded.  So it is T (x + z)^2 in all, if T is
 * at least xi and has the rounding of z in it.
 */
static inline u32 scounter_brought_ppm(const struct scounter_cell_total *cell, bool same,
				       u32 mixed_ppm, const struct scounter_repr *into)
{
	u64 variance = scounter_mixed_variance(mixed_ppm);

	if (same || into->type.kind == SCOUNTER_REPR_SHARED)
		return mixed_ppm;
	if (cell->sampling)
		variance = max(variance, cell->xi);
	/* Exact counts are rounded as those of the type itself are. */
	if (!variance)
		return 0;
	return scounter_root_up(scounter_variance_product(variance,
		scounter_repr_rounding(into, scounter_wide_real(cell->sum))));
}

#define SCOUNTER_ROUNDINGS_MAX	1000U

/* How often what it brings has been rounded then. */
static inline u32 scounter_brought_roundings(const struct scounter_known *known, bool same)
{
	return min_t(u32, known->roundings, SCOUNTER_ROUNDINGS_MAX - 1) + !same;
}

/*
 * The unit that an array of @from brings to one of @into, whose own first step may be
 * wide, too: to round what has wide steps to others adds as much again.
 */
static inline u64 scounter_brought_unit(const struct scounter_repr *from,
					const struct scounter_known *known, bool same,
					const struct scounter_repr *into)
{
	u64 unit = scounter_known_unit(known, from);

	if (from->type.kind == SCOUNTER_REPR_SHARED)
		return unit;
	if (same || unit <= 1)
		return known->unit;
	/* A broken snapshot may have any number there. */
	unit = min_t(u64, unit, 1ULL << 62);
	/* xi / 4 is no less than what scounter_repr_rounding() says; of 2, it is nothing. */
	unit += mul_u64_u64_shr(unit - 1, div64_u64(scounter_repr_xi(into, into->top) << 22,
						    SCOUNTER_VARIANCE_ONE), 24) + (unit > 2);
	return unit + scounter_real_up(scounter_repr_first(into)) - 1;
}

#endif /* _SCOUNTER_REPR_ESTIMATE_H */

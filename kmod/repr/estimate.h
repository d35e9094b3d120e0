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

#include "bounds.h"
#include "cells.h"

struct scounter_gathered {
	struct scounter_real sum;	/* of f */
	struct scounter_real gap;	/* the largest, to the state after a cell's */
	u64 xi;				/* the largest, see scounter_repr_xi() */
	u64 first;			/* what the first update adds, rounded up */
	u32 cells;
	u32 certain;			/* events at least, if decimating */
	u32 level;			/* SCOUNTER_REPR_SHARED: the highest */
	bool saturated;
	bool decimating;
};

static inline void scounter_gather_gap(struct scounter_gathered *gathered,
				       struct scounter_real gap)
{
	if (scounter_real_less(gathered->gap, gap))
		gathered->gap = gap;
}

static inline void scounter_gather_cell(struct scounter_gathered *gathered,
					const struct scounter_cells *cells, u64 word, u32 bit)
{
	const struct scounter_repr *repr = &cells->repr;
	u32 x = scounter_cells_state(cells, word, bit);

	gathered->sum = scounter_real_sum(gathered->sum, scounter_cells_f(cells, word, bit));
	gathered->cells++;
	if (repr->type.kind == SCOUNTER_REPR_SHARED) {
		gathered->level = max_t(u32, gathered->level, scounter_shared_level(word));
		gathered->saturated |= x == repr->top && scounter_shared_level(word) >=
			scounter_shared_level_max(repr->type.bits);
		return;
	}
	gathered->xi = max_t(u64, gathered->xi, scounter_repr_xi(repr, x));
	gathered->first = scounter_repr_first(repr);
	gathered->certain = scounter_repr_exact(repr);
	gathered->decimating |= x >= gathered->certain;
	gathered->saturated |= x >= repr->top;
	if (x >= repr->top) {
		gathered->gap = SCOUNTER_REAL_MAX;
		return;
	}
	/* A DLM probability counter may pass states. */
	scounter_gather_gap(gathered, scounter_repr_gap(repr, x));
	scounter_gather_gap(gathered, scounter_repr_worth(repr, x));
}

/* What the bounds of the sum over a group are made of. */
struct scounter_spread {
	u64 below, above;	/* relative variance of the state, and of the one after it */
	u64 next;		/* the sum after one update more */
	u32 least;		/* events that are certain */
	u32 lower, upper;	/* the powers of bounds.h */
};

/*
 * One level: all events were counted with probability 2^-level or more.  A word may
 * be behind the array, whose trials its counters have to survive.
 */
static inline struct scounter_spread
scounter_shared_spread(const struct scounter_gathered *gathered, u32 level)
{
	u64 unit = 1ULL << min_t(u32, level, 63);
	struct scounter_spread spread = {
		.next = gathered->sum.whole + unit,
		.least = !!gathered->sum.whole,
		.lower = SCOUNTER_EQUAL_LOWER,
		.upper = scounter_equal_upper(unit),
	};

	if (spread.next < unit)
		spread.next = U64_MAX;
	spread.below = scounter_unit_variance(unit, gathered->sum.whole);
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
static inline u64 scounter_group_variance(const struct scounter_gathered *gathered,
					  const struct scounter_array_type *type)
{
	u64 waiting = div_u64(gathered->xi * (type->q_ppm + SCOUNTER_REPR_MILLION),
			      2 * type->q_ppm);
	u32 m = type->kind == SCOUNTER_REPR_DLM_FLOAT ? type->theta / 2 : type->m;
	u64 rest = div_u64(gathered->xi - waiting, m);

	if (type->kind == SCOUNTER_REPR_DLM_PROBABILITY)
		return gathered->xi;
	return waiting + rest - div_u64(rest, gathered->cells) + 1;
}

/* n more by a share of itself, in 10^-12. */
static inline u64 scounter_widen(u64 n, u64 share)
{
	u64 more = mul_u64_u64_shr(n, div64_u64(share << 20, SCOUNTER_VARIANCE_ONE) + 1, 20);

	return more > U64_MAX - n ? U64_MAX : n + more;
}

static inline struct scounter_spread
scounter_group_spread(const struct scounter_gathered *gathered,
		      const struct scounter_array_type *type, u32 mixed_ppm)
{
	u64 variance = scounter_group_variance(gathered, type);
	u64 mixed = (u64)mixed_ppm * mixed_ppm;
	struct scounter_real next = scounter_real_sum(gathered->sum, gathered->gap);

	if (mixed) {
		variance = max(mixed, gathered->xi);
		/* The states of the other type are up to 1 + 2 xi n apart. */
		next.whole = scounter_widen(next.whole, 2 * mixed);
	}
	variance = div_u64(variance, type->group) + 1;
	return (struct scounter_spread) {
		.below = variance + scounter_unit_variance(gathered->first, gathered->sum.whole),
		.above = variance + scounter_unit_variance(gathered->first, next.whole),
		/* Only an event makes a cell leave 0. */
		.least = mixed ? !scounter_real_is_zero(gathered->sum) : gathered->certain,
		.next = next.whole == U64_MAX ? U64_MAX : next.whole + !!next.part,
		.lower = SCOUNTER_GROWN_LOWER,
		.upper = SCOUNTER_GROWN_UPPER,
	};
}

static inline u64 scounter_mean(u64 sum, u32 group, bool up)
{
	u32 rest;
	u64 mean = div_u64_rem(sum, group, &rest);

	return mean + (up && rest);
}

static inline void scounter_estimate_bounds(struct scounter_array_estimate *estimate,
					    const struct scounter_gathered *gathered,
					    const struct scounter_spread *spread, u32 group)
{
	u64 lower = scounter_bound_below(gathered->sum.whole, spread->below, spread->lower);
	u64 upper = scounter_bound_above(spread->next, spread->above, spread->upper);

	estimate->lower = max(scounter_mean(lower, group, false),
			      min_t(u64, spread->least, estimate->value));
	estimate->upper = upper == U64_MAX ? U64_MAX : scounter_mean(upper, group, true);
}

/*
 * @mixed_ppm: relative error of what was merged from other types, at most.
 * @level: that of the array, for SCOUNTER_REPR_SHARED.
 */
static inline void scounter_estimate_of(const struct scounter_gathered *gathered,
					const struct scounter_array_type *type,
					u32 copies, u32 level, u32 mixed_ppm,
					struct scounter_array_estimate *estimate)
{
	bool shared = type->kind == SCOUNTER_REPR_SHARED;
	u64 value = scounter_real_rounded(gathered->sum);
	bool decimating = gathered->decimating;
	struct scounter_spread spread;
	u64 square = 0;
	u32 rest;

	/* The sum over a group may be beyond 2^64 where its mean is not. */
	value = div_u64_rem(value, type->group, &rest);
	value += 2 * rest >= type->group;
	*estimate = (struct scounter_array_estimate){
		.value = value,
		.lower = value,
		.upper = gathered->saturated ? U64_MAX : value,
	};
	if (shared) {
		level = max(level, gathered->level);
		decimating = level;
		spread = scounter_shared_spread(gathered, level);
		square = spread.below;
	} else {
		spread = scounter_group_spread(gathered, type, mixed_ppm);
		square = div_u64(max_t(u64, gathered->xi, (u64)mixed_ppm * mixed_ppm),
				 type->group) +
			 scounter_unit_variance(gathered->first, gathered->sum.whole);
	}
	if (shared && level)
		estimate->additive = (u64)scounter_root_up(div_u64((u64)copies << type->bits,
							   type->group) + 1) << level;
	if (decimating || mixed_ppm) {
		estimate->error_ppm = scounter_root_up(square);
		scounter_estimate_bounds(estimate, gathered, &spread, type->group);
	}
	estimate->flags = (gathered->saturated ? SCOUNTER_F_SATURATED : 0) |
			  (decimating ? SCOUNTER_F_DECIMATING : 0);
	if (gathered->saturated)
		estimate->upper = U64_MAX;
}

/* The relative error of a type at most, for what it is merged into. */
static inline u32 scounter_type_error_ppm(const struct scounter_repr *repr)
{
	return scounter_root_up(scounter_repr_xi(repr, repr->top));
}

#endif /* _SCOUNTER_REPR_ESTIMATE_H */

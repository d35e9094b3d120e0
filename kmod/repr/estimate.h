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

#include "cells.h"

struct scounter_gathered {
	struct scounter_real sum;	/* of f */
	struct scounter_real variance;	/* SCOUNTER_REPR_SHARED only */
	u64 xi;				/* the largest, see scounter_repr_xi() */
	bool saturated;
	bool decimating;
};

static inline void scounter_gather_cell(struct scounter_gathered *gathered,
					const struct scounter_cells *cells, u64 word, u32 bit)
{
	const struct scounter_repr *repr = &cells->repr;
	struct scounter_real f = scounter_cells_f(cells, word, bit);
	u32 x = scounter_cells_state(cells, word, bit);
	u32 level;

	gathered->sum = scounter_real_sum(gathered->sum, f);
	if (repr->type.kind == SCOUNTER_REPR_SHARED) {
		level = scounter_shared_level(word);
		/* every event was taken with probability 2^-level or more */
		if (level)
			gathered->variance =
				scounter_real_sum(gathered->variance,
						  scounter_real_times(f, (1U << min_t(u32, level, 31)) - 1));
		gathered->decimating |= level > 0;
		gathered->saturated |= x == repr->top &&
			level >= scounter_shared_level_max(repr->type.bits);
		return;
	}
	gathered->xi = max_t(u64, gathered->xi, scounter_repr_xi(repr, x));
	gathered->decimating |= x > scounter_repr_exact(repr);
	gathered->saturated |= x >= repr->top;
}

static inline u32 scounter_root_up(u64 square)
{
	u64 root = int_sqrt64(square);

	return root + (root * root < square);
}

/* The variance over the square of n, in 10^-12. */
static inline u64 scounter_relative_variance(u64 xi, u64 n)
{
	u64 square = xi;

	if (n < 1U << 20)
		square = xi - div64_u64(xi, n) + div64_u64(250000000000ULL, n * n);
	return square;
}

/* The same for a shared level: variance / n^2 in 10^-12, of the sum over a group. */
static inline u64 scounter_shared_variance(const struct scounter_gathered *gathered)
{
	/* Both with 20 bits at least: variance / sum, over sum. */
	u64 per_event = div64_u64(gathered->variance.whole, gathered->sum.whole) + 1;
	u64 n = gathered->sum.whole;

	while (per_event > 1 << 22) {
		per_event = per_event / 2 + 1;
		n /= 2;
	}
	return n ? div64_u64(per_event * 1000000000000ULL, n) : U64_MAX;
}

static inline u64 scounter_half_width(u64 value, u32 error_ppm)
{
	u64 factor = 3ULL * error_ppm;
	u64 millions = div_u64(value, SCOUNTER_PPM);

	if (millions > div64_u64(U64_MAX, factor + 1) - 1)
		return U64_MAX;
	return millions * factor +
	       div_u64((value - millions * SCOUNTER_PPM) * factor, SCOUNTER_PPM) + 1;
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
	u64 square = 0, half;
	u32 rest;

	/* The sum over a group may be beyond 2^64 where its mean is not. */
	value = div_u64_rem(value, type->group, &rest);
	value += 2 * rest >= type->group;
	if (value && (gathered->decimating || mixed_ppm)) {
		square = shared ? scounter_shared_variance(gathered) :
			 div_u64(scounter_relative_variance(max_t(u64, gathered->xi,
								  (u64)mixed_ppm * mixed_ppm),
							    value), type->group);
	}
	estimate->value = value;
	estimate->error_ppm = scounter_root_up(min_t(u64, square, 1000000000000000ULL));
	estimate->flags = (gathered->saturated ? SCOUNTER_F_SATURATED : 0) |
			  (gathered->decimating ? SCOUNTER_F_DECIMATING : 0);
	estimate->additive = shared && level ?
		(u64)scounter_root_up(div_u64((u64)copies << type->bits, type->group) + 1) << level : 0;

	half = estimate->error_ppm ? scounter_half_width(value, estimate->error_ppm) : 0;
	estimate->lower = value > half ? value - half : 0;
	estimate->upper = gathered->saturated || value + half < value ? U64_MAX : value + half;
}

/* The relative error of a type for large counts, for what it is merged into. */
static inline u32 scounter_type_error_ppm(const struct scounter_repr *repr)
{
	return scounter_root_up(scounter_repr_xi(repr, 0));
}

#endif /* _SCOUNTER_REPR_ESTIMATE_H */

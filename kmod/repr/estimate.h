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
#include "scaled.h"

struct scounter_gathered {
	struct scounter_wide sum;	/* of f */
	struct scounter_scaled variance;	/* SCOUNTER_REPR_SHARED only */
	u64 xi;				/* the largest, see scounter_repr_xi() */
	u64 largest;			/* f of a cell, without its part */
	u32 level;			/* SCOUNTER_REPR_SHARED: the highest of a word */
	bool decimating;
};

/* What is said of all cells of an array. */
struct scounter_known {
	u32 copies;
	u32 level;			/* SCOUNTER_REPR_SHARED: of new samples */
	u32 mixed_ppm;			/* error of what other types brought, at most */
	u64 lost_from;			/* see scounter_may_lack() */
};

static inline void scounter_gather_cell(struct scounter_gathered *gathered,
					const struct scounter_cells *cells, u64 word, u32 bit)
{
	const struct scounter_repr *repr = &cells->repr;
	struct scounter_real f = scounter_cells_f(cells, word, bit);
	u32 x = scounter_cells_state(cells, word, bit);
	u32 level;

	scounter_wide_add(&gathered->sum, f);
	gathered->largest = max_t(u64, gathered->largest, f.whole);
	if (repr->type.kind == SCOUNTER_REPR_SHARED) {
		level = scounter_shared_level(word);
		/* every event was taken with probability 2^-level or more */
		gathered->variance = scounter_scaled_sum(gathered->variance,
			scounter_scaled_product(scounter_scaled_real(f),
						scounter_scaled((1ULL << level) - 1, 0)));
		gathered->level = max_t(u32, gathered->level, level);
		gathered->decimating |= level > 0;
		return;
	}
	gathered->xi = max_t(u64, gathered->xi, scounter_repr_xi(repr, x));
	gathered->decimating |= x > scounter_repr_exact(repr);
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
	struct scounter_scaled n = scounter_scaled_real(scounter_wide_real(gathered->sum));
	struct scounter_scaled square = scounter_scaled_quotient(gathered->variance, n);

	square = scounter_scaled_product(scounter_scaled_quotient(square, n),
					 scounter_scaled(1000000000000ULL, 0));
	return scounter_scaled_whole(square);
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

static inline void scounter_estimate_of(const struct scounter_gathered *gathered,
					const struct scounter_array_type *type,
					const struct scounter_known *known,
					struct scounter_array_estimate *estimate)
{
	bool shared = type->kind == SCOUNTER_REPR_SHARED;
	bool lacks = scounter_may_lack(known->lost_from, gathered->largest);
	u64 value = scounter_real_rounded(scounter_wide_over(gathered->sum, type->group));
	u64 mixed = (u64)known->mixed_ppm * known->mixed_ppm;
	u32 level = max_t(u32, known->level, gathered->level);
	u64 square = 0, half;

	if (value && (gathered->decimating || mixed)) {
		square = shared ? max_t(u64, scounter_shared_variance(gathered), mixed) :
			 div_u64(scounter_relative_variance(max_t(u64, gathered->xi, mixed),
							    value), type->group);
	}
	estimate->value = value;
	estimate->error_ppm = scounter_root_up(min_t(u64, square, 1000000000000000ULL));
	estimate->flags = (lacks ? SCOUNTER_F_SATURATED : 0) |
			  (gathered->decimating ? SCOUNTER_F_DECIMATING : 0);
	estimate->additive = shared && level ?
		scounter_scaled_whole(scounter_scaled(scounter_root_up(
			div_u64((u64)known->copies << type->bits, type->group) + 1), level)) : 0;

	half = estimate->error_ppm ? scounter_half_width(value, estimate->error_ppm) : 0;
	estimate->lower = value > half ? value - half : 0;
	estimate->upper = lacks || value + half < value ? U64_MAX : value + half;
}

/*
 * What a cell brings to `into` by a merge as relative error, at most, beyond what
 * is said of that type's own cells.  @same: it comes from the same type; @mixed_ppm:
 * what its array has from others.
 */
static inline u32 scounter_brought_ppm(const struct scounter_gathered *cell, bool same,
				       u32 mixed_ppm, const struct scounter_array_type *into)
{
	/* A sample of a level that the word cannot tell. */
	if (into->kind == SCOUNTER_REPR_SHARED)
		return cell->level > scounter_shared_level_max(into->bits) ?
		       SCOUNTER_PPM : mixed_ppm;
	return same || !cell->decimating ? mixed_ppm :
	       max_t(u32, mixed_ppm, scounter_root_up(cell->xi));
}

#endif /* _SCOUNTER_REPR_ESTIMATE_H */

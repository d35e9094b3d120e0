/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cells packed in 64-bit words, as <uapi/linux/scounter_array.h> lays them out:
 * what a cell stands for, and the word after something was added to one.  Where
 * the words are, and how they are stored, is the caller's.
 */
#ifndef _SCOUNTER_REPR_CELLS_H
#define _SCOUNTER_REPR_CELLS_H

#include "repr/repr.h"
#include "repr/shared.h"

struct scounter_cells {
	struct scounter_repr repr;
	u32 per_word;
	u64 count;		/* cells of a copy */
	u64 words;		/* of a copy */
};

static inline u32 scounter_cells_per_word(const struct scounter_array_type *type)
{
	return (type->kind == SCOUNTER_REPR_SHARED ? SCOUNTER_SHARED_LEVEL_SHIFT : 64) /
	       type->bits;
}

/* For a checked type; 0 for a length of 0 or one that no machine can hold. */
static inline u64 scounter_cells_words(const struct scounter_array_type *type, u64 length)
{
	u32 per_word = scounter_cells_per_word(type);

	if (!length || length > (1ULL << 40))
		return 0;
	return div64_u64(length * type->group + per_word - 1, per_word);
}

static inline void scounter_cells_init(struct scounter_cells *cells,
				       const struct scounter_array_type *type, u64 length,
				       const struct scounter_rung *rungs, u32 count)
{
	scounter_repr_init(&cells->repr, type, rungs, count);
	cells->per_word = scounter_cells_per_word(type);
	cells->count = length * type->group;
	cells->words = scounter_cells_words(type, length);
}

/* The word of a cell, and at which of its bits the cell begins. */
static inline u64 scounter_cells_find(const struct scounter_cells *cells, u64 cell, u32 *bit)
{
	u64 word = div_u64(cell, cells->per_word);

	*bit = (u32)(cell - word * cells->per_word) * cells->repr.type.bits;
	return word;
}

static inline u32 scounter_cells_state(const struct scounter_cells *cells, u64 word, u32 bit)
{
	return word >> bit & ((1U << cells->repr.type.bits) - 1);
}

/* A state beyond the last, which only a broken snapshot has, counts as the last. */
static inline struct scounter_real scounter_cells_f(const struct scounter_cells *cells,
						    u64 word, u32 bit)
{
	u32 x = min_t(u32, scounter_cells_state(cells, word, bit), cells->repr.top);

	if (cells->repr.type.kind == SCOUNTER_REPR_SHARED)
		return scounter_real((u64)x << min_t(u32, scounter_shared_level(word),
				     scounter_shared_level_max(cells->repr.type.bits)));
	return scounter_repr_f(&cells->repr, x);
}

/*
 * lost_from, of an array: the least count of a cell that may lack counts.  The count
 * of a cell does not become less, so that all cells that may lack some are at or
 * above it.
 */
#define SCOUNTER_NOTHING_LOST	U64_MAX

static inline bool scounter_may_lack(u64 lost_from, u64 f)
{
	return lost_from != SCOUNTER_NOTHING_LOST && f >= lost_from;
}

/* What lost_from is at most when this cell may lack counts. */
static inline u64 scounter_cells_lost_from(const struct scounter_cells *cells, u64 word,
					   u32 bit)
{
	return min_t(u64, scounter_cells_f(cells, word, bit).whole,
		     SCOUNTER_NOTHING_LOST - 1);
}

/* What it is at most when a cell in its last state does. */
static inline u64 scounter_cells_lost_at_end(const struct scounter_cells *cells)
{
	const struct scounter_repr *repr = &cells->repr;
	u64 most = repr->most.whole;

	if (repr->type.kind == SCOUNTER_REPR_SHARED)
		most = (u64)repr->top << scounter_shared_level_max(repr->type.bits);
	return min_t(u64, most, SCOUNTER_NOTHING_LOST - 1);
}

/*
 * The word after the count *v has been added to a cell.  *v becomes what it was
 * rounded to; `lost` is set if a part of it is beyond the last state.  If the word has
 * changed meanwhile, call again with that: to round anew would lose counts, as only a
 * rounding that changes the word can meet a change.
 */
static inline u64 scounter_cells_add(const struct scounter_cells *cells, u64 word, u32 bit,
				     struct scounter_real *v, u32 level,
				     struct rnd_state *rnd, bool *lost)
{
	const struct scounter_repr *repr = &cells->repr;
	u32 before, after;

	if (repr->type.kind == SCOUNTER_REPR_SHARED) {
		if (~v->whole)
			v->whole += scounter_real_chance(scounter_real_part(*v),
							 scounter_real(1), rnd);
		v->part = 0;
		return scounter_shared_add(word, repr->type.bits, bit, &v->whole, level, rnd,
					   lost);
	}
	before = scounter_cells_state(cells, word, bit);
	after = scounter_repr_add(repr, before, *v, rnd, lost);
	if (after == before)
		return word;
	*v = scounter_real_difference(scounter_repr_f(repr, after),
				      scounter_repr_f(repr, before));
	return word ^ (u64)(before ^ after) << bit;
}

#endif /* _SCOUNTER_REPR_CELLS_H */

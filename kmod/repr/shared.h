/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters that share one sampling probability: plain integers of a random
 * sample of the events, each event being taken with probability 2^-level.  The
 * level rises when a counter is full, and then for all of them.  Most increments
 * fail their trial, without a look at the counter.  The error that this allows is
 * the same for all counters, that of the largest: additive, not relative.  The
 * idea of Ben Basat, Einziger, Mitzenmacher & Vargaftik, "Faster and More
 * Accurate Measurement through Additive-Error Counters".
 *
 * Each word says in its upper bits at which level its cells are.  The array's
 * level may be ahead of it: the word is brought there when it is written next.
 * To raise a level halves the cells, each rounded at random.
 */
#ifndef _SCOUNTER_REPR_SHARED_H
#define _SCOUNTER_REPR_SHARED_H

#include "repr/type.h"

static inline u32 scounter_shared_level(u64 word)
{
	return word >> SCOUNTER_SHARED_LEVEL_SHIFT;
}

/* The last level at which a full cell is still below 2^64. */
static inline u32 scounter_shared_level_max(u32 bits)
{
	return min_t(u32, 64 - bits, 63);
}

static inline u64 scounter_shared_raise(u64 word, u32 bits, u32 by, struct rnd_state *rnd)
{
	u32 level = scounter_shared_level(word) + by;
	u64 mask = (1ULL << bits) - 1;
	u64 raised = (u64)level << SCOUNTER_SHARED_LEVEL_SHIFT;
	u32 bit;

	for (bit = 0; bit + bits <= SCOUNTER_SHARED_LEVEL_SHIFT; bit += bits)
		raised |= scounter_draw_rounded(rnd, word >> bit & mask, by) << bit;
	return raised;
}

/*
 * The word after *n events have been added to the cell at `bit`, at `level` or
 * above.  *n becomes what the addition was rounded to, so that a word that has
 * changed meanwhile gets the same.  That is why it is rounded once, and a cell
 * that is too full afterwards is halved.  If it is so at the last level, what is
 * too much is lost.
 */
static inline u64 scounter_shared_add(u64 word, u32 bits, u32 bit, u64 *n, u32 level,
				      struct rnd_state *rnd, bool *lost)
{
	u64 most = (1ULL << bits) - 1;
	u64 cell, taken;

	level = max_t(u32, level, scounter_shared_level(word));
	/* Narrower cells go on to levels at which these would be beyond 2^64. */
	level = min_t(u32, level, scounter_shared_level_max(bits));
	taken = scounter_draw_rounded(rnd, *n, level);
	if (taken > U64_MAX >> level) {
		*lost = true;
		taken = U64_MAX >> level;
	}
	*n = taken << level;
	if (!taken)
		return word;
	word = scounter_shared_raise(word, bits, level - scounter_shared_level(word), rnd);
	cell = (word >> bit & most) + taken;
	word &= ~(most << bit);
	while (cell > most) {
		if (level == scounter_shared_level_max(bits)) {
			*lost = true;
			cell = most;
			break;
		}
		word = scounter_shared_raise(word, bits, 1, rnd);
		cell = scounter_draw_rounded(rnd, cell, 1);
		level++;
	}
	return word | cell << bit;
}

#endif /* _SCOUNTER_REPR_SHARED_H */

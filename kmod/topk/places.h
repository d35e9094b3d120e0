/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the designs with owners count, and how they find the smallest count.
 *
 * An element is a node that is counted: in one of as many *places* as the table has
 * entries.  A key that comes in takes the place of the one that it overwrites, with at
 * least its count.  So the count of a place never goes down, also while its element is
 * on its way from one bucket to another, and bounds.h knows the smallest.
 *
 * Bounds are not raised when an eviction asks for them, as all of them might have to
 * be, but when a count is.  Each block of places has a *witness*, a place at the block's
 * bound.  Who raises the count of the witness looks for another one, or raises the
 * bound, and those above it.  So a hit looks at the places of one block, and at as many
 * bounds of each level; and so does an eviction, but for blocks whose last raise is
 * just under way.
 *
 * The witness is made first, then its count is read again; the count is raised first,
 * then it is looked whether it is the witness's: not both can miss the other.
 */
#ifndef _SCOUNTER_TOPK_PLACES_H
#define _SCOUNTER_TOPK_PLACES_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/types.h>

#include "topk/bounds.h"
#include "topk/index.h"

/* Beside a node: with a key of 8 bytes both are one cache line, and move as one. */
struct topk_element {
	atomic64_t count;	/* 0 is not counted */
	u64 add;		/* by the owner: what to add to it */
	u32 place;		/* the same as long as it is counted */
	u32 cpu;		/* whose key it is, while it has no place */
};

struct topk_places {
	struct topk_index *index;
	u32 *nodes;		/* by place; 0 until its first key is there */
	u8 *witnesses;		/* by block */
	u32 count;
	struct topk_bounds bounds;
	atomic64_t unused ____cacheline_aligned_in_smp;
	atomic64_t evicted;	/* the greatest count that was */
};

/* A place at one moment. */
struct topk_look {
	u32 node;
	s64 state;
	u64 count;
};

int topk_places_init(struct topk_places *places, struct topk_index *index, u32 count);
void topk_places_clear(struct topk_places *places);
size_t topk_places_bytes(const struct topk_places *places);

bool topk_place_take(struct topk_places *places, u32 *place);
void topk_place_give(struct topk_places *places, u32 place, u32 victim, u32 node, u64 count);
void topk_place_raise(struct topk_places *places, u32 node, u64 count);
u32 topk_place_evict(struct topk_places *places, u32 *hint, u64 least, bool *busy);
bool topk_place_look(struct topk_places *places, u32 place, struct topk_look *look);

static inline struct topk_element *topk_element(const struct topk_places *places, u32 node)
{
	return topk_beside(places->index, node);
}

static inline u64 topk_element_count(const struct topk_places *places, u32 node)
{
	return atomic64_read(&topk_element(places, node)->count);
}

#endif /* _SCOUNTER_TOPK_PLACES_H */

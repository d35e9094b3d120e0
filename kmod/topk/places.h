/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Places: where the designs with owners count, and how they find the smallest count.
 *
 * A table has as many *places* as entries.  An element is a node that is counted, in one
 * of the places.  A new key takes the place of the key that it overwrites, with a higher
 * count.  So the count of a place never goes down, also while its element is between two
 * buckets, and bounds.h finds the smallest.
 *
 * Bounds are raised by hits, and not by evictions, which might have to raise all of them.
 * Each block of places has a *witness*: a place whose count is the block's bound.  Take a
 * block with the bound 5, and a hit that raises the count of its witness from 5 to 6.  The
 * hit looks for another place with the count 5, which becomes the witness.  If there is
 * none, it raises the block's bound to 6, and those above it.  So a hit looks at the
 * places of one block, and at 64 bounds of each level at most.  An eviction looks at as
 * many, unless it meets blocks whose bounds others are just raising.
 *
 * A new witness is made first, and then its count is read again.  A count is raised first,
 * and then the witness is read.  Not both can miss the other.
 */
#ifndef _SCOUNTER_TOPK_PLACES_H
#define _SCOUNTER_TOPK_PLACES_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/types.h>

#include "topk/bounds.h"
#include "topk/index.h"

/* Beside each node.  With a key of 8 bytes, the two share one cache line. */
struct topk_element {
	atomic64_t count;	/* 0: it has no place */
	u64 add;		/* by the owner: what to add to the count */
	u32 place;		/* does not change while it has a count */
	u32 cpu;		/* that brought the key, while it has no place */
};

struct topk_places {
	struct topk_index *index;
	u32 *nodes;		/* by place; 0 until its first key is there */
	u8 *witnesses;		/* by block: the number of a place in it */
	u32 count;
	struct topk_bounds bounds;
	atomic64_t unused ____cacheline_aligned_in_smp;
	atomic64_t evicted;	/* the greatest count that was evicted */
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

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the smallest count is.
 *
 * A design counts in *places*, as many as the table has entries, and the count of a
 * place never goes down.  So a lower bound of it stays one: level 0 has such a bound
 * for each block of 64 places, level 1 for each 64 of those, and so on to one for
 * all.  A place found at that last bound is a smallest one, whatever else happens
 * meanwhile; and where none is found, bounds are raised, each by a compare-and-swap.
 */
#ifndef _SCOUNTER_TOPK_BOUNDS_H
#define _SCOUNTER_TOPK_BOUNDS_H

#include <linux/atomic.h>
#include <linux/types.h>

#define TOPK_FAN_OUT	64
#define TOPK_LEVELS	5	/* 64^4 blocks of 64 places and more */

struct topk_bounds {
	atomic64_t *level[TOPK_LEVELS];
	u32 sizes[TOPK_LEVELS];
	u32 top;		/* the level that has one bound */
};

int topk_bounds_init(struct topk_bounds *bounds, u32 places);
void topk_bounds_clear(struct topk_bounds *bounds);
size_t topk_bounds_bytes(const struct topk_bounds *bounds);

bool topk_bounds_descend(struct topk_bounds *bounds, u32 turn, u32 *block);
void topk_bounds_raise(struct topk_bounds *bounds, u32 block, u64 to);

/* No place has less. */
static inline u64 topk_bounds_least(const struct topk_bounds *bounds)
{
	return atomic64_read_acquire(&bounds->level[bounds->top][0]);
}

static inline u64 topk_bounds_of(const struct topk_bounds *bounds, u32 block)
{
	return atomic64_read_acquire(&bounds->level[0][block]);
}

#endif /* _SCOUNTER_TOPK_BOUNDS_H */

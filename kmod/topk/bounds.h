/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tree of lower bounds, which finds the smallest count.
 *
 * A design counts in *places*, as many as the table has entries.  The count of a place
 * never goes down, so a lower bound of it stays right.  Level 0 has a bound for each block
 * of 64 places, level 1 has one for each 64 blocks, and so on, up to one bound for all.
 * A table of 10000 places has 157 bounds, then 3, then 1.
 *
 * A place whose count is the topmost bound has a smallest count, whatever runs beside.  A
 * search that finds no such place raises bounds, each by a compare-and-swap.
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

/* No place has a smaller count. */
static inline u64 topk_bounds_least(const struct topk_bounds *bounds)
{
	return atomic64_read_acquire(&bounds->level[bounds->top][0]);
}

static inline u64 topk_bounds_of(const struct topk_bounds *bounds, u32 block)
{
	return atomic64_read_acquire(&bounds->level[0][block]);
}

#endif /* _SCOUNTER_TOPK_BOUNDS_H */

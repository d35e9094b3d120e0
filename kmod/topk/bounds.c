// SPDX-License-Identifier: GPL-2.0
/* The tree of lower bounds; the idea is in bounds.h. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "topk/bounds.h"
#include "topk/table.h"

static u64 bounds_least_of(const struct topk_bounds *bounds, u32 level, u32 first)
{
	u32 end = min(first + TOPK_FAN_OUT, bounds->sizes[level]);
	u64 least = U64_MAX;
	u32 i;

	for (i = first; i < end; i++)
		least = min_t(u64, least, atomic64_read(&bounds->level[level][i]));
	return least;
}

/* Bound @at of @level was raised: raise the bounds above it as far as possible. */
static void bounds_raise_above(struct topk_bounds *bounds, u32 level, u32 at)
{
	for (; level < bounds->top; level++) {
		at /= TOPK_FAN_OUT;
		if (!topk_raise(&bounds->level[level + 1][at],
				bounds_least_of(bounds, level, at * TOPK_FAN_OUT)))
			return;
	}
}

/* Raise the block's bound: the caller has seen that no place has a count below @to. */
void topk_bounds_raise(struct topk_bounds *bounds, u32 block, u64 to)
{
	if (topk_raise(&bounds->level[0][block], to))
		bounds_raise_above(bounds, 0, block);
}

/*
 * Go down from the top to a block, at each level to a bound that is not beyond the one
 * above.  CPUs begin their search of a level at different bounds, and so do the @turns of
 * one CPU: as if at random, so that few CPUs come to one block.  (From starts at equal
 * distances, those that have passed theirs would go on in the same block.)  False if all
 * bounds of a level are beyond the one above, which then has been raised.
 */
bool topk_bounds_descend(struct topk_bounds *bounds, u32 turn, u32 *block)
{
	u32 start = (raw_smp_processor_id() * 0x9e3779b9U + turn * 0x85ebca6bU) >> 8;
	u32 level, i, at = 0;

	for (level = bounds->top; level; level--) {
		u64 least = atomic64_read(&bounds->level[level][at]);
		u32 first = at * TOPK_FAN_OUT;
		u32 width = min_t(u32, TOPK_FAN_OUT, bounds->sizes[level - 1] - first);

		for (i = 0; i < width; i++) {
			at = first + (start + i) % width;
			if ((u64)atomic64_read(&bounds->level[level - 1][at]) <= least)
				break;
		}
		if (i == width) {
			bounds_raise_above(bounds, level - 1, first);
			return false;
		}
	}
	*block = at;
	return true;
}

int topk_bounds_init(struct topk_bounds *bounds, u32 places)
{
	u32 level = 0, size = places;

	do {
		size = DIV_ROUND_UP(size, TOPK_FAN_OUT);
		bounds->sizes[level] = size;
		bounds->level[level] = kvcalloc(size, sizeof(atomic64_t), GFP_KERNEL);
		if (!bounds->level[level])
			return -ENOMEM;
		bounds->top = level++;
	} while (size > 1);
	return 0;
}

void topk_bounds_clear(struct topk_bounds *bounds)
{
	u32 level;

	for (level = 0; level < TOPK_LEVELS; level++)
		kvfree(bounds->level[level]);
}

size_t topk_bounds_bytes(const struct topk_bounds *bounds)
{
	size_t bytes = 0;
	u32 level;

	for (level = 0; level <= bounds->top; level++)
		bytes += bounds->sizes[level] * sizeof(atomic64_t);
	return bytes;
}

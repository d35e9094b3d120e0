// SPDX-License-Identifier: GPL-2.0
/* Tables of equal size. */
#include <linux/kernel.h>

#include "rivals.h"

static size_t bytes_of(const struct topk_ops *ops, u32 capacity, const struct topk_secret *secret)
{
	struct topk_table *table = ops->create(capacity, sizeof(u64), secret);
	size_t bytes = table ? ops->bytes(table) : 0;

	if (table)
		ops->destroy(table);
	return bytes;
}

u32 rival_capacity(const struct topk_ops *ops, u32 capacity, const struct topk_secret *secret)
{
	size_t most = bytes_of(&topk_lockfree_ops, capacity, secret);
	u32 from = rivals_threads, to = 8 * capacity + rivals_threads;

	if (!rival_is(ops))
		return capacity;
	while (to - from > 1) {
		u32 middle = from + (to - from) / 2;

		if (bytes_of(ops, middle, secret) <= most)
			from = middle;
		else
			to = middle;
	}
	return from;
}

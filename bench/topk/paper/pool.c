// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "pool.h"

bool pool_init(struct pool *pool, u32 count, bool hands)
{
	u32 i;

	pool->next = kcalloc(count + 1, sizeof(*pool->next), GFP_KERNEL);
	if (hands)
		pool->hands = kcalloc(nr_cpu_ids, sizeof(*pool->hands), GFP_KERNEL);
	if (!pool->next || (hands && !pool->hands))
		return false;
	for (i = 1; i < count; i++)
		pool->next[i] = i + 1;
	atomic64_set(&pool->head, count ? 1 : 0);
	return true;
}

void pool_clear(struct pool *pool)
{
	kfree(pool->next);
	kfree(pool->hands);
}

static s64 pool_link(s64 old, u32 number)
{
	return (s64)(((u64)old >> 32) + 1) << 32 | number;
}

/* Up to @most numbers at once.  The tag says whether the links were still those of the pool. */
static u32 pool_pop(struct pool *pool, u32 *numbers, u32 most)
{
	s64 head = atomic64_read(&pool->head);
	u32 i, n;

	do {
		i = (u32)head;
		for (n = 0; i && n < most; n++) {
			numbers[n] = i;
			i = READ_ONCE(pool->next[i]);
		}
	} while (n && !atomic64_try_cmpxchg(&pool->head, &head, pool_link(head, i)));
	return n;
}

static void pool_push(struct pool *pool, const u32 *numbers, u32 count)
{
	s64 head = atomic64_read(&pool->head);
	u32 i;

	for (i = 0; i + 1 < count; i++)
		WRITE_ONCE(pool->next[numbers[i]], numbers[i + 1]);
	do
		WRITE_ONCE(pool->next[numbers[count - 1]], (u32)head);
	while (!atomic64_try_cmpxchg(&pool->head, &head, pool_link(head, numbers[0])));
}

u32 pool_take(struct pool *pool)
{
	struct pool_hand *hand = pool->hands + raw_smp_processor_id();
	u32 number;

	if (!pool->hands)
		return pool_pop(pool, &number, 1) ? number : 0;
	if (!hand->count)
		hand->count = pool_pop(pool, hand->number, POOL_AT_HAND / 2);
	return hand->count ? hand->number[--hand->count] : 0;
}

void pool_give(struct pool *pool, u32 number)
{
	struct pool_hand *hand = pool->hands + raw_smp_processor_id();

	if (!pool->hands) {
		pool_push(pool, &number, 1);
		return;
	}
	if (hand->count == POOL_AT_HAND) {
		hand->count -= POOL_AT_HAND / 2;
		pool_push(pool, hand->number + hand->count, POOL_AT_HAND / 2);
	}
	hand->number[hand->count++] = number;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A resize moves list after list of the old heads to the new ones.  Where an item is
 * follows from its hash alone, so that it is found at any moment of that.
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "registry/hash.h"

/* Lists that are moved without a pause; there is one item in each on average. */
#define MOVED_AT_ONCE	32

static struct hlist_head *hash_list_in(const struct scounter_heads *heads, u32 hash)
{
	return &heads->heads[hash & (heads->size - 1)];
}

struct hlist_head *scounter_hash_list(struct scounter_hash *table, u32 hash)
{
	if (table->old.heads && (hash & (table->old.size - 1)) >= table->moved)
		return hash_list_in(&table->old, hash);
	return hash_list_in(&table->now, hash);
}

void scounter_hash_add(struct scounter_hash *table, struct scounter_hashed *item, u32 hash)
{
	item->hash = hash;
	hlist_add_head(&item->node, scounter_hash_list(table, hash));
	table->count++;
}

void scounter_hash_del(struct scounter_hash *table, struct scounter_hashed *item)
{
	hlist_del_init(&item->node);
	table->count--;
}

/* Grows at one item a list, and shrinks at one for eight. */
bool scounter_hash_misfits(const struct scounter_hash *table)
{
	return table->count > table->now.size ||
		(table->count < table->now.size / 8 && table->now.size > SCOUNTER_HASH_LEAST);
}

static u32 hash_size_for(u32 count)
{
	return roundup_pow_of_two(max(2 * count, SCOUNTER_HASH_LEAST + 0U));
}

/* Page by page: to zero some MiB in one go would keep the CPU from others. */
static struct hlist_head *hash_alloc_heads(struct scounter_hash *table, u32 size)
{
	if (size <= SCOUNTER_HASH_LEAST)
		return table->first;
	if (size <= PAGE_SIZE / sizeof(struct hlist_head))
		return kcalloc(size, sizeof(struct hlist_head), GFP_KERNEL);
	return vzalloc(array_size(size, sizeof(struct hlist_head)));
}

static void hash_free_heads(struct scounter_hash *table, const struct scounter_heads *heads)
{
	if (heads->heads != table->first)
		kvfree(heads->heads);
}

/* False when all are moved. */
static bool hash_move_some(struct scounter_hash *table)
{
	u32 end = min(table->moved + MOVED_AT_ONCE, table->old.size);
	struct scounter_hashed *item;
	struct hlist_node *next;

	for (; table->moved < end; table->moved++) {
		hlist_for_each_entry_safe(item, next, &table->old.heads[table->moved], node) {
			hlist_del(&item->node);
			hlist_add_head(&item->node, hash_list_in(&table->now, item->hash));
		}
	}
	return table->moved < table->old.size;
}

static void hash_move_all(struct scounter_hash *table, const struct scounter_heads *fresh,
			  raw_spinlock_t *lock)
{
	struct scounter_heads old;
	unsigned long flags;
	bool more;

	raw_spin_lock_irqsave(lock, flags);
	table->old = table->now;
	table->now = *fresh;
	table->moved = 0;
	raw_spin_unlock_irqrestore(lock, flags);
	do {
		raw_spin_lock_irqsave(lock, flags);
		more = hash_move_some(table);
		raw_spin_unlock_irqrestore(lock, flags);
		cond_resched();
	} while (more);
	raw_spin_lock_irqsave(lock, flags);
	old = table->old;
	table->old.heads = NULL;
	raw_spin_unlock_irqrestore(lock, flags);
	hash_free_heads(table, &old);
}

void scounter_hash_resize(struct scounter_hash *table, raw_spinlock_t *lock)
{
	struct scounter_heads fresh;
	unsigned long flags;
	bool misfits;

	raw_spin_lock_irqsave(lock, flags);
	misfits = scounter_hash_misfits(table);
	fresh.size = hash_size_for(table->count);
	raw_spin_unlock_irqrestore(lock, flags);
	if (!misfits)
		return;
	fresh.heads = hash_alloc_heads(table, fresh.size);
	if (fresh.heads)
		hash_move_all(table, &fresh, lock);
}

void scounter_hash_free(struct scounter_hash *table)
{
	hash_free_heads(table, &table->now);
}

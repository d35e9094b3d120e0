// SPDX-License-Identifier: GPL-2.0
/*
 * Space-Saving with locks (Das et al. 2009, section 3.2): the shared design, to be
 * compared with.
 *
 * Each element and each bucket (buckets.h) has a lock.  A hit takes the lock of its
 * element, then the lock of the bucket of its count, and then that of the next bucket:
 * one bucket at a time.  A context that finds a lock taken waits for it.
 *
 * Hits have interrupts off: an interrupt must not find its own CPU holding the lock that
 * it waits for.  An NMI comes all the same, so its hits are dropped.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/processor.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "topk/buckets.h"
#include "topk/index.h"
#include "topk/table.h"

/* Not in the cache line that the element's owner writes: waiters are not in its way. */
struct shared_lock {
	raw_spinlock_t lock;
} ____cacheline_aligned_in_smp;

struct shared {
	struct topk_buckets base;
	struct shared_lock *locks;	/* of the elements, by node */
};

static struct shared *shared_of(const struct topk_table *table)
{
	return container_of(table, struct shared, base.table);
}

/* Until an element comes to the bucket or goes, or the least count is another. */
static void shared_wait_for_victim(struct shared *t, struct topk_bucket *bucket)
{
	do
		cpu_relax();
	while (topk_bucket_is_barren(&t->base, bucket));
}

/* One request, with the bucket's lock; again if there is no victim. */
static void shared_bring_one(struct shared *t, u32 i, struct topk_work *work)
{
	bool overwrites = topk_node(&t->base.index, i)->request == TOPK_OVERWRITE;
	struct topk_bucket *bucket;
	bool done;

	do {
		bucket = topk_buckets_wanted(&t->base, i);
		raw_spin_lock(&bucket->lock);
		done = topk_bucket_serve(&t->base, bucket, i, work);
		/* The whole of an eviction under the lock, as in the paper. */
		if (done && overwrites)
			topk_buckets_retire_victim(&t->base, raw_smp_processor_id());
		raw_spin_unlock(&bucket->lock);
		if (!done)
			shared_wait_for_victim(t, bucket);
	} while (!done);
}

static void shared_bring(struct shared *t, u32 i, u32 request)
{
	struct topk_work work = { };

	topk_work_add(&t->base, &work, i, request);
	while ((i = work.first)) {
		work.first = topk_node(&t->base.index, i)->next;
		shared_bring_one(t, i, &work);
	}
}

/* Hits */

/* With the element's lock.  Evictions alone do without: they change the state. */
static enum topk_outcome shared_hit_node(struct shared *t, u32 i, const struct topk_key *key,
					 u64 n)
{
	struct topk_node *node = topk_node(&t->base.index, i);
	enum topk_outcome outcome = TOPK_COUNTED;
	s64 state;

	raw_spin_lock(&t->locks[i].lock);
	state = atomic64_read_acquire(&node->state);
	/* RESERVED, but not in its chain yet: an earlier use of the node led here. */
	if (state & TOPK_RESERVED || !topk_key_equal(key, node->key)) {
		outcome = TOPK_LOOK_AGAIN;
	} else if (state & TOPK_EVICTED ||
		   !atomic64_try_cmpxchg(&node->state, &state, state | TOPK_RESERVED)) {
		outcome = TOPK_HAS_LEFT;
	} else {
		topk_element(&t->base.places, i)->add = n;
		shared_bring(t, i, TOPK_MOVE);
	}
	raw_spin_unlock(&t->locks[i].lock);
	return outcome;
}

static bool shared_hit_present(struct shared *t, const struct topk_key *key, u64 n)
{
	struct topk_walk walk = topk_walk_begin(&t->base.index, key);
	u32 i;

	while ((i = topk_walk_next(&walk, &t->base.index, key)))
		if (shared_hit_node(t, i, key, n) == TOPK_COUNTED)
			return true;
	return false;
}

/*
 * A context that finds the key in its chain waits until it has its element.  Nobody has
 * the lock of another element meanwhile: two contexts might wait for each other.
 */
static bool shared_insert(struct shared *t, const struct topk_key *key, u32 i, u64 n,
			  struct topk_position *position)
{
	bool inserted;

	raw_spin_lock(&t->locks[i].lock);
	inserted = topk_index_insert(&t->base.index, key, i, position);
	if (inserted)
		shared_bring(t, i, topk_buckets_enter(&t->base, i, n));
	raw_spin_unlock(&t->locks[i].lock);
	return inserted;
}

/* False if there is no node for the key. */
static bool shared_hit_absent(struct shared *t, const struct topk_key *key, u64 n)
{
	struct topk_index *index = &t->base.index;
	u32 i = topk_buckets_take_node(&t->base, key);
	struct topk_position position;
	enum topk_outcome outcome;

	if (!i)
		return false;
	while (!shared_insert(t, key, i, n, &position)) {
		outcome = shared_hit_node(t, position.node, key, n);
		if (outcome == TOPK_HAS_LEFT)
			topk_index_leave(index, &position);
		if (outcome != TOPK_COUNTED)
			continue;
		topk_node_release(topk_node(index, i), TOPK_EVICTED);
		topk_index_give(index, &topk_this_cpu(&t->base.table)->spare, i);
		break;
	}
	return true;
}

static void shared_add(struct topk_table *table, const void *bytes, u64 n)
{
	struct shared *t = shared_of(table);
	struct topk_key key;
	unsigned long flags;

	if (in_nmi()) {
		topk_drop(topk_this_cpu(table), n);
		return;
	}
	local_irq_save(flags);
	topk_key_load(&key, bytes, table->key_size, &table->secret);
	if (!shared_hit_present(t, &key, n) && !shared_hit_absent(t, &key, n))
		topk_drop(topk_this_cpu(table), n);
	local_irq_restore(flags);
}

/* Creation */

static void shared_destroy(struct topk_table *table)
{
	struct shared *t = shared_of(table);

	kvfree(t->locks);
	topk_buckets_clear(&t->base);
	kvfree(t);
}

static int shared_locks_init(struct shared *t)
{
	u64 i;

	t->locks = kvcalloc(t->base.index.count + 1, sizeof(*t->locks), GFP_KERNEL);
	if (!t->locks)
		return -ENOMEM;
	for (i = 0; i <= t->base.index.count; i++)
		raw_spin_lock_init(&t->locks[i].lock);
	for (i = 0; i <= t->base.mask; i++)
		raw_spin_lock_init(&t->base.array[i].lock);
	return 0;
}

static struct topk_table *shared_create(u32 capacity, u32 key_size,
					const struct topk_secret *secret)
{
	struct shared *t = kvzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	if (topk_buckets_init(&t->base, &topk_shared_ops, capacity, key_size, secret) ||
	    shared_locks_init(t)) {
		shared_destroy(&t->base.table);
		return NULL;
	}
	return &t->base.table;
}

static size_t shared_bytes(const struct topk_table *table)
{
	const struct shared *t = shared_of(table);

	return sizeof(*t) + topk_buckets_bytes(&t->base) +
	       (t->base.index.count + 1) * sizeof(*t->locks);
}

const struct topk_ops topk_shared_ops = {
	.name		= "shared",
	.design		= SCOUNTER_TOPK_SHARED,
	.create		= shared_create,
	.destroy	= shared_destroy,
	.add		= shared_add,
	.read		= topk_buckets_read,
	.bytes		= shared_bytes,
};

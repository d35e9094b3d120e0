// SPDX-License-Identifier: GPL-2.0
/*
 * Space-Saving with elements and buckets that have owners (Das et al. 2009): by
 * cooperation (section 4), or with locks (section 3.2), for comparison.
 *
 * Elements are kept in buckets by their frequency.  To count a hit is to take an
 * element out of one bucket and put it into another; both must belong to one
 * context meanwhile.
 *
 * In the *cooperative* design nobody waits for an owner.  A context that finds
 * an element owned leaves its hits in the element's state and goes on; the owner
 * adds them all at once before it lets go.  A context that finds a bucket owned
 * leaves its element in the bucket's queue; the owner looks at the queue until it
 * is empty.  A context that owns a bucket takes no other (Minimal Existence):
 * what it took out for another bucket waits in a list of its own until it has
 * let go.  In the *shared* design both have locks, and a context waits for them, one
 * bucket at a time.
 *
 * Otherwise than in the paper:
 *
 * - The buckets are a fixed array, and a bucket has all elements whose frequency
 *   is its number modulo the array's length.  So there is no list to walk, and no
 *   bucket to make, to mark as empty and to reclaim, which would need memory
 *   for as many as may come before the last reader has left.  What the list's
 *   order was good for, queries do by sorting.
 * - While an element is between two buckets the smallest frequency may be its
 *   own, and an eviction cannot see it.  The paper evicts another then, and later
 *   gives the smaller count to a key that may have been hit more often.  Here a
 *   new key's count is at least the largest that was ever evicted, so that the
 *   upper bound holds; by how much counts are raised so is summed up.
 * - A context that is throttled cannot sleep in the kernel.  It leaves the key in
 *   a slot of its CPU, which the next hit of an absent key on that CPU takes, or
 *   a query; if all slots are full the hit is dropped, and counted as such.
 * - The key that is evicted stays in its chain until the CPU whose key came in its
 *   place wants a node: one more request that is left to another, so that the
 *   owner of the bucket of the least frequency is done sooner.
 * - Who finds an element owned gathers the hits of its key from then on, and leaves
 *   them to the owner many at once: gather.h.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/processor.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "contention.h"
#include "delegation.h"
#include "gather.h"
#include "index.h"
#include "table.h"

u32 topk_queue_limit = 500;
bool topk_tunes = true;
bool topk_gathers = true;

#define STEPS		16
#define SLOTS		8

/* What an owned element wants of a bucket; LEFT if another context will see to it. */
enum request { MOVE, ADD, OVERWRITE, REQUEST = 3, LEFT = 4 };

/* Beside a node: with a key of 8 bytes both are one cache line, and move as one. */
struct element {
	atomic64_t count;	/* 0 is not monitored */
	u64 add;		/* by the owner: what to add to it */
	/* In the bucket's list; or, before that, the CPU whose key it is. */
	u32 previous, next;
};

struct bucket {
	atomic64_t queue;
	atomic64_t owned;
	raw_spinlock_t lock;	/* the shared design: of who owns it */
	u32 first;		/* all that follows by the owner */
	u32 deferred;		/* overwrites that found no victim, */
	u64 barren;		/* at this frequency, until an element comes or goes */
};

/* A hit that was shed; `use` says who may touch it. */
struct slot {
	atomic64_t use;
	u64 n;
	u64 key[TOPK_KEY_WORDS];
};

enum { EMPTY, BUSY, FULL };

/* A CPU's victims: lists of nodes that are to leave their chains. */
struct victims {
	atomic64_t given;	/* by whoever evicted them */
	atomic64_t kept;	/* of those, for later */
} ____cacheline_aligned_in_smp;

/* Apart from what its owner writes: who waits for it is not in the owner's way. */
struct element_lock {
	raw_spinlock_t lock;
} ____cacheline_aligned_in_smp;

struct cooperative {
	struct topk_table table;
	struct topk_index index;
	struct bucket *buckets;
	struct element_lock *element_locks;	/* by node; the shared design only */
	struct slot *slots;		/* SLOTS a CPU */
	struct victims *victims;	/* by CPU */
	u64 mask;
	bool gathers;
	atomic64_t unused ____cacheline_aligned_in_smp;	/* entries */
	atomic64_t least;		/* where evictions look first */
	atomic64_t evicted;		/* the greatest count that was evicted */
	atomic64_t waiting ____cacheline_aligned_in_smp; /* overwrites in queues */
};

/*
 * What a context has to do yet: elements that it owns, and will bring to their
 * buckets; and how many overwrites that waited are done, which it tells the others
 * all at once, as each time takes a cache line from all that look at it.
 */
struct work {
	u32 first;
	u32 overwritten;
};

static struct cooperative *cooperative_of(const struct topk_table *table)
{
	return container_of(table, struct cooperative, table);
}

static struct topk_cpu *this_cpu_of(struct cooperative *t)
{
	return topk_this_cpu(&t->table);
}

static struct topk_node *node_of(struct cooperative *t, u32 i)
{
	return topk_node(&t->index, i);
}

static struct element *element_of(struct cooperative *t, u32 i)
{
	return topk_beside(&t->index, i);
}

/* The shared design waits for who has an element, or a bucket. */
static bool waits(const struct cooperative *t)
{
	return t->element_locks;
}

static u64 count_of(struct cooperative *t, u32 i)
{
	return atomic64_read(&element_of(t, i)->count);
}

static struct bucket *bucket_of(struct cooperative *t, u64 count)
{
	return &t->buckets[count & t->mask];
}

/* Who finds it owned has not taken its cache line from the owner. */
static bool try_own(atomic64_t *owned)
{
	s64 free = 0;

	return !atomic64_read(owned) && atomic64_try_cmpxchg(owned, &free, 1);
}

/* Lists */

static void bucket_add(struct cooperative *t, struct bucket *bucket, u32 i)
{
	struct element *element = element_of(t, i);

	element->previous = 0;
	element->next = bucket->first;
	if (bucket->first)
		element_of(t, bucket->first)->previous = i;
	WRITE_ONCE(bucket->first, i);
}

static void bucket_del(struct cooperative *t, struct bucket *bucket, u32 i)
{
	struct element *element = element_of(t, i);

	if (element->next)
		element_of(t, element->next)->previous = element->previous;
	if (element->previous)
		element_of(t, element->previous)->next = element->next;
	else
		WRITE_ONCE(bucket->first, element->next);
}

static void work_add(struct cooperative *t, struct work *work, u32 i, u32 request)
{
	node_of(t, i)->request = request;
	node_of(t, i)->next = work->first;
	work->first = i;
}

/* The hits of this request will be counted by whoever serves it. */
static void leave_to_another(struct cooperative *t, u32 i)
{
	struct topk_node *node = node_of(t, i);

	if (node->request == ADD || node->request & LEFT)
		return;
	topk_announce(this_cpu_of(t), element_of(t, i)->add);
	if (topk_tunes && node->request == OVERWRITE)
		atomic64_inc(&t->waiting);
	node->request |= LEFT;
}

/* They are counted, or dropped. */
static void added(struct cooperative *t, u32 i)
{
	if (node_of(t, i)->request & LEFT)
		topk_counted(this_cpu_of(t), element_of(t, i)->add);
}

static void overwritten(struct cooperative *t, struct work *work, u32 i)
{
	if (node_of(t, i)->request & LEFT)
		work->overwritten++;
}

static void queue_push(struct cooperative *t, struct bucket *bucket, u32 i)
{
	s64 head;

	leave_to_another(t, i);
	do {
		head = atomic64_read(&bucket->queue);
		node_of(t, i)->next = head;
	} while (!atomic64_try_cmpxchg(&bucket->queue, &head, i));
}

/* Requests, by the owner of the bucket */

/* Let the element go, unless hits were left: then count them, and return false. */
static bool let_go(struct cooperative *t, u32 i)
{
	struct topk_node *node = node_of(t, i);
	u64 pending;
	s64 state;

	do {
		state = atomic64_read(&node->state);
		pending = topk_state_pending(state);
	} while (!atomic64_try_cmpxchg(&node->state, &state,
				       state - (pending ?: TOPK_RESERVED)));
	if (!pending)
		return true;
	atomic64_set(&element_of(t, i)->count, topk_add_saturating(count_of(t, i), pending));
	topk_counted(this_cpu_of(t), pending);
	return false;
}

/*
 * The element has come to the bucket of its count.  It is let go before it is in
 * the list: who owns it next needs the bucket, too, and does not get it before.
 */
static void add_element(struct cooperative *t, struct bucket *bucket, u32 i,
			struct work *work)
{
	s64 least = atomic64_read(&t->least);
	u64 count = count_of(t, i);

	/* Also if it goes on: overwrites may have waited for this count. */
	WRITE_ONCE(bucket->barren, 0);
	while (!let_go(t, i)) {
		count = count_of(t, i);
		if (bucket_of(t, count) == bucket)
			continue;
		work_add(t, work, i, ADD);
		return;
	}
	bucket_add(t, bucket, i);
	/* It was on its way while evictions looked beyond it. */
	while (unlikely((u64)least > count) &&
	       !atomic64_try_cmpxchg(&t->least, &least, count))
		;
}

static void move_element(struct cooperative *t, struct bucket *bucket, u32 i,
			 struct work *work)
{
	struct element *element = element_of(t, i);

	bucket_del(t, bucket, i);
	WRITE_ONCE(bucket->barren, 0);
	atomic64_set(&element->count, topk_add_saturating(count_of(t, i), element->add));
	added(t, i);
	work_add(t, work, i, ADD);
}

/* An element of the least frequency that nobody owns; says if there is any. */
static u32 find_victim(struct cooperative *t, struct bucket *bucket, u64 least,
		       bool *any)
{
	u32 i;

	*any = false;
	for (i = bucket->first; i; i = element_of(t, i)->next) {
		struct topk_node *node = node_of(t, i);
		s64 state = atomic64_read(&node->state);

		if (count_of(t, i) > least)
			continue;
		*any = true;
		/* The greatest is known before the key can come in again. */
		topk_raise(&t->evicted, count_of(t, i));
		if (!(state & (TOPK_RESERVED | TOPK_EVICTED)) &&
		    atomic64_try_cmpxchg(&node->state, &state, state | TOPK_EVICTED))
			return i;
	}
	return 0;
}

static u64 least_count(struct cooperative *t)
{
	u64 least = U64_MAX;
	u32 i;

	for (i = 1; i <= t->index.count; i++) {
		u64 count = count_of(t, i);

		if (count)
			least = min(least, count);
	}
	return least;
}

/*
 * No element of the least frequency is here.  True: look again elsewhere.  False:
 * one is on its way to this bucket, as only its owner changes that count.
 */
static bool look_further(struct cooperative *t, u64 least)
{
	s64 old = least;
	u64 next = least + 1;
	u32 i = READ_ONCE(bucket_of(t, next)->first);

	if (!i || count_of(t, i) != next) {
		next = least_count(t);
		if (next == least)
			return false;
	}
	atomic64_try_cmpxchg(&t->least, &old, next);
	return true;
}

/* All entries are being given to their first keys just now: none to overwrite. */
static void give_up(struct cooperative *t, u32 i, struct work *work)
{
	struct element *element = element_of(t, i);
	u64 left = topk_state_pending(topk_index_release(&t->index, i, TOPK_EVICTED));

	topk_drop(this_cpu_of(t), element->add + left);
	added(t, i);
	topk_counted(this_cpu_of(t), left);
	overwritten(t, work, i);
	topk_index_remove(&t->index, i);
	topk_index_give(&t->index, i);
}

/*
 * A victim has lost its element, but is still in its chain.  To take it out is work for
 * the CPU whose key came in its place, and will want the node for the next one: the
 * owner of the bucket of the least frequency has enough to do.
 */
static void give_victim(struct cooperative *t, u32 cpu, u32 i)
{
	s64 given = atomic64_read(&t->victims[cpu].given);

	do {
		node_of(t, i)->next = given;
	} while (!atomic64_try_cmpxchg(&t->victims[cpu].given, &given, i));
}

static u32 take_list(atomic64_t *list)
{
	return atomic64_read(list) ? atomic64_xchg(list, 0) : 0;
}

static void retire(struct cooperative *t, u32 i)
{
	topk_index_remove(&t->index, i);
	topk_index_give(&t->index, i);
}

/* One of a CPU's victims; the others wait until they are wanted. */
static bool retire_one(struct cooperative *t, struct victims *victims)
{
	u32 i = take_list(&victims->kept) ?: take_list(&victims->given);
	u32 rest, next;

	if (!i)
		return false;
	for (rest = node_of(t, i)->next; rest; rest = next) {
		s64 none = 0;

		next = node_of(t, rest)->next;
		if (atomic64_try_cmpxchg(&victims->kept, &none, rest))
			break;
		/* Another context keeps some meanwhile. */
		retire(t, rest);
	}
	retire(t, i);
	return true;
}

/* A node for a new key, RESERVED, or 0; of another CPU's victims if there is no other. */
static u32 take_node(struct cooperative *t, const struct topk_key *key)
{
	u32 cpu = raw_smp_processor_id();
	u32 n, i;

	if (!topk_index_has_spare(&t->index))
		retire_one(t, &t->victims[cpu]);
	i = topk_index_take(&t->index, key);
	for (n = 1; !i && n <= nr_cpu_ids; n++)
		if (retire_one(t, &t->victims[(cpu + n) % nr_cpu_ids]))
			i = topk_index_take(&t->index, key);
	return i;
}

/* True, or the element must stay with the bucket. */
static bool overwrite(struct cooperative *t, struct bucket *bucket, u32 i,
		      struct work *work)
{
	u64 least = atomic64_read(&t->least);
	struct element *element = element_of(t, i);
	u64 count, base;
	u32 victim;
	bool any;

	if (least == U64_MAX) {
		atomic64_set(&t->least, 0);
		give_up(t, i, work);
		return true;
	}
	if (bucket_of(t, least) != bucket) {
		work_add(t, work, i, node_of(t, i)->request);
		return true;
	}
	if (bucket->barren == least && least)
		return false;
	victim = find_victim(t, bucket, least, &any);
	if (!victim) {
		if (any || !look_further(t, least)) {
			WRITE_ONCE(bucket->barren, least);
			return false;
		}
		work_add(t, work, i, node_of(t, i)->request);
		return true;
	}
	bucket_del(t, bucket, victim);
	count = count_of(t, victim);
	base = max_t(u64, count, atomic64_read(&t->evicted));
	atomic64_add(base - count, &this_cpu_of(t)->inflation);
	WRITE_ONCE(node_of(t, i)->error, base);
	/* Release: the error belongs to the count; pairs with read_element(). */
	atomic64_set_release(&element->count, topk_add_saturating(base, element->add));
	added(t, i);
	atomic64_set(&element_of(t, victim)->count, 0);
	give_victim(t, element->previous, victim);
	/* Who waits does the whole of an operation under its lock. */
	if (waits(t))
		retire_one(t, &t->victims[element->previous]);
	overwritten(t, work, i);
	atomic64_inc(&this_cpu_of(t)->evictions);
	work_add(t, work, i, ADD);
	return true;
}

static void serve(struct cooperative *t, struct bucket *bucket, u32 i, struct work *work)
{
	switch (node_of(t, i)->request & REQUEST) {
	case MOVE:
		move_element(t, bucket, i, work);
		break;
	case ADD:
		add_element(t, bucket, i, work);
		break;
	case OVERWRITE:
		if (!overwrite(t, bucket, i, work)) {
			leave_to_another(t, i);
			node_of(t, i)->next = bucket->deferred;
			bucket->deferred = i;
		}
		break;
	}
}

static void serve_list(struct cooperative *t, struct bucket *bucket, u32 i,
		       struct work *work)
{
	u32 next;

	for (; i; i = next) {
		next = node_of(t, i)->next;
		serve(t, bucket, i, work);
	}
}

/* Until one finds no victim: then there is none for the others. */
static void serve_deferred(struct cooperative *t, struct bucket *bucket, struct work *work)
{
	u32 i, next;

	for (i = bucket->deferred; i; i = next) {
		next = node_of(t, i)->next;
		if (!overwrite(t, bucket, i, work))
			break;
	}
	bucket->deferred = i;
}

static void tell_others(struct cooperative *t, struct work *work)
{
	if (topk_tunes && work->overwritten)
		atomic64_sub(work->overwritten, &t->waiting);
	work->overwritten = 0;
}

/*
 * The queue until it is empty, then the bucket is let go.  Who finds it owned has
 * pushed before; who lets go looks at the queue afterwards.  So the barrier
 * pairs with the compare-and-swap of queue_push(), which try_own() follows:
 * topk-relinquish.litmus.
 */
static void serve_queue(struct cooperative *t, struct bucket *bucket, struct work *work)
{
	do {
		while (atomic64_read(&bucket->queue)) {
			serve_list(t, bucket, atomic64_xchg(&bucket->queue, 0), work);
			serve_deferred(t, bucket, work);
			tell_others(t, work);
		}
		atomic64_set_release(&bucket->owned, 0);
		smp_mb(); /* queue_push() */
	} while (atomic64_read(&bucket->queue) && try_own(&bucket->owned));
}

static struct bucket *wanted_bucket(struct cooperative *t, u32 i)
{
	bool overwrites = (node_of(t, i)->request & REQUEST) == OVERWRITE;

	return bucket_of(t, overwrites ? (u64)atomic64_read(&t->least) : count_of(t, i));
}

static void bring_cooperating(struct cooperative *t, u32 i, struct work *work)
{
	struct bucket *bucket = wanted_bucket(t, i);

	if (!try_own(&bucket->owned)) {
		queue_push(t, bucket, i);
		if (!try_own(&bucket->owned))
			return;
	} else {
		serve(t, bucket, i, work);
		/* Those that go the same way, mostly from the bucket before. */
		while ((i = work->first) && wanted_bucket(t, i) == bucket) {
			work->first = node_of(t, i)->next;
			serve(t, bucket, i, work);
		}
		serve_deferred(t, bucket, work);
	}
	serve_queue(t, bucket, work);
}

/* Until an element comes to the bucket or goes, or the least count is another. */
static void wait_for_victim(struct cooperative *t, struct bucket *bucket)
{
	u64 barren;

	do {
		cpu_relax();
		barren = READ_ONCE(bucket->barren);
	} while (barren && barren == (u64)atomic64_read(&t->least));
}

/* The shared design: with the bucket's lock, and again if there is no victim. */
static void bring_locking(struct cooperative *t, u32 i, struct work *work)
{
	struct bucket *bucket;
	bool done = true;

	do {
		bucket = wanted_bucket(t, i);
		raw_spin_lock(&bucket->lock);
		if (node_of(t, i)->request == OVERWRITE)
			done = overwrite(t, bucket, i, work);
		else
			serve(t, bucket, i, work);
		raw_spin_unlock(&bucket->lock);
		if (!done)
			wait_for_victim(t, bucket);
	} while (!done);
}

static void bring(struct cooperative *t, struct work *work)
{
	u32 i;

	while ((i = work->first)) {
		work->first = node_of(t, i)->next;
		if (waits(t))
			bring_locking(t, i, work);
		else
			bring_cooperating(t, i, work);
		tell_others(t, work);
	}
}

/* Hits */

enum outcome { COUNTED, LOOK_AGAIN, LEFT_THE_TABLE };

/* By the owner of the element. */
static void count_owned(struct cooperative *t, u32 i, u64 n)
{
	struct work work = { 0 };

	element_of(t, i)->add = n;
	work_add(t, &work, i, MOVE);
	bring(t, &work);
}

static enum outcome hit_cooperating(struct cooperative *t, u32 i, const struct topk_key *key,
				    u64 n, bool gathers)
{
	struct topk_node *node = node_of(t, i);
	u32 failures;
	s64 state;

	for (failures = 0;; topk_backoff(state, failures++)) {
		state = atomic64_read_acquire(&node->state);
		if (!topk_key_equal(key, node->key))
			return LOOK_AGAIN;
		if (state & TOPK_EVICTED)
			return LEFT_THE_TABLE;
		if (!(state & TOPK_RESERVED)) {
			if (!atomic64_try_cmpxchg(&node->state, &state,
						  state | TOPK_RESERVED))
				continue;
			count_owned(t, i, n);
			return COUNTED;
		}
		if (gathers && topk_gather(&t->table, key->word[0], n))
			return COUNTED;
		if (n > TOPK_PENDING_MASK - topk_state_pending(state)) {
			topk_drop(this_cpu_of(t), n);
			return COUNTED;
		}
		if (topk_delegate(this_cpu_of(t), node, &state, n))
			return COUNTED;
	}
}

/* The shared design: with the element's lock, which only evictions do without. */
static enum outcome hit_locking(struct cooperative *t, u32 i, const struct topk_key *key,
				u64 n)
{
	raw_spinlock_t *lock = &t->element_locks[i].lock;
	struct topk_node *node = node_of(t, i);
	enum outcome outcome = COUNTED;
	s64 state;

	raw_spin_lock(lock);
	state = atomic64_read_acquire(&node->state);
	/* Reserved, but not in its chain yet: an earlier use of the node led here. */
	if (state & TOPK_RESERVED || !topk_key_equal(key, node->key))
		outcome = LOOK_AGAIN;
	else if (state & TOPK_EVICTED ||
		 !atomic64_try_cmpxchg(&node->state, &state, state | TOPK_RESERVED))
		outcome = LEFT_THE_TABLE;
	else
		count_owned(t, i, n);
	raw_spin_unlock(lock);
	return outcome;
}

static enum outcome hit_node(struct cooperative *t, u32 i, const struct topk_key *key, u64 n,
			     bool gathers)
{
	return waits(t) ? hit_locking(t, i, key, n) : hit_cooperating(t, i, key, n, gathers);
}

static bool hit_present(struct cooperative *t, const struct topk_key *key, u64 n, bool gathers)
{
	s64 link = atomic64_read(topk_index_head(&t->index, key->hash));
	u32 steps;

	for (steps = 0; steps < STEPS && topk_link_node(link); steps++) {
		struct topk_node *node = node_of(t, topk_link_node(link));

		if (READ_ONCE(node->hash) == key->hash &&
		    hit_node(t, topk_link_node(link), key, n, gathers) == COUNTED)
			return true;
		link = atomic64_read(&node->link);
	}
	return false;
}

static bool take_unused(struct cooperative *t)
{
	s64 unused = atomic64_read(&t->unused);

	do {
		if (!unused)
			return false;
	} while (!atomic64_try_cmpxchg(&t->unused, &unused, unused - 1));
	return true;
}

/* A new key: one of the first m, or one that must overwrite another. */
static void enter(struct cooperative *t, u32 i, u64 n)
{
	struct work work = { 0 };

	element_of(t, i)->add = n;
	element_of(t, i)->previous = raw_smp_processor_id();
	if (take_unused(t)) {
		WRITE_ONCE(node_of(t, i)->error, 0);
		atomic64_set(&element_of(t, i)->count, n);
		work_add(t, &work, i, ADD);
	} else {
		work_add(t, &work, i, OVERWRITE);
	}
	bring(t, &work);
}

/* False, and where it is, if the key has a node. */
static bool insert_free(struct cooperative *t, const struct topk_key *key, u32 i, u64 n,
			struct topk_position *position)
{
	if (!topk_index_insert(&t->index, key, i, position))
		return false;
	enter(t, i, n);
	return true;
}

/*
 * The shared design: who finds the key waits until it has its element.  Nobody waits for
 * the element of a key meanwhile: two might wait for each other.
 */
static bool insert_locking(struct cooperative *t, const struct topk_key *key, u32 i, u64 n,
			   struct topk_position *position)
{
	raw_spinlock_t *lock = &t->element_locks[i].lock;
	bool inserted;

	raw_spin_lock(lock);
	inserted = insert_free(t, key, i, n, position);
	raw_spin_unlock(lock);
	return inserted;
}

static bool insert(struct cooperative *t, const struct topk_key *key, u32 i, u64 n,
		   struct topk_position *position)
{
	return waits(t) ? insert_locking(t, key, i, n, position) :
			  insert_free(t, key, i, n, position);
}

/* False: there is no node to be had.  Returns hits still to be counted in @n. */
static bool hit_absent(struct cooperative *t, const struct topk_key *key, u64 *n,
		       u64 *taken)
{
	struct topk_position position;
	enum outcome outcome;
	u64 left;
	u32 i;

	i = take_node(t, key);
	if (!i)
		return false;
	while (!insert(t, key, i, *n, &position)) {
		outcome = hit_node(t, position.node, key, *n, false);
		if (outcome == LEFT_THE_TABLE)
			topk_index_leave(&t->index, &position);
		if (outcome != COUNTED)
			continue;
		left = topk_state_pending(topk_index_release(&t->index, i, TOPK_EVICTED));
		topk_index_give(&t->index, i);
		*taken += left;
		*n = left;
		return true;
	}
	*n = 0;
	return true;
}

static bool is_throttled(struct cooperative *t)
{
	return topk_tunes && atomic64_read(&t->waiting) > topk_queue_limit;
}

/* Leave a hit in a slot of this CPU. */
static bool shed(struct cooperative *t, const struct topk_key *key, u64 n)
{
	struct slot *slot = &t->slots[raw_smp_processor_id() * SLOTS];
	struct slot *end = slot + SLOTS;

	for (; slot < end; slot++) {
		s64 use = EMPTY;

		if (!atomic64_try_cmpxchg(&slot->use, &use, BUSY))
			continue;
		slot->n = n;
		memcpy(slot->key, key->word, key->words * sizeof(u64));
		topk_announce(this_cpu_of(t), n);
		/* Pairs with the swap in take_shed(): topk-shed.litmus. */
		atomic64_set_release(&slot->use, FULL);
		return true;
	}
	return false;
}

static void hit(struct cooperative *t, const struct topk_key *key, u64 n);

/* Count what was shed in a CPU's slots. */
static void take_shed(struct cooperative *t, u32 cpu)
{
	struct slot *slot = &t->slots[cpu * SLOTS];
	struct slot *end = slot + SLOTS;

	for (; slot < end; slot++) {
		struct topk_key key;
		s64 use = FULL;
		u64 n;

		/* Pairs with the release in shed(): topk-shed.litmus. */
		if (atomic64_read(&slot->use) != FULL ||
		    !atomic64_try_cmpxchg(&slot->use, &use, BUSY))
			continue;
		topk_key_load(&key, slot->key, t->table.key_size, &t->table.secret);
		n = slot->n;
		atomic64_set_release(&slot->use, EMPTY);
		hit(t, &key, n);
		topk_counted(this_cpu_of(t), n);
	}
}

static void hit(struct cooperative *t, const struct topk_key *key, u64 n)
{
	u64 taken = 0;

	while (n && !hit_present(t, key, n, false)) {
		if (!is_throttled(t) && hit_absent(t, key, &n, &taken))
			continue;
		if (shed(t, key, n))
			break;
		if (!topk_throttle()) {
			topk_drop(this_cpu_of(t), n);
			break;
		}
	}
	if (taken)
		topk_counted(this_cpu_of(t), taken);
}

static void count_hits(struct cooperative *t, const struct topk_key *key, u64 n, bool gathers)
{
	if (likely(hit_present(t, key, n, gathers)))
		return;
	if (!is_throttled(t))
		take_shed(t, raw_smp_processor_id());
	hit(t, key, n);
}

static void cooperative_count(struct topk_table *table, const void *bytes, u64 n)
{
	struct cooperative *t = cooperative_of(table);
	struct topk_key key;

	topk_key_load(&key, bytes, table->key_size, &table->secret);
	count_hits(t, &key, n, false);
}

/* Does this CPU gather the key's hits? */
static bool gather_more(struct cooperative *t, u64 key, u64 n)
{
	struct topk_cpu *cpu = this_cpu_of(t);

	return READ_ONCE(cpu->gather_key) == key &&
	       (topk_gather_hit(cpu, key, n) || topk_gather(&t->table, key, n));
}

static void cooperative_add(struct topk_table *table, const void *bytes, u64 n)
{
	struct cooperative *t = cooperative_of(table);
	struct topk_key key;

	topk_key_load(&key, bytes, table->key_size, &table->secret);
	if (!t->gathers || !gather_more(t, key.word[0], n))
		count_hits(t, &key, n, t->gathers);
}

/* An interrupt must not find its own CPU holding what it waits for. */
static void shared_add(struct topk_table *table, const void *bytes, u64 n)
{
	unsigned long flags;

	if (in_nmi()) {
		topk_drop(this_cpu_of(cooperative_of(table)), n);
		return;
	}
	local_irq_save(flags);
	cooperative_count(table, bytes, n);
	local_irq_restore(flags);
}

/* Reading */

/* Count, error and key that belong together; false if it is not monitored. */
static bool read_element(struct cooperative *t, u32 i, struct scounter_topk_record *record,
			 u64 *generation)
{
	struct topk_node *node = node_of(t, i);
	u32 word, words = DIV_ROUND_UP(t->table.key_size, sizeof(u64));
	s64 state;

	do {
		state = atomic64_read_acquire(&node->state);
		*generation = topk_state_generation(state);
		/* Acquire: the error belongs to the first count. */
		record->count = atomic64_read_acquire(&element_of(t, i)->count);
		record->error = READ_ONCE(node->error);
		for (word = 0; word < words; word++)
			((u64 *)record->key)[word] = READ_ONCE(node->key[word]);
		smp_rmb(); /* topk_index_take(): topk-generation.litmus */
		/* Acquire: who finds it evicted finds what `evicted' was raised to. */
		state = atomic64_read_acquire(&node->state);
	} while (topk_state_generation(state) != *generation);
	return record->count && !(state & TOPK_EVICTED);
}

/*
 * A key that lost its element and got another during the walk may have been met
 * in both; it is where it still is at the end.
 */
static bool is_there(struct cooperative *t, u32 i, u64 generation)
{
	u64 state = atomic64_read_acquire(&node_of(t, i)->state);

	return topk_state_generation(state) == generation && !(state & TOPK_EVICTED);
}

struct reading {
	u64 generation;
	u32 node;
};

/*
 * The total is of those that are there at the end, and so never more than has been hit: no
 * count goes down.  With all that were met it would have the count of one that an eviction
 * then handed on to another twice, and a share of it would be too much for some key.
 */
static void read_all(struct cooperative *t, struct scounter_topk_header *all,
		     struct reading *readings)
{
	u32 i, n = 0;

	for (i = 1; i <= t->index.count; i++) {
		readings[n].node = i;
		n += read_element(t, i, topk_record(all, n), &readings[n].generation);
	}
	for (i = 0; i < n; i++) {
		const struct scounter_topk_record *record = topk_record(all, i);

		if (!is_there(t, readings[i].node, readings[i].generation))
			continue;
		all->total = topk_add_saturating(all->total, record->count);
		if (record->count == U64_MAX || all->total == U64_MAX)
			all->flags |= SCOUNTER_TOPK_F_SATURATED;
		if (all->records != i)
			memcpy(topk_record(all, all->records), record, all->record_size);
		all->records++;
	}
}

static int cooperative_read(struct topk_table *table, u32 most,
			    struct scounter_topk_header *header)
{
	struct cooperative *t = cooperative_of(table);
	struct scounter_topk_header *all;
	struct reading *readings;
	struct topk_sums sums;
	unsigned long flags;
	u64 pending;
	u32 cpu, i;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		/* As all that hits in the shared design. */
		local_irq_save(flags);
		take_shed(t, cpu);
		local_irq_restore(flags);
	}
	if (t->gathers)
		topk_gather_take_all(table);
	pending = topk_pending(table);
	all = topk_snapshot_alloc(table->key_size, t->index.count);
	readings = kvcalloc(t->index.count + 1, sizeof(*readings), GFP_KERNEL);
	if (!all || !readings) {
		topk_snapshot_free(all);
		kvfree(readings);
		return -ENOMEM;
	}
	read_all(t, all, readings);
	header->pending = pending;
	/* Counts that were raised on eviction have no hits in them. */
	topk_table_sums(table, &sums);
	header->total = all->total - min(all->total, sums.inflation);
	header->flags |= all->flags;
	for (i = 0; i < all->records; i++, topk_breathe(i))
		topk_offer(header, most, topk_record(all, i));
	header->floor = max_t(u64, header->floor, atomic64_read(&t->evicted));
	topk_snapshot_free(all);
	kvfree(readings);
	return 0;
}

/* Creation */

static void cooperative_destroy(struct topk_table *table)
{
	struct cooperative *t = cooperative_of(table);

	kvfree(t->buckets);
	kvfree(t->element_locks);
	kvfree(t->victims);
	kvfree(t->slots);
	topk_index_clear(&t->index);
	topk_table_clear(table);
	kvfree(t);
}

static int locks_init(struct cooperative *t)
{
	u64 i;

	t->element_locks = kvcalloc(t->index.count + 1, sizeof(*t->element_locks), GFP_KERNEL);
	if (!t->element_locks)
		return -ENOMEM;
	for (i = 0; i <= t->index.count; i++)
		raw_spin_lock_init(&t->element_locks[i].lock);
	for (i = 0; i <= t->mask; i++)
		raw_spin_lock_init(&t->buckets[i].lock);
	return 0;
}

static struct topk_table *create(const struct topk_ops *ops, u32 capacity,
				 u32 key_size, const struct topk_secret *secret)
{
	u32 nodes = capacity + topk_queue_limit + TOPK_NODES_PER_CPU * nr_cpu_ids;
	struct cooperative *t = kvzalloc(sizeof(*t), GFP_KERNEL);
	u32 buckets = roundup_pow_of_two(capacity);
	int err;

	if (!t)
		return NULL;
	err = topk_table_init(&t->table, ops, capacity, key_size, secret) ?:
	      topk_index_init(&t->index, nodes, key_size, sizeof(struct element));
	t->mask = buckets - 1;
	atomic64_set(&t->unused, capacity);
	t->buckets = kvcalloc(buckets, sizeof(*t->buckets), GFP_KERNEL);
	t->victims = kvcalloc(nr_cpu_ids, sizeof(*t->victims), GFP_KERNEL);
	t->slots = kvcalloc((size_t)nr_cpu_ids * SLOTS, sizeof(*t->slots), GFP_KERNEL);
	if (err || !t->buckets || !t->victims || !t->slots ||
	    (ops == &topk_shared_ops && locks_init(t))) {
		cooperative_destroy(&t->table);
		return NULL;
	}
	return &t->table;
}

static struct topk_table *cooperative_create(u32 capacity, u32 key_size,
					     const struct topk_secret *secret)
{
	struct topk_table *table = create(&topk_cooperative_ops, capacity, key_size, secret);

	if (table && (key_size == sizeof(u32) || key_size == sizeof(u64)))
		cooperative_of(table)->gathers = topk_gathers;
	return table;
}

static struct topk_table *shared_create(u32 capacity, u32 key_size,
					const struct topk_secret *secret)
{
	return create(&topk_shared_ops, capacity, key_size, secret);
}

static size_t cooperative_bytes(const struct topk_table *table)
{
	const struct cooperative *t = cooperative_of(table);

	return sizeof(*t) + topk_index_bytes(&t->index) +
	       (t->mask + 1) * sizeof(*t->buckets) +
	       (t->element_locks ? (t->index.count + 1) * sizeof(*t->element_locks) : 0) +
	       nr_cpu_ids * (SLOTS * sizeof(*t->slots) + sizeof(*t->victims) +
			     sizeof(*table->cpus));
}

const struct topk_ops topk_cooperative_ops = {
	.name		= "cooperative",
	.design		= SCOUNTER_TOPK_COOPERATIVE,
	.create		= cooperative_create,
	.destroy	= cooperative_destroy,
	.add		= cooperative_add,
	.count		= cooperative_count,
	.read		= cooperative_read,
	.bytes		= cooperative_bytes,
};

const struct topk_ops topk_shared_ops = {
	.name		= "shared",
	.design		= SCOUNTER_TOPK_SHARED,
	.create		= shared_create,
	.destroy	= cooperative_destroy,
	.add		= shared_add,
	.read		= cooperative_read,
	.bytes		= cooperative_bytes,
};

// SPDX-License-Identifier: GPL-2.0
/*
 * Space-Saving with elements and buckets that have owners: by cooperation, as section 4
 * of Das et al. 2009 has it, or with locks, as their section 3.2, for comparison.
 *
 * An element is in the bucket of its frequency.  To count a hit is to take it out of one
 * bucket and put it into another; it, and the bucket, must belong to one context
 * meanwhile.
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
 * That is who may do what, and it is the paper's.  What they do it to is not: here is no
 * Stream Summary, which is the list of all buckets in the order of their frequencies,
 * with the elements of each.
 *
 * - The buckets are a fixed array, and a bucket is that of all frequencies which are its
 *   number modulo the array's length.  It has an owner and a queue, but no list of its
 *   elements.  So there is no list to walk, and no bucket to make, to mark as empty and
 *   to reclaim, which would need memory for as many as may come before the last reader
 *   has left.  Queries sort, and evictions find the smallest count by bounds: places.h.
 * - While an element is between two buckets the smallest frequency may be its own.  The
 *   paper evicts another then, and later gives the smaller count to a key that may have
 *   been hit more often.  Here its place still has that count, and the eviction waits in
 *   the bucket until the element has been there.
 *
 * Otherwise than in the paper, too:
 *
 * - An owner serves so many requests, not all that others leave to it meanwhile.  Then it
 *   leaves the bucket *behind*, still owned, and the next context that hits anything, or a
 *   query, takes over.
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
#include <linux/preempt.h>
#include <linux/processor.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include "topk/contention.h"
#include "topk/delegation.h"
#include "topk/gather.h"
#include "topk/index.h"
#include "topk/places.h"
#include "topk/reading.h"
#include "topk/table.h"

u32 topk_queue_limit = 500;
u32 topk_requests = 64;
bool topk_tunes = true;
bool topk_gathers = true;

#define STEPS		16
#define SLOTS		8

/*
 * What an owned element wants of a bucket; LEFT if another context will see to it.  One
 * that has got an unused place goes by the bucket of the least count that the place may
 * have had for others until then.
 */
enum request { MOVE, ADD, OVERWRITE, FIRST, REQUEST = 3, LEFT = 4 };

struct bucket {
	atomic64_t queue;
	atomic64_t owned;
	raw_spinlock_t lock;	/* the shared design: of who owns it */
	u32 behind;		/* the next that was left behind; all that follows by the owner */
	u32 taken;		/* from the queue */
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
	struct topk_places places;
	struct bucket *buckets;
	struct element_lock *element_locks;	/* by node; the shared design only */
	struct slot *slots;		/* SLOTS a CPU */
	struct victims *victims;	/* by CPU */
	u64 mask;
	bool gathers;
	atomic64_t waiting ____cacheline_aligned_in_smp; /* overwrites in queues */
	/* Buckets that were left behind: a tag, and the first.  All look, few change it. */
	atomic64_t behind ____cacheline_aligned_in_smp;
};

/*
 * What a context has to do yet: elements that it owns, and will bring to their
 * buckets; how many requests it may serve; and how many overwrites that waited are
 * done, which it tells the others all at once, as each time takes a cache line from
 * all that look at it.
 */
struct work {
	u32 first;
	u32 requests;
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

static struct topk_element *element_of(struct cooperative *t, u32 i)
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

static u64 least_count(struct cooperative *t)
{
	return topk_bounds_least(&t->places.bounds);
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

/* Requests that wait */

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

	if (node->request == ADD || node->request == FIRST || node->request & LEFT)
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
	topk_place_raise(&t->places, i, topk_add_saturating(count_of(t, i), pending));
	topk_counted(this_cpu_of(t), pending);
	return false;
}

/* The element has come to the bucket of its count, or goes on if that has become another. */
static void add_element(struct cooperative *t, struct bucket *bucket, u32 i,
			struct work *work)
{
	/* In any case: overwrites may have waited for this count. */
	WRITE_ONCE(bucket->barren, 0);
	while (bucket_of(t, count_of(t, i)) == bucket)
		if (let_go(t, i))
			return;
	work_add(t, work, i, ADD);
}

static void move_element(struct cooperative *t, struct bucket *bucket, u32 i,
			 struct work *work)
{
	WRITE_ONCE(bucket->barren, 0);
	topk_place_raise(&t->places, i,
			 topk_add_saturating(count_of(t, i), element_of(t, i)->add));
	added(t, i);
	work_add(t, work, i, ADD);
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

/* One of a CPU's victims; the others wait until they are wanted. */
static bool retire_one(struct cooperative *t, u32 cpu)
{
	struct victims *victims = &t->victims[cpu];
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
		give_victim(t, cpu, rest);
	}
	topk_index_remove(&t->index, i);
	topk_index_give(&t->index, i);
	return true;
}

/* A node for a new key, RESERVED, or 0; of another CPU's victims if there is no other. */
static u32 take_node(struct cooperative *t, const struct topk_key *key)
{
	u32 cpu = raw_smp_processor_id();
	u32 n, i;

	if (!topk_index_has_spare(&t->index))
		retire_one(t, cpu);
	i = topk_index_take(&t->index, key);
	for (n = 1; !i && n <= nr_cpu_ids; n++)
		if (retire_one(t, (cpu + n) % nr_cpu_ids))
			i = topk_index_take(&t->index, key);
	return i;
}

/* The victim's place is another's; its owner, the caller, ends it. */
static void take_place(struct cooperative *t, u32 i, u32 victim, struct work *work)
{
	struct topk_element *element = element_of(t, i);
	u64 count = count_of(t, victim);
	u32 cpu = element->cpu;

	WRITE_ONCE(node_of(t, i)->error, count);
	topk_place_give(&t->places, element_of(t, victim)->place, victim, i,
			topk_add_saturating(count, element->add));
	added(t, i);
	give_victim(t, cpu, victim);
	/* Who waits does the whole of an operation under its lock. */
	if (waits(t))
		retire_one(t, cpu);
	overwritten(t, work, i);
	atomic64_inc(&this_cpu_of(t)->evictions);
	work_add(t, work, i, ADD);
}

/* Nothing of the least count can be evicted until an element of that count was here. */
static bool is_barren(const struct bucket *bucket, u64 least)
{
	return least && READ_ONCE(bucket->barren) == least;
}

/*
 * True, or the element must stay with the bucket.  Whoever has an element of the least
 * count, which an eviction finds owned, must bring it to this bucket or away from it.
 */
static bool overwrite(struct cooperative *t, struct bucket *bucket, u32 i,
		      struct work *work)
{
	u64 least = least_count(t);
	u32 victim = 0;
	bool busy = false;

	if (bucket_of(t, least) == bucket && !is_barren(bucket, least)) {
		victim = topk_place_evict(&t->places, &this_cpu_of(t)->hint, least, &busy);
		if (victim) {
			take_place(t, i, victim, work);
			return true;
		}
	}
	if (bucket_of(t, least_count(t)) != bucket) {
		work_add(t, work, i, node_of(t, i)->request);
		return true;
	}
	if (busy)
		WRITE_ONCE(bucket->barren, least);
	return false;
}

static void serve(struct cooperative *t, struct bucket *bucket, u32 i, struct work *work)
{
	switch (node_of(t, i)->request & REQUEST) {
	case MOVE:
		move_element(t, bucket, i, work);
		break;
	case ADD:
	case FIRST:
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

/* Until one finds no victim: then there is none for the others. */
static void serve_deferred(struct cooperative *t, struct bucket *bucket, struct work *work)
{
	u32 i;

	while ((i = bucket->deferred) && work->requests) {
		u32 next = node_of(t, i)->next;

		work->requests--;
		if (!overwrite(t, bucket, i, work))
			return;
		bucket->deferred = next;
	}
}

static void tell_others(struct cooperative *t, struct work *work)
{
	if (topk_tunes && work->overwritten)
		atomic64_sub(work->overwritten, &t->waiting);
	work->overwritten = 0;
}

static struct bucket *wanted_bucket(struct cooperative *t, u32 i)
{
	switch (node_of(t, i)->request & REQUEST) {
	case OVERWRITE:
		return bucket_of(t, least_count(t));
	case FIRST:
		return bucket_of(t, 1);
	}
	return bucket_of(t, count_of(t, i));
}

/* What was taken, what was deferred, and the queue; false if that is more than one may serve. */
static bool serve_all(struct cooperative *t, struct bucket *bucket, struct work *work)
{
	u32 i;

	for (;;) {
		while ((i = bucket->taken)) {
			if (!work->requests)
				return false;
			work->requests--;
			bucket->taken = node_of(t, i)->next;
			serve(t, bucket, i, work);
		}
		serve_deferred(t, bucket, work);
		tell_others(t, work);
		if (!atomic64_read(&bucket->queue))
			break;
		bucket->taken = atomic64_xchg(&bucket->queue, 0);
	}
	return !bucket->deferred || is_barren(bucket, least_count(t));
}

/* For the next context: it owns the bucket when it has taken it.  topk-behind.litmus */
static void leave_behind(struct cooperative *t, struct bucket *bucket)
{
	s64 behind = atomic64_read(&t->behind);
	u32 number = bucket - t->buckets + 1;

	do {
		WRITE_ONCE(bucket->behind, (u32)behind);
	} while (!atomic64_try_cmpxchg(&t->behind, &behind, topk_link_after(behind, number)));
}

/* The bucket that was left behind last, or NULL.  Pairs with leave_behind(). */
static struct bucket *take_over(struct cooperative *t)
{
	s64 behind = atomic64_read_acquire(&t->behind);
	struct bucket *bucket;

	do {
		if (!(u32)behind)
			return NULL;
		bucket = &t->buckets[(u32)behind - 1];
	} while (!atomic64_try_cmpxchg(&t->behind, &behind,
			topk_link_after(behind, READ_ONCE(bucket->behind))));
	return bucket;
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
		if (!serve_all(t, bucket, work)) {
			tell_others(t, work);
			leave_behind(t, bucket);
			return;
		}
		atomic64_set_release(&bucket->owned, 0);
		smp_mb(); /* queue_push() */
	} while (atomic64_read(&bucket->queue) && try_own(&bucket->owned));
}

static void bring_cooperating(struct cooperative *t, u32 i, struct work *work)
{
	struct bucket *bucket = wanted_bucket(t, i);

	if (!work->requests || !try_own(&bucket->owned)) {
		queue_push(t, bucket, i);
		if (!try_own(&bucket->owned))
			return;
	} else {
		for (;;) {
			work->requests--;
			serve(t, bucket, i, work);
			/* What goes the same way, mostly from the bucket before. */
			i = work->first;
			if (!i || !work->requests || wanted_bucket(t, i) != bucket)
				break;
			work->first = node_of(t, i)->next;
		}
	}
	serve_queue(t, bucket, work);
}

/* Until an element comes to the bucket or goes, or the least count is another. */
static void wait_for_victim(struct cooperative *t, struct bucket *bucket)
{
	do
		cpu_relax();
	while (is_barren(bucket, least_count(t)));
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

static void bring_all(struct cooperative *t, struct work *work)
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

/* What was left behind, as far as one may serve it; false if there is nothing. */
static bool bring_behind(struct cooperative *t, struct work *work)
{
	struct bucket *bucket = take_over(t);

	if (!bucket)
		return false;
	serve_queue(t, bucket, work);
	bring_all(t, work);
	return true;
}

static bool help(struct cooperative *t)
{
	struct work work = { .requests = topk_requests };

	return bring_behind(t, &work);
}

/* An element of this context, then what others have left behind. */
static void bring(struct cooperative *t, u32 i, u32 request)
{
	struct work work = { .requests = topk_requests };

	work_add(t, &work, i, request);
	bring_all(t, &work);
	while (work.requests && bring_behind(t, &work))
		;
}

/* Hits */

enum outcome { COUNTED, LOOK_AGAIN, LEFT_THE_TABLE };

/* By the owner of the element. */
static void count_owned(struct cooperative *t, u32 i, u64 n)
{
	element_of(t, i)->add = n;
	bring(t, i, MOVE);
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
			if (!shed(t, key, n))
				topk_drop(this_cpu_of(t), n);
			return COUNTED;
		}
		if (topk_delegate(this_cpu_of(t), node, &state, n)) {
			help(t);
			return COUNTED;
		}
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

/* A new key: one of the first m, or one that must overwrite another. */
static void enter(struct cooperative *t, u32 i, u64 n)
{
	u32 place;

	if (topk_place_take(&t->places, &place)) {
		WRITE_ONCE(node_of(t, i)->error, 0);
		topk_place_give(&t->places, place, 0, i, n);
		bring(t, i, FIRST);
		return;
	}
	element_of(t, i)->add = n;
	element_of(t, i)->cpu = raw_smp_processor_id();
	bring(t, i, OVERWRITE);
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
		if (is_throttled(t))
			help(t);
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

/* It is another key's between two of its looks, but not for long. */
static struct topk_look look(struct cooperative *t, u32 place)
{
	struct topk_look look;

	while (!topk_place_look(&t->places, place, &look))
		;
	return look;
}

static bool count_of_place(struct topk_table *table, u32 place, u64 *count)
{
	struct topk_look at = look(cooperative_of(table), place);

	*count = at.count;
	return at.node;
}

static void read_place(struct topk_table *table, struct topk_pick *pick,
		       struct scounter_topk_record *record)
{
	struct cooperative *t = cooperative_of(table);
	u32 word, words = DIV_ROUND_UP(table->key_size, sizeof(u64));
	struct topk_node *node;

	do {
		struct topk_look at = look(t, pick->place);

		node = node_of(t, at.node);
		pick->node = at.node;
		pick->generation = topk_state_generation(at.state);
		record->count = at.count;
		record->error = READ_ONCE(node->error);
		for (word = 0; word < words; word++)
			((u64 *)record->key)[word] = READ_ONCE(node->key[word]);
		smp_rmb(); /* topk_index_take(): topk-generation.litmus */
	} while (topk_state_generation(atomic64_read(&node->state)) != pick->generation);
}

/* Acquire: who finds it evicted finds what `evicted' was raised to. */
static bool is_in_place(struct topk_table *table, const struct topk_pick *pick)
{
	u64 state = atomic64_read_acquire(&node_of(cooperative_of(table), pick->node)->state);

	return topk_state_generation(state) == pick->generation && !(state & TOPK_EVICTED);
}

static u64 evicted_counts(struct topk_table *table)
{
	return atomic64_read(&cooperative_of(table)->places.evicted);
}

static const struct topk_reader reader = {
	.count		= count_of_place,
	.read		= read_place,
	.is_there	= is_in_place,
	.floor		= evicted_counts,
};

/* What was shed, gathered or left behind: then it is counted, unless more comes. */
static void take_all(struct cooperative *t)
{
	unsigned long flags;
	u32 cpu, rounds;
	bool more;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		/* As all that hits in the shared design. */
		local_irq_save(flags);
		take_shed(t, cpu);
		local_irq_restore(flags);
		topk_breathe(cpu);
	}
	if (t->gathers)
		topk_gather_take_all(&t->table);
	/* A round serves one request at least, and a node has one at most. */
	for (rounds = 0, more = true; more && rounds < t->index.count; rounds++) {
		/* As all that hits. */
		preempt_disable();
		more = help(t);
		preempt_enable();
		cond_resched();
	}
}

static int cooperative_read(struct topk_table *table, u32 most,
			    struct scounter_topk_header *header)
{
	take_all(cooperative_of(table));
	header->pending = topk_pending(table);
	return topk_read_places(table, &reader, most, header);
}

/* Creation */

static void cooperative_destroy(struct topk_table *table)
{
	struct cooperative *t = cooperative_of(table);

	kvfree(t->buckets);
	kvfree(t->element_locks);
	kvfree(t->victims);
	kvfree(t->slots);
	topk_places_clear(&t->places);
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
	      topk_index_init(&t->index, nodes, key_size, sizeof(struct topk_element)) ?:
	      topk_places_init(&t->places, &t->index, capacity);
	t->mask = buckets - 1;
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

	return sizeof(*t) + topk_index_bytes(&t->index) + topk_places_bytes(&t->places) +
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

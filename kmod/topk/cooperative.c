// SPDX-License-Identifier: GPL-2.0
/*
 * Space-Saving by cooperation (Das et al. 2009, section 4): elements and buckets have
 * owners (buckets.h), and nobody waits for an owner.
 *
 * A context that finds an element owned leaves its hits in the element's state and goes
 * on.  The owner adds them all at once before it lets go: with 5 hits left there, an
 * element of count 100 gets to 105 in one step.  A context that finds a bucket owned
 * leaves its element in the bucket's queue.  The owner serves the queue until it is
 * empty.  A context that owns a bucket takes no other (Minimal Existence): what it took
 * out for another bucket waits in a list of its own until it has let go.
 *
 * Four things are not as in the paper, besides those in buckets.h:
 *
 * - An owner serves 64 requests, and not all that others leave meanwhile.  Then it
 *   leaves the bucket *behind*, still owned.  The next context that hits anything takes
 *   over, or the next query.
 * - A throttled context cannot sleep in the kernel, and sheds the hit: shedding.h.
 * - An evicted key stays in its chain for a while: buckets.h.
 * - A context that finds an element owned gathers the hits of its key from then on, and
 *   leaves them to the owner many at once: gather.h.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "topk/buckets.h"
#include "topk/contention.h"
#include "topk/delegation.h"
#include "topk/gather.h"
#include "topk/index.h"
#include "topk/shedding.h"
#include "topk/table.h"

u32 topk_requests = 64;
bool topk_gathers = true;

struct cooperative {
	struct topk_buckets base;
	struct topk_shedding shedding;
	bool gathers;
	/* Buckets that were left behind: a tag, and the first.  All look, few change it. */
	atomic64_t behind ____cacheline_aligned_in_smp;
};

static struct cooperative *cooperative_of(const struct topk_table *table)
{
	return container_of(table, struct cooperative, base.table);
}

static struct topk_cpu *cooperative_this_cpu(struct cooperative *t)
{
	return topk_this_cpu(&t->base.table);
}

static struct topk_node *cooperative_node(struct cooperative *t, u32 i)
{
	return topk_node(&t->base.index, i);
}

/* Looks first: an attempt that fails would take the cache line from the owner, too. */
static bool cooperative_try_own(atomic64_t *owned)
{
	s64 free = 0;

	return !atomic64_read(owned) && atomic64_try_cmpxchg(owned, &free, 1);
}

/* Requests that wait */

/* Another context will count the hits of this request. */
static void cooperative_leave_request(struct cooperative *t, u32 i)
{
	struct topk_node *node = cooperative_node(t, i);

	if (node->request == TOPK_ARRIVE || node->request == TOPK_FIRST ||
	    node->request & TOPK_LEFT)
		return;
	topk_announce(cooperative_this_cpu(t), topk_element(&t->base.places, i)->add);
	if (node->request == TOPK_OVERWRITE)
		topk_shedding_waits(&t->shedding);
	node->request |= TOPK_LEFT;
}

static void cooperative_queue_push(struct cooperative *t, struct topk_bucket *bucket, u32 i)
{
	s64 head;

	cooperative_leave_request(t, i);
	do {
		head = atomic64_read(&bucket->queue);
		cooperative_node(t, i)->next = head;
	} while (!atomic64_try_cmpxchg(&bucket->queue, &head, i));
}

/* Requests, by the owner of the bucket */

static void cooperative_serve(struct cooperative *t, struct topk_bucket *bucket, u32 i,
			      struct topk_work *work)
{
	if (topk_bucket_serve(&t->base, bucket, i, work))
		return;
	cooperative_leave_request(t, i);
	cooperative_node(t, i)->next = bucket->deferred;
	bucket->deferred = i;
}

/* Until one overwrite finds no victim: then there is none for the others. */
static void cooperative_serve_deferred(struct cooperative *t, struct topk_bucket *bucket,
				       struct topk_work *work)
{
	u32 i;

	while ((i = bucket->deferred) && work->requests) {
		u32 next = cooperative_node(t, i)->next;

		work->requests--;
		if (!topk_bucket_serve(&t->base, bucket, i, work))
			return;
		bucket->deferred = next;
	}
}

/* The overwrites that were served wait no longer. */
static void cooperative_tell_others(struct cooperative *t, struct topk_work *work)
{
	topk_shedding_served(&t->shedding, work->overwritten);
	work->overwritten = 0;
}

/*
 * What was taken from the queue, what was deferred, and the queue.  False if that is more
 * than this context may serve.
 */
static bool cooperative_serve_all(struct cooperative *t, struct topk_bucket *bucket,
				  struct topk_work *work)
{
	u32 i;

	for (;;) {
		while ((i = bucket->taken)) {
			if (!work->requests)
				return false;
			work->requests--;
			bucket->taken = cooperative_node(t, i)->next;
			cooperative_serve(t, bucket, i, work);
		}
		cooperative_serve_deferred(t, bucket, work);
		cooperative_tell_others(t, work);
		if (!atomic64_read(&bucket->queue))
			break;
		bucket->taken = atomic64_xchg(&bucket->queue, 0);
	}
	return !bucket->deferred || topk_bucket_is_barren(&t->base, bucket);
}

/* The context that takes it over owns the bucket then.  topk-behind.litmus */
static void cooperative_leave_behind(struct cooperative *t, struct topk_bucket *bucket)
{
	s64 behind = atomic64_read(&t->behind);
	u32 number = bucket - t->base.array + 1;

	do {
		WRITE_ONCE(bucket->behind, (u32)behind);
	} while (!atomic64_try_cmpxchg(&t->behind, &behind, topk_link_after(behind, number)));
}

/* The bucket that was left behind last, or NULL.  Pairs with cooperative_leave_behind(). */
static struct topk_bucket *cooperative_take_over(struct cooperative *t)
{
	s64 behind = atomic64_read_acquire(&t->behind);
	struct topk_bucket *bucket;

	do {
		if (!(u32)behind)
			return NULL;
		bucket = &t->base.array[(u32)behind - 1];
	} while (!atomic64_try_cmpxchg(&t->behind, &behind,
			topk_link_after(behind, READ_ONCE(bucket->behind))));
	return bucket;
}

/*
 * Serve the queue until it is empty, then let the bucket go.  A context that finds the
 * bucket owned has pushed before it looked; the owner looks at the queue after it let go.
 * So the barrier pairs with the compare-and-swap of cooperative_queue_push(), which
 * cooperative_try_own() follows: topk-relinquish.litmus.
 */
static void cooperative_serve_queue(struct cooperative *t, struct topk_bucket *bucket,
				    struct topk_work *work)
{
	do {
		if (!cooperative_serve_all(t, bucket, work)) {
			cooperative_tell_others(t, work);
			cooperative_leave_behind(t, bucket);
			return;
		}
		atomic64_set_release(&bucket->owned, 0);
		smp_mb(); /* cooperative_queue_push() */
	} while (atomic64_read(&bucket->queue) && cooperative_try_own(&bucket->owned));
}

static void cooperative_bring_one(struct cooperative *t, u32 i, struct topk_work *work)
{
	struct topk_bucket *bucket = topk_buckets_wanted(&t->base, i);

	if (!work->requests || !cooperative_try_own(&bucket->owned)) {
		cooperative_queue_push(t, bucket, i);
		if (!cooperative_try_own(&bucket->owned))
			return;
	} else {
		for (;;) {
			work->requests--;
			cooperative_serve(t, bucket, i, work);
			/* Another element for this bucket, mostly from the bucket before. */
			i = work->first;
			if (!i || !work->requests || topk_buckets_wanted(&t->base, i) != bucket)
				break;
			work->first = cooperative_node(t, i)->next;
		}
	}
	cooperative_serve_queue(t, bucket, work);
}

static void cooperative_bring_all(struct cooperative *t, struct topk_work *work)
{
	u32 i;

	while ((i = work->first)) {
		work->first = cooperative_node(t, i)->next;
		cooperative_bring_one(t, i, work);
		cooperative_tell_others(t, work);
	}
}

/* A bucket that was left behind, as far as one may serve it; false if there is none. */
static bool cooperative_bring_behind(struct cooperative *t, struct topk_work *work)
{
	struct topk_bucket *bucket = cooperative_take_over(t);

	if (!bucket)
		return false;
	cooperative_serve_queue(t, bucket, work);
	cooperative_bring_all(t, work);
	return true;
}

static bool cooperative_help(struct cooperative *t)
{
	struct topk_work work = { .requests = topk_requests };

	return cooperative_bring_behind(t, &work);
}

/* An element of this context, then the buckets that others left behind. */
static void cooperative_bring(struct cooperative *t, u32 i, u32 request)
{
	struct topk_work work = { .requests = topk_requests };

	topk_work_add(&t->base, &work, i, request);
	cooperative_bring_all(t, &work);
	while (work.requests && cooperative_bring_behind(t, &work))
		;
}

/* Hits */

static bool cooperative_shed(struct cooperative *t, const struct topk_key *key, u64 n)
{
	return topk_shed(&t->shedding, cooperative_this_cpu(t), key, n);
}

static enum topk_outcome cooperative_hit_node(struct cooperative *t, u32 i,
					      const struct topk_key *key, u64 n, bool gathers)
{
	struct topk_node *node = cooperative_node(t, i);
	u32 failures;
	s64 state;

	for (failures = 0;; topk_backoff(state, failures++)) {
		state = atomic64_read_acquire(&node->state);
		if (!topk_key_equal(key, node->key))
			return TOPK_LOOK_AGAIN;
		if (state & TOPK_EVICTED)
			return TOPK_HAS_LEFT;
		if (!(state & TOPK_RESERVED)) {
			if (!atomic64_try_cmpxchg(&node->state, &state,
						  state | TOPK_RESERVED))
				continue;
			topk_element(&t->base.places, i)->add = n;
			cooperative_bring(t, i, TOPK_MOVE);
			return TOPK_COUNTED;
		}
		if (gathers && topk_gather(&t->base.table, key->word[0], n))
			return TOPK_COUNTED;
		if (n > TOPK_PENDING_MASK - topk_state_pending(state)) {
			if (!cooperative_shed(t, key, n))
				topk_drop(cooperative_this_cpu(t), n);
			return TOPK_COUNTED;
		}
		if (topk_delegate(cooperative_this_cpu(t), node, &state, n)) {
			cooperative_help(t);
			return TOPK_COUNTED;
		}
	}
}

static bool cooperative_hit_present(struct cooperative *t, const struct topk_key *key, u64 n,
				    bool gathers)
{
	struct topk_walk walk = topk_walk_begin(&t->base.index, key);
	u32 i;

	while ((i = topk_walk_next(&walk, &t->base.index, key)))
		if (cooperative_hit_node(t, i, key, n, gathers) == TOPK_COUNTED)
			return true;
	return false;
}

/*
 * False if there is no node for the key.  On return @n is what remains to be counted.
 * @taken grows by the hits among it that others left.
 */
static bool cooperative_hit_absent(struct cooperative *t, const struct topk_key *key, u64 *n,
				   u64 *taken)
{
	struct topk_index *index = &t->base.index;
	u32 i = topk_buckets_take_node(&t->base, key);
	struct topk_position position;
	enum topk_outcome outcome;

	if (!i)
		return false;
	while (!topk_index_insert(index, key, i, &position)) {
		outcome = cooperative_hit_node(t, position.node, key, *n, false);
		if (outcome == TOPK_HAS_LEFT)
			topk_index_leave(index, &position);
		if (outcome != TOPK_COUNTED)
			continue;
		*n = topk_state_pending(topk_node_release(cooperative_node(t, i), TOPK_EVICTED));
		*taken += *n;
		topk_index_give(index, &cooperative_this_cpu(t)->spare, i);
		return true;
	}
	cooperative_bring(t, i, topk_buckets_enter(&t->base, i, *n));
	*n = 0;
	return true;
}

static void cooperative_hit(struct cooperative *t, const struct topk_key *key, u64 n);

/* Count what was shed in a CPU's slots. */
static void cooperative_take_shed(struct cooperative *t, u32 cpu)
{
	struct topk_table *table = &t->base.table;
	struct topk_slot *slot = topk_slots_of(&t->shedding, cpu);
	struct topk_slot *end = slot + TOPK_SLOTS;

	for (; slot < end; slot++) {
		u64 bytes[TOPK_KEY_WORDS], n;
		struct topk_key key;

		if (!topk_slot_take(slot, bytes, table->key_size, &n))
			continue;
		topk_key_load(&key, bytes, table->key_size, &table->secret);
		cooperative_hit(t, &key, n);
		topk_counted(cooperative_this_cpu(t), n);
	}
}

static void cooperative_hit(struct cooperative *t, const struct topk_key *key, u64 n)
{
	u64 taken = 0;

	while (n && !cooperative_hit_present(t, key, n, false)) {
		if (topk_is_throttled(&t->shedding))
			cooperative_help(t);
		if (!topk_is_throttled(&t->shedding) && cooperative_hit_absent(t, key, &n, &taken))
			continue;
		if (cooperative_shed(t, key, n))
			break;
		if (!topk_throttle()) {
			topk_drop(cooperative_this_cpu(t), n);
			break;
		}
	}
	if (taken)
		topk_counted(cooperative_this_cpu(t), taken);
}

static void cooperative_count_hits(struct cooperative *t, const struct topk_key *key, u64 n,
				   bool gathers)
{
	if (likely(cooperative_hit_present(t, key, n, gathers)))
		return;
	if (!topk_is_throttled(&t->shedding))
		cooperative_take_shed(t, raw_smp_processor_id());
	cooperative_hit(t, key, n);
}

static void cooperative_count(struct topk_table *table, const void *bytes, u64 n)
{
	struct topk_key key;

	topk_key_load(&key, bytes, table->key_size, &table->secret);
	cooperative_count_hits(cooperative_of(table), &key, n, false);
}

/* True if this CPU gathers the key's hits, and has gathered these. */
static bool cooperative_gather_more(struct cooperative *t, u64 key, u64 n)
{
	struct topk_cpu *cpu = cooperative_this_cpu(t);

	return READ_ONCE(cpu->gather_key) == key &&
	       (topk_gather_hit(cpu, key, n) || topk_gather(&t->base.table, key, n));
}

static void cooperative_add(struct topk_table *table, const void *bytes, u64 n)
{
	struct cooperative *t = cooperative_of(table);
	struct topk_key key;

	topk_key_load(&key, bytes, table->key_size, &table->secret);
	if (!t->gathers || !cooperative_gather_more(t, key.word[0], n))
		cooperative_count_hits(t, &key, n, t->gathers);
}

/* Reading */

/* Count what was shed, gathered or left behind, unless more comes meanwhile. */
static void cooperative_take_all(struct cooperative *t)
{
	u32 cpu, rounds;
	bool more;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		/* As in every hit. */
		preempt_disable();
		cooperative_take_shed(t, cpu);
		preempt_enable();
		topk_breathe(cpu);
	}
	if (t->gathers)
		topk_gather_take_all(&t->base.table);
	/* A round serves one request at least, and a node has one at most. */
	for (rounds = 0, more = true; more && rounds < t->base.index.count; rounds++) {
		preempt_disable();
		more = cooperative_help(t);
		preempt_enable();
		cond_resched();
	}
}

static int cooperative_read(struct topk_table *table, u32 most,
			    struct scounter_topk_header *header)
{
	cooperative_take_all(cooperative_of(table));
	return topk_buckets_read(table, most, header);
}

/* Creation */

static void cooperative_destroy(struct topk_table *table)
{
	struct cooperative *t = cooperative_of(table);

	topk_shedding_clear(&t->shedding);
	topk_buckets_clear(&t->base);
	kvfree(t);
}

static struct topk_table *cooperative_create(u32 capacity, u32 key_size,
					     const struct topk_secret *secret)
{
	struct cooperative *t = kvzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	if (topk_buckets_init(&t->base, &topk_cooperative_ops, capacity, key_size, secret) ||
	    topk_shedding_init(&t->shedding)) {
		cooperative_destroy(&t->base.table);
		return NULL;
	}
	if (key_size == sizeof(u32) || key_size == sizeof(u64))
		t->gathers = topk_gathers;
	return &t->base.table;
}

static size_t cooperative_bytes(const struct topk_table *table)
{
	const struct cooperative *t = cooperative_of(table);

	return sizeof(*t) + topk_buckets_bytes(&t->base) + topk_shedding_bytes();
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

// SPDX-License-Identifier: GPL-2.0
/*
 * How requests get to buckets.
 *
 * A thread that owns nothing tries to own the bucket of its request.  If it fails, it
 * appends the request to the queue, and proceeds (Principle 4.1).  The owner serves the
 * queue until it is empty.  A thread that owns a bucket never tries to own another
 * (Principle 4.2): it appends the request to the other one's queue, claims that bucket, and
 * looks at the queues of what it has claimed when it owns nothing any more.
 *
 * Nothing is left in a queue for ever (Invariant 4.1).  Who appends looks afterwards whether
 * the bucket is owned, and who lets a bucket go looks afterwards at its queue; one of both
 * sees the other.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/processor.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "profile.h"
#include "summary.h"

/* Buckets that threads may have at hand, and some to begin with. */
#define BUCKETS_PER_CPU		(2 * POOL_AT_HAND)
#define BUCKETS_BESIDE		64
/* Beside one for each element: one with overwrites alone, and some that come and go. */
#define BUCKETS_LEAST		4

#define WALK_TRIES		16	/* of a query, a bucket */

static struct worker *this_worker(const struct summary *s)
{
	return &s->workers[raw_smp_processor_id()];
}

static struct location *location_of(const struct summary *s, u32 l)
{
	return &s->search.locations[l];
}

static struct element *element_of_location(const struct summary *s, u32 l)
{
	return &s->elements[READ_ONCE(location_of(s, l)->element)];
}

/* Queues */

static bool bucket_own(struct bucket *bucket)
{
	return !atomic_read(&bucket->in_use) && !atomic_cmpxchg(&bucket->in_use, 0, 1);
}

static bool bucket_has_requests(const struct bucket *bucket)
{
	return (u32)atomic64_read(&bucket->queue);
}

/* False if the bucket is marked, or another one by now. */
static bool bucket_append(const struct summary *s, u64 reference, u32 l)
{
	struct bucket *bucket = &s->buckets[(u32)reference];
	s64 queue = atomic64_read(&bucket->queue);

	do {
		if ((u64)queue / BUCKET_GENERATION != reference >> 32 || queue & BUCKET_MARKED)
			return false;
		WRITE_ONCE(location_of(s, l)->later, (u32)queue);
	} while (!atomic64_try_cmpxchg(&bucket->queue, &queue, (queue & ~(s64)U32_MAX) | l));
	return true;
}

/* The whole queue, oldest first.  By the owner. */
static u32 bucket_take_requests(const struct summary *s, struct bucket *bucket)
{
	enum section section = profile_enter(SECTION_QUEUE);
	s64 queue = atomic64_read(&bucket->queue);
	u32 l, later, first = 0;
	int n = 0;

	while ((u32)queue && !atomic64_try_cmpxchg(&bucket->queue, &queue, queue & ~(s64)U32_MAX))
		;
	for (l = (u32)queue; l; l = later, n++) {
		later = READ_ONCE(location_of(s, l)->later);
		WRITE_ONCE(location_of(s, l)->later, first);
		first = l;
	}
	if (n)
		atomic_sub(n, &bucket->queued);
	profile_enter(section);
	return first;
}

/* Delegate a request.  False if it must go elsewhere. */
static bool summary_delegate(struct summary *s, u64 reference, u32 l)
{
	struct worker *worker = this_worker(s);
	enum section section = profile_enter(SECTION_QUEUE);
	bool done = bucket_append(s, reference, l);

	if (done) {
		/* The owner may have counted the request as taken already. */
		int size = max(atomic_inc_return(&s->buckets[(u32)reference].queued), 1);

		worker->delegated++;
		worker->queue_sum += size;
		worker->queue_most = max_t(u64, worker->queue_most, size);
		worker->sleepy |= s->options.tunes && size > (int)s->options.queue_limit;
	}
	profile_enter(section);
	return done;
}

/* This thread will look at the bucket's queue, or another thread that has promised it. */
static void summary_claim(struct summary *s, u32 i)
{
	struct worker *worker = this_worker(s);
	struct bucket *bucket = &s->buckets[i];

	if (atomic_xchg(&bucket->claimed, 1))
		return;
	WRITE_ONCE(bucket->next_claimed, worker->claims);
	worker->claims = i;
}

/* By an owner of something else. */
static bool summary_leave(struct summary *s, u64 reference, u32 l)
{
	if (!summary_delegate(s, reference, l))
		return false;
	summary_claim(s, (u32)reference);
	return true;
}

/* Buckets */

/*
 * The mark first: only what is marked has a next bucket for good.  Read before, it may miss a
 * bucket that was put behind this one until it was marked.
 */
bool summary_look(const struct summary *s, u64 reference, struct sight *sight)
{
	const struct bucket *bucket = &s->buckets[(u32)reference];

	sight->marked = atomic64_read_acquire(&bucket->queue) & BUCKET_MARKED;
	sight->frequency = READ_ONCE(bucket->frequency);
	sight->next = atomic64_read(&bucket->next);
	smp_rmb(); /* bucket_new() */
	return summary_reference(s, (u32)reference) == reference;
}

/* Private until it is linked, and owned until bucket_published(). */
static u32 bucket_new(struct summary *s, u64 frequency, u64 next)
{
	u32 i = pool_take(&s->bucket_pool);
	struct bucket *bucket = &s->buckets[i];

	if (!i) {
		this_worker(s)->starved = true;
		return 0;
	}
	atomic64_add(BUCKET_GENERATION, &bucket->queue);
	smp_wmb(); /* summary_look() */
	WRITE_ONCE(bucket->frequency, frequency);
	atomic64_set(&bucket->next, next);
	WRITE_ONCE(bucket->first, 0);
	WRITE_ONCE(bucket->deferred, 0);
	WRITE_ONCE(bucket->barren, 0);
	atomic_set(&bucket->queued, 0);
	return i;
}

static void bucket_open(struct summary *s, u32 i)
{
	atomic64_add_return(-BUCKET_MARKED, &s->buckets[i].queue);
}

static void bucket_published(struct summary *s, u32 i)
{
	struct bucket *bucket = &s->buckets[i];

	atomic_set_release(&bucket->in_use, 0);
	smp_mb(); /* summary_kick() */
	if (bucket_has_requests(bucket))
		summary_claim(s, i);
}

static void bucket_add(struct summary *s, u32 i, u32 e)
{
	WRITE_ONCE(s->elements[e].bucket, i);
	element_link(s->elements, &s->buckets[i].first, e);
}

static void bucket_remove(struct summary *s, u32 i, u32 e)
{
	element_unlink(s->elements, &s->buckets[i].first, e);
}

/* No elements, no requests: logically removed, in one step. */
static bool bucket_mark(struct bucket *bucket)
{
	s64 queue = atomic64_read(&bucket->queue);

	return !(u32)queue && atomic64_try_cmpxchg(&bucket->queue, &queue, queue | BUCKET_MARKED);
}

/* Buckets from @from up to before @to are not in the list any more. */
static void summary_retire(struct summary *s, u64 from, u64 to)
{
	u64 next;

	for (; from != to; from = next) {
		next = atomic64_read(&s->buckets[(u32)from].next);
		pool_give(&s->bucket_pool, (u32)from);
	}
}

/* By the owner: remove the marked buckets behind this one.  Returns the next one. */
static u64 bucket_collect_garbage(struct summary *s, u32 i)
{
	struct bucket *bucket = &s->buckets[i];
	u64 from = atomic64_read(&bucket->next), to = from;
	struct sight sight;

	while (to && summary_look(s, to, &sight) && sight.marked)
		to = sight.next;
	if (from != to) {
		atomic64_set_release(&bucket->next, to);
		summary_retire(s, from, to);
	}
	return to;
}

/* While the least bucket is marked, the first one behind it that is not takes its place. */
static void summary_advance(struct summary *s)
{
	struct sight sight;
	u64 least, to;
	s64 old;

	for (;;) {
		least = atomic64_read(&s->least);
		if (!least || !summary_look(s, least, &sight))
			goto changed;
		if (!sight.marked)
			return;
		for (to = sight.next; to; to = sight.next) {
			if (!summary_look(s, to, &sight))
				goto changed;
			if (!sight.marked)
				break;
		}
		old = least;
		if (atomic64_try_cmpxchg(&s->least, &old, to))
			summary_retire(s, least, to);
		continue;
changed:
		if (!least)
			return;
		/* Others have removed what was least: it must be another now. */
	}
}

/* To the least bucket, whatever that is. */
static void summary_leave_to_least(struct summary *s, u32 l)
{
	while (!summary_leave(s, atomic64_read(&s->least), l))
		summary_advance(s);
}

static void worker_put_off(struct summary *s, struct worker *worker, u32 l)
{
	WRITE_ONCE(location_of(s, l)->later, 0);
	if (worker->todo)
		WRITE_ONCE(location_of(s, worker->last_todo)->later, l);
	else
		worker->todo = l;
	worker->last_todo = l;
}

/*
 * The element has its bucket: let go of it.  Hits that others have left to its owner are
 * the next request.  A bucket with overwrites that wait for a free element has to be told,
 * unless the caller owns it and will look itself.
 */
static void summary_settle(struct summary *s, u32 l, u32 i, bool mine)
{
	enum section section = profile_enter(SECTION_HASH);
	struct location *location = location_of(s, l);
	u64 state, hits = search_relinquish(&s->search, l, &state);

	profile_enter(section);
	if (hits) {
		this_worker(s)->raised += hits;
		this_worker(s)->bulks++;
		WRITE_ONCE(location->hits, hits);
		WRITE_ONCE(location->request, REQUEST_INCREMENT);
		if (mine)
			worker_put_off(s, this_worker(s), l);
		else
			summary_leave(s, summary_reference(s, i), l);
		return;
	}
	if (mine || !READ_ONCE(s->buckets[i].barren) || !search_regain(&s->search, l, state))
		return;
	WRITE_ONCE(location->request, REQUEST_TOUCH);
	summary_leave(s, summary_reference(s, READ_ONCE(element_of_location(s, l)->bucket)), l);
}

static void element_begin(struct element *element)
{
	WRITE_ONCE(element->sequence, element->sequence + 1);
	smp_wmb(); /* element_read() */
}

static void element_end(struct element *element)
{
	smp_store_release(&element->sequence, element->sequence + 1); /* element_read() */
}

/* The bucket's owner cannot go on without another bucket: later. */
static void summary_put_back(struct summary *s, u32 i, u32 l)
{
	WRITE_ONCE(location_of(s, l)->request, REQUEST_ADD);
	summary_leave(s, summary_reference(s, i), l);
}

/*
 * The bucket of a frequency: 0, or the last one that is below, or the one of it.  All are
 * behind a bucket that the caller owns.  False: a bucket was used again.
 */
static bool summary_find(struct summary *s, u64 from, u64 frequency, u64 *found)
{
	struct sight sight;
	u64 at;

	*found = 0;
	for (at = from; at; at = sight.next) {
		if (!summary_look(s, at, &sight))
			return false;
		if (sight.frequency > frequency)
			break;
		if (!sight.marked)
			*found = at;
		if (sight.frequency == frequency && !sight.marked)
			break;
	}
	return true;
}

/* FindDestBucket: the element's frequency is above that of bucket @i, which is owned. */
static void summary_find_dest(struct summary *s, u32 i, u32 l)
{
	u32 e = READ_ONCE(location_of(s, l)->element), new;
	u64 frequency = READ_ONCE(s->elements[e].count), next, found;

	for (;; this_worker(s)->restarts++) {
		next = bucket_collect_garbage(s, i);
		if (!summary_find(s, next, frequency, &found))
			continue;
		if (!found)
			break;
		WRITE_ONCE(location_of(s, l)->request, REQUEST_ADD);
		if (summary_leave(s, found, l))
			return;
	}
	new = bucket_new(s, frequency, next);
	if (!new) {
		summary_put_back(s, i, l);
		return;
	}
	bucket_add(s, new, e);
	bucket_open(s, new);
	atomic64_set_release(&s->buckets[i].next, summary_reference(s, new));
	bucket_published(s, new);
	summary_settle(s, l, new, false);
}

/* A bucket for this element alone becomes the least.  @next is owned, or 0. */
static bool summary_put_first(struct summary *s, u64 next, u32 l)
{
	u32 e = READ_ONCE(location_of(s, l)->element);
	u32 new = bucket_new(s, READ_ONCE(s->elements[e].count), next);
	s64 old = next;

	if (!new)
		return false;
	bucket_add(s, new, e);
	bucket_open(s, new);
	if (!atomic64_try_cmpxchg(&s->least, &old, summary_reference(s, new))) {
		WRITE_ONCE(s->buckets[new].first, 0);
		atomic64_add(BUCKET_MARKED, &s->buckets[new].queue);
		pool_give(&s->bucket_pool, new);
		return false;
	}
	bucket_published(s, new);
	summary_settle(s, l, new, false);
	return true;
}

/* Algorithm 4.1 */
static void summary_add_element(struct summary *s, u32 i, u32 l)
{
	u32 e = READ_ONCE(location_of(s, l)->element);
	u64 reference = summary_reference(s, i);
	struct bucket *bucket = &s->buckets[i];

	if (READ_ONCE(s->elements[e].count) == bucket->frequency) {
		bucket_add(s, i, e);
		summary_settle(s, l, i, true);
	} else if (READ_ONCE(s->elements[e].count) > bucket->frequency) {
		summary_find_dest(s, i, l);
	} else if ((u64)atomic64_read(&s->least) != reference) {
		summary_leave_to_least(s, l);
	} else if (!summary_put_first(s, reference, l)) {
		summary_put_back(s, i, l);
	}
}

/* Algorithm 4.2; what becomes of the bucket is in summary_serve(). */
static void summary_increment(struct summary *s, u32 i, u32 l)
{
	struct location *location = location_of(s, l);
	struct element *element = element_of_location(s, l);

	bucket_remove(s, i, READ_ONCE(location->element));
	element_begin(element);
	WRITE_ONCE(element->count, element->count + READ_ONCE(location->hits));
	element_end(element);
	summary_find_dest(s, i, l);
}

/* The key of a location takes over an element of this bucket. */
static void summary_replace(struct summary *s, u32 i, u32 e, u32 l)
{
	struct element *element = &s->elements[e];
	struct location *location = location_of(s, l);

	bucket_remove(s, i, e);
	element_begin(element);
	WRITE_ONCE(element->key, READ_ONCE(location->key));
	WRITE_ONCE(element->error, element->count);
	WRITE_ONCE(element->location, l);
	WRITE_ONCE(element->count, element->count + READ_ONCE(location->hits));
	element_end(element);
	WRITE_ONCE(location->element, e);
	this_worker(s)->evictions++;
	summary_find_dest(s, i, l);
}

/* The first element of the bucket that nobody owns: its key is not there any more. */
static u32 summary_take_victim(struct summary *s, u32 i)
{
	enum section section = profile_enter(SECTION_HASH);
	u32 e;

	for (e = s->buckets[i].first; e; e = READ_ONCE(s->elements[e].next))
		if (search_delete(&s->search, READ_ONCE(s->elements[e].location)))
			break;
	profile_enter(section);
	return e;
}

/* Lossy Counting: the elements that no hit raised above the round's number. */
static bool summary_remove(struct summary *s, u32 i, u32 l)
{
	struct bucket *bucket = &s->buckets[i];
	u64 round = atomic64_read(&s->removed);
	u32 e;

	if (bucket->frequency <= round) {
		while ((e = summary_take_victim(s, i))) {
			bucket_remove(s, i, e);
			pool_give(&s->element_pool, e);
			this_worker(s)->evictions++;
		}
		/* Empty: the request goes on to the next bucket when this one is marked. */
		if (!bucket->first)
			return false;
	}
	atomic_set(&s->removing, 0);
	smp_mb(); /* summary_count_rounds() */
	if ((u64)atomic64_read(&s->ended) > round && !atomic_cmpxchg(&s->removing, 0, 1)) {
		atomic64_set(&s->removed, atomic64_read(&s->ended));
		summary_leave_to_least(s, l);
	}
	return true;
}

/* False: it has to wait. */
static bool summary_overwrite(struct summary *s, u32 i, u32 l)
{
	u32 e;

	if ((u64)atomic64_read(&s->least) != summary_reference(s, i)) {
		summary_leave_to_least(s, l);
		return true;
	}
	if (READ_ONCE(location_of(s, l)->request) == REQUEST_REMOVE)
		return summary_remove(s, i, l);
	e = summary_take_victim(s, i);
	if (e)
		summary_replace(s, i, e, l);
	return e;
}

static void bucket_defer(struct summary *s, u32 i, u32 l)
{
	struct bucket *bucket = &s->buckets[i];

	WRITE_ONCE(location_of(s, l)->later, 0);
	if (bucket->deferred)
		WRITE_ONCE(location_of(s, bucket->last_deferred)->later, l);
	else
		WRITE_ONCE(bucket->deferred, l);
	WRITE_ONCE(bucket->last_deferred, l);
}

/* In their order.  The first one that finds no element stays, and all behind it. */
static void summary_serve_deferred(struct summary *s, u32 i)
{
	struct bucket *bucket = &s->buckets[i];
	u32 l, later;

	while ((l = bucket->deferred)) {
		later = READ_ONCE(location_of(s, l)->later);
		if (!summary_overwrite(s, i, l))
			return;
		WRITE_ONCE(bucket->deferred, later);
	}
	WRITE_ONCE(bucket->barren, 0);
}

static void summary_process(struct summary *s, u32 i, u32 l)
{
	this_worker(s)->requests++;
	switch (READ_ONCE(location_of(s, l)->request)) {
	case REQUEST_ADD:
		summary_add_element(s, i, l);
		break;
	case REQUEST_INCREMENT:
		summary_increment(s, i, l);
		break;
	case REQUEST_OVERWRITE:
	case REQUEST_REMOVE:
		bucket_defer(s, i, l);
		break;
	case REQUEST_TOUCH:
		summary_settle(s, l, i, true);
		break;
	}
}

static void summary_process_all(struct summary *s, u32 i, u32 first)
{
	u32 l, later;

	for (l = first; l; l = later) {
		later = READ_ONCE(location_of(s, l)->later);
		summary_process(s, i, l);
	}
}

/* The bucket is marked; what waited for an element in it waits in another one. */
static void summary_bury(struct summary *s, u64 reference, u32 deferred)
{
	u32 l, later;

	if ((u64)atomic64_read(&s->least) == reference)
		summary_advance(s);
	for (l = deferred; l; l = later) {
		later = READ_ONCE(location_of(s, l)->later);
		if (READ_ONCE(location_of(s, l)->request) == REQUEST_REMOVE &&
		    !atomic64_read(&s->least))
			atomic_set(&s->removing, 0);
		else
			summary_leave_to_least(s, l);
	}
}

/* By the owner: serve all that was delegated.  True: the bucket is no more. */
static bool summary_drain(struct summary *s, u32 i)
{
	struct worker *worker = this_worker(s);
	struct bucket *bucket = &s->buckets[i];
	u32 l;

	for (;;) {
		summary_process_all(s, i, bucket_take_requests(s, bucket));
		while ((l = worker->todo)) {
			worker->todo = 0;
			summary_process_all(s, i, l);
		}
		summary_serve_deferred(s, i);
		if (worker->starved)
			return false;
		if (bucket_has_requests(bucket) || worker->todo)
			continue;
		if (!bucket->first) {
			/* When it is marked, others may use it again. */
			u64 reference = summary_reference(s, i);
			u32 deferred = bucket->deferred;

			if (bucket_mark(bucket)) {
				summary_bury(s, reference, deferred);
				return true;
			}
		} else if (bucket->deferred && !bucket->barren) {
			WRITE_ONCE(bucket->barren, 1);
			smp_mb(); /* summary_settle(): look once more */
		} else {
			return false;
		}
	}
}

/* By the owner: serve, and let go. */
static void summary_serve(struct summary *s, u32 i)
{
	struct bucket *bucket = &s->buckets[i];

	do {
		if (summary_drain(s, i))
			return;
		atomic_set_release(&bucket->in_use, 0);
		smp_mb(); /* summary_kick() */
	} while (!this_worker(s)->starved && bucket_has_requests(bucket) && bucket_own(bucket));
}

/* After a request was appended: serve it, if nobody else will. */
static void summary_kick(struct summary *s, u32 i)
{
	struct bucket *bucket = &s->buckets[i];

	if (bucket_has_requests(bucket) && bucket_own(bucket))
		summary_serve(s, i);
}

/*
 * No bucket is free: remove the marked ones behind each bucket that nobody owns, and serve
 * these buckets, too.
 */
static void summary_sweep(struct summary *s)
{
	struct worker *worker = this_worker(s);
	struct sight sight;
	u64 at, next;

	worker->sweeps++;
	summary_advance(s);
	for (at = atomic64_read(&s->least); at; at = next) {
		if (!summary_look(s, at, &sight))
			return;
		next = sight.next;
		if (sight.marked || !bucket_own(&s->buckets[(u32)at]))
			continue;
		if (summary_reference(s, (u32)at) == at)
			next = bucket_collect_garbage(s, (u32)at);
		worker->starved = false;
		summary_serve(s, (u32)at);
	}
}

/* Own nothing any more: keep what was promised. */
static void summary_finish(struct summary *s)
{
	struct worker *worker = this_worker(s);
	u32 i;

	while (worker->claims || worker->starved) {
		if (worker->starved) {
			worker->starved = false;
			summary_sweep(s);
			shim_relax();
		}
		i = worker->claims;
		if (!i)
			continue;
		worker->claims = READ_ONCE(s->buckets[i].next_claimed);
		atomic_xchg(&s->buckets[i].claimed, 0);
		summary_kick(s, i);
	}
	if (worker->sleepy) {
		enum section section = profile_enter(SECTION_SLEEP);

		worker->sleepy = false;
		worker->sleeps++;
		topk_throttle();
		profile_enter(section);
	}
}

static u64 summary_target(const struct summary *s, u32 l)
{
	if (READ_ONCE(location_of(s, l)->request) == REQUEST_INCREMENT)
		return summary_reference(s, READ_ONCE(element_of_location(s, l)->bucket));
	return atomic64_read(&s->least);
}

/* By a thread that owns nothing.  False: there is no bucket, and the request needs one. */
static bool summary_submit_once(struct summary *s, u32 l)
{
	u64 reference = summary_target(s, l);
	u32 i = (u32)reference;
	bool done;

	if (!reference && READ_ONCE(location_of(s, l)->request) == REQUEST_OVERWRITE)
		/* The only wait: the first element of all is still on its way. */
		while (!atomic64_read(&s->least))
			cpu_relax();
	if (!reference)
		return READ_ONCE(location_of(s, l)->request) == REQUEST_ADD &&
		       summary_put_first(s, 0, l);
	if (bucket_own(&s->buckets[i])) {
		/* What is owned and not marked stays so. */
		done = summary_reference(s, i) == reference;
		if (done)
			summary_process(s, i, l);
		summary_serve(s, i);
		return done;
	}
	done = summary_delegate(s, reference, l);
	if (done)
		summary_kick(s, i);
	return done;
}

static void summary_submit(struct summary *s, u32 l)
{
	enum section section = profile_enter(SECTION_SUMMARY);

	while (!summary_submit_once(s, l)) {
		summary_finish(s);
		summary_advance(s);
		if (READ_ONCE(location_of(s, l)->request) == REQUEST_REMOVE &&
		    !atomic64_read(&s->least)) {
			atomic_set(&s->removing, 0);
			break;
		}
	}
	summary_finish(s);
	profile_enter(section);
}

/* A free element.  While a round of Lossy Counting is being removed, some will be. */
static u32 summary_take_element(struct summary *s)
{
	for (;;) {
		u32 e = pool_is_empty(&s->element_pool) ? 0 : pool_take(&s->element_pool);

		if (e || !atomic_read(&s->removing))
			return e;
		while (atomic_read(&s->removing))
			cpu_relax();
	}
}

/*
 * Lossy Counting has no element for the key, as it was made with too few: its hits are
 * dropped, and those that others have left meanwhile.
 */
static void summary_drop(struct summary *s, u32 l, u64 hits)
{
	struct worker *worker = this_worker(s);

	do
		worker->dropped += hits;
	while ((hits = search_give_up(&s->search, l)));
}

/* A key without an element: a free one, or one that is taken from another key. */
static void summary_bring(struct summary *s, u32 l, u64 hits)
{
	struct location *location = location_of(s, l);
	u32 e = summary_take_element(s);
	u64 removed = atomic64_read(&s->removed);
	struct element *element = &s->elements[e];

	if (!e && s->options.window) {
		summary_drop(s, l, hits);
		return;
	}
	WRITE_ONCE(location->hits, hits);
	if (!e) {
		WRITE_ONCE(location->request, REQUEST_OVERWRITE);
		summary_submit(s, l);
		return;
	}
	element_begin(element);
	WRITE_ONCE(element->key, READ_ONCE(location->key));
	WRITE_ONCE(element->error, removed);
	WRITE_ONCE(element->location, l);
	WRITE_ONCE(element->count, removed + hits);
	element_end(element);
	WRITE_ONCE(location->element, e);
	WRITE_ONCE(location->request, REQUEST_ADD);
	summary_submit(s, l);
}

static void summary_raise(struct summary *s, u32 l, u64 hits)
{
	WRITE_ONCE(location_of(s, l)->hits, hits);
	WRITE_ONCE(location_of(s, l)->request, REQUEST_INCREMENT);
	summary_submit(s, l);
}

/* Lossy Counting: when a round has ended, one thread requests that its elements go. */
static void summary_count_rounds(struct summary *s, u64 hits)
{
	u64 seen = atomic64_add_return(hits, &s->seen);
	u32 l = s->search.count + 1;

	if (seen / s->options.window == (seen - hits) / s->options.window)
		return;
	topk_raise(&s->ended, seen / s->options.window);
	if (atomic_cmpxchg(&s->removing, 0, 1))
		return;
	atomic64_set(&s->removed, atomic64_read(&s->ended));
	WRITE_ONCE(location_of(s, l)->request, REQUEST_REMOVE);
	summary_submit(s, l);
}

bool summary_add(struct summary *s, u64 key, u64 hits)
{
	enum section section = profile_enter(SECTION_HASH);
	struct worker *worker = this_worker(s);
	enum found found;
	u32 l;

	found = hits && hits <= SUMMARY_HITS_MAX ? search_acquire(&s->search, key, hits, &l) :
						   FOUND_NONE;
	switch (found) {
	case FOUND_NONE:
		profile_enter(section);
		return false;
	case FOUND_LEFT:
		worker->left += hits;
		break;
	case FOUND_NEW:
		summary_bring(s, l, hits);
		break;
	case FOUND_OWNED:
		summary_raise(s, l, hits);
		break;
	}
	worker->hits += hits;
	if (s->options.window)
		summary_count_rounds(s, hits);
	profile_enter(section);
	return true;
}

/* Queries */

/* False: it changed meanwhile. */
static bool element_read(const struct element *from, struct element *to)
{
	u32 sequence;

	while ((sequence = smp_load_acquire(&from->sequence)) & 1) /* element_end() */
		cpu_relax();
	to->key = READ_ONCE(from->key);
	to->count = READ_ONCE(from->count);
	to->error = READ_ONCE(from->error);
	to->next = READ_ONCE(from->next);
	to->bucket = READ_ONCE(from->bucket);
	smp_rmb(); /* element_begin() */
	return READ_ONCE(from->sequence) == sequence;
}

/* False: an element that was met has left the bucket, and the way to the others is lost. */
static bool summary_walk_bucket(const struct summary *s, u32 i, summary_visit visit,
				void *argument)
{
	struct element element;
	u32 e, steps = 0;

	for (e = READ_ONCE(s->buckets[i].first); e; e = element.next) {
		while (!element_read(&s->elements[e], &element))
			;
		if (element.bucket != i || steps++ > s->element_count)
			return false;
		visit(e, &element, argument);
	}
	return true;
}

void summary_walk(const struct summary *s, summary_visit visit, void *argument)
{
	u64 at = atomic64_read(&s->least), done = 0;
	struct sight sight;
	u32 tries;

	while (at) {
		/* Begin again, behind what was met. */
		if (!summary_look(s, at, &sight)) {
			at = atomic64_read(&s->least);
			continue;
		}
		if (!sight.marked && sight.frequency > done) {
			for (tries = 0; tries < WALK_TRIES; tries++)
				if (summary_walk_bucket(s, (u32)at, visit, argument))
					break;
			done = sight.frequency;
		}
		at = sight.next;
	}
}

/* Creation */

static int summary_check(const struct summary_options *options)
{
	if (options->tunes != !!options->queue_limit)
		return -EINVAL;
	if (!options->capacity || options->capacity > SCOUNTER_TOPK_CAPACITY_MAX ||
	    !options->waiting || options->waiting > SCOUNTER_TOPK_CAPACITY_MAX ||
	    options->queue_limit > INT_MAX ||
	    (options->buckets && options->buckets < options->capacity + BUCKETS_LEAST))
		return -ERANGE;
	return 0;
}

static bool summary_allocate(struct summary *s, const struct topk_secret *secret)
{
	const struct summary_options *options = &s->options;
	u32 i;

	s->element_count = options->capacity;
	s->bucket_count = options->buckets ? options->buckets :
			  2 * options->capacity + nr_cpu_ids * BUCKETS_PER_CPU + BUCKETS_BESIDE;
	s->buckets = kcalloc(s->bucket_count + 1UL, sizeof(*s->buckets), GFP_KERNEL);
	s->elements = kcalloc(s->element_count + 1UL, sizeof(*s->elements), GFP_KERNEL);
	s->workers = kcalloc(nr_cpu_ids, sizeof(*s->workers), GFP_KERNEL);
	if (!s->buckets || !s->elements || !s->workers ||
	    !pool_init(&s->bucket_pool, s->bucket_count, !options->buckets) ||
	    !pool_init(&s->element_pool, s->element_count, false) ||
	    !search_init(&s->search, options->capacity,
			 options->capacity + options->waiting + nr_cpu_ids * POOL_AT_HAND, false,
			 secret))
		return false;
	/* Number 0 is no bucket, and takes no requests. */
	for (i = 0; i <= s->bucket_count; i++) {
		atomic64_set(&s->buckets[i].queue, BUCKET_MARKED);
		atomic_set(&s->buckets[i].in_use, 1);
	}
	return true;
}

int summary_init(struct summary *s, const struct summary_options *options,
		 const struct topk_secret *secret)
{
	int error = summary_check(options);

	memset(s, 0, sizeof(*s));
	if (error)
		return error;
	s->options = *options;
	if (summary_allocate(s, secret))
		return 0;
	summary_clear(s);
	return -ENOMEM;
}

void summary_clear(struct summary *s)
{
	search_clear(&s->search);
	pool_clear(&s->bucket_pool);
	pool_clear(&s->element_pool);
	kfree(s->buckets);
	kfree(s->elements);
	kfree(s->workers);
}

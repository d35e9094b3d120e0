// SPDX-License-Identifier: GPL-2.0
/*
 * The shared design (Das et al. 2009, section 3.2): the Stream Summary with a lock for each
 * element and each bucket.  Queries take the locks of buckets, too.
 *
 * A hit holds the lock of its element, then that of the bucket it is in, and then that of
 * the one it goes to.  On the way to a bucket further on it locks the next one before it
 * unlocks the last.  Nobody locks to the left of what it has, so nobody waits in a circle.
 * Bucket 0 stands before all others, has no elements, and is never removed: an element that
 * comes in starts there.
 *
 * Who has the lock of a bucket removes an empty one behind it.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/processor.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "designs.h"
#include "profile.h"

struct place {
	raw_spinlock_t lock;
	u64 frequency;
	u32 next;
	u32 first;
} ____cacheline_aligned_in_smp;

struct shared {
	struct topk_table table;
	struct search search;
	struct place *places;		/* the buckets */
	struct element *elements;
	struct pool bucket_pool, element_pool;
};

static struct shared *shared_of(const struct topk_table *table)
{
	return container_of(table, struct shared, table);
}

static void place_lock(struct shared *s, u32 i)
{
	enum section section = profile_enter(SECTION_BUCKET);

	raw_spin_lock(&s->places[i].lock);
	profile_enter(section);
}

static void place_unlock(struct shared *s, u32 i)
{
	raw_spin_unlock(&s->places[i].lock);
}

static void place_add(struct shared *s, u32 i, u32 e)
{
	WRITE_ONCE(s->elements[e].bucket, i);
	element_link(s->elements, &s->places[i].first, e);
}

static void place_remove(struct shared *s, u32 i, u32 e)
{
	element_unlink(s->elements, &s->places[i].first, e);
}

/*
 * With the lock of a bucket: lock the next one, if there is one.  Empty ones are removed.
 * Nobody waits for their locks: a thread that has not passed this bucket has an element
 * there.
 */
static u32 place_lock_next(struct shared *s, u32 i)
{
	u32 next;

	while ((next = READ_ONCE(s->places[i].next))) {
		place_lock(s, next);
		if (s->places[next].first)
			return next;
		WRITE_ONCE(s->places[i].next, READ_ONCE(s->places[next].next));
		place_unlock(s, next);
		pool_give(&s->bucket_pool, next);
	}
	return 0;
}

static void shared_put_behind(struct shared *s, u32 i, u32 e, u32 spare)
{
	struct place *place = &s->places[spare];

	place_lock(s, spare);
	WRITE_ONCE(place->frequency, READ_ONCE(s->elements[e].count));
	WRITE_ONCE(place->next, READ_ONCE(s->places[i].next));
	WRITE_ONCE(place->first, 0);
	place_add(s, spare, e);
	place_unlock(s, spare);
	WRITE_ONCE(s->places[i].next, spare);
}

/*
 * From bucket @from, whose lock stays held, to that of its count.  Returns @spare, or 0 if
 * it was used.
 */
static u32 shared_move(struct shared *s, u32 from, u32 e, u32 spare)
{
	u64 count = READ_ONCE(s->elements[e].count);
	u32 at = from, next;

	for (;;) {
		next = place_lock_next(s, at);
		if (!next || READ_ONCE(s->places[next].frequency) > count) {
			if (next)
				place_unlock(s, next);
			shared_put_behind(s, at, e, spare);
			spare = 0;
			break;
		}
		if (at != from)
			place_unlock(s, at);
		at = next;
		if (READ_ONCE(s->places[at].frequency) == count) {
			place_add(s, at, e);
			break;
		}
	}
	if (at != from)
		place_unlock(s, at);
	return spare;
}

/* With no lock: remove all empty buckets. */
static void shared_sweep(struct shared *s)
{
	u32 at = 0, next;

	place_lock(s, 0);
	while ((next = place_lock_next(s, at))) {
		place_unlock(s, at);
		at = next;
	}
	place_unlock(s, at);
}

/* A bucket for a hit that needs one, taken before it locks any. */
static u32 shared_spare(struct shared *s)
{
	u32 spare;

	while (!(spare = pool_take(&s->bucket_pool))) {
		shared_sweep(s);
		cpu_relax();
	}
	return spare;
}

static u32 shared_increment(struct shared *s, u32 l, u64 n, u32 spare)
{
	u32 e = READ_ONCE(s->search.locations[l].element);
	struct element *element = &s->elements[e];
	u32 from = READ_ONCE(element->bucket);

	place_lock(s, from);
	place_remove(s, from, e);
	WRITE_ONCE(element->count, element->count + n);
	spare = shared_move(s, from, e, spare);
	place_unlock(s, from);
	return spare;
}

static void shared_name(struct shared *s, u32 e, u32 l, u64 error, u64 count)
{
	struct element *element = &s->elements[e];

	WRITE_ONCE(element->key, READ_ONCE(s->search.locations[l].key));
	WRITE_ONCE(element->location, l);
	WRITE_ONCE(element->error, error);
	WRITE_ONCE(element->count, count);
	WRITE_ONCE(s->search.locations[l].element, e);
}

/* An element of the bucket whose lock nobody has.  One that waits for it has this one's. */
static u32 shared_take_victim(struct shared *s, u32 i)
{
	u32 e;

	for (e = READ_ONCE(s->places[i].first); e; e = READ_ONCE(s->elements[e].next))
		if (search_lock_and_delete(&s->search, READ_ONCE(s->elements[e].location)))
			return e;
	return 0;
}

/* False: the elements of the least count are busy. */
static bool shared_overwrite(struct shared *s, u32 least, u32 l, u64 n, u32 *spare)
{
	u32 e = shared_take_victim(s, least);
	u64 count;

	if (!e)
		return false;
	atomic64_inc(&topk_this_cpu(&s->table)->evictions);
	place_remove(s, least, e);
	count = READ_ONCE(s->elements[e].count);
	shared_name(s, e, l, count, count + n);
	*spare = shared_move(s, least, e, *spare);
	return true;
}

/* A free element comes in before bucket 0 is unlocked: then no eviction overlooks it. */
static bool shared_try_bring(struct shared *s, u32 l, u64 n, u32 *spare)
{
	u32 e, least;
	bool done;

	place_lock(s, 0);
	e = pool_is_empty(&s->element_pool) ? 0 : pool_take(&s->element_pool);
	if (e) {
		shared_name(s, e, l, 0, n);
		*spare = shared_move(s, 0, e, *spare);
		place_unlock(s, 0);
		return true;
	}
	least = place_lock_next(s, 0);
	place_unlock(s, 0);
	if (!least)
		return false;
	done = shared_overwrite(s, least, l, n, spare);
	place_unlock(s, least);
	return done;
}

static void shared_count(struct shared *s, u64 key, u64 n, u32 spare)
{
	enum section section;
	enum found found;
	u32 l;

	while ((found = search_lock(&s->search, key, &l)) == FOUND_NONE)
		cpu_relax();
	section = profile_enter(SECTION_SUMMARY);
	if (found == FOUND_OWNED) {
		spare = shared_increment(s, l, n, spare);
	} else {
		while (!shared_try_bring(s, l, n, &spare))
			cpu_relax();
	}
	profile_enter(section);
	search_unlock(&s->search, l);
	if (spare)
		pool_give(&s->bucket_pool, spare);
}

static void shared_add(struct topk_table *table, const void *bytes, u64 n)
{
	enum section section = profile_enter(SECTION_HASH);
	struct shared *s = shared_of(table);
	u64 key;

	memcpy(&key, bytes, sizeof(key));
	if (n)
		shared_count(s, key, n, shared_spare(s));
	profile_enter(section);
}

static void shared_offer(struct shared *s, u32 i, u32 most, struct scounter_topk_header *header,
			 struct scounter_topk_record *record)
{
	u32 e;

	for (e = READ_ONCE(s->places[i].first); e; e = READ_ONCE(s->elements[e].next)) {
		const struct element *element = &s->elements[e];
		u64 key = READ_ONCE(element->key);

		record->count = READ_ONCE(element->count);
		record->error = READ_ONCE(element->error);
		memcpy(record->key, &key, sizeof(key));
		header->total += record->count;
		topk_offer(header, most, record);
	}
}

/* One lock after the other: nothing passes, so no element is met twice, or missed. */
static int shared_read(struct topk_table *table, u32 most, struct scounter_topk_header *header)
{
	struct scounter_topk_record *record = kzalloc(header->record_size, GFP_KERNEL);
	struct shared *s = shared_of(table);
	u32 at = 0, next;

	if (!record)
		return -ENOMEM;
	place_lock(s, 0);
	while ((next = place_lock_next(s, at))) {
		place_unlock(s, at);
		if (!at && pool_is_empty(&s->element_pool))
			header->floor = max(header->floor, READ_ONCE(s->places[next].frequency));
		at = next;
		shared_offer(s, at, most, header, record);
	}
	place_unlock(s, at);
	kfree(record);
	return 0;
}

static void shared_destroy(struct topk_table *table)
{
	struct shared *s = shared_of(table);

	search_clear(&s->search);
	pool_clear(&s->bucket_pool);
	pool_clear(&s->element_pool);
	kfree(s->places);
	kfree(s->elements);
	topk_table_clear(table);
	kfree(s);
}

static bool shared_allocate(struct shared *s, u32 capacity, const struct topk_secret *secret)
{
	u32 buckets = 2 * capacity + nr_cpu_ids * 2 * POOL_AT_HAND + 64, i;

	s->places = kcalloc(buckets + 1UL, sizeof(*s->places), GFP_KERNEL);
	s->elements = kcalloc(capacity + 1UL, sizeof(*s->elements), GFP_KERNEL);
	if (!s->places || !s->elements)
		return false;
	for (i = 0; i <= buckets; i++)
		raw_spin_lock_init(&s->places[i].lock);
	return pool_init(&s->bucket_pool, buckets, true) &&
	       pool_init(&s->element_pool, capacity, false) &&
	       search_init(&s->search, capacity, 2 * capacity + nr_cpu_ids * 2 * POOL_AT_HAND + 64,
			   true, secret);
}

static struct topk_table *shared_create(u32 capacity, u32 key_size,
					const struct topk_secret *secret)
{
	struct shared *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	if (topk_table_init(&s->table, &paper_shared_ops, capacity, key_size, secret) ||
	    !shared_allocate(s, capacity, secret)) {
		shared_destroy(&s->table);
		return NULL;
	}
	return &s->table;
}

static size_t shared_bytes(const struct topk_table *table)
{
	const struct shared *s = shared_of(table);

	return sizeof(*s) + s->search.count * (sizeof(struct location) + sizeof(struct element_lock)) +
	       (2UL * table->capacity + 64) * sizeof(struct place) +
	       table->capacity * sizeof(struct element);
}

const struct topk_ops paper_shared_ops = {
	.name		= "shared-paper",
	.design		= SCOUNTER_TOPK_SHARED,
	.create		= shared_create,
	.destroy	= shared_destroy,
	.add		= shared_add,
	.read		= shared_read,
	.bytes		= shared_bytes,
};

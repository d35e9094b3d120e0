// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "invariant.h"

#define raw(x)	__atomic_load_n(&(x), __ATOMIC_RELAXED)

static char wrong[160];

static const char *says(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(wrong, sizeof(wrong), format, arguments);
	va_end(arguments);
	return wrong;
}

static u64 generation_of(const struct bucket *bucket)
{
	return (u64)raw(bucket->queue.counter) / BUCKET_GENERATION;
}

static bool is_marked(const struct bucket *bucket)
{
	return raw(bucket->queue.counter) & BUCKET_MARKED;
}

/*
 * The list from the least bucket on.  Invariant 4.7: each reference leads to a bucket that
 * is still the one that was meant.  Invariant 4.8: those that are not marked are in order.
 */
static const char *walk_list(const struct summary *s, u64 *list, u32 most, u32 *count)
{
	u64 at, frequency = 0;

	*count = 0;
	for (at = raw(s->least.counter); at; at = raw(s->buckets[(u32)at].next.counter)) {
		const struct bucket *bucket = &s->buckets[(u32)at];

		if (!(u32)at || (u32)at > s->bucket_count)
			return says("4.7: a reference to bucket %u", (u32)at);
		if (generation_of(bucket) != at >> 32)
			return says("4.7: a reference to bucket %u as it was before", (u32)at);
		if (*count == most)
			return says("4.7: the list has no end");
		list[(*count)++] = at;
		if (is_marked(bucket))
			continue;
		if (raw(bucket->frequency) <= frequency)
			return says("4.8: %llu behind %llu",
				    (unsigned long long)raw(bucket->frequency),
				    (unsigned long long)frequency);
		frequency = raw(bucket->frequency);
	}
	return NULL;
}

/* Invariant 4.5 */
static const char *judge_keys(const struct summary *s, u32 *valid)
{
	const struct search *search = &s->search;
	u32 chain, i, j;

	*valid = 0;
	for (chain = 0; chain < 1U << search->chain_bits; chain++) {
		for (i = raw(search->chains[chain].first); i; i = raw(search->locations[i].next)) {
			const struct location *a = &search->locations[i];

			if (raw(a->state.counter) & LOCATION_DELETED)
				continue;
			++*valid;
			for (j = raw(a->next); j; j = raw(search->locations[j].next))
				if (!(raw(search->locations[j].state.counter) & LOCATION_DELETED) &&
				    raw(search->locations[j].key) == raw(a->key))
					return says("4.5: a key is there twice");
		}
	}
	return NULL;
}

static u32 count_pool(const struct pool *pool)
{
	u32 n = 0, cpu, i;

	for (i = (u32)raw(pool->head.counter); i; i = raw(pool->next[i]))
		n++;
	for (cpu = 0; pool->hands && cpu < nr_cpu_ids; cpu++)
		n += pool->hands[cpu].count;
	return n;
}

/* At rest a bucket has elements, no owner and no request. */
static const char *judge_bucket(const struct summary *s, u32 i, u32 *elements, u64 *sum)
{
	const struct bucket *bucket = &s->buckets[i];
	u32 e, n = 0;

	if (is_marked(bucket))
		return NULL;
	if (raw(bucket->in_use.counter))
		return says("bucket %u is still owned", i);
	if ((u32)raw(bucket->queue.counter) || bucket->deferred)
		return says("4.1: bucket %u has requests that nobody serves", i);
	if (!bucket->first)
		return says("bucket %u is empty, but not marked", i);
	for (e = bucket->first; e; e = s->elements[e].next, n++) {
		const struct element *element = &s->elements[e];
		const struct location *location = &s->search.locations[element->location];

		if (n > s->element_count)
			return says("the elements of bucket %u have no end", i);
		if (element->bucket != i || element->count != bucket->frequency)
			return says("element %u of bucket %u: count %llu, frequency %llu", e, i,
				    (unsigned long long)element->count,
				    (unsigned long long)bucket->frequency);
		if (location->element != e || location->key != element->key)
			return says("element %u is not that of its key", e);
		if (location->state.counter & (LOCATION_DELETED | LOCATION_PENDING))
			return says("4.6: element %u is still owned, or deleted", e);
		*sum += element->count - (s->options.window ? element->error : 0);
	}
	*elements += n;
	return NULL;
}

static const char *judge_counts(const struct summary *s, const u64 *list, u32 n, u64 hits)
{
	u32 i, elements = 0, valid, free = count_pool(&s->bucket_pool);
	const char *what;
	u64 sum = 0;

	for (i = 0; i < n; i++) {
		what = judge_bucket(s, (u32)list[i], &elements, &sum);
		if (what)
			return what;
	}
	if (n + free != s->bucket_count)
		return says("%u buckets in the list and %u free, of %u", n, free, s->bucket_count);
	free = count_pool(&s->element_pool);
	if (elements + free != s->element_count)
		return says("%u elements in buckets and %u free, of %u", elements, free,
			    s->element_count);
	/* Lossy Counting forgets hits. */
	if (s->options.window ? sum > hits : sum != hits)
		return says("4.1: the counts sum up to %llu, not to %llu hits",
			    (unsigned long long)sum, (unsigned long long)hits);
	what = judge_keys(s, &valid);
	if (!what && valid != elements)
		what = says("%u keys, but %u elements", valid, elements);
	return what;
}

const char *invariant_at_rest(const struct summary *s, u64 hits)
{
	u64 *list = calloc(s->bucket_count, sizeof(*list));
	const char *what;
	u32 i, n;

	if (!list)
		return says("no memory to look");
	what = walk_list(s, list, s->bucket_count, &n);
	if (!what)
		what = judge_counts(s, list, n, hits);
	free(list);
	for (i = 0; !what && i < nr_cpu_ids; i++)
		if (s->workers[i].claims || s->workers[i].todo)
			what = says("4.1: thread %u has not done what it promised", i);
	return what;
}

/* What was seen of each bucket last. */
static struct {
	struct {
		u64 generation, frequency;
		bool open, marked, in_use;
		bool acquired;	/* and not just new */
		int owner;
	} of[WATCH_BUCKETS + 1];
	u64 list[WATCH_BUCKETS];
	u32 count;
} seen;

static const char *watch_bucket(const struct summary *s, u32 i, int thread)
{
	const struct bucket *bucket = &s->buckets[i];
	bool marked = is_marked(bucket), in_use = raw(bucket->in_use.counter);
	u64 generation = generation_of(bucket);

	if (generation != seen.of[i].generation) {
		seen.of[i].generation = generation;
		seen.of[i].open = seen.of[i].marked = seen.of[i].acquired = false;
		seen.of[i].owner = thread;
	} else if (seen.of[i].open && raw(bucket->frequency) != seen.of[i].frequency) {
		return says("4.9: bucket %u changes its frequency", i);
	} else if (seen.of[i].open && seen.of[i].marked && !marked) {
		return says("4.10: bucket %u was marked", i);
	} else if (seen.of[i].open && !seen.of[i].marked && marked &&
		   (raw(bucket->first) || seen.of[i].owner != thread)) {
		return says("bucket %u is marked by another, or with elements", i);
	}
	if (in_use && !seen.of[i].in_use) {
		seen.of[i].owner = thread;
		seen.of[i].acquired = true;
	}
	if (!in_use)
		seen.of[i].acquired = false;
	seen.of[i].open |= !marked;
	seen.of[i].marked = seen.of[i].open && marked;
	seen.of[i].in_use = in_use;
	seen.of[i].frequency = raw(bucket->frequency);
	return NULL;
}

static bool was_in(const u64 *list, u32 n, u64 reference)
{
	while (n--)
		if (*list++ == reference)
			return true;
	return false;
}

/*
 * Invariant 4.11: what is not in the list any more was marked, and was removed by the owner
 * of the bucket before it; or there was none before it.
 */
static const char *judge_removed(const u64 *list, u32 n, int thread)
{
	u32 i, before = 0;

	for (i = 0; i < seen.count; i++) {
		u32 bucket = (u32)seen.list[i];

		if (was_in(list, n, seen.list[i])) {
			before = bucket;
			continue;
		}
		if (!seen.of[bucket].marked)
			return says("4.11: bucket %u is removed, but not marked", bucket);
		if (before && (!seen.of[before].in_use || seen.of[before].owner != thread))
			return says("4.11: bucket %u is removed by another than the owner of bucket %u",
				    bucket, before);
	}
	return NULL;
}

/* Principle 4.2; a bucket that a thread has just made is not one that it acquired. */
static const char *judge_owners(const struct summary *s)
{
	int owned[WATCH_BUCKETS] = { 0 };
	u32 i;

	for (i = 1; i <= s->bucket_count; i++)
		if (seen.of[i].acquired && !seen.of[i].marked && owned[seen.of[i].owner]++)
			return says("Principle 4.2: thread %d owns two buckets", seen.of[i].owner);
	return NULL;
}

void invariant_begin(const struct summary *s)
{
	u32 i;

	memset(&seen, 0, sizeof(seen));
	for (i = 1; i <= s->bucket_count; i++) {
		const struct bucket *bucket = &s->buckets[i];

		seen.of[i].generation = generation_of(bucket);
		seen.of[i].frequency = raw(bucket->frequency);
		seen.of[i].in_use = raw(bucket->in_use.counter);
		seen.of[i].open = !is_marked(bucket);
	}
	walk_list(s, seen.list, WATCH_BUCKETS, &seen.count);
	for (i = 0; i < seen.count; i++) {
		seen.of[(u32)seen.list[i]].open = true;
		seen.of[(u32)seen.list[i]].marked = is_marked(&s->buckets[(u32)seen.list[i]]);
	}
}

const char *invariant_watch(const struct summary *s, int thread)
{
	u64 list[WATCH_BUCKETS];
	const char *what = NULL;
	u32 i, n, valid;

	for (i = 1; !what && i <= s->bucket_count; i++)
		what = watch_bucket(s, i, thread);
	if (!what)
		what = walk_list(s, list, WATCH_BUCKETS, &n);
	if (!what)
		what = judge_removed(list, n, thread);
	if (!what)
		what = judge_owners(s);
	if (!what)
		what = judge_keys(s, &valid);
	if (what)
		return what;
	memcpy(seen.list, list, n * sizeof(*list));
	seen.count = n;
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Threads with keys of their own: V. Jarlow, C. Stylianopoulos and M. Papatriantafilou,
 * "QPOPSS: Query and Parallelism Optimized Space-Saving for finding frequent stream
 * elements", 2024 (arXiv 2409.01749; JPDC 204, 2025), and around another algorithm,
 * V. Q. Ngo and M. Papatriantafilou, "Cuckoo Heavy Keeper and the balancing act of
 * maintaining heavy hitters in stream processing", VLDB 2025 (arXiv 2412.12873).
 *
 * Each key has an owner, a thread, by its hash.  A thread gathers hits in a *filter* for
 * each owner: up to 16 keys with their counts.  When a filter is full, or after 1000 hits,
 * it hands all its filters over, and waits until their owners have counted them.  Whoever
 * waits counts what others have handed over to it.  A query takes a lock of each owner in
 * turn, which the owner has while it counts.
 *
 * Of both papers, abstract and introduction were at hand, and the rest was taken from what
 * the authors' programs do, in our own words.  These are our choices:
 *
 * - Filters have 16 keys and 1000 hits: 16 as in the program for the second paper, 1000 as
 *   in most of the experiments of the first.
 * - For Space-Saving, the heap has the smallest count on top.  The first paper's has
 *   another order besides, for fast queries.  Queries are not timed here.
 * - The second paper parallelizes by two methods, for more hits or more queries.  Both are
 *   this one here.
 */
#include <string.h>

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/processor.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "rivals.h"

#define KEYS		16
#define HITS		1000

u32 rivals_threads;
bool rivals_alone;
u32 rivals_thread_of[RIVALS_CPUS];

struct filter {
	atomic64_t full;
	u64 next;		/* of those that the owner has not counted yet */
	u32 used;
	u64 key[KEYS];
	u32 count[KEYS];
} ____cacheline_aligned_in_smp;

struct owner {
	atomic64_t first;	/* of the filters handed over: its number plus 1 */
	atomic64_t locked;
	u64 total;
	u32 hits ____cacheline_aligned_in_smp; /* since it handed its filters over */
	void *part;
} ____cacheline_aligned_in_smp;

struct delegation {
	struct topk_table table;
	const struct rival_part_ops *parts;
	u32 threads;
	struct owner *owners;
	struct filter *filters;	/* of thread i for thread j: i * threads + j */
	atomic64_t finished;
};

static struct delegation *delegation_of(const struct topk_table *table)
{
	return container_of(table, struct delegation, table);
}

/* Another part of the hash than chains and buckets use. */
static u32 delegation_owner(const struct delegation *t, u32 hash)
{
	return ((u64)(hash & 0xffff) * t->threads) >> 16;
}

static void delegation_count(struct delegation *t, struct owner *owner, struct filter *filter)
{
	u32 i;

	for (i = 0; i < filter->used; i++) {
		u64 key = READ_ONCE(filter->key[i]);
		u32 n = READ_ONCE(filter->count[i]);

		t->parts->count(owner->part, key, topk_hash_word(key, &t->table.secret), n);
		owner->total += n;
	}
	filter->used = 0;
}

/* Count what has been handed over to a thread. */
static void delegation_serve(struct delegation *t, u32 thread)
{
	struct owner *owner = &t->owners[thread];
	s64 free = 0;
	u64 i, next;

	if (!atomic64_read(&owner->first) ||
	    !atomic64_try_cmpxchg(&owner->locked, &free, 1))
		return;
	for (i = atomic64_xchg(&owner->first, 0); i; i = next) {
		struct filter *filter = &t->filters[i - 1];

		next = READ_ONCE(filter->next);
		delegation_count(t, owner, filter);
		atomic64_set_release(&filter->full, 0);
	}
	atomic64_set_release(&owner->locked, 0);
}

static void delegation_wait(struct delegation *t, u32 thread, struct filter *filter)
{
	u32 i;

	for (;;) {
		if (!atomic64_read_acquire(&filter->full))
			return;
		delegation_serve(t, thread);
		for (i = 0; rivals_alone && i < t->threads; i++)
			delegation_serve(t, i);
		if (!atomic64_read_acquire(&filter->full))
			return;
		cpu_relax();
	}
}

static void delegation_hand_over(struct delegation *t, u32 thread)
{
	struct filter *filters = &t->filters[(size_t)thread * t->threads];
	u32 i;

	for (i = 0; i < t->threads; i++) {
		struct owner *owner = &t->owners[i];
		s64 first = atomic64_read(&owner->first);

		if (!filters[i].used)
			continue;
		atomic64_set(&filters[i].full, 1);
		do {
			WRITE_ONCE(filters[i].next, (u64)first);
		} while (!atomic64_try_cmpxchg(&owner->first, &first,
					       (s64)(&filters[i] - t->filters) + 1));
	}
	for (i = 0; i < t->threads; i++)
		delegation_wait(t, thread, &filters[i]);
	t->owners[thread].hits = 0;
}

static void delegation_add(struct topk_table *table, const void *bytes, u64 n)
{
	struct delegation *t = delegation_of(table);
	u32 i, thread = rivals_thread_of[raw_smp_processor_id()];
	struct filter *filter;
	u64 key = 0;

	memcpy(&key, bytes, table->key_size);
	filter = &t->filters[(size_t)thread * t->threads +
			     delegation_owner(t, topk_hash_word(key, &table->secret))];
	for (i = 0; i < filter->used && filter->key[i] != key; i++)
		;
	if (i == filter->used) {
		WRITE_ONCE(filter->key[i], key);
		filter->count[i] = 0;
		filter->used++;
	}
	WRITE_ONCE(filter->count[i], filter->count[i] + n);
	t->owners[thread].hits += n;
	if (filter->used == KEYS || t->owners[thread].hits >= HITS)
		delegation_hand_over(t, thread);
}

void rival_finish(struct topk_table *table)
{
	struct delegation *t = delegation_of(table);
	u32 thread = rivals_thread_of[raw_smp_processor_id()];

	delegation_hand_over(t, thread);
	if (rivals_alone)
		return;
	atomic64_inc(&t->finished);
	while (atomic64_read(&t->finished) < t->threads) {
		delegation_serve(t, thread);
		cpu_relax();
	}
}

static int delegation_read(struct topk_table *table, u32 most,
			   struct scounter_topk_header *header)
{
	struct delegation *t = delegation_of(table);
	u32 i, j;

	for (i = 0; i < t->threads; i++) {
		s64 free = 0;

		while (!atomic64_try_cmpxchg(&t->owners[i].locked, &free, 1)) {
			free = 0;
			cpu_relax();
		}
		t->parts->list(t->owners[i].part, most, header);
		header->total += t->owners[i].total;
		atomic64_set_release(&t->owners[i].locked, 0);
	}
	for (i = 0; i < t->threads * t->threads; i++)
		for (j = 0; j < t->filters[i].used; j++)
			header->pending += READ_ONCE(t->filters[i].count[j]);
	return 0;
}

static void delegation_destroy(struct topk_table *table)
{
	struct delegation *t = delegation_of(table);
	u32 i;

	for (i = 0; t->owners && i < t->threads; i++) {
		if (t->owners[i].part)
			t->parts->clear(t->owners[i].part);
		kfree(t->owners[i].part);
	}
	kvfree(t->owners);
	kvfree(t->filters);
	topk_table_clear(table);
	kfree(t);
}

static bool delegation_create_parts(struct delegation *t)
{
	u32 i, counters = max(t->table.capacity / t->threads, 1U);

	t->owners = kvcalloc(t->threads, sizeof(*t->owners), GFP_KERNEL);
	t->filters = kvcalloc((size_t)t->threads * t->threads, sizeof(*t->filters), GFP_KERNEL);
	if (!t->owners || !t->filters)
		return false;
	for (i = 0; i < t->threads; i++) {
		t->owners[i].part = kzalloc(t->parts->size, GFP_KERNEL);
		if (!t->owners[i].part || !t->parts->init(t->owners[i].part, counters, i + 1))
			return false;
	}
	return true;
}

static struct topk_table *delegation_create(const struct topk_ops *ops,
					    const struct rival_part_ops *parts, u32 capacity,
					    u32 key_size, const struct topk_secret *secret)
{
	struct delegation *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	t->parts = parts;
	t->threads = rivals_threads;
	if (topk_table_init(&t->table, ops, capacity, key_size, secret) ||
	    !delegation_create_parts(t)) {
		delegation_destroy(&t->table);
		return NULL;
	}
	return &t->table;
}

static size_t delegation_bytes(const struct topk_table *table)
{
	const struct delegation *t = delegation_of(table);
	u32 counters = max(table->capacity / t->threads, 1U);

	return sizeof(*t) + (size_t)t->threads * t->threads * sizeof(*t->filters) +
	       t->threads * (sizeof(*t->owners) + t->parts->size + t->parts->bytes(counters));
}

static struct topk_table *qpopss_create(u32 capacity, u32 key_size,
					const struct topk_secret *secret)
{
	return delegation_create(&rival_qpopss_ops, &rival_space_saving, capacity, key_size,
				 secret);
}

static struct topk_table *keeper_create(u32 capacity, u32 key_size,
					const struct topk_secret *secret)
{
	return delegation_create(&rival_keeper_ops, &rival_cuckoo_keeper, capacity, key_size,
				 secret);
}

const struct topk_ops rival_qpopss_ops = {
	.name		= "qpopss",
	.create		= qpopss_create,
	.destroy	= delegation_destroy,
	.add		= delegation_add,
	.read		= delegation_read,
	.bytes		= delegation_bytes,
};

const struct topk_ops rival_keeper_ops = {
	.name		= "keeper",
	.create		= keeper_create,
	.destroy	= delegation_destroy,
	.add		= delegation_add,
	.read		= delegation_read,
	.bytes		= delegation_bytes,
};

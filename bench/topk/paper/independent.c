// SPDX-License-Identifier: GPL-2.0
/*
 * The independent design (Das et al. 2009, section 3.1): each thread has a structure of its
 * own.  A query merges them in pairs, and the results in pairs, and so on: with n threads,
 * in log2 n steps, in each of which pairs are merged at the same time.  Each structure is
 * as large as one for all threads (Lemma 3.1).
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "designs.h"
#include "profile.h"
#include "sequential.h"

struct independent {
	struct topk_table table;
	struct sequential **parts;		/* by CPU */
	struct scounter_topk_header **merged;
};

static struct independent *independent_of(const struct topk_table *table)
{
	return container_of(table, struct independent, table);
}

static void independent_add(struct topk_table *table, const void *bytes, u64 n)
{
	enum section section = profile_enter(SECTION_COUNT);
	u64 key;

	memcpy(&key, bytes, sizeof(key));
	if (n)
		sequential_add(independent_of(table)->parts[raw_smp_processor_id()], key, n);
	profile_enter(section);
}

/* Of the pair that thread @i is the first of, or nothing. */
static void independent_merge_pair(struct independent *t, u32 i, u32 step, u32 n)
{
	struct scounter_topk_header *pair[2], *merged;

	if (i % (2 * step) || i + step >= n)
		return;
	pair[0] = t->merged[i];
	pair[1] = t->merged[i + step];
	merged = pair[0] && pair[1] ?
		 topk_merge((const struct scounter_topk_header *const *)pair, 2, U32_MAX) : NULL;
	topk_snapshot_free(pair[0]);
	topk_snapshot_free(pair[1]);
	t->merged[i] = merged;
	t->merged[i + step] = NULL;
}

static void independent_meet(void (*meet)(void))
{
	enum section section = profile_enter(SECTION_WAIT);

	if (meet)
		meet();
	profile_enter(section);
}

struct scounter_topk_header *paper_merge(struct topk_table *table, u32 i, u32 n,
					 void (*meet)(void))
{
	struct independent *t = independent_of(table);
	enum section section = profile_enter(SECTION_MERGE);
	struct scounter_topk_header *merged;
	u32 step;

	independent_meet(meet);
	t->merged[i] = sequential_snapshot(t->parts[i]);
	for (step = 1; step < n; step *= 2) {
		independent_meet(meet);
		independent_merge_pair(t, i, step, n);
	}
	independent_meet(meet);
	merged = i ? NULL : t->merged[0];
	profile_enter(section);
	return merged;
}

static int independent_read(struct topk_table *table, u32 most,
			    struct scounter_topk_header *header)
{
	struct independent *t = independent_of(table);
	const u32 n = nr_cpu_ids;
	struct scounter_topk_header *merged;
	u32 i, step;

	for (i = 0; i < n; i++)
		t->merged[i] = sequential_snapshot(t->parts[i]);
	for (step = 1; step < n; step *= 2)
		for (i = 0; i < n; i += 2 * step)
			independent_merge_pair(t, i, step, n);
	merged = t->merged[0];
	if (!merged)
		return -ENOMEM;
	for (i = 0; i < merged->records; i++)
		topk_offer(header, most, topk_record(merged, i));
	header->floor = max(header->floor, merged->floor);
	header->total = merged->total;
	header->evictions = merged->evictions;
	topk_snapshot_free(merged);
	return 0;
}

static void independent_destroy(struct topk_table *table)
{
	struct independent *t = independent_of(table);
	u32 i;

	for (i = 0; t->parts && i < nr_cpu_ids; i++)
		if (t->parts[i])
			sequential_destroy(t->parts[i]);
	kfree(t->parts);
	kfree(t->merged);
	topk_table_clear(table);
	kfree(t);
}

static bool independent_allocate(struct independent *t, u32 capacity,
				 const struct topk_secret *secret)
{
	u32 i;

	t->parts = kcalloc(nr_cpu_ids, sizeof(struct sequential *), GFP_KERNEL);
	t->merged = kcalloc(nr_cpu_ids, sizeof(struct scounter_topk_header *), GFP_KERNEL);
	if (!t->parts || !t->merged)
		return false;
	for (i = 0; i < nr_cpu_ids; i++) {
		t->parts[i] = sequential_create(capacity, secret);
		if (!t->parts[i])
			return false;
	}
	return true;
}

static struct topk_table *independent_create(u32 capacity, u32 key_size,
					     const struct topk_secret *secret)
{
	struct independent *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	if (topk_table_init(&t->table, &paper_independent_ops, capacity, key_size, secret) ||
	    !independent_allocate(t, capacity, secret)) {
		independent_destroy(&t->table);
		return NULL;
	}
	return &t->table;
}

static size_t independent_bytes(const struct topk_table *table)
{
	return sizeof(struct independent) +
	       nr_cpu_ids * sequential_bytes(independent_of(table)->parts[0]);
}

const struct topk_ops paper_independent_ops = {
	.name		= "independent-paper",
	.design		= SCOUNTER_TOPK_INDEPENDENT,
	.create		= independent_create,
	.destroy	= independent_destroy,
	.add		= independent_add,
	.read		= independent_read,
	.bytes		= independent_bytes,
};

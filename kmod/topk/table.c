// SPDX-License-Identifier: GPL-2.0
/* What all designs share: their table, snapshots in order, and merging. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "table.h"

#define PPB	1000000000U

static const struct topk_ops *const designs[] = {
	&topk_lockfree_ops, &topk_cooperative_ops, &topk_shared_ops, &topk_independent_ops,
};

const struct topk_ops *topk_ops_of(u32 design)
{
	u32 i;

	if (design == SCOUNTER_TOPK_DEFAULT)
		return designs[0];
	for (i = 0; i < ARRAY_SIZE(designs); i++)
		if (designs[i]->design == design)
			return designs[i];
	return NULL;
}

int topk_table_init(struct topk_table *table, const struct topk_ops *ops,
		    u32 capacity, u32 key_size, const struct topk_secret *secret)
{
	table->ops = ops;
	table->capacity = capacity;
	table->key_size = key_size;
	table->secret = *secret;
	table->cpus = kvcalloc(nr_cpu_ids, sizeof(*table->cpus), GFP_KERNEL);
	return table->cpus ? 0 : -ENOMEM;
}

void topk_table_clear(struct topk_table *table)
{
	kvfree(table->cpus);
}

void topk_table_sums(const struct topk_table *table, struct topk_sums *sums)
{
	u32 cpu;

	memset(sums, 0, sizeof(*sums));
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct topk_cpu *of = &table->cpus[cpu];

		sums->evictions += atomic64_read(&of->evictions);
		sums->delegated += atomic64_read(&of->delegated);
		sums->applied += atomic64_read(&of->applied);
		sums->inflation += atomic64_read(&of->inflation);
		sums->dropped = topk_add_saturating(sums->dropped,
						    atomic64_read(&of->dropped));
	}
}

/*
 * Hits that were left to other contexts and are not counted yet: no fewer than there
 * are of those whose calls have returned, if the counts are read afterwards.
 */
u64 topk_pending(const struct topk_table *table)
{
	u64 delegated = 0, applied = 0;
	u32 cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		applied += atomic64_read(&table->cpus[cpu].applied);
	/*
	 * Pairs with topk_counted(), and with the swap in topk_delegate() that it
	 * follows: topk-pending.litmus.
	 */
	smp_rmb();
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		delegated += atomic64_read(&table->cpus[cpu].delegated);
	return delegated - applied;
}

u32 topk_record_size(u32 key_size)
{
	return sizeof(struct scounter_topk_record) +
	       DIV_ROUND_UP(key_size, sizeof(u64)) * sizeof(u64);
}

struct scounter_topk_record *topk_record(const struct scounter_topk_header *header,
					 u32 i)
{
	return (void *)(header + 1) + (size_t)i * header->record_size;
}

void topk_snapshot_free(struct scounter_topk_header *header)
{
	kvfree(header);
}

struct scounter_topk_header *topk_snapshot_alloc(u32 key_size, u32 records)
{
	u32 size = topk_record_size(key_size);
	struct scounter_topk_header *header =
		kvzalloc(sizeof(*header) + ((size_t)records + 1) * size, GFP_KERNEL);

	if (!header)
		return NULL;
	header->magic = SCOUNTER_TOPK_MAGIC;
	header->version = SCOUNTER_TOPK_VERSION;
	header->header_size = sizeof(*header);
	header->record_size = size;
	header->key_size = key_size;
	return header;
}

static int by_key(const void *a, const void *b, const void *size)
{
	const struct scounter_topk_record *left = a, *right = b;

	return memcmp(left->key, right->key, *(const u32 *)size);
}

/* Highest count first; among equal ones the surest, then any fixed order. */
static int by_count(const void *a, const void *b, const void *size)
{
	const struct scounter_topk_record *left = a, *right = b;

	if (left->count != right->count)
		return left->count > right->count ? -1 : 1;
	if (left->error != right->error)
		return left->error < right->error ? -1 : 1;
	return by_key(a, b, size);
}

static void sort_records(struct scounter_topk_header *header,
			 int (*compare)(const void *a, const void *b, const void *size))
{
	sort_r(header + 1, header->records, header->record_size, compare, NULL,
	       &header->key_size);
}

void topk_sort(struct scounter_topk_header *header)
{
	sort_records(header, by_count);
}

/* Keep the first @n records. */
void topk_cut(struct scounter_topk_header *header, u32 n)
{
	if (n >= header->records)
		return;
	header->floor = max(header->floor, topk_record(header, n)->count);
	header->records = n;
}

static void cut_by_share(struct scounter_topk_header *header, u32 phi_ppb)
{
	/* Rounded down, and the count is to be above it: none is left out. */
	u32 rest;
	u64 share = div_u64_rem(header->total, PPB, &rest) * phi_ppb +
		    div_u64((u64)rest * phi_ppb, PPB);
	u32 n = 0;

	while (n < header->records && topk_record(header, n)->count > share)
		n++;
	topk_cut(header, n);
}

/* The table now, in order.  Task context.  NULL if there is no memory. */
struct scounter_topk_header *topk_snapshot(struct topk_table *table,
					   const struct topk_query *query)
{
	struct scounter_topk_header *header;
	struct topk_sums sums;
	u32 most = min(query->most, table->capacity);

	header = topk_snapshot_alloc(table->key_size, most);
	if (!header)
		return NULL;
	header->capacity = table->capacity;
	header->design = table->ops->design;
	if (table->ops->read(table, most, header)) {
		topk_snapshot_free(header);
		return NULL;
	}
	topk_table_sums(table, &sums);
	header->evictions += sums.evictions;
	header->dropped = topk_add_saturating(header->dropped, sums.dropped);
	if (header->dropped)
		header->flags |= SCOUNTER_TOPK_F_DROPPED;
	topk_sort(header);
	if (query->phi_ppb)
		cut_by_share(header, query->phi_ppb);
	return header;
}

/*
 * All records of the parts, each with the floor of its part taken off count and
 * error: what a key has beyond that of one that is not listed.  The floors of
 * all parts are added again when the keys are put together.
 */
static void gather(struct scounter_topk_header *into,
		   const struct scounter_topk_header *part)
{
	u32 i;

	for (i = 0; i < part->records; i++) {
		struct scounter_topk_record *record = topk_record(into, into->records++);

		memcpy(record, topk_record(part, i), part->record_size);
		record->count -= part->floor;
		record->error -= part->floor;
	}
	into->floor = topk_add_saturating(into->floor, part->floor);
	into->total = topk_add_saturating(into->total, part->total);
	into->pending = topk_add_saturating(into->pending, part->pending);
	into->evictions += part->evictions;
	into->dropped = topk_add_saturating(into->dropped, part->dropped);
	into->flags |= part->flags;
	if (into->total == U64_MAX)
		into->flags |= SCOUNTER_TOPK_F_SATURATED;
	into->capacity = min(into->capacity, part->capacity);
}

/* Sorted by key: make one record of those with the same. */
static void unite(struct scounter_topk_header *header)
{
	u32 i, n = 0;

	for (i = 0; i < header->records; i++) {
		struct scounter_topk_record *record = topk_record(header, i);
		struct scounter_topk_record *last = n ? topk_record(header, n - 1) : NULL;

		if (last && !memcmp(last->key, record->key, header->key_size)) {
			last->count += record->count;
			last->error += record->error;
			continue;
		}
		memmove(topk_record(header, n++), record, header->record_size);
	}
	header->records = n;
	for (i = 0; i < n; i++) {
		struct scounter_topk_record *record = topk_record(header, i);

		record->count += header->floor;
		record->error += header->floor;
	}
}

/*
 * One table of several, of the same key size: a key's count is the sum of its
 * counts, and of the floors of the parts that do not list it, as it may have
 * been hit as often there.  With the highest m counts kept, where m is the
 * smallest capacity, errors stay at most N / m: if all parts are full, what the
 * counts have beyond the floors sums up to N - m * floors, so that the first one
 * that is not kept is at most (N - m * floors) / (m + 1) + floors <= N / m.
 * (Cafaro, Pulimeno & Tempesta 2016.)
 */
struct scounter_topk_header *topk_merge(const struct scounter_topk_header *const *parts,
					u32 n)
{
	struct scounter_topk_header *merged;
	u32 i, records = 0, most = 0;

	for (i = 0; i < n; i++) {
		records += parts[i]->records;
		most = max(most, parts[i]->capacity);
	}
	merged = topk_snapshot_alloc(parts[0]->key_size, records);
	if (!merged)
		return NULL;
	merged->capacity = parts[0]->capacity;
	merged->design = parts[0]->design;
	for (i = 0; i < n; i++)
		gather(merged, parts[i]);
	sort_records(merged, by_key);
	unite(merged);
	topk_sort(merged);
	topk_cut(merged, most);
	return merged;
}

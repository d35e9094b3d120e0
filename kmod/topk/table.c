// SPDX-License-Identifier: GPL-2.0
/*
 * What all designs share: their table, snapshots in order, and merging.
 *
 * The kernel's sort() does not let other tasks run, which is too long for a million
 * records.  So the heap that picks the highest counts sorts, too.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "topk/table.h"

#define PPB	1000000000U

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
		/* Only their difference has a meaning, and that is right if they wrap, too. */
		sums->delegated += atomic64_read(&of->delegated);
		sums->applied += atomic64_read(&of->applied);
		sums->dropped = topk_add_saturating(sums->dropped,
						    atomic64_read(&of->dropped));
	}
}

/*
 * How many hits are left to other contexts and not counted yet.  It is never too few for
 * calls that have returned, if the caller reads the counts afterwards.
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

typedef int (*order_fn)(const struct scounter_topk_record *a,
			const struct scounter_topk_record *b, u32 key_size);

static int table_by_key(const struct scounter_topk_record *a, const struct scounter_topk_record *b,
			u32 key_size)
{
	return memcmp(a->key, b->key, key_size);
}

/* The highest count first; of equal ones that with the smallest error; then by key. */
static int table_by_count(const struct scounter_topk_record *a,
			  const struct scounter_topk_record *b, u32 key_size)
{
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->error != b->error)
		return a->error < b->error ? -1 : 1;
	return table_by_key(a, b, key_size);
}

/* A record that moves through a heap. */
struct moving {
	u64 words[DIV_ROUND_UP(sizeof(struct scounter_topk_record) + SCOUNTER_TOPK_KEY_MAX,
			       sizeof(u64))];
};

static const struct scounter_topk_record *
table_heap_lift(const struct scounter_topk_header *header, struct moving *moving, u32 i)
{
	return memcpy(moving, topk_record(header, i), header->record_size);
}

/*
 * Put @record into a heap of @n records in which @at is free; the last in order is at the
 * root.  @record mostly belongs far down.  So the free place first goes all the way down,
 * and then up again.
 */
static void table_heap_sink(struct scounter_topk_header *header, order_fn order, u32 at, u32 n,
			    const struct scounter_topk_record *record)
{
	u32 i = at, child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && order(topk_record(header, child + 1),
					   topk_record(header, child), header->key_size) > 0)
			child++;
		memcpy(topk_record(header, i), topk_record(header, child), header->record_size);
		i = child;
	}
	for (; i > at; i = (i - 1) / 2) {
		const struct scounter_topk_record *above = topk_record(header, (i - 1) / 2);

		if (order(record, above, header->key_size) <= 0)
			break;
		memcpy(topk_record(header, i), above, header->record_size);
	}
	memcpy(topk_record(header, i), record, header->record_size);
}

static void table_heap_make(struct scounter_topk_header *header, order_fn order)
{
	struct moving moving;
	u32 i;

	for (i = header->records / 2; i--; topk_breathe(i))
		table_heap_sink(header, order, i, header->records,
				table_heap_lift(header, &moving, i));
}

static void table_sort(struct scounter_topk_header *header, order_fn order)
{
	const struct scounter_topk_record *last;
	struct moving moving;
	u32 n;

	table_heap_make(header, order);
	for (n = header->records; n > 1; topk_breathe(n)) {
		last = table_heap_lift(header, &moving, --n);
		memcpy(topk_record(header, n), topk_record(header, 0), header->record_size);
		table_heap_sink(header, order, 0, n, last);
	}
}

/*
 * A key with this count is not listed.  The capacity then is the number of listed keys:
 * each of them, and this one, has the floor at least, so the floor is at most
 * total / (records + 1).  A snapshot that lists none has the capacity 1.
 */
void topk_leave_out(struct scounter_topk_header *header, u64 count)
{
	header->floor = max(header->floor, count);
	header->capacity = min(header->capacity, max(header->records, 1U));
}

/* Offer a record to a heap, in which the @most highest stay. */
void topk_offer(struct scounter_topk_header *header, u32 most,
		const struct scounter_topk_record *record)
{
	const struct scounter_topk_record *least = topk_record(header, 0);

	if (header->records < most) {
		memcpy(topk_record(header, header->records++), record, header->record_size);
		if (header->records == most)
			table_heap_make(header, table_by_count);
		return;
	}
	if (!most || table_by_count(record, least, header->key_size) > 0) {
		topk_leave_out(header, record->count);
		return;
	}
	topk_leave_out(header, least->count);
	table_heap_sink(header, table_by_count, 0, most, record);
}

/* Keep the @most highest, in order. */
static void table_keep_highest(struct scounter_topk_header *header, u32 most)
{
	u32 i, records = header->records;

	if (most < records) {
		header->records = most;
		table_heap_make(header, table_by_count);
		for (i = most; i < records; i++, topk_breathe(i))
			topk_offer(header, most, topk_record(header, i));
	}
	table_sort(header, table_by_count);
}

/* Of records in order, list the first @n only. */
static void table_cut(struct scounter_topk_header *header, u32 n)
{
	u64 count;

	if (n >= header->records)
		return;
	count = topk_record(header, n)->count;
	header->records = n;
	topk_leave_out(header, count);
}

static void table_cut_by_share(struct scounter_topk_header *header, u32 phi_ppb)
{
	/* Rounded down, and counts must be above it: no key is left out by mistake. */
	u32 rest;
	u64 share = div_u64_rem(header->total, PPB, &rest) * phi_ppb +
		    div_u64((u64)rest * phi_ppb, PPB);
	u32 n = 0;

	while (n < header->records && topk_record(header, n)->count > share)
		n++;
	table_cut(header, n);
}

/* A snapshot in any order.  Task context.  NULL if there is no memory. */
struct scounter_topk_header *topk_collect(struct topk_table *table, u32 most)
{
	struct scounter_topk_header *header;
	struct topk_sums sums;

	most = min(most, table->capacity);
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
	header->evictions = topk_add_saturating(header->evictions, sums.evictions);
	header->dropped = topk_add_saturating(header->dropped, sums.dropped);
	if (header->dropped)
		header->flags |= SCOUNTER_TOPK_F_DROPPED;
	return header;
}

/* A snapshot in order. */
struct scounter_topk_header *topk_snapshot(struct topk_table *table,
					   const struct topk_query *query)
{
	struct scounter_topk_header *header = topk_collect(table, query->most);

	if (!header)
		return NULL;
	table_sort(header, table_by_count);
	if (query->phi_ppb)
		table_cut_by_share(header, query->phi_ppb);
	return header;
}

/*
 * Append all records of a part.  Until equal keys are united, a record's count is what it
 * has beyond the part's floor, and its error is what it has for certain.  A record with
 * the count 9 and the error 2, of a part with the floor 4, becomes 5 and 7.  Both can be
 * added up, and the sums saturate.
 */
static void table_append(struct scounter_topk_header *into,
			 const struct scounter_topk_header *part)
{
	u32 i;

	for (i = 0; i < part->records; i++, topk_breathe(i)) {
		struct scounter_topk_record *record = topk_record(into, into->records++);

		memcpy(record, topk_record(part, i), part->record_size);
		record->error = record->count - min(record->count, record->error);
		record->count -= min(record->count, part->floor);
	}
	into->floor = topk_add_saturating(into->floor, part->floor);
	into->total = topk_add_saturating(into->total, part->total);
	into->pending = topk_add_saturating(into->pending, part->pending);
	into->evictions = topk_add_saturating(into->evictions, part->evictions);
	into->dropped = topk_add_saturating(into->dropped, part->dropped);
	into->flags |= part->flags;
	if (into->total == U64_MAX)
		into->flags |= SCOUNTER_TOPK_F_SATURATED;
	into->capacity = min(into->capacity, part->capacity);
}

/* Make one record of those with the same key, with count and error again.  Sorted by key. */
static void table_unite(struct scounter_topk_header *header)
{
	u32 i, n = 0;

	for (i = 0; i < header->records; i++, topk_breathe(i)) {
		struct scounter_topk_record *record = topk_record(header, i);
		struct scounter_topk_record *last = n ? topk_record(header, n - 1) : NULL;

		if (last && !table_by_key(last, record, header->key_size)) {
			last->count = topk_add_saturating(last->count, record->count);
			last->error = topk_add_saturating(last->error, record->error);
			continue;
		}
		memmove(topk_record(header, n++), record, header->record_size);
	}
	header->records = n;
	for (i = 0; i < n; i++, topk_breathe(i)) {
		struct scounter_topk_record *record = topk_record(header, i);

		record->count = topk_add_saturating(record->count, header->floor);
		record->error = record->count - min(record->count, record->error);
		if (record->count == U64_MAX)
			header->flags |= SCOUNTER_TOPK_F_SATURATED;
	}
}

/*
 * Merge snapshots of the same key size.  A key's count is the sum of its counts, and of the
 * floors of the parts that do not list it: it may have been hit as often there.  The @most
 * highest counts are listed.
 *
 * Errors are at most N / m, where m is the smallest capacity, if at least the m highest
 * counts are kept.  Each part lists at least m keys or has a floor of 0.  So its counts
 * beyond its floor sum up to at most its total - m * floor.  The counts beyond all floors
 * sum up to at most N - m * floors.  So the first one that is not kept is at most
 * (N - m * floors) / (m + 1) + floors <= N / m.  (Cafaro, Pulimeno & Tempesta 2016.)
 */
struct scounter_topk_header *topk_merge(const struct scounter_topk_header *const *parts,
					u32 n, u32 most)
{
	struct scounter_topk_header *merged;
	u32 i, records = 0, capacity = 0;

	for (i = 0; i < n; i++) {
		records += parts[i]->records;
		capacity = max(capacity, parts[i]->capacity);
	}
	merged = topk_snapshot_alloc(parts[0]->key_size, records);
	if (!merged)
		return NULL;
	merged->capacity = parts[0]->capacity;
	merged->design = parts[0]->design;
	for (i = 0; i < n; i++)
		table_append(merged, parts[i]);
	table_sort(merged, table_by_key);
	table_unite(merged);
	table_keep_highest(merged, min(most, capacity));
	return merged;
}

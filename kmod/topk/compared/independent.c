// SPDX-License-Identifier: GPL-2.0
/*
 * A table for each CPU, merged by every query: the independent design (Das et al. 2009,
 * section 3.1), to be compared with.  For the same error, each table must be as large as
 * one for all CPUs (Lemma 3.1).  A query of 4 CPUs with m = 1000 merges 4000 records.
 *
 * The tables are lockfree ones: the interrupts of a CPU hit its table, too, and queries
 * read it while it changes.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "topk/designs.h"
#include "topk/table.h"

struct independent {
	struct topk_table table;
	struct topk_table **of_cpu;
};

static struct independent *independent_of(const struct topk_table *table)
{
	return container_of(table, struct independent, table);
}

/* A query merges all tables in one allocation, which must not be more than INT_MAX. */
static int independent_check(u32 capacity, u32 key_size)
{
	u64 records = (u64)capacity * num_possible_cpus() + 1;
	u32 most = (INT_MAX - sizeof(struct scounter_topk_header)) / topk_record_size(key_size);

	return records <= most ? 0 : -E2BIG;
}

static void independent_add(struct topk_table *table, const void *key, u64 n)
{
	struct topk_table *mine = independent_of(table)->of_cpu[raw_smp_processor_id()];

	topk_add(mine, key, n);
}

static void independent_free_parts(struct scounter_topk_header **parts)
{
	u32 cpu;

	for (cpu = 0; parts && cpu < nr_cpu_ids; cpu++)
		topk_snapshot_free(parts[cpu]);
	kvfree(parts);
}

static struct scounter_topk_header *independent_read_parts(struct independent *t, u32 most)
{
	struct scounter_topk_header **parts = kvcalloc(nr_cpu_ids, sizeof(*parts), GFP_KERNEL);
	struct scounter_topk_header *merged = NULL;
	u32 cpu, n = 0;

	if (!parts)
		return NULL;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (!t->of_cpu[cpu])
			continue;
		parts[n] = topk_collect(t->of_cpu[cpu], U32_MAX);
		if (!parts[n])
			goto out;
		n++;
	}
	merged = topk_merge((const struct scounter_topk_header *const *)parts, n, most);
out:
	independent_free_parts(parts);
	return merged;
}

static int independent_read(struct topk_table *table, u32 most,
			    struct scounter_topk_header *header)
{
	struct scounter_topk_header *merged = independent_read_parts(independent_of(table), most);

	if (!merged)
		return -ENOMEM;
	merged->design = header->design;
	memcpy(header, merged, sizeof(*header) + (size_t)merged->records * merged->record_size);
	topk_snapshot_free(merged);
	return 0;
}

static void independent_destroy(struct topk_table *table)
{
	struct independent *t = independent_of(table);
	u32 cpu;

	for (cpu = 0; t->of_cpu && cpu < nr_cpu_ids; cpu++)
		if (t->of_cpu[cpu])
			t->of_cpu[cpu]->ops->destroy(t->of_cpu[cpu]);
	kvfree(t->of_cpu);
	topk_table_clear(table);
	kfree(t);
}

static int independent_create_tables(struct independent *t)
{
	u32 cpu;

	t->of_cpu = kvcalloc(nr_cpu_ids, sizeof(*t->of_cpu), GFP_KERNEL);
	if (!t->of_cpu)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		t->of_cpu[cpu] = topk_lockfree_ops.create(t->table.capacity, t->table.key_size,
							  &t->table.secret);
		if (!t->of_cpu[cpu])
			return -ENOMEM;
	}
	return 0;
}

static struct topk_table *independent_create(u32 capacity, u32 key_size,
					     const struct topk_secret *secret)
{
	struct independent *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	if (topk_table_init(&t->table, &topk_independent_ops, capacity, key_size, secret) ||
	    independent_create_tables(t)) {
		independent_destroy(&t->table);
		return NULL;
	}
	return &t->table;
}

static size_t independent_bytes(const struct topk_table *table)
{
	const struct independent *t = independent_of(table);
	size_t bytes = sizeof(*t) + nr_cpu_ids * (sizeof(*t->of_cpu) + sizeof(*table->cpus));
	u32 cpu;

	for_each_possible_cpu(cpu)
		bytes += t->of_cpu[cpu]->ops->bytes(t->of_cpu[cpu]);
	return bytes;
}

/* The tables count their pending hits themselves. */
const struct topk_ops topk_independent_ops = {
	.name		= "independent",
	.design		= SCOUNTER_TOPK_INDEPENDENT,
	.check		= independent_check,
	.create		= independent_create,
	.destroy	= independent_destroy,
	.add		= independent_add,
	.read		= independent_read,
	.bytes		= independent_bytes,
};

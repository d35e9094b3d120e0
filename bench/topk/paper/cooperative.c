// SPDX-License-Identifier: GPL-2.0
/* The Concurrent Stream Summary as a table. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/processor.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "designs.h"
#include "profile.h"

struct coop {
	struct topk_table table;
	struct summary summary;
};

/* Lossy Counting keeps at most (1 / epsilon) log(epsilon N), which is less for any N < 2^64. */
#define LOSSY_LOG	64

static struct coop *coop_of(const struct topk_table *table)
{
	return container_of(table, struct coop, table);
}

struct summary *paper_summary(const struct topk_table *table)
{
	return &coop_of(table)->summary;
}

static void coop_wait(void)
{
	enum section section = profile_enter(SECTION_SLEEP);

	if (!topk_throttle())
		cpu_relax();
	profile_enter(section);
}

static void coop_add(struct topk_table *table, const void *bytes, u64 n)
{
	u64 key;

	memcpy(&key, bytes, sizeof(key));
	/* Without a free location, so many new keys wait in queues: some owner serves them. */
	while (!summary_add(paper_summary(table), key, n)) {
		if (!n || n > SUMMARY_HITS_MAX) {
			topk_drop(topk_this_cpu(table), n);
			return;
		}
		coop_wait();
	}
}

/* What a walk met last of each element. */
struct coop_reading {
	struct element *elements;
	u32 count;
};

static void coop_visit(u32 number, const struct element *element, void *argument)
{
	struct coop_reading *reading = argument;

	reading->elements[number] = *element;
}

static int coop_read(struct topk_table *table, u32 most, struct scounter_topk_header *header)
{
	struct summary *summary = paper_summary(table);
	struct coop_reading reading = { .count = summary->element_count };
	struct scounter_topk_record *record;
	u64 least = U64_MAX;
	u32 i, met = 0;

	reading.elements = kcalloc(reading.count + 1UL, sizeof(*reading.elements), GFP_KERNEL);
	record = kzalloc(header->record_size, GFP_KERNEL);
	if (!reading.elements || !record)
		goto out;
	summary_walk(summary, coop_visit, &reading);
	for (i = 1; i <= reading.count; i++) {
		const struct element *element = &reading.elements[i];

		if (!element->count)
			continue;
		record->count = element->count;
		record->error = element->error;
		memcpy(record->key, &element->key, sizeof(element->key));
		header->total += element->count;
		least = min(least, element->count);
		met++;
		topk_offer(header, most, record);
	}
	if (pool_is_empty(&summary->element_pool) && met)
		header->floor = max(header->floor, least);
	header->floor = max_t(u64, header->floor, atomic64_read(&summary->removed));
	for (i = 0; i < nr_cpu_ids; i++) {
		header->evictions += summary->workers[i].evictions;
		header->dropped += summary->workers[i].dropped;
	}
out:
	kfree(record);
	kfree(reading.elements);
	return record && reading.elements ? 0 : -ENOMEM;
}

static void coop_destroy(struct topk_table *table)
{
	struct coop *coop = coop_of(table);

	summary_clear(&coop->summary);
	topk_table_clear(table);
	kfree(coop);
}

struct topk_table *paper_coop_create(const struct topk_ops *ops,
				     const struct summary_options *options,
				     const struct topk_secret *secret)
{
	struct coop *coop = kzalloc(sizeof(*coop), GFP_KERNEL);
	int error;

	if (!coop)
		return ERR_PTR(-ENOMEM);
	error = summary_init(&coop->summary, options, secret);
	if (error) {
		kfree(coop);
		return ERR_PTR(error);
	}
	if (topk_table_init(&coop->table, ops, options->capacity, sizeof(u64), secret)) {
		coop_destroy(&coop->table);
		return ERR_PTR(-ENOMEM);
	}
	return &coop->table;
}

struct topk_table *paper_lossy_create(u32 window, const struct topk_secret *secret)
{
	struct summary_options options = {
		.waiting = PAPER_WAITING, .window = window,
		.capacity = min_t(u64, (u64)window * LOSSY_LOG, SCOUNTER_TOPK_CAPACITY_MAX),
	};

	if (!window || window > SCOUNTER_TOPK_CAPACITY_MAX)
		return ERR_PTR(-ERANGE);
	return paper_coop_create(&paper_lossy_ops, &options, secret);
}

static struct topk_table *coop_create_with(const struct topk_ops *ops, u32 capacity, u32 limit,
					   const struct topk_secret *secret)
{
	struct summary_options options = {
		.capacity = capacity, .waiting = PAPER_WAITING,
		.tunes = limit, .queue_limit = limit,
	};
	struct topk_table *table = paper_coop_create(ops, &options, secret);

	return IS_ERR(table) ? NULL : table;
}

static struct topk_table *coop_create(u32 capacity, u32 key_size,
				      const struct topk_secret *secret)
{
	(void)key_size;
	return coop_create_with(&paper_coop_ops, capacity, 0, secret);
}

static struct topk_table *tuned_create(u32 capacity, u32 key_size,
				       const struct topk_secret *secret)
{
	(void)key_size;
	return coop_create_with(&paper_tuned_ops, capacity, PAPER_QUEUE_LIMIT, secret);
}

static struct topk_table *lossy_create(u32 capacity, u32 key_size,
				       const struct topk_secret *secret)
{
	struct topk_table *table = paper_lossy_create(capacity, secret);

	(void)key_size;
	return IS_ERR(table) ? NULL : table;
}

static size_t coop_bytes(const struct topk_table *table)
{
	const struct summary *s = &coop_of(table)->summary;

	return sizeof(struct coop) +
	       (s->bucket_count + 1UL) * (sizeof(struct bucket) + sizeof(u32)) +
	       (s->element_count + 1UL) * (sizeof(struct element) + sizeof(u32)) +
	       (s->search.count + 2UL) * (sizeof(struct location) + sizeof(u32)) +
	       sizeof(struct chain) * (1UL << s->search.chain_bits);
}

#define COOP_OPS(ops, title, creates)				\
const struct topk_ops ops = {					\
	.name		= title,				\
	.design		= SCOUNTER_TOPK_COOPERATIVE,		\
	.create		= creates,				\
	.destroy	= coop_destroy,				\
	.add		= coop_add,				\
	.read		= coop_read,				\
	.bytes		= coop_bytes,				\
}

COOP_OPS(paper_coop_ops, "coop-paper", coop_create);
COOP_OPS(paper_tuned_ops, "coop-paper-at", tuned_create);
COOP_OPS(paper_lossy_ops, "lossy-paper", lossy_create);

void paper_sums(const struct topk_table *table, struct worker *sums)
{
	const struct summary *s = &coop_of(table)->summary;
	u32 i;

	memset(sums, 0, sizeof(*sums));
	for (i = 0; i < nr_cpu_ids; i++) {
		const struct worker *worker = &s->workers[i];

		sums->hits += worker->hits;
		sums->left += worker->left;
		sums->requests += worker->requests;
		sums->delegated += worker->delegated;
		sums->queue_sum += worker->queue_sum;
		sums->queue_most = max(sums->queue_most, worker->queue_most);
		sums->sleeps += worker->sleeps;
		sums->restarts += worker->restarts;
		sums->evictions += worker->evictions;
		sums->sweeps += worker->sweeps;
		sums->raised += worker->raised;
		sums->bulks += worker->bulks;
		sums->dropped += worker->dropped;
	}
}

const struct topk_ops *paper_design(const char *name)
{
	static const struct topk_ops *const designs[] = {
		&paper_coop_ops, &paper_tuned_ops, &paper_lossy_ops, &paper_shared_ops,
		&paper_independent_ops,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(designs); i++)
		if (!strcmp(designs[i]->name, name))
			return designs[i];
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The guarantees of Space-Saving against an exact reference.
 *
 * For each element there are two counters: hits begun, raised before the table
 * is called, and hits done, raised after.  A snapshot is taken between two
 * readings of them: what was done before it is in it, but for as many hits as it
 * says are pending, and what was not begun when it ended is not.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/smp.h>

#include "guarantee.h"
#include "topk/designs.h"

struct run {
	const struct streams *streams;
	struct topk_table *table;
	u64 *begun, *done;	/* by element */
	u64 *before;		/* done before the snapshot, by element */
	bool *listed;
	pthread_barrier_t start;
	u32 running;
	struct verdict *verdict;
};

struct worker {
	struct run *run;
	pthread_t thread;
	u32 number;
};

static void fail(struct run *run, const char *format, ...)
{
	va_list arguments;

	if (!run->verdict->failures++) {
		va_start(arguments, format);
		vsnprintf(run->verdict->why, sizeof(run->verdict->why), format, arguments);
		va_end(arguments);
	}
}

static void raise_by_one(u64 *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
}

static u64 now(const u64 *counter)
{
	return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct run *run = worker->run;
	const u32 *element = run->streams->element[worker->number];
	u32 i;

	shim_this.cpu = worker->number;
	pthread_barrier_wait(&run->start);
	for (i = 0; i < run->streams->length; i++) {
		u64 key = key_of(element[i]);

		raise_by_one(&run->begun[element[i]]);
		topk_add(run->table, &key, 1);
		raise_by_one(&run->done[element[i]]);
	}
	__atomic_fetch_sub(&run->running, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static u64 less(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

static void check_record(struct run *run, const struct scounter_topk_header *header,
			 u32 i)
{
	const struct scounter_topk_record *record = topk_record(header, i);
	u32 element = element_of(*(const u64 *)record->key);

	if (element >= run->streams->alphabet) {
		fail(run, "a key that was never hit");
		return;
	}
	if (run->listed[element])
		fail(run, "element %u is listed twice", element);
	run->listed[element] = true;
	if (record->error > record->count)
		fail(run, "element %u: error %llu > count %llu", element, record->error,
		     record->count);
	if (record->count - record->error > now(&run->begun[element]))
		fail(run, "element %u: count %llu - error %llu > true %llu", element,
		     record->count, record->error, now(&run->begun[element]));
	if (less(run->before[element], header->pending) > record->count)
		fail(run, "element %u: true %llu > count %llu + pending %llu", element,
		     run->before[element], record->count, header->pending);
	if (i && record->count > topk_record(header, i - 1)->count)
		fail(run, "record %u is greater than the one before", i);
}

static u64 sum(const u64 *counters, u32 n)
{
	u64 sum = 0;

	while (n--)
		sum += now(counters++);
	return sum;
}

/* An element that is not listed was hit @sure times before, of at most @most in all. */
static void check_absent(struct run *run, const struct scounter_topk_header *header,
			 const struct topk_query *query, u32 element, u64 sure, u64 most)
{
	if (sure > header->floor)
		fail(run, "element %u, not listed: true %llu > floor %llu", element, sure,
		     header->floor);
	if (query->most >= header->capacity && !query->phi_ppb && sure > most / header->capacity)
		fail(run, "element %u, not listed: true %llu > N / m", element, sure);
	if (query->phi_ppb && sure > (double)most * query->phi_ppb / 1e9)
		fail(run, "element %u, not listed: true %llu > phi N", element, sure);
}

/* A merged table has what its parts might have missed on top of its counts. */
static bool is_merged(const struct run *run)
{
	return run->table->ops->design == SCOUNTER_TOPK_INDEPENDENT;
}

/* What the designs promise of totals while hits run. */
static void check_totals(struct run *run, const struct scounter_topk_header *header,
			 u64 least, u64 most)
{
	u64 counts = 0;
	u32 i;

	if (header->total > most)
		fail(run, "total %llu, but %llu hits", header->total, most);
	if (header->total < least)
		fail(run, "total %llu is less than %llu", header->total, least);
	for (i = 0; i < header->records; i++)
		counts += topk_record(header, i)->count;
	if (!is_merged(run) && counts > header->total)
		fail(run, "the counts' sum is %llu, the total %llu", counts, header->total);
	if (header->floor > header->total / header->capacity)
		fail(run, "floor %llu > total / m", header->floor);
}

static void check_once(struct run *run, const struct topk_query *query)
{
	u32 i, alphabet = run->streams->alphabet;
	struct scounter_topk_header *header;
	u64 least = 0, most;

	for (i = 0; i < alphabet; i++)
		least += run->before[i] = now(&run->done[i]);
	header = topk_snapshot(run->table, query);
	most = sum(run->begun, alphabet);
	memset(run->listed, 0, alphabet);
	for (i = 0; i < header->records; i++)
		check_record(run, header, i);
	if (header->pending > most)
		fail(run, "%llu hits are pending, of %llu", header->pending, most);
	run->verdict->pending = max(run->verdict->pending, header->pending);
	check_totals(run, header, less(least, header->pending), most);
	if (header->dropped)
		fail(run, "%llu hits were dropped", header->dropped);
	for (i = 0; i < alphabet; i++)
		if (!run->listed[i])
			check_absent(run, header, query, i,
				     less(run->before[i], header->pending), most);
	topk_snapshot_free(header);
}

/* Nothing runs any more: the total and the sum of the counts are exact. */
static void check_at_rest(struct run *run)
{
	const struct topk_query all = { .most = ~0U };
	struct scounter_topk_header *header = topk_snapshot(run->table, &all);
	u64 counts = 0, hits = sum(run->done, run->streams->alphabet);
	struct topk_sums sums;
	u32 i;

	for (i = 0; i < header->records; i++)
		counts += topk_record(header, i)->count;
	topk_table_sums(run->table, &sums);
	if (!is_merged(run) && counts != hits)
		fail(run, "the counts' sum is %llu, N is %llu", counts, hits);
	if (header->total != hits)
		fail(run, "the total is %llu, N is %llu", header->total, hits);
	if (sums.delegated != sums.applied)
		fail(run, "%llu hits delegated, %llu applied", sums.delegated, sums.applied);
	if (header->pending)
		fail(run, "%llu hits are still pending", header->pending);
	if (header->floor > hits / header->capacity)
		fail(run, "floor %llu > N / m", header->floor);
	run->verdict->delegated = sums.delegated;
	run->verdict->evictions = header->evictions;
	topk_snapshot_free(header);
}

void guarantee_check(const struct topk_ops *ops, const struct streams *streams,
		     u32 capacity, struct verdict *verdict)
{
	struct run run = { .streams = streams, .verdict = verdict };
	struct worker *workers = calloc(streams->streams, sizeof(*workers));
	u64 seed = 0x5eed;
	struct topk_secret secret = random_secret(&seed);
	/* All, the first ten, and those above 2 N / m. */
	const struct topk_query queries[] = {
		{ .most = ~0U }, { .most = 10 },
		{ .most = ~0U, .phi_ppb = capacity > 2 ? 2000000000U / capacity : 1000000000U },
	};
	u32 i;

	memset(verdict, 0, sizeof(*verdict));
	shim_cpus = streams->streams + 1;
	shim_this.cpu = streams->streams;
	run.table = ops->create(capacity, sizeof(u64), &secret);
	run.begun = calloc(streams->alphabet, sizeof(u64));
	run.done = calloc(streams->alphabet, sizeof(u64));
	run.before = calloc(streams->alphabet, sizeof(u64));
	run.listed = calloc(streams->alphabet, sizeof(bool));
	run.running = streams->streams;
	pthread_barrier_init(&run.start, NULL, streams->streams + 1);
	for (i = 0; i < streams->streams; i++) {
		workers[i] = (struct worker) { .run = &run, .number = i };
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	pthread_barrier_wait(&run.start);
	while (__atomic_load_n(&run.running, __ATOMIC_SEQ_CST)) {
		check_once(&run, &queries[verdict->queries % ARRAY_SIZE(queries)]);
		verdict->queries++;
	}
	for (i = 0; i < streams->streams; i++)
		pthread_join(workers[i].thread, NULL);
	for (i = 0; i < ARRAY_SIZE(queries); i++)
		check_once(&run, &queries[i]);
	check_at_rest(&run);
	ops->destroy(run.table);
	pthread_barrier_destroy(&run.start);
	free(run.begun);
	free(run.done);
	free(run.before);
	free(run.listed);
	free(workers);
}

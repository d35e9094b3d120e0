// SPDX-License-Identifier: GPL-2.0
/*
 * The default design beside what others publish (../rivals/): the same streams, tables of
 * equal size, and what they say in the end against the truth.  All are measured in turn
 * and several times; the median of each counts.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/kernel.h>
#include <linux/smp.h>

#include "../rivals/rivals.h"
#include "rivals.h"
#include "streams.h"
#include "topk/designs.h"
#include "topk/table.h"

#define CAPACITY	1000
#define ALPHABET	1000000
#define TOP		100
#define REPEATS		5
#define THREADS_MAX	2

static const struct topk_ops *const entrants[] = {
	&topk_lockfree_ops, &rival_qpopss_ops, &rival_keeper_ops,
};

#define ENTRANTS	ARRAY_SIZE(entrants)

struct runner {
	const u32 *element;
	u32 number, length;
	struct topk_table *table;
	pthread_barrier_t *start;
	double seconds, begin, end;
};

struct time {
	double of_cpu;		/* the mean of the threads */
	double cpus;		/* that they had at once */
};

/* How well a table answers. */
struct answer {
	size_t bytes;
	u32 capacity;
	double error, recall;	/* of the TOP most frequent */
	u32 listed, low, high;
};

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

static void *run(void *argument)
{
	struct runner *runner = argument;
	u32 i;

	shim_this.cpu = runner->number;
	rivals_be(runner->number);
	pthread_barrier_wait(runner->start);
	runner->begin = seconds(CLOCK_MONOTONIC);
	runner->seconds = -seconds(CLOCK_THREAD_CPUTIME_ID);
	for (i = 0; i < runner->length; i++) {
		u64 key = key_of(runner->element[i]);

		topk_add(runner->table, &key, 1);
	}
	if (rival_is(runner->table->ops))
		rival_finish(runner->table);
	runner->seconds += seconds(CLOCK_THREAD_CPUTIME_ID);
	runner->end = seconds(CLOCK_MONOTONIC);
	return NULL;
}

/*
 * Times are of the CPU, so that what else the machine does hardly counts.  Who waits for
 * another thread leaves the CPU to it soon, so that waiting hardly counts either.
 */
static struct time count_streams(struct topk_table *table, const struct streams *streams)
{
	struct runner runners[THREADS_MAX];
	pthread_t threads[THREADS_MAX];
	pthread_barrier_t start;
	double sum = 0, begin = INFINITY, end = 0;
	u32 i;

	pthread_barrier_init(&start, NULL, streams->streams);
	for (i = 0; i < streams->streams; i++) {
		runners[i] = (struct runner) {
			.element = streams->element[i], .number = i, .length = streams->length,
			.table = table, .start = &start,
		};
		pthread_create(&threads[i], NULL, run, &runners[i]);
	}
	for (i = 0; i < streams->streams; i++) {
		pthread_join(threads[i], NULL);
		sum += runners[i].seconds;
		begin = fmin(begin, runners[i].begin);
		end = fmax(end, runners[i].end);
	}
	pthread_barrier_destroy(&start);
	return (struct time) { sum / streams->streams, sum / (end - begin) };
}

static u32 *count_truth(const struct streams *streams)
{
	u32 *truth = calloc(ALPHABET, sizeof(*truth));
	u32 i, j;

	for (i = 0; i < streams->streams; i++)
		for (j = 0; j < streams->length; j++)
			truth[streams->element[i][j]]++;
	return truth;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int falling(const void *a, const void *b)
{
	return -by_size(a, b);
}

/* The TOP-th largest, or 1 if there are fewer. */
static u32 least_of_top(const u32 *truth)
{
	double *counts = calloc(ALPHABET, sizeof(*counts));
	u32 i, least;

	for (i = 0; i < ALPHABET; i++)
		counts[i] = truth[i];
	qsort(counts, ALPHABET, sizeof(*counts), falling);
	least = fmax(counts[TOP - 1], 1);
	free(counts);
	return least;
}

/*
 * The recall is of the TOP first ones, which are to be among the TOP most frequent.  The
 * error is the mean of |count - truth| / truth of the most frequent ones, and 1 for one
 * that is not in the table at all.
 */
static void judge(struct topk_table *table, const u32 *truth, struct answer *answer)
{
	const struct topk_query all = { .most = ~0U };
	struct scounter_topk_header *header = topk_snapshot(table, &all);
	u32 least = least_of_top(truth), i, found = 0, frequent = 0;
	double *counts = calloc(ALPHABET, sizeof(*counts));

	answer->listed = header->records;
	answer->high = 0;
	answer->low = 0;
	for (i = 0; i < header->records; i++) {
		const struct scounter_topk_record *record = topk_record(header, i);
		u64 key;
		u32 element;

		memcpy(&key, record->key, sizeof(key));
		element = element_of(key);
		counts[element] = record->count;
		answer->low += record->count < truth[element];
		answer->high += record->count - record->error > truth[element];
		found += i < TOP && truth[element] >= least;
	}
	answer->error = 0;
	for (i = 0; i < ALPHABET; i++) {
		if (truth[i] < least)
			continue;
		frequent++;
		answer->error += fabs(counts[i] - truth[i]) / truth[i];
	}
	answer->error /= frequent;
	answer->recall = (double)found / min_t(u32, frequent, TOP);
	free(counts);
	topk_snapshot_free(header);
}

static struct time count_once(u32 entrant, const struct streams *streams, const u32 *truth,
			 struct answer *answer)
{
	u64 seed = 0x5eed;
	struct topk_secret secret = random_secret(&seed);
	struct topk_table *table;
	struct time took;

	answer->capacity = rival_capacity(entrants[entrant], CAPACITY, &secret);
	table = entrants[entrant]->create(answer->capacity, sizeof(u64), &secret);
	answer->bytes = table->ops->bytes(table);
	took = count_streams(table, streams);
	judge(table, truth, answer);
	table->ops->destroy(table);
	return took;
}

static void show(double alpha, const struct streams *streams, u32 entrant, const struct time *took,
		 const struct answer *answer)
{
	printf("%5.1f %7u %-8s %7zu %8u %8.2f %5.2f %8.5f %7.2f %7u %6u %6u\n", alpha,
	       streams->streams, entrants[entrant]->name, answer->bytes, answer->capacity,
	       (double)streams->streams * streams->length / took->of_cpu / 1e6, took->cpus, answer->error,
	       answer->recall, answer->listed, answer->low, answer->high);
	fflush(stdout);
}

static void compare(double alpha, u32 threads, u32 length, u64 seed)
{
	struct streams *streams = streams_make(ZIPF, alpha, ALPHABET, threads, length, seed);
	struct time times[ENTRANTS][REPEATS];
	u32 *truth = count_truth(streams);
	struct answer answers[ENTRANTS];
	u32 i, j;

	shim_cpus = threads;
	rivals_threads = threads;
	for (j = 0; j < REPEATS; j++)
		for (i = 0; i < ENTRANTS; i++)
			times[i][j] = count_once(i, streams, truth, &answers[i]);
	for (i = 0; i < ENTRANTS; i++) {
		/* By the first member. */
		qsort(times[i], REPEATS, sizeof(struct time), by_size);
		show(alpha, streams, i, &times[i][REPEATS / 2], &answers[i]);
	}
	free(truth);
	streams_free(streams);
}

int measure_rivals(u32 length, u64 seed)
{
	static const double alphas[] = { 0.5, 0.8, 1, 1.2, 1.5, 2, 3 };
	u32 i, threads;

	printf("# measured; lockfree with m = %u, the others as large; %u elements a stream of a Zipf\n"
	       "# distribution over %u keys, seed %llu; medians of %u\n",
	       CAPACITY, length, ALPHABET, (unsigned long long)seed, REPEATS);
	printf("# hits/us: of all threads, in a microsecond of CPU time of each; cpus: that the threads had at once;\n"
	       "# error, recall: of the %u most frequent keys; listed keys, and of them low: count < truth,\n"
	       "# high: count - error > truth\n", TOP);
	printf("#%4s %7s %-8s %7s %8s %8s %5s %8s %7s %7s %6s %6s\n", "alpha", "threads", "table",
	       "bytes", "counters", "hits/us", "cpus", "error", "recall", "listed", "low", "high");
	for (threads = 1; threads <= THREADS_MAX; threads++)
		for (i = 0; i < ARRAY_SIZE(alphas); i++)
			compare(alphas[i], threads, length, seed);
	return 0;
}

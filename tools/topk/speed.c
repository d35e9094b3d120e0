// SPDX-License-Identifier: GPL-2.0
/*
 * How long the designs take for the same streams, a thread for each stream.  All
 * are measured in turn and several times; the median of each counts, so that
 * what else the machine does meets all of them alike.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/kernel.h>
#include <linux/smp.h>

#include "speed.h"
#include "streams.h"
#include "lockfree.h"
#include "table.h"

#define CAPACITY	10000		/* epsilon = 0.0001, as in the paper */
#define QUERY_EVERY	50000
#define QUERY_TOP	100
#define REPEATS		5

struct race {
	const struct streams *streams;
	struct topk_table *table;
	bool queries;
	pthread_barrier_t start;
};

struct runner {
	struct race *race;
	pthread_t thread;
	u32 number;
	double begin, end;
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

static void *run(void *argument)
{
	const struct topk_query top = { .most = QUERY_TOP };
	struct runner *runner = argument;
	struct race *race = runner->race;
	const u32 *element = race->streams->element[runner->number];
	u32 i;

	shim_this.cpu = runner->number;
	pthread_barrier_wait(&race->start);
	runner->begin = seconds();
	for (i = 0; i < race->streams->length; i++) {
		u64 key = key_of(element[i]);

		topk_add(race->table, &key, 1);
		if (race->queries && i % QUERY_EVERY == QUERY_EVERY - 1)
			topk_snapshot_free(topk_snapshot(race->table, &top));
	}
	runner->end = seconds();
	return NULL;
}

/* From the first thread's beginning to the last one's end. */
static double time_once(const struct topk_ops *ops, const struct streams *streams,
			bool queries)
{
	struct race race = { .streams = streams, .queries = queries };
	struct runner *runners = calloc(streams->streams, sizeof(*runners));
	u64 seed = 0x5eed;
	struct topk_secret secret = random_secret(&seed);
	double begin = 1e300, end = 0;
	u32 i;

	shim_cpus = streams->streams + 1;
	shim_this.cpu = streams->streams;
	race.table = ops->create(CAPACITY, sizeof(u64), &secret);
	pthread_barrier_init(&race.start, NULL, streams->streams + 1);
	for (i = 0; i < streams->streams; i++) {
		runners[i] = (struct runner) { .race = &race, .number = i };
		pthread_create(&runners[i].thread, NULL, run, &runners[i]);
	}
	pthread_barrier_wait(&race.start);
	for (i = 0; i < streams->streams; i++)
		pthread_join(runners[i].thread, NULL);
	for (i = 0; i < streams->streams; i++) {
		begin = runners[i].begin < begin ? runners[i].begin : begin;
		end = runners[i].end > end ? runners[i].end : end;
	}
	ops->destroy(race.table);
	pthread_barrier_destroy(&race.start);
	free(runners);
	return end - begin;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* What is compared. */
static const struct entrant {
	const char *name;
	const struct topk_ops *ops;
	bool queries;
} entrants[] = {
	{ "lockfree", &topk_lockfree_ops, false },
	{ "cooperative", &topk_cooperative_ops, false },
	{ "shared", &topk_shared_ops, false },
	{ "lockfree+q", &topk_lockfree_ops, true },
	{ "independent+q", &topk_independent_ops, true },
};

#define ENTRANTS	ARRAY_SIZE(entrants)

static void race_all(const struct streams *streams, double *median)
{
	double times[ENTRANTS][REPEATS];
	u32 i, j;

	for (j = 0; j < REPEATS; j++) {
		for (i = 0; i < ENTRANTS; i++) {
			times[i][j] = time_once(entrants[i].ops, streams,
						entrants[i].queries);
		}
	}
	for (i = 0; i < ENTRANTS; i++) {
		qsort(times[i], REPEATS, sizeof(double), by_size);
		median[i] = times[i][REPEATS / 2];
	}
}

static void show(const struct streams *streams, double alpha, const double *median)
{
	u32 i;

	printf("%5.1f %7u %8u", alpha, streams->streams, streams->length);
	for (i = 0; i < ENTRANTS; i++)
		printf(" %13.3f", median[i]);
	printf("  %8.2f %8.2f %8.2f\n", median[2] / median[0], median[2] / median[1],
	       median[4] / median[3]);
	fflush(stdout);
}

static void head(void)
{
	u32 i;

	printf("# m = %u, %ld CPUs, medians of %u, in seconds\n", CAPACITY,
	       sysconf(_SC_NPROCESSORS_ONLN), REPEATS);
	printf("# +q: with a query for the first %u every %u elements\n", QUERY_TOP, QUERY_EVERY);
	printf("# s/l: shared over lockfree; s/c: shared over cooperative; i/l: independent over\n"
	       "# lockfree, both with queries\n");
	printf("#%4s %7s %8s", "alpha", "streams", "length");
	for (i = 0; i < ENTRANTS; i++)
		printf(" %13s", entrants[i].name);
	printf("  %8s %8s %8s\n", "s/l", "s/c", "i/l");
}

/*
 * Up to alpha 1 most hits evict, and take so long that a fifth of the elements is
 * enough.
 */
int speed(u32 length, u64 seed)
{
	static const double alphas[] = { 0.5, 1, 1.5, 2, 2.5, 3 };
	static const u32 counts[] = { 2, 4, 8, 16, 32 };
	double median[ENTRANTS];
	u32 i, j;

	head();
	for (i = 0; i < ARRAY_SIZE(alphas); i++) {
		for (j = 0; j < ARRAY_SIZE(counts); j++) {
			struct streams *streams = streams_make(ZIPF, alphas[i], 5000000,
							       counts[j], alphas[i] > 1 ? length :
							       length / 5, seed);

			race_all(streams, median);
			show(streams, alphas[i], median);
			streams_free(streams);
		}
	}
	return 0;
}

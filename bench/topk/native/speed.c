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
#include "topk/designs.h"
#include "topk/table.h"

#define CAPACITY	10000		/* epsilon = 0.0001, as in the paper */
#define QUERY_EVERY	50000
#define QUERY_TOP	100
#define REPEATS		5

bool shim_locks_sleep;

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

enum entrant { LOCKFREE, COOPERATIVE, DELEGATING, SHARED, SLEEPING, LOCKFREE_QUERIED,
	       INDEPENDENT_QUERIED, ENTRANTS };

/* What is compared. */
static const struct {
	const char *name;
	const struct topk_ops *ops;
	bool queries;
	bool leaves;		/* each hit to the owner, and gathers none, as in the paper */
	bool sleeps;		/* who waits for a lock */
} entrants[ENTRANTS] = {
	[LOCKFREE] = { "lockfree", &topk_lockfree_ops },
	[COOPERATIVE] = { "cooperative", &topk_cooperative_ops },
	[DELEGATING] = { "ungathered", &topk_cooperative_ops, .leaves = true },
	[SHARED] = { "shared", &topk_shared_ops },
	[SLEEPING] = { "shared-sleep", &topk_shared_ops, .sleeps = true },
	[LOCKFREE_QUERIED] = { "lockfree+q", &topk_lockfree_ops, .queries = true },
	[INDEPENDENT_QUERIED] = { "independent+q", &topk_independent_ops, .queries = true },
};

/* Whose time over whose is shown. */
static const struct {
	const char *name;
	enum entrant slower, faster;
} ratios[] = {
	{ "s/l", SHARED, LOCKFREE },
	{ "s/c", SHARED, COOPERATIVE },
	{ "ss/c", SLEEPING, COOPERATIVE },
	{ "ss/u", SLEEPING, DELEGATING },
	{ "i/l", INDEPENDENT_QUERIED, LOCKFREE_QUERIED },
};

static void race_all(const struct streams *streams, double *median)
{
	double times[ENTRANTS][REPEATS];
	u32 i, j;

	for (j = 0; j < REPEATS; j++) {
		for (i = 0; i < ENTRANTS; i++) {
			shim_locks_sleep = entrants[i].sleeps;
			topk_gathers = !entrants[i].leaves;
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
	for (i = 0; i < ARRAY_SIZE(ratios); i++)
		printf(" %6.2f", median[ratios[i].slower] / median[ratios[i].faster]);
	putchar('\n');
	fflush(stdout);
}

static void head(void)
{
	u32 i;

	printf("# m = %u, %ld CPUs, medians of %u, in seconds\n", CAPACITY,
	       sysconf(_SC_NPROCESSORS_ONLN), REPEATS);
	printf("# +q: with a query for the first %u every %u elements\n", QUERY_TOP, QUERY_EVERY);
	printf("# As in Das et al. 2009, ungathered gathers nothing, and shared-sleep has locks of the\n"
	       "# pthread library; but all designs with buckets have a fixed array of them, and not that\n"
	       "# paper's Stream Summary.  Ratios are of times: s/l shared over lockfree, s/c over\n"
	       "# cooperative; ss/c, ss/u: shared-sleep over cooperative, over ungathered; i/l:\n"
	       "# independent over lockfree, both with queries\n");
	printf("#%4s %7s %8s", "alpha", "streams", "length");
	for (i = 0; i < ENTRANTS; i++)
		printf(" %13s", entrants[i].name);
	for (i = 0; i < ARRAY_SIZE(ratios); i++)
		printf(" %6s", ratios[i].name);
	putchar('\n');
}

/*
 * Up to alpha 1 most hits evict, and take so long that a third of the elements is
 * enough.
 */
int measure_speed(u32 length, u64 seed)
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
							       length / 3, seed);

			race_all(streams, median);
			show(streams, alphas[i], median);
			streams_free(streams);
		}
	}
	return 0;
}

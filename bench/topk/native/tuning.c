// SPDX-License-Identifier: GPL-2.0
/*
 * What auto-tuning costs under skew, where nobody is throttled and to look whether to is
 * pure cost.
 *
 * Threads count a slice of their streams with it, and the same slice without, in
 * two tables; then the next slice, and so on.  Caches remember what was last, so four
 * such pairs make a round, in which each of the two is as often the first, and as
 * often in each table, and both together.  What else the machine does meets both
 * alike, but for some rounds, which a median does not mind.  All threads meet after each
 * slice, so that nothing is under way when it is turned on or off.  What counts is
 * the time that they had of the CPUs.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <linux/kernel.h>
#include <linux/smp.h>

#include "streams.h"
#include "topk/designs.h"
#include "topk/table.h"
#include "tuning.h"

#define CAPACITY	10000
#define ROUNDS		400
#define PAIRS		4	/* of slices, a round */
#define WARM		5	/* rounds that do not count, while the tables fill */
#define SLICE		20000	/* elements, of all threads together */
#define THREADS_MAX	16

static struct {
	const struct streams *streams;
	struct topk_table *tables[2];
	pthread_barrier_t barrier;
	u32 table;		/* of this slice, */
	u32 from, length;	/* and what of each stream */
	bool ends, control;
	double seconds[THREADS_MAX];
} slice;

static double cpu_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

static void *count_slices(void *argument)
{
	u32 thread = (size_t)argument;
	const u32 *element = slice.streams->element[thread];
	u32 i;

	shim_this.cpu = thread;
	for (;;) {
		pthread_barrier_wait(&slice.barrier);
		if (slice.ends)
			return NULL;
		slice.seconds[thread] = -cpu_time();
		for (i = slice.from; i < slice.from + slice.length; i++) {
			u64 key = key_of(element[i]);

			topk_add(slice.tables[slice.table], &key, 1);
		}
		slice.seconds[thread] += cpu_time();
		pthread_barrier_wait(&slice.barrier);
	}
}

static double take_slice(bool tunes, u32 table)
{
	double sum = 0;
	u32 i;

	topk_tunes = tunes && !slice.control;
	slice.table = table;
	pthread_barrier_wait(&slice.barrier);
	pthread_barrier_wait(&slice.barrier);
	for (i = 0; i < slice.streams->streams; i++)
		sum += slice.seconds[i];
	return sum;
}

/* With over without. */
static double take_round(u32 round)
{
	static const struct {
		bool tunes;
		u32 table;
	} first[PAIRS] = { { false, 0 }, { true, 0 }, { true, 1 }, { false, 1 } };
	u32 i, slices = slice.streams->length / slice.length;
	double seconds[2] = { 0 };

	for (i = 0; i < PAIRS; i++) {
		bool tunes = first[i].tunes;

		slice.from = (round * PAIRS + i) % slices * slice.length;
		seconds[tunes] += take_slice(tunes, first[i].table);
		seconds[!tunes] += take_slice(!tunes, !first[i].table);
	}
	return seconds[true] / seconds[false];
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void take_rounds(const struct streams *streams, double *ratios)
{
	u32 i, threads = streams->streams;
	pthread_t ids[THREADS_MAX];
	u64 seed = 0x5eed;
	struct topk_secret secret = random_secret(&seed);

	shim_cpus = threads + 1;
	slice.streams = streams;
	slice.length = SLICE / threads;
	slice.ends = false;
	for (i = 0; i < 2; i++)
		slice.tables[i] = topk_cooperative_ops.create(CAPACITY, sizeof(u64), &secret);
	pthread_barrier_init(&slice.barrier, NULL, threads + 1);
	for (i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, count_slices, (void *)(size_t)i);
	for (i = 0; i < WARM; i++)
		take_round(i);
	for (i = 0; i < ROUNDS; i++)
		ratios[i] = take_round(WARM + i);
	slice.ends = true;
	pthread_barrier_wait(&slice.barrier);
	for (i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	pthread_barrier_destroy(&slice.barrier);
	for (i = 0; i < 2; i++)
		topk_cooperative_ops.destroy(slice.tables[i]);
	qsort(ratios, ROUNDS, sizeof(*ratios), by_size);
}

/*
 * The median of n lies between the ratios of rank n / 2 -+ 0.98 sqrt(n), counted from
 * the smallest, in 95 of 100 cases: as many lie below it as heads fall in n throws.
 */
static void compare(double alpha, u32 threads, u64 seed)
{
	struct streams *streams = streams_make(ZIPF, alpha, 5000000, threads, 1000000, seed);
	u32 aside = ceil(0.98 * sqrt(ROUNDS));
	double ratios[ROUNDS];

	take_rounds(streams, ratios);
	printf("%5.1f %7u %8.4f %8.4f %8.4f %8.3f %8.3f\n", alpha, threads, ratios[ROUNDS / 2],
	       ratios[ROUNDS / 2 - aside], ratios[ROUNDS / 2 + aside], ratios[ROUNDS / 4],
	       ratios[3 * ROUNDS / 4]);
	fflush(stdout);
	streams_free(streams);
}

int measure_tuning(u64 seed)
{
	static const double alphas[] = { 1.5, 2, 2.5, 3 };
	static const u32 counts[] = { 2, 4, 16 };
	u32 i, j;

	printf("# CPU time of cooperative with auto-tuning over that without: %u rounds of %u pairs of slices of %u elements, m = %u\n",
	       ROUNDS, PAIRS, SLICE, CAPACITY);
	printf("# median, its confidence interval of 95 %%, and the quartiles of the rounds\n");
	printf("#%4s %7s %8s %8s %8s %8s %8s\n", "alpha", "streams", "median", "from", "to",
	       "quarter", "quarter");
	for (i = 0; i < ARRAY_SIZE(alphas); i++)
		for (j = 0; j < ARRAY_SIZE(counts); j++)
			compare(alphas[i], counts[j], seed);
	puts("# the same without auto-tuning in either, which must be 1");
	slice.control = true;
	for (i = 0; i < ARRAY_SIZE(alphas); i++)
		compare(alphas[i], counts[0], seed);
	topk_tunes = true;
	return 0;
}

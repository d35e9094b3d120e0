// SPDX-License-Identifier: GPL-2.0
/*
 * Group counters (Xu, Kim, Nikolic & Shao): the mean of g binary Morris counters;
 * and what one general Morris counter does with fewer bits.  And the memory that
 * a million counters take.
 */
#include <err.h>
#include <math.h>
#include <stdlib.h>

#include "subject.h"
#include "util.h"

#define FIFTY	50

static struct array *new_group(u32 kind, u32 bits, u32 q_ppm, u32 group, u64 length, u64 seed)
{
	struct scounter_array_type type = {
		.kind = kind, .bits = bits, .q_ppm = q_ppm, .group = group,
	};
	struct array *array;

	if (array_create(&array, &type, length))
		errx(1, "%s", array_error());
	array_seed(array, seed);
	return array;
}

static double mean_of_cells(const struct subject *subject, const void *array, u32 g)
{
	double sum = 0;
	u32 i;

	for (i = 0; i < g; i++)
		sum += f_of(&subject->cells(array)->repr, state_of(subject, array, i));
	return sum / g;
}

/* The variance of a mean of g is n (n - 1) / 2 g, exactly, for increments. */
static void test_cells(const struct subject *subject, u32 g, u32 bits, u64 seed)
{
	enum { RUNS = 15000, EVENTS = 300 };
	struct scounter_array_type type = {
		.kind = SCOUNTER_REPR_MORRIS2, .bits = bits, .group = g,
	};
	void *array = create(subject, &type, 1, seed);
	double exact = EVENTS * (EVENTS - 1.0) / 2 / g;
	struct scounter_array_estimate estimate;
	struct moments moments = { 0 };
	u32 run, n, wrong = 0;
	struct summary summary;

	for (run = 0; run < RUNS; run++) {
		double mean;

		subject->clear(array);
		for (n = 0; n < EVENTS; n++)
			subject->inc(array, 0);
		mean = mean_of_cells(subject, array, g);
		moments_add(&moments, mean - EVENTS);
		subject->estimate(array, 0, &estimate);
		wrong += estimate.value != floor(mean + 0.5) ||
			 fabs(value_of(subject, array, 0) - mean) > 0x1p-32;
	}
	summary = summarize(&moments);
	ok(!wrong && fabs(summary.mean_z) <= MEAN_LIMIT &&
	   fabs(variance_z(&summary, exact)) <= Z_LIMIT,
	   "%s: group of %u x %u bits: mean %+.2f standard errors, variance %.4f of n (n - 1) / 2 g",
	   subject->name, g, bits, summary.mean_z, summary.variance / exact);
	subject->free(array);
}

void test_group(u64 seed)
{
	static const struct {
		u32 cells, bits;
	} groups[] = {
		{ 1, 6 }, { 2, 6 }, { 5, 6 }, { 16, 6 }, { 3, 8 }, { 9, 5 }, { 4, 12 },
	};
	u32 i, j;

	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (j = 0; j < SUBJECTS; j++)
			test_cells(&subjects[j], groups[i].cells, groups[i].bits,
				   derive_seed(seed, "cells", i));
	{
		struct array *array = new_group(SCOUNTER_REPR_MORRIS2, 6, 0, 5, 2, seed);

		ok(array->cells.words == 1, "two counters of 5 x 6 bits are in one word of 64");
		array_free(array);
	}
}

/* Relative errors of fifty counters, sorted. */
static void fifty(double *errors, struct array *array, u64 events)
{
	u32 i;
	u64 n;

	for (i = 0; i < FIFTY; i++) {
		for (n = 0; n < events; n++)
			array_inc(array, i);
		errors[i] = fabs((double)array_value(array, i) / events - 1);
	}
	qsort(errors, FIFTY, sizeof(*errors), compare_doubles);
}

static void print_fifty(const char *what, u32 bits, struct array *array, u64 events)
{
	double errors[FIFTY], sum = 0;
	u32 i;

	fifty(errors, array, events);
	for (i = 0; i < FIFTY; i++)
		sum += errors[i];
	printf("%-34s %4u %8llu %7.1f%% %7.1f%% %7.1f%% %7.1f%% %7.1f%% %7.1f%%\n", what, bits,
	       events, 100 * errors[0], 100 * errors[12], 100 * errors[25], 100 * errors[37],
	       100 * errors[49], 100 * sum / FIFTY);
	array_free(array);
}

int print_group(u64 seed)
{
	static const u64 events[] = { 100, 1000, 10000, 100000, 1000000 };
	u32 i;

	printf("# fifty runs, seed %llu: absolute relative errors\n"
	       "%-34s %4s %8s %8s %8s %8s %8s %8s %8s\n", seed, "# counter", "bits", "events",
	       "least", "1st q", "median", "3rd q", "most", "average");
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		print_fifty("five 6-bit binary Morris", 30,
			    new_group(SCOUNTER_REPR_MORRIS2, 6, 0, 5, FIFTY, seed), events[i]);
		print_fifty("one 8-bit Morris, q 1.18", 8,
			    new_group(SCOUNTER_REPR_MORRIS, 8, 1180000, 1, FIFTY, seed), events[i]);
	}
	printf("# in theory: five 6-bit to 2^63, deviation sqrt(1 / 10) = %.1f %%;\n"
	       "# one 8-bit, q 1.18, to 2^%.1f, deviation sqrt(0.18 / 2) = %.1f %%\n",
	       100 * sqrt(0.1),
	       log2(real_of(repr_of(SCOUNTER_REPR_MORRIS, 8, 1180000, 1, 0)->most)),
	       100 * sqrt(0.09));
	return 0;
}

static const struct {
	u32 kind, bits, q_ppm, m;
	double bytes;
} million[] = {
	{ SCOUNTER_REPR_MORRIS, 8, 1080000, 1, 1e6 },
	{ SCOUNTER_REPR_CSUROS2, 8, 0, 16, 1e6 },
	{ SCOUNTER_REPR_CSUROS, 10, 1400000, 8, 8e6 / 6 },
	{ SCOUNTER_REPR_CSUROS, 12, 1400000, 64, 1.6e6 },
	{ SCOUNTER_REPR_CSUROS, 16, 1600000, 2048, 2e6 },
};

static size_t million_bytes(u32 which)
{
	struct array *array = new_array(million[which].kind, million[which].bits,
					million[which].q_ppm, million[which].m, 1000000, 1);
	size_t bytes = array_bytes(array);

	array_free(array);
	return bytes;
}

void test_memory(u64 seed)
{
	u32 i;

	(void)seed;
	for (i = 0; i < sizeof(million) / sizeof(million[0]); i++) {
		size_t bytes = million_bytes(i);

		ok(bytes < million[i].bytes * 1.01,
		   "10^6 counters of %u bits: %zu bytes with their tables, %+.2f %%",
		   million[i].bits, bytes, 100 * (bytes / million[i].bytes - 1));
	}
}

int print_memory(void)
{
	u32 i;

	printf("# 10^6 counters, with their tables; per-CPU 64-bit ones: 8000000 bytes a CPU\n"
	       "%-34s %12s %10s\n", "# representation", "bytes", "a counter");
	for (i = 0; i < sizeof(million) / sizeof(million[0]); i++)
		printf("%-34s %12zu %10.4f\n",
		       type_name(&repr_of(million[i].kind, million[i].bits, million[i].q_ppm,
					  million[i].m, 0)->type),
		       million_bytes(i), million_bytes(i) / 1e6);
	return 0;
}

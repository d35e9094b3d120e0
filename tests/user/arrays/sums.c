// SPDX-License-Identifier: GPL-2.0
/*
 * Sums over many small counters: Steele & Tristan's topic models have millions that
 * count to 1 or 5.  What is rounded off in each does not average out.
 */
#include <math.h>
#include <stdlib.h>

#include "subject.h"
#include "util.h"

#define CELLS	1000000
#define MOST	5

static const struct scounter_array_type small[] = {
	{ .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1080000 },
	{ .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1100000 },
	{ .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1180000 },
	{ .kind = SCOUNTER_REPR_MORRIS2, .bits = 4 },
	{ .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 2 },
	{ .kind = SCOUNTER_REPR_CSUROS, .bits = 8, .q_ppm = 1200000, .m = 2 },
	{ .kind = SCOUNTER_REPR_DLM_PROBABILITY, .bits = 8, .q_ppm = 1100000 },
	{ .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 8, .m = 2 },
	{ .kind = SCOUNTER_REPR_SHARED, .bits = 8 },
};

static double *values;

/* Counters of 1 to 5 events: counted, added, or counted, and half of each added and merged. */
enum how { COUNTED, ADDED, MERGED, HOWS };

static const char *const hows[HOWS] = { "counted", "added", "merged" };

static u32 events_of(u64 i)
{
	return 1 + i % MOST;
}

/* One counter more has so many that a shared level is above 0. */
static void *fill(const struct subject *subject, const struct scounter_array_type *type,
		  enum how how, u64 seed)
{
	void *array = create(subject, type, CELLS + 1, seed), *more = NULL;
	u64 i;
	u32 n;

	subject->add(array, CELLS, 1000);
	if (how == MERGED)
		more = create(subject, type, CELLS + 1, next_seed(&seed));
	for (i = 0; i < CELLS; i++) {
		u32 events = events_of(i), half = how == MERGED ? events / 2 : 0;

		if (half)
			subject->add(more, i, half);
		if (how == ADDED)
			subject->add(array, i, events);
		else
			for (n = half; n < events; n++)
				subject->inc(array, i);
	}
	if (more) {
		subject->merge(array, more);
		subject->free(more);
	}
	return array;
}

/* What the values are off: of all together, and their variance. */
static struct summary measure(const struct subject *subject, void *array)
{
	struct moments moments = { 0 };
	u64 i;

	subject->values(array, 0, CELLS, values);
	for (i = 0; i < CELLS; i++)
		moments_add(&moments, values[i] - events_of(i));
	return summarize(&moments);
}

static double total_of_values(void)
{
	double total = 0;
	u64 i;

	for (i = 0; i < CELLS; i++)
		total += values[i];
	return total;
}

static void test_small(const struct subject *subject, const struct scounter_array_type *type,
		       enum how how, u64 seed)
{
	void *array = fill(subject, type, how, seed);
	double truth = CELLS * (MOST + 1) / 2, deviation, measured;
	struct summary summary = measure(subject, array);
	struct array_total sum = { 0 };
	bool within;

	subject->sum(array, 0, CELLS, &sum);
	measured = sqrt(summary.variance * CELLS);
	deviation = sqrt(sum.variance);
	/* The kernel cuts off at 2^-32 in each value. */
	within = fabs(sum.value - total_of_values()) <= CELLS * 0x1p-32 + 1e-6 &&
		 fabs(sum.value - truth) <= MEAN_LIMIT * measured;
	/* That of additions, and of values rounded once, is less than what is said. */
	ok(within && !sum.flags && deviation >= measured * 0.98 &&
	   (how != COUNTED || deviation <= measured * 1.5 + 1),
	   "%s: 10^6 counters of 1 to 5, %s, %s: off by %+.0f, deviation %.0f, said to be %.0f",
	   subject->name, hows[how], type_name(&subject->cells(array)->repr.type),
	   sum.value - truth, measured, deviation);
	subject->free(array);
}

/* What reads of one value round off, in the mean: as <uapi/linux/scounter_array.h> has it. */
static void test_rounding(const struct subject *subject, u32 q_ppm, double expected, u64 seed)
{
	struct scounter_array_type type = {
		.kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = q_ppm,
	};
	enum { THREES = 200000 };
	void *array = create(subject, &type, THREES, seed);
	struct moments moments = { 0 };
	struct summary summary;
	u32 i, n, wrong = 0;

	for (i = 0; i < THREES; i++)
		for (n = 0; n < 3; n++)
			subject->inc(array, i);
	subject->values(array, 0, THREES, values);
	for (i = 0; i < THREES; i++) {
		struct scounter_array_estimate estimate;

		subject->estimate(array, i, &estimate);
		wrong += estimate.value != floor(values[i] + 0.5);
		moments_add(&moments, estimate.value - expected);
	}
	summary = summarize(&moments);
	ok(!wrong && fabs(summary.mean_z) <= MEAN_LIMIT,
	   "%s: reads of three events, q %g, are %.3f in the mean", subject->name, q_ppm / 1e6,
	   summary.mean + expected);
	subject->free(array);
}

/* A part of an array, of groups, and of large counts. */
static void test_ranges(const struct subject *subject, u64 seed)
{
	static const struct scounter_array_type group = {
		.kind = SCOUNTER_REPR_MORRIS2, .bits = 6, .group = 5,
	};
	enum { LENGTH = 1000, FIRST = 17, COUNT = 800 };
	void *array = create(subject, &group, LENGTH, seed);
	double part[COUNT], total = 0, variance = 0, deviation;
	struct array_total sum = { 0 };
	u32 i;

	for (i = 0; i < LENGTH; i++)
		subject->add(array, i, 1000ULL * i);
	subject->values(array, FIRST, COUNT, part);
	for (i = 0; i < COUNT; i++)
		total += part[i];
	/* Of additions: not more than that of increments, n^2 / 2 over the group. */
	for (i = FIRST; i < FIRST + COUNT; i++)
		variance += 1e6 * i * i / 10;
	subject->sum(array, FIRST, COUNT, &sum);
	deviation = sqrt(sum.variance / variance);
	ok(fabs(sum.value / total - 1) < 1e-9 && deviation > 0.5 && deviation < 1.2,
	   "%s: a range of groups, to %.3f of their deviation when counted", subject->name,
	   deviation);
	subject->free(array);
}

static void test_large(const struct subject *subject, u64 seed)
{
	static const struct scounter_array_type type = {
		.kind = SCOUNTER_REPR_CSUROS2, .bits = 12, .m = 64,
	};
	void *array = create(subject, &type, 8, seed);
	struct array_total sum = { 0 };
	double truth = 4 * 0x1p61, expected;
	u32 i;

	for (i = 0; i < 4; i++)
		subject->add(array, i, 1ULL << 61);
	subject->sum(array, 0, 8, &sum);
	expected = truth / 2 / sqrt(2 * 64 + 1.0);
	ok(fabs(sum.value / truth - 1) < 0.1 && !sum.flags &&
	   fabs(sqrt(sum.variance) / expected - 1) < 0.1,
	   "%s: a sum of 2^63 is %.4f of it, deviation %.4f of half a relative one", subject->name,
	   sum.value / truth, sqrt(sum.variance) / expected);
	for (i = 0; i < 8; i++)
		subject->add(array, i, 1ULL << 62);
	subject->sum(array, 0, 8, &sum);
	ok(subject == &subjects[KERNEL] ? sum.value >= 0x1p64 && sum.flags == SCOUNTER_F_SATURATED :
	   fabs(sum.value / (truth + 8 * 0x1p62) - 1) < 0.1 && !sum.flags,
	   "%s: a sum of 2^65 is %.4g%s", subject->name, sum.value, sum.flags ? " at least" : "");
	subject->free(array);
}

/* Full counters, and those that came from another type. */
static void test_said(const struct subject *subject, u64 seed)
{
	static const struct scounter_array_type narrow = {
		.kind = SCOUNTER_REPR_MORRIS2, .bits = 4,
	};
	static const struct scounter_array_type wide = {
		.kind = SCOUNTER_REPR_CSUROS2, .bits = 16, .m = 4096,
	};
	void *src = create(subject, &narrow, 4, seed), *dst = create(subject, &wide, 4, seed);
	struct array_total before, after, others;

	subject->add(dst, 0, 1000);
	subject->add(dst, 1, 1000);
	subject->sum(dst, 0, 4, &before);
	subject->add(src, 0, 1000);
	subject->add(src, 3, 100000);
	subject->merge(dst, src);
	subject->sum(dst, 0, 3, &after);
	subject->sum(dst, 0, 4, &others);
	ok(before.variance == 0 && sqrt(after.variance) >= 0.5 * 1000,
	   "%s: what another type brings is in the deviation of a sum: %.0f", subject->name,
	   sqrt(after.variance));
	ok(!after.flags && others.flags == SCOUNTER_F_SATURATED,
	   "%s: a sum lacks counts if a counter in its range does", subject->name);
	subject->free(src);
	subject->free(dst);
}

void test_sums(u64 seed)
{
	const struct subject *subject;
	u32 i, how;

	values = allocate(CELLS, sizeof(*values));
	for (subject = subjects; subject < subjects + SUBJECTS; subject++) {
		/* In the library, the same sums are what another count makes them. */
		for (i = 0; i < sizeof(small) / sizeof(small[0]); i++)
			for (how = subject == &subjects[LIBRARY] ? MERGED : COUNTED; how < HOWS; how++)
				test_small(subject, &small[i], how,
					   derive_seed(seed, hows[how], i));
		test_rounding(subject, 1080000, 2.788, derive_seed(seed, "rounding", 0));
		test_rounding(subject, 1100000, 2.743, derive_seed(seed, "rounding", 1));
		test_rounding(subject, 1180000, 3.194, derive_seed(seed, "rounding", 2));
		test_ranges(subject, seed);
		test_large(subject, seed);
		test_said(subject, seed);
	}
	free(values);
}

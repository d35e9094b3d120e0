// SPDX-License-Identifier: GPL-2.0
/*
 * Events that no cell shows: a cell of 0 may stand for some, where an event is counted
 * with a probability below 1.  What is said of it, alone, in sums, after merges and in
 * snapshots.
 */
#include <err.h>
#include <math.h>

#include <linux/scounter_array.h>

#include "subject.h"
#include "util.h"

/* The first step of the DLM probabilities is 22.2 events, and 1.3. */
static const struct scounter_array_type steep = {
	.kind = SCOUNTER_REPR_DLM_PROBABILITY, .bits = 4, .q_ppm = 1003000,
};
static const struct scounter_array_type less_steep = {
	.kind = SCOUNTER_REPR_DLM_PROBABILITY, .bits = 8, .q_ppm = 1003000,
};
static const struct scounter_array_type nibble = { .kind = SCOUNTER_REPR_SHARED, .bits = 4 };
static const struct scounter_array_type byte = { .kind = SCOUNTER_REPR_SHARED, .bits = 8 };
static const struct scounter_array_type two = { .kind = SCOUNTER_REPR_SHARED, .bits = 16 };

/* Says that it does not know, and not less than n. */
static bool admits(const struct subject *subject, void *array, u64 index, u64 n)
{
	struct scounter_array_estimate estimate;

	subject->estimate(array, index, &estimate);
	return estimate.error_ppm && estimate.lower <= n && estimate.upper >= n;
}

/* The same of a snapshot, and of what that is merged into. */
static bool admits_for_ever(const struct subject *subject, void *array, u64 index, u64 n)
{
	const struct subject *library = &subjects[LIBRARY];
	FILE *file = subject->snapshot(array);
	struct array *loaded, *next;
	bool right;

	if (array_load(&loaded, file) ||
	    array_create(&next, &loaded->cells.repr.type, loaded->length) ||
	    array_merge(next, loaded))
		errx(1, "%s", array_error());
	fclose(file);
	right = admits(subject, array, index, n) && admits(library, loaded, index, n) &&
		admits(library, next, index, n);
	array_free(loaded);
	array_free(next);
	return right;
}

/* 10 events, of which a cell of @steep mostly shows none, in each other type. */
static void test_zero(const struct subject *subject, u32 into, u64 seed)
{
	void *src = create(subject, &steep, 1, seed), *dst, *clean;
	u32 i;

	do {
		subject->clear(src);
		for (i = 0; i < 10; i++)
			subject->inc(src, 0);
	} while (value_of(subject, src, 0));
	dst = create(subject, &mixed[into], 1, seed);
	subject->merge(dst, src);
	ok(value_of(subject, dst, 0) == 0 && admits_for_ever(subject, src, 0, 10) &&
	   admits_for_ever(subject, dst, 0, 10),
	   "%s: 0 in %s may be 10 events in %s", subject->name, type_name(&subject->cells(src)->repr.type),
	   type_name(&subject->cells(dst)->repr.type));
	subject->clear(dst);
	clean = create(subject, &mixed[into], 1, seed);
	subject->merge(dst, clean);
	ok(!admits(subject, dst, 0, 0), "%s: and is 0 when that is cleared", subject->name);
	subject->free(src);
	subject->free(dst);
	subject->free(clean);
}

/*
 * A level of 60 or so, that of cell 0, of which words of 16 bits know no more than 48;
 * and 2^58 events in a cell of which none are in the sample.
 */
static void test_level(const struct subject *subject, u64 seed)
{
	void *narrow = create(subject, &nibble, 16, seed), *wide = create(subject, &two, 16, seed);
	struct scounter_array_estimate before, after;
	u32 i;

	do {
		subject->clear(narrow);
		subject->add(narrow, 0, S64_MAX);
		subject->add(narrow, 0, S64_MAX);
		subject->add(narrow, 15, 1ULL << 58);
	} while (value_of(subject, narrow, 15));
	subject->merge(wide, narrow);
	ok(value_of(subject, wide, 15) == 0 && admits_for_ever(subject, narrow, 15, 1ULL << 58) &&
	   admits_for_ever(subject, wide, 15, 1ULL << 58),
	   "%s: 2^58 events that are not sampled, in cells of 16 bits", subject->name);
	for (i = 0; i < 16; i += 15) {
		subject->estimate(narrow, i, &before);
		subject->estimate(wide, i, &after);
		ok(after.additive >= before.additive && after.lower <= before.lower &&
		   after.upper >= before.upper && after.error_ppm >= before.error_ppm,
		   "%s: cell %u of 16 bits says what that of 4 bits says: additive %llu, %llu",
		   subject->name, i, before.additive, after.additive);
	}
	subject->clear(wide);
	ok(!admits(subject, wide, 15, 0), "%s: and 0 is 0 when it is cleared", subject->name);
	subject->free(narrow);
	subject->free(wide);
}

/* A level that has risen for a cell that then lost its last sample: no cell shows it. */
static void test_empty_level(u64 seed)
{
	struct array *src = new_array(SCOUNTER_REPR_SHARED, 8, 0, 1, 9, seed);
	struct array *dst = new_array(SCOUNTER_REPR_SHARED, 8, 0, 1, 9, seed);

	src->level = 20;
	src->words[0] = 20ULL << SCOUNTER_SHARED_LEVEL_SHIFT;
	if (array_merge(dst, src))
		errx(1, "%s", array_error());
	ok(admits_for_ever(&subjects[LIBRARY], src, 8, 1 << 20) &&
	   admits_for_ever(&subjects[LIBRARY], dst, 8, 1 << 20),
	   "a level of 20 in an array that is all 0 is merged and saved");
	array_free(src);
	array_free(dst);
}

/* A snapshot that is broken says too much, and not nothing. */
static void test_broken_unit(u64 seed)
{
	struct array *src = new_array(SCOUNTER_REPR_CSUROS2, 8, 0, 16, 1, seed);
	struct array *dst = new_array(SCOUNTER_REPR_MORRIS2, 6, 0, 1, 1, seed);

	src->unit = U64_MAX;
	if (array_merge(dst, src))
		errx(1, "%s", array_error());
	ok(admits(&subjects[LIBRARY], dst, 0, 1ULL << 60), "a unit of 2^64 - 1 is merged as one of 2^62");
	array_free(src);
	array_free(dst);
}

/* How far a sum is off, as both say it; the kernel also has bounds. */
static bool sum_admits(const struct subject *subject, void *array, u64 first, u64 count, double n,
		       double *deviation)
{
	struct scounter_array_total bounds = { .upper = U64_MAX };
	struct array_total sum;

	subject->sum(array, first, count, &sum);
	*deviation = sqrt(sum.variance);
	if (subject == &subjects[KERNEL] && scounter_array_sum(array, first, count, &bounds))
		return false;
	return *deviation > 0 && bounds.lower <= n && bounds.upper >= n;
}

/* 1000 counters of 100 events beside one of 2^30: next to nothing of them is sampled. */
static void test_shared_sum(const struct subject *subject, u64 seed)
{
	void *array = create(subject, &byte, 2000, seed);
	struct array_total sum;
	double deviation;
	u32 i, tries;
	bool right;

	for (tries = 0; tries < 100; tries++) {
		subject->clear(array);
		subject->add(array, 0, 1 << 30);
		for (i = 1000; i < 2000; i++)
			subject->add(array, i, 100);
		subject->sum(array, 1000, 1000, &sum);
		if (!sum.value)
			break;
	}
	right = sum_admits(subject, array, 1000, 1000, 100000, &deviation);
	/* The root of 10^5 events at a level of 22 or 23. */
	ok(!sum.value && right && deviation >= sqrt(1e5 * 0x1p22),
	   "%s: a sum of 0 that may be 10^5 has a deviation of %.0f", subject->name, deviation);
	subject->free(array);
}

/* All of an array at a level of 48: 20000 counters of 2^25 events. */
static void test_unsampled(u64 seed)
{
	struct array *array = new_array(SCOUNTER_REPR_SHARED, 16, 0, 1, 20000, seed);
	struct array_total sum;

	array->level = 48;
	if (array_sum(array, 0, 20000, &sum))
		errx(1, "%s", array_error());
	ok(sum.value == 0 && sqrt(sum.variance) >= 0x1p48, "a sum at a level of 48: 0 +- %.3g",
	   sqrt(sum.variance));
	array_free(array);
}

/* 10^5 counters of so many events each: how much their values scatter, and what is said. */
static void test_steep_sum(const struct subject *subject, const struct scounter_array_type *type,
			   u32 events, bool merged, u64 seed)
{
	enum { CELLS = 100000 };
	static const struct scounter_array_type morris = {
		.kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1080000,
	};
	void *array = counted(subject, type, CELLS, events, seed), *dst;
	double values[100], deviation, measured;
	struct moments moments = { 0 };
	bool right;
	u64 i;

	for (i = 0; i < CELLS; i++) {
		if (i % 100 == 0)
			subject->values(array, i, 100, values);
		moments_add(&moments, values[i % 100] - events);
	}
	measured = sqrt(summarize(&moments).variance * CELLS);
	if (merged) {
		dst = create(subject, &morris, CELLS, seed);
		subject->merge(dst, array);
		subject->free(array);
		array = dst;
	}
	right = sum_admits(subject, array, 0, CELLS, (double)events * CELLS, &deviation);
	/*
	 * The 1 / 4 for what is rounded is most where steps are of 1.3; after a merge they
	 * are taken to be of 2.
	 */
	ok(right && deviation >= 0.99 * measured && deviation <= (merged ? 2.5 : 1.3) * measured,
	   "%s: 10^5 times %u in %s%s: deviation %.0f, said to be %.0f", subject->name, events,
	   type_name(&repr_of(type->kind, type->bits, type->q_ppm, type->m, 0)->type),
	   merged ? ", merged" : "", measured, deviation);
	subject->free(array);
}

void test_hidden(u64 seed)
{
	const struct subject *subject;
	u32 i;

	for (subject = subjects; subject < subjects + SUBJECTS; subject++) {
		for (i = 0; i < MIXED; i++)
			test_zero(subject, i, derive_seed(seed, "zero", i));
		test_level(subject, seed);
		test_shared_sum(subject, seed);
		for (i = 0; i < 2; i++) {
			test_steep_sum(subject, &steep, 1, i, seed);
			test_steep_sum(subject, &less_steep, 1, i, seed);
			test_steep_sum(subject, &less_steep, 16, i, seed);
		}
	}
	test_empty_level(seed);
	test_broken_unit(seed);
	test_unsampled(seed);
}

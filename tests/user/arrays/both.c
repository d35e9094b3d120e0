// SPDX-License-Identifier: GPL-2.0
/* What arrays of the kernel and of the library must do alike. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <linux/module.h>
#include <linux/scounter_array.h>

#include "base/random.h"
#include "shim.h"
#include "subject.h"
#include "util.h"

static const struct scounter_array_type morris2_10 = {
	.kind = SCOUNTER_REPR_MORRIS2, .bits = 10,
};

static void test_type(const struct subject *subject, const struct scounter_array_type *type,
		      u64 length, int err, const char *says)
{
	void *array = NULL;
	int got = subject->create(&array, type, length);
	/* What the library says is what the kernel's log says. */
	bool said = subject != &subjects[LIBRARY] || strstr(array_error(), says);

	ok(got == err && said, "%s: %s, %llu counters: %s", subject->name,
	   kind_name(type->kind), length, says);
}

static void test_types(const struct subject *subject)
{
	static const struct {
		struct scounter_array_type type;
		u64 length;
		int err;
		const char *says;
	} cases[] = {
		{ { .kind = 0, .bits = 8 },
		  1, -EINVAL, "kind is from 1 to 7" },
		{ { .kind = 8, .bits = 8 },
		  1, -EINVAL, "kind is from 1 to 7" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 3 },
		  1, -ERANGE, "bits are" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 9 },
		  1, -ERANGE, "bits are" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 17 },
		  1, -ERANGE, "bits are" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = ~0U },
		  1, -ERANGE, "bits are" },
		{ { .kind = SCOUNTER_REPR_MORRIS, .bits = 8 },
		  1, -ERANGE, "q_ppm is from" },
		{ { .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1000000 },
		  1, -ERANGE, "q_ppm is from" },
		{ { .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 2000001 },
		  1, -ERANGE, "q_ppm is from" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 8, .q_ppm = 1500000 },
		  1, -ERANGE, "q_ppm is 0 or" },
		{ { .kind = SCOUNTER_REPR_CSUROS2, .bits = 8 },
		  1, -ERANGE, "m is from 1" },
		{ { .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 12 },
		  1, -ERANGE, "m is a power of 2" },
		{ { .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 512 },
		  1, -ERANGE, "m is from 1" },
		{ { .kind = SCOUNTER_REPR_CSUROS, .bits = 8, .q_ppm = 1200000, .m = 257 },
		  1, -ERANGE, "m is from 1" },
		{ { .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 8, .m = 16, .theta = 9 },
		  1, -ERANGE, "theta is even" },
		{ { .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 8, .m = 16, .theta = 18 },
		  1, -ERANGE, "theta is even" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 8, .theta = 2 },
		  1, -ERANGE, "theta is 0" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 6, .group = 1025 },
		  1, -ERANGE, "group is from" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 8 },
		  0, -ERANGE, "1 to 2^40" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 8 },
		  ~0ULL, -ENOMEM, "1 to 2^40" },
		{ { .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 8, .m = 1 },
		  1, -ERANGE, "m is from 2" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 8, .m = 2 },
		  1, -ERANGE, "m is 0 or 1" },
	};
	u32 i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_type(subject, &cases[i].type, cases[i].length, cases[i].err, cases[i].says);
}

/* A cell that is counted leaves all others as they are, in each width and place. */
static void test_neighbours(const struct subject *subject, u64 seed)
{
	static const u32 widths[] = { 4, 5, 6, 7, 8, 10, 12, 16 };
	u32 i, kind, bad = 0;
	u64 cell, other;

	for (i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		for (kind = SCOUNTER_REPR_MORRIS2; kind <= SCOUNTER_REPR_SHARED; kind += 5) {
			struct scounter_array_type type = { .kind = kind, .bits = widths[i] };
			void *array = create(subject, &type, 40, seed + i);

			for (cell = 0; cell < 40; cell++) {
				subject->inc(array, cell);
				subject->inc(array, cell);
				for (other = 0; other < 40; other++)
					bad += !state_of(subject, array, other) != (other > cell);
			}
			subject->free(array);
		}
	ok(!bad, "%s: cells of all widths keep out of each other's bits", subject->name);
}

static void test_outside(const struct subject *subject, u64 seed)
{
	void *array = create(subject, &morris2_10, 7, seed);
	struct scounter_array_estimate estimate;
	double values[8] = { -1, -1 };
	struct array_total sum;
	u64 words[2];

	subject->add(array, 6, 1000);
	words[0] = subject->word(array, 0);
	words[1] = subject->word(array, 1);
	subject->inc(array, 7);
	subject->add(array, 1ULL << 63, 5);
	ok(subject->cells(array)->words == 2 && subject->refused(array) == 2 &&
	   subject->estimate(array, 7, &estimate) == -ERANGE && subject->refused(array) == 3 &&
	   subject->word(array, 0) == words[0] && subject->word(array, 1) == words[1],
	   "%s: an index outside is refused, counted, and writes nothing", subject->name);
	subject->add(array, 6, -1ULL);
	ok(subject->refused(array) == 4 && subject->word(array, 1) == words[1],
	   "%s: and so is an amount that looks like a negative number", subject->name);
	ok(subject->values(array, 0, 8, values) == -ERANGE && values[0] == -1 &&
	   subject->values(array, 8, 0, values) == -ERANGE &&
	   subject->values(array, 1, U64_MAX, values) == -ERANGE &&
	   subject->sum(array, 0, 8, &sum) == -ERANGE &&
	   subject->sum(array, U64_MAX, 2, &sum) == -ERANGE && subject->refused(array) == 9,
	   "%s: and so is a range that is not all inside", subject->name);
	ok(!subject->values(array, 7, 0, values) && !subject->values(array, 6, 1, values + 1) &&
	   values[0] == -1 && values[1] > 0 && !subject->sum(array, 7, 0, &sum) && sum.value == 0,
	   "%s: a range to the end is not, nor is an empty one", subject->name);
	subject->free(array);
}

static int try_merge(const struct subject *subject, u32 kind, u32 other, u64 more, u32 group,
		     u64 seed)
{
	struct scounter_array_type to = { .kind = kind, .bits = 8 };
	struct scounter_array_type from = { .kind = other, .bits = 8, .group = group };
	void *dst = create(subject, &to, 9, seed), *src = create(subject, &from, 9 + more, seed);
	u64 word;
	int err;

	subject->add(dst, 0, 5);
	subject->add(src, 0, 5);
	word = subject->word(dst, 0);
	err = subject->merge(dst, src);
	if (err && subject->word(dst, 0) != word)
		err = 1;
	subject->free(dst);
	subject->free(src);
	return err;
}

static void test_refused_merges(const struct subject *subject, u64 seed)
{
	void *array = create(subject, &morris2_10, 9, seed);
	u64 word;

	subject->add(array, 0, 12345);
	word = subject->word(array, 0);
	ok(subject->merge(array, array) == -EINVAL && subject->word(array, 0) == word,
	   "%s: merge with itself", subject->name);
	subject->free(array);
	ok(try_merge(subject, 2, 2, 1, 1, seed) == -EINVAL, "%s: other length", subject->name);
	ok(try_merge(subject, 2, 2, 0, 5, seed) == -EINVAL, "%s: other group", subject->name);
	ok(try_merge(subject, 2, 7, 0, 1, seed) == -EINVAL, "%s: relative += additive", subject->name);
	ok(try_merge(subject, 7, 2, 0, 1, seed) == -EINVAL, "%s: additive += relative", subject->name);
	ok(try_merge(subject, 2, 2, 0, 1, seed) == 0, "%s: the like of these is merged", subject->name);
}

/* The error that a type with @xi has in another: rounded to that, which is apart by 2 xi. */
static double brought_error(double xi, double into_xi)
{
	return sqrt((1 + xi) * (1 + into_xi * into_xi / (1 + 2 * into_xi)) - 1);
}

/* What dst says of its error, once src has been merged into it. */
static bool says_error(const struct subject *subject, void *dst, double xi, bool same)
{
	double error = 1e6 * brought_error(xi, xi_of(&subject->cells(dst)->repr));
	struct scounter_array_estimate estimate;

	subject->estimate(dst, 0, &estimate);
	if (same)
		return !subject->mixed_ppm(dst);
	return subject->mixed_ppm(dst) >= error && subject->mixed_ppm(dst) <= error + 5 &&
	       estimate.error_ppm >= error;
}

/* dst += src for every pair of kinds that may meet: the mean of 10000 counters. */
static void test_mixed_merge(const struct subject *subject, u32 a, u32 b, u64 seed)
{
	enum { CELLS = 10000 };
	static double values[CELLS];
	void *dst = create(subject, &mixed[a], CELLS, derive_seed(seed, "dst", a * MIXED + b));
	void *src = create(subject, &mixed[b], CELLS, derive_seed(seed, "src", a * MIXED + b));
	const struct scounter_repr *from = &subject->cells(src)->repr;
	struct moments moments = { 0 };
	struct summary summary;
	double bound;
	u32 i;

	for (i = 0; i < CELLS; i++) {
		subject->add(dst, i, 300);
		subject->add(src, i, 200);
	}
	subject->merge(dst, src);
	subject->values(dst, 0, CELLS, values);
	for (i = 0; i < CELLS; i++)
		moments_add(&moments, values[i] - 500);
	summary = summarize(&moments);
	bound = fmax(xi_of(&subject->cells(dst)->repr), xi_of(from)) * 500 * 499 + 0.25;
	ok(fabs(summary.mean_z) <= MEAN_LIMIT && variance_z(&summary, bound) <= Z_LIMIT &&
	   says_error(subject, dst, xi_of(from), a == b),
	   "%s: %s += %s: mean %+.2f standard errors, variance %.3f of the worse bound",
	   subject->name, type_name(&mixed[a]), type_name(&mixed[b]), summary.mean_z,
	   summary.variance / bound);
	subject->free(dst);
	subject->free(src);
}

/* What other types have brought stays said: through further merges, and snapshots. */
static void test_mixed_again(const struct subject *subject, u64 seed)
{
	void *csuros = create(subject, &mixed[3], 2, seed);
	void *middle = create(subject, &mixed[3], 2, seed);
	void *morris = create(subject, &mixed[0], 2, seed);
	void *exact = create(subject, &mixed[2], 2, seed);
	double error = 1e6 * brought_error(0.04, 0.4 / 128);
	struct array *loaded;
	FILE *file;

	subject->merge(middle, morris);
	ok(!subject->mixed_ppm(middle), "%s: an array without counts brings no error",
	   subject->name);
	subject->add(exact, 0, 3);
	subject->merge(middle, exact);
	ok(!subject->mixed_ppm(middle) && value_of(subject, middle, 0) == 3,
	   "%s: nor do counts that are exact in their type", subject->name);
	subject->add(morris, 0, 1000);
	subject->merge(middle, morris);
	subject->merge(csuros, middle);
	file = subject->snapshot(csuros);
	ok(!array_load(&loaded, file) && subject->mixed_ppm(csuros) >= error &&
	   subject->mixed_ppm(csuros) <= error + 5 &&
	   loaded->mixed_ppm == subject->mixed_ppm(csuros),
	   "%s: the error of another type goes on with merges and snapshots", subject->name);
	subject->clear(csuros);
	ok(!subject->mixed_ppm(csuros), "%s: and ends when the array is cleared", subject->name);
	fclose(file);
	array_free(loaded);
	subject->free(csuros);
	subject->free(exact);
	subject->free(middle);
	subject->free(morris);
}

static u32 roundings_of(const struct subject *subject, const void *array)
{
	FILE *file = subject->snapshot(array);
	struct array *loaded;
	u32 roundings = 0;

	if (!array_load(&loaded, file))
		roundings = loaded->roundings;
	fclose(file);
	array_free(loaded);
	return roundings;
}

/*
 * There and back between two types, each time into a fresh array: the error that is said
 * is no less than the one that is measured, and at most 1.3 times that.
 */
static void test_chain(const struct subject *subject, u64 seed)
{
	enum { CELLS = 10000, EVENTS = 1000, MERGES = 12 };
	static const struct scounter_array_type types[2] = {
		{ .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1500000 },
		{ .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1490000 },
	};
	static double values[CELLS];
	void *array = counted(subject, &types[0], CELLS, EVENTS, seed), *next;
	struct scounter_array_estimate estimate;
	struct summary summary;
	struct array_total sum;
	double said, summed;
	u32 i, merge;

	for (merge = 1; merge <= MERGES; merge++) {
		struct moments moments = { 0 };

		next = create(subject, &types[merge % 2], CELLS, derive_seed(seed, "next", merge));
		subject->merge(next, array);
		subject->free(array);
		array = next;
		if (merge % 4 != 0)
			continue;
		subject->values(array, 0, CELLS, values);
		for (i = 0; i < CELLS; i++)
			moments_add(&moments, values[i] / EVENTS - 1);
		summary = summarize(&moments);
		subject->estimate(array, 0, &estimate);
		subject->sum(array, 0, CELLS, &sum);
		said = estimate.error_ppm / 1e6 * estimate.error_ppm / 1e6;
		summed = sum.variance / EVENTS / EVENTS / CELLS;
		ok(variance_z(&summary, said) <= Z_LIMIT && said <= summary.variance * 1.69 &&
		   variance_z(&summary, summed) <= Z_LIMIT && roundings_of(subject, array) == merge,
		   "%s: %u merges from type to type: an error of %.1f %%, said to be %.1f %%, in a sum %.1f %%",
		   subject->name, merge, 100 * sqrt(summary.variance), estimate.error_ppm / 1e4,
		   100 * sqrt(summed));
	}
	subject->free(array);
}

/* A shared level: unbiased, and within the error that a read states. */
static void test_shared(const struct subject *subject, u64 seed)
{
	enum { RUNS = 5000 };
	static const struct scounter_array_type type = { .kind = SCOUNTER_REPR_SHARED, .bits = 8 };
	static const u64 counts[3] = { 20000, 500, 3 };
	struct moments moments[3] = { 0 };
	u64 additive = 0, outside = 0, n;
	void *array, *more;
	u32 run, i;

	for (run = 0; run < RUNS; run++) {
		struct scounter_array_estimate estimate;

		array = create(subject, &type, 3, next_seed(&seed));
		more = create(subject, &type, 3, next_seed(&seed));
		for (i = 0; i < 3; i++) {
			subject->add(array, i, counts[i] / 2);
			for (n = 0; n < counts[i] / 4; n++)
				subject->inc(array, i);
			subject->add(more, i, counts[i] - counts[i] / 2 - counts[i] / 4);
		}
		subject->merge(array, more);
		for (i = 0; i < 3; i++) {
			subject->estimate(array, i, &estimate);
			moments_add(&moments[i], (double)estimate.value - counts[i]);
			additive = max(additive, estimate.additive);
			outside += counts[i] < estimate.lower || counts[i] > estimate.upper;
		}
		subject->free(array);
		subject->free(more);
	}
	for (i = 0; i < 3; i++) {
		struct summary summary = summarize(&moments[i]);

		ok(fabs(summary.mean_z) <= MEAN_LIMIT && sqrt(summary.variance) <= additive,
		   "%s: shared level, %llu events: mean %+.2f standard errors, deviation %.1f, additive error at most %llu",
		   subject->name, counts[i], summary.mean_z, sqrt(summary.variance), additive);
	}
	comment("shared level: %.3f %% of the counts are outside of the stated bounds",
		100.0 * outside / (3 * RUNS));
}

/*
 * Cells of 8 bits go on to a level of 56, those of 16 to one of 48.  The error of a
 * sample of a level that a word cannot tell is that of the level all the same.
 */
static void test_levels(const struct subject *subject, u64 seed)
{
	static const struct scounter_array_type byte = { .kind = SCOUNTER_REPR_SHARED, .bits = 8 };
	static const struct scounter_array_type two = { .kind = SCOUNTER_REPR_SHARED, .bits = 16 };
	void *wide = create(subject, &two, 2, seed), *narrow = create(subject, &byte, 2, seed);
	struct scounter_array_estimate estimate;
	double n = 0x1p63;

	subject->add(narrow, 1, 1ULL << 62);
	subject->add(narrow, 1, 1ULL << 62);
	subject->merge(wide, narrow);
	subject->estimate(wide, 1, &estimate);
	ok(value_of(subject, wide, 1) == value_of(subject, narrow, 1) &&
	   fabs(value_of(subject, wide, 1) / n - 1) < 0.02 && estimate.error_ppm == ceil(1e6 * sqrt(0x1p56 / value_of(subject, wide, 1))),
	   "%s: 2^63 in 8 bits is %.4f times 2^63 in 16", subject->name,
	   value_of(subject, wide, 1) / n);
	subject->clear(wide);
	subject->merge(narrow, wide);
	ok(fabs(value_of(subject, narrow, 1) / n - 1) < 0.02, "%s: nothing merged into it changes it",
	   subject->name);
	subject->free(wide);
	subject->free(narrow);
}

/* The mean of a group may fit where the sum of its cells does not. */
static void test_large_groups(const struct subject *subject, u64 seed)
{
	static const struct scounter_array_type type = {
		.kind = SCOUNTER_REPR_MORRIS2, .bits = 6, .group = 5,
	};
	void *array = create(subject, &type, 1, seed);
	struct scounter_array_estimate estimate;

	subject->set_word(array, 0, (1ULL << 30) - 1);
	subject->estimate(array, 0, &estimate);
	ok(estimate.value == (1ULL << 63) - 1 && value_of(subject, array, 0) == 0x1p63,
	   "%s: five cells of 2^63 - 1 are read as %llu", subject->name, estimate.value);
	subject->free(array);
}

/* All cells in one state: the bounds have the same ratio to the value, whatever that is. */
static void test_scaled_bounds(const struct subject *subject, u64 seed)
{
	static const struct scounter_array_type types[] = {
		{ .kind = SCOUNTER_REPR_MORRIS2, .bits = 6, .group = 5 },
		{ .kind = SCOUNTER_REPR_SHARED, .bits = 8, .group = 7 },
	};
	struct scounter_array_estimate small, large;
	u32 i, cell, bit;

	for (i = 0; i < 2; i++) {
		void *array = create(subject, &types[i], 1, seed);
		double lower, upper;
		u64 words[2][2] = { 0 };

		/* 2^40 and 2^62; of the sample, 128 at levels of 33 and 55, or 55 and 56. */
		for (cell = 0; cell < types[i].group; cell++) {
			u64 word = scounter_cells_find(subject->cells(array), cell, &bit);

			words[0][word] |= i ? 128ULL << bit | 33ULL << 58 : 40ULL << bit;
			words[1][word] |= i ? 128ULL << bit | 55ULL << 58 : 62ULL << bit;
		}
		subject->set_word(array, 0, words[0][0]);
		subject->estimate(array, 0, &small);
		subject->set_word(array, 0, words[1][0]);
		subject->estimate(array, 0, &large);
		lower = large.lower / 0x1p22 / small.lower;
		upper = large.upper / 0x1p22 / small.upper;
		ok(fabs(lower - 1) < 0.001 && fabs(upper - 1) < 0.001 && !large.flags == !small.flags &&
		   large.error_ppm <= small.error_ppm + 1 && large.error_ppm + 1 >= small.error_ppm,
		   "%s: %s: a mean of 2^62 has bounds as one of 2^40 does: %.4f, %.4f times 2^22 of these",
		   subject->name, type_name(&subject->cells(array)->repr.type), lower, upper);
		subject->free(array);
	}
}

/* Four copies of 1.5 * 2^62 are more than any read can say. */
static void test_large_copies(u64 seed)
{
	static const struct scounter_array_type type = {
		.kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1180000,
	};
	struct scounter_array_estimate estimate, merged;
	struct scounter_array *array, *dst;
	struct scounter_array_total sum;
	int cpu;

	shim_exit();
	shim_init(4, 1);
	scounter_random_init(seed);
	array = scounter_array_create(NULL, NULL, &type, 1, SCOUNTER_ARRAY_PER_CPU);
	dst = scounter_array_create(NULL, NULL, &type, 1, 0);
	for (cpu = 0; cpu < 4; cpu++) {
		shim_be(cpu);
		scounter_array_add(array, 0, 3ULL << 61);
	}
	scounter_array_read_est(array, 0, &estimate);
	scounter_array_sum(array, 0, 1, &sum);
	scounter_array_merge(dst, array);
	scounter_array_read_est(dst, 0, &merged);
	ok(estimate.value == U64_MAX && estimate.upper == U64_MAX && estimate.lower > 1ULL << 62 &&
	   estimate.flags & merged.flags & sum.flags & SCOUNTER_F_SATURATED,
	   "four copies that come to 1.5 * 2^64 are at least %llu, and so are their sum and merge",
	   estimate.lower);
	scounter_array_destroy(array);
	scounter_array_destroy(dst);
	shim_exit();
	shim_init(1, 1);
}

/* A limit above, below and at each bound, of an array's counter: by its bounds. */
static void test_reached(u64 seed)
{
	static const struct scounter_array_type type = {
		.kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1180000,
	};
	struct scounter_array_estimate estimate;
	struct scounter_array *array;
	bool passed = true;
	u32 i;

	scounter_random_init(seed);
	array = scounter_array_create(NULL, NULL, &type, 1, 0);
	for (i = 0; i < 60; i++) {
		scounter_array_read_est(array, 0, &estimate);
		passed &= scounter_array_reached(array, 0, 0) == SCOUNTER_YES &&
			  (!estimate.lower ||
			   scounter_array_reached(array, 0, estimate.lower) == SCOUNTER_YES) &&
			  scounter_array_reached(array, 0, estimate.lower + 1) !=
				SCOUNTER_YES &&
			  (estimate.upper == U64_MAX ||
			   (scounter_array_reached(array, 0, estimate.upper) != SCOUNTER_NO &&
			    scounter_array_reached(array, 0, estimate.upper + 1) == SCOUNTER_NO));
		scounter_array_add(array, 0, 1ULL << i);
	}
	ok(passed && estimate.lower > 1000000 &&
	   scounter_array_reached(array, 1, 0) == SCOUNTER_CANNOT_SAY,
	   "a counter has reached its lower bound, nothing above its upper one, and %s",
	   "one that there is not is unknown");
	scounter_array_destroy(array);
}

void test_both(u64 seed)
{
	const struct subject *subject;
	u32 a, b;

	for (subject = subjects; subject < subjects + SUBJECTS; subject++) {
		test_types(subject);
		test_neighbours(subject, seed);
		test_outside(subject, seed);
		test_refused_merges(subject, seed);
		for (a = 0; a < MIXED; a++)
			for (b = 0; b < MIXED; b++)
				test_mixed_merge(subject, a, b, seed);
		test_mixed_again(subject, seed);
		test_chain(subject, seed);
		test_shared(subject, seed);
		test_levels(subject, seed);
		test_large_groups(subject, seed);
		test_scaled_bounds(subject, seed);
	}
	test_large_copies(seed);
	test_reached(seed);
}

// SPDX-License-Identifier: GPL-2.0
/* The C library: what it counts, what it refuses, snapshots, merging. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "util.h"

static bool refused(const struct scounter_array_type *type, u64 length, int err)
{
	struct array *array = NULL;
	int got = array_create(&array, type, length);

	if (!got)
		array_free(array);
	return got == err && *array_error();
}

static void test_types(void)
{
	static const struct {
		struct scounter_array_type type;
		u64 length;
		int err;
		const char *what;
	} cases[] = {
		{ { .kind = 0, .bits = 8 }, 1, -EINVAL, "no kind" },
		{ { .kind = 8, .bits = 8 }, 1, -EINVAL, "an unknown kind" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 3 }, 1, -ERANGE, "3 bits" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 9 }, 1, -ERANGE, "9 bits" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 17 }, 1, -ERANGE, "17 bits" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = ~0U }, 1, -ERANGE, "2^32 - 1 bits" },
		{ { .kind = SCOUNTER_REPR_MORRIS, .bits = 8 }, 1, -ERANGE, "no q" },
		{ { .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1000000 }, 1, -ERANGE, "q 1" },
		{ { .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 2000001 }, 1, -ERANGE, "q above 2" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 8, .q_ppm = 1500000 }, 1, -ERANGE, "q of a binary kind" },
		{ { .kind = SCOUNTER_REPR_CSUROS2, .bits = 8 }, 1, -ERANGE, "no m" },
		{ { .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 12 }, 1, -ERANGE, "binary m 12" },
		{ { .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 512 }, 1, -ERANGE, "m above 2^bits" },
		{ { .kind = SCOUNTER_REPR_CSUROS, .bits = 8, .q_ppm = 1200000, .m = 257 }, 1, -ERANGE, "m 257 in 8 bits" },
		{ { .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 8, .m = 16, .theta = 9 }, 1, -ERANGE, "odd theta" },
		{ { .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 8, .m = 16, .theta = 18 }, 1, -ERANGE, "theta above m" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 8, .theta = 2 }, 1, -ERANGE, "theta of another kind" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 6, .group = 1025 }, 1, -ERANGE, "a group of 1025" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 8 }, 0, -EINVAL, "no counters" },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 8 }, ~0ULL, -ENOMEM, "2^64 - 1 counters" },
	};
	u32 i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(refused(&cases[i].type, cases[i].length, cases[i].err),
		   "%s: %s", cases[i].what, array_error());
}

/* A cell that is counted leaves all others as they are, in each width and place. */
static void test_neighbours(u64 seed)
{
	static const u32 widths[] = { 4, 5, 6, 7, 8, 10, 12, 16 };
	u32 i, kind, bad = 0;
	u64 cell, other;

	for (i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		for (kind = SCOUNTER_REPR_MORRIS2; kind <= SCOUNTER_REPR_SHARED; kind += 5) {
			struct array *array = new_array(kind, widths[i], 0, 1, 40, seed + i);

			for (cell = 0; cell < 40; cell++) {
				array_inc(array, cell);
				array_inc(array, cell);
				for (other = 0; other < 40; other++)
					bad += !array_value(array, other) != (other > cell);
			}
			array_free(array);
		}
	ok(!bad, "cells of all widths keep out of each other's bits");
}

static void test_outside(u64 seed)
{
	struct array *array = new_array(SCOUNTER_REPR_MORRIS2, 10, 0, 1, 7, seed);
	struct scounter_array_estimate estimate;
	u64 words[2];

	array_add(array, 6, 1000);
	memcpy(words, array->words, sizeof(words));
	ok(array->cells.words == 2 && array_inc(array, 7) == -ERANGE &&
	   array_add(array, 1ULL << 63, 5) == -ERANGE &&
	   array_estimate(array, 7, &estimate) == -ERANGE && array->refused == 3 &&
	   !memcmp(words, array->words, sizeof(words)),
	   "an index outside is refused, counted, and writes nothing: %s", array_error());
	array_free(array);
}

static void test_saturation(u64 seed)
{
	struct array *array = new_array(SCOUNTER_REPR_CSUROS2, 8, 0, 32, 2, seed);
	struct scounter_array_estimate estimate;
	u64 most = array->cells.repr.most.whole, before, after;

	array_add(array, 0, most);
	before = array->saturated;
	array_add(array, 0, 1);
	array_estimate(array, 0, &estimate);
	after = array->saturated;
	ok(!before && after && estimate.value == most && estimate.upper == U64_MAX &&
	   estimate.flags & SCOUNTER_F_SATURATED && array_value(array, 1) == 0,
	   "a counter that is full stays at %llu, and says so", most);
	array_clear(array);
	ok(!array->saturated && !array_value(array, 0), "a cleared array forgets it");
	array_free(array);
}

static FILE *snapshot(const struct array *array)
{
	FILE *file = tmpfile();

	if (!file || array_save(array, file))
		return NULL;
	rewind(file);
	return file;
}

/* Load what is left of a snapshot of 100 counters after `spoil` has changed it. */
static int load_spoilt(size_t bytes, u32 offset, u32 value, u64 seed)
{
	struct array *array = new_array(SCOUNTER_REPR_MORRIS2, 10, 0, 1, 100, seed);
	FILE *file = snapshot(array);
	struct array *loaded = NULL;
	char buffer[4096];
	size_t got = fread(buffer, 1, sizeof(buffer), file);
	int err;

	if (bytes > got)
		memset(buffer + got, 0, bytes - got);
	memcpy(buffer + offset, &value, sizeof(value));
	fclose(file);
	file = fmemopen(buffer, bytes ? bytes : got, "rb");
	err = array_load(&loaded, file);
	fclose(file);
	array_free(array);
	array_free(loaded);
	return err;
}

#define AT(member)	offsetof(struct scounter_array_header, member)

static void test_snapshots(u64 seed)
{
	struct array *array = new_array(SCOUNTER_REPR_CSUROS, 12, 1400000, 64, 1000, seed);
	u32 magic = SCOUNTER_ARRAY_MAGIC, all = sizeof(struct scounter_array_header) + 17 * 8;
	struct array *loaded;
	FILE *file;
	u64 i;
	int err;

	for (i = 0; i < 1000; i++)
		array_add(array, i, i * i * i);
	array_inc(array, 5000);
	file = snapshot(array);
	err = file ? array_load(&loaded, file) : -1;
	ok(!err && loaded->length == 1000 && loaded->refused == 1 &&
	   !memcmp(&loaded->cells.repr.type, &array->cells.repr.type,
		   sizeof(array->cells.repr.type)) &&
	   !memcmp(loaded->words, array->words, array->cells.words * 8),
	   "a snapshot that was saved and loaded is the same");
	array_free(array);
	array_free(loaded);
	fclose(file);

	ok(!load_spoilt(all, AT(magic), magic, seed), "an unspoilt one is loaded");
	ok(load_spoilt(1, AT(magic), magic, seed) == -ENODATA, "one byte: %s", array_error());
	ok(load_spoilt(40, AT(magic), magic, seed) == -ENODATA, "half a header: %s", array_error());
	ok(load_spoilt(all - 1, AT(magic), magic, seed) == -ENODATA, "one byte less: %s", array_error());
	ok(load_spoilt(all + 1, AT(magic), magic, seed) == -EINVAL, "one byte more: %s", array_error());
	ok(load_spoilt(all, AT(magic), 7, seed) == -EINVAL, "another magic: %s", array_error());
	ok(load_spoilt(all, AT(magic), __builtin_bswap32(magic), seed) == -EPROTO,
	   "swapped bytes: %s", array_error());
	ok(load_spoilt(all, AT(version), 2, seed) == -EPROTO, "a newer version: %s", array_error());
	ok(load_spoilt(all, AT(header_bytes), 8, seed) == -EINVAL, "a short header: %s", array_error());
	ok(load_spoilt(all, AT(type.bits), 9, seed) == -ERANGE, "9 bits: %s", array_error());
	ok(load_spoilt(all, AT(type.kind), 77, seed) == -EINVAL, "kind 77: %s", array_error());
	ok(load_spoilt(all, AT(copies), 0, seed) == -EINVAL, "no copies: %s", array_error());
	ok(load_spoilt(all, AT(copies), 2, seed) == -ENODATA, "two copies: %s", array_error());
	ok(load_spoilt(all, AT(words), 16, seed) == -EINVAL, "words too few: %s", array_error());
	ok(load_spoilt(all, AT(length), 1U << 30, seed) == -EINVAL, "a length too large: %s", array_error());
	ok(load_spoilt(all, AT(length) + 4, 1U << 30, seed) == -ENOMEM, "a huge length: %s", array_error());
}

static int try_merge(u32 kind, u32 other, u64 length, u64 more, u32 group, u64 seed)
{
	struct scounter_array_type type = { .kind = other, .bits = 8, .group = group };
	struct array *dst = new_array(kind, 8, 0, 1, length, seed), *src;
	u64 word;
	int err;

	if (array_create(&src, &type, length + more))
		return 1;
	array_add(dst, 0, 5);
	array_add(src, 0, 5);
	word = dst->words[0];
	err = array_merge(dst, src);
	if (err && dst->words[0] != word)
		err = 1;
	array_free(dst);
	array_free(src);
	return err;
}

static void test_refused_merges(u64 seed)
{
	struct array *array = new_array(SCOUNTER_REPR_MORRIS2, 8, 0, 1, 9, seed);
	u64 word;

	array_add(array, 0, 12345);
	word = array->words[0];
	ok(array_merge(array, array) == -EINVAL && array->words[0] == word,
	   "merge with itself: %s", array_error());
	array_free(array);
	ok(try_merge(2, 2, 9, 1, 1, seed) == -EINVAL, "other length: %s", array_error());
	ok(try_merge(2, 2, 9, 0, 5, seed) == -EINVAL, "other group: %s", array_error());
	ok(try_merge(2, 7, 9, 0, 1, seed) == -EINVAL, "relative += additive: %s", array_error());
	ok(try_merge(7, 2, 9, 0, 1, seed) == -EINVAL, "additive += relative: %s", array_error());
	ok(try_merge(2, 2, 9, 0, 1, seed) == 0, "the like of these is merged");
}

static const struct scounter_array_type mixed[] = {
	{ .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1080000 },
	{ .kind = SCOUNTER_REPR_MORRIS2, .bits = 6 },
	{ .kind = SCOUNTER_REPR_CSUROS2, .bits = 10, .m = 32 },
	{ .kind = SCOUNTER_REPR_CSUROS, .bits = 12, .q_ppm = 1400000, .m = 64 },
	{ .kind = SCOUNTER_REPR_DLM_PROBABILITY, .bits = 16, .q_ppm = 1080000 },
	{ .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 8, .m = 16, .theta = 10 },
};

enum { MIXED = sizeof(mixed) / sizeof(mixed[0]) };

/* dst += src for every pair of kinds that may meet: the mean of 20000 counters. */
static void test_mixed_merges(u64 seed)
{
	enum { CELLS = 20000 };
	struct array *dst, *src;
	u32 a, b, i;

	for (a = 0; a < MIXED; a++)
		for (b = 0; b < MIXED; b++) {
			struct moments moments = { 0 };
			struct summary summary;
			double xi, bound;

			if (array_create(&dst, &mixed[a], CELLS) || array_create(&src, &mixed[b], CELLS))
				exit(2);
			array_seed(dst, derive_seed(seed, "dst", a * MIXED + b));
			array_seed(src, derive_seed(seed, "src", a * MIXED + b));
			for (i = 0; i < CELLS; i++) {
				array_add(dst, i, 300);
				array_add(src, i, 200);
			}
			array_merge(dst, src);
			for (i = 0; i < CELLS; i++)
				moments_add(&moments, f_at(dst, i) - 500);
			summary = summarize(&moments);
			xi = fmax(xi_of(&dst->cells.repr), xi_of(&src->cells.repr));
			bound = xi * 500 * 499 + 0.25;
			ok(fabs(summary.mean_z) <= MEAN_LIMIT &&
			   variance_z(&summary, bound) <= Z_LIMIT &&
			   (a == b ? !dst->mixed_ppm : dst->mixed_ppm >= 1e6 * sqrt(xi_of(&src->cells.repr)) - 1),
			   "%s += %s: mean %+.2f standard errors, variance %.3f of the worse bound",
			   type_name(&mixed[a]), type_name(&mixed[b]), summary.mean_z,
			   summary.variance / bound);
			array_free(dst);
			array_free(src);
		}
}

/* The sum of 300 in one type and 200 in another as a state of a third. */
static void test_three_types(u64 seed)
{
	enum { RUNS = 20000 };
	const struct scounter_repr *repr[MIXED];
	struct rnd_state rnd;
	bool saturated = false;
	u32 a, b, i;

	seed_rnd(&rnd, seed);
	for (i = 0; i < MIXED; i++)
		repr[i] = repr_of(mixed[i].kind, mixed[i].bits, mixed[i].q_ppm, mixed[i].m,
				  mixed[i].theta);
	for (a = 0; a < MIXED; a++)
		for (b = 0; b < MIXED; b++) {
			const struct scounter_repr *sum = repr[(2 * a + b + 1) % MIXED];
			struct moments moments = { 0 };
			struct summary summary;
			double bound;

			for (i = 0; i < RUNS; i++) {
				u32 x = scounter_repr_state(repr[a], scounter_real(300), &rnd,
							    &saturated);
				u32 z = scounter_repr_state(repr[b], scounter_real(200), &rnd,
							    &saturated);

				moments_add(&moments, f_of(sum, scounter_repr_sum(sum, repr[a], x,
					    repr[b], z, &rnd, &saturated)) - 500);
			}
			summary = summarize(&moments);
			bound = fmax(xi_of(sum), fmax(xi_of(repr[a]), xi_of(repr[b]))) *
				500 * 499 + 0.25;
			ok(fabs(summary.mean_z) <= MEAN_LIMIT &&
			   variance_z(&summary, bound) <= Z_LIMIT && !saturated,
			   "%s + %s as %s: mean %+.2f standard errors, variance %.3f of the worst bound",
			   type_name(&repr[a]->type), type_name(&repr[b]->type),
			   type_name(&sum->type), summary.mean_z, summary.variance / bound);
		}
}

/* A shared level: unbiased, and within the error that a read states. */
static void test_shared(u64 seed)
{
	enum { RUNS = 10000 };
	static const u64 counts[3] = { 20000, 500, 3 };
	struct moments moments[3] = { 0 };
	u64 additive = 0, outside = 0;
	struct array *array, *more;
	u32 run, i;
	u64 n;

	for (run = 0; run < RUNS; run++) {
		struct scounter_array_estimate estimate;

		array = new_array(SCOUNTER_REPR_SHARED, 8, 0, 1, 3, next_seed(&seed));
		more = new_array(SCOUNTER_REPR_SHARED, 8, 0, 1, 3, next_seed(&seed));
		for (i = 0; i < 3; i++) {
			array_add(array, i, counts[i] / 2);
			for (n = 0; n < counts[i] / 4; n++)
				array_inc(array, i);
			array_add(more, i, counts[i] - counts[i] / 2 - counts[i] / 4);
		}
		array_merge(array, more);
		for (i = 0; i < 3; i++) {
			array_estimate(array, i, &estimate);
			moments_add(&moments[i], (double)estimate.value - counts[i]);
			additive = max(additive, estimate.additive);
			outside += counts[i] < estimate.lower || counts[i] > estimate.upper;
		}
		array_free(array);
		array_free(more);
	}
	for (i = 0; i < 3; i++) {
		struct summary summary = summarize(&moments[i]);

		ok(fabs(summary.mean_z) <= MEAN_LIMIT && sqrt(summary.variance) <= additive,
		   "shared level, %llu events: mean %+.2f standard errors, deviation %.1f, additive error at most %llu",
		   counts[i], summary.mean_z, sqrt(summary.variance), additive);
	}
	comment("shared level: %.3f %% of the counts are outside of the stated bounds",
		100.0 * outside / (3 * RUNS));
}

/* sqrt(0.4 / 128) */
static void test_error(u64 seed)
{
	struct array *array = new_array(SCOUNTER_REPR_CSUROS, 12, 1400000, 64, 1, seed);
	struct scounter_array_estimate estimate;

	array_add(array, 0, 1000000);
	array_estimate(array, 0, &estimate);
	ok(estimate.error_ppm == 55902, "csuros 12 bits: error %u ppm", estimate.error_ppm);
	array_free(array);
}

void test_library(u64 seed)
{
	test_types();
	test_neighbours(seed);
	test_outside(seed);
	test_saturation(seed);
	test_snapshots(seed);
	test_refused_merges(seed);
	test_mixed_merges(seed);
	test_three_types(derive_seed(seed, "three types", 0));
	test_shared(seed);
	test_error(seed);
}

// SPDX-License-Identifier: GPL-2.0
/* The C library: what it counts, what it refuses, snapshots, merging. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "internal.h"
#include "util.h"

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

const struct scounter_array_type mixed[MIXED] = {
	{ .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1080000 },
	{ .kind = SCOUNTER_REPR_MORRIS2, .bits = 6 },
	{ .kind = SCOUNTER_REPR_CSUROS2, .bits = 10, .m = 32 },
	{ .kind = SCOUNTER_REPR_CSUROS, .bits = 12, .q_ppm = 1400000, .m = 64 },
	{ .kind = SCOUNTER_REPR_DLM_PROBABILITY, .bits = 16, .q_ppm = 1080000 },
	{ .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 8, .m = 16, .theta = 10 },
};

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

/* Of sqrt((q - 1) / (2 m)), and of sqrt(1 / Theta) where the type has a Theta. */
static void test_error(void)
{
	static const struct {
		struct scounter_array_type type;
		u32 error_ppm;
	} rows[] = {
		{ { .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1080000 }, 200000 },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 6 }, 707107 },
		{ { .kind = SCOUNTER_REPR_CSUROS2, .bits = 10, .m = 32 }, 125000 },
		{ { .kind = SCOUNTER_REPR_CSUROS, .bits = 12, .q_ppm = 1400000, .m = 64 }, 55902 },
		{ { .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 8, .m = 16, .theta = 10 }, 316228 },
	};
	struct scounter_array_estimate estimate;
	struct array *array;
	u32 i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (array_create(&array, &rows[i].type, 1))
			abort();
		array_add(array, 0, 10000);
		array_estimate(array, 0, &estimate);
		ok(estimate.error_ppm == rows[i].error_ppm, "%s: error %u ppm",
		   type_name(&array->cells.repr.type), estimate.error_ppm);
		array_free(array);
	}
}

/* What @array becomes when it is saved and loaded. */
static struct array *reloaded(struct array *array)
{
	FILE *file = snapshot(array);
	struct array *loaded;

	if (!file || array_load(&loaded, file))
		abort();
	fclose(file);
	array_free(array);
	return loaded;
}

/* The state after the last one is the last, as each beyond it. */
static void test_states_beyond(u64 seed)
{
	struct array *array = new_array(SCOUNTER_REPR_MORRIS2, 10, 0, 1, 18, seed);
	u64 top = array->cells.repr.top;

	array->words[0] = top;
	array->words[1] = top + 1;
	array->words[2] = 1023;
	array = reloaded(array);
	ok(array->words[0] == top && array->words[1] == top && array->words[2] == top,
	   "a state beyond the last is loaded as the last");
	array_free(array);
}

/* The array has the level of the word that has the highest, wherever that is. */
static void test_level(u64 seed)
{
	struct array *array;
	bool right = true;
	u32 i;

	for (i = 0; i < 3; i++) {
		array = new_array(SCOUNTER_REPR_SHARED, 8, 0, 1, 21, seed);
		array->words[i] = 5ULL << SCOUNTER_SHARED_LEVEL_SHIFT | 1;
		array->words[(i + 1) % 3] = 3ULL << SCOUNTER_SHARED_LEVEL_SHIFT | 1;
		array = reloaded(array);
		right &= array->cells.words == 3 && array->level == 5;
		array_free(array);
	}
	ok(right, "a loaded array has the highest level of its words");
}

/* Cells of 8 bits, whose merges are looked up if there is one copy. */
static void test_copies(u64 seed)
{
	struct array *dst = new_array(SCOUNTER_REPR_CSUROS2, 8, 0, 32, 16, seed), *src;
	bool right = true;
	u64 i;

	if (array_create_copies(&src, &dst->cells.repr.type, 16, 2))
		abort();
	for (i = 0; i < 16; i++) {
		((u8 *)src->words)[i] = 1 + i;
		((u8 *)src->words)[16 + i] = 2;
		array_add(dst, i, 4);
	}
	right &= !array_merge(dst, src);
	for (i = 0; i < 16; i++)
		right &= array_value(dst, i) == 7 + i;
	ok(right, "a merge adds up all copies of a counter");
	array_free(src);
	array_free(dst);
}

static bool is_real(struct scounter_real real, u64 whole, u64 part)
{
	return real.whole == whole && real.part == part;
}

/* Sums beyond 2^64, carried from both halves, and their means. */
static void test_wide(void)
{
	const struct scounter_real half = { 0, 1ULL << 63 };
	struct scounter_wide sum = { .rest = { U64_MAX, 1ULL << 63 } };
	bool right;

	scounter_wide_add(&sum, half);
	right = sum.over == 1 && is_real(sum.rest, 0, 0) &&
		is_real(scounter_wide_over(sum, 2), 1ULL << 63, 0) &&
		is_real(scounter_wide_over(sum, 3), U64_MAX / 3, U64_MAX / 3);
	scounter_wide_add(&sum, SCOUNTER_REAL_MAX);
	scounter_wide_add(&sum, (struct scounter_real){ 0, 1 });
	/* 2^65: half of it is still too large for one. */
	right &= sum.over == 2 && is_real(scounter_wide_over(sum, 2), U64_MAX, U64_MAX) &&
		 is_real(scounter_wide_real(sum), U64_MAX, U64_MAX) &&
		 is_real(scounter_wide_over(sum, 1024), 1ULL << 55, 0);
	ok(right, "sums beyond 2^64 and their means are exact");
}

static double double_of(struct scounter_scaled a)
{
	return ldexp(a.m, a.e);
}

static bool is_near(double got, double expected)
{
	return fabs(got - expected) <= fabs(expected) * 1e-9;
}

/* Against floating point, over many orders of magnitude; of 52 bits, as it has. */
static void test_scaled(u64 seed)
{
	u32 i, wrong = 0;

	for (i = 0; i < 100000; i++) {
		struct scounter_scaled a = scounter_scaled(next_seed(&seed) >> (12 + i % 52),
							   (int)(i % 97) - 60);
		struct scounter_scaled b = scounter_scaled(next_seed(&seed) >> (12 + i % 51),
							   (int)(i % 89) - 50);
		double x = double_of(a), y = double_of(b), root = ceil(sqrt(x));
		u64 said = scounter_scaled_root(a), whole = scounter_scaled_whole(a);

		wrong += !is_near(double_of(scounter_scaled_sum(a, b)), x + y);
		wrong += !is_near(double_of(scounter_scaled_product(a, b)), x * y);
		if (b.m)
			wrong += !is_near(double_of(scounter_scaled_quotient(a, b)), x / y);
		if (x < 0x1p52)
			wrong += whole != (u64)ceil(x);
		else if (x < 0x1p63)
			wrong += !is_near(whole, x);
		else
			wrong += x >= 0x1p64 && whole != U64_MAX;
		/* Rounded up at the 31st bit. */
		wrong += x < 0x1p120 && (said < root * (1 - 1e-12) || said > root * (1 + 2e-9) + 1);
	}
	ok(!wrong, "numbers with an exponent are right to 30 bits: %u of them wrong", wrong);
	ok(scounter_scaled_root(scounter_scaled(4, 0)) == 2 &&
	   scounter_scaled_root(scounter_scaled(5, 0)) == 3 &&
	   scounter_scaled_root(scounter_scaled(1, -2)) == 1 &&
	   scounter_scaled_root(scounter_scaled(0, 0)) == 0 &&
	   scounter_scaled_root(scounter_scaled(1, 126)) == 1ULL << 63,
	   "their roots are rounded up, and exact where they can be");
}

void test_library(u64 seed)
{
	test_wide();
	test_scaled(seed);
	test_snapshots(seed);
	test_three_types(derive_seed(seed, "three types", 0));
	test_error();
	test_states_beyond(seed);
	test_level(seed);
	test_copies(seed);
}

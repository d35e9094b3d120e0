// SPDX-License-Identifier: GPL-2.0
/*
 * Arrays of approximate counters as they run in the kernel.  The distributions of
 * each representation are tested at length in user space, by tests/user/arrays.
 *
 * Statistical limits are 6.5 standard deviations: a right implementation fails one
 * such test in 10^10.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "array/array.h"
#include "array/standard.h"
#include "tests/faults.h"

#define CELLS	2000

static const struct scounter_array_type types[] = {
	{ .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1080000 },
	{ .kind = SCOUNTER_REPR_MORRIS, .bits = 10, .q_ppm = 1030000 },
	{ .kind = SCOUNTER_REPR_MORRIS2, .bits = 6, .group = 5 },
	{ .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 16 },
	{ .kind = SCOUNTER_REPR_CSUROS, .bits = 12, .q_ppm = 1400000, .m = 64 },
	{ .kind = SCOUNTER_REPR_CSUROS, .bits = 16, .q_ppm = 1600000, .m = 512 },
	{ .kind = SCOUNTER_REPR_DLM_PROBABILITY, .bits = 16, .q_ppm = 1080000 },
	{ .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 8, .m = 16, .theta = 10 },
	{ .kind = SCOUNTER_REPR_SHARED, .bits = 8 },
};

static struct scounter_array *create(struct kunit *test, const struct scounter_array_type *type,
				     u64 length, u32 flags)
{
	struct scounter_array *array = scounter_array_create(NULL, NULL, type, length, flags);

	KUNIT_ASSERT_FALSE(test, IS_ERR(array));
	return array;
}

/* The sum is what was counted, by 6.5 of the deviations that it says, and a unit. */
static void expect_sum(struct kunit *test, const struct scounter_array *array, u64 first,
		       u64 count, u64 expected)
{
	struct scounter_array_total sum;
	u64 off;

	KUNIT_ASSERT_EQ(test, scounter_array_sum(array, first, count, &sum), 0);
	off = sum.value.whole > expected ? sum.value.whole - expected :
	      expected - sum.value.whole;
	KUNIT_EXPECT_LE_MSG(test, off, div_u64(13 * sum.deviation, 2) + 1,
			    "kind %u: %llu of %llu, deviation %llu", array->cells.repr.type.kind,
			    sum.value.whole, expected, sum.deviation);
	KUNIT_EXPECT_EQ(test, sum.flags, 0U);
}

/* All counters hold n events in the mean. */
static void expect_mean(struct kunit *test, const struct scounter_array *array, u64 n)
{
	expect_sum(test, array, 0, array->length, n * array->length);
}

static void increments_keep_the_mean(struct kunit *test)
{
	u32 which, i, j;

	for (which = 0; which < ARRAY_SIZE(types); which++) {
		struct scounter_array *array = create(test, &types[which], CELLS, 0);

		for (j = 0; j < 500; j++) {
			for (i = 0; i < CELLS; i++)
				scounter_array_inc(array, i);
			cond_resched();
		}
		expect_mean(test, array, 500);
		scounter_array_destroy(array);
	}
}

static void additions_keep_the_mean(struct kunit *test)
{
	u32 which, i;

	for (which = 0; which < ARRAY_SIZE(types); which++) {
		struct scounter_array *array = create(test, &types[which], CELLS, 0);

		for (i = 0; i < CELLS; i++) {
			scounter_array_add(array, i, 3);
			scounter_array_add(array, i, 1000);
			scounter_array_add(array, i, 400);
			scounter_array_add(array, i, 0);
		}
		expect_mean(test, array, 1403);
		scounter_array_destroy(array);
	}
}

static void fill(struct scounter_array *array, u64 n)
{
	u32 i;

	for (i = 0; i < CELLS; i++)
		scounter_array_add(array, i, n);
}

static void merges_keep_the_mean(struct kunit *test)
{
	u32 a, b;

	for (a = 0; a < ARRAY_SIZE(types); a++)
		for (b = 0; b < ARRAY_SIZE(types); b++) {
			struct scounter_array *dst, *src;
			int err, refused;

			dst = create(test, &types[a], CELLS, 0);
			src = create(test, &types[b], CELLS, SCOUNTER_ARRAY_PER_CPU);
			fill(dst, 700);
			fill(src, 300);
			err = scounter_array_merge(dst, src);
			refused = max(types[a].group, 1U) != max(types[b].group, 1U) ||
				  (types[a].kind == SCOUNTER_REPR_SHARED) !=
				  (types[b].kind == SCOUNTER_REPR_SHARED);
			KUNIT_EXPECT_EQ(test, err, refused ? -EINVAL : 0);
			expect_mean(test, dst, refused ? 700 : 1000);
			scounter_array_destroy(dst);
			scounter_array_destroy(src);
		}
}

/* Where reads of one value round off a fifth of an event in the mean. */
static void sums_of_small_counters_are_unbiased(struct kunit *test)
{
	enum { MANY = 20 * CELLS };
	u32 which, i, n;

	for (which = 0; which < ARRAY_SIZE(types); which++) {
		struct scounter_array *array = create(test, &types[which], MANY, 0);

		for (i = 0; i < MANY; i++)
			for (n = 0; n <= i % 5; n++)
				scounter_array_inc(array, i);
		expect_mean(test, array, 3);
		expect_sum(test, array, 5, CELLS, 3 * CELLS);
		scounter_array_destroy(array);
	}
}

static void ranges_are_read_in_fixed_point(struct kunit *test)
{
	struct scounter_array *array = create(test, &types[0], 20, SCOUNTER_ARRAY_PER_CPU);
	struct scounter_array_value values[4] = { }, value;
	struct scounter_array_total sum;
	u32 i;

	/* 1.08^2 + 1.08 + 1 is 3.2464. */
	for (i = 0; i < 1000; i++) {
		scounter_array_clear(array);
		scounter_array_add(array, 7, 3);
		KUNIT_ASSERT_EQ(test, scounter_array_read_fixed(array, 7, &value), 0);
		if (value.whole == 3)
			break;
	}
	KUNIT_EXPECT_EQ(test, value.whole, 3ULL);
	KUNIT_EXPECT_EQ(test, value.part, (u32)div_u64(2464ULL << 32, 10000));
	KUNIT_EXPECT_EQ(test, scounter_array_read_range(array, 5, 4, values), 0);
	KUNIT_EXPECT_EQ(test, values[2].whole, 3ULL);
	KUNIT_EXPECT_EQ(test, values[2].part, value.part);
	KUNIT_EXPECT_EQ(test, values[1].whole + values[3].whole, 0ULL);
	KUNIT_EXPECT_EQ(test, scounter_array_sum(array, 0, 20, &sum), 0);
	KUNIT_EXPECT_EQ(test, sum.value.part, value.part);
	/* 0.04 / 1.04 * 3.2464 * 2.2464 + 1 / 4 is 0.53: rounded up */
	KUNIT_EXPECT_EQ(test, sum.deviation, 1ULL);
	KUNIT_EXPECT_EQ(test, sum.lower, 0ULL);
	KUNIT_EXPECT_EQ(test, sum.upper, 7ULL);
	KUNIT_EXPECT_EQ(test, scounter_array_read_range(array, 17, 4, values), -ERANGE);
	KUNIT_EXPECT_EQ(test, scounter_array_sum(array, 21, 0, &sum), -ERANGE);
	KUNIT_EXPECT_EQ(test, scounter_array_refused(array), 2ULL);
	scounter_array_destroy(array);
}

/* Whole words without a count are skipped; what is between them is not. */
static void a_sparse_array_is_merged_whole(struct kunit *test)
{
	const u64 counted[] = { 0, 7, 8, 700, CELLS - 1 };
	struct scounter_array *dst = create(test, &types[0], CELLS, 0);
	struct scounter_array *src = create(test, &types[0], CELLS, 0);
	u32 i, found = 0;

	KUNIT_EXPECT_EQ(test, scounter_array_length(src), (u64)CELLS);
	for (i = 0; i < ARRAY_SIZE(counted); i++)
		scounter_array_inc(src, counted[i]);
	KUNIT_EXPECT_EQ(test, scounter_array_merge(dst, src), 0);
	for (i = 0; i < ARRAY_SIZE(counted); i++)
		KUNIT_EXPECT_EQ(test, scounter_array_read(dst, counted[i]), 1ULL);
	for (i = 0; i < CELLS; i++)
		found += scounter_array_read(dst, i) != 0;
	KUNIT_EXPECT_EQ(test, found, (u32)ARRAY_SIZE(counted));
	scounter_array_destroy(src);
	scounter_array_destroy(dst);
}

/* 2^40 in a cell of 8 bits: the level is 2^32, and so may the error be. */
static void a_shared_level_may_be_large(struct kunit *test)
{
	const struct scounter_array_type type = { .kind = SCOUNTER_REPR_SHARED, .bits = 8 };
	struct scounter_array *array = create(test, &type, 10, 0);
	struct scounter_array_estimate estimate;

	scounter_array_add(array, 3, 1ULL << 40);
	KUNIT_ASSERT_EQ(test, scounter_array_read_est(array, 3, &estimate), 0);
	KUNIT_EXPECT_LE(test, estimate.lower, 1ULL << 40);
	KUNIT_EXPECT_GE(test, estimate.upper, 1ULL << 40);
	/* One addition is off by a unit at most, and the level is no larger than it must. */
	KUNIT_EXPECT_GE(test, estimate.value, (1ULL << 40) - (1ULL << 34));
	KUNIT_EXPECT_LE(test, estimate.value, (1ULL << 40) + (1ULL << 34));
	KUNIT_EXPECT_GT(test, estimate.error_ppm, 0U);
	scounter_array_destroy(array);
}

static void merges_that_make_no_sense_are_refused(struct kunit *test)
{
	struct scounter_array *array = create(test, &types[0], CELLS, 0);
	struct scounter_array *longer = create(test, &types[0], CELLS + 1, 0);
	u64 word;

	fill(array, 12345);
	word = scounter_array_word(array, 7);
	KUNIT_EXPECT_EQ(test, scounter_array_merge(array, array), -EINVAL);
	KUNIT_EXPECT_EQ(test, scounter_array_merge(array, longer), -EINVAL);
	KUNIT_EXPECT_EQ(test, scounter_array_merge(longer, array), -EINVAL);
	KUNIT_EXPECT_EQ(test, scounter_array_word(array, 7), word);
	KUNIT_EXPECT_EQ(test, scounter_array_word(longer, 7), 0ULL);
	scounter_array_destroy(array);
	scounter_array_destroy(longer);
}

/* What the build has computed is what the kernel computes. */
static void standard_tables_are_the_computed_ones(struct kunit *test)
{
	static const struct scounter_array_type standard[] = {
		{ .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1080000, .m = 1 },
		{ .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1100000, .m = 1 },
		{ .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1180000, .m = 1 },
		{ .kind = SCOUNTER_REPR_CSUROS, .bits = 8, .q_ppm = 1200000, .m = 8 },
		{ .kind = SCOUNTER_REPR_CSUROS, .bits = 12, .q_ppm = 1400000, .m = 64 },
		{ .kind = SCOUNTER_REPR_CSUROS, .bits = 16, .q_ppm = 1600000, .m = 2048 },
	};
	struct scounter_rung *computed = kcalloc(256, sizeof(*computed), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, computed);
	for (i = 0; i < ARRAY_SIZE(standard); i++) {
		u32 count = scounter_repr_rungs(&standard[i]), own;
		const struct scounter_rung *made = scounter_standard_rungs(&standard[i], &count);

		own = scounter_csuros_fill(computed, scounter_repr_rungs(&standard[i]),
					   standard[i].q_ppm, standard[i].m);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, made);
		KUNIT_EXPECT_EQ(test, own, count);
		KUNIT_EXPECT_EQ(test, memcmp(made, computed, own * sizeof(*made)), 0);
	}
	kfree(computed);
}

/* The table for 8 bits is of 256 states, and 10 bits have more. */
static void a_table_that_is_too_short_is_not_taken(struct kunit *test)
{
	const struct scounter_array_type type = {
		.kind = SCOUNTER_REPR_MORRIS, .bits = 10, .q_ppm = 1080000, .m = 1,
	};
	u32 count = 256;

	KUNIT_EXPECT_NOT_NULL(test, scounter_standard_rungs(&type, &count));
	count = 257;
	KUNIT_EXPECT_NULL(test, scounter_standard_rungs(&type, &count));
}

/* phi(f(x)) = x, and whatever lies between f(x) and f(tau(x)) has that phi too. */
static void phi_inverts_f(struct kunit *test)
{
	u32 which, x;

	for (which = 0; which < ARRAY_SIZE(types) - 1; which++) {
		struct scounter_array *array = create(test, &types[which], 1, 0);
		const struct scounter_repr *repr = &array->cells.repr;

		for (x = 0; x < repr->top; x = scounter_repr_tau(repr, x)) {
			struct scounter_real f = scounter_repr_f(repr, x);
			struct scounter_real next = scounter_repr_f(repr, scounter_repr_tau(repr, x));
			struct scounter_real before =
				scounter_real_difference(next, (struct scounter_real){ 0, 1 });

			KUNIT_ASSERT_EQ(test, scounter_repr_phi(repr, f), x);
			KUNIT_ASSERT_EQ(test, scounter_repr_phi(repr, before), x);
		}
		scounter_array_destroy(array);
	}
}

static void an_index_outside_is_refused(struct kunit *test)
{
	struct scounter_array *array = create(test, &types[1], 7, 0);
	struct scounter_array_estimate estimate;

	scounter_array_add(array, 6, 5);
	scounter_array_inc(array, 7);
	scounter_array_add(array, U64_MAX, 5);
	KUNIT_EXPECT_EQ(test, scounter_array_read_est(array, 7, &estimate), -ERANGE);
	KUNIT_EXPECT_EQ(test, scounter_array_read(array, 1ULL << 40), 0ULL);
	KUNIT_EXPECT_EQ(test, scounter_array_refused(array), 4ULL);
	KUNIT_EXPECT_GT(test, scounter_array_read(array, 6), 0ULL);
	KUNIT_EXPECT_EQ(test, scounter_array_read(array, 5), 0ULL);
	scounter_array_destroy(array);
}

static void a_negative_amount_is_refused(struct kunit *test)
{
	struct scounter_array *array = create(test, &types[1], 7, 0);
	s64 n = -1;

	OPTIMIZER_HIDE_VAR(n);
	scounter_array_add(array, 6, n);
	KUNIT_EXPECT_EQ(test, scounter_array_read(array, 6), 0ULL);
	KUNIT_EXPECT_FALSE(test, scounter_array_saturated(array));
	KUNIT_EXPECT_EQ(test, scounter_array_refused(array), 1ULL);
	scounter_array_destroy(array);
}

static void a_full_counter_says_so(struct kunit *test)
{
	struct scounter_array_estimate estimate;
	u32 which, i;

	for (which = 0; which < ARRAY_SIZE(types); which++) {
		struct scounter_array *array = create(test, &types[which], 3, 0);

		KUNIT_EXPECT_FALSE(test, scounter_array_saturated(array));
		for (i = 0; i < 3; i++)
			scounter_array_add(array, 1, S64_MAX);
		scounter_array_inc(array, 1);
		KUNIT_EXPECT_TRUE(test, scounter_array_saturated(array));
		KUNIT_EXPECT_EQ(test, scounter_array_read_est(array, 1, &estimate), 0);
		KUNIT_EXPECT_TRUE(test, estimate.flags & SCOUNTER_F_SATURATED);
		KUNIT_EXPECT_EQ(test, estimate.upper, U64_MAX);
		KUNIT_EXPECT_EQ(test, scounter_array_read(array, 0), 0ULL);
		KUNIT_EXPECT_EQ(test, scounter_array_read(array, 2), 0ULL);
		scounter_array_clear(array);
		KUNIT_EXPECT_FALSE(test, scounter_array_saturated(array));
		KUNIT_EXPECT_EQ(test, scounter_array_read(array, 1), 0ULL);
		scounter_array_destroy(array);
	}
}

static bool lacks(const struct scounter_array *array, u64 index)
{
	struct scounter_array_estimate estimate = { };

	scounter_array_read_est(array, index, &estimate);
	return estimate.flags & SCOUNTER_F_SATURATED && estimate.upper == U64_MAX;
}

/* The last state is a count like any other, until one more is lost. */
static void a_last_state_is_a_count(struct kunit *test)
{
	static const struct {
		struct scounter_array_type type;
		u64 most;
	} ends[] = {
		{ { .kind = SCOUNTER_REPR_MORRIS, .bits = 4, .q_ppm = 2000000 }, 32767 },
		{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 5, .group = 3 }, (1ULL << 31) - 1 },
		{ { .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 32 }, 8032 },
		{ { .kind = SCOUNTER_REPR_CSUROS, .bits = 6, .q_ppm = 2000000, .m = 8 }, 1912 },
		{ { .kind = SCOUNTER_REPR_DLM_PROBABILITY, .bits = 8, .q_ppm = 1500000 }, 510 },
		{ { .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 8, .m = 16 }, 15ULL << 15 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		struct scounter_array *array = create(test, &ends[i].type, 3, 0);

		scounter_array_add(array, 1, ends[i].most);
		KUNIT_EXPECT_EQ(test, scounter_array_read(array, 1), ends[i].most);
		KUNIT_EXPECT_FALSE(test, scounter_array_saturated(array));
		KUNIT_EXPECT_FALSE(test, lacks(array, 1));
		scounter_array_inc(array, 1);
		KUNIT_EXPECT_EQ(test, scounter_array_read(array, 1), ends[i].most);
		KUNIT_EXPECT_TRUE(test, scounter_array_saturated(array));
		KUNIT_EXPECT_TRUE(test, lacks(array, 1));
		KUNIT_EXPECT_FALSE(test, lacks(array, 0));
		scounter_array_destroy(array);
	}
}

static const struct scounter_array_type narrow = { .kind = SCOUNTER_REPR_MORRIS2, .bits = 4 };

/* 32767 of a million in four bits, merged into wider cells, and again. */
static void what_was_lost_stays_said(struct kunit *test)
{
	struct scounter_array *full = create(test, &narrow, 3, 0), *wide, *wider;
	u32 which;

	scounter_array_add(full, 0, 1000000);
	scounter_array_add(full, 1, 3);
	for (which = 0; which < ARRAY_SIZE(types) - 1; which++) {
		struct scounter_array_header header;

		if (types[which].group > 1)
			continue;
		wide = create(test, &types[which], 3, SCOUNTER_ARRAY_PER_CPU);
		wider = create(test, &types[5], 3, 0);
		KUNIT_EXPECT_EQ(test, scounter_array_merge(wide, full), 0);
		KUNIT_EXPECT_EQ(test, scounter_array_merge(wider, wide), 0);
		scounter_array_header(wider, &header);
		KUNIT_EXPECT_TRUE(test, header.flags & SCOUNTER_ARRAY_SATURATED);
		KUNIT_EXPECT_LE(test, header.lost_from, scounter_array_read(wider, 0));
		KUNIT_EXPECT_TRUE(test, lacks(wide, 0));
		KUNIT_EXPECT_TRUE(test, lacks(wider, 0));
		KUNIT_EXPECT_FALSE(test, lacks(wide, 1) || lacks(wider, 1));
		KUNIT_EXPECT_FALSE(test, lacks(wide, 2) || lacks(wider, 2));
		scounter_array_destroy(wider);
		scounter_array_destroy(wide);
	}
	scounter_array_destroy(full);
}

/* 71 %, of one array in which something was counted and one in which nothing was. */
static void the_error_of_another_type_is_said(struct kunit *test)
{
	struct scounter_array *array = create(test, &types[5], 3, 0);
	struct scounter_array *other = create(test, &narrow, 3, 0);
	struct scounter_array_estimate estimate;

	scounter_array_add(array, 0, 1000);
	KUNIT_EXPECT_EQ(test, scounter_array_merge(array, other), 0);
	KUNIT_ASSERT_EQ(test, scounter_array_read_est(array, 0, &estimate), 0);
	KUNIT_EXPECT_LE(test, estimate.error_ppm, 30000U);
	scounter_array_add(other, 1, 1000);
	KUNIT_EXPECT_EQ(test, scounter_array_merge(array, other), 0);
	KUNIT_ASSERT_EQ(test, scounter_array_read_est(array, 0, &estimate), 0);
	KUNIT_EXPECT_GE(test, estimate.error_ppm, 706000U);
	KUNIT_EXPECT_LE(test, estimate.error_ppm, 708000U);
	scounter_array_clear(array);
	scounter_array_add(array, 0, 1000);
	KUNIT_ASSERT_EQ(test, scounter_array_read_est(array, 0, &estimate), 0);
	KUNIT_EXPECT_LE(test, estimate.error_ppm, 30000U);
	scounter_array_destroy(other);
	scounter_array_destroy(array);
}

static long error_of(const struct scounter_array_type *type, u64 length, u32 flags)
{
	struct scounter_array *array = scounter_array_create(NULL, NULL, type, length, flags);

	if (!IS_ERR(array))
		scounter_array_destroy(array);
	return PTR_ERR_OR_ZERO(array);
}

static void a_bad_type_is_refused(struct kunit *test)
{
	struct scounter_array_type type = types[0];

	KUNIT_EXPECT_EQ(test, error_of(&type, 10, 0), 0L);
	KUNIT_EXPECT_EQ(test, error_of(&type, 0, 0), (long)-ERANGE);
	KUNIT_EXPECT_EQ(test, error_of(&type, 10, 3), (long)-EINVAL);
	KUNIT_EXPECT_EQ(test, error_of(&type, 10, 4), (long)-EINVAL);
	KUNIT_EXPECT_EQ(test, error_of(&type, 1ULL << 39, 0), (long)-ENOMEM);
	KUNIT_EXPECT_EQ(test, error_of(&type, U64_MAX, 0), (long)-ENOMEM);
	type.bits = 9;
	KUNIT_EXPECT_EQ(test, error_of(&type, 10, 0), (long)-ERANGE);
	type.bits = 8;
	type.q_ppm = 1000000;
	KUNIT_EXPECT_EQ(test, error_of(&type, 10, 0), (long)-ERANGE);
	type.q_ppm = 2000001;
	KUNIT_EXPECT_EQ(test, error_of(&type, 10, 0), (long)-ERANGE);
	type.kind = SCOUNTER_REPR_CSUROS;
	type.q_ppm = 1500000;
	type.m = 257;
	KUNIT_EXPECT_EQ(test, error_of(&type, 10, 0), (long)-ERANGE);
	type.kind = 99;
	KUNIT_EXPECT_EQ(test, error_of(&type, 10, 0), (long)-EINVAL);
}

/* 10.65 % in 8 bits, and what fits is exact. */
static void a_type_is_chosen_for_a_count(struct kunit *test)
{
	struct scounter_array_estimate estimate;
	struct scounter_array_type type, before;
	struct scounter_array *array;

	KUNIT_ASSERT_EQ(test, scounter_array_type_for(&type, 8, 13348), 0);
	array = create(test, &type, 1, 0);
	scounter_array_add(array, 0, 13348);
	KUNIT_EXPECT_EQ(test, scounter_array_read_est(array, 0, &estimate), 0);
	KUNIT_EXPECT_EQ(test, estimate.error_ppm, 106462U);
	KUNIT_EXPECT_FALSE(test, scounter_array_saturated(array));
	scounter_array_destroy(array);

	KUNIT_ASSERT_EQ(test, scounter_array_type_for_error(&type, 200, 0), 0);
	KUNIT_EXPECT_EQ(test, type.bits, 8U);
	array = create(test, &type, 1, 0);
	scounter_array_add(array, 0, 200);
	KUNIT_EXPECT_EQ(test, scounter_array_read(array, 0), 200ULL);
	scounter_array_destroy(array);

	before = type;
	KUNIT_EXPECT_EQ(test, scounter_array_type_for(&type, 4, 40000), -ERANGE);
	KUNIT_EXPECT_EQ(test, scounter_array_type_for(&type, 9, 40), -ERANGE);
	KUNIT_EXPECT_EQ(test, scounter_array_type_for_error(&type, 1ULL << 40, 0), -ERANGE);
	KUNIT_EXPECT_EQ(test, memcmp(&type, &before, sizeof(type)), 0);
}

static void a_name_is_given_once(struct kunit *test)
{
	struct scounter_array *array, *other;

	array = scounter_array_create("pages", "kunit_arrays", &types[0], 10, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(array));
	other = scounter_array_create("pages", "kunit_arrays", &types[0], 10, 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(other), -EEXIST);
	other = scounter_array_create("pages", "kunit_arrays2", &types[0], 10, 0);
	KUNIT_EXPECT_FALSE(test, IS_ERR(other));
	scounter_array_destroy(other);
	other = scounter_array_create("pa/ges", "kunit_arrays", &types[0], 10, 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(other), -EINVAL);
	scounter_array_destroy(array);
	scounter_array_destroy(NULL);
	scounter_array_destroy(ERR_PTR(-ENOMEM));
}

static void a_hidden_array_has_a_name_and_no_file(struct kunit *test)
{
	static const u32 placements[] = { 0, SCOUNTER_ARRAY_PER_NODE, SCOUNTER_ARRAY_PER_CPU };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(placements); i++) {
		struct scounter_array *array =
			scounter_array_create("shy", NULL, &types[0], 10,
					      placements[i] | SCOUNTER_ARRAY_HIDDEN);

		KUNIT_ASSERT_FALSE(test, IS_ERR(array));
		KUNIT_EXPECT_PTR_EQ(test, array->file, NULL);
		KUNIT_EXPECT_EQ(test, array->placement, placements[i]);
		KUNIT_EXPECT_EQ(test, PTR_ERR(scounter_array_create("shy", NULL, &types[0], 10, 0)),
				(long)-EEXIST);
		scounter_array_destroy(array);
	}
}

/* A success worth 2^level that meets a word which is behind, or ahead. */
/* In state m the next event may fail: m may be m + 1. */
static void only_below_m_is_exact(struct kunit *test)
{
	static const struct scounter_array_type csuros2 = {
		.kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 16,
	};
	struct scounter_array *array = create(test, &csuros2, 1, 0);
	struct scounter_array_estimate estimate;
	u32 i;

	for (i = 1; i <= 16; i++) {
		scounter_array_inc(array, 0);
		KUNIT_ASSERT_EQ(test, scounter_array_read_est(array, 0, &estimate), 0);
		KUNIT_EXPECT_EQ(test, estimate.value, (u64)i);
		KUNIT_EXPECT_EQ(test, !estimate.error_ppm, i < 16);
		KUNIT_EXPECT_EQ(test, estimate.lower, (u64)i);
		KUNIT_EXPECT_EQ(test, estimate.upper == i, i < 16);
	}
	/* Nine failures in a row are as seldom as three standard deviations. */
	KUNIT_EXPECT_GE(test, estimate.upper, 16 + 9ULL);
	scounter_array_destroy(array);
}

/* A level that others have raised: what a cell does not show may have happened. */
static void nothing_of_a_sample_is_no_certainty(struct kunit *test)
{
	struct scounter_array *array = create(test, &types[ARRAY_SIZE(types) - 1], 100, 0);
	struct scounter_array_estimate estimate;

	KUNIT_ASSERT_EQ(test, scounter_array_read_est(array, 99, &estimate), 0);
	KUNIT_EXPECT_EQ(test, estimate.error_ppm, 0U);
	KUNIT_EXPECT_EQ(test, estimate.upper, 0ULL);
	/* To 2^-5 or more, by a word of its own. */
	scounter_array_add(array, 0, 255 << 5);
	KUNIT_ASSERT_EQ(test, scounter_array_read_est(array, 99, &estimate), 0);
	KUNIT_EXPECT_EQ(test, estimate.value, 0ULL);
	KUNIT_EXPECT_GT(test, estimate.error_ppm, SCOUNTER_PPM);
	KUNIT_EXPECT_EQ(test, estimate.lower, 0ULL);
	/* ln(1 / 0.00135) = 6.6 times 2^5 */
	KUNIT_EXPECT_GE(test, estimate.upper, 208ULL);
	scounter_array_destroy(array);
}

static void a_shared_level_is_caught_up_with(struct kunit *test)
{
	struct scounter_array *array = create(test, &types[ARRAY_SIZE(types) - 1], 2 * CELLS, 0);
	struct scounter_array_estimate estimate;
	u32 i;

	for (i = CELLS; i < 2 * CELLS; i++)
		scounter_array_add(array, i, 200);
	scounter_array_add(array, 0, 100000);
	for (i = CELLS; i < 2 * CELLS; i++)
		scounter_array_add(array, i, 800);
	for (i = 1; i < CELLS; i++)
		scounter_array_add(array, i, 1000);
	scounter_array_add(array, 0, 0);
	KUNIT_EXPECT_EQ(test, scounter_array_read_est(array, 1, &estimate), 0);
	KUNIT_EXPECT_GE(test, estimate.additive, 1000ULL);
	/* All but the first hold 1000; the first takes 100 times that. */
	scounter_array_read_est(array, 0, &estimate);
	KUNIT_EXPECT_LE(test, estimate.lower, 100000ULL);
	KUNIT_EXPECT_GE(test, estimate.upper, 100000ULL);
	{
		u64 sum = 0, expected = 1000ULL * (2 * CELLS - 1), off;

		for (i = 1; i < 2 * CELLS; i++)
			sum += scounter_array_read(array, i);
		off = sum > expected ? sum - expected : expected - sum;
		/* 6.5 sqrt(3999 * 1000 * 511), at level 9 */
		KUNIT_EXPECT_LE(test, off, 294000ULL);
	}
	KUNIT_EXPECT_GE(test, scounter_array_level(array), 5U);
	scounter_array_clear(array);
	KUNIT_EXPECT_EQ(test, scounter_array_level(array), 0U);
	scounter_array_add(array, 1, 200);
	KUNIT_EXPECT_EQ(test, scounter_array_read_est(array, 1, &estimate), 0);
	KUNIT_EXPECT_EQ(test, estimate.value, 200ULL);
	KUNIT_EXPECT_EQ(test, estimate.additive, 0ULL);
	scounter_array_destroy(array);
}

#ifdef CONFIG_FAULT_INJECTION
static void every_allocation_of_an_array_fails_once(struct kunit *test)
{
	static const struct scounter_array_type own = {
		.kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1077000,
	};
	struct scounter_array *array;
	u32 nth;

	skip_while_booting(test);
	for (nth = 1; nth < 1000; nth++) {
		bool failed;

		current->fail_nth = nth;
		array = scounter_array_create("failing", "kunit_failing", &own, 10,
					      SCOUNTER_ARRAY_PER_CPU);
		failed = !current->fail_nth;
		current->fail_nth = 0;
		if (IS_ERR(array)) {
			KUNIT_EXPECT_EQ(test, PTR_ERR(array), (long)-ENOMEM);
			continue;
		}
		scounter_array_destroy(array);
		if (!failed)
			break;
	}
	KUNIT_EXPECT_GT(test, nth, 4U);
	KUNIT_EXPECT_LT(test, nth, 1000U);
}
#else
static void every_allocation_of_an_array_fails_once(struct kunit *test)
{
	kunit_skip(test, "the kernel has no fault injection");
}
#endif

static struct kunit_case array_cases[] = {
	KUNIT_CASE(increments_keep_the_mean),
	KUNIT_CASE(additions_keep_the_mean),
	KUNIT_CASE(merges_keep_the_mean),
	KUNIT_CASE(sums_of_small_counters_are_unbiased),
	KUNIT_CASE(ranges_are_read_in_fixed_point),
	KUNIT_CASE(a_sparse_array_is_merged_whole),
	KUNIT_CASE(a_shared_level_may_be_large),
	KUNIT_CASE(merges_that_make_no_sense_are_refused),
	KUNIT_CASE(standard_tables_are_the_computed_ones),
	KUNIT_CASE(a_table_that_is_too_short_is_not_taken),
	KUNIT_CASE(phi_inverts_f),
	KUNIT_CASE(an_index_outside_is_refused),
	KUNIT_CASE(a_negative_amount_is_refused),
	KUNIT_CASE(a_full_counter_says_so),
	KUNIT_CASE(a_last_state_is_a_count),
	KUNIT_CASE(what_was_lost_stays_said),
	KUNIT_CASE(the_error_of_another_type_is_said),
	KUNIT_CASE(a_bad_type_is_refused),
	KUNIT_CASE(a_type_is_chosen_for_a_count),
	KUNIT_CASE(a_name_is_given_once),
	KUNIT_CASE(a_hidden_array_has_a_name_and_no_file),
	KUNIT_CASE(a_shared_level_is_caught_up_with),
	KUNIT_CASE(only_below_m_is_exact),
	KUNIT_CASE(nothing_of_a_sample_is_no_certainty),
	KUNIT_CASE(every_allocation_of_an_array_fails_once),
	{}
};

static struct kunit_suite array_suite = {
	.name = "scounter_array",
	.test_cases = array_cases,
};
kunit_test_suites(&array_suite);

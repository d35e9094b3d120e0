// SPDX-License-Identifier: GPL-2.0
/* morris, morris_adapt, scalable and scalable32, transition by transition. */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/scounter.h>

#include "kinds/kind.h"
#include "repr/value.h"

static const struct scounter_class morris = SCOUNTER_CLASS(SCOUNTER_MORRIS, 10000);
static const struct scounter_class morris_adapt =
	SCOUNTER_CLASS(SCOUNTER_MORRIS_ADAPT, 10000);
static const struct scounter_class scalable = SCOUNTER_CLASS(SCOUNTER_SCALABLE, 10000);

#define A	5000U	/* of morris at 1 % */
#define S	13	/* log2 of the threshold of scalable at 1 % */

static struct scounter_class with_options(struct kunit *test, enum scounter_kind kind,
					  u8 flags, u8 granularity)
{
	const struct scounter_params params = {
		.kind = kind, .flags = flags, .granularity_log2 = granularity,
	};
	struct scounter_class class = {};

	KUNIT_ASSERT_EQ(test, scounter_class_init(&class, &params), 0);
	return class;
}

static struct scounter_word64 word_of(u64 value)
{
	return (struct scounter_word64) { .word = ATOMIC64_INIT(value) };
}

static void success_at(struct scounter_word64 *word, const struct scounter_class *class,
		       u32 exponent)
{
	__scounter_word64_finish(word, class,
				 exponent << SCOUNTER_OUTCOME_BITS | SCOUNTER_SUCCESS);
}

/* Whole bits, as the definition has it: 2^(h - s + 1) for a highest bit h. */
static void scalable_unit_follows_the_highest_bit(struct kunit *test)
{
	const struct scounter_value_rule rule = { .shift = S, .cap = 63, .max = U64_MAX };
	u32 h;

	KUNIT_EXPECT_EQ(test, scounter_value_unit(0, &rule), 1ULL);
	KUNIT_EXPECT_EQ(test, scounter_value_unit((1ULL << S) - 1, &rule), 1ULL);
	for (h = S; h < 64; h++) {
		u64 unit = 1ULL << (h - S + 1);

		KUNIT_EXPECT_EQ(test, scounter_value_unit(1ULL << h, &rule), unit);
		KUNIT_EXPECT_EQ(test, scounter_value_unit((2ULL << h) - 1, &rule), unit);
		KUNIT_EXPECT_EQ(test, scounter_value_exponent(1ULL << h, &rule), h - S + 1);
	}
}

/* The whole part of 1 + n / a, and the trial never rarer than that. */
static void morris_unit_is_one_over_p(struct kunit *test)
{
	const struct scounter_value_rule rule = {
		.a = A, .shift = morris.threshold_log2, .cap = 63, .max = S64_MAX,
	};
	u64 first = (1ULL << morris.threshold_log2) - A;
	u32 h;
	int d;

	KUNIT_EXPECT_EQ(test, morris.morris_a, A);
	KUNIT_EXPECT_EQ(test, scounter_value_unit(first - 1, &rule), 1ULL);
	KUNIT_EXPECT_GT(test, scounter_value_unit(first, &rule), 1ULL);
	for (h = morris.threshold_log2; h < 63; h++) {
		for (d = -1; d <= 1; d++) {
			u64 value = (1ULL << h) - A + d;
			u64 unit = scounter_value_unit(value, &rule);
			u32 k = scounter_value_exponent(value, &rule);

			if (value >= first)
				KUNIT_EXPECT_EQ(test, unit, 1 + div64_u64(value, A));
			KUNIT_EXPECT_LE(test, 1ULL << k, unit);
			KUNIT_EXPECT_LT(test, unit, 4ULL << k);
		}
	}
}

static void below_the_limit_all_is_exact(struct kunit *test)
{
	struct scounter_word64 a = word_of(0), b = word_of(0);
	struct scounter_estimate estimate;
	u32 i;

	for (i = 1; i <= scalable.limit; i++) {
		scounter_word64_inc(&a, &scalable);
		KUNIT_ASSERT_EQ(test, scounter_word64_read(&a, &scalable), (u64)i);
	}
	for (i = 1; i <= morris.limit; i++) {
		scounter_word64_inc(&b, &morris);
		KUNIT_ASSERT_EQ(test, scounter_word64_read(&b, &morris), (u64)i);
	}
	a = word_of(scalable.limit - 1);
	scounter_word64_read_est(&a, &scalable, &estimate);
	KUNIT_EXPECT_EQ(test, estimate.error_ppm, 0U);
	KUNIT_EXPECT_EQ(test, estimate.flags, 0U);
	a = word_of(scalable.limit);
	scounter_word64_read_est(&a, &scalable, &estimate);
	KUNIT_EXPECT_EQ(test, estimate.flags, SCOUNTER_F_SAMPLING);
}

/* What is worth a unit is added as it is, up to the end of the range. */
static void a_unit_is_added_whole(struct kunit *test)
{
	u32 h;

	for (h = S; h < 64; h++) {
		u64 values[] = { 1ULL << h, (1ULL << h) + 1, (2ULL << h) - 1 };
		u64 unit = 1ULL << (h - S + 1);
		u32 i;

		for (i = 0; i < ARRAY_SIZE(values); i++) {
			struct scounter_word64 word = word_of(values[i]);
			u64 after = min(values[i], SCOUNTER_SCALABLE_MAX - unit) + unit;

			scounter_word64_add(&word, &scalable, unit);
			KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &scalable), after);
		}
	}
}

/*
 * Trials are made to succeed by their countdowns.  Between two of them a random
 * bit or more decides above 2^25: 4096 tries at 2^-(k - 25), 6.5 sd.
 */
static void counts_go_on_beyond_2_to_the_44(struct kunit *test)
{
	static const u32 bits[] = { 20, 37, 38, 43, 44, 45, 48 };
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		u32 k = bits[i] - S + 1;
		u32 rare = k > 25 ? k - 25 : 0;
		u64 expected = 4096 >> min(rare, 12U);
		u64 start = 1ULL << bits[i];
		struct scounter_word64 word = word_of(start);
		u64 successes;

		for (j = 0; j < 4096; j++) {
			preempt_disable();
			raw_cpu_write(scounter_gaps.left[k], 0);
			scounter_word64_inc(&word, &scalable);
			preempt_enable();
			if (rare)
				continue;
			/* At the same exponent. */
			KUNIT_ASSERT_EQ(test, scounter_word64_read(&word, &scalable),
					start + (1ULL << k));
			word = word_of(start);
		}
		if (!rare)
			continue;
		successes = (scounter_word64_read(&word, &scalable) - start) >> k;
		KUNIT_EXPECT_LE(test, successes, expected + 7 * int_sqrt(expected) + 20);
		if (expected >= 64)
			KUNIT_EXPECT_GE(test, successes + 7 * int_sqrt(expected), expected);
	}
}

/* 2^4 events that meet a unit of 2^7 survive with 1/8: 6.5 sd of 4096 are 137. */
static void a_success_is_thinned_at_a_grown_unit(struct kunit *test)
{
	u32 survived = 0, i;

	for (i = 0; i < 4096; i++) {
		u64 start = 1ULL << (S + 6);
		struct scounter_word64 word = word_of(start);

		success_at(&word, &scalable, 4);
		KUNIT_ASSERT_TRUE(test, word_of(start).word.counter == word.word.counter ||
				  start + 128 == scounter_word64_read(&word, &scalable));
		survived += scounter_word64_read(&word, &scalable) != start;
	}
	KUNIT_EXPECT_GT(test, survived, 512U - 137);
	KUNIT_EXPECT_LT(test, survived, 512U + 137);
}

/* morris: 2^k with k from the highest bit survives the unit with 2^k / unit. */
static void morris_thins_to_its_unit(struct kunit *test)
{
	const u32 start = 1000000, unit = 1 + start / A;
	u64 sum = 0, units;
	u32 rest, i;

	for (i = 0; i < 4096; i++) {
		struct scounter_word64 word = word_of(start);

		success_at(&word, &morris, 6);
		sum += scounter_word64_read(&word, &morris) - start;
	}
	KUNIT_EXPECT_EQ(test, unit, 201U);
	units = div_u64_rem(sum, unit, &rest);
	KUNIT_EXPECT_EQ(test, rest, 0U);
	/* p = 64 / 201: 1304 of 4096, sd 29.8, 6.5 of which are 194. */
	KUNIT_EXPECT_GT(test, units, 1304ULL - 194);
	KUNIT_EXPECT_LT(test, units, 1304ULL + 194);
}

static void a_success_survives_a_reset(struct kunit *test)
{
	struct scounter_word64 a = word_of(0), b = word_of(0), c = word_of(0);

	success_at(&a, &scalable, 10);
	success_at(&b, &morris, 10);
	success_at(&c, &morris_adapt, 10);
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&a, &scalable), 1024ULL);
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&b, &morris), 1024ULL);
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&c, &morris_adapt), 1024ULL);
}

static void expect_late(struct kunit *test, const struct scounter_estimate *estimate,
			u64 value)
{
	KUNIT_EXPECT_EQ(test, estimate->value, value);
	/* Of 1024 that landed late but one may have been. */
	KUNIT_EXPECT_LE(test, estimate->lower, value - 1023);
	KUNIT_EXPECT_EQ(test, estimate->upper, value);
	KUNIT_EXPECT_GT(test, estimate->error_ppm, 0U);
	KUNIT_EXPECT_EQ(test, estimate->flags, SCOUNTER_F_SAMPLING);
}

/* A counter with a name marks what its word cannot say, until the next reset. */
static void a_late_success_is_said(struct kunit *test)
{
	static const enum scounter_kind kinds[] = {
		SCOUNTER_MORRIS, SCOUNTER_MORRIS_ADAPT, SCOUNTER_SCALABLE,
		SCOUNTER_SCALABLE32,
	};
	static const u32 exponents[] = { 3, 10, 3 };
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct scounter *counter = scounter_create("late", "kunit_value", kinds[i], 0,
							   GFP_KERNEL);
		struct scounter_estimate estimate;

		KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
		/* The greatest is kept. */
		for (j = 0; j < ARRAY_SIZE(exponents); j++)
			__scounter_finish(counter, exponents[j] << SCOUNTER_OUTCOME_BITS |
						   SCOUNTER_SUCCESS);
		scounter_read_est(counter, &estimate);
		expect_late(test, &estimate, 1024 + 16);
		KUNIT_EXPECT_EQ(test, scounter_fetch_reset(counter), 1024ULL + 16);
		scounter_inc(counter);
		scounter_read_est(counter, &estimate);
		KUNIT_EXPECT_EQ(test, estimate.lower, 1ULL);
		KUNIT_EXPECT_EQ(test, estimate.error_ppm, 0U);
		KUNIT_EXPECT_EQ(test, estimate.flags, 0U);
		scounter_destroy(counter);
	}
}

/* A word without a name says so at all times, if its class is for that. */
static void a_class_allows_for_late_successes(struct kunit *test)
{
	static const enum scounter_kind kinds[] = {
		SCOUNTER_MORRIS, SCOUNTER_MORRIS_ADAPT, SCOUNTER_SCALABLE,
	};
	struct scounter_estimate estimate;
	struct scounter_class class;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct scounter_word64 word = word_of(0);

		class = with_options(test, kinds[i], SCOUNTER_CLASS_RESETS, 0);
		success_at(&word, &class, 10);
		scounter_word64_read_est(&word, &class, &estimate);
		expect_late(test, &estimate, 1024);
	}
	/* With a cap of 2^6 it knows more: 2^6 / 10^6 is 0.8 % squared. */
	class = with_options(test, SCOUNTER_SCALABLE, SCOUNTER_CLASS_RESETS, 6);
	scounter_word64_read_est(&(struct scounter_word64) { ATOMIC64_INIT(1000000) }, &class,
				 &estimate);
	KUNIT_EXPECT_GT(test, estimate.lower, 970000ULL);
	KUNIT_EXPECT_LT(test, estimate.error_ppm, 9000U);
}

static void expect_end(struct kunit *test, struct scounter_word64 *word,
		       const struct scounter_class *class, u64 end)
{
	struct scounter_estimate estimate;

	scounter_word64_read_est(word, class, &estimate);
	KUNIT_EXPECT_EQ(test, estimate.value, end);
	KUNIT_EXPECT_EQ(test, estimate.upper, U64_MAX);
	KUNIT_EXPECT_TRUE(test, estimate.flags & SCOUNTER_F_SATURATED);
}

static void words_saturate_at_their_end(struct kunit *test)
{
	static const struct {
		enum scounter_kind kind;
		u8 flags;
		u64 end;
	} ends[] = {
		{ SCOUNTER_SCALABLE, 0, SCOUNTER_SCALABLE_MAX },
		{ SCOUNTER_SCALABLE, SCOUNTER_CLASS_SENSITIVE, S64_MAX },
		{ SCOUNTER_MORRIS, 0, S64_MAX },
		/* All of it goes to the upper half, which holds a + n. */
		{ SCOUNTER_MORRIS_ADAPT, 0, U32_MAX - A },
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		struct scounter_class class =
			with_options(test, ends[i].kind, ends[i].flags, 0);
		struct scounter_word64 word = word_of(0);

		for (j = 0; j < 3; j++)
			scounter_word64_add(&word, &class, S64_MAX);
		expect_end(test, &word, &class, ends[i].end);
		scounter_word64_add(&word, &class, S64_MAX);
		for (j = 0; j < 64; j++)
			success_at(&word, &class, j);
		for (j = 0; j < 100000; j++)
			scounter_word64_inc(&word, &class);
		expect_end(test, &word, &class, ends[i].end);
		KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(&word, &class),
				ends[i].end);
	}
}

static void scalable32_saturates_at_its_end(struct kunit *test)
{
	u32 sensitive;

	for (sensitive = 0; sensitive < 2; sensitive++) {
		struct scounter_class class =
			with_options(test, SCOUNTER_SCALABLE32,
				     sensitive ? SCOUNTER_CLASS_SENSITIVE : 0, 0);
		u64 end = sensitive ? S32_MAX : SCOUNTER_SCALABLE32_MAX;
		struct scounter_word32 word = SCOUNTER_WORD_INIT;
		struct scounter_estimate estimate;
		u32 i;

		scounter_word32_add(&word, &class, end - 1);
		KUNIT_EXPECT_LE(test, scounter_word32_read(&word, &class), end);
		scounter_word32_add(&word, &class, S64_MAX);
		for (i = 0; i < 100000; i++)
			scounter_word32_inc(&word, &class);
		scounter_word32_read_est(&word, &class, &estimate);
		KUNIT_EXPECT_EQ(test, estimate.value, end);
		KUNIT_EXPECT_TRUE(test, estimate.flags & SCOUNTER_F_SATURATED);
	}
}

static void words_wrap_from_their_end_only(struct kunit *test)
{
	static const enum scounter_kind kinds[] = {
		SCOUNTER_SCALABLE, SCOUNTER_SCALABLE32, SCOUNTER_MORRIS,
		SCOUNTER_MORRIS_ADAPT, SCOUNTER_BFP_DUP, SCOUNTER_BFP_CSUP,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct scounter_params params = {
			.kind = kinds[i], .flags = SCOUNTER_CLASS_WRAP,
		};
		struct scounter *counter = scounter_create_params("wraps", "kunit_value",
								  &params, GFP_KERNEL);
		struct scounter_estimate estimate;

		KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
		do {
			scounter_add(counter, S64_MAX);
			scounter_read_est(counter, &estimate);
		} while (!(estimate.flags & SCOUNTER_F_SATURATED));
		KUNIT_EXPECT_EQ(test, estimate.flags & ~SCOUNTER_F_SAMPLING,
				SCOUNTER_F_SATURATED);
		scounter_add(counter, S64_MAX);
		scounter_read_est(counter, &estimate);
		KUNIT_EXPECT_EQ(test, estimate.value, 0ULL);
		KUNIT_EXPECT_EQ(test, estimate.flags, SCOUNTER_F_WRAPPED);
		scounter_add(counter, 5);
		KUNIT_EXPECT_EQ(test, scounter_read(counter), 5ULL);
		scounter_destroy(counter);
	}
}

/* Ayers's second idea: exact to any value, until a compare-and-swap fails. */
static void sensitive_is_exact_until_contended(struct kunit *test)
{
	struct scounter_class class =
		with_options(test, SCOUNTER_SCALABLE, SCOUNTER_CLASS_SENSITIVE, 0);
	struct scounter_word64 word = word_of(0);
	struct scounter_estimate estimate;
	u64 value;
	u32 i;

	for (i = 0; i < 50000; i++)
		scounter_word64_inc(&word, &class);
	scounter_word64_add(&word, &class, 1234567);
	scounter_word64_read_est(&word, &class, &estimate);
	KUNIT_EXPECT_EQ(test, estimate.value, 1284567ULL);
	KUNIT_EXPECT_EQ(test, estimate.error_ppm, 0U);
	KUNIT_EXPECT_EQ(test, estimate.flags, 0U);

	__scounter_word64_finish(&word, &class, SCOUNTER_CONTENDED);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&word.word), 1ULL << 63 | 1284568);
	scounter_word64_read_est(&word, &class, &estimate);
	KUNIT_EXPECT_EQ(test, estimate.value, 1284568ULL);
	KUNIT_EXPECT_EQ(test, estimate.flags, SCOUNTER_F_SAMPLING);
	/* The bit stays: the highest bit is 20, the unit 2^8. */
	success_at(&word, &class, 8);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&word.word), 1ULL << 63 | 1284824);
	/*
	 * Increments go on with that unit: of 2^16 about 2^8 succeed, with a standard
	 * deviation of 2^4, of which 6.5 are allowed: 104 units.
	 */
	for (i = 0; i < 1 << 16; i++)
		scounter_word64_inc(&word, &class);
	value = scounter_word64_read(&word, &class) - 1284824;
	KUNIT_EXPECT_EQ(test, value % 256, 0ULL);
	KUNIT_EXPECT_GE(test, value, (256 - 104) * 256ULL);
	KUNIT_EXPECT_LE(test, value, (256 + 104) * 256ULL);
	KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(&word, &class), 1284824 + value);
	scounter_word64_inc(&word, &class);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&word.word), 1ULL);
}

/* His first: no update adds more than 2^10, however large the value. */
static void a_cap_bounds_the_unit(struct kunit *test)
{
	struct scounter_class class = with_options(test, SCOUNTER_SCALABLE, 0, 10);
	u64 start = 1ULL << 50;
	struct scounter_word64 word = word_of(start);
	struct scounter_estimate estimate;
	u32 i;

	for (i = 1; i <= 100; i++) {
		success_at(&word, &class, 10);
		KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &class),
				start + i * 1024ULL);
	}
	scounter_word64_read_est(&word, &class, &estimate);
	KUNIT_EXPECT_EQ(test, estimate.error_ppm, 1U);
}

/* The lower half counts until it is contended or full, then the upper one. */
static void morris_adapt_changes_halves(struct kunit *test)
{
	struct scounter_word64 word = word_of(U32_MAX - 1);
	struct scounter_estimate estimate;

	scounter_word64_read_est(&word, &morris_adapt, &estimate);
	KUNIT_EXPECT_EQ(test, estimate.flags, 0U);
	scounter_word64_inc(&word, &morris_adapt);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&word.word), (u64)U32_MAX);
	scounter_word64_inc(&word, &morris_adapt);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&word.word),
			(A + 1ULL) << 32 | U32_MAX);
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &morris_adapt), 1ULL << 32);
	scounter_word64_inc(&word, &morris_adapt);
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &morris_adapt), (1ULL << 32) + 1);
	KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(&word, &morris_adapt),
			(1ULL << 32) + 1);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&word.word), 0ULL);
}

/*
 * RUNS times, STEPS additions of a third of the unit.  What they are off together
 * has the mean 0 and at most the variance n (unit - 1): 6.5 sd, wrong once in 10^10.
 */
#define RUNS	2000
#define STEPS	64

static void expect_unbiased(struct kunit *test, const struct scounter_class *class,
			    u64 start, u64 unit_least, u64 unit_most)
{
	const u64 n = div_u64(unit_least, 3), total = n * STEPS;
	s64 sum = 0;
	u64 squares = 0, sd;
	u32 run, i;

	for (run = 0; run < RUNS; run++) {
		struct scounter_word64 word = word_of(start);
		s64 off;

		for (i = 0; i < STEPS; i++)
			scounter_word64_add(&word, class, n);
		off = scounter_word64_read(&word, class) - start - total;
		sum += off;
		squares += off * off;
	}
	sd = int_sqrt64(RUNS * total * unit_most);
	KUNIT_EXPECT_LT(test, abs(sum), (s64)(13 * sd / 2));
	/*
	 * The variance of a step is n (unit - n).  That of the sum of squares is
	 * near 2 / RUNS relatively: sd 3.2 %, 6.5 of which are 21 %.
	 */
	KUNIT_EXPECT_GT(test, div_u64(squares, RUNS),
			div_u64(STEPS * n * (unit_least - n), 100) * 79);
	KUNIT_EXPECT_LT(test, div_u64(squares, RUNS),
			div_u64(STEPS * n * (unit_most - n), 100) * 121);
}

static void large_values_are_unbiased(struct kunit *test)
{
	expect_unbiased(test, &scalable, 1ULL << 32, 1ULL << 20, 1ULL << 20);
	expect_unbiased(test, &scalable, 3ULL << 28, 1ULL << 17, 1ULL << 17);
	expect_unbiased(test, &morris, 1ULL << 32, (1ULL << 32) / A,
			(1ULL << 32) / A * 103 / 100);
}

static struct kunit_case value_cases[] = {
	KUNIT_CASE(scalable_unit_follows_the_highest_bit),
	KUNIT_CASE(morris_unit_is_one_over_p),
	KUNIT_CASE(below_the_limit_all_is_exact),
	KUNIT_CASE(a_unit_is_added_whole),
	KUNIT_CASE(counts_go_on_beyond_2_to_the_44),
	KUNIT_CASE(a_success_is_thinned_at_a_grown_unit),
	KUNIT_CASE(morris_thins_to_its_unit),
	KUNIT_CASE(a_success_survives_a_reset),
	KUNIT_CASE(a_late_success_is_said),
	KUNIT_CASE(a_class_allows_for_late_successes),
	KUNIT_CASE(words_saturate_at_their_end),
	KUNIT_CASE(scalable32_saturates_at_its_end),
	KUNIT_CASE(words_wrap_from_their_end_only),
	KUNIT_CASE(sensitive_is_exact_until_contended),
	KUNIT_CASE(a_cap_bounds_the_unit),
	KUNIT_CASE(morris_adapt_changes_halves),
	KUNIT_CASE(large_values_are_unbiased),
	{}
};

static struct kunit_suite value_suite = {
	.name = "scounter_value",
	.test_cases = value_cases,
};
kunit_test_suites(&value_suite);

// SPDX-License-Identifier: GPL-2.0
/* The bfp representation and its two policies, transition by transition. */
#include <kunit/test.h>
#include <linux/scounter.h>

#include "repr/bfp.h"

static const struct scounter_class dup_1 =
	SCOUNTER_CLASS(SCOUNTER_BFP_DUP, 10000);
static const struct scounter_class csup_1 =
	SCOUNTER_CLASS(SCOUNTER_BFP_CSUP, 10000);
static const struct scounter_class approx_1 =
	SCOUNTER_CLASS(SCOUNTER_APPROX, 10000);

static struct scounter_word32 word_of(u32 mantissa, u32 exponent)
{
	return (struct scounter_word32) {
		.word = ATOMIC_INIT(scounter_bfp_word(mantissa, exponent)),
	};
}

/* An increment whose trial at this exponent has succeeded. */
static void success_at(struct scounter_word32 *counter,
		       const struct scounter_class *class, u32 exponent)
{
	__scounter_word32_finish(counter, class, exponent << SCOUNTER_OUTCOME_BITS |
						 SCOUNTER_SUCCESS);
}

static u32 mantissa_of(const struct scounter_word32 *counter)
{
	return scounter_bfp_mantissa(atomic_read(&counter->word));
}

static u32 exponent_of(const struct scounter_word32 *counter)
{
	return scounter_bfp_exponent(atomic_read(&counter->word));
}

/* Dice, Lev & Moir 2013: 7500 for 1 %; the others by the same formula. */
static void theta_is_the_papers(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, scounter_bfp_theta(10000), 7500U);
	KUNIT_EXPECT_EQ(test, scounter_bfp_theta(5000), 30000U);
	KUNIT_EXPECT_EQ(test, scounter_bfp_theta(50000), 300U);
	KUNIT_EXPECT_EQ(test, scounter_bfp_theta(200000), 18U);
	KUNIT_EXPECT_EQ(test, dup_1.theta, 7500U);
	KUNIT_EXPECT_EQ(test, dup_1.limit, 7499U);
	KUNIT_EXPECT_EQ(test, csup_1.theta, 7500U);
	KUNIT_EXPECT_EQ(test, csup_1.limit, SCOUNTER_BFP_MANTISSA_MAX);
}

/* Constants, as 32 bits cannot divide 64 otherwise. */
static void theta_of_constants_is_the_same(struct kunit *test)
{
#define THETA(ppm)	{ ppm, __SCOUNTER_THETA(ppm) }
	static const struct {
		u32 ppm;
		u32 theta;
	} constants[] = {
		THETA(SCOUNTER_ERROR_PPM_MIN), THETA(5001), THETA(5999), THETA(6998),
		THETA(7997), THETA(9995), THETA(10000), THETA(12992), THETA(17987),
		THETA(24980), THETA(31973), THETA(40964), THETA(49955), THETA(59945),
		THETA(74930), THETA(89915), THETA(99905), THETA(124880), THETA(149855),
		THETA(174830), THETA(199805), THETA(SCOUNTER_ERROR_PPM_MAX),
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(constants); i++)
		KUNIT_EXPECT_EQ(test, scounter_bfp_theta(constants[i].ppm),
				constants[i].theta);
}

static void approx_of_constants_is_the_same(struct kunit *test)
{
	static const struct {
		u32 ppm;
		struct scounter_class class;
	} constants[] = {
#define APPROX(ppm)	{ ppm, SCOUNTER_CLASS(SCOUNTER_APPROX, ppm) }
		APPROX(5000), APPROX(7777), APPROX(10000), APPROX(50000), APPROX(150250),
		APPROX(200000),
	};
	u32 i;

	KUNIT_EXPECT_EQ(test, approx_1.theta, 7502U);
	KUNIT_EXPECT_EQ(test, approx_1.limit, 2731U);
	KUNIT_EXPECT_EQ(test, (int)approx_1.bound_log2, 13);
	for (i = 0; i < ARRAY_SIZE(constants); i++) {
		const struct scounter_params params = {
			.kind = SCOUNTER_APPROX, .error_ppm = constants[i].ppm,
		};
		struct scounter_class class;

		KUNIT_ASSERT_EQ(test, scounter_class_init(&class, &params), 0);
		KUNIT_EXPECT_EQ(test, class.theta, constants[i].class.theta);
		KUNIT_EXPECT_EQ(test, class.limit, constants[i].class.limit);
		KUNIT_EXPECT_EQ(test, (int)class.kind, (int)constants[i].class.kind);
		KUNIT_EXPECT_EQ(test, (int)class.bound_log2, (int)constants[i].class.bound_log2);
		KUNIT_EXPECT_EQ(test, class.limit % 2, 1U);
		KUNIT_EXPECT_GE(test, 3 * (class.limit + 1), 1U << class.bound_log2);
		KUNIT_EXPECT_LT(test, 3 * (class.limit - 1), 1U << class.bound_log2);
		KUNIT_EXPECT_GE(test, 1U << class.bound_log2, class.theta);
		KUNIT_EXPECT_LT(test, 1U << class.bound_log2, 2 * class.theta);
	}
}

static void embedded_counter_is_four_bytes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, sizeof(struct scounter_word32), (size_t)4);
}

static void dup_is_exact_to_theta(struct kunit *test)
{
	struct scounter_word32 counter = SCOUNTER_WORD_INIT;
	u32 i;

	for (i = 1; i < dup_1.theta; i++) {
		scounter_word32_inc(&counter, &dup_1);
		KUNIT_ASSERT_EQ(test, scounter_word32_read(&counter, &dup_1), (u64)i);
		KUNIT_ASSERT_EQ(test, exponent_of(&counter), 0U);
	}
	scounter_word32_inc(&counter, &dup_1);
	KUNIT_EXPECT_EQ(test, scounter_word32_read(&counter, &dup_1), (u64)dup_1.theta);
	KUNIT_EXPECT_EQ(test, exponent_of(&counter), 1U);
	KUNIT_EXPECT_EQ(test, mantissa_of(&counter), dup_1.theta / 2);
}

/* At every exponent the half of Theta comes next, and the value fits. */
static void dup_halves_at_theta(struct kunit *test)
{
	u32 exponent;

	for (exponent = 0; exponent < SCOUNTER_BFP_EXPONENT_MAX; exponent++) {
		struct scounter_word32 counter = word_of(dup_1.theta - 1, exponent);

		scounter_word32_add(&counter, &dup_1, 1ULL << exponent);
		KUNIT_EXPECT_EQ(test, exponent_of(&counter), exponent + 1);
		KUNIT_EXPECT_EQ(test, mantissa_of(&counter), dup_1.theta / 2);
	}
}

static void csup_alone_stays_exact(struct kunit *test)
{
	struct scounter_word32 counter = SCOUNTER_WORD_INIT;
	u32 i;

	for (i = 1; i <= 10 * csup_1.theta; i++)
		scounter_word32_inc(&counter, &csup_1);
	KUNIT_EXPECT_EQ(test, scounter_word32_read(&counter, &dup_1), 10ULL * csup_1.theta);
	KUNIT_EXPECT_EQ(test, exponent_of(&counter), 0U);
}

static void csup_halves_when_full(struct kunit *test)
{
	struct scounter_word32 counter = word_of(SCOUNTER_BFP_MANTISSA_MAX - 1, 0);

	scounter_word32_inc(&counter, &csup_1);
	KUNIT_EXPECT_EQ(test, atomic_read(&counter.word), SCOUNTER_BFP_MANTISSA_MAX);
	scounter_word32_inc(&counter, &csup_1);
	KUNIT_EXPECT_EQ(test, exponent_of(&counter), 1U);
	KUNIT_EXPECT_EQ(test, scounter_word32_read(&counter, &dup_1),
			SCOUNTER_BFP_MANTISSA_MAX + 1ULL);
}

/* 1/3, 2/3, 5/6, 11/12, ... of 8192, the next even number. */
static const u32 approx_bounds[] = { 2732, 5462, 6828, 7510, 7852, 8022, 8108, 8150 };

static void approx_is_exact_to_a_third_of_its_bound(struct kunit *test)
{
	struct scounter_word32 counter = SCOUNTER_WORD_INIT;
	u32 i;

	for (i = 1; i < approx_bounds[0]; i++) {
		scounter_word32_inc(&counter, &approx_1);
		KUNIT_ASSERT_EQ(test, (u32)atomic_read(&counter.word), i);
	}
	scounter_word32_inc(&counter, &approx_1);
	KUNIT_EXPECT_EQ(test, exponent_of(&counter), 1U);
	KUNIT_EXPECT_EQ(test, scounter_word32_read(&counter, &approx_1), (u64)approx_bounds[0]);
}

static void approx_halves_later_with_each_exponent(struct kunit *test)
{
	u32 e;

	for (e = 0; e < ARRAY_SIZE(approx_bounds); e++) {
		struct scounter_word32 counter = word_of(approx_bounds[e] - 2, e);

		success_at(&counter, &approx_1, e);
		KUNIT_EXPECT_EQ(test, exponent_of(&counter), e);
		KUNIT_EXPECT_EQ(test, mantissa_of(&counter), approx_bounds[e] - 1);
		success_at(&counter, &approx_1, e);
		KUNIT_EXPECT_EQ(test, exponent_of(&counter), e + 1);
		KUNIT_EXPECT_EQ(test, mantissa_of(&counter), approx_bounds[e] / 2);
	}
}

/* At Theta, where that is below the bound; one event of 16 gets there. */
static void approx_under_contention_halves_at_theta(struct kunit *test)
{
	struct scounter_word32 counter = word_of(approx_1.theta - 1, 4);
	u32 i;

	for (i = 0; i < 1000 && exponent_of(&counter) == 4; i++)
		__scounter_word32_finish(&counter, &approx_1, SCOUNTER_CONTENDED);
	KUNIT_EXPECT_EQ(test, exponent_of(&counter), 5U);
	KUNIT_EXPECT_EQ(test, mantissa_of(&counter), approx_1.theta / 2);
}

/*
 * Two bits beyond the bound at the last exponent: by 4 with probability 1/4.
 * 6.5 standard deviations of 4096 such: 180.  An increment that would always
 * count makes it 4096.
 */
static void approx_goes_on_beyond_the_last_exponent(struct kunit *test)
{
	const u32 full = 3U << approx_1.bound_log2;
	u32 added = 0, i;

	for (i = 0; i < 4096; i++) {
		struct scounter_word32 counter = word_of(full, SCOUNTER_BFP_EXPONENT_MAX);

		success_at(&counter, &approx_1, SCOUNTER_BFP_EXPONENT_MAX);
		if (mantissa_of(&counter) == full)
			continue;
		KUNIT_ASSERT_EQ(test, mantissa_of(&counter), full + 4);
		added++;
	}
	KUNIT_EXPECT_GT(test, added, 1024U - 180);
	KUNIT_EXPECT_LT(test, added, 1024U + 180);
}

/* bfp_csup, and approx before that, count each success there. */
static void others_do_not(struct kunit *test)
{
	struct scounter_word32 csup = word_of(3U << 16, SCOUNTER_BFP_EXPONENT_MAX);
	const u32 last = (1U << approx_1.bound_log2) - 1;
	struct scounter_word32 approx = word_of(last, SCOUNTER_BFP_EXPONENT_MAX);
	u32 i;

	for (i = 1; i <= 100; i++) {
		success_at(&csup, &csup_1, SCOUNTER_BFP_EXPONENT_MAX);
		KUNIT_ASSERT_EQ(test, mantissa_of(&csup), (3U << 16) + i);
	}
	success_at(&approx, &approx_1, SCOUNTER_BFP_EXPONENT_MAX);
	KUNIT_EXPECT_EQ(test, mantissa_of(&approx), last + 1);
}

/* Each failed compare-and-swap at Theta or above costs one exponent, not more. */
static void csup_under_contention_halves_once(struct kunit *test)
{
	struct scounter_word32 counter = word_of((1 << 20) - 1, 0);

	__scounter_word32_finish(&counter, &csup_1, SCOUNTER_CONTENDED);
	KUNIT_EXPECT_EQ(test, exponent_of(&counter), 1U);
	KUNIT_EXPECT_EQ(test, scounter_word32_read(&counter, &dup_1), 1ULL << 20);
}

static void csup_under_contention_waits_for_theta(struct kunit *test)
{
	struct scounter_word32 counter = word_of(csup_1.theta - 2, 0);

	__scounter_word32_finish(&counter, &csup_1, SCOUNTER_CONTENDED);
	KUNIT_EXPECT_EQ(test, (u32)atomic_read(&counter.word), csup_1.theta - 1);
	__scounter_word32_finish(&counter, &csup_1, SCOUNTER_CONTENDED);
	KUNIT_EXPECT_EQ(test, exponent_of(&counter), 1U);
	KUNIT_EXPECT_EQ(test, scounter_word32_read(&counter, &dup_1), (u64)csup_1.theta);
}

/*
 * A success at exponent 10 that meets a word reset to 0 brings 1024 events, of which
 * but one may have been.
 */
static void success_survives_a_reset(struct kunit *test)
{
	struct scounter_word32 counter = SCOUNTER_WORD_INIT;
	struct scounter_estimate estimate;

	success_at(&counter, &dup_1, 10);
	KUNIT_EXPECT_EQ(test, (u32)atomic_read(&counter.word), scounter_bfp_word(1, 10));
	scounter_word32_read_est(&counter, &dup_1, &estimate);
	KUNIT_EXPECT_EQ(test, estimate.value, 1024ULL);
	KUNIT_EXPECT_LE(test, estimate.lower, 1ULL);
	KUNIT_EXPECT_GE(test, estimate.error_ppm, 900000U);
	KUNIT_EXPECT_EQ(test, estimate.flags, SCOUNTER_F_SAMPLING);
}

/* ... and what has been counted since is rounded to that, up or down. */
static void success_after_a_reset_raises_the_word(struct kunit *test)
{
	u32 up = 0, i;

	for (i = 0; i < 4096; i++) {
		struct scounter_word32 counter = word_of(256, 0);

		success_at(&counter, &dup_1, 10);
		KUNIT_ASSERT_EQ(test, exponent_of(&counter), 10U);
		up += scounter_word32_read(&counter, &dup_1) == 2048;
	}
	/* A fourth, with a standard deviation of 27.7, of which 6.5 are allowed. */
	KUNIT_EXPECT_GT(test, up, 1024U - 181);
	KUNIT_EXPECT_LT(test, up, 1024U + 181);
}

/*
 * A success at exponent 4 that meets exponent 7 survives with probability 1/8.
 * 6.5 standard deviations of 4096 such: 137.
 */
static void success_is_thinned_at_a_grown_exponent(struct kunit *test)
{
	u32 survived = 0, i;

	for (i = 0; i < 4096; i++) {
		struct scounter_word32 counter = word_of(4000, 7);

		success_at(&counter, &dup_1, 4);
		KUNIT_ASSERT_LE(test, mantissa_of(&counter) - 4000, 1U);
		survived += mantissa_of(&counter) - 4000;
	}
	KUNIT_EXPECT_GT(test, survived, 512U - 137);
	KUNIT_EXPECT_LT(test, survived, 512U + 137);
}

static void add_of_nothing_changes_nothing(struct kunit *test)
{
	struct scounter_word32 counter = word_of(5000, 9);

	scounter_word32_add(&counter, &dup_1, 0);
	KUNIT_EXPECT_EQ(test, (u32)atomic_read(&counter.word),
			scounter_bfp_word(5000, 9));
}

static void add_grows_the_exponent_at_once(struct kunit *test)
{
	struct scounter_word32 counter = SCOUNTER_WORD_INIT;

	scounter_word32_add(&counter, &dup_1, 4096ULL << 14);
	KUNIT_EXPECT_EQ(test, exponent_of(&counter), 14U);
	KUNIT_EXPECT_EQ(test, mantissa_of(&counter), 4096U);
}

static void add_never_lowers_the_exponent(struct kunit *test)
{
	struct scounter_word32 counter = word_of(1, 9);

	scounter_word32_add(&counter, &dup_1, 512);
	KUNIT_EXPECT_EQ(test, exponent_of(&counter), 9U);
	KUNIT_EXPECT_EQ(test, mantissa_of(&counter), 2U);
}

static void add_keeps_the_mean(struct kunit *test)
{
	u64 sum = 0;
	u32 i;

	/* 700 / 512 units: 1 or 2, variance 188 * 324; 6.5 sd of 4096 sums. */
	for (i = 0; i < 4096; i++) {
		struct scounter_word32 counter = word_of(5000, 9);

		scounter_word32_add(&counter, &dup_1, 700);
		sum += scounter_word32_read(&counter, &dup_1) - (5000 << 9);
	}
	KUNIT_EXPECT_GT(test, sum, 4096ULL * 700 - 102675);
	KUNIT_EXPECT_LT(test, sum, 4096ULL * 700 + 102675);
}

static void mantissa_overflow_saturates(struct kunit *test)
{
	static const u64 adds[] = { 1ULL << 43, 1ULL << 62, S64_MAX };
	struct scounter_word32 counter =
		word_of(SCOUNTER_BFP_MANTISSA_MAX - 1, SCOUNTER_BFP_EXPONENT_MAX);
	struct scounter_estimate estimate;
	u32 i;

	/* The last state is reached as any other, and never left. */
	for (i = 0; i < 3; i++) {
		scounter_word32_add(&counter, &dup_1, 1 << 15);
		KUNIT_EXPECT_EQ(test, (u32)atomic_read(&counter.word),
				SCOUNTER_BFP_WORD_MAX);
	}
	for (i = 0; i < ARRAY_SIZE(adds); i++) {
		scounter_word32_init(&counter);
		scounter_word32_add(&counter, i ? &csup_1 : &dup_1, adds[i]);
		scounter_word32_read_est(&counter, &csup_1, &estimate);
		KUNIT_EXPECT_EQ(test, estimate.value, ((1ULL << 28) - 1) << 15);
		KUNIT_EXPECT_EQ(test, estimate.upper, U64_MAX);
		KUNIT_EXPECT_TRUE(test, estimate.flags & SCOUNTER_F_SATURATED);
	}
	for (i = 0; i < 1 << 17; i++)
		scounter_word32_inc(&counter, &dup_1);
	KUNIT_EXPECT_EQ(test, (u32)atomic_read(&counter.word), SCOUNTER_BFP_WORD_MAX);
}

/* Adds of all sizes, contended and not, and never a step back. */
static void value_never_goes_down(struct kunit *test)
{
	const struct scounter_class *classes[] = { &dup_1, &csup_1, &approx_1 };
	u32 c, i;

	for (c = 0; c < ARRAY_SIZE(classes); c++) {
		struct scounter_word32 counter = SCOUNTER_WORD_INIT;
		u64 before = 0, after;

		for (i = 0; i < 400000; i++) {
			if (i % 3 == 0)
				scounter_word32_inc(&counter, classes[c]);
			else if (i % 3 == 1)
				__scounter_word32_finish(&counter, classes[c],
						      SCOUNTER_CONTENDED);
			else
				scounter_word32_add(&counter, classes[c], i * 7 % 5003);
			after = scounter_word32_read(&counter, &dup_1);
			KUNIT_ASSERT_GE(test, after, before);
			before = after;
		}
	}
}

static void estimate_of_an_exact_word(struct kunit *test)
{
	struct scounter_word32 counter = word_of(7000, 0);
	struct scounter_estimate estimate;

	scounter_word32_read_est(&counter, &dup_1, &estimate);
	KUNIT_EXPECT_EQ(test, estimate.value, 7000ULL);
	KUNIT_EXPECT_EQ(test, estimate.lower, 7000ULL);
	KUNIT_EXPECT_EQ(test, estimate.upper, 7000ULL);
	KUNIT_EXPECT_EQ(test, estimate.error_ppm, 0U);
	KUNIT_EXPECT_EQ(test, estimate.flags, 0U);
}

/*
 * m = 5000, e = 3: s = sqrt(7 / 40000) = 1.3229 %, 40000 (1 - s^2 / 9 - s)^3 and, with
 * s = sqrt(7 / 40008), 40008 (1 - 7 s^2 / 128 + 3 s / 8)^8.  dup promises 1 % in the
 * limit, which the powers 8 and 16 belong to.
 */
static void estimate_of_a_sampling_word(struct kunit *test)
{
	struct scounter_word32 counter = word_of(5000, 3);
	struct scounter_estimate estimate;

	scounter_word32_read_est(&counter, &csup_1, &estimate);
	KUNIT_EXPECT_EQ(test, estimate.value, 40000ULL);
	KUNIT_EXPECT_EQ(test, estimate.error_ppm, 13229U);
	KUNIT_EXPECT_EQ(test, estimate.lower, 38431ULL);
	KUNIT_EXPECT_EQ(test, estimate.upper, 41621ULL);
	KUNIT_EXPECT_EQ(test, estimate.flags, SCOUNTER_F_SAMPLING);

	scounter_word32_read_est(&counter, &dup_1, &estimate);
	KUNIT_EXPECT_EQ(test, estimate.error_ppm, 10001U);
	KUNIT_EXPECT_EQ(test, estimate.lower, 38813ULL);
	KUNIT_EXPECT_EQ(test, estimate.upper, 41224ULL);
}

/* An exponent that the word's own count does not explain: no limit but its unit's. */
static void estimate_of_a_small_mantissa(struct kunit *test)
{
	struct scounter_word32 counter = word_of(1, 10), none = word_of(0, 10);
	struct scounter_estimate estimate;

	scounter_word32_read_est(&counter, &dup_1, &estimate);
	KUNIT_EXPECT_EQ(test, estimate.value, 1024ULL);
	KUNIT_EXPECT_EQ(test, estimate.error_ppm, 999512U);
	KUNIT_EXPECT_EQ(test, estimate.lower, 0ULL);
	KUNIT_EXPECT_GE(test, estimate.upper, 9000ULL);
	KUNIT_EXPECT_EQ(test, estimate.flags, SCOUNTER_F_SAMPLING);
	/* 1023 of 1024 events are not seen, so that nothing is no certainty. */
	scounter_word32_read_est(&none, &dup_1, &estimate);
	KUNIT_EXPECT_GT(test, estimate.error_ppm, SCOUNTER_PPM);
	KUNIT_EXPECT_EQ(test, estimate.lower, 0ULL);
	KUNIT_EXPECT_GE(test, estimate.upper, 6763ULL);
}

/* Without a bound sqrt(4 / (3 * 2^13)) = 1.28 %; with it what the class promises. */
static void estimate_of_approx_is_that_of_its_class(struct kunit *test)
{
	struct scounter_word32 counter =
		word_of(3U << approx_1.bound_log2, SCOUNTER_BFP_EXPONENT_MAX);
	struct scounter_word32 just = word_of(1U << 14, 2);
	struct scounter_estimate estimate;

	scounter_word32_read_est(&counter, &approx_1, &estimate);
	KUNIT_EXPECT_EQ(test, estimate.error_ppm, 10000U);
	/* Less than that: sqrt(3 / 65536). */
	scounter_word32_read_est(&just, &approx_1, &estimate);
	KUNIT_EXPECT_EQ(test, estimate.error_ppm, 6766U);
}

static void fetch_reset_starts_again(struct kunit *test)
{
	struct scounter_word32 counter = word_of(5000, 3);

	KUNIT_EXPECT_EQ(test, scounter_word32_fetch_reset(&counter, &dup_1), 40000ULL);
	KUNIT_EXPECT_EQ(test, scounter_word32_read(&counter, &dup_1), 0ULL);
}

static struct kunit_case bfp_cases[] = {
	KUNIT_CASE(theta_is_the_papers),
	KUNIT_CASE(theta_of_constants_is_the_same),
	KUNIT_CASE(approx_of_constants_is_the_same),
	KUNIT_CASE(embedded_counter_is_four_bytes),
	KUNIT_CASE(dup_is_exact_to_theta),
	KUNIT_CASE(dup_halves_at_theta),
	KUNIT_CASE(csup_alone_stays_exact),
	KUNIT_CASE(csup_halves_when_full),
	KUNIT_CASE(approx_is_exact_to_a_third_of_its_bound),
	KUNIT_CASE(approx_halves_later_with_each_exponent),
	KUNIT_CASE(approx_under_contention_halves_at_theta),
	KUNIT_CASE(approx_goes_on_beyond_the_last_exponent),
	KUNIT_CASE(others_do_not),
	KUNIT_CASE(csup_under_contention_halves_once),
	KUNIT_CASE(csup_under_contention_waits_for_theta),
	KUNIT_CASE(success_survives_a_reset),
	KUNIT_CASE(success_after_a_reset_raises_the_word),
	KUNIT_CASE(success_is_thinned_at_a_grown_exponent),
	KUNIT_CASE(add_of_nothing_changes_nothing),
	KUNIT_CASE(add_grows_the_exponent_at_once),
	KUNIT_CASE(add_never_lowers_the_exponent),
	KUNIT_CASE(add_keeps_the_mean),
	KUNIT_CASE(mantissa_overflow_saturates),
	KUNIT_CASE(value_never_goes_down),
	KUNIT_CASE(estimate_of_an_exact_word),
	KUNIT_CASE(estimate_of_a_sampling_word),
	KUNIT_CASE(estimate_of_a_small_mantissa),
	KUNIT_CASE(estimate_of_approx_is_that_of_its_class),
	KUNIT_CASE(fetch_reset_starts_again),
	{}
};

static struct kunit_suite bfp_suite = {
	.name = "scounter_bfp",
	.test_cases = bfp_cases,
};
kunit_test_suites(&bfp_suite);

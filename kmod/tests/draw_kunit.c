// SPDX-License-Identifier: GPL-2.0
/*
 * The random draws and the per-CPU trials as they run in the kernel.  Their
 * distributions are tested at length in user space, by tests/user/accuracy.
 *
 * Every statistical limit here is 6.5 standard deviations: a right
 * implementation fails one such test in 10^10.  The draws come from a fixed
 * seed, the trials from the seed that the module was loaded with.
 */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "base/draw.h"
#include "base/random.h"

#define SEED	0x5c0417e4ULL
#define LIMIT	13	/* twice 6.5 */

static void seed_for_test(struct rnd_state *rnd)
{
	prandom_seed_state(rnd, SEED);
}

/* |sum of n draws - n * mean| <= 6.5 * sqrt(n * variance) */
static void expect_sum(struct kunit *test, u32 k, u64 sum, u64 n, u64 mean,
		       u64 variance)
{
	u64 expected = n * mean;
	u64 off = sum > expected ? sum - expected : expected - sum;

	KUNIT_EXPECT_LE_MSG(test, off, LIMIT * (u64)int_sqrt64(n * variance) / 2,
			    "k = %u: sum %llu, expected %llu", k, sum, expected);
}

/* A geometric gap has mean (1 - p) / p and variance (1 - p) / p^2. */
static void gap_has_geometric_mean(struct kunit *test)
{
	const u64 n = 1 << 13;
	struct rnd_state rnd;
	u32 k;

	seed_for_test(&rnd);
	for (k = 1; k <= SCOUNTER_GAP_EXPONENT_MAX; k++) {
		u64 sum = 0, i;

		for (i = 0; i < n; i++)
			sum += scounter_draw_gap(&rnd, k);
		expect_sum(test, k, sum, n, (1ULL << k) - 1,
			   ((1ULL << k) - 1) << k);
	}
}

static void rounding_keeps_the_mean(struct kunit *test)
{
	const u64 n = 1 << 16;
	struct rnd_state rnd;
	u64 sum = 0, i;

	seed_for_test(&rnd);
	for (i = 0; i < n; i++)
		sum += scounter_draw_rounded(&rnd, 1000 * 8 + 3, 3);
	/* 1000 and 3/8: variance 3/8 * 5/8, in eighths 15 */
	expect_sum(test, 3, sum * 8, n, 1000 * 8 + 3, 15);
}

static void rounding_of_a_multiple_is_exact(struct kunit *test)
{
	struct rnd_state rnd;
	u32 k;

	seed_for_test(&rnd);
	for (k = 0; k < 64; k++)
		KUNIT_EXPECT_EQ(test, scounter_draw_rounded(&rnd, 1ULL << k, k), 1ULL);
}

/* Successes of n trials: variance n * p * (1 - p) < n * p. */
static void expect_trials(struct kunit *test, u32 k, u64 successes, u64 n)
{
	u64 expected = n >> k;
	u64 off = successes > expected ? successes - expected : expected - successes;

	KUNIT_EXPECT_LE_MSG(test, off, LIMIT * ((u64)int_sqrt64(expected) + 1) / 2,
			    "k = %u: %llu of %llu", k, successes, n);
}

static void trial_has_its_probability(struct kunit *test)
{
	const u64 n = 1 << 22;
	u32 k;

	for (k = 0; k <= 12; k += 3) {
		u64 successes = 0, i;

		for (i = 0; i < n; i++)
			successes += scounter_trial(k);
		expect_trials(test, k, successes, n);
		cond_resched();
	}
}

static void trial_of_certainty_always_succeeds(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 1000; i++)
		KUNIT_ASSERT_TRUE(test, scounter_trial(0));
}

/*
 * Beyond what a countdown holds, 2^-k is 2^-25 and then 2^-(k - 25): with the
 * first of them made to succeed, so many of 4096 trials do, give or take 6.5
 * standard deviations.
 */
static void trial_beyond_the_countdowns(struct kunit *test)
{
	static const struct { u32 k, mean, margin; } beyond[] = {
		{ 26, 2048, 208 }, { 28, 512, 138 }, { 31, 64, 52 },
	};
	u32 successes, i, j;

	for (i = 0; i < ARRAY_SIZE(beyond); i++) {
		for (successes = 0, j = 0; j < 4096; j++) {
			preempt_disable();
			raw_cpu_write(scounter_gaps.left[beyond[i].k], 0);
			successes += scounter_trial(beyond[i].k);
			preempt_enable();
		}
		KUNIT_EXPECT_GT(test, successes, beyond[i].mean - beyond[i].margin);
		KUNIT_EXPECT_LT(test, successes, beyond[i].mean + beyond[i].margin);
	}
}

/* At 2^-63 a trial that is made to succeed at 2^-25 does so once in 2^38. */
static void trial_at_the_last_exponent(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 1024; i++) {
		preempt_disable();
		raw_cpu_write(scounter_gaps.left[63], 0);
		KUNIT_EXPECT_FALSE(test, scounter_trial(63));
		preempt_enable();
	}
}

/* n of d, where d is no power of two; 6.5 standard deviations of 2^16 draws. */
static void chance_is_the_ratio(struct kunit *test)
{
	static const struct { u64 n, d; u32 margin; } ratios[] = {
		{ 1, 3, 785 }, { 5, 7, 752 }, { 1000, 1001, 53 },
		{ (1ULL << 62) - 1, (1ULL << 63) - 1, 832 },
	};
	struct rnd_state rnd;
	u32 i, j;

	seed_for_test(&rnd);
	for (i = 0; i < ARRAY_SIZE(ratios); i++) {
		u64 mean = mul_u64_u64_div_u64(1 << 16, ratios[i].n, ratios[i].d);
		u64 hits = 0;

		for (j = 0; j < 1 << 16; j++)
			hits += scounter_draw_chance(&rnd, ratios[i].n, ratios[i].d);
		KUNIT_EXPECT_GT(test, hits + ratios[i].margin, mean);
		KUNIT_EXPECT_LT(test, hits, mean + ratios[i].margin);
	}
	KUNIT_EXPECT_TRUE(test, scounter_draw_chance(&rnd, 1, 1));
	KUNIT_EXPECT_FALSE(test, scounter_draw_chance(&rnd, 0, 1));
}

/* What a context decides that interrupted a success while it drew its gap. */
static void interrupted_success_is_not_repeated(struct kunit *test)
{
	const u64 n = 1 << 18;
	struct rnd_state *rnd;
	u64 successes = 0, gaps = 0, i;

	for (i = 0; i < n; i++) {
		rnd = scounter_random_get();
		successes += scounter_trial_decide(rnd, 4 << SCOUNTER_OUTCOME_BITS |
						   SCOUNTER_UNDECIDED);
		gaps += raw_cpu_read(scounter_gaps.left[4]);
		scounter_random_put();
	}
	expect_trials(test, 4, successes, n);
	/* What is left of the stream is memoryless as ever. */
	expect_sum(test, 4, gaps, n, 15, 15 * 16);
}

static void own_success_is_certain(struct kunit *test)
{
	struct rnd_state *rnd = scounter_random_get();
	bool success = scounter_trial_decide(rnd, 10 << SCOUNTER_OUTCOME_BITS |
					     SCOUNTER_SUCCESS);

	scounter_random_put();
	KUNIT_EXPECT_TRUE(test, success);
}

/*
 * A success that moved away leaves -1 behind; the next trial mends that, in the
 * countdown of its own exponent.
 */
static void abandoned_countdown_recovers(struct kunit *test)
{
	static const u32 exponents[] = { 1, 3, 20, 25, 26, 40, 63 };
	s32 left;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(exponents); i++) {
		preempt_disable();
		raw_cpu_write(scounter_gaps.left[exponents[i]], -1);
		scounter_trial(exponents[i]);
		left = raw_cpu_read(scounter_gaps.left[exponents[i]]);
		preempt_enable();
		KUNIT_EXPECT_GE_MSG(test, left, 0, "k = %u", exponents[i]);
	}
}

/* How many of the ten longest gaps are the same. */
static u32 equal_gaps(const struct scounter_gaps *a, const struct scounter_gaps *b)
{
	u32 equal = 0, k;

	for (k = 16; k <= SCOUNTER_GAP_EXPONENT_MAX; k++)
		equal += a->left[k] == b->left[k];
	return equal;
}

static struct scounter_gaps *gaps_of(int cpu)
{
	return per_cpu_ptr(&scounter_gaps, cpu);
}

/*
 * Two CPUs with one stream would have all gaps in common.  Apart, two gaps of
 * k >= 16 are equal with probability below 2^-16, so that three in common of
 * ten come once in 10^12.
 */
static void streams_of_cpus_differ(struct kunit *test)
{
	int one, other;

	for_each_possible_cpu(one)
		for_each_possible_cpu(other)
			if (one < other)
				KUNIT_EXPECT_LT(test, equal_gaps(gaps_of(one), gaps_of(other)), 3U);
}

static void equal_streams_would_be_noticed(struct kunit *test)
{
	int cpu = cpumask_first(cpu_possible_mask);

	KUNIT_EXPECT_EQ(test, equal_gaps(gaps_of(cpu), gaps_of(cpu)), 10U);
}

/* As with two CPUs: what each had, and what it has when the machine was cloned. */
static void after_a_clone_streams_differ(struct kunit *test)
{
	struct scounter_gaps *before;
	struct rnd_state state;
	int cpu;

	before = kunit_kcalloc(test, nr_cpu_ids, sizeof(*before), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, before);
	migrate_disable();
	for_each_possible_cpu(cpu)
		before[cpu] = *gaps_of(cpu);
	state = *scounter_random_get();
	scounter_random_put();
	scounter_random_reseed(SEED);
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_LT(test, equal_gaps(&before[cpu], gaps_of(cpu)), 3U);
	KUNIT_EXPECT_NE(test, memcmp(&state, scounter_random_get(), sizeof(state)), 0);
	scounter_random_put();
	migrate_enable();
}

static void redraw_here(void)
{
	unsigned long flags;

	local_irq_save(flags);
	scounter_random_redraw(NULL);
	local_irq_restore(flags);
}

/*
 * What is left is geometric again: of k = 16 in the mean 2^16 - 1, with a variance of
 * 2^32 - 2^16, whose own variance is, as of an exponential distribution, 8 times its
 * square.
 */
static void redrawn_gaps_are_geometric(struct kunit *test)
{
	const u64 n = 1 << 13, mean = (1 << 16) - 1, variance = mean << 16;
	u64 sum = 0, squares = 0, i;

	migrate_disable();
	scounter_random_reseed(SEED);
	for (i = 0; i < n; i++) {
		s64 off;

		redraw_here();
		off = raw_cpu_read(scounter_gaps.left[16]) - (s64)mean;
		sum += off + mean;
		squares += off * off >> 16;
	}
	migrate_enable();
	expect_sum(test, 16, sum, n, mean, variance);
	/* Squares have a longer tail: 8.1 standard deviations, also one in 10^10. */
	expect_sum(test, 16, squares, n, variance >> 16,
		   8 * (variance >> 16) * (variance >> 16) * 25 / 16);
}

/* Wherever a redraw comes, the trials around it have their probability. */
static void trials_are_unbiased_across_redraws(struct kunit *test)
{
	const u64 n = 1 << 16;
	u64 successes = 0, i;

	for (i = 0; i < n; i++) {
		if (i % 5 == 0)
			redraw_here();
		successes += scounter_trial(3);
	}
	expect_trials(test, 3, successes, n);
}

static struct kunit_case draw_cases[] = {
	KUNIT_CASE(gap_has_geometric_mean),
	KUNIT_CASE(rounding_keeps_the_mean),
	KUNIT_CASE(rounding_of_a_multiple_is_exact),
	KUNIT_CASE(trial_has_its_probability),
	KUNIT_CASE(trial_of_certainty_always_succeeds),
	KUNIT_CASE(trial_beyond_the_countdowns),
	KUNIT_CASE(trial_at_the_last_exponent),
	KUNIT_CASE(chance_is_the_ratio),
	KUNIT_CASE(interrupted_success_is_not_repeated),
	KUNIT_CASE(own_success_is_certain),
	KUNIT_CASE(abandoned_countdown_recovers),
	KUNIT_CASE(streams_of_cpus_differ),
	KUNIT_CASE(equal_streams_would_be_noticed),
	KUNIT_CASE(after_a_clone_streams_differ),
	KUNIT_CASE(redrawn_gaps_are_geometric),
	KUNIT_CASE(trials_are_unbiased_across_redraws),
	{}
};

static struct kunit_suite draw_suite = {
	.name = "scounter_draw",
	.test_cases = draw_cases,
};
kunit_test_suites(&draw_suite);

// SPDX-License-Identifier: GPL-2.0
/* The exact kinds that are one word: their ranges, and what they keep beside. */
#include <kunit/test.h>
#include <linux/nodemask.h>
#include <linux/preempt.h>
#include <linux/scounter.h>
#include <linux/topology.h>

#include "base/stripes.h"
#include "kinds/kind.h"
#include "kinds/numa.h"

static const struct scounter_class rbo_numa = SCOUNTER_CLASS(SCOUNTER_RBO_NUMA, 0);
static const struct scounter_class numa_adapt =
	SCOUNTER_CLASS(SCOUNTER_RBO_NUMA_ADAPT, 0);

static const enum scounter_kind word_kinds[] = {
	SCOUNTER_CAS, SCOUNTER_RBO, SCOUNTER_RBO_NUMA, SCOUNTER_RBO_NUMA_ADAPT,
	SCOUNTER_MULTILINE_ADAPT, SCOUNTER_MORRIS, SCOUNTER_MORRIS_ADAPT,
	SCOUNTER_SCALABLE, SCOUNTER_RACING,
};

static struct scounter_class class_of(struct kunit *test, enum scounter_kind kind,
				      u8 flags)
{
	const struct scounter_params params = { .kind = kind, .flags = flags };
	struct scounter_class class = {};

	KUNIT_ASSERT_EQ(test, scounter_class_init(&class, &params), 0);
	return class;
}

/* Dice, Lev & Moir 2013, 2.1: a bit that there is a node, and the node. */
static void numa_range_is_what_the_node_leaves(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, __scounter_numa.value_max,
			(1ULL << (63 - order_base_2(num_possible_nodes()))) - 1);
	KUNIT_EXPECT_EQ(test, scounter_node_tag(num_possible_nodes() - 1) &
			      __scounter_numa.value_max, 0ULL);
	KUNIT_EXPECT_TRUE(test, scounter_node_tag(0) >> 63);
}

static void numa_keeps_the_node_with_the_count(struct kunit *test)
{
	struct scounter_word64 word = SCOUNTER_WORD_INIT;
	u64 tag;
	u32 i;

	migrate_disable();
	tag = scounter_node_tag(scounter_node_number(numa_node_id()));
	for (i = 1; i <= 10; i++) {
		scounter_word64_inc(&word, &rbo_numa);
		KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&word.word), tag | i);
	}
	scounter_word64_add(&word, &rbo_numa, 90);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&word.word), tag | 100);
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &rbo_numa), 100ULL);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(&word, &rbo_numa), 100ULL);
	KUNIT_EXPECT_EQ(test, atomic64_read(&word.word), 0LL);
}

static void numa_adapt_takes_a_node_only_when_contended(struct kunit *test)
{
	struct scounter_word64 word = SCOUNTER_WORD_INIT;
	u64 tag;
	u32 i;

	for (i = 1; i <= 10; i++)
		scounter_word64_inc(&word, &numa_adapt);
	scounter_word64_add(&word, &numa_adapt, 5);
	/* One failed try is not enough, however often. */
	for (i = 0; i < 100; i++)
		__scounter_word64_finish(&word, &numa_adapt, SCOUNTER_CONTENDED);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&word.word), 115ULL);

	/* A word that has a node keeps it until the reset. */
	migrate_disable();
	tag = scounter_node_tag(scounter_node_number(numa_node_id()));
	atomic64_set(&word.word, tag | 7);
	scounter_word64_inc(&word, &numa_adapt);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&word.word), tag | 8);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(&word, &numa_adapt), 8ULL);
	scounter_word64_inc(&word, &numa_adapt);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&word.word), 1ULL);
}

/* A hint that nobody takes back delays, and stops nobody. */
static void who_starves_stops_nobody(struct kunit *test)
{
	struct scounter_word64 word = SCOUNTER_WORD_INIT;
	u32 *starving = scounter_numa_starving(&word);
	u32 i;

	WRITE_ONCE(*starving, num_possible_nodes() + 1);
	atomic_inc(&__scounter_numa.starving);
	for (i = 0; i < 100; i++)
		scounter_word64_inc(&word, &rbo_numa);
	KUNIT_EXPECT_EQ(test, READ_ONCE(*starving), (u32)num_possible_nodes() + 1);
	WRITE_ONCE(*starving, 0);
	atomic_dec(&__scounter_numa.starving);
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &rbo_numa), 100ULL);
}

/* Of 1000 words that lie side by side at most a half: 16 are expected. */
static void few_words_wait_for_one_that_starves(struct kunit *test)
{
	static struct scounter_word64 words[1000];
	u32 i, same = 0;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		same += scounter_numa_starving(&words[i]) == scounter_numa_starving(&words[0]);
	KUNIT_EXPECT_LT(test, same, 500U);
}

static const struct {
	enum scounter_kind kind;
	u64 end;	/* 0: of the numa kinds */
} ends[] = {
	{ SCOUNTER_CAS, S64_MAX },
	{ SCOUNTER_RBO, S64_MAX },
	{ SCOUNTER_RBO_NUMA, 0 },
	{ SCOUNTER_RBO_NUMA_ADAPT, 0 },
	{ SCOUNTER_MULTILINE_ADAPT, SCOUNTER_ADAPT_MAX },
};

static void expect_at_end(struct kunit *test, struct scounter_word64 *word,
			  const struct scounter_class *class, u64 end)
{
	struct scounter_estimate estimate;

	scounter_word64_read_est(word, class, &estimate);
	KUNIT_EXPECT_EQ(test, estimate.value, end);
	KUNIT_EXPECT_EQ(test, estimate.lower, end);
	KUNIT_EXPECT_EQ(test, estimate.upper, U64_MAX);
	KUNIT_EXPECT_EQ(test, estimate.flags, SCOUNTER_F_SATURATED);
}

/* One before the end, at it, and by inline, out-of-line and large steps no further. */
static void words_saturate_at_their_end(struct kunit *test)
{
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		struct scounter_class class = class_of(test, ends[i].kind, 0);
		u64 end = ends[i].end ?: __scounter_numa.value_max;
		struct scounter_word64 word = SCOUNTER_WORD_INIT;
		struct scounter_estimate estimate;

		scounter_word64_add(&word, &class, end - 1);
		scounter_word64_read_est(&word, &class, &estimate);
		KUNIT_EXPECT_EQ(test, estimate.value, end - 1);
		KUNIT_EXPECT_EQ(test, estimate.flags, 0U);
		for (j = 0; j < 3; j++) {
			scounter_word64_inc(&word, &class);
			expect_at_end(test, &word, &class, end);
		}
		__scounter_word64_finish(&word, &class, SCOUNTER_CONTENDED);
		scounter_word64_add(&word, &class, 1);
		scounter_word64_add(&word, &class, S64_MAX);
		expect_at_end(test, &word, &class, end);
		KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(&word, &class), end);
		scounter_word64_add(&word, &class, S64_MAX);
		expect_at_end(test, &word, &class, end);
	}
}

/* ... or begin again at 0, and only from the end itself. */
static void words_wrap_if_the_class_says_so(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		struct scounter_class class = class_of(test, ends[i].kind,
						       SCOUNTER_CLASS_WRAP);
		u64 end = ends[i].end ?: __scounter_numa.value_max;
		struct scounter_word64 word = SCOUNTER_WORD_INIT;

		scounter_word64_add(&word, &class, end - 1);
		scounter_word64_inc(&word, &class);
		KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &class), end);
		scounter_word64_inc(&word, &class);
		KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &class), 0ULL);
		scounter_word64_inc(&word, &class);
		KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &class), 1ULL);
	}
}

static void named_counters_say_that_they_wrapped(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		const struct scounter_params params = {
			.kind = ends[i].kind, .flags = SCOUNTER_CLASS_WRAP,
		};
		struct scounter *counter = scounter_create_params("wraps", "kunit_word",
								  &params, GFP_KERNEL);
		struct scounter_estimate estimate;

		KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
		scounter_add(counter, S64_MAX);
		scounter_inc(counter);
		scounter_inc(counter);
		scounter_read_est(counter, &estimate);
		KUNIT_EXPECT_EQ(test, estimate.value, 1ULL);
		KUNIT_EXPECT_EQ(test, estimate.flags, SCOUNTER_F_WRAPPED);
		scounter_fetch_reset(counter);
		scounter_read_est(counter, &estimate);
		KUNIT_EXPECT_EQ(test, estimate.flags, 0U);
		scounter_destroy(counter);
	}
}

/* A class in memory: the kind is found out of line, and does the same. */
static void a_class_need_not_be_constant(struct kunit *test)
{
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(word_kinds); i++) {
		struct scounter_class class = class_of(test, word_kinds[i], 0);
		struct scounter_word64 word = SCOUNTER_WORD_INIT;

		OPTIMIZER_HIDE_VAR(class.kind);
		for (j = 1; j <= 100; j++) {
			scounter_word64_inc(&word, &class);
			KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &class), (u64)j);
		}
		scounter_word64_destroy(&word, &class);
	}
}

static struct kunit_case word_cases[] = {
	KUNIT_CASE(numa_range_is_what_the_node_leaves),
	KUNIT_CASE(numa_keeps_the_node_with_the_count),
	KUNIT_CASE(numa_adapt_takes_a_node_only_when_contended),
	KUNIT_CASE(who_starves_stops_nobody),
	KUNIT_CASE(few_words_wait_for_one_that_starves),
	KUNIT_CASE(words_saturate_at_their_end),
	KUNIT_CASE(words_wrap_if_the_class_says_so),
	KUNIT_CASE(named_counters_say_that_they_wrapped),
	KUNIT_CASE(a_class_need_not_be_constant),
	{}
};

static struct kunit_suite word_suite = {
	.name = "scounter_word",
	.test_cases = word_cases,
};
kunit_test_suites(&word_suite);

// SPDX-License-Identifier: GPL-2.0
/* Pairs: over all ends of their parts, and beside a thread that counts. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/scounter_pair.h>

static void expect(struct kunit *test, const struct scounter_pair *pair, u64 events, u64 sum)
{
	struct scounter_pair_values values;

	scounter_pair_read(pair, &values);
	KUNIT_EXPECT_EQ(test, values.events, events);
	KUNIT_EXPECT_EQ(test, values.sum, sum);
}

static void a_pair_counts(struct kunit *test)
{
	struct scounter_pair pair = {};
	u64 i, sum = 0;

	expect(test, &pair, 0, 0);
	for (i = 1; i <= 1000; i++) {
		scounter_pair_add(&pair, i * 97);
		sum += i * 97;
		expect(test, &pair, i, sum);
	}
	scounter_pair_add_many(&pair, 0, 0);
	scounter_pair_add_many(&pair, 0, 5);
	scounter_pair_add_many(&pair, 7, 0);
	expect(test, &pair, 1007, sum + 5);
	/* Refused: they look negative. */
	scounter_pair_add_many(&pair, 1ULL << 63, 1);
	scounter_pair_add_many(&pair, 1, 1ULL << 63);
	expect(test, &pair, 1007, sum + 5);
}

/* Each part goes round many times, alone and with the other. */
static void a_pair_goes_round(struct kunit *test)
{
	static const struct { u32 events_log2, sum_log2; } most[] = {
		{ 0, 16 }, { 0, 38 }, { 22, 0 }, { 22, 38 }, { 25, 41 }, { 3, 39 },
	};
	u64 events = 0, sum = 0, some, part;
	struct scounter_pair pair = {};
	struct rnd_state rnd;
	u32 i, draw;

	prandom_seed_state(&rnd, 1);
	for (i = 0; i < 60000; i++) {
		draw = prandom_u32_state(&rnd) % ARRAY_SIZE(most);
		some = prandom_u32_state(&rnd) & ((1U << most[draw].events_log2) - 1);
		part = prandom_u32_state(&rnd);
		part = (part << 20 ^ prandom_u32_state(&rnd)) & ((1ULL << most[draw].sum_log2) - 1);
		if (some)
			scounter_pair_add_many(&pair, some, part);
		else
			scounter_pair_add(&pair, part);
		events += some ?: 1;
		sum += part;
		if (i % 16 == 0)
			expect(test, &pair, events, sum);
	}
	expect(test, &pair, events, sum);
	KUNIT_EXPECT_GT(test, events, 1ULL << 33);
	KUNIT_EXPECT_GT(test, sum, 1ULL << 50);
}

struct traffic {
	struct scounter_pair pair;
	struct completion done;
	bool stop;
};

static int make_traffic(void *data)
{
	struct traffic *traffic = data;
	u32 i;

	for (i = 0; !READ_ONCE(traffic->stop); i++) {
		if (i % 8)
			scounter_pair_add(&traffic->pair, 1 << 16);
		else
			scounter_pair_add_many(&traffic->pair, 1 << 21, 1ULL << 37);
		cond_resched();
	}
	complete(&traffic->done);
	return 0;
}

static void no_event_is_read_without_its_amount(struct kunit *test)
{
	static struct traffic traffic;
	struct scounter_pair_values values;
	u64 last = 0;
	u32 i;

	init_completion(&traffic.done);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(make_traffic, &traffic, "traffic")));
	for (i = 0; i < 20000; i++) {
		scounter_pair_read(&traffic.pair, &values);
		KUNIT_EXPECT_EQ(test, values.sum, values.events << 16);
		KUNIT_EXPECT_GE(test, values.events, last);
		last = values.events;
		scounter_pair_add(&traffic.pair, 1 << 16);
	}
	WRITE_ONCE(traffic.stop, true);
	wait_for_completion(&traffic.done);
}

static struct kunit_case pair_cases[] = {
	KUNIT_CASE(a_pair_counts),
	KUNIT_CASE(a_pair_goes_round),
	KUNIT_CASE(no_event_is_read_without_its_amount),
	{}
};

static struct kunit_suite pair_suite = {
	.name = "scounter_pair",
	.test_cases = pair_cases,
};
kunit_test_suites(&pair_suite);

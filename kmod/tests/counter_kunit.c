// SPDX-License-Identifier: GPL-2.0
/* Every kind through the public calls, alone and with all CPUs at once. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/scounter.h>
#include <linux/slab.h>

#include "base/refuse.h"
#include "kinds/kind.h"

#define GROUP	"kunit"

/* All but those that lose counts; and the choices. */
#define ROW_KIND(symbol, ...)	SCOUNTER_##symbol,
#define EXACT_ROW(symbol)	SCOUNTER_##symbol,
#define BFP_ROW(symbol)		SCOUNTER_##symbol,
#define MORRIS_ROW(symbol)	SCOUNTER_##symbol,
#define SCALABLE_ROW(symbol)	SCOUNTER_##symbol,
#define LOSSY_ROW(symbol)
#define ROW(symbol, number, name, word, use, family, ...)	family##_ROW(symbol)
static const enum scounter_kind all_kinds[] = {
	SCOUNTER_KIND_TABLE(ROW)
	SCOUNTER_CHOICE_TABLE(ROW_KIND)
};

/* Whose words are added to without a look at what they become. */
static const enum scounter_kind unchecked_kinds[] = {
	SCOUNTER_ATOMIC, SCOUNTER_PERCPU, SCOUNTER_MULTILINE,
};

static struct scounter *create(struct kunit *test, enum scounter_kind kind)
{
	struct scounter *counter;

	counter = scounter_create("counter", GROUP, kind, 0, GFP_KERNEL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
	return counter;
}

static void every_kind_counts(struct kunit *test)
{
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(all_kinds); i++) {
		struct scounter *counter = create(test, all_kinds[i]);
		struct scounter_estimate estimate;

		kunit_info(test, "%s\n", scounter_kind_name(all_kinds[i]));
		KUNIT_EXPECT_EQ(test, scounter_read(counter), 0ULL);
		for (j = 0; j < 1000; j++)
			scounter_inc(counter);
		scounter_add(counter, 234);
		scounter_add(counter, 0);
		scounter_read_est(counter, &estimate);
		KUNIT_EXPECT_EQ(test, estimate.value, 1234ULL);
		KUNIT_EXPECT_EQ(test, estimate.lower, 1234ULL);
		KUNIT_EXPECT_EQ(test, estimate.upper, 1234ULL);
		KUNIT_EXPECT_EQ(test, estimate.error_ppm, 0U);
		KUNIT_EXPECT_EQ(test, estimate.flags, 0U);
		scounter_destroy(counter);
	}
}

/* Exact ones that can be embedded, beyond what any word of another kind could hold. */
static void every_exact_word_counts(struct kunit *test)
{
	const u64 first = 1 << 28;
	u32 kind, i;

	scounter_for_each_kind(kind, __SCOUNTER_EXACT_KINDS) {
		struct scounter_params params = { .kind = kind };
		struct scounter_word64 word64 = SCOUNTER_WORD_INIT;
		struct scounter_word32 word32 = SCOUNTER_WORD_INIT;
		struct scounter_class class;

		KUNIT_ASSERT_EQ(test, scounter_class_init(&class, &params), 0);
		if (BIT(kind) & __SCOUNTER_WORD64_KINDS) {
			scounter_word64_add(&word64, &class, first);
			for (i = 0; i < 3; i++)
				scounter_word64_inc(&word64, &class);
			KUNIT_EXPECT_EQ(test, scounter_word64_read(&word64, &class), first + 3);
			scounter_word64_destroy(&word64, &class);
		} else if (BIT(kind) & __SCOUNTER_WORD32_KINDS) {
			scounter_word32_add(&word32, &class, first);
			for (i = 0; i < 3; i++)
				scounter_word32_inc(&word32, &class);
			KUNIT_EXPECT_EQ(test, scounter_word32_read(&word32, &class), first + 3);
		}
	}
}

static void count_with_known_kind(struct scounter *counter, enum scounter_kind kind)
{
#define COUNT_IF(constant) do {				\
	if (kind == (constant))				\
		scounter_inc_kind(counter, constant);	\
} while (0)
#define COUNT_ROW(symbol, ...)	COUNT_IF(SCOUNTER_##symbol);
	SCOUNTER_KIND_TABLE(COUNT_ROW)
	SCOUNTER_CHOICE_TABLE(COUNT_ROW)
#undef COUNT_ROW
#undef COUNT_IF
}

static void known_kind_is_the_same_counter(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all_kinds); i++) {
		struct scounter *counter = create(test, all_kinds[i]);

		count_with_known_kind(counter, all_kinds[i]);
		scounter_inc(counter);
		KUNIT_EXPECT_EQ(test, scounter_read(counter), 2ULL);
		scounter_destroy(counter);
	}
}

static void every_kind_resets(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all_kinds); i++) {
		struct scounter *counter = create(test, all_kinds[i]);

		scounter_add(counter, 500);
		KUNIT_EXPECT_EQ(test, scounter_fetch_reset(counter), 500ULL);
		KUNIT_EXPECT_EQ(test, scounter_read(counter), 0ULL);
		scounter_inc(counter);
		KUNIT_EXPECT_EQ(test, scounter_fetch_reset(counter), 1ULL);
		KUNIT_EXPECT_EQ(test, scounter_fetch_reset(counter), 0ULL);
		scounter_destroy(counter);
	}
}

/* 2^63 is counted, and said to be beyond the range; so is what wraps. */
static void overflow_of_unchecked_kinds_is_seen(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(unchecked_kinds); i++) {
		struct scounter *counter = create(test, unchecked_kinds[i]);
		struct scounter_estimate estimate;

		scounter_add(counter, (1ULL << 63) - 1);
		scounter_read_est(counter, &estimate);
		KUNIT_EXPECT_EQ(test, estimate.flags, 0U);
		scounter_fetch_reset(counter);
		scounter_destroy(counter);

		counter = create(test, unchecked_kinds[i]);
		/* One word must take all: no migration in between. */
		migrate_disable();
		scounter_add(counter, S64_MAX);
		scounter_add(counter, 1);
		scounter_read_est(counter, &estimate);
		KUNIT_EXPECT_EQ(test, estimate.value, 1ULL << 63);
		KUNIT_EXPECT_EQ(test, estimate.flags, SCOUNTER_F_OVERFLOW);
		scounter_add(counter, S64_MAX);
		scounter_add(counter, 1);
		migrate_enable();
		scounter_read_est(counter, &estimate);
		KUNIT_EXPECT_EQ(test, estimate.value, 0ULL);
		KUNIT_EXPECT_EQ(test, estimate.flags, SCOUNTER_F_OVERFLOW);
		scounter_fetch_reset(counter);
		scounter_read_est(counter, &estimate);
		KUNIT_EXPECT_EQ(test, estimate.flags, 0U);
		scounter_destroy(counter);
	}
}

/* Of the caller that was refused for the first time last. */
static struct scounter_refusal last_refusal(void)
{
	struct scounter_refusal refusal = {};
	u32 i;

	for (i = 0; scounter_refusal(i, &refusal); i++)
		;
	return refusal;
}

/* One place that adds, so that there is one caller. */
static noinline void add_variable(struct scounter *counter, int n)
{
	scounter_add(counter, n);
}

/* What a variable that went below 0 brings changes nothing, and is said. */
static void negative_amounts_are_refused(struct kunit *test)
{
	unsigned long before = scounter_refusals();
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all_kinds); i++) {
		struct scounter *counter = create(test, all_kinds[i]);
		struct scounter_estimate estimate;

		add_variable(counter, 5);
		add_variable(counter, -1);
		add_variable(counter, INT_MIN);
		scounter_read_est(counter, &estimate);
		KUNIT_EXPECT_EQ(test, estimate.value, 5ULL);
		KUNIT_EXPECT_EQ(test, estimate.upper, 5ULL);
		KUNIT_EXPECT_EQ(test, estimate.flags, 0U);
		scounter_destroy(counter);
	}
	KUNIT_EXPECT_EQ(test, scounter_refusals() - before, 2 * ARRAY_SIZE(all_kinds));
	KUNIT_EXPECT_EQ(test, last_refusal().times, 2 * ARRAY_SIZE(all_kinds));
	KUNIT_EXPECT_EQ(test, last_refusal().amount, -1LL);
	KUNIT_EXPECT_STREQ(test, last_refusal().name, "counter");
}

static void negative_amounts_are_refused_by_words(struct kunit *test)
{
	static const struct scounter_class small = SCOUNTER_CLASS(SCOUNTER_BFP_DUP, 0);
	static const struct scounter_class large = SCOUNTER_CLASS(SCOUNTER_CAS, 0);
	struct scounter_word32 word32 = SCOUNTER_WORD_INIT;
	struct scounter_word64 word64 = SCOUNTER_WORD_INIT;
	unsigned long before = scounter_refusals();

	__scounter_word32_add(&word32, &small, -7);
	KUNIT_EXPECT_EQ(test, scounter_word32_read(&word32, &small), 0ULL);
	KUNIT_EXPECT_STREQ(test, last_refusal().name, "");
	__scounter_word64_add(&word64, &large, -7);
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&word64, &large), 0ULL);
	KUNIT_EXPECT_EQ(test, last_refusal().amount, -7LL);
	KUNIT_EXPECT_EQ(test, scounter_refusals() - before, 2UL);
}

static DEFINE_SCOUNTER(static_multiline, SCOUNTER_MULTILINE, 0);
static DEFINE_SCOUNTER(static_percpu, SCOUNTER_PERCPU, 0);
static DEFINE_SCOUNTER(static_cohort, SCOUNTER_COHORT, 0);
static DEFINE_SCOUNTER(static_exact, SCOUNTER_EXACT, 0);
static DEFINE_SCOUNTER(static_approx, SCOUNTER_APPROX, 20000);
static DEFINE_SCOUNTER(static_morris, SCOUNTER_MORRIS, 5000);
static DEFINE_SCOUNTER(static_scalable, SCOUNTER_SCALABLE, 0);

/* Counted before, between and after registration: all of it is there. */
static void static_counter_counts_throughout(struct kunit *test)
{
	struct scounter *counters[] = {
		&static_multiline, &static_percpu, &static_cohort, &static_exact,
		&static_approx, &static_morris, &static_scalable,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		struct scounter *counter = counters[i];

		scounter_fetch_reset(counter);
		scounter_inc(counter);
		count_with_known_kind(counter, counter->class.kind);
		scounter_add(counter, 10);
		KUNIT_EXPECT_EQ(test, scounter_read(counter), 12ULL);
		KUNIT_ASSERT_EQ(test, scounter_register(counter, "static", GROUP), 0);
		KUNIT_EXPECT_EQ(test, scounter_register(counter, "twice", GROUP), -EBUSY);
		KUNIT_EXPECT_EQ(test, scounter_read(counter), 12ULL);
		scounter_inc(counter);
		count_with_known_kind(counter, counter->class.kind);
		KUNIT_EXPECT_EQ(test, scounter_read(counter), 14ULL);
		scounter_unregister(counter);
		scounter_unregister(counter);
		scounter_inc(counter);
		KUNIT_EXPECT_EQ(test, scounter_read(counter), 15ULL);
	}
}

static void a_dummy_is_not_registered(struct kunit *test)
{
	struct scounter *dummy = scounter_or_dummy(ERR_PTR(-ENOMEM), SCOUNTER_APPROX);

	KUNIT_EXPECT_EQ(test, scounter_register(dummy, "dummy", GROUP), -EINVAL);
	scounter_unregister(dummy);
	scounter_unregister(NULL);
	scounter_unregister(ERR_PTR(-ENOMEM));
	scounter_destroy(dummy);
}

static void expect_same_class(struct kunit *test, const struct scounter_class *constant,
			      enum scounter_kind kind, u32 ppm)
{
	const struct scounter_params params = { .kind = kind, .error_ppm = ppm };
	struct scounter_class class;

	KUNIT_ASSERT_EQ(test, scounter_class_init(&class, &params), 0);
	KUNIT_EXPECT_EQ(test, class.kind, constant->kind);
	KUNIT_EXPECT_EQ(test, class.limit, constant->limit);
	KUNIT_EXPECT_EQ(test, class.theta, constant->theta);
	KUNIT_EXPECT_EQ(test, class.threshold_log2, constant->threshold_log2);
	KUNIT_EXPECT_EQ(test, class.flags, constant->flags);
}

/* What the header computes of constants, and the module of variables. */
static void class_at_run_time_is_the_same(struct kunit *test)
{
#define SAME(kind, ppm) do {							\
	static const struct scounter_class constant = SCOUNTER_CLASS(kind, ppm);	\
										\
	expect_same_class(test, &constant, kind, ppm);				\
} while (0)
#define SAME_AT_ALL(kind) do {		\
	SAME(kind, 0);			\
	SAME(kind, 5000);		\
	SAME(kind, 7071);		\
	SAME(kind, 10000);		\
	SAME(kind, 12345);		\
	SAME(kind, 20000);		\
	SAME(kind, 50000);		\
	SAME(kind, 200000);		\
} while (0)
	SAME_AT_ALL(SCOUNTER_BFP_DUP);
	SAME_AT_ALL(SCOUNTER_BFP_CSUP);
	SAME_AT_ALL(SCOUNTER_APPROX);
	SAME_AT_ALL(SCOUNTER_MORRIS);
	SAME_AT_ALL(SCOUNTER_MORRIS_ADAPT);
	SAME_AT_ALL(SCOUNTER_SCALABLE);
	SAME_AT_ALL(SCOUNTER_SCALABLE32);
	SAME(SCOUNTER_CAS, 0);
	SAME(SCOUNTER_MULTILINE_ADAPT, 0);
	SAME(SCOUNTER_EXACT, 0);
#undef SAME_AT_ALL
#undef SAME
	expect_same_class(test, &static_exact.class, SCOUNTER_EXACT, 0);
	expect_same_class(test, &static_morris.class, SCOUNTER_MORRIS, 5000);
	expect_same_class(test, &static_multiline.class, SCOUNTER_MULTILINE, 0);
}

/* Dice, Lev & Moir 2013: a = 5000 for 1 %; Ayers 2023: 2^13. */
static void classes_are_the_papers(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, static_scalable.class.limit, 8192U);
	KUNIT_EXPECT_EQ(test, static_morris.class.morris_a, 20000U);
	expect_same_class(test, &(const struct scounter_class) {
				.kind = SCOUNTER_MORRIS, .morris_a = 5000,
				.threshold_log2 = 14, .limit = 16384 - 5000,
			  }, SCOUNTER_MORRIS, 10000);
}

static void class_refuses_what_it_cannot_do(struct kunit *test)
{
	static const struct {
		struct scounter_params params;
		int err;
	} refused[] = {
		{ { .kind = 0 }, -EINVAL },
		{ { .kind = __SCOUNTER_KINDS + 1 }, -EINVAL },
		{ { .kind = 255 }, -EINVAL },
		{ { .kind = SCOUNTER_BFP_DUP, .error_ppm = 4999 }, -ERANGE },
		{ { .kind = SCOUNTER_MORRIS, .error_ppm = 200001 }, -ERANGE },
		{ { .kind = SCOUNTER_CAS, .error_ppm = 10000 }, -ERANGE },
		{ { .kind = SCOUNTER_CAS, .flags = SCOUNTER_CLASS_SENSITIVE }, -EINVAL },
		{ { .kind = SCOUNTER_CAS, .granularity_log2 = 10 }, -EINVAL },
		{ { .kind = SCOUNTER_CAS, .components = 2 }, -EINVAL },
		{ { .kind = SCOUNTER_CAS, .flags = 0x80 }, -EINVAL },
		{ { .kind = SCOUNTER_SCALABLE, .flags = SCOUNTER_CLASS_CAPPED }, -EINVAL },
		{ { .kind = SCOUNTER_ATOMIC, .flags = SCOUNTER_CLASS_WRAP }, -EINVAL },
		{ { .kind = SCOUNTER_CAS, .flags = SCOUNTER_CLASS_RESETS }, -EINVAL },
		{ { .kind = SCOUNTER_SCALABLE, .granularity_log2 = 63 }, -ERANGE },
		{ { .kind = SCOUNTER_MULTILINE, .components = 3 }, -ERANGE },
		{ { .kind = SCOUNTER_MULTILINE, .components = 16 }, -ERANGE },
	};
	struct scounter_class class;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		KUNIT_EXPECT_EQ(test, scounter_class_init(&class, &refused[i].params),
				refused[i].err);
}

static void kinds_have_names(struct kunit *test)
{
	u32 i;

	for (i = 1; i <= __SCOUNTER_KINDS; i++)
		KUNIT_EXPECT_EQ(test, (int)i,
				scounter_kind_by_name(scounter_kind_name(i)));
	KUNIT_EXPECT_EQ(test, scounter_kind_by_name("exact"), (int)SCOUNTER_EXACT);
	KUNIT_EXPECT_EQ(test, scounter_kind_by_name("approx"), (int)SCOUNTER_APPROX);
	KUNIT_EXPECT_EQ(test, scounter_kind_by_name("nonsense"), -EINVAL);
	KUNIT_EXPECT_STREQ(test, scounter_kind_name(SCOUNTER_EXACT), "multiline_adapt");
	KUNIT_EXPECT_PTR_EQ(test, scounter_kind_name(0), (const char *)NULL);
	KUNIT_EXPECT_PTR_EQ(test, scounter_kind_name(__SCOUNTER_KINDS + 1),
			    (const char *)NULL);
}

static void expect_named(struct kunit *test, enum scounter_kind kind, const char *choice)
{
	const struct scounter_params params = { .kind = kind };
	struct scounter_class class;
	char name[32];

	KUNIT_ASSERT_EQ(test, scounter_class_init(&class, &params), 0);
	snprintf(name, sizeof(name), "%s:%s", choice, scounter_kind_name(kind));
	KUNIT_EXPECT_STREQ(test, scounter_class_name(&class), (const char *)name);
}

/* What a choice stands for is not what was asked for. */
static void what_was_chosen_is_named(struct kunit *test)
{
	static const struct scounter_class plain[] = {
		SCOUNTER_CLASS(SCOUNTER_BFP_CSUP, 0), SCOUNTER_CLASS(SCOUNTER_MULTILINE_ADAPT, 0),
	};
	const struct scounter_params four = { .kind = SCOUNTER_MULTILINE_ADAPT, .components = 4 };
	const struct scounter_params forged = { .kind = SCOUNTER_BFP_CSUP,
						.flags = SCOUNTER_CLASS_CHOSEN };
	struct scounter_class class;

	expect_named(test, SCOUNTER_EXACT, "exact");
	expect_named(test, SCOUNTER_APPROX, "approx");
	KUNIT_EXPECT_STREQ(test, scounter_class_name(&plain[0]), "bfp_csup");
	KUNIT_EXPECT_STREQ(test, scounter_class_name(&plain[1]), "multiline_adapt");
	KUNIT_ASSERT_EQ(test, scounter_class_init(&class, &four), 0);
	KUNIT_EXPECT_STREQ(test, scounter_class_name(&class), "multiline_adapt");
	KUNIT_EXPECT_EQ(test, scounter_class_init(&class, &forged), -EINVAL);
}

/* All CPUs on one counter. */
#define INCREMENTS	200000

struct hammer {
	struct scounter *counter;
	struct completion *start;
	struct completion done;
	u64 resets;
};

static int hammer(void *data)
{
	struct hammer *hammer = data;
	u32 i;

	wait_for_completion(hammer->start);
	for (i = 0; i < INCREMENTS; i++) {
		scounter_inc(hammer->counter);
		if (i % 8 == 0)
			scounter_add(hammer->counter, 7);
		if (i % 1024 == 0)
			cond_resched();
		if (i % 4096 == 0)
			hammer->resets += scounter_fetch_reset(hammer->counter);
	}
	complete(&hammer->done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* What all resets returned and what is left, after all CPUs have counted. */
static u64 hammer_all_cpus(struct kunit *test, struct scounter *counter)
{
	struct task_struct **threads;
	struct hammer *hammers;
	struct completion start;
	u64 total = 0;
	int cpu;

	threads = kunit_kcalloc(test, nr_cpu_ids, sizeof(*threads), GFP_KERNEL);
	hammers = kunit_kcalloc(test, nr_cpu_ids, sizeof(*hammers), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, threads);
	KUNIT_ASSERT_NOT_NULL(test, hammers);
	init_completion(&start);
	for_each_online_cpu(cpu) {
		hammers[cpu].counter = counter;
		hammers[cpu].start = &start;
		init_completion(&hammers[cpu].done);
		threads[cpu] = kthread_create_on_cpu(hammer, &hammers[cpu], cpu,
						     "hammer/%u");
		KUNIT_ASSERT_FALSE(test, IS_ERR(threads[cpu]));
		wake_up_process(threads[cpu]);
	}
	complete_all(&start);
	for_each_online_cpu(cpu) {
		/* A thread that is stopped before it runs never runs. */
		wait_for_completion(&hammers[cpu].done);
		kthread_stop(threads[cpu]);
		total += hammers[cpu].resets;
	}
	return total + scounter_read(counter);
}

static void exact_kinds_lose_nothing(struct kunit *test)
{
	u64 expected = num_online_cpus() * (INCREMENTS + INCREMENTS / 8 * 7ULL);
	u32 kind;

	scounter_for_each_kind(kind, __SCOUNTER_EXACT_KINDS) {
		struct scounter *counter = create(test, kind);

		KUNIT_EXPECT_EQ(test, hammer_all_cpus(test, counter), expected);
		scounter_destroy(counter);
	}
}

/*
 * The resets keep the counts below some 20000, of which each is known to 1.2 %
 * or better, independently: 8 % of the total is far beyond 6.5 deviations.
 */
static void approximate_kinds_lose_nothing_in_the_mean(struct kunit *test)
{
	u64 expected = num_online_cpus() * (INCREMENTS + INCREMENTS / 8 * 7ULL);
	u32 kind;

	scounter_for_each_kind(kind, __SCOUNTER_APPROX_KINDS) {
		struct scounter *counter = create(test, kind);
		u64 total = hammer_all_cpus(test, counter);

		KUNIT_EXPECT_GT(test, total, expected / 100 * 92);
		KUNIT_EXPECT_LT(test, total, expected / 100 * 108);
		scounter_destroy(counter);
	}
}

static struct kunit_case counter_cases[] = {
	KUNIT_CASE(every_kind_counts),
	KUNIT_CASE(every_exact_word_counts),
	KUNIT_CASE(known_kind_is_the_same_counter),
	KUNIT_CASE(every_kind_resets),
	KUNIT_CASE(overflow_of_unchecked_kinds_is_seen),
	KUNIT_CASE(negative_amounts_are_refused),
	KUNIT_CASE(negative_amounts_are_refused_by_words),
	KUNIT_CASE(static_counter_counts_throughout),
	KUNIT_CASE(a_dummy_is_not_registered),
	KUNIT_CASE(class_at_run_time_is_the_same),
	KUNIT_CASE(classes_are_the_papers),
	KUNIT_CASE(class_refuses_what_it_cannot_do),
	KUNIT_CASE(kinds_have_names),
	KUNIT_CASE(what_was_chosen_is_named),
	KUNIT_CASE(exact_kinds_lose_nothing),
	KUNIT_CASE(approximate_kinds_lose_nothing_in_the_mean),
	{}
};

static struct kunit_suite counter_suite = {
	.name = "scounter_counter",
	.test_cases = counter_cases,
};
kunit_test_suites(&counter_suite);

// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of a kernel that has scounter built in: what is counted before the initcalls,
 * and named before there is a place for files.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/scounter.h>

#define GROUP	"kunit_early"
#define EVENTS	100000U

#ifndef MODULE
static DEFINE_SCOUNTER(exact, SCOUNTER_EXACT, 0);
static DEFINE_SCOUNTER(rbo_numa, SCOUNTER_RBO_NUMA, 0);
static DEFINE_SCOUNTER(approx, SCOUNTER_APPROX, 0);
static DEFINE_SCOUNTER(scalable, SCOUNTER_SCALABLE, 0);
static DEFINE_SCOUNTER(morris, SCOUNTER_MORRIS, 0);

static struct {
	struct scounter *counter;
	const char *name;
} early[] = {
	{ &exact, "exact" }, { &rbo_numa, "rbo_numa" }, { &approx, "approx" },
	{ &scalable, "scalable" }, { &morris, "morris" },
};

static int err_too_early, err_in_time;
static struct scounter *forgotten;

/* The first CPU, with interrupts on, before all initcalls. */
static int __init early_count(void)
{
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(early); i++)
		for (n = 0; n < EVENTS; n++)
			scounter_inc(early[i].counter);
	err_too_early = scounter_register(&exact, "exact", GROUP);
	return 0;
}
console_initcall(early_count);

static int __init early_name(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(early) && !err_in_time; i++)
		err_in_time = scounter_register(early[i].counter, early[i].name, GROUP);
	forgotten = scounter_create("forgotten", GROUP, SCOUNTER_EXACT, 0, GFP_KERNEL);
	scounter_destroy(forgotten);
	return 0;
}
early_initcall(early_name);

static void what_came_before_all_is_counted(struct kunit *test)
{
	struct scounter_estimate estimate;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(early); i++) {
		scounter_read_est(early[i].counter, &estimate);
		kunit_info(test, "%s: %llu, %llu to %llu\n", early[i].name, estimate.value,
			   estimate.lower, estimate.upper);
		KUNIT_EXPECT_LE(test, estimate.lower, (u64)EVENTS);
		KUNIT_EXPECT_GE(test, estimate.upper, (u64)EVENTS);
	}
	KUNIT_EXPECT_EQ(test, scounter_read(&exact), (u64)EVENTS);
	KUNIT_EXPECT_EQ(test, scounter_read(&rbo_numa), (u64)EVENTS);
}

static void early_initcalls_name_counters(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, err_too_early, -EWOULDBLOCK);
	KUNIT_EXPECT_EQ(test, err_in_time, 0);
	KUNIT_EXPECT_FALSE(test, IS_ERR(forgotten));
	KUNIT_EXPECT_EQ(test, scounter_register(&exact, "again", GROUP), -EBUSY);
	/* Its name is free, and its files were never made. */
	forgotten = scounter_create("forgotten", GROUP, SCOUNTER_EXACT, 0, GFP_KERNEL);
	KUNIT_EXPECT_FALSE(test, IS_ERR(forgotten));
	scounter_destroy(forgotten);
}

static struct kunit_case early_cases[] = {
	KUNIT_CASE(what_came_before_all_is_counted),
	KUNIT_CASE(early_initcalls_name_counters),
	{}
};

static struct kunit_suite early_suite = {
	.name = "scounter_early",
	.test_cases = early_cases,
};
kunit_test_suite(early_suite);
#endif

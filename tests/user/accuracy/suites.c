// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "stats.h"
#include "suites.h"
#include "util.h"

static const struct test *const suites[] = {
	draw_tests, gap_tests, exact_tests, word_tests, count_tests,
	contention_tests, pace_tests,
	value_tests, bounds_tests, range_tests, stripes_tests, resets_tests,
	reached_tests, sum_tests, trace_tests, dummy_tests, set_tests,
	family_tests,
};

static u64 master;
static u64 seed_now;
static char description[160];

void describe(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(description, sizeof(description), format, arguments);
	va_end(arguments);
}

u64 test_seed(void)
{
	return seed_now;
}

u64 master_seed(void)
{
	return master;
}

static void run_case(const struct test *test, u32 which)
{
	bool passed;

	seed_now = derive_seed(master, test->name, which);
	*description = '\0';
	passed = test->run(which);
	ok(passed, "%s%s%s", test->name, *description ? ": " : "", description);
}

int suites_run(u64 seed, const char *part)
{
	const struct test *test;
	u32 i, which, planned = 0;

	master = seed;
	for (i = 0; i < ARRAY_SIZE(suites); i++)
		for (test = suites[i]; test->name; test++)
			if (strstr(test->name, part))
				planned += test->cases;

	tap_plan(planned);
	comment("seed %llu", seed);
	comment("a test of chance may fail without cause: at most 1e-9 each,");
	comment("but %.1e for each unbiased mean (%g standard errors);",
		normal_tails(MEAN_LIMIT), MEAN_LIMIT);
	comment("the seed is fixed, so that it always passes or always fails");
	for (i = 0; i < ARRAY_SIZE(suites); i++)
		for (test = suites[i]; test->name; test++)
			for (which = 0; strstr(test->name, part) && which < test->cases; which++)
				run_case(test, which);
	if (tap_failures())
		comment("%u of %u failed", tap_failures(), planned);
	return tap_status();
}

// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "stats.h"
#include "tap.h"
#include "util.h"

static const struct test *const suites[] = {
	draw_tests, gap_tests, exact_tests, word_tests, count_tests,
	contention_tests,
	value_tests, bounds_tests, range_tests,
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

void comment(const char *format, ...)
{
	va_list arguments;

	fputs("# ", stdout);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

u64 test_seed(void)
{
	return seed_now;
}

u64 master_seed(void)
{
	return master;
}

static bool run_case(const struct test *test, u32 which, u32 number)
{
	bool passed;

	seed_now = derive_seed(master, test->name, which);
	*description = '\0';
	passed = test->run(which);
	printf("%sok %u - %s%s%s\n", passed ? "" : "not ", number, test->name,
	       *description ? ": " : "", description);
	fflush(stdout);
	return passed;
}

int tap_run(u64 seed, const char *part)
{
	const struct test *test;
	u32 number = 0, failures = 0, planned = 0;
	u32 i, which;

	master = seed;
	for (i = 0; i < ARRAY_SIZE(suites); i++)
		for (test = suites[i]; test->name; test++)
			if (strstr(test->name, part))
				planned += test->cases;

	printf("1..%u\n", planned);
	comment("seed %llu", seed);
	comment("a test of chance may fail without cause: at most 1e-9 each,");
	comment("but %.1e for each unbiased mean (%g standard errors);",
		normal_tails(MEAN_LIMIT), MEAN_LIMIT);
	comment("the seed is fixed, so that it always passes or always fails");
	for (i = 0; i < ARRAY_SIZE(suites); i++)
		for (test = suites[i]; test->name; test++)
			for (which = 0; strstr(test->name, part) && which < test->cases; which++)
				failures += !run_case(test, which, ++number);
	if (failures)
		comment("%u of %u failed", failures, planned);
	return failures ? 1 : 0;
}

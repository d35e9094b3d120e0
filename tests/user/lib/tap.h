/* SPDX-License-Identifier: GPL-2.0 */
/* How a program reports its tests: TAP, the Test Anything Protocol. */
#ifndef _LIB_TAP_H
#define _LIB_TAP_H

#include <stdbool.h>

/* "1..N", before the first test or after the last. */
void tap_plan(unsigned int tests);

/* The line of one test.  Returns @passed. */
bool ok(bool passed, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line that is no result. */
void comment(const char *format, ...) __attribute__((format(printf, 1, 2)));

unsigned int tap_tests(void);
unsigned int tap_failures(void);

/* Something else than a test failed: so does the program. */
void tap_fail(void);

/* The program's exit status: 1 if anything failed, else 0. */
int tap_status(void);

struct tap_test {
	const char *name;
	bool (*run)(void);
};

/*
 * Run each test in a process of its own, which is ended after @seconds (0: never).
 * With @only, run those with that text in their names: they keep their numbers, and
 * there is no plan.  Returns the exit status: 1 also if no test was run.
 */
int tap_processes(const struct tap_test *tests, unsigned int count, const char *only,
		  unsigned int seconds);

#endif /* _LIB_TAP_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The tests of this program. */
#ifndef _ACCURACY_SUITES_H
#define _ACCURACY_SUITES_H

#include <linux/types.h>

#include "tap.h"

/* A test, or as many tests as there are cases. */
struct test {
	const char *name;
	u32 cases;
	/* Tests case number `which`; says what it is with describe(). */
	bool (*run)(u32 which);
};

/* Each ends with an entry that has no name. */
extern const struct test draw_tests[];
extern const struct test gap_tests[];
extern const struct test exact_tests[];
extern const struct test word_tests[];
extern const struct test count_tests[];
extern const struct test contention_tests[];
extern const struct test pace_tests[];
extern const struct test value_tests[];
extern const struct test bounds_tests[];
extern const struct test range_tests[];
extern const struct test stripes_tests[];
extern const struct test resets_tests[];
extern const struct test reached_tests[];
extern const struct test sum_tests[];
extern const struct test dummy_tests[];
extern const struct test set_tests[];
extern const struct test trace_tests[];
extern const struct test family_tests[];

/* What comes after the name in the line of this case. */
void describe(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The seed of this case: of no other case, of another name or master seed. */
u64 test_seed(void);

/* The seed that all others are derived from. */
u64 master_seed(void);

/* Run all tests with @part in their names; the program's exit status. */
int suites_run(u64 seed, const char *part);

#endif /* _ACCURACY_SUITES_H */

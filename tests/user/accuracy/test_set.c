// SPDX-License-Identifier: GPL-2.0
/* Reading all counters of a large set: who may sleep lets other tasks run. */
#include <linux/kernel.h>
#include <linux/sched.h>

#include "set/set.h"
#include "suites.h"

#define ROWS	1000

static const struct scounter_set_row rows[ROWS] = {
	[0 ... ROWS - 1] = SCOUNTER_SET_ROW("row", SCOUNTER_APPROX, 0, NULL, NULL),
};

static const struct scounter_set_desc desc = {
	.rows = rows, .count = ROWS, .flags = SCOUNTER_SET_WORDS32,
};

/* That of kmod/set/set.c, without a test that there is such a row. */
void scounter_set_read_est(const struct scounter_set *set, u32 row,
			   struct scounter_estimate *estimate)
{
	struct scounter_ref ref = scounter_set_ref(set, row);

	scounter_set_ops(set, row)->read_est(&ref, estimate);
}

/* How often that happens in two passes: one that reads, one that finds no change. */
static bool test_rescheds(u32 may_sleep)
{
	static SCOUNTER_SET32_OF(ROWS) many = { .set.desc = &desc };
	static struct scounter_estimate all[ROWS];
	unsigned long before = shim_this.rescheds;

	describe("%s lets other tasks run between its rows", may_sleep ? "a reader that may sleep" :
		 "no other");
	return scounter_set_read_moment(&many.set, all, may_sleep) &&
	       shim_this.rescheds - before == (may_sleep ? 2 * (ROWS / 64) : 0);
}

const struct test set_tests[] = {
	{ "sets", 2, test_rescheds },
	{ }
};

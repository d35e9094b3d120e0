// SPDX-License-Identifier: GPL-2.0
/*
 * Reading all counters of a large set.  A reader that may sleep lets other tasks run.  A
 * reader that finds no moment at which all had their values says so.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "set/set.h"
#include "suites.h"

#define ROWS	1000

static const struct scounter_set_row rows[ROWS] = {
	[0 ... ROWS - 1] = SCOUNTER_SET_ROW("row", SCOUNTER_APPROX, 0, NULL, NULL),
};

static const struct scounter_set_desc desc = {
	.rows = rows, .count = ROWS, .flags = SCOUNTER_SET_WORDS32,
};

/* So many events more are counted in row 0, one whenever a row has been read. */
static u32 others;

/* That of kmod/set/set.c, without a test that there is such a row. */
void scounter_set_read_est(const struct scounter_set *set, u32 row,
			   struct scounter_estimate *estimate)
{
	struct scounter_ref ref = scounter_set_ref(set, row);

	scounter_set_ops(set, row)->read_est(&ref, estimate);
	if (others) {
		others--;
		scounter_word32_inc(scounter_set_ref(set, 0).word32, &rows[0].class);
	}
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

/* ROWS events come while all rows are read, then one in each pass over them. */
static bool test_never_settles(u32 passes)
{
	static SCOUNTER_SET32_OF(ROWS) many = { .set.desc = &desc };
	static struct scounter_estimate all[ROWS];
	bool settles = passes < 15, settled;

	/* So that all are counted exactly. */
	memset(many.words, 0, sizeof(many.words));
	others = ROWS + passes;
	settled = scounter_set_read_moment(&many.set, all, false);
	describe("events in %u passes: values of %s moment", passes, settles ? "one" : "no");
	/* Of sixteen passes each finds what came in the one before it. */
	return settled == settles && all[0].value == ROWS + min(passes, 15U) &&
	       others == max(passes, 16U) - 16 && !all[ROWS - 1].value;
}

const struct test set_tests[] = {
	{ "sets", 2, test_rescheds },
	{ "sets", 20, test_never_settles },
	{ }
};

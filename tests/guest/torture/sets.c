// SPDX-License-Identifier: GPL-2.0
/* Sets come and go beside readers, under names that counters fight for, too. */
#include <linux/err.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/scounter_set.h>

#include "torture.h"

enum { EXACT, APPROX, MORRIS, CAS, ROWS };

static const struct scounter_set_row rows[ROWS] = {
	[EXACT] = SCOUNTER_SET_ROW("exact", SCOUNTER_EXACT, 0, "events", "Exact."),
	[APPROX] = SCOUNTER_SET_ROW("approx", SCOUNTER_APPROX, 0, "events", NULL),
	[MORRIS] = SCOUNTER_SET_ROW("morris", SCOUNTER_MORRIS, 0, NULL, NULL),
	[CAS] = SCOUNTER_SET_ROW("cas", SCOUNTER_CAS, 0, NULL, NULL),
};

#define DESC(where)	{ .group = "churn", .rows = rows, .count = ROWS, .hide = (where) }

static const struct scounter_set_desc descs[] = {
	DESC(0), DESC(SCOUNTER_HIDE_SYSFS), DESC(SCOUNTER_HIDE_DEBUGFS),
	DESC(SCOUNTER_HIDE_FILES), DESC(SCOUNTER_HIDE_ALL),
};

static const struct subject sets = { .name = "sets" };

/* Few enough to be exact in all kinds. */
static void count(struct scounter_set *set)
{
	struct scounter_estimate all[ROWS];
	u32 row, i;

	for (row = 0; row < ROWS; row++) {
		for (i = 0; i < 100; i++)
			scounter_set_inc(set, row);
		scounter_set_add(set, row, 23 + row);
	}
	/* Its maker alone counts in it. */
	torture_expect(&sets, scounter_set_read_all(set, all), "not of one moment");
	for (row = 0; row < ROWS; row++)
		torture_expect(&sets, all[row].value == 123 + row, "%llu of %u in row %u",
			       all[row].value, 123 + row, row);
}

void torture_churn_set(const char *name)
{
	const struct scounter_set_desc *desc = &descs[get_random_u32() % ARRAY_SIZE(descs)];
	struct scounter_set *set = scounter_set_create(desc, name, GFP_KERNEL);

	if (IS_ERR(set)) {
		torture_expect(&sets, PTR_ERR(set) == -EEXIST || PTR_ERR(set) == -ENOMEM,
			       "%s is not created: %ld", name, PTR_ERR(set));
		return;
	}
	count(set);
	preempt_disable();
	scounter_set_destroy(set);
	preempt_enable();
}

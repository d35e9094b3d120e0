// SPDX-License-Identifier: GPL-2.0
/* Creates many counters, or sets, and nothing more: for what reads all of them. */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/scounter_set.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

static uint n = 10000;
module_param(n, uint, 0400);

static uint hide;
module_param(hide, uint, 0400);
MODULE_PARM_DESC(hide, "1: not in sysfs; 2: not in debugfs; 4: not in snapshots");

static uint rows;
module_param(rows, uint, 0400);
MODULE_PARM_DESC(rows, "each is a set of so many counters, 10 at most; 0: each is a counter");

static bool apart;
module_param(apart, bool, 0400);
MODULE_PARM_DESC(apart, "each in a group of its own");

static bool forget;
module_param(forget, bool, 0400);
MODULE_PARM_DESC(forget, "leave them behind when the module goes");

static ulong made_ns;
module_param(made_ns, ulong, 0400);
MODULE_PARM_DESC(made_ns, "shows in how many nanoseconds they were made");

#define ROW(text)	SCOUNTER_SET_ROW("row" text, SCOUNTER_APPROX, 0, "events", "A counter.")

static const struct scounter_set_row set_rows[] = {
	ROW("0"), ROW("1"), ROW("2"), ROW("3"), ROW("4"),
	ROW("5"), ROW("6"), ROW("7"), ROW("8"), ROW("9"),
};

static struct scounter_set_desc desc = {
	.rows = set_rows, .flags = SCOUNTER_SET_WORDS32,
};

static void **counters;

static void destroy(void *counter)
{
	if (rows)
		scounter_set_destroy(counter);
	else
		scounter_destroy(counter);
}

static void destroy_all(void)
{
	u32 i;

	for (i = 0; i < n; i++) {
		destroy(counters[i]);
		cond_resched();
	}
}

static void many_exit(void)
{
	if (!forget)
		destroy_all();
	kvfree(counters);
}

static void *create(const char *name)
{
	const struct scounter_params params = { .kind = SCOUNTER_APPROX, .hide = hide };

	if (rows)
		return scounter_set_create(&desc, name, GFP_KERNEL);
	return scounter_create_params(name, apart ? name : NULL, &params, GFP_KERNEL);
}

static int __init many_init(void)
{
	u64 begin = ktime_get_ns();
	char name[16];
	u32 i;

	if (rows > ARRAY_SIZE(set_rows))
		return -EINVAL;
	desc.count = rows;
	desc.hide = hide;
	counters = kvcalloc(n, sizeof(*counters), GFP_KERNEL);
	if (!counters)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "many%u", i);
		counters[i] = create(name);
		if (IS_ERR(counters[i])) {
			int err = PTR_ERR(counters[i]);

			destroy_all();
			kvfree(counters);
			return err;
		}
		cond_resched();
	}
	made_ns = ktime_get_ns() - begin;
	return 0;
}

module_init(many_init);
module_exit(many_exit);

MODULE_DESCRIPTION("scounter test: many counters");
MODULE_LICENSE("GPL");

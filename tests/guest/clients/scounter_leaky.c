// SPDX-License-Identifier: GPL-2.0
/* A client that forgets its counters when it goes, a static one and a set among them. */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/scounter_set.h>

static DEFINE_SCOUNTER(forgotten_static, SCOUNTER_MULTILINE, 0);

static const struct scounter_set_row set_rows[] = {
	SCOUNTER_SET_ROW("one", SCOUNTER_EXACT, 0, NULL, NULL),
};

static const struct scounter_set_desc set_desc = { .rows = set_rows, .count = 1 };

static int __init leaky_init(void)
{
	struct scounter_set *set = scounter_set_create(&set_desc, "forgotten_set", GFP_KERNEL);
	struct scounter *counter;

	if (IS_ERR(set))
		return PTR_ERR(set);
	counter = scounter_create("forgotten", NULL, SCOUNTER_PERCPU, 0, GFP_KERNEL);
	if (IS_ERR(counter))
		return PTR_ERR(counter);
	return scounter_register(&forgotten_static, "forgotten_static", NULL);
}

static void __exit leaky_exit(void)
{
}

module_init(leaky_init);
module_exit(leaky_exit);

MODULE_DESCRIPTION("scounter test: leaves counters behind");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/* Creates many counters, and nothing more: for what reads all of them. */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scounter.h>
#include <linux/slab.h>

static uint n = 10000;
module_param(n, uint, 0400);

static uint hide;
module_param(hide, uint, 0400);
MODULE_PARM_DESC(hide, "1: not in sysfs; 2: not in debugfs; 4: not in snapshots");

static struct scounter **counters;

static void many_exit(void)
{
	u32 i;

	for (i = 0; i < n; i++)
		scounter_destroy(counters[i]);
	kvfree(counters);
}

static int __init many_init(void)
{
	const struct scounter_params params = { .kind = SCOUNTER_APPROX, .hide = hide };
	char name[16];
	u32 i;

	counters = kvcalloc(n, sizeof(*counters), GFP_KERNEL);
	if (!counters)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "many%u", i);
		counters[i] = scounter_create_params(name, NULL, &params, GFP_KERNEL);
		if (IS_ERR(counters[i])) {
			int err = PTR_ERR(counters[i]);

			many_exit();
			return err;
		}
	}
	return 0;
}

module_init(many_init);
module_exit(many_exit);

MODULE_DESCRIPTION("scounter test: many counters");
MODULE_LICENSE("GPL");

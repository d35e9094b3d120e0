// SPDX-License-Identifier: GPL-2.0
/* Creates one counter as its parameters say, and counts `add` events in it. */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/scounter.h>

static char *name = "try";
module_param(name, charp, 0400);
static char *group;
module_param(group, charp, 0400);
static char *kind = "exact";
module_param(kind, charp, 0400);
static uint error;
module_param(error, uint, 0400);
static ulong add;
module_param(add, ulong, 0400);

static struct scounter *counter;

static int __init try_init(void)
{
	counter = scounter_create(name, group, scounter_kind_by_name(kind), error,
				  GFP_KERNEL);
	if (IS_ERR(counter))
		return PTR_ERR(counter);
	scounter_add(counter, add);
	return 0;
}

static void __exit try_exit(void)
{
	scounter_destroy(counter);
}

module_init(try_init);
module_exit(try_exit);

MODULE_DESCRIPTION("scounter test: one counter by parameters");
MODULE_LICENSE("GPL");

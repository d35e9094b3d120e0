// SPDX-License-Identifier: GPL-2.0
/* Creates one counter as its parameters say, and counts `add` and `more` events in it. */
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
static unsigned long long add;
module_param(add, ullong, 0400);
static unsigned long long more;
module_param(more, ullong, 0400);
static bool wrap;
module_param(wrap, bool, 0400);
static bool sensitive;
module_param(sensitive, bool, 0400);
static u8 granularity;
module_param(granularity, byte, 0400);
static u8 components;
module_param(components, byte, 0400);

static struct scounter *counter;

static int __init try_init(void)
{
	const struct scounter_params params = {
		.kind = scounter_kind_by_name(kind),
		.error_ppm = error,
		.flags = (wrap ? SCOUNTER_CLASS_WRAP : 0) |
			 (sensitive ? SCOUNTER_CLASS_SENSITIVE : 0),
		.granularity_log2 = granularity,
		.components = components,
	};

	counter = scounter_create_params(name, group, &params, GFP_KERNEL);
	if (IS_ERR(counter))
		return PTR_ERR(counter);
	scounter_add(counter, add);
	scounter_add(counter, more);
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

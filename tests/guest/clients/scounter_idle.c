// SPDX-License-Identifier: GPL-2.0
/* Has no counters: for what its coming and going costs beside those of others. */
#include <linux/module.h>

static int __init idle_init(void)
{
	return 0;
}

static void __exit idle_exit(void)
{
}

module_init(idle_init);
module_exit(idle_exit);

MODULE_DESCRIPTION("scounter test: a module without counters");
MODULE_LICENSE("GPL");

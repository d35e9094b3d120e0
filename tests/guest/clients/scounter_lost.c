// SPDX-License-Identifier: GPL-2.0
/* Loses a page each time that it is loaded: what rounds.sh must notice. */
#include <linux/kmemleak.h>
#include <linux/module.h>
#include <linux/slab.h>

static int __init lost_init(void)
{
	void *memory = kmalloc(4096, GFP_KERNEL);

	/* Known as lost, so that it is not kmemleak that notices. */
	kmemleak_ignore(memory);
	return memory ? 0 : -ENOMEM;
}

static void __exit lost_exit(void)
{
}

module_init(lost_init);
module_exit(lost_exit);

MODULE_DESCRIPTION("scounter test: a leak");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/* Loading and unloading, in order; nothing else. */
#include <linux/module.h>

#include "compat.h"
#include "debugfs.h"
#include "random.h"
#include "registry.h"
#include "sysfs.h"

static ulong seed;
module_param(seed, ulong, 0400);
MODULE_PARM_DESC(seed, "seed of the random streams, the same for the same seed; 0 (the default) takes the kernel's entropy");

static int __init scounter_module_init(void)
{
	int err;

	scounter_random_init(seed);
	err = scounter_sysfs_init();
	if (err)
		return err;
	scounter_debugfs_init();
	err = scounter_registry_init();
	if (err)
		goto out;
	return 0;
out:
	scounter_debugfs_exit();
	scounter_sysfs_exit();
	return err;
}

static void __exit scounter_module_exit(void)
{
	scounter_registry_exit();
	scounter_debugfs_exit();
	scounter_sysfs_exit();
}

module_init(scounter_module_init);
module_exit(scounter_module_exit);

MODULE_AUTHOR("The scounter authors");
MODULE_DESCRIPTION("Scalable statistics counters, exact and approximate");
MODULE_LICENSE("GPL");
MODULE_VERSION(SCOUNTER_VERSION);

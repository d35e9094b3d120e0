// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading, in order; nothing else.  In a kernel that has scounter built in,
 * what counters need is there before the initcalls of other code, and what shows them
 * later: in between they count, and are named, without files.
 */
#include <linux/module.h>

#include "compat.h"
#include "array/array.h"
#include "base/stripes.h"
#include "base/random.h"
#include "base/refuse.h"
#include "kinds/adapt.h"
#include "kinds/numa.h"
#include "registry/debugfs.h"
#include "registry/registry.h"
#include "registry/snapshot.h"
#include "registry/sysfs.h"
#include "topk/topk.h"

static ulong seed;
module_param(seed, ulong, 0400);
MODULE_PARM_DESC(seed, "seed of the random streams, the same for the same seed; 0 (the default) takes the kernel's entropy, again when the machine is cloned");

static int __init scounter_counting_init(void)
{
	int err;

	scounter_random_init(seed);
	err = scounter_random_hear_of_forks(seed);
	if (err)
		return err;
	err = scounter_places_init();
	if (err) {
		scounter_random_forget_forks();
		return err;
	}
	scounter_numa_init();
	scounter_adapt_init();
	scounter_sysfs_view();
	scounter_debugfs_view();
	scounter_registry_open();
	return 0;
}

static void scounter_counting_exit(void)
{
	scounter_adapt_exit();
	scounter_places_exit();
	scounter_random_forget_forks();
}

static int __init scounter_showing_init(void)
{
	int err = scounter_sysfs_init();

	if (err)
		return err;
	scounter_debugfs_init();
	err = scounter_registry_init();
	if (err)
		goto out_files;
	err = scounter_snapshot_init();
	if (err)
		goto out_registry;
	scounter_arrays_init();
	scounter_topk_init();
	scounter_registry_show();
	return 0;
out_registry:
	scounter_registry_exit();
out_files:
	scounter_debugfs_exit();
	scounter_sysfs_exit();
	return err;
}

static void __exit scounter_module_exit(void)
{
	scounter_snapshot_exit();
	scounter_registry_exit();
	scounter_topk_exit();
	scounter_debugfs_exit();
	scounter_sysfs_exit();
	scounter_counting_exit();
	scounter_refuse_exit();
}

#ifdef MODULE
static int __init scounter_module_init(void)
{
	int err = scounter_counting_init();

	if (err)
		return err;
	err = scounter_showing_init();
	if (err)
		scounter_counting_exit();
	return err;
}
module_init(scounter_module_init);
module_exit(scounter_module_exit);
#else
early_initcall(scounter_counting_init);
fs_initcall(scounter_showing_init);
__exitcall(scounter_module_exit);
#endif

MODULE_AUTHOR("The scounter authors");
MODULE_DESCRIPTION("Scalable statistics counters, exact and approximate");
#define KIND_NAME(symbol, number, name, ...)	#name " "
MODULE_INFO(kinds, SCOUNTER_KIND_TABLE(KIND_NAME) "and, to leave the choice, "
	    SCOUNTER_CHOICE_TABLE(KIND_NAME));
MODULE_LICENSE("GPL");
MODULE_VERSION(SCOUNTER_VERSION);

// SPDX-License-Identifier: GPL-2.0
/* Loading and unloading, in order; nothing else. */
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

static int __init scounter_module_init(void)
{
	int err;

	scounter_random_init(seed);
	err = scounter_random_hear_of_forks(seed);
	if (err)
		return err;
	err = scounter_places_init();
	if (err)
		goto out_forks;
	scounter_numa_init();
	scounter_adapt_init();
	err = scounter_sysfs_init();
	if (err)
		goto out_adapt;
	scounter_debugfs_init();
	err = scounter_registry_init();
	if (err)
		goto out_files;
	err = scounter_snapshot_init();
	if (err)
		goto out_registry;
	scounter_arrays_init();
	scounter_topk_init();
	return 0;
out_registry:
	scounter_registry_exit();
out_files:
	scounter_debugfs_exit();
	scounter_sysfs_exit();
out_adapt:
	scounter_adapt_exit();
	scounter_places_exit();
out_forks:
	scounter_random_forget_forks();
	return err;
}

static void __exit scounter_module_exit(void)
{
	scounter_snapshot_exit();
	scounter_registry_exit();
	scounter_topk_exit();
	scounter_debugfs_exit();
	scounter_sysfs_exit();
	scounter_adapt_exit();
	scounter_places_exit();
	scounter_random_forget_forks();
	scounter_refuse_exit();
}

module_init(scounter_module_init);
module_exit(scounter_module_exit);

MODULE_AUTHOR("The scounter authors");
MODULE_DESCRIPTION("Scalable statistics counters, exact and approximate");
#define KIND_NAME(symbol, number, name, ...)	#name " "
MODULE_INFO(kinds, SCOUNTER_KIND_TABLE(KIND_NAME) "and, to leave the choice, "
	    SCOUNTER_CHOICE_TABLE(KIND_NAME));
MODULE_LICENSE("GPL");
MODULE_VERSION(SCOUNTER_VERSION);

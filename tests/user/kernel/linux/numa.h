/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_NUMA_H
#define _SHIM_LINUX_NUMA_H

#include <linux/topology.h>

#define MAX_NUMNODES	SHIM_NODE_IDS

#endif /* _SHIM_LINUX_NUMA_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_NUMA_H
#define _SHIM_LINUX_NUMA_H

#include <linux/topology.h>

#endif /* _SHIM_LINUX_NUMA_H */

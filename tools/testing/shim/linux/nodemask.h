/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_NODEMASK_H
#define _SHIM_LINUX_NODEMASK_H

#include "../shim.h"

#define nr_node_ids		((unsigned int)shim_nodes)
#define node_possible(node)	((int)(node) < shim_nodes)
#define node_online(node)	((int)(node) < shim_nodes)

#endif /* _SHIM_LINUX_NODEMASK_H */

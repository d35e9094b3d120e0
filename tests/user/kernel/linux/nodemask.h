/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_NODEMASK_H
#define _SHIM_LINUX_NODEMASK_H

#include "../shim.h"

#define num_possible_nodes()	((unsigned int)shim_nodes)
#define nr_node_ids		((unsigned int)shim_node_id(shim_nodes - 1) + 1)
#define node_possible(id)	((int)(id) < (int)nr_node_ids && !(((id) + 1) % shim_node_stride))
#define node_online(id)		node_possible(id)
#define for_each_node(id) \
	for ((id) = shim_node_id(0); (id) < (int)nr_node_ids; (id) += shim_node_stride)

#endif /* _SHIM_LINUX_NODEMASK_H */

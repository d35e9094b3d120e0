/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_TOPOLOGY_H
#define _SHIM_LINUX_TOPOLOGY_H

#include "../shim.h"

#define NUMA_NO_NODE		(-1)

#define cpu_to_node(cpu)	shim_node_id(shim_node_of(cpu))
#define numa_node_id()		(shim_private(&shim_this), shim_node_id(shim_this.node))
#define raw_smp_processor_id()	(shim_this.cpu)
#define smp_processor_id()	(shim_this.cpu)

#endif /* _SHIM_LINUX_TOPOLOGY_H */

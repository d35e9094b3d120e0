/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_NUMA_H
#define _SCOUNTER_NUMA_H

#include <linux/types.h>

void scounter_numa_init(void);
/* Of a node by its number, see lines.h. */
u64 scounter_numa_tag(u32 node);

#endif /* _SCOUNTER_NUMA_H */

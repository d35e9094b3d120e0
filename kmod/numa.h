/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_NUMA_H
#define _SCOUNTER_NUMA_H

#include <linux/types.h>

void scounter_numa_init(void);
u64 scounter_numa_tag(int node);

#endif /* _SCOUNTER_NUMA_H */

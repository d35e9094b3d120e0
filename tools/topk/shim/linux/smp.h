/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _TOPK_SHIM_SMP_H
#define _TOPK_SHIM_SMP_H

#include <linux/types.h>

/* A thread stands for a CPU, and says which. */
extern u32 nr_cpu_ids;
extern __thread u32 shim_cpu;

static inline u32 raw_smp_processor_id(void)
{
	return shim_cpu;
}

#endif

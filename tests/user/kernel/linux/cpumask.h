/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_CPUMASK_H
#define _SHIM_LINUX_CPUMASK_H

#include "../shim.h"

/* As kernels of 64 and of 32 bits have it. */
#define NR_CPUS				(__SIZEOF_LONG__ == 8 ? 1024 : 32)
#define nr_cpu_ids			((unsigned int)shim_cpus)
#define num_possible_cpus()		((unsigned int)shim_cpus)
#define num_online_cpus()		((unsigned int)shim_cpus)
#define cpu_possible(cpu)		((int)(cpu) < shim_cpus)
#define cpu_online(cpu)			cpu_possible(cpu)
#define for_each_possible_cpu(cpu) \
	for ((cpu) = 0; (int)(cpu) < shim_cpus; (cpu)++)
#define for_each_online_cpu(cpu)	for_each_possible_cpu(cpu)

#endif /* _SHIM_LINUX_CPUMASK_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_SMP_H
#define _SHIM_LINUX_SMP_H

#include <linux/cpumask.h>
#include <linux/topology.h>

/* When nothing counts: each in turn. */
static inline void on_each_cpu(void (*function)(void *argument), void *argument, int wait)
{
	struct shim_cpu self = shim_this;
	int cpu;

	(void)wait;
	for_each_online_cpu(cpu) {
		shim_be(cpu);
		function(argument);
	}
	shim_this = self;
}

#endif /* _SHIM_LINUX_SMP_H */

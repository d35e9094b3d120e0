/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _TOPK_SHIM_PROCESSOR_H
#define _TOPK_SHIM_PROCESSOR_H

#include <sched.h>

/* Whoever waits here for a thread may have to leave it the CPU. */
static inline void cpu_relax(void)
{
	static __thread unsigned int spins;

	if (++spins % 64 == 0)
		sched_yield();
	else
		__builtin_ia32_pause();
}

#endif

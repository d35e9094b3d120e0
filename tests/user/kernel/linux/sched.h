/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_SCHED_H
#define _SHIM_LINUX_SCHED_H

#include "../shim.h"

#define might_sleep()	do { } while (0)
#define cond_resched()	((void)shim_this.rescheds++)

#endif /* _SHIM_LINUX_SCHED_H */

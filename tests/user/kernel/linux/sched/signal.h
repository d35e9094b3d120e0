/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_SCHED_SIGNAL_H
#define _SHIM_LINUX_SCHED_SIGNAL_H

#define fatal_signal_pending(task)	0

#endif /* _SHIM_LINUX_SCHED_SIGNAL_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_TIMEKEEPING_H
#define _SHIM_LINUX_TIMEKEEPING_H

#include "../shim.h"

#define ktime_get_mono_fast_ns()	shim_time()

#endif /* _SHIM_LINUX_TIMEKEEPING_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name: time stands still. */
#ifndef _SHIM_LINUX_KTIME_H
#define _SHIM_LINUX_KTIME_H

#include <linux/timekeeping.h>
#include <linux/types.h>

#define SHIM_TIME_NS	1000000000ULL

static inline u64 ktime_get_ns(void)
{
	return SHIM_TIME_NS;
}

static inline u64 ktime_get_real_ns(void)
{
	return SHIM_TIME_NS;
}

#define ktime_get_real_fast_ns()	ktime_get_real_ns()

#endif /* _SHIM_LINUX_KTIME_H */

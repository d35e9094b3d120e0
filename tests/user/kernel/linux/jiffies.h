/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_JIFFIES_H
#define _SHIM_LINUX_JIFFIES_H

#include "../shim.h"

#define HZ		250UL
#define jiffies		(shim_jiffies)
#define time_before(a, b)	((long)((a) - (b)) < 0)
#define time_after(a, b)	time_before(b, a)

#endif /* _SHIM_LINUX_JIFFIES_H */

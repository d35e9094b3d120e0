/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_BUG_H
#define _SHIM_LINUX_BUG_H

#include <stdbool.h>
#include <stdlib.h>

#include <linux/build_bug.h>

#define BUG_ON(condition)	do { if (condition) abort(); } while (0)
#define WARN_ON(condition)	({ bool _warn = (condition); if (_warn) abort(); _warn; })
#define WARN_ONCE(condition, ...)	WARN_ON(condition)
#define WARN_ON_ONCE(condition)	WARN_ON(condition)

#endif /* _SHIM_LINUX_BUG_H */

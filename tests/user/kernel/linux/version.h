/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_VERSION_H
#define _SHIM_LINUX_VERSION_H

#define KERNEL_VERSION(a, b, c)	((a) << 16 | (b) << 8 | (c))
/* What the module's compat.h is to do is nothing. */
#define LINUX_VERSION_CODE	KERNEL_VERSION(6, 12, 0)

#endif /* _SHIM_LINUX_VERSION_H */

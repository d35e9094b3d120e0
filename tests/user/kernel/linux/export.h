/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_EXPORT_H
#define _SHIM_LINUX_EXPORT_H

#define EXPORT_SYMBOL_GPL(symbol)
#define EXPORT_PER_CPU_SYMBOL_GPL(symbol)

#endif /* _SHIM_LINUX_EXPORT_H */

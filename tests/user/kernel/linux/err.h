/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_ERR_H
#define _SHIM_LINUX_ERR_H

#include <errno.h>
#include <stdbool.h>

/* The last page has no objects: its addresses are error numbers. */
#define ERR_PTR(error)		((void *)(long)(error))
#define PTR_ERR(pointer)	((long)(pointer))
#define IS_ERR(pointer)		((unsigned long)(pointer) >= -4095UL)
#define IS_ERR_OR_NULL(pointer)	(!(pointer) || IS_ERR(pointer))

#endif /* _SHIM_LINUX_ERR_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_MM_H
#define _SHIM_LINUX_MM_H

#include <linux/slab.h>

#define kvzalloc(size, gfp)		((void)(gfp), shim_zalloc(size))
#define kvcalloc(n, size, gfp)		((void)(gfp), shim_zalloc((size_t)(n) * (size)))
#define kvfree(memory)			shim_free(memory)

#endif /* _SHIM_LINUX_MM_H */

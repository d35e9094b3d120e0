/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _TOPK_SHIM_SLAB_H
#define _TOPK_SHIM_SLAB_H

#include <linux/types.h>
#include <stdlib.h>

#define GFP_KERNEL	0

/* Whole cache lines, as the kernel aligns large objects. */
static inline void *shim_zalloc(size_t size)
{
	void *memory = aligned_alloc(64, (size + 63) / 64 * 64);

	return memory ? __builtin_memset(memory, 0, size) : NULL;
}

#define kzalloc(size, gfp)	shim_zalloc(size)
#define kfree(pointer)		free(pointer)

#endif

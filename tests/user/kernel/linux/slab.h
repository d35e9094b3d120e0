/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_SLAB_H
#define _SHIM_LINUX_SLAB_H

#include <errno.h>
#include <stdlib.h>

#include <linux/gfp.h>
#include <linux/overflow.h>
#include "../shim.h"

static inline void *shim_zalloc_node(size_t size, int id)
{
	if (id >= 0 && id < SHIM_NODE_IDS)
		shim_asked[id]++;
	return shim_zalloc(size);
}

#define kzalloc(size, gfp)		((void)(gfp), shim_zalloc(size))
#define kzalloc_node(size, gfp, id)	((void)(gfp), shim_zalloc_node(size, id))
#define kcalloc(n, size, gfp)		((void)(gfp), shim_zalloc((n) * (size)))
#define kfree(memory)			shim_free((void *)(memory))

#endif /* _SHIM_LINUX_SLAB_H */

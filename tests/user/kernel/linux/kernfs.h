/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name: nothing has any name. */
#ifndef _SHIM_LINUX_KERNFS_H
#define _SHIM_LINUX_KERNFS_H

#include <stddef.h>

struct kernfs_node;

static inline struct kernfs_node *kernfs_find_and_get(struct kernfs_node *parent, const char *name)
{
	(void)parent, (void)name;
	return NULL;
}

static inline void kernfs_put(struct kernfs_node *node)
{
	(void)node;
}

#endif /* _SHIM_LINUX_KERNFS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_MM_H
#define _SHIM_LINUX_MM_H

#include <linux/cpumask.h>
#include <linux/limits.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>

#define PAGE_SHIFT			12
#define totalram_pages()		(1UL << 24)

/* A size is cut off as a parameter of type size_t is, and kvmalloc() ends at INT_MAX. */
static inline void *shim_vzalloc(u64 size)
{
	return shim_zalloc(size & shim_size_max);
}

static inline void *shim_kvzalloc(u64 size)
{
	return (size & shim_size_max) > INT_MAX ? NULL : shim_vzalloc(size);
}

#define vzalloc_node(size, node)	((void)(node), shim_vzalloc(size))
#define kvzalloc(size, gfp)		((void)(gfp), shim_kvzalloc(size))
#define kvzalloc_node(size, gfp, node)	((void)(gfp), (void)(node), shim_kvzalloc(size))
#define kvcalloc(n, size, gfp)		((void)(gfp), shim_zalloc((size_t)(n) * (size)))
#define kvfree(memory)			shim_free((void *)(memory))

#endif /* _SHIM_LINUX_MM_H */

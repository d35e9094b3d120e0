/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_MM_H
#define _SHIM_LINUX_MM_H

#include <linux/cpumask.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/string.h>

#define PAGE_SHIFT			12
#define totalram_pages()		(1UL << 20)

#define kvzalloc(size, gfp)		((void)(gfp), shim_zalloc(size))
#define kvzalloc_node(size, gfp, node)	((void)(gfp), (void)(node), shim_zalloc(size))
#define kvcalloc(n, size, gfp)		((void)(gfp), shim_zalloc((size_t)(n) * (size)))
#define kvfree(memory)			shim_free((void *)(memory))

#endif /* _SHIM_LINUX_MM_H */

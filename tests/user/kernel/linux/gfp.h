/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_GFP_H
#define _SHIM_LINUX_GFP_H

typedef unsigned int gfp_t;

#define GFP_KERNEL	0
#define GFP_KERNEL_ACCOUNT	0
#define GFP_ATOMIC	0
#define GFP_NOWAIT	0
#define __GFP_NOWARN	0
#define __GFP_ZERO	0

#endif /* _SHIM_LINUX_GFP_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _TOPK_SHIM_CACHE_H
#define _TOPK_SHIM_CACHE_H

#define ____cacheline_aligned_in_smp	__attribute__((__aligned__(64)))

#endif

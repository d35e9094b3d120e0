/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_CACHE_H
#define _SHIM_LINUX_CACHE_H

#define L1_CACHE_BYTES			64
#define SMP_CACHE_BYTES			64
#define ____cacheline_aligned		__attribute__((__aligned__(L1_CACHE_BYTES)))
#define ____cacheline_aligned_in_smp	____cacheline_aligned

#endif /* _SHIM_LINUX_CACHE_H */

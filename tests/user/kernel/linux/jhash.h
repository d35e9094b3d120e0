/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_JHASH_H
#define _SHIM_LINUX_JHASH_H

#include <linux/types.h>

/*
 * Another keyed hash than the kernel header has, of the same quality for what is
 * tested here: words are mixed in by multiplication, and a last multiplication
 * and shift bring the high bits down.
 */
static inline u32 jhash2(const u32 *words, u32 n, u32 seed)
{
	u64 hash = seed * 0x9e3779b97f4a7c15ULL;

	while (n--) {
		hash = (hash ^ *words++) * 0xff51afd7ed558ccdULL;
		hash ^= hash >> 32;
	}
	hash *= 0xc4ceb9fe1a85ec53ULL;
	return hash >> 32;
}

#endif /* _SHIM_LINUX_JHASH_H */

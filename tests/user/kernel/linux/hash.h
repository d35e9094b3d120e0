/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_HASH_H
#define _SHIM_LINUX_HASH_H

#include <linux/types.h>

/* Multiplication by 2^64 divided by the golden ratio. */
static inline u32 hash_64(u64 value, unsigned int bits)
{
	return value * 0x9e3779b97f4a7c15ULL >> (64 - bits);
}

#define hash_long(value, bits)	hash_64(value, bits)
#define hash_ptr(pointer, bits)	hash_64((unsigned long)(pointer), bits)

#endif /* _SHIM_LINUX_HASH_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_KERNEL_H
#define _SHIM_LINUX_KERNEL_H

#include <limits.h>
#include <stdio.h>

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/container_of.h>
#include <linux/kconfig.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/types.h>

#define upper_32_bits(n)	((u32)((u64)(n) >> 32))
#define lower_32_bits(n)	((u32)(n))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define DIV_ROUND_UP_ULL(n, d)	DIV_ROUND_UP((u64)(n), d)

#define scnprintf(buffer, size, ...)	snprintf(buffer, size, __VA_ARGS__)

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* The largest root with root^2 <= x. */
static inline u32 int_sqrt64(u64 x)
{
	u64 root = 0, bit;

	for (bit = 1ULL << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= x)
			root |= bit;
	return root;
}

#endif /* _SHIM_LINUX_KERNEL_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_LOG2_H
#define _SHIM_LINUX_LOG2_H

#include <linux/bitops.h>

#define const_ilog2(n)	(63 - __builtin_clzll(n))
#define ilog2(n)	(63 - __builtin_clzll(n))

#define is_power_of_2(n)	((n) && !((n) & ((n) - 1)))

/* The least k with 2^k >= n. */
static inline int order_base_2(unsigned long n)
{
	return n > 1 ? ilog2(n - 1) + 1 : 0;
}

static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return 1UL << order_base_2(n);
}

#endif /* _SHIM_LINUX_LOG2_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_MATH64_H
#define _SHIM_LINUX_MATH64_H

#include <linux/types.h>

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return (u64)((unsigned __int128)a * b >> shift);
}

#define DIV64_U64_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))

#endif /* _SHIM_LINUX_MATH64_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_MATH64_H
#define _SHIM_LINUX_MATH64_H

#include <linux/kernel.h>
#include <linux/types.h>

#define DIV64_U64_ROUND_UP(n, d)	div64_u64((n) + (d) - 1, d)

#ifdef __SIZEOF_INT128__

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

static inline u64 mul_u64_u32_div(u64 a, u32 mul, u32 divisor)
{
	return (unsigned __int128)a * mul / divisor;
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 mul, u64 divisor)
{
	return (unsigned __int128)a * mul / divisor;
}

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *rest)
{
	*rest = dividend % divisor;
	return dividend / divisor;
}

#else /* 32 bits: compiled, to see that all divisions go through these, and never run */

u64 div_u64(u64 dividend, u32 divisor);
u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder);
u64 div64_u64(u64 dividend, u64 divisor);
u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *rest);
u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift);
u64 mul_u64_u32_div(u64 a, u32 mul, u32 divisor);
u64 mul_u64_u64_div_u64(u64 a, u64 mul, u64 divisor);

#endif

#endif /* _SHIM_LINUX_MATH64_H */

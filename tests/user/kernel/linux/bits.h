/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_BITS_H
#define _SHIM_LINUX_BITS_H

#define BIT(n)		(1UL << (n))
#define BITS_PER_LONG	(8 * (int)sizeof(long))
#define BIT_ULL(n)	(1ULL << (n))
#define GENMASK_ULL(high, low) \
	(~0ULL >> (63 - (high)) & ~0ULL << (low))

#endif /* _SHIM_LINUX_BITS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _TOPK_SHIM_LOG2_H
#define _TOPK_SHIM_LOG2_H

#include <linux/types.h>

static inline u64 roundup_pow_of_two(u64 n)
{
	return n < 2 ? 1 : 1ULL << (64 - __builtin_clzll(n - 1));
}

#endif

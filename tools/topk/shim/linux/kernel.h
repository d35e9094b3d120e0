/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _TOPK_SHIM_KERNEL_H
#define _TOPK_SHIM_KERNEL_H

#include_next <linux/kernel.h>
#include <linux/compiler.h>
#include <linux/limits.h>

#define max(a, b) ({					\
	__auto_type _max_a = (a);			\
	__auto_type _max_b = (b);			\
	_Static_assert(__builtin_types_compatible_p(	\
			typeof(_max_a), typeof(_max_b)),	\
		       "max() of different types");	\
	_max_a > _max_b ? _max_a : _max_b;		\
})

#define max_t(type, a, b) ({				\
	type _max_t_a = (a);				\
	type _max_t_b = (b);				\
	_max_t_a > _max_t_b ? _max_t_a : _max_t_b;	\
})

#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))

#define container_of(pointer, type, member)	\
	((type *)((char *)(pointer) - offsetof(type, member)))

#endif

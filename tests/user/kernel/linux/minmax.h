/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_MINMAX_H
#define _SHIM_LINUX_MINMAX_H

/* As in the kernel, operands of different types do not compile. */
#define min(a, b) ({					\
	__auto_type _min_a = (a);			\
	__auto_type _min_b = (b);			\
	_Static_assert(__builtin_types_compatible_p(	\
			typeof(_min_a), typeof(_min_b)),	\
		       "min() of different types");	\
	_min_a < _min_b ? _min_a : _min_b;		\
})

#define max(a, b) ({					\
	__auto_type _max_a = (a);			\
	__auto_type _max_b = (b);			\
	_Static_assert(__builtin_types_compatible_p(	\
			typeof(_max_a), typeof(_max_b)),	\
		       "max() of different types");	\
	_max_a > _max_b ? _max_a : _max_b;		\
})

#define min_t(type, a, b) ({				\
	type _min_t_a = (a);				\
	type _min_t_b = (b);				\
	_min_t_a < _min_t_b ? _min_t_a : _min_t_b;	\
})

#define max_t(type, a, b) ({				\
	type _max_t_a = (a);				\
	type _max_t_b = (b);				\
	_max_t_a > _max_t_b ? _max_t_a : _max_t_b;	\
})

#define clamp(value, low, high)	min(max(value, low), high)

#endif /* _SHIM_LINUX_MINMAX_H */

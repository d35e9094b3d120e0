/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_BUILD_BUG_H
#define _SHIM_LINUX_BUILD_BUG_H

#define BUILD_BUG_ON_ZERO(condition) \
	((int)sizeof(struct { int : -!!(condition); }))
#define BUILD_BUG_ON_MSG(condition, message) ({				\
	extern void _shim_build_bug(void) __attribute__((error(message))); \
	if (condition)							\
		_shim_build_bug();					\
})
#define BUILD_BUG_ON(condition)	BUILD_BUG_ON_MSG(condition, #condition)
#define static_assert(condition, ...)	_Static_assert(condition, #condition)

#endif /* _SHIM_LINUX_BUILD_BUG_H */

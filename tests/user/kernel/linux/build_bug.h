/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_BUILD_BUG_H
#define _SHIM_LINUX_BUILD_BUG_H

#define BUILD_BUG_ON_ZERO(condition) \
	((int)sizeof(struct { int : -!!(condition); }))
/* Each has a function of its own, as a compiler says the message of the first of one name. */
#define BUILD_BUG_ON_MSG(condition, message)				\
	_SHIM_BUILD_BUG(condition, message, __COUNTER__)
#define _SHIM_BUILD_BUG(condition, message, number)			\
	_SHIM_BUILD_BUG_IN(condition, message, number)
#define _SHIM_BUILD_BUG_IN(condition, message, number) ({		\
	extern void _shim_build_bug_##number(void) __attribute__((error(message))); \
	if (condition)							\
		_shim_build_bug_##number();				\
})
#define BUILD_BUG_ON(condition)	BUILD_BUG_ON_MSG(condition, #condition)
#define static_assert(condition, ...)	_Static_assert(condition, #condition)

#endif /* _SHIM_LINUX_BUILD_BUG_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_COMPILER_H
#define _SHIM_LINUX_COMPILER_H

#include "../shim.h"

#undef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#define notrace			__attribute__((no_instrument_function))
#define __weak			__attribute__((weak))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define noinline		__attribute__((noinline))
#define __cold			__attribute__((cold))
#define __percpu
#undef __aligned
#define __aligned(x)		__attribute__((aligned(x)))
#define __maybe_unused		__attribute__((unused))
#define __must_check		__attribute__((warn_unused_result))
#define barrier()		__asm__ volatile("" : : : "memory")

#define READ_ONCE(x) ({					\
	shim_access(&(x), sizeof(x), SHIM_LOAD);	\
	__atomic_load_n(&(x), __ATOMIC_RELAXED);	\
})

#define WRITE_ONCE(x, value) ({				\
	typeof(x) _once = (value);			\
	shim_access(&(x), sizeof(x), SHIM_STORE);	\
	__atomic_store_n(&(x), _once, __ATOMIC_RELAXED);	\
})

#endif /* _SHIM_LINUX_COMPILER_H */

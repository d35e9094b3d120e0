/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_ATOMIC_H
#define _SHIM_LINUX_ATOMIC_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	s64 counter;
} atomic64_t;

typedef struct {
	long counter;
} atomic_long_t;

#define ATOMIC_INIT(i)		{ (i) }
#define ATOMIC64_INIT(i)	{ (i) }

/* Of integers and pointers, as in the kernel. */
#define shim_load(address, order) ({				\
	shim_access(address, sizeof(*(address)), SHIM_LOAD);	\
	__atomic_load_n(address, order);			\
})

#define shim_store(address, value, order) ({			\
	typeof(*(address)) _store = (value);			\
	shim_access(address, sizeof(*(address)), SHIM_STORE);	\
	__atomic_store_n(address, _store, order);		\
})

#define shim_exchange(address, value, order) ({			\
	typeof(*(address)) _exchange = (value);			\
	shim_access(address, sizeof(*(address)), SHIM_RMW);	\
	__atomic_exchange_n(address, _exchange, order);		\
})

#define shim_try_cmpxchg(address, old, new, order) ({		\
	typeof(*(address)) _swap_new = (new);			\
	bool _swapped;						\
	shim_access(address, sizeof(*(address)), SHIM_CAS);	\
	_swapped = __atomic_compare_exchange_n(address, old, _swap_new, false, \
				    order, __ATOMIC_RELAXED);	\
	if (!_swapped)						\
		shim_failed();					\
	_swapped;						\
})

#define shim_cmpxchg(address, old, new, order) ({		\
	typeof(*(address)) _swap_old = (old);			\
	shim_try_cmpxchg(address, &_swap_old, new, order);	\
	_swap_old;						\
})

#define xchg(address, new)		shim_exchange(address, new, __ATOMIC_SEQ_CST)
#define cmpxchg(address, old, new)	shim_cmpxchg(address, old, new, __ATOMIC_SEQ_CST)
#define cmpxchg_relaxed(address, old, new) \
	shim_cmpxchg(address, old, new, __ATOMIC_RELAXED)
#define smp_load_acquire(address)	shim_load(address, __ATOMIC_ACQUIRE)
#define smp_store_release(address, value) shim_store(address, value, __ATOMIC_RELEASE)
#define smp_mb() \
	do { shim_fence(); __atomic_thread_fence(__ATOMIC_SEQ_CST); } while (0)
#define smp_mb__before_atomic()		smp_mb()
#define smp_mb__after_atomic()		smp_mb()
#define smp_rmb()			__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()			__atomic_thread_fence(__ATOMIC_RELEASE)

/*
 * A machine without a fetch-and-add instruction does it by compare-and-swap, as
 * the kernel's arch/sparc/lib/atomic_64.S: after a failure twice as long a spin
 * as before it.
 */
#define SHIM_FETCH_OP(prefix, type, int_type, op)			\
static inline int_type shim_##prefix##_fetch_##op(int_type value, type *v, int order) \
{									\
	if (shim_no_fetch_op()) {					\
		int_type old;						\
		unsigned int spin = 1;					\
									\
		for (;; spin = shim_spin(spin)) {			\
			old = shim_load(&v->counter, __ATOMIC_RELAXED);	\
			if (shim_try_cmpxchg(&v->counter, &old,		\
					     shim_op_##op(old, value), order)) \
				return old;				\
		}							\
	}								\
	shim_access(&v->counter, sizeof(v->counter), SHIM_RMW);		\
	return __atomic_fetch_##op(&v->counter, value, order);		\
}

#define shim_op_add(a, b)	((a) + (b))
#define shim_op_or(a, b)	((a) | (b))
#define shim_op_and(a, b)	((a) & (b))

#define SHIM_ORDERED(prefix, type, int_type, suffix, order) \
static inline int_type prefix##_fetch_add##suffix(int_type n, type *v)	\
{									\
	return shim_##prefix##_fetch_add(n, v, order);			\
}									\
static inline int_type prefix##_fetch_inc##suffix(type *v)		\
{									\
	return shim_##prefix##_fetch_add(1, v, order);			\
}									\
static inline int_type prefix##_add_return##suffix(int_type n, type *v)	\
{									\
	return shim_##prefix##_fetch_add(n, v, order) + n;		\
}									\
static inline int_type prefix##_sub_return##suffix(int_type n, type *v)	\
{									\
	return shim_##prefix##_fetch_add(-n, v, order) - n;		\
}									\
static inline int_type prefix##_inc_return##suffix(type *v)		\
{									\
	return shim_##prefix##_fetch_add(1, v, order) + 1;		\
}									\
static inline int_type prefix##_fetch_or##suffix(int_type n, type *v)	\
{									\
	return shim_##prefix##_fetch_or(n, v, order);			\
}									\
static inline int_type prefix##_xchg##suffix(type *v, int_type new)	\
{									\
	return shim_exchange(&v->counter, new, order);			\
}									\
static inline int_type prefix##_cmpxchg##suffix(type *v, int_type old, int_type new) \
{									\
	return shim_cmpxchg(&v->counter, old, new, order);		\
}									\
static inline bool prefix##_try_cmpxchg##suffix(type *v, int_type *old, int_type new) \
{									\
	return shim_try_cmpxchg(&v->counter, old, new, order);		\
}

#define SHIM_ATOMIC(prefix, type, int_type)				\
SHIM_FETCH_OP(prefix, type, int_type, add)				\
SHIM_FETCH_OP(prefix, type, int_type, or)				\
SHIM_FETCH_OP(prefix, type, int_type, and)				\
SHIM_ORDERED(prefix, type, int_type, , __ATOMIC_SEQ_CST)		\
SHIM_ORDERED(prefix, type, int_type, _relaxed, __ATOMIC_RELAXED)	\
SHIM_ORDERED(prefix, type, int_type, _acquire, __ATOMIC_ACQUIRE)	\
SHIM_ORDERED(prefix, type, int_type, _release, __ATOMIC_RELEASE)	\
static inline int_type prefix##_read(const type *v)			\
{									\
	return shim_load(&v->counter, __ATOMIC_RELAXED);		\
}									\
static inline int_type prefix##_read_acquire(const type *v)		\
{									\
	return shim_load(&v->counter, __ATOMIC_ACQUIRE);		\
}									\
static inline void prefix##_set(type *v, int_type i)			\
{									\
	shim_store(&v->counter, i, __ATOMIC_RELAXED);			\
}									\
static inline void prefix##_set_release(type *v, int_type i)		\
{									\
	shim_store(&v->counter, i, __ATOMIC_RELEASE);			\
}									\
static inline void prefix##_add(int_type n, type *v)			\
{									\
	shim_##prefix##_fetch_add(n, v, __ATOMIC_RELAXED);		\
}									\
static inline void prefix##_sub(int_type n, type *v)			\
{									\
	shim_##prefix##_fetch_add(-n, v, __ATOMIC_RELAXED);		\
}									\
static inline void prefix##_inc(type *v)				\
{									\
	shim_##prefix##_fetch_add(1, v, __ATOMIC_RELAXED);		\
}									\
static inline void prefix##_dec(type *v)				\
{									\
	shim_##prefix##_fetch_add(-1, v, __ATOMIC_RELAXED);		\
}									\
static inline bool prefix##_dec_and_test(type *v)			\
{									\
	return prefix##_sub_return(1, v) == 0;				\
}									\
static inline void prefix##_or(int_type n, type *v)			\
{									\
	shim_##prefix##_fetch_or(n, v, __ATOMIC_RELAXED);		\
}									\
static inline void prefix##_andnot(int_type n, type *v)			\
{									\
	shim_##prefix##_fetch_and(~n, v, __ATOMIC_RELAXED);		\
}

SHIM_ATOMIC(atomic, atomic_t, int)
SHIM_ATOMIC(atomic64, atomic64_t, s64)
SHIM_ATOMIC(atomic_long, atomic_long_t, long)

#endif /* _SHIM_LINUX_ATOMIC_H */

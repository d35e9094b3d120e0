/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _TOPK_SHIM_ATOMIC_H
#define _TOPK_SHIM_ATOMIC_H

#include <linux/types.h>
#include <linux/compiler.h>

typedef struct {
	s64 counter;
} atomic64_t;

/* The kernel orders these fully where they return something. */
#define atomic64_read(v)		__atomic_load_n(&(v)->counter, __ATOMIC_RELAXED)
#define atomic64_read_acquire(v)	__atomic_load_n(&(v)->counter, __ATOMIC_ACQUIRE)
#define atomic64_set(v, i)		__atomic_store_n(&(v)->counter, i, __ATOMIC_RELAXED)
#define atomic64_set_release(v, i)	__atomic_store_n(&(v)->counter, i, __ATOMIC_RELEASE)
#define atomic64_try_cmpxchg(v, old, new)				\
	__atomic_compare_exchange_n(&(v)->counter, old, new, false,	\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic64_xchg(v, i)		__atomic_exchange_n(&(v)->counter, i, __ATOMIC_SEQ_CST)
#define atomic64_sub_return(i, v)	__atomic_sub_fetch(&(v)->counter, i, __ATOMIC_SEQ_CST)
#define atomic64_add(i, v)	((void)__atomic_fetch_add(&(v)->counter, i, __ATOMIC_RELAXED))
#define atomic64_sub(i, v)	((void)__atomic_fetch_sub(&(v)->counter, i, __ATOMIC_RELAXED))
#define atomic64_or(i, v)	((void)__atomic_fetch_or(&(v)->counter, i, __ATOMIC_RELAXED))
#define atomic64_inc(v)		atomic64_add(1, v)

#define smp_mb()	__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()	__atomic_thread_fence(__ATOMIC_RELEASE)

#endif

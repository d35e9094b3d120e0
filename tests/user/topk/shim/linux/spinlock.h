/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-in for the kernel header of this name.  Locks spin, as the kernel's, or
 * are those of the pthread library, which Das et al. 2009 measured with: whoever waits
 * sleeps, and must be woken.
 */
#ifndef _TOPK_SHIM_SPINLOCK_H
#define _TOPK_SHIM_SPINLOCK_H

#include <pthread.h>
#include <stdbool.h>

#include <linux/atomic.h>
#include <linux/processor.h>

/* Not to be changed while there are tables. */
extern bool topk_locks_sleep;

typedef struct {
	union {
		int taken;
		pthread_mutex_t mutex;
	};
} raw_spinlock_t;

static inline void raw_spin_lock_init(raw_spinlock_t *lock)
{
	if (topk_locks_sleep)
		pthread_mutex_init(&lock->mutex, NULL);
	else
		lock->taken = 0;
}

static inline void raw_spin_lock(raw_spinlock_t *lock)
{
	if (topk_locks_sleep) {
		pthread_mutex_lock(&lock->mutex);
		return;
	}
	while (shim_load(&lock->taken, __ATOMIC_RELAXED) ||
	       shim_cmpxchg(&lock->taken, 0, 1, __ATOMIC_ACQUIRE))
		cpu_relax();
}

static inline void raw_spin_unlock(raw_spinlock_t *lock)
{
	if (topk_locks_sleep)
		pthread_mutex_unlock(&lock->mutex);
	else
		shim_store(&lock->taken, 0, __ATOMIC_RELEASE);
}

#endif /* _TOPK_SHIM_SPINLOCK_H */

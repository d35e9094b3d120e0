/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_SPINLOCK_H
#define _SHIM_LINUX_SPINLOCK_H

#ifdef SHIM_LOCKS_SLEEP
#include <pthread.h>
#endif

#include <linux/atomic.h>
#include <linux/irqflags.h>
#include <linux/processor.h>

typedef struct {
	union {
		int taken;
#ifdef SHIM_LOCKS_SLEEP
		pthread_mutex_t mutex;
#endif
	};
} raw_spinlock_t;

#define DEFINE_RAW_SPINLOCK(name)	raw_spinlock_t name = { 0 }

#ifdef SHIM_LOCKS_SLEEP
/*
 * Locks are those of the pthread library, which Das et al. 2009 measured with: whoever
 * waits sleeps, and must be woken.  Not to be changed while there are locks.
 */
extern bool shim_locks_sleep;
#endif

static inline void raw_spin_lock_init(raw_spinlock_t *lock)
{
#ifdef SHIM_LOCKS_SLEEP
	if (shim_locks_sleep) {
		pthread_mutex_init(&lock->mutex, NULL);
		return;
	}
#endif
	lock->taken = 0;
}

static inline void raw_spin_lock(raw_spinlock_t *lock)
{
#ifdef SHIM_LOCKS_SLEEP
	if (shim_locks_sleep) {
		pthread_mutex_lock(&lock->mutex);
		return;
	}
#endif
	while (shim_load(&lock->taken, __ATOMIC_RELAXED) ||
	       shim_cmpxchg(&lock->taken, 0, 1, __ATOMIC_ACQUIRE))
		cpu_relax();
}

static inline bool raw_spin_trylock(raw_spinlock_t *lock)
{
#ifdef SHIM_LOCKS_SLEEP
	if (shim_locks_sleep)
		return !pthread_mutex_trylock(&lock->mutex);
#endif
	return !shim_load(&lock->taken, __ATOMIC_RELAXED) &&
	       !shim_cmpxchg(&lock->taken, 0, 1, __ATOMIC_ACQUIRE);
}

static inline void raw_spin_unlock(raw_spinlock_t *lock)
{
#ifdef SHIM_LOCKS_SLEEP
	if (shim_locks_sleep) {
		pthread_mutex_unlock(&lock->mutex);
		return;
	}
#endif
	shim_store(&lock->taken, 0, __ATOMIC_RELEASE);
}

#define raw_spin_lock_irqsave(lock, flags) \
	do { local_irq_save(flags); raw_spin_lock(lock); } while (0)
#define raw_spin_unlock_irqrestore(lock, flags) \
	do { raw_spin_unlock(lock); local_irq_restore(flags); } while (0)

typedef raw_spinlock_t spinlock_t;

#define DEFINE_SPINLOCK(name)	DEFINE_RAW_SPINLOCK(name)
#define spin_lock(lock)		raw_spin_lock(lock)
#define spin_unlock(lock)	raw_spin_unlock(lock)
#define lockdep_assert_held(lock)	((void)(lock))

#endif /* _SHIM_LINUX_SPINLOCK_H */

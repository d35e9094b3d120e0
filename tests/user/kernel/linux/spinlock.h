/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_SPINLOCK_H
#define _SHIM_LINUX_SPINLOCK_H

#include <linux/atomic.h>
#include <linux/irqflags.h>
#include <linux/processor.h>

typedef struct {
	int taken;
} raw_spinlock_t;

#define raw_spin_lock_init(lock)	((lock)->taken = 0)
#define DEFINE_RAW_SPINLOCK(name)	raw_spinlock_t name = { 0 }

static inline void raw_spin_lock(raw_spinlock_t *lock)
{
	while (shim_load(&lock->taken, __ATOMIC_RELAXED) ||
	       shim_cmpxchg(&lock->taken, 0, 1, __ATOMIC_ACQUIRE))
		cpu_relax();
}

static inline void raw_spin_unlock(raw_spinlock_t *lock)
{
	shim_store(&lock->taken, 0, __ATOMIC_RELEASE);
}

#define raw_spin_lock_irqsave(lock, flags) \
	do { local_irq_save(flags); raw_spin_lock(lock); } while (0)
#define raw_spin_unlock_irqrestore(lock, flags) \
	do { raw_spin_unlock(lock); local_irq_restore(flags); } while (0)

#endif /* _SHIM_LINUX_SPINLOCK_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_RCUPDATE_H
#define _SHIM_LINUX_RCUPDATE_H

#include <linux/kconfig.h>
#include "../shim.h"

/*
 * Callbacks wait until shim_grace_period(), which the harness calls when nothing
 * counts.  synchronize_rcu() is called by work only: shim_run_works().
 */
struct rcu_head {
	struct rcu_head *next;
	void (*function)(struct rcu_head *head);
};

#define call_rcu(head, function)	shim_call_rcu(head, function)
#define call_rcu_tasks(head, function)	shim_call_rcu_tasks(head, function)
#define synchronize_rcu()		shim_synchronize_rcu()
#define rcu_barrier()			shim_grace_period()
#define rcu_barrier_tasks()		shim_grace_period()
#define rcu_read_lock()			shim_read_lock()
#define rcu_read_unlock()		shim_read_unlock()
#define rcu_is_watching()		true

#endif /* _SHIM_LINUX_RCUPDATE_H */

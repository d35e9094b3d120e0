/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_WORKQUEUE_H
#define _SHIM_LINUX_WORKQUEUE_H

#include <linux/jiffies.h>
#include "../shim.h"

/* Work runs when the harness calls shim_run_works(). */
struct work_struct {
	struct work_struct *next;
	void (*function)(struct work_struct *work);
	int pending;
};

struct delayed_work {
	struct work_struct work;
};

#define DECLARE_WORK(name, function_) \
	struct work_struct name = { .function = function_ }
#define DECLARE_DELAYED_WORK(name, function_) \
	struct delayed_work name = { .work = { .function = function_ } }

#define DECLARE_DEFERRABLE_WORK(name, function_) \
	DECLARE_DELAYED_WORK(name, function_)

#define system_wq		NULL
#define system_unbound_wq	NULL

#define schedule_work(work)	shim_queue_work(work)
#define queue_work(queue, work)	((void)(queue), shim_queue_work(work))
#define queue_delayed_work(queue, delayed, delay) \
	((void)(queue), shim_queue_delayed_work(&(delayed)->work, delay))
#define mod_delayed_work(queue, delayed, delay) \
	queue_delayed_work(queue, delayed, delay)
#define schedule_delayed_work(delayed, delay) \
	queue_delayed_work(NULL, delayed, delay)
#define cancel_delayed_work_sync(delayed)	shim_cancel_work(&(delayed)->work)
#define cancel_work_sync(work)			shim_cancel_work(work)
#define flush_work(work)			shim_run_works()

#endif /* _SHIM_LINUX_WORKQUEUE_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel does later, as threads of the exploration: the end of a grace
 * period of Tasks RCU, that of RCU, and work.  Each happens when it may, but as
 * early and as late as that.
 *
 * - A grace period of Tasks RCU waits until each task has slept.  Here a task
 *   sleeps between two operations of its script and never in one.
 * - A grace period of RCU waits for those who have disabled preemption, or have
 *   said that they read.
 *
 * So who takes one for the other is found out.
 */
#include <stdlib.h>

#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "kernel.h"
#include "memory.h"

enum flavour { TASKS, RCU, FLAVOURS };

#define CALLBACKS	64

/* The head of a callback tells whom it waits for. */
struct callback {
	struct rcu_head *head;
	unsigned int holders;	/* threads */
};

struct flavour_state {
	struct callback callbacks[CALLBACKS];
	int count;
	int depth[EXPLORE_THREADS_MAX];
	unsigned int inside;	/* threads that hold up a grace period */
};

static struct kernel {
	struct flavour_state flavours[FLAVOURS];
	struct work_struct *works[CALLBACKS];
	int work_count;
	struct work_struct *delayed;	/* there is one at most */
} *kernel;

bool kernel_init(void)
{
	kernel = shim_zalloc(sizeof(*kernel));
	return kernel;
}

static unsigned int self_bit(void)
{
	return explore_runs() ? 1U << explore_self() : 0;
}

/*
 * Those who come or go commute, and so do they with the end of a grace period; who
 * asks for one meets them all.
 */
static void enter(struct flavour_state *flavour)
{
	if (!explore_runs() || flavour->depth[explore_self()]++)
		return;
	explore_touch(flavour, SHIM_LOAD);
	flavour->inside |= self_bit();
}

static void leave(struct flavour_state *flavour)
{
	int i;

	if (!explore_runs() || --flavour->depth[explore_self()])
		return;
	explore_touch(flavour, SHIM_LOAD);
	flavour->inside &= ~self_bit();
	for (i = 0; i < flavour->count; i++) {
		if (!(flavour->callbacks[i].holders & self_bit()))
			continue;
		flavour->callbacks[i].holders &= ~self_bit();
		explore_gives(flavour->callbacks[i].head);
	}
}

void kernel_task_runs(void)
{
	enter(&kernel->flavours[TASKS]);
}

void kernel_task_sleeps(void)
{
	leave(&kernel->flavours[TASKS]);
}

void shim_read_lock(void)
{
	enter(&kernel->flavours[RCU]);
}

void shim_read_unlock(void)
{
	leave(&kernel->flavours[RCU]);
}

static void call(struct flavour_state *flavour, struct rcu_head *head,
		 void (*function)(struct rcu_head *))
{
	explore_touch(flavour, SHIM_RMW);
	explore_gives(head);
	head->function = function;
	if (flavour->count == CALLBACKS)
		abort();
	flavour->callbacks[flavour->count++] = (struct callback) { head, flavour->inside };
}

void shim_call_rcu(struct rcu_head *head, void (*function)(struct rcu_head *))
{
	call(&kernel->flavours[RCU], head, function);
}

void shim_call_rcu_tasks(struct rcu_head *head, void (*function)(struct rcu_head *))
{
	call(&kernel->flavours[TASKS], head, function);
}

static int ended(const struct flavour_state *flavour)
{
	int i;

	for (i = 0; i < flavour->count; i++)
		if (!flavour->callbacks[i].holders)
			return i;
	return -1;
}

static bool has_ended(void *flavour)
{
	return ended(flavour) >= 0;
}

/* Call who waited for a grace period that is over; false if there is none. */
static bool end_one(struct flavour_state *flavour)
{
	int i = ended(flavour);
	struct rcu_head *head;

	if (i < 0)
		return false;
	head = flavour->callbacks[i].head;
	explore_takes(head);
	flavour->callbacks[i] = flavour->callbacks[--flavour->count];
	head->function(head);
	return true;
}

struct waiter {
	struct rcu_head head;
	bool done;
};

static void wake(struct rcu_head *head)
{
	struct waiter *waiter = (struct waiter *)head;

	explore_touch(waiter, SHIM_RMW);
	waiter->done = true;
}

static bool is_done(void *waiter)
{
	return ((struct waiter *)waiter)->done;
}

void shim_synchronize_rcu(void)
{
	struct waiter *waiter;

	if (!explore_runs())
		return;
	waiter = shim_zalloc(sizeof(*waiter));
	shim_call_rcu(&waiter->head, wake);
	explore_wait(is_done, waiter, SHIM_RMW);
	shim_free(waiter);
}

/* Who queues the same commute; who takes it from the queue meets them all. */
bool shim_queue_work(struct work_struct *work)
{
	explore_touch(&kernel->works, SHIM_LOAD);
	explore_gives(&kernel->works);
	if (work->pending)
		return false;
	if (kernel->work_count == CALLBACKS)
		abort();
	work->pending = 1;
	kernel->works[kernel->work_count++] = work;
	return true;
}

/* Time passes when the program says so. */
bool shim_queue_delayed_work(struct work_struct *work, unsigned long delay)
{
	if (!delay)
		return shim_queue_work(work);
	explore_touch(&kernel->works, SHIM_RMW);
	kernel->delayed = work;
	return true;
}

void kernel_work_again(void)
{
	struct work_struct *work;

	explore_touch(&kernel->works, SHIM_RMW);
	work = kernel->delayed;
	kernel->delayed = NULL;
	if (work)
		shim_queue_work(work);
}

void shim_cancel_work(struct work_struct *work)
{
	int i;

	explore_touch(&kernel->works, SHIM_RMW);
	for (i = 0; i < kernel->work_count; i++)
		if (kernel->works[i] == work)
			kernel->works[i] = kernel->works[--kernel->work_count];
	work->pending = 0;
}

static bool has_work(void *works)
{
	(void)works;
	return kernel->work_count;
}

static bool work_one(void)
{
	struct work_struct *work;

	if (!kernel->work_count)
		return false;
	work = kernel->works[--kernel->work_count];
	work->pending = 0;
	work->function(work);
	return true;
}

void shim_run_works(void)
{
	while (work_one())
		;
}

void shim_grace_period(void)
{
	bool more;

	do {
		more = end_one(&kernel->flavours[TASKS]);
		more |= end_one(&kernel->flavours[RCU]);
	} while (more);
}

void kernel_settle(void)
{
	shim_run_works();
	do {
		shim_grace_period();
		shim_run_works();
	} while (kernel->flavours[TASKS].count + kernel->flavours[RCU].count);
}

/* The threads */

static void end_grace_periods(struct flavour_state *flavour)
{
	for (;;) {
		explore_wait(has_ended, flavour, SHIM_LOAD);
		end_one(flavour);
	}
}

void kernel_thread(int which)
{
	if (which < FLAVOURS)
		end_grace_periods(&kernel->flavours[which]);
	for (;;) {
		explore_wait(has_work, &kernel->works, SHIM_RMW);
		explore_takes(&kernel->works);
		work_one();
	}
}

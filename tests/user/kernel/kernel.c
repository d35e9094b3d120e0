// SPDX-License-Identifier: GPL-2.0
/*
 * Memory, and what the kernel does later: grace periods and work wait until the
 * harness calls for them, which it does when nothing counts.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "shim.h"

static pthread_mutex_t later_lock = PTHREAD_MUTEX_INITIALIZER;
static struct rcu_head *callbacks;
static struct work_struct *works;

#define LARGE	(1UL << 30)

size_t shim_zalloced;

void *shim_zalloc(size_t size)
{
	size_t rounded = (size + 63) / 64 * 64;
	void *memory;

	__atomic_fetch_add(&shim_zalloced, size, __ATOMIC_RELAXED);
	/* So large that it is fresh from the system: what is not touched is not there. */
	if (size > LARGE)
		return calloc(1, size);
	memory = aligned_alloc(64, rounded ? rounded : 64);
	if (memory)
		memset(memory, 0, rounded);
	return memory;
}

void shim_free(void *memory)
{
	free(memory);
}

void shim_call_rcu(struct rcu_head *head, void (*function)(struct rcu_head *))
{
	head->function = function;
	pthread_mutex_lock(&later_lock);
	head->next = callbacks;
	callbacks = head;
	pthread_mutex_unlock(&later_lock);
}

void shim_call_rcu_tasks(struct rcu_head *head, void (*function)(struct rcu_head *))
{
	shim_call_rcu(head, function);
}

/* Called by work only, and that runs when nothing counts. */
void shim_synchronize_rcu(void)
{
}

void shim_grace_period(void)
{
	struct rcu_head *head, *next;

	do {
		pthread_mutex_lock(&later_lock);
		head = callbacks;
		callbacks = NULL;
		pthread_mutex_unlock(&later_lock);
		for (; head; head = next) {
			next = head->next;
			head->function(head);
		}
	} while (callbacks);
}

bool shim_queue_work(struct work_struct *work)
{
	bool queued;

	pthread_mutex_lock(&later_lock);
	queued = !work->pending;
	if (queued) {
		work->pending = 1;
		work->next = works;
		works = work;
	}
	pthread_mutex_unlock(&later_lock);
	return queued;
}

bool shim_queue_delayed_work(struct work_struct *work, unsigned long delay)
{
	(void)delay;
	return shim_queue_work(work);
}

void shim_cancel_work(struct work_struct *work)
{
	struct work_struct **at;

	pthread_mutex_lock(&later_lock);
	for (at = &works; *at; at = &(*at)->next) {
		if (*at == work) {
			*at = work->next;
			break;
		}
	}
	work->pending = 0;
	pthread_mutex_unlock(&later_lock);
}

void shim_run_works(void)
{
	struct work_struct *work, *next;

	pthread_mutex_lock(&later_lock);
	work = works;
	works = NULL;
	pthread_mutex_unlock(&later_lock);
	for (; work; work = next) {
		pthread_mutex_lock(&later_lock);
		next = work->next;
		work->pending = 0;
		pthread_mutex_unlock(&later_lock);
		work->function(work);
	}
}

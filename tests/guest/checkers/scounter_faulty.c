// SPDX-License-Identifier: GPL-2.0
/*
 * scounter_faulty: makes the fault that `fault` names when it is loaded.  A debug
 * kernel must complain of it, and the judge of the virtual machines must notice.
 */
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timer.h>

static char *fault = "none";
module_param(fault, charp, 0400);
MODULE_PARM_DESC(fault, "none, or see the table in the source");

#define BYTES	13

static unsigned long sink;

static void none(void)
{
}

static void beyond(void)
{
	u8 *bytes = kmalloc(BYTES, GFP_KERNEL);
	size_t at = BYTES;

	OPTIMIZER_HIDE_VAR(at);
	if (bytes)
		WRITE_ONCE(sink, READ_ONCE(bytes[at]));
	kfree(bytes);
}

static void freed(void)
{
	u8 *bytes = kmalloc(BYTES, GFP_KERNEL), *same = bytes;

	OPTIMIZER_HIDE_VAR(same);
	kfree(bytes);
	if (same)
		WRITE_ONCE(sink, READ_ONCE(*same));
}

static void shift(void)
{
	int by = 40;

	OPTIMIZER_HIDE_VAR(by);
	WRITE_ONCE(sink, 1 << by);
}

static void asleep(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
}

static void unpinned(void)
{
	WRITE_ONCE(sink, smp_processor_id());
}

static void unprotected(void)
{
	static int __rcu *pointer;

	WRITE_ONCE(sink, (unsigned long)rcu_dereference(pointer));
}

static void order(void)
{
	static DEFINE_MUTEX(one);
	static DEFINE_MUTEX(other);

	mutex_lock(&one);
	mutex_lock(&other);
	mutex_unlock(&other);
	mutex_unlock(&one);
	mutex_lock(&other);
	mutex_lock(&one);
	mutex_unlock(&one);
	mutex_unlock(&other);
}

static void never(struct timer_list *timer)
{
}

static void object(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, never, 0);
	mod_timer(timer, jiffies + 3600 * HZ);
	kfree(timer);
}

static void leak(void)
{
	u32 i;

	/*
	 * What is left of one may be taken for a pointer to it: so are the places
	 * where the allocator had noted small objects.
	 */
	for (i = 0; i < 16; i++)
		WRITE_ONCE(sink, !kmalloc(3 * PAGE_SIZE, GFP_KERNEL));
}

static unsigned long raced;

static int racer(void *unused)
{
	while (!kthread_should_stop()) {
		raced++;
		barrier();
		cond_resched();
	}
	return 0;
}

static void race(void)
{
	struct task_struct *one = kthread_run(racer, NULL, "scounter_faulty/1");
	struct task_struct *other = kthread_run(racer, NULL, "scounter_faulty/2");

	ssleep(3);
	if (!IS_ERR(one))
		kthread_stop(one);
	if (!IS_ERR(other))
		kthread_stop(other);
}

static const struct {
	const char *name;
	void (*make)(void);
} faults[] = {
	{ "none", none },
	{ "beyond", beyond },
	{ "freed", freed },
	{ "shift", shift },
	{ "asleep", asleep },
	{ "unpinned", unpinned },
	{ "unprotected", unprotected },
	{ "order", order },
	{ "object", object },
	{ "leak", leak },
	{ "race", race },
};

static int __init faulty_init(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (strcmp(faults[i].name, fault))
			continue;
		faults[i].make();
		return 0;
	}
	return -EINVAL;
}

static void __exit faulty_exit(void)
{
}

module_init(faulty_init);
module_exit(faulty_exit);

MODULE_DESCRIPTION("scounter test: faults that a debug kernel must notice");
MODULE_LICENSE("GPL");

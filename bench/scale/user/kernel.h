/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What scounter_scale.c uses of the kernel and tests/user/kernel does not have: threads,
 * their waits, files and parameters.  Threads are bound to their CPUs, as in the kernel.
 */
#ifndef _SCALE_USER_KERNEL_H
#define _SCALE_USER_KERNEL_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/scounter.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/types.h>

#undef abs
#define abs(x)			llabs(x)
#define div64_s64(a, b)		((s64)(a) / (s64)(b))
#define _RET_IP_		((unsigned long)__builtin_return_address(0))
#define PTR_ERR_OR_ZERO(p)	(IS_ERR(p) ? PTR_ERR(p) : 0)
#define per_cpu(name, cpu)	(*per_cpu_ptr(&(name), cpu))
#define sort(base, n, size, compare, swap)	qsort(base, n, size, compare)

typedef unsigned int uint;
typedef unsigned long ulong;

#define HZ		250
#define NSEC_PER_SEC	1000000000ULL
#define NSEC_PER_MSEC	1000000ULL
#define MSEC_PER_SEC	1000U

#define __init
#define __exit
#undef pr_err
#define pr_err(...)	fprintf(stderr, KBUILD_MODNAME ": " __VA_ARGS__)

/* Parameters are name=value arguments. */
struct user_param {
	const char *name, *type;
	void *value;
	int *count;	/* of an array, or NULL */
	size_t most;
};

#define USER_PARAM(name, type, value, count, most)			\
	static const struct user_param user_param_##name		\
	__attribute__((section("user_params"), used, aligned(8))) =	\
		{ #name, #type, value, count, most }
#define module_param(name, type, mode)	USER_PARAM(name, type, &name, NULL, 1)
#define module_param_array(name, type, count, mode) \
	USER_PARAM(name, type, name, count, ARRAY_SIZE(name))
#define MODULE_PARM_DESC(name, text)	_Static_assert(1, text)
#define MODULE_DESCRIPTION(text)	_Static_assert(1, text)
#define MODULE_LICENSE(text)		_Static_assert(1, text)
#define THIS_MODULE			((struct module *)0)
#define module_init(function)		int user_init(void) { return function(); }
#define module_exit(function)		void user_exit(void) { function(); }

int user_init(void);
void user_exit(void);

struct task_struct;

struct task_struct *user_thread(int (*function)(void *data), void *data);
void wake_up_process(struct task_struct *task);
void kthread_bind(struct task_struct *task, int cpu);
int kthread_stop(struct task_struct *task);
bool kthread_should_stop(void);

#define kthread_create_on_node(function, data, node, ...) \
	((void)(node), user_thread(function, data))
#define kthread_run(function, data, name) ({				\
	struct task_struct *_task = user_thread(function, data);	\
	if (!IS_ERR(_task))						\
		wake_up_process(_task);					\
	_task;								\
})

/* Who waits looks again after a fraction of a millisecond, and after each wake-up. */
void user_sleep(void);
void user_wake(void);

#define DECLARE_WAIT_QUEUE_HEAD(name)	int __maybe_unused name
#define wait_event(queue, condition) \
	do { while (!(condition)) user_sleep(); } while (0)
#define wait_event_interruptible(queue, condition)	wait_event(queue, condition)
#define wake_up(queue)		user_wake()
#define wake_up_all(queue)	user_wake()
#define schedule_timeout_interruptible(jiffies)		user_sleep()

u64 user_ns(void);
#define ktime_get_ns()		user_ns()

static inline void ndelay(u64 ns)
{
	u64 until = user_ns() + ns;

	while (user_ns() < until)
		;
}

struct seq_file {
	FILE *out;
};

#define seq_printf(seq, ...)	fprintf((seq)->out, __VA_ARGS__)
#define seq_puts(seq, text)	fputs(text, (seq)->out)
#define seq_putc(seq, c)	fputc(c, (seq)->out)

struct dentry;
typedef int (*user_show_t)(struct seq_file *seq, void *unused);
extern user_show_t user_show;

#define DEFINE_SHOW_ATTRIBUTE(name) \
	static const user_show_t name##_fops = name##_show
#define debugfs_create_file(name, mode, parent, data, fops) \
	(user_show = *(fops), (struct dentry *)NULL)
#define debugfs_remove(file)	((void)(file))

struct new_utsname {
	char release[65], machine[65];
};

struct new_utsname *init_utsname(void);

/* The kernel's, as tests/user/kernel/counters.c has it. */
struct percpu_counter {
	void *counter;
};

int percpu_counter_init(struct percpu_counter *counter, s64 amount, gfp_t gfp);
void percpu_counter_destroy(struct percpu_counter *counter);
void percpu_counter_inc(struct percpu_counter *counter);
void percpu_counter_add(struct percpu_counter *counter, s64 amount);
s64 percpu_counter_sum(struct percpu_counter *counter);

#define num_online_nodes()		1
#define for_each_online_node(node)	for ((node) = 0; (node) < 1; (node)++)
#define cpumask_of_node(node)		NULL
#define cpu_online_mask			NULL
#define for_each_cpu_and(cpu, a, b)	for_each_online_cpu(cpu)

#define kvcalloc(n, size, gfp)		kcalloc(n, size, gfp)
#define kvfree(memory)			kfree(memory)

static inline char *kstrdup(const char *text, gfp_t gfp)
{
	char *copy = kzalloc(strlen(text) + 1, gfp);

	return copy ? strcpy(copy, text) : NULL;
}

#endif /* _SCALE_USER_KERNEL_H */

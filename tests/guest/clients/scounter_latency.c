// SPDX-License-Identifier: GPL-2.0
/*
 * How long the kernel kept a CPU from an interrupt, and from a task of the highest
 * priority: as the tracer timerlat, which Debian's kernel is built without.  A timer
 * of each CPU is due every `period` nanoseconds and wakes a task of that CPU.
 *
 *	insmod scounter_latency.ko text=0xADDRESS size=BYTES	of the module in question
 *	echo >/sys/kernel/debug/scounter_latency		begin anew
 *	echo irq 2000 >/sys/kernel/debug/scounter_latency	make one, of 2000 us
 *	echo task 2000 >/sys/kernel/debug/scounter_latency
 *	cat /sys/kernel/debug/scounter_latency
 *
 * A latency longer than a period is seen, to less than a period.  It is shown with the
 * stack of what caused it: where interrupts came on again, or what ran when the task
 * was late already.  The longest of all is shown, and the longest with the module in
 * question in its stack.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>
#include <linux/version.h>

static uint period = 100000;
module_param(period, uint, 0400);
MODULE_PARM_DESC(period, "nanoseconds between two interrupts of a CPU (default 100000)");

static ulong text;
module_param(text, ulong, 0400);
MODULE_PARM_DESC(text, "address of the module in question");

static ulong size;
module_param(size, ulong, 0400);
MODULE_PARM_DESC(size, "its bytes (default 0: none is in question)");

#define DEPTH	24
/* Nanoseconds that are not worth a stack. */
#define SHORT	5000

struct stack {
	unsigned long entries[DEPTH];
	u32 depth;
};

struct latency {
	u64 ns;
	struct stack stack;
};

struct longest {
	struct latency all, module;
};

struct probe {
	struct hrtimer timer;
	struct task_struct *task;
	u64 due;		/* of an interrupt that the task has not seen; or 0 */
	struct stack late;	/* what ran an interrupt later */
	struct longest irq, scheduled;
};

static DEFINE_PER_CPU(struct probe, probes);
static struct dentry *file;

static void stack_save(struct stack *stack)
{
	stack->depth = stack_trace_save(stack->entries, DEPTH, 2);
}

static bool is_of_module(const struct stack *stack)
{
	u32 i;

	for (i = 0; i < stack->depth; i++)
		if (stack->entries[i] - text < size)
			return true;
	return false;
}

static void keep_longer(struct latency *latency, u64 ns, const struct stack *stack)
{
	if (ns <= latency->ns)
		return;
	latency->ns = ns;
	latency->stack = *stack;
}

/* With the stack of now, or with @stack. */
static void look_at(struct longest *longest, u64 ns, const struct stack *stack)
{
	struct stack now;

	if (ns <= max_t(u64, SHORT, longest->module.ns))
		return;
	if (!stack) {
		stack_save(&now);
		stack = &now;
	}
	keep_longer(&longest->all, ns, stack);
	if (is_of_module(stack))
		keep_longer(&longest->module, ns, stack);
}

static enum hrtimer_restart interrupt(struct hrtimer *timer)
{
	struct probe *probe = container_of(timer, struct probe, timer);
	u64 due = ktime_to_ns(hrtimer_get_expires(timer));

	look_at(&probe->irq, ktime_get_ns() - due, NULL);
	if (probe->due) {
		stack_save(&probe->late);
	} else {
		probe->late.depth = 0;
		WRITE_ONCE(probe->due, due);
		wake_up_process(probe->task);
	}
	hrtimer_forward_now(timer, ns_to_ktime(period));
	return HRTIMER_RESTART;
}

static int watch(void *data)
{
	struct probe *probe = data;
	u64 due;

	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		due = READ_ONCE(probe->due);
		if (!due) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		local_irq_disable();
		look_at(&probe->scheduled, ktime_get_ns() - due, &probe->late);
		probe->due = 0;
		local_irq_enable();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static void show(struct seq_file *seq, const char *what, const struct latency *latency)
{
	u32 i;

	seq_printf(seq, "%s %llu\n", what, latency->ns);
	for (i = 0; i < latency->stack.depth; i++)
		seq_printf(seq, "\t%pS\n", (void *)latency->stack.entries[i]);
}

static int latency_show(struct seq_file *seq, void *unused)
{
	int cpu;

	seq_printf(seq, "now %llu\n", ktime_get_ns());
	for_each_online_cpu(cpu) {
		struct probe *probe = &per_cpu(probes, cpu);

		show(seq, "irq", &probe->irq.all);
		show(seq, "irq-module", &probe->irq.module);
		show(seq, "task", &probe->scheduled.all);
		show(seq, "task-module", &probe->scheduled.module);
	}
	return 0;
}

static int latency_open(struct inode *inode, struct file *file)
{
	return single_open(file, latency_show, NULL);
}

static void forget(void *unused)
{
	struct probe *probe = this_cpu_ptr(&probes);

	memset(&probe->irq, 0, sizeof(probe->irq));
	memset(&probe->scheduled, 0, sizeof(probe->scheduled));
}

static noinline void hold_interrupts(u32 us)
{
	local_irq_disable();
	mdelay(us / 1000);
	udelay(us % 1000);
	local_irq_enable();
}

static noinline void hold_task(u32 us)
{
	preempt_disable();
	mdelay(us / 1000);
	udelay(us % 1000);
	preempt_enable();
}

static ssize_t latency_write(struct file *file, const char __user *buffer, size_t size,
			     loff_t *position)
{
	char text[16] = "";
	u32 us;

	if (copy_from_user(text, buffer, min(size, sizeof(text) - 1)))
		return -EFAULT;
	if (sscanf(text, "irq %u", &us) == 1)
		hold_interrupts(us);
	else if (sscanf(text, "task %u", &us) == 1)
		hold_task(us);
	else
		on_each_cpu(forget, NULL, 1);
	return size;
}

static const struct file_operations latency_fops = {
	.owner		= THIS_MODULE,
	.open		= latency_open,
	.read		= seq_read,
	.write		= latency_write,
	.release	= single_release,
};

static void stop(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct probe *probe = &per_cpu(probes, cpu);

		if (IS_ERR_OR_NULL(probe->task))
			continue;
		hrtimer_cancel(&probe->timer);
		kthread_stop(probe->task);
	}
}

static void start_here(void *unused)
{
	struct probe *probe = this_cpu_ptr(&probes);

	hrtimer_start(&probe->timer, ns_to_ktime(period), HRTIMER_MODE_REL_PINNED_HARD);
}

static void prepare_timer(struct hrtimer *timer)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, interrupt, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = interrupt;
#endif
}

static int __init latency_init(void)
{
	int cpu;

	for_each_online_cpu(cpu) {
		struct probe *probe = &per_cpu(probes, cpu);

		prepare_timer(&probe->timer);
		probe->task = kthread_create(watch, probe, "scounter_lat/%d", cpu);
		if (IS_ERR(probe->task)) {
			stop();
			return PTR_ERR(probe->task);
		}
		kthread_bind(probe->task, cpu);
		sched_set_fifo(probe->task);
		wake_up_process(probe->task);
	}
	on_each_cpu(start_here, NULL, 1);
	file = debugfs_create_file("scounter_latency", 0600, NULL, NULL, &latency_fops);
	return 0;
}

static void __exit latency_exit(void)
{
	debugfs_remove(file);
	stop();
}

module_init(latency_init);
module_exit(latency_exit);

MODULE_DESCRIPTION("scounter test: the longest latencies");
MODULE_LICENSE("GPL");

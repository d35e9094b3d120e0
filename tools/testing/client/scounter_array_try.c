// SPDX-License-Identifier: GPL-2.0
/*
 * One array as the parameters say.  With `hammer`, threads on all CPUs, and hard
 * and soft interrupts that they raise, count in its first 256 counters, until
 * `run` is cleared; with `busted`, one event in 16 is claimed and not counted.
 *
 * /sys/kernel/debug/scounter_array_try has what was counted, the sum of all
 * values, and the bytes, refusals and saturation of the array, a line each; and
 * then the counters that are not 0.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/scounter_array.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

static bool run = true;
module_param(run, bool, 0600);
static char *name = "array";
module_param(name, charp, 0400);
static uint kind = SCOUNTER_REPR_CSUROS2, bits = 16, q, m = 1, theta, group = 1, flags;
module_param(kind, uint, 0400);
module_param(bits, uint, 0400);
module_param(q, uint, 0400);
module_param(m, uint, 0400);
module_param(theta, uint, 0400);
module_param(group, uint, 0400);
module_param(flags, uint, 0400);
static unsigned long long length = 256;
module_param(length, ullong, 0400);
static ulong add;
module_param(add, ulong, 0400);
static bool hammer, busted, self_merge, forget;
module_param(hammer, bool, 0400);
module_param(busted, bool, 0400);
module_param(self_merge, bool, 0400);
module_param(forget, bool, 0400);

#define COUNTERS	256

static struct scounter_array *array;
static atomic64_t counted;
static struct task_struct **threads;
static DEFINE_PER_CPU(struct irq_work, hard_work);
static DEFINE_PER_CPU(struct tasklet_struct, soft_work);
static DEFINE_PER_CPU(u32, next_index);
static struct dentry *file;

static void count(void)
{
	u32 i = raw_cpu_inc_return(next_index);

	if (!busted || i % 16)
		scounter_array_inc(array, i % COUNTERS);
	atomic64_inc(&counted);
}

static void count_hard(struct irq_work *work)
{
	count();
}

static void count_soft(struct tasklet_struct *tasklet)
{
	count();
}

static int count_all(void *unused)
{
	u32 i;

	while (!kthread_should_stop()) {
		for (i = 0; run && i < 1000; i++) {
			count();
			if (i % 16 == 0) {
				preempt_disable();
				irq_work_queue(this_cpu_ptr(&hard_work));
				tasklet_schedule(this_cpu_ptr(&soft_work));
				preempt_enable();
			}
		}
		if (run)
			cond_resched();
		else
			schedule_timeout_uninterruptible(1);
	}
	return 0;
}

static int try_show(struct seq_file *seq, void *unused)
{
	u64 sum = 0, i;

	for (i = 0; i < length; i++) {
		sum += scounter_array_read(array, i);
		cond_resched();
	}
	seq_printf(seq, "counted %lld\nsum %llu\nbytes %zu\nrefused %llu\nsaturated %d\n",
		   atomic64_read(&counted), sum, scounter_array_bytes(array),
		   scounter_array_refused(array), scounter_array_saturated(array));
	for (i = 0; i < length && i < COUNTERS; i++) {
		struct scounter_array_estimate estimate;

		scounter_array_read_est(array, i, &estimate);
		if (estimate.value)
			seq_printf(seq, "%llu %llu %llu %llu %u\n", i, estimate.value,
				   estimate.lower, estimate.upper, estimate.error_ppm);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(try);

static void stop(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!IS_ERR_OR_NULL(threads[cpu]))
			kthread_stop(threads[cpu]);
		irq_work_sync(per_cpu_ptr(&hard_work, cpu));
		tasklet_kill(per_cpu_ptr(&soft_work, cpu));
	}
	kfree(threads);
}

static int start(void)
{
	int cpu;

	threads = kcalloc(nr_cpu_ids, sizeof(*threads), GFP_KERNEL);
	if (!threads)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		init_irq_work(per_cpu_ptr(&hard_work, cpu), count_hard);
		tasklet_setup(per_cpu_ptr(&soft_work, cpu), count_soft);
	}
	for_each_online_cpu(cpu) {
		threads[cpu] = kthread_create(count_all, NULL, "array_try/%d", cpu);
		if (IS_ERR(threads[cpu]))
			continue;
		kthread_bind(threads[cpu], cpu);
		wake_up_process(threads[cpu]);
	}
	return 0;
}

static int __init try_init(void)
{
	const struct scounter_array_type type = {
		.kind = kind, .bits = bits, .q_ppm = q, .m = m, .theta = theta, .group = group,
	};
	u64 i;
	int err = 0;

	array = scounter_array_create(name, NULL, &type, length, flags);
	if (IS_ERR(array))
		return PTR_ERR(array);
	for (i = 0; add && i < length; i++) {
		scounter_array_add(array, i, add);
		cond_resched();
	}
	if (self_merge)
		err = scounter_array_merge(array, array);
	if (!err && hammer)
		err = start();
	if (err) {
		scounter_array_destroy(array);
		return err;
	}
	file = debugfs_create_file("scounter_array_try", 0444, NULL, NULL, &try_fops);
	return 0;
}

static void __exit try_exit(void)
{
	debugfs_remove(file);
	if (hammer)
		stop();
	if (!forget)
		scounter_array_destroy(array);
}

module_init(try_init);
module_exit(try_exit);

MODULE_DESCRIPTION("scounter test: one array by parameters");
MODULE_LICENSE("GPL");

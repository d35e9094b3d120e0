// SPDX-License-Identifier: GPL-2.0
/*
 * One array as the parameters say.  With `hammer`, all contexts on all CPUs count in
 * its first 256 counters, until `run` is cleared and the file read; with `busted`,
 * one event in 16 is claimed and not counted.
 *
 * /sys/kernel/debug/scounter_array_try has what was counted in each context, the sum
 * of all counters with its deviation, and the bytes, refusals and saturation of the
 * array, a line each; and then the counters that are not 0.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/scounter_array.h>
#include <linux/seq_file.h>

#define TASKS_AN_NMI	4096
#include "../contexts/contexts.h"

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
static atomic64_t counted[CONTEXTS];
static DEFINE_PER_CPU(u32, next_index);
static struct dentry *file;

static void count(enum context context)
{
	u32 i = raw_cpu_inc_return(next_index);

	if (!busted || i % 16)
		scounter_array_inc(array, i % COUNTERS);
	atomic64_inc(&counted[context]);
}

static void stop(void)
{
	static DEFINE_MUTEX(mutex);

	mutex_lock(&mutex);
	contexts_stop();
	mutex_unlock(&mutex);
}

static int try_show(struct seq_file *seq, void *unused)
{
	struct scounter_array_total sum;
	u64 i;

	if (!READ_ONCE(run))
		stop();
	scounter_array_sum(array, 0, length, &sum);
	seq_printf(seq, "counted task %lld softirq %lld hardirq %lld nmi %lld\n",
		   (s64)atomic64_read(&counted[TASK]), (s64)atomic64_read(&counted[SOFTIRQ]),
		   (s64)atomic64_read(&counted[HARDIRQ]), (s64)atomic64_read(&counted[NMI]));
	seq_printf(seq, "sum %llu deviation %llu\nbytes %zu\nrefused %llu\nsaturated %d\n",
		   sum.value.whole, sum.deviation, scounter_array_bytes(array),
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
		err = contexts_start(count);
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
	stop();
	if (!forget)
		scounter_array_destroy(array);
}

module_init(try_init);
module_exit(try_exit);

MODULE_DESCRIPTION("scounter test: one array by parameters");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/*
 * Counts in one counter of each kind from task, softirq, hardirq and (on x86)
 * NMI context on all CPUs at once, until the parameter `run` is cleared; keeps
 * the exact number itself.  With `reset`, a thread fetches and resets all the
 * while; without, it checks that no value goes down.  With `busted`, one round
 * in some thousands is claimed and not counted: who judges must notice.
 *
 * /sys/kernel/debug/scounter_hammer then has a line a counter: kind, events
 * counted, the sum of all that resets returned and the value that is left, the
 * relative error of the latter in ppm, and how often a value was seen going
 * down.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/scounter.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../contexts/contexts.h"

static bool run = true;
module_param(run, bool, 0600);
static bool reset;
module_param(reset, bool, 0400);
static bool busted;
module_param(busted, bool, 0400);

/* SCOUNTER_EXACT is not multiline_adapt alone: it may grow several stripes a node. */
#define KIND(symbol, ...)	SCOUNTER_##symbol,
static const enum scounter_kind kinds[] = {
	SCOUNTER_KIND_TABLE(KIND)
	SCOUNTER_EXACT,
};

static const char *name_of(enum scounter_kind kind)
{
	return kind == SCOUNTER_EXACT ? "exact" : scounter_kind_name(kind);
}

#define KINDS	ARRAY_SIZE(kinds)

static struct scounter *counters[KINDS];
static u64 returned[KINDS], last_seen[KINDS], went_down[KINDS];

static atomic64_t rounds[CONTEXTS];
#define EVENTS_A_ROUND	9

static struct task_struct *observer;
static struct dentry *file;

/* Counting its own rounds after the counters: none is counted but not made. */
static void count(enum context context)
{
	int i, j;

	if (busted && atomic64_read(&rounds[context]) % 4096 == 1) {
		atomic64_inc(&rounds[context]);
		return;
	}
	for (i = 0; i < KINDS; i++) {
		for (j = 0; j < EVENTS_A_ROUND - 5; j++)
			scounter_inc(counters[i]);
		scounter_add(counters[i], 5);
	}
	atomic64_inc(&rounds[context]);
}

static void observe(int i)
{
	u64 seen;

	if (reset) {
		returned[i] += scounter_fetch_reset(counters[i]);
		return;
	}
	seen = scounter_read(counters[i]);
	went_down[i] += seen < last_seen[i];
	last_seen[i] = seen;
}

static int observe_all(void *unused)
{
	int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < KINDS; i++)
			observe(i);
		schedule_timeout_interruptible(reset ? 10 : 1);
	}
	return 0;
}

static void stop_threads(void)
{
	contexts_stop();
	if (!IS_ERR_OR_NULL(observer))
		kthread_stop(observer);
	observer = NULL;
}

/* The first read after `run` was cleared stops everything, so that all is in. */
static int hammer_show(struct seq_file *seq, void *unused)
{
	static DEFINE_MUTEX(mutex);
	int i;

	if (READ_ONCE(run)) {
		seq_puts(seq, "running\n");
		return 0;
	}
	mutex_lock(&mutex);
	stop_threads();
	mutex_unlock(&mutex);
	for (i = 0; i < KINDS; i++) {
		struct scounter_estimate estimate;
		u64 events = 0;
		int context;

		for (context = 0; context < CONTEXTS; context++)
			events += atomic64_read(&rounds[context]) * EVENTS_A_ROUND;
		scounter_read_est(counters[i], &estimate);
		seq_printf(seq, "%s %llu %llu %u %llu\n", name_of(kinds[i]),
			   events, returned[i] + estimate.value, estimate.error_ppm,
			   went_down[i]);
	}
	seq_printf(seq, "rounds task %lld softirq %lld hardirq %lld nmi %lld\n",
		   (s64)atomic64_read(&rounds[TASK]), (s64)atomic64_read(&rounds[SOFTIRQ]),
		   (s64)atomic64_read(&rounds[HARDIRQ]), (s64)atomic64_read(&rounds[NMI]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(hammer);

static void destroy_counters(void)
{
	int i;

	for (i = 0; i < KINDS; i++)
		scounter_destroy(counters[i]);
}

static int create_counters(void)
{
	int i;

	for (i = 0; i < KINDS; i++) {
		counters[i] = scounter_create(name_of(kinds[i]), NULL,
					      kinds[i], 0, GFP_KERNEL);
		if (IS_ERR(counters[i]))
			return PTR_ERR(counters[i]);
	}
	return 0;
}

static int __init hammer_init(void)
{
	int err = create_counters();

	if (!err)
		err = contexts_start(count);
	if (err) {
		destroy_counters();
		return err;
	}
	observer = kthread_run(observe_all, NULL, "hammer/observer");
	file = debugfs_create_file("scounter_hammer", 0400, NULL, NULL, &hammer_fops);
	return 0;
}

static void __exit hammer_exit(void)
{
	debugfs_remove(file);
	stop_threads();
	destroy_counters();
}

module_init(hammer_init);
module_exit(hammer_exit);

MODULE_DESCRIPTION("scounter test: all kinds from all contexts and CPUs");
MODULE_LICENSE("GPL");

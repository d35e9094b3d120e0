// SPDX-License-Identifier: GPL-2.0
/*
 * Hits one table from task, softirq, hardirq and (on x86) NMI context on all CPUs
 * at once, and keeps the exact counts itself: hits begun and hits done, for each
 * key.  A thread reads the table all the while and compares: a count, with what is
 * pending or was dropped, may not be below what was done before the snapshot, nor
 * count less error above what was begun after it.  With `reset` it fetches and resets instead, and adds up.  With
 * `busted`, one hit in some thousands is claimed and not made: who judges must
 * notice.
 *
 * When the parameter `run` has been cleared, /sys/kernel/debug/scounter_topk_hammer
 * has what was seen, a name and a number a line.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/scounter_topk.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../contexts/contexts.h"

static bool run = true;
module_param(run, bool, 0600);
static bool reset;
module_param(reset, bool, 0400);
static bool busted;
module_param(busted, bool, 0400);
static uint capacity = 100;
module_param(capacity, uint, 0400);
static char *design = "lockfree";
module_param(design, charp, 0400);

#define KEYS	512

static struct scounter_topk *topk;
static atomic64_t begun[KEYS], done[KEYS], rounds;
static u64 before[KEYS];
static u64 returned, snapshots, failures;

static atomic64_t hits[CONTEXTS];

static struct task_struct *observer;
static struct dentry *file;

/* Small numbers are hit much more often than great ones. */
static u32 some_key(u64 round)
{
	u64 mixed = (round + 1) * 0x9e3779b97f4a7c15ULL;

	return (u32)(mixed >> 40) % KEYS >> (mixed >> 61);
}

static void count(enum context context)
{
	u64 round = atomic64_inc_return(&rounds);
	u64 key = some_key(round);

	atomic64_inc(&hits[context]);
	atomic64_inc(&begun[key]);
	if (!busted || round % 4096 != 1)
		scounter_topk_hit(topk, &key);
	atomic64_inc(&done[key]);
}

static void expect(bool right, const char *what, u64 key)
{
	if (!right && !failures++)
		pr_err("scounter_topk_hammer: %s, key %llu\n", what, key);
}

/* Returns the sum of the counts. */
static u64 compare(const struct scounter_topk_header *snapshot)
{
	static bool listed[KEYS];
	u64 sum = 0, least = U64_MAX, missing, key;
	u32 i;

	/* Of which keys they are nobody knows. */
	missing = snapshot->pending + snapshot->dropped;
	memset(listed, 0, sizeof(listed));
	for (i = 0; i < snapshot->records; i++) {
		const struct scounter_topk_record *record = scounter_topk_record(snapshot, i);

		memcpy(&key, record->key, sizeof(key));
		expect(key < KEYS, "a key that was never hit", key);
		if (key >= KEYS)
			continue;
		expect(!listed[key], "listed twice", key);
		listed[key] = true;
		expect(record->count <= least, "not in order", key);
		expect(record->count + missing >= before[key], "too small", key);
		expect(record->count - record->error <= (u64)atomic64_read(&begun[key]),
		       "error too small", key);
		least = record->count;
		sum += record->count;
	}
	for (key = 0; key < KEYS; key++)
		expect(listed[key] || before[key] <= snapshot->floor + missing, "missing",
		       key);
	return sum;
}

static void observe(void)
{
	struct scounter_topk_header *snapshot;
	u32 i;

	if (reset) {
		snapshot = scounter_topk_fetch_reset(topk);
		if (!IS_ERR(snapshot))
			returned += snapshot->total;
		expect(!IS_ERR(snapshot), "no memory", 0);
	} else {
		for (i = 0; i < KEYS; i++)
			before[i] = atomic64_read(&done[i]);
		snapshot = scounter_topk_top(topk, U32_MAX);
		expect(!IS_ERR(snapshot), "no memory", 0);
		if (!IS_ERR(snapshot))
			compare(snapshot);
	}
	scounter_topk_free(snapshot);
	snapshots++;
}

static int observe_all(void *unused)
{
	while (!kthread_should_stop()) {
		observe();
		schedule_timeout_interruptible(1);
	}
	return 0;
}

/* Does nothing the second time. */
static void stop(void)
{
	contexts_stop();
	if (!IS_ERR_OR_NULL(observer))
		kthread_stop(observer);
	observer = NULL;
}

static void show_result(struct seq_file *seq)
{
	struct scounter_topk_header *snapshot = scounter_topk_top(topk, U32_MAX);
	u64 sum = 0, all = 0;
	int i;

	if (IS_ERR(snapshot))
		return;
	for (i = 0; i < KEYS; i++) {
		before[i] = atomic64_read(&done[i]);
		all += before[i];
	}
	if (!reset)
		sum = compare(snapshot);
	expect(!snapshot->pending, "still pending", snapshot->pending);
	seq_printf(seq, "hits %llu\ncounted %llu\nsum %llu\ndropped %llu\n", all,
		   returned + snapshot->total, sum, snapshot->dropped);
	seq_printf(seq, "evictions %llu\nfloor %llu\nsnapshots %llu\nfailures %llu\n",
		   snapshot->evictions, snapshot->floor, snapshots, failures);
	seq_printf(seq, "task %lld\nsoftirq %lld\nhardirq %lld\nnmi %lld\n",
		   (s64)atomic64_read(&hits[TASK]), (s64)atomic64_read(&hits[SOFTIRQ]),
		   (s64)atomic64_read(&hits[HARDIRQ]), (s64)atomic64_read(&hits[NMI]));
	scounter_topk_free(snapshot);
}

/* The first read after `run` was cleared stops everything, so that all is in. */
static int hammer_show(struct seq_file *seq, void *unused)
{
	static DEFINE_MUTEX(mutex);

	if (READ_ONCE(run)) {
		seq_puts(seq, "running\n");
		return 0;
	}
	mutex_lock(&mutex);
	stop();
	show_result(seq);
	mutex_unlock(&mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(hammer);

static int __init hammer_init(void)
{
	struct scounter_topk_spec spec = {
		.capacity = capacity,
		.key_size = sizeof(u64),
		.design = scounter_topk_design_by_name(design),
	};
	int err;

	topk = scounter_topk_create("hammer", NULL, &spec);
	err = PTR_ERR_OR_ZERO(topk) ?: contexts_start(count);
	if (err) {
		scounter_topk_destroy(topk);
		return err;
	}
	observer = kthread_run(observe_all, NULL, "topk/observer");
	file = debugfs_create_file("scounter_topk_hammer", 0400, NULL, NULL, &hammer_fops);
	return 0;
}

static void __exit hammer_exit(void)
{
	debugfs_remove(file);
	stop();
	scounter_topk_destroy(topk);
}

module_init(hammer_init);
module_exit(hammer_exit);

MODULE_DESCRIPTION("scounter test: a table of frequent items from all contexts and CPUs");
MODULE_LICENSE("GPL");

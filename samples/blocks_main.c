// SPDX-License-Identifier: GPL-2.0
/*
 * A profile of basic blocks, as Ayers' runtime makes one of code that it has just
 * compiled: a counter for each block, all in one table, which the threads of all CPUs
 * increment.  Three ways to count are compared:
 *
 *	racing		a load and a store of four bytes
 *	atomic		atomic_inc() of four bytes
 *	scalable32	scounter_word32_inc(): four bytes, exact to 8192, then within 1 %
 *
 *	# insmod scounter.ko; insmod scounter_blocks.ko
 *	# cat /sys/kernel/debug/scounter_blocks
 *
 * At load a thread on each CPU runs blocks_work.c, once for each way.  Before, one CPU
 * runs the same inputs alone and counts exactly: that is the truth.  It also tells which
 * blocks flow into which: blocks a, b, c with a = b + c for each input obey a law of
 * conservation, like an "if" with its two branches.  How far a table breaks the laws is
 * what a compiler sees that has nothing else to compare with.
 *
 * Ayers 2023, Scalable Approximate Counting.
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/scounter.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "blocks.h"

#define BLOCKS_MAX	64
#define ROUNDS_AT_ONCE	1000
#define INPUTS		8	/* from which the laws are found */
#define LAWS_MAX	64
#define LAW_LEAST	8192	/* blocks that are run less often are not judged */
/* The instrumented code is no farther from blocks_work(). */
#define BEFORE		4096
#define SPAN		8192
#define PPM		1000000LL

static uint rounds = 50000;
module_param(rounds, uint, 0400);
MODULE_PARM_DESC(rounds, "rounds of the code on each CPU, 1000000 at most (default 50000)");

enum way { NOTHING, FIND, ALONE, RACING, ATOMIC, SCALABLE };

static const char *const names[] = {
	[NOTHING] = "nothing", [RACING] = "racing", [ATOMIC] = "atomic", [SCALABLE] = "scalable32",
};

static const struct scounter_class scalable_class =
	SCOUNTER_CLASS(SCOUNTER_SCALABLE32, 10000);		/* 1 % */

/* A slot of the table, counted in one of the ways. */
union slot {
	u32 racing;
	atomic_t atomic;
	struct scounter_word32 scalable;
};

struct law {
	u8 sum, parts[2];
};

struct result {
	u32 ps;			/* of a thread, for a block */
	u32 count_ppm;		/* the worst count's error */
	u32 worst_ppm, mean_ppm;	/* how far laws are broken, of the sum */
};

/* By the place in the code: the number of the block, or 0. */
static u8 numbers[SPAN];
static unsigned long places[BLOCKS_MAX];
static u32 blocks = 1;

static enum way way;
static union slot slots[BLOCKS_MAX] ____cacheline_aligned;
static u64 alone[BLOCKS_MAX];
static u64 inputs[INPUTS][BLOCKS_MAX];
static u64 truth[BLOCKS_MAX];
static struct law laws[LAWS_MAX];
static u32 laws_count;
static struct result results[ARRAY_SIZE(names)];
static u64 profile[BLOCKS_MAX];
static struct dentry *file;

static notrace void find(u32 at, unsigned long ip)
{
	if (numbers[at] || blocks == BLOCKS_MAX)
		return;
	places[blocks] = ip;
	numbers[at] = blocks++;
}

notrace void blocks_hit(void)
{
	unsigned long ip = _RET_IP_;
	unsigned long at = ip - (unsigned long)blocks_work + BEFORE;
	u32 block;

	if (at >= SPAN)
		return;
	block = numbers[at];
	switch (way) {
	case NOTHING:
		break;
	case FIND:
		find(at, ip);
		break;
	case ALONE:
		alone[block]++;
		break;
	case RACING:
		/* What a plain increment is that the compiler leaves alone. */
		WRITE_ONCE(slots[block].racing, READ_ONCE(slots[block].racing) + 1);
		break;
	case ATOMIC:
		atomic_inc(&slots[block].atomic);
		break;
	case SCALABLE:
		scounter_word32_inc(&slots[block].scalable, &scalable_class);
		break;
	}
}

static u64 counted(u32 block)
{
	return way == SCALABLE ? scounter_word32_read(&slots[block].scalable, &scalable_class) :
				 slots[block].racing;
}

/* Any but 0, and another one for each. */
static u32 seed_of(u32 i)
{
	return 0x9e3779b9 * (i + 1);
}

/* In parts, so that another task can have the CPU in between. */
static void run_rounds(u32 seed)
{
	u32 left, part;

	for (left = rounds; left; left -= part) {
		part = min_t(u32, left, ROUNDS_AT_ONCE);
		blocks_work(seed + left, part);
		cond_resched();
	}
}

static void run_alone(u32 seed, u64 *counts)
{
	u32 i;

	memset(alone, 0, sizeof(alone));
	way = ALONE;
	run_rounds(seed);
	way = NOTHING;
	for (i = 1; i < blocks; i++)
		counts[i] += alone[i];
}

static bool is_law(u32 sum, u32 a, u32 b)
{
	u32 i;

	for (i = 0; i < INPUTS; i++)
		if (!inputs[i][a] || !inputs[i][b] ||
		    inputs[i][sum] != inputs[i][a] + inputs[i][b])
			return false;
	return true;
}

static void find_laws(void)
{
	u32 sum, a, b;

	for (sum = 1; sum < blocks; sum++)
		for (a = 1; a < blocks; a++)
			for (b = a + 1; b < blocks; b++)
				if (laws_count < LAWS_MAX && is_law(sum, a, b))
					laws[laws_count++] = (struct law) { sum, { a, b } };
}

/* One CPU: where the blocks are, how often they are run in truth, and the laws. */
static void explore(void)
{
	u32 i, cpu;

	way = FIND;
	for (i = 0; i < INPUTS; i++)
		run_rounds(seed_of(i));
	for (i = 0; i < INPUTS; i++)
		run_alone(seed_of(i), inputs[i]);
	for_each_online_cpu(cpu)
		run_alone(seed_of(cpu), truth);
	find_laws();
}

struct thread {
	struct task_struct *task;
	u32 seed;
	u64 ns;
	struct completion ready;
};

static DECLARE_COMPLETION(begin);

static int run_thread(void *data)
{
	struct thread *thread = data;
	u64 from;

	complete(&thread->ready);
	wait_for_completion(&begin);
	from = ktime_get_ns();
	run_rounds(thread->seed);
	thread->ns = ktime_get_ns() - from;
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* The sum of what all threads took, or an error. */
static s64 run_threads(struct thread *threads)
{
	s64 ns = 0;
	int err = 0;
	u32 cpu;

	reinit_completion(&begin);
	for_each_online_cpu(cpu) {
		struct thread *thread = &threads[cpu];
		struct task_struct *task;

		thread->seed = seed_of(cpu);
		init_completion(&thread->ready);
		task = kthread_create_on_node(run_thread, thread, cpu_to_node(cpu),
					      "scounter_blocks/%u", cpu);
		if (IS_ERR(task)) {
			err = PTR_ERR(task);
			break;
		}
		thread->task = task;
		kthread_bind(task, cpu);
		wake_up_process(task);
		wait_for_completion(&thread->ready);
	}
	complete_all(&begin);
	for_each_online_cpu(cpu) {
		if (!threads[cpu].task)
			continue;
		kthread_stop(threads[cpu].task);
		threads[cpu].task = NULL;
		ns += threads[cpu].ns;
	}
	return err ?: ns;
}

static u32 relative_ppm(u64 a, u64 b)
{
	return b ? div64_u64((a > b ? a - b : b - a) * PPM, b) : 0;
}

static void judge(struct result *result)
{
	u64 sum = 0;
	u32 i, judged = 0;

	for (i = 1; i < blocks; i++)
		if (truth[i] >= LAW_LEAST)
			result->count_ppm = max(result->count_ppm,
						relative_ppm(counted(i), truth[i]));
	for (i = 0; i < laws_count; i++) {
		const struct law *law = &laws[i];
		u32 ppm;

		if (truth[law->sum] < LAW_LEAST)
			continue;
		ppm = relative_ppm(counted(law->parts[0]) + counted(law->parts[1]),
				   counted(law->sum));
		result->worst_ppm = max(result->worst_ppm, ppm);
		sum += ppm;
		judged++;
	}
	result->mean_ppm = judged ? div_u64(sum, judged) : 0;
}

/* All CPUs, in one way. */
static int measure(struct thread *threads, enum way this)
{
	u64 run = 0;
	s64 ns;
	u32 i;

	memset(slots, 0, sizeof(slots));
	way = this;
	ns = run_threads(threads);
	if (ns < 0)
		return ns;
	for (i = 1; i < blocks; i++)
		run += truth[i];
	results[this].ps = run ? div64_u64(ns * 1000, run) : 0;
	if (this != NOTHING)
		judge(&results[this]);
	for (i = 1; i < blocks && this == SCALABLE; i++)
		profile[i] = counted(i);
	return 0;
}

static int compare_blocks(const void *a, const void *b)
{
	u64 x = profile[*(const u8 *)a], y = profile[*(const u8 *)b];

	return x > y ? -1 : x < y;
}

static void show_percent(struct seq_file *seq, u32 ppm)
{
	seq_printf(seq, " %4u.%04u", ppm / 10000, ppm % 10000);
}

/* Those with most counts, to the block with 1 % of them. */
static void show_profile(struct seq_file *seq)
{
	u8 order[BLOCKS_MAX];
	u64 all = 0;
	u32 i;

	for (i = 1; i < blocks; i++) {
		order[i - 1] = i;
		all += profile[i];
	}
	sort(order, blocks - 1, sizeof(order[0]), compare_blocks, NULL);
	seq_puts(seq, "# hot blocks, by scalable32: %, count, place\n");
	for (i = 0; i + 1 < blocks && profile[order[i]] * 100 >= all && all; i++) {
		show_percent(seq, div64_u64(profile[order[i]] * PPM, all));
		seq_printf(seq, " %10llu %pS\n", profile[order[i]], (void *)places[order[i]]);
	}
}

static int blocks_show(struct seq_file *seq, void *unused)
{
	u32 i;

	seq_printf(seq, "# %u blocks, %u laws of conservation, %u CPUs, %u rounds on each\n",
		   blocks - 1, laws_count, num_online_cpus(), rounds);
	seq_puts(seq, "# ns of a thread for a block; errors in % of blocks run 8192 times or more\n");
	seq_printf(seq, "%-12s %9s %9s %9s %9s\n", "# way", "ns", "count", "flow", "mean");
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!names[i])
			continue;
		seq_printf(seq, "%-12s %5u.%03u", names[i], results[i].ps / 1000,
			   results[i].ps % 1000);
		show_percent(seq, results[i].count_ppm);
		show_percent(seq, results[i].worst_ppm);
		show_percent(seq, results[i].mean_ppm);
		seq_putc(seq, '\n');
	}
	show_profile(seq);
	seq_puts(seq, "# done\n");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(blocks);

static int __init blocks_init(void)
{
	static const enum way ways[] = { NOTHING, RACING, ATOMIC, SCALABLE };
	struct thread *threads;
	int err = 0;
	u32 i;

	if (!rounds || rounds > 1000000)
		return -EINVAL;
	threads = kcalloc(nr_cpu_ids, sizeof(*threads), GFP_KERNEL);
	if (!threads)
		return -ENOMEM;
	cpus_read_lock();
	explore();
	for (i = 0; i < ARRAY_SIZE(ways) && !err; i++)
		err = measure(threads, ways[i]);
	way = NOTHING;
	cpus_read_unlock();
	kfree(threads);
	if (err)
		return err;
	file = debugfs_create_file("scounter_blocks", 0400, NULL, NULL, &blocks_fops);
	return 0;
}

static void __exit blocks_exit(void)
{
	debugfs_remove(file);
}

module_init(blocks_init);
module_exit(blocks_exit);

MODULE_DESCRIPTION("scounter sample: a profile of basic blocks, counted in three ways");
MODULE_LICENSE("GPL");

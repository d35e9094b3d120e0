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
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/scounter.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

static bool run = true;
module_param(run, bool, 0600);
static bool reset;
module_param(reset, bool, 0400);
static bool busted;
module_param(busted, bool, 0400);

/* SCOUNTER_EXACT is not multiline_adapt alone: it may grow several lines a node. */
static const enum scounter_kind kinds[] = {
	SCOUNTER_ATOMIC, SCOUNTER_PERCPU, SCOUNTER_MULTILINE, SCOUNTER_CAS,
	SCOUNTER_RBO, SCOUNTER_RBO_NUMA, SCOUNTER_RBO_NUMA_ADAPT,
	SCOUNTER_COHORT, SCOUNTER_MULTILINE_ADAPT, SCOUNTER_EXACT,
	SCOUNTER_BFP_DUP, SCOUNTER_BFP_CSUP, SCOUNTER_MORRIS,
	SCOUNTER_MORRIS_ADAPT, SCOUNTER_SCALABLE, SCOUNTER_SCALABLE32,
	SCOUNTER_RACING,
};

static const char *name_of(enum scounter_kind kind)
{
	return kind == SCOUNTER_EXACT ? "exact" : scounter_kind_name(kind);
}

#define KINDS	ARRAY_SIZE(kinds)

static struct scounter *counters[KINDS];
static u64 returned[KINDS], last_seen[KINDS], went_down[KINDS];

enum { TASK, SOFTIRQ, HARDIRQ, NMI, CONTEXTS };
static atomic64_t rounds[CONTEXTS];
#define EVENTS_A_ROUND	9

static struct task_struct **threads;
static struct task_struct *observer;
static DEFINE_PER_CPU(struct irq_work, hard_work);
static DEFINE_PER_CPU(struct tasklet_struct, soft_work);
static struct dentry *file;

/* Counting its own rounds after the counters: none is counted but not made. */
static void count(int context)
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

static void in_hardirq_context(struct irq_work *work)
{
	count(HARDIRQ);
}

/* PREEMPT_RT runs all but these in a thread. */
static void hard_work_init(struct irq_work *work)
{
#ifdef IRQ_WORK_INIT_HARD
	*work = IRQ_WORK_INIT_HARD(in_hardirq_context);
#else
	init_irq_work(work, in_hardirq_context);
#endif
}

static void in_softirq_context(struct tasklet_struct *tasklet)
{
	count(SOFTIRQ);
}

#ifdef CONFIG_X86_LOCAL_APIC
static DEFINE_PER_CPU(bool, nmi_wanted);

static int in_nmi_context(unsigned int type, struct pt_regs *regs)
{
	if (!this_cpu_read(nmi_wanted))
		return NMI_DONE;
	this_cpu_write(nmi_wanted, false);
	count(NMI);
	return NMI_HANDLED;
}

static int nmi_start(void)
{
	return register_nmi_handler(NMI_LOCAL, in_nmi_context, 0, "scounter_hammer");
}

static void nmi_stop(void)
{
	unregister_nmi_handler(NMI_LOCAL, "scounter_hammer");
}

static void nmi_raise(int cpu)
{
	this_cpu_write(nmi_wanted, true);
	apic->send_IPI(cpu, NMI_VECTOR);
	while (this_cpu_read(nmi_wanted))
		cpu_relax();
}
#else
static int nmi_start(void) { return 0; }
static void nmi_stop(void) { }
static void nmi_raise(int cpu) { }
#endif

static int hammer(void *unused)
{
	u32 i;

	for (i = 0; READ_ONCE(run) && !kthread_should_stop(); i++) {
		count(TASK);
		if (i % 16 == 0) {
			int cpu = get_cpu();

			irq_work_queue(this_cpu_ptr(&hard_work));
			tasklet_schedule(this_cpu_ptr(&soft_work));
			if (i % 256 == 0)
				nmi_raise(cpu);
			put_cpu();
			cond_resched();
		}
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
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
	int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (!IS_ERR_OR_NULL(threads[cpu]))
			kthread_stop(threads[cpu]);
	if (!IS_ERR_OR_NULL(observer))
		kthread_stop(observer);
	for_each_possible_cpu(cpu) {
		irq_work_sync(per_cpu_ptr(&hard_work, cpu));
		tasklet_kill(per_cpu_ptr(&soft_work, cpu));
	}
	memset(threads, 0, nr_cpu_ids * sizeof(*threads));
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
	int cpu, err;

	threads = kcalloc(nr_cpu_ids, sizeof(*threads), GFP_KERNEL);
	if (!threads)
		return -ENOMEM;
	err = create_counters();
	if (!err)
		err = nmi_start();
	if (err) {
		destroy_counters();
		kfree(threads);
		return err;
	}
	for_each_possible_cpu(cpu) {
		hard_work_init(per_cpu_ptr(&hard_work, cpu));
		tasklet_setup(per_cpu_ptr(&soft_work, cpu), in_softirq_context);
	}
	/* Not bound: when a CPU is unplugged they go on elsewhere. */
	for_each_online_cpu(cpu)
		threads[cpu] = kthread_run(hammer, NULL, "hammer/%d", cpu);
	observer = kthread_run(observe_all, NULL, "hammer/observer");
	file = debugfs_create_file("scounter_hammer", 0400, NULL, NULL, &hammer_fops);
	return 0;
}

static void __exit hammer_exit(void)
{
	debugfs_remove(file);
	stop_threads();
	nmi_stop();
	destroy_counters();
	kfree(threads);
}

module_init(hammer_init);
module_exit(hammer_exit);

MODULE_DESCRIPTION("scounter test: all kinds from all contexts and CPUs");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/*
 * scounter_torture: all kinds of counters, bare words, arrays and tables of frequent
 * items, counted in from all contexts of all CPUs, read, reset and merged beside,
 * while others like them come and go, and reclaim destroys some.  What must hold at
 * every moment is checked all the while (see torture.h); what must hold in the end
 * when `run` is cleared.
 *
 *	insmod scounter_torture.ko		until rmmod; CPUs may come and go
 *	echo 0 >/sys/module/scounter_torture/parameters/run
 *	cat /sys/kernel/debug/scounter_torture	a line a subject, then the verdict
 *
 * Every stat_interval seconds a line in the log says how far it is.  With
 * `busted=NAME` the torture itself makes a fault of a kind that it must notice.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/timekeeping.h>

#include "../contexts/contexts.h"
#include "torture.h"

static bool run = true;
module_param(run, bool, 0600);
MODULE_PARM_DESC(run, "clear it to end the torture; then the file in debugfs has the verdict");
static uint stat_interval = 15;
module_param(stat_interval, uint, 0400);
MODULE_PARM_DESC(stat_interval, "seconds between two lines in the log (default 15)");
static char *busted = "";
module_param(busted, charp, 0400);
MODULE_PARM_DESC(busted, "make this fault: lost, twice, returned-twice, back, bounds, leak, racing");

/* Violations that are shown; all are counted. */
#define SHOWN		20
/* Looks at a subject between two resets by the reader. */
#define LOOKS_A_RESET	16
/* Tasks', at once, in a subject that counts in a few instructions. */
#define MANY_EVENTS	(32 * EVENTS)
/* Calls between two faults of a busted flavour. */
#define BUSTED_PERIOD	64

static uint slice = 100;
module_param(slice, uint, 0400);
MODULE_PARM_DESC(slice, "microseconds for which a task counts in one subject (default 100)");

static const char *const flavours[] = {
	[BUSTED_NOT] = "",
	[BUSTED_LOST] = "lost",
	[BUSTED_TWICE] = "twice",
	[BUSTED_RETURNED_TWICE] = "returned-twice",
	[BUSTED_BACK] = "back",
	[BUSTED_BOUNDS] = "bounds",
	[BUSTED_LEAK] = "leak",
	[BUSTED_RACING] = "racing",
};

/* A row of the table of kinds, if none of its counts is lost. */
#define EXACT_ROW(...)		__VA_ARGS__
#define BFP_ROW(...)		__VA_ARGS__
#define MORRIS_ROW(...)		__VA_ARGS__
#define SCALABLE_ROW(...)	__VA_ARGS__
#define LOSSY_ROW(...)
#define BARE_ROW(...)		__VA_ARGS__
#define NAMED_ROW(...)

#define CHOICE(symbol, number, name)	{ #name, &torture_counter_ops, number },
#define CHOICE_WORD(symbol, number, name)	{ "word-" #name, &torture_word_ops, number },
#define COUNTER(symbol, number, name, word, use, family, ...)			\
	family##_ROW(CHOICE(symbol, number, name))
#define WORD(symbol, number, name, word, use, family, ...)			\
	use##_ROW(family##_ROW(CHOICE_WORD(symbol, number, name)))

static struct subject subjects[] = {
	/* For BUSTED_RACING alone; see first(). */
	{ "racing", &torture_counter_ops, SCOUNTER_RACING },
	SCOUNTER_KIND_TABLE(COUNTER)
	SCOUNTER_CHOICE_TABLE(CHOICE)
	SCOUNTER_KIND_TABLE(WORD)
	SCOUNTER_CHOICE_TABLE(CHOICE_WORD)
	{ "array", &torture_array_ops, 0 },
	{ "array-per-node", &torture_array_ops, SCOUNTER_ARRAY_PER_NODE },
	{ "array-per-cpu", &torture_array_ops, SCOUNTER_ARRAY_PER_CPU },
	{ "topk-lockfree", &torture_topk_ops, SCOUNTER_TOPK_LOCKFREE },
	{ "topk-cooperative", &torture_topk_ops, SCOUNTER_TOPK_COOPERATIVE },
	{ "topk-shared", &torture_topk_ops, SCOUNTER_TOPK_SHARED },
	{ "topk-independent", &torture_topk_ops, SCOUNTER_TOPK_INDEPENDENT },
};

static enum busted flavour;
static DEFINE_PER_CPU(u32, busted_calls);

static atomic64_t calls[CONTEXTS];
static DEFINE_PER_CPU(u32, next_subject);

static atomic_t violations;
static struct task_struct *reader;
static struct dentry *file;
static time64_t started;

void torture_violated(const char *format, ...)
{
	struct va_format what;
	va_list arguments;

	if (atomic_inc_return(&violations) > SHOWN)
		return;
	va_start(arguments, format);
	what.fmt = format;
	what.va = &arguments;
	pr_err("violated: %pV\n", &what);
	va_end(arguments);
}

bool torture_is_busted(enum busted wanted)
{
	if (flavour != wanted)
		return false;
	/* Each time: it is asked once an object, and once a reset. */
	if (wanted == BUSTED_LEAK || wanted == BUSTED_RETURNED_TWICE)
		return true;
	return raw_cpu_inc_return(busted_calls) % BUSTED_PERIOD == 0 ||
		(wanted == BUSTED_BOUNDS && raw_cpu_read(busted_calls) % 4 == 0);
}

static struct subject *first(void)
{
	return &subjects[flavour == BUSTED_RACING ? 0 : 1];
}

#define for_each_subject(subject)					\
	for (subject = first(); subject < subjects + ARRAY_SIZE(subjects); subject++)

static s64 ledger_sum(const struct subject *subject, bool of_done)
{
	s64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct ledger *ledger = per_cpu_ptr(subject->ledger, cpu);

		sum += atomic64_read(of_done ? &ledger->done : &ledger->begun);
	}
	return sum;
}

s64 torture_done(const struct subject *subject)
{
	return ledger_sum(subject, true);
}

s64 torture_begun(const struct subject *subject)
{
	return ledger_sum(subject, false);
}

void torture_reset_done(struct subject *subject, s64 done, u64 unit)
{
	smp_mb();	/* the reset, then what was begun until after it */
	subject->done_before = done;
	subject->begun_after = torture_begun(subject);
	subject->carried = unit > 1 ? 8 * unit : 0;
}

void torture_judge(struct subject *subject, s64 done, u64 value, u64 margin, s64 begun)
{
	s64 least = done - subject->begun_after, most = begun - subject->done_before;

	margin += subject->carried;
	torture_expect(subject, (s64)(value + margin) >= least,
		       "%llu + %llu, but %lld were counted", value, margin, least);
	torture_expect(subject, (s64)(value - margin) <= most,
		       "%llu - %llu, but only %lld were", value, margin, most);
	subject->looks++;
}

static void count_events(struct subject *subject, u32 events)
{
	struct ledger *ledger = raw_cpu_ptr(subject->ledger);

	atomic64_add(events, &ledger->begun);
	smp_mb__after_atomic();		/* begun, then counted */
	subject->ops->count(subject, events);
	smp_mb__before_atomic();	/* counted, then done */
	atomic64_add(events, &ledger->done);
}

/*
 * Each subject has the same time of the tasks, so that a slow one does not hold up
 * the others, and a quick one sees the more events.
 */
static void count(enum context context)
{
	u32 n = subjects + ARRAY_SIZE(subjects) - first();
	struct subject *subject = first() + raw_cpu_inc_return(next_subject) % n;
	u64 begin;

	atomic64_inc(&calls[context]);
	if (context != TASK) {
		count_events(subject, EVENTS);
		return;
	}
	begin = local_clock();
	do {
		count_events(subject, subject->ops->is_quick ? MANY_EVENTS : EVENTS);
	} while (local_clock() - begin < slice * NSEC_PER_USEC);
}

static void show_progress(void)
{
	struct subject *subject;
	s64 events = 0;

	for_each_subject(subject)
		events += torture_done(subject);
	pr_info("%lld s: %lld events, %lld calls in tasks, %lld in softirqs, %lld in hardirqs, %lld in NMIs; %llu churned; %d CPUs; %d violations\n",
		ktime_get_seconds() - started, events, (s64)atomic64_read(&calls[TASK]),
		(s64)atomic64_read(&calls[SOFTIRQ]), (s64)atomic64_read(&calls[HARDIRQ]),
		(s64)atomic64_read(&calls[NMI]), torture_churned(), num_online_cpus(),
		atomic_read(&violations));
}

static int read_all(void *unused)
{
	time64_t next_stat = started + stat_interval;
	struct subject *subject;
	u64 round;

	for (round = 0; !kthread_should_stop(); round++) {
		for_each_subject(subject) {
			subject->ops->check(subject);
			cond_resched();
			if (round % LOOKS_A_RESET)
				continue;
			subject->ops->reset(subject);
			subject->resets++;
		}
		if (ktime_get_seconds() >= next_stat) {
			next_stat += stat_interval;
			show_progress();
		}
		schedule_timeout_interruptible(1);
	}
	return 0;
}

/* Does nothing the second time. */
static void stop(void)
{
	contexts_stop();
	torture_churn_stop();
	torture_reclaim_stop();
	if (!IS_ERR_OR_NULL(reader))
		kthread_stop(reader);
	reader = NULL;
}

static void show_verdict(struct seq_file *seq)
{
	struct subject *subject;

	for_each_subject(subject) {
		subject->ops->check_end(subject);
		seq_printf(seq, "%s %lld events, %llu looks, %llu resets\n", subject->name,
			   torture_done(subject), subject->looks, subject->resets);
	}
	seq_printf(seq, "calls task %lld softirq %lld hardirq %lld nmi %lld\n",
		   (s64)atomic64_read(&calls[TASK]), (s64)atomic64_read(&calls[SOFTIRQ]),
		   (s64)atomic64_read(&calls[HARDIRQ]), (s64)atomic64_read(&calls[NMI]));
	seq_printf(seq, "churned %llu evicted %llu\n", torture_churned(), torture_evicted());
	seq_printf(seq, "violations %d\n", atomic_read(&violations));
}

/* The first read after `run` was cleared ends the torture. */
static int torture_show(struct seq_file *seq, void *unused)
{
	static DEFINE_MUTEX(mutex);

	if (READ_ONCE(run)) {
		seq_printf(seq, "running\nviolations %d\n", atomic_read(&violations));
		return 0;
	}
	mutex_lock(&mutex);
	stop();
	show_verdict(seq);
	mutex_unlock(&mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(torture);

static void destroy_subjects(void)
{
	struct subject *subject;

	for_each_subject(subject) {
		if (subject->ledger && !IS_ERR_OR_NULL(subject->counter))
			subject->ops->destroy(subject);
		free_percpu(subject->ledger);
		subject->ledger = NULL;
	}
}

static int create_subjects(void)
{
	struct subject *subject;
	int err;

	for_each_subject(subject) {
		subject->ledger = alloc_percpu(struct ledger);
		if (!subject->ledger)
			return -ENOMEM;
		err = subject->ops->create(subject);
		if (err)
			return err;
	}
	return 0;
}

static int __init torture_init(void)
{
	int err = match_string(flavours, ARRAY_SIZE(flavours), busted);

	if (err < 0) {
		pr_err("no flavour '%s'\n", busted);
		return err;
	}
	if (slice > 10000) {
		pr_err("a slice of %u microseconds is more than 10000\n", slice);
		return -EINVAL;
	}
	flavour = err;
	started = ktime_get_seconds();
	err = create_subjects();
	if (!err)
		err = contexts_start(count);
	if (!err)
		err = torture_churn_start();
	if (!err)
		err = torture_reclaim_start();
	if (!err) {
		reader = kthread_run(read_all, NULL, "scounter_torture");
		err = PTR_ERR_OR_ZERO(reader);
	}
	if (err) {
		stop();
		destroy_subjects();
		return err;
	}
	file = debugfs_create_file("scounter_torture", 0400, NULL, NULL, &torture_fops);
	return 0;
}

static void __exit torture_exit(void)
{
	debugfs_remove(file);
	stop();
	destroy_subjects();
}

module_init(torture_init);
module_exit(torture_exit);

MODULE_DESCRIPTION("scounter test: torture of all that counts");
MODULE_LICENSE("GPL");

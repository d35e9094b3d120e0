// SPDX-License-Identifier: GPL-2.0
/*
 * How fast counters of all kinds are on this machine: kernel threads, one a CPU,
 * increment one counter in windows of some milliseconds.  After the manner of
 * the kernel's refscale.
 *
 *	# insmod scounter_scale.ko
 *	# cat /sys/kernel/debug/scounter_scale
 *
 * The file has a line for each kind and number of threads as soon as that is
 * measured, and ends with "# done" when all is.  Beside every throughput stands
 * the relative error of the value: of the whole, and of what was counted while
 * it was measured.  A fast counter that loses counts looks bad at once.
 *
 * With figures=1 it measures what figures 3 to 6 of Dice, Lev & Moir 2013 show: one counter
 * with other work between two increments and without; 7500 counters, of which every
 * other increment hits the same one; and the errors of five runs from the first event on.
 * bench/scale/report compares the file with the paper and with the model.
 *
 * A window is ended by each thread itself, so that no thread has to get a CPU
 * that is busy counting, and between two windows all threads sleep.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/percpu_counter.h>
#include <linux/scounter.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/utsname.h>
#include <linux/wait.h>

#define STEPS_MAX	16
#define WINDOWS_MAX	99
#define MS_MAX		1000
#define WORK_NS_MAX	10000
/* How often a thread looks at the clock. */
#define LOOK_NS		20000
#define COUNTERS_MAX	16000
#define COUNTERS_OF_FIGURE_5	7500
#define RUNS_OF_FIGURE_6	5
#define CHUNK_MAX	4096

static char *kinds;
module_param(kinds, charp, 0400);
MODULE_PARM_DESC(kinds, "what to measure, separated by commas (default all)");
static int threads[STEPS_MAX];
static int steps;
module_param_array(threads, int, &steps, 0400);
MODULE_PARM_DESC(threads, "numbers of threads (default 1, 2, 4, ... all online CPUs)");
static int windows = 7;
module_param(windows, int, 0400);
MODULE_PARM_DESC(windows, "windows, of which the median is taken; odd, 5 or more (default 7)");
static int window_ms = 20;
module_param(window_ms, int, 0400);
MODULE_PARM_DESC(window_ms, "length of a window (default 20)");
static int warmup_ms = 100;
module_param(warmup_ms, int, 0400);
MODULE_PARM_DESC(warmup_ms, "counting before it is measured (default 100)");
static int spread_ms = 3000;
module_param(spread_ms, int, 0400);
MODULE_PARM_DESC(spread_ms, "more of it for what takes more lines when a second was contended: exact, multiline_adapt (default 3000)");
static int work_ns;
module_param(work_ns, int, 0400);
MODULE_PARM_DESC(work_ns, "mean of other work between two increments (default 0)");
static int counters = 1;
module_param(counters, int, 0400);
MODULE_PARM_DESC(counters, "1, or: one hot, which every other increment hits, and so many less one others (default 1)");
static bool figures;
module_param(figures, bool, 0400);
MODULE_PARM_DESC(figures, "measure figures 3 to 6 of Dice, Lev & Moir 2013; work_ns and counters are theirs (default no)");
static int cold_ms = 1000;
module_param(cold_ms, int, 0400);
MODULE_PARM_DESC(cold_ms, "figure 6: length of each of five runs from the first event on (default 1000; the paper's 8000)");
static ulong preload = 10000000;
module_param(preload, ulong, 0400);
MODULE_PARM_DESC(preload, "events added after the warm-up, as after a long time (default 10^7)");

struct worker;

/* What is measured: a kind, or what it is to be compared with. */
struct subject {
	const char *name;
	int kind;		/* an enum scounter_kind, or 0 */
	void (*inc)(u32 n);
	void (*inc_many)(u32 n, struct worker *worker);	/* or NULL: there is only one */
	void (*add)(u64 n);
	u64 (*read)(void);
};

struct worker {
	struct task_struct *task;
	int seen;		/* the last generation */
	u32 random;
	u64 incs, ns;		/* in the last window */
	u64 all_incs;
	u64 all_hot;		/* of these, in the counter that is read */
} ____cacheline_aligned_in_smp;

/* Marsaglia's xorshift. */
static u32 worker_random(struct worker *worker)
{
	worker->random ^= worker->random << 13;
	worker->random ^= worker->random >> 17;
	worker->random ^= worker->random << 5;
	return worker->random;
}

static struct scounter *counter;
static struct scounter **others;	/* or NULL */
static int others_count;
static atomic64_t word;
static DEFINE_PER_CPU(u64, cpu_word);
static struct percpu_counter percpu_counter;

static void scounter_add_n(u64 n)
{
	scounter_add(counter, n);
}

static u64 scounter_value(void)
{
	return scounter_read(counter);
}

/* The hot counter and any other one in turn. */
static struct scounter *choose(struct worker *worker)
{
	u32 random = worker_random(worker);

	if (worker->all_hot++ & 1)
		return counter;
	return others[(u64)random * others_count >> 32];
}

/* The kind is known when this is compiled: what a client gets. */
#define INC(symbol, number, name, ...)					\
static void inc_##name(u32 n)						\
{									\
	while (n--)							\
		scounter_inc_kind(counter, SCOUNTER_##symbol);		\
}									\
									\
static void inc_many_##name(u32 n, struct worker *worker)		\
{									\
	while (n--)							\
		scounter_inc_kind(choose(worker), SCOUNTER_##symbol);	\
}

SCOUNTER_KIND_TABLE(INC)
SCOUNTER_CHOICE_TABLE(INC)

static void inc_word(u32 n)
{
	while (n--)
		atomic64_inc(&word);
}

static void add_word(u64 n)
{
	atomic64_add(n, &word);
}

static u64 word_value(void)
{
	return atomic64_read(&word);
}

static void inc_cpu_word(u32 n)
{
	while (n--)
		this_cpu_inc(cpu_word);
}

static void add_cpu_word(u64 n)
{
	this_cpu_add(cpu_word, n);
}

static u64 cpu_word_value(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(cpu_word, cpu);
	return sum;
}

static void inc_percpu_counter(u32 n)
{
	while (n--)
		percpu_counter_inc(&percpu_counter);
}

static void add_percpu_counter(u64 n)
{
	percpu_counter_add(&percpu_counter, n);
}

static u64 percpu_counter_value(void)
{
	return percpu_counter_sum(&percpu_counter);
}

#define KIND(symbol, number, name_, ...)					\
	{ .name = #name_, .kind = SCOUNTER_##symbol, .inc = inc_##name_,	\
	  .inc_many = inc_many_##name_, .add = scounter_add_n, .read = scounter_value },

static const struct subject subjects[] = {
	{ .name = "this_cpu_inc", .inc = inc_cpu_word, .add = add_cpu_word,
	  .read = cpu_word_value },
	{ .name = "atomic64_inc", .inc = inc_word, .add = add_word, .read = word_value },
	{ .name = "percpu_counter", .inc = inc_percpu_counter,
	  .add = add_percpu_counter, .read = percpu_counter_value },
	SCOUNTER_CHOICE_TABLE(KIND)
	SCOUNTER_KIND_TABLE(KIND)
};

/* What a figure shows, or what the parameters say. */
struct experiment {
	const char *name;
	bool has_work;		/* 99 % of what one thread with cas does */
	int counters;
	int cold_runs;		/* 0, or: errors of so many, from the first event on */
};

static const struct experiment papers[] = {
	{ .name = "4-low", .has_work = true, .counters = 1 },
	{ .name = "4-high", .counters = 1 },
	{ .name = "5", .counters = COUNTERS_OF_FIGURE_5 },
	{ .name = "6-low", .has_work = true, .counters = 1, .cold_runs = RUNS_OF_FIGURE_6 },
	{ .name = "6-high", .counters = 1, .cold_runs = RUNS_OF_FIGURE_6 },
};

/* A line of the file. */
struct result {
	const struct subject *subject;
	const struct experiment *experiment;
	int threads;
	int work_ns;
	u64 rates[3];		/* increments a second: quartile, median, quartile */
	s64 error_ppm;		/* of the whole value */
	s64 lately_ppm;		/* of what was counted while it was measured */
	u32 claimed_ppm;	/* what the counter says of its error */
};

static struct result *results;
static int results_done;	/* release: those before are there */
static bool done, failed;

static struct worker *workers;
static int *cpu_order;		/* nodes in turn, so that two threads are on two nodes */
static int online;

static const struct subject *subject;
static int running_threads;
static u64 window_ns;
static int generation;		/* of windows */
static atomic_t arrived, running;
static DECLARE_WAIT_QUEUE_HEAD(start_wait);
static DECLARE_WAIT_QUEUE_HEAD(end_wait);

/* Uniform, from nothing to twice work_ns. */
static void other_work(struct worker *worker)
{
	ndelay((u64)worker_random(worker) * (2 * work_ns + 1) >> 32);
}

static void increment(struct worker *worker, u32 n)
{
	if (others) {
		subject->inc_many(n, worker);
		return;
	}
	subject->inc(n);
}

static void count(struct worker *worker, u32 n)
{
	if (!work_ns) {
		increment(worker, n);
		return;
	}
	while (n--) {
		increment(worker, 1);
		other_work(worker);
	}
}

static void run_window(struct worker *worker)
{
	u64 from = ktime_get_ns(), before = from, now;
	u32 chunk = 1;
	u64 incs = 0;

	do {
		count(worker, chunk);
		incs += chunk;
		now = ktime_get_ns();
		if (now - before < LOOK_NS && chunk < CHUNK_MAX)
			chunk *= 2;
		else if (now - before > 2 * LOOK_NS && chunk > 1)
			chunk /= 2;
		before = now;
	} while (now - from < window_ns);
	worker->incs = incs;
	worker->ns = now - from;
	worker->all_incs += incs;
}

static int work(void *data)
{
	struct worker *worker = data;

	while (!kthread_should_stop()) {
		wait_event_interruptible(start_wait, READ_ONCE(generation) != worker->seen ||
						     kthread_should_stop());
		if (READ_ONCE(generation) == worker->seen)
			continue;
		worker->seen = READ_ONCE(generation);
		atomic_inc(&arrived);
		while (atomic_read(&arrived) < running_threads)
			cond_resched();
		run_window(worker);
		if (atomic_dec_and_test(&running))
			wake_up(&end_wait);
	}
	return 0;
}

static u64 do_window(void)
{
	u64 rate = 0;
	int i;

	atomic_set(&arrived, 0);
	atomic_set(&running, running_threads);
	WRITE_ONCE(generation, generation + 1);
	wake_up_all(&start_wait);
	wait_event(end_wait, !atomic_read(&running));
	for (i = 0; i < running_threads; i++)
		rate += div64_u64(workers[i].incs * NSEC_PER_SEC, workers[i].ns);
	return rate;
}

static void do_windows(int milliseconds)
{
	u64 until = ktime_get_ns() + milliseconds * (u64)NSEC_PER_MSEC;

	while (ktime_get_ns() < until && !kthread_should_stop())
		do_window();
}

/* In the counter that is read: half, rounded down for each thread, if there are others. */
static u64 all_incs(void)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < running_threads; i++)
		sum += others ? workers[i].all_hot / 2 : workers[i].all_incs;
	return sum;
}

static s64 relative_ppm(u64 value, u64 truth)
{
	return truth ? div64_s64((s64)(value - truth) * 1000000, truth) : 0;
}

static int compare_rates(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* From the first event on, for cold_ms: the worst error of all runs stays. */
static void measure_cold(struct result *result)
{
	u64 until = ktime_get_ns() + cold_ms * (u64)NSEC_PER_MSEC;
	u64 rate = 0, sum = 0;
	s64 error_ppm;
	int count = 0;

	while (ktime_get_ns() < until && !kthread_should_stop()) {
		rate = do_window();
		sum += rate;
		count++;
	}
	error_ppm = relative_ppm(subject->read(), all_incs());
	if (abs(error_ppm) >= abs(result->error_ppm))
		result->error_ppm = error_ppm;
	result->lately_ppm = result->error_ppm;
	result->rates[0] = result->rates[1] = result->rates[2] = count ? div_u64(sum, count) : 0;
}

static void measure(struct result *result)
{
	/* Of many counters none is given what would take it seconds to count. */
	u64 given = others ? 0 : preload;
	u64 rates[WINDOWS_MAX], incs, value;
	int i;

	do_windows(warmup_ms);
	if (subject->kind == SCOUNTER_EXACT || subject->kind == SCOUNTER_MULTILINE_ADAPT)
		do_windows(spread_ms);
	subject->add(given);
	do_windows(warmup_ms);
	value = subject->read();
	incs = all_incs();
	for (i = 0; i < windows && !kthread_should_stop(); i++)
		rates[i] = do_window();
	if (i < windows)
		return;
	sort(rates, windows, sizeof(rates[0]), compare_rates, NULL);
	for (i = 0; i < 3; i++)
		result->rates[i] = rates[(i + 1) * windows / 4];
	result->lately_ppm = relative_ppm(subject->read() - value, all_incs() - incs);
	result->error_ppm = relative_ppm(subject->read(), all_incs() + given);
}

static int start_workers(int count)
{
	int i;

	memset(workers, 0, online * sizeof(*workers));
	for (i = 0; i < count; i++) {
		struct task_struct *task;

		workers[i].seen = generation;
		workers[i].random = i + 1;
		task = kthread_create_on_node(work, &workers[i], cpu_to_node(cpu_order[i]),
					      "scounter_scale/%d", cpu_order[i]);
		if (IS_ERR(task))
			return PTR_ERR(task);
		kthread_bind(task, cpu_order[i]);
		workers[i].task = task;
		wake_up_process(task);
	}
	return 0;
}

static void stop_workers(int count)
{
	int i;

	for (i = 0; i < count && workers[i].task; i++)
		kthread_stop(workers[i].task);
}

static void free_others(void)
{
	while (others_count)
		scounter_destroy(others[--others_count]);
	kvfree(others);
	others = NULL;
}

static int make_others(int count)
{
	struct scounter_params params = { .kind = subject->kind, .hide = SCOUNTER_HIDE_ALL };
	char name[24];

	others = kvcalloc(count, sizeof(*others), GFP_KERNEL);
	if (!others)
		return -ENOMEM;
	while (others_count < count) {
		struct scounter *other;

		snprintf(name, sizeof(name), "other-%d", others_count);
		other = scounter_create_params(name, "scounter_scale", &params, GFP_KERNEL);
		if (IS_ERR(other)) {
			free_others();
			return PTR_ERR(other);
		}
		others[others_count++] = other;
		cond_resched();
	}
	return 0;
}

static int make_subject(int all_counters)
{
	int err;
	int cpu;

	atomic64_set(&word, 0);
	for_each_possible_cpu(cpu)
		per_cpu(cpu_word, cpu) = 0;
	if (!subject->kind)
		return percpu_counter_init(&percpu_counter, 0, GFP_KERNEL);
	counter = scounter_create(subject->name, NULL, subject->kind, 0, GFP_KERNEL);
	if (IS_ERR(counter) || all_counters == 1)
		return PTR_ERR_OR_ZERO(counter);
	err = make_others(all_counters - 1);
	if (err)
		scounter_destroy(counter);
	return err;
}

static void free_subject(void)
{
	free_others();
	if (subject->kind)
		scounter_destroy(counter);
	else
		percpu_counter_destroy(&percpu_counter);
}

static int measure_once(struct result *result)
{
	struct scounter_estimate estimate;
	int err;

	err = make_subject(result->experiment->counters);
	if (err)
		return err;
	err = start_workers(running_threads);
	if (!err && result->experiment->cold_runs)
		measure_cold(result);
	else if (!err)
		measure(result);
	stop_workers(running_threads);
	if (subject->kind) {
		scounter_read_est(counter, &estimate);
		result->claimed_ppm = estimate.error_ppm;
	}
	free_subject();
	return err;
}

static int measure_one(struct result *result)
{
	int runs = max(result->experiment->cold_runs, 1), err = 0;

	subject = result->subject;
	running_threads = result->threads;
	work_ns = result->work_ns;
	while (runs-- && !err && !kthread_should_stop())
		err = measure_once(result);
	return err;
}

static const struct subject *subject_of(int kind)
{
	int i = 0;

	while (subjects[i].kind != kind)
		i++;
	return &subjects[i];
}

/* One thread that increments cas and does nothing else takes 1 % of what work adds. */
static int work_of_figures(int *ns)
{
	static const struct experiment alone = { .name = "alone", .counters = 1 };
	struct result result = {
		.subject = subject_of(SCOUNTER_CAS), .experiment = &alone, .threads = 1,
	};
	int err = measure_one(&result);

	*ns = result.rates[1] ? min_t(u64, div64_u64(99 * NSEC_PER_SEC, result.rates[1]),
				      WORK_NS_MAX) : 0;
	return err;
}

static bool is_wanted(const char *name)
{
	size_t length = strlen(name);
	const char *at;

	if (!kinds)
		return true;
	for (at = strstr(kinds, name); at; at = strstr(at + 1, name))
		if ((at == kinds || at[-1] == ',') &&
		    (at[length] == ',' || !at[length]))
			return true;
	return false;
}

static bool is_exact(int kind)
{
	return __SCOUNTER_IS_ONE_OF(__SCOUNTER_KIND(kind), __SCOUNTER_EXACT_KINDS);
}

static bool is_measured(const struct subject *subject, const struct experiment *experiment)
{
	if (!is_wanted(subject->name))
		return false;
	if (experiment->cold_runs)
		return subject->kind && !is_exact(subject->kind);
	return experiment->counters == 1 || subject->inc_many;
}

static int measure_subject(const struct subject *subject, const struct experiment *experiment,
			   int work)
{
	int i, err = 0;

	for (i = 0; i < steps && !err && is_measured(subject, experiment); i++) {
		struct result *result = &results[results_done];

		result->subject = subject;
		result->experiment = experiment;
		result->threads = threads[i];
		result->work_ns = work;
		err = measure_one(result);
		if (err || kthread_should_stop())
			break;
		/* Pairs with the acquire in scale_show(). */
		smp_store_release(&results_done, results_done + 1);
	}
	return err;
}

static int measure_experiment(const struct experiment *experiment, int work)
{
	int i, err = 0;

	for (i = 0; i < ARRAY_SIZE(subjects) && !err && !kthread_should_stop(); i++)
		err = measure_subject(&subjects[i], experiment, work);
	return err;
}

static int measure_figures(void)
{
	int i, work, err;

	err = work_of_figures(&work);
	for (i = 0; i < ARRAY_SIZE(papers) && !err && !kthread_should_stop(); i++)
		err = measure_experiment(&papers[i], papers[i].has_work ? work : 0);
	return err;
}

static int measure_all(void *unused)
{
	static struct experiment one = { .name = "-" };
	int err;

	one.counters = counters;
	err = figures ? measure_figures() : measure_experiment(&one, work_ns);
	if (kthread_should_stop())
		return 0;
	if (err)
		pr_err("out of memory or threads: %d\n", err);
	WRITE_ONCE(failed, err);
	WRITE_ONCE(done, true);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return err;
}

static void show_ppm(struct seq_file *seq, s64 ppm)
{
	u64 size = abs(ppm);
	char whole[24];
	u32 rest;

	size = div_u64_rem(size, 10000, &rest);
	/* The sign beside the number: columns are told apart by spaces. */
	snprintf(whole, sizeof(whole), "%c%llu", ppm < 0 ? '-' : '+', size);
	seq_printf(seq, " %5s.%04u", whole, rest);
}

static void show_hundredths(struct seq_file *seq, u64 hundredths)
{
	u32 rest;

	hundredths = div_u64_rem(hundredths, 100, &rest);
	seq_printf(seq, " %7llu.%02u", hundredths, rest);
}

static void show_result(struct seq_file *seq, const struct result *result)
{
	int i;

	seq_printf(seq, "%-16s %7d", result->subject->name, result->threads);
	for (i = 0; i < 3; i++)
		seq_printf(seq, " %9llu", div_u64(result->rates[i], MSEC_PER_SEC));
	/* Of one thread; other work is part of it. */
	show_hundredths(seq, div64_u64(100ULL * NSEC_PER_SEC * result->threads,
				       max(result->rates[1], 1ULL)));
	show_ppm(seq, result->error_ppm);
	show_ppm(seq, result->lately_ppm);
	show_ppm(seq, result->claimed_ppm);
	seq_printf(seq, " %7d %8d %8s\n", result->work_ns, result->experiment->counters,
		   result->experiment->name);
}

static int scale_show(struct seq_file *seq, void *unused)
{
	/* Pairs with the release in measure_all(). */
	int count = smp_load_acquire(&results_done);
	int i;

	seq_printf(seq, "# scounter_scale on %s %s: %d CPUs, %d nodes; measured\n",
		   init_utsname()->release, init_utsname()->machine, online,
		   num_online_nodes());
	seq_printf(seq, "# median of %d windows of %d ms, preload %lu, warmup_ms %d, spread_ms %d, cold_ms %d\n",
		   windows, window_ms, preload, warmup_ms, spread_ms, cold_ms);
	seq_puts(seq, "# incs/ms of all threads: quartile, median, quartile; ns of one thread; errors in %\n");
	seq_printf(seq, "%-16s %7s %9s %9s %9s %10s %10s %10s %10s %7s %8s %8s\n",
		   "# kind", "threads", "incs/ms 1", "incs/ms", "incs/ms 3", "ns/inc", "error",
		   "lately", "claimed", "work", "counters", "figure");
	for (i = 0; i < count; i++)
		show_result(seq, &results[i]);
	if (READ_ONCE(failed))
		seq_puts(seq, "# failed, see the kernel log\n");
	else
		seq_printf(seq, "# %s\n", READ_ONCE(done) ? "done" : "running");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(scale);

/* The first CPU of each node, the second of each node, ... */
static void order_cpus(void)
{
	int node, cpu, rank, seen, count = 0;

	for (rank = 0; count < online && rank < nr_cpu_ids; rank++) {
		for_each_online_node(node) {
			seen = 0;
			for_each_cpu_and(cpu, cpumask_of_node(node), cpu_online_mask)
				if (seen++ == rank && count < online)
					cpu_order[count++] = cpu;
		}
	}
	online = count;
}

static void default_threads(void)
{
	int count;

	for (count = 1; count < online && steps < STEPS_MAX - 1; count *= 2)
		threads[steps++] = count;
	threads[steps++] = online;
}

static bool is_between(const char *name, int value, int least, int most)
{
	if (value >= least && value <= most)
		return true;
	pr_err("%s is %d, but must be from %d to %d\n", name, value,
	       least, most);
	return false;
}

static bool kinds_are_known(void)
{
	char *copy, *rest, *name;
	bool known = true;
	int i;

	if (!kinds)
		return true;
	copy = kstrdup(kinds, GFP_KERNEL);
	rest = copy;
	while (known && (name = strsep(&rest, ","))) {
		for (i = 0; i < ARRAY_SIZE(subjects); i++)
			if (!strcmp(subjects[i].name, name))
				break;
		known = i < ARRAY_SIZE(subjects);
		if (!known)
			pr_err("there is nothing named '%s' to measure\n",
			       name);
	}
	kfree(copy);
	return known;
}

static bool parameters_are_good(void)
{
	int i;

	for (i = 0; i < steps; i++)
		if (!is_between("threads", threads[i], 1, online))
			return false;
	if (windows % 2 == 0) {
		pr_err("windows is %d, but must be odd\n", windows);
		return false;
	}
	return is_between("windows", windows, 5, WINDOWS_MAX) &&
	       is_between("window_ms", window_ms, 1, MS_MAX) &&
	       is_between("warmup_ms", warmup_ms, 0, 100 * MS_MAX) &&
	       is_between("spread_ms", spread_ms, 0, 100 * MS_MAX) &&
	       is_between("work_ns", work_ns, 0, WORK_NS_MAX) &&
	       is_between("counters", counters, 1, COUNTERS_MAX) &&
	       is_between("cold_ms", cold_ms, 1, 100 * MS_MAX) && kinds_are_known();
}

static struct task_struct *main_task;
static struct dentry *file;

static void free_memory(void)
{
	kfree(results);
	kfree(cpu_order);
	kvfree(workers);
}

static int __init scale_init(void)
{
	online = num_online_cpus();
	cpu_order = kcalloc(online, sizeof(*cpu_order), GFP_KERNEL);
	workers = kvcalloc(online, sizeof(*workers), GFP_KERNEL);
	if (!cpu_order || !workers)
		goto no_memory;
	order_cpus();
	if (!parameters_are_good()) {
		free_memory();
		return -EINVAL;
	}
	if (!steps)
		default_threads();
	window_ns = window_ms * (u64)NSEC_PER_MSEC;
	results = kcalloc(ARRAY_SIZE(subjects) * steps * (figures ? ARRAY_SIZE(papers) : 1),
			  sizeof(*results), GFP_KERNEL);
	if (!results)
		goto no_memory;
	main_task = kthread_run(measure_all, NULL, "scounter_scale");
	if (IS_ERR(main_task)) {
		free_memory();
		return PTR_ERR(main_task);
	}
	file = debugfs_create_file("scounter_scale", 0400, NULL, NULL, &scale_fops);
	return 0;
no_memory:
	free_memory();
	return -ENOMEM;
}

static void __exit scale_exit(void)
{
	debugfs_remove(file);
	kthread_stop(main_task);
	free_memory();
}

module_init(scale_init);
module_exit(scale_exit);

MODULE_DESCRIPTION("scounter benchmark: increments of all kinds on all CPUs");
MODULE_LICENSE("GPL");

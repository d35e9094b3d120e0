// SPDX-License-Identifier: GPL-2.0
/*
 * One run: the counter is contended for a short time, so that a kind that adapts
 * has seen what it is in for; then it is given the events of a long time at once,
 * as the paper's runs of 8 s are far longer than a model can run; then it has a
 * history, if asked for: increments as they will be measured, since of many counters
 * all but the hot one have not been contended yet, and are, now and then; then the
 * machine warms up; then it is measured.  A cold run is measured from the first
 * increment of a new counter on.  With resets, what is measured are so many parts, each
 * of which stands for a second: in its middle thread 0 resets the hot counter, and when
 * it is over, so are the grace periods that began in it.
 *
 * With integrate, a time from zero on that is far too long to be modelled is stepped
 * through: of each factor of 1.7 in the count so many increments are made, and the others
 * added.  They are taken to last as long as the mean of those made before and after.
 *
 * External work of p percent is defined as in the paper: it makes the throughput
 * of one thread with the cas counter 1 - p/100 of what it is without.  Each thread
 * does so much on average, uniformly distributed from nothing to twice that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tests/user/kernel/shim.h"
#include "kinds/numa.h"
#include "model.h"
#include "util.h"
#include "workload.h"

#define MILLISECOND	1000000000ULL	/* in picoseconds */
#define CONTEND		(MILLISECOND / 20)
#define WARM_UP		(2 * MILLISECOND)
#define HZ		250
#define GROW_RATE	(1 << 20)	/* the module's default, per second */
/* The module's work runs after so many increments a thread. */
#define WORKS_EVERY	64
/* Between two steps from zero on: no power of two, at which bfp counters are alike. */
#define STEP		1.7

struct thread {
	u64 random;
	uint64_t operations;
	uint64_t hot;		/* of these, in the hot counter */
	uint64_t worked;	/* picoseconds */
	uint64_t time;		/* in which it ran, work included */
	char padding[24];
};

static struct {
	const struct workload *workload;
	void **counters;	/* the first one is hot */
	struct counter_words words;	/* instead, if they are packed */
	struct thread *threads;
	uint64_t mean_work;
	uint64_t until;
	uint64_t operations, operations_max;
	uint64_t half;		/* of the time, from when thread 0 resets; UINT64_MAX: it does not */
	uint64_t fetched;
	uint64_t skipped;	/* of the hot counter, while integrating */
} run;

/* Uniform, below n; the bias is n / 2^64. */
static uint64_t random_below(u64 *seed, uint64_t n)
{
	return (unsigned __int128)next_seed(seed) * n >> 64;
}

static void external_work(struct thread *thread)
{
	uint64_t work;

	if (!run.mean_work)
		return;
	work = random_below(&thread->random, 2 * run.mean_work + 1);
	thread->worked += work;
	model_pause(work);
}

static int choose(struct thread *thread)
{
	if (run.workload->counters == 1 || thread->operations & 1) {
		thread->hot++;
		return 0;
	}
	shim_draw();
	model_work(run.workload->machine->choose);
	return 1 + random_below(&thread->random, run.workload->counters - 1);
}

static void increment(int i)
{
	if (run.workload->packed)
		counter_word_inc(&run.words, i);
	else
		run.workload->type->inc(run.counters[i]);
}

static void add(int i, uint64_t n)
{
	if (run.workload->packed)
		counter_word_add(&run.words, i, n);
	else
		run.workload->type->add(run.counters[i], n);
}

static void reset(void)
{
	run.fetched += run.workload->type->fetch_reset(run.counters[0]);
	run.half = UINT64_MAX;
}

static bool is_half_over(void)
{
	return run.half != UINT64_MAX &&
	       (model_now() >= run.half || run.operations >= run.operations_max / 2);
}

static void body(int number)
{
	struct thread *thread = &run.threads[number];
	uint64_t from = model_now();

	/* Each one is taken before it is made: so no thread makes one too many. */
	while (model_now() < run.until && run.operations < run.operations_max) {
		run.operations++;
		increment(choose(thread));
		model_work(run.workload->machine->call + run.workload->machine->loop);
		thread->operations++;
		if (run.operations % (WORKS_EVERY * run.workload->threads) == 0)
			model_free(shim_run_works);
		if (!number && is_half_over())
			reset();
		external_work(thread);
	}
	thread->time += model_now() - from;
}

static void phase(uint64_t picoseconds, uint64_t operations)
{
	run.operations = 0;
	run.operations_max = operations;
	run.until = model_time() + picoseconds;
	model_run(run.workload->threads, body);
}

/* What `multiline_adapt` sees of a second is a phase of picoseconds. */
static void let_a_second_pass(uint64_t picoseconds)
{
	shim_param("grow_rate", 1 + GROW_RATE * (picoseconds / 1e12));
	shim_jiffies += HZ;
	shim_run_works();
	shim_grace_period();
}

static void no_memory(void)
{
	fprintf(stderr, "sim: no memory for %d counters of kind %s\n",
		run.workload->counters, run.workload->type->name);
}

static bool make_counters(void)
{
	const struct workload *workload = run.workload;
	int i;

	if (workload->packed) {
		if (counter_words_make(&run.words, workload->type, workload->counters))
			return true;
		no_memory();
		return false;
	}
	run.counters = calloc(workload->counters, sizeof(*run.counters));
	for (i = 0; i < workload->counters; i++) {
		run.counters[i] = workload->type->make(workload->type);
		if (!run.counters[i]) {
			no_memory();
			return false;
		}
	}
	return true;
}

static void free_counters(void)
{
	int i;

	if (run.workload->packed) {
		counter_words_free(&run.words);
		return;
	}
	for (i = 0; i < run.workload->counters && run.counters[i]; i++)
		run.workload->type->free(run.counters[i]);
	free(run.counters);
}

static void preload(void)
{
	const struct workload *workload = run.workload;
	int i;

	for (i = 0; i < workload->counters; i++)
		add(i, i ? workload->preload / workload->counters : workload->preload);
}

struct totals {
	uint64_t operations, hot, busy, time, value;
	struct model_statistics statistics;
};

static struct totals totals(void)
{
	struct totals totals = {
		.time = model_time(),
		.value = run.fetched + (run.workload->packed ? counter_word_read(&run.words, 0) :
					run.workload->type->read(run.counters[0])),
		.statistics = *model_statistics(),
	};
	int i;

	for (i = 0; i < run.workload->threads; i++) {
		totals.operations += run.threads[i].operations;
		totals.hot += run.threads[i].hot;
		totals.busy += run.threads[i].time - run.threads[i].worked;
	}
	return totals;
}

static double relative(double value, double truth)
{
	return truth ? value / truth - 1 : 0;
}

static void judge(const struct totals *from, const struct totals *to,
		  struct outcome *outcome)
{
	double operations = to->operations - from->operations;
	double time = to->time - from->time;

	*outcome = (struct outcome) {
		.per_ms = operations / time * MILLISECOND,
		.ns = (to->busy - from->busy) / operations / 1000,
		.error = relative(to->value, (double)to->hot + run.skipped + run.workload->preload),
		.period_error = relative((double)to->value - from->value,
					 (double)to->hot - from->hot),
		.milliseconds = time / MILLISECOND,
		.misses = (to->statistics.misses - from->statistics.misses) / operations,
		.transfers = (to->statistics.transfers - from->statistics.transfers) /
			     operations,
		.pauses = to->statistics.pauses,
		.operations = operations,
		.bytes = run.workload->packed ? counter_word_bytes(&run.words, 0) :
			 run.workload->type->bytes(run.counters[0]),
	};
}

static void measure_pauses(int thread)
{
	(void)thread;
	scounter_numa_init();
}

static bool start(const struct workload *workload, uint64_t mean_work)
{
	u64 seed = workload->seed;
	int i;

	run.workload = workload;
	run.mean_work = mean_work;
	run.half = UINT64_MAX;
	run.fetched = 0;
	run.skipped = 0;
	if (!shim_init(machine_cpus(workload->machine), (int)workload->machine->nodes) ||
	    !model_init(workload->machine)) {
		fprintf(stderr, "sim: no memory for %s\n", workload->machine->name);
		return false;
	}
	counters_init(next_seed(&seed) | 1);
	/* In a run a pause takes as long as on the machine.  Nobody sees this one. */
	model_run(1, measure_pauses);
	model_exit();
	if (!model_init(workload->machine))
		return false;
	run.threads = calloc(workload->threads, sizeof(*run.threads));
	for (i = 0; i < workload->threads; i++)
		run.threads[i].random = next_seed(&seed);
	return make_counters();
}

static void finish(void)
{
	free_counters();
	free(run.threads);
	counters_settle();
	model_exit();
	shim_exit();
}

/* One thread that increments a cas counter and does nothing else. */
static bool cas_alone(const struct workload *workload, uint64_t *picoseconds)
{
	struct workload alone = *workload;
	struct totals from, to;

	alone.type = counter_type("cas");
	alone.threads = alone.counters = 1;
	alone.packed = false;
	if (!start(&alone, 0))
		return false;
	phase(WARM_UP, 100);
	from = totals();
	phase(WARM_UP, 1000);
	to = totals();
	finish();
	*picoseconds = (to.time - from.time) / 1000;
	return true;
}

/* Contended, with a past, and warm: how a counter is after a long time. */
static void prepare(const struct workload *workload)
{
	uint64_t warm_up;

	if (workload->preload) {
		phase(CONTEND, workload->operations / 4 + 1);
		let_a_second_pass(CONTEND);
		preload();
	}
	if (workload->history)
		phase(UINT64_MAX / 2, workload->history);
	warm_up = model_time();
	phase(WARM_UP, workload->operations / 4 + 1);
	let_a_second_pass(model_time() - warm_up);
	phase(WARM_UP / 2, workload->operations / 4 + 1);
}

static void measure(const struct workload *workload)
{
	uint64_t picoseconds = workload->milliseconds * MILLISECOND, from;
	int i, parts = workload->resets;

	if (!parts)
		phase(picoseconds, workload->operations);
	for (i = 0; i < parts; i++) {
		from = model_time();
		run.half = from + picoseconds / parts / 2;
		phase(picoseconds / parts, workload->operations / parts);
		let_a_second_pass(model_time() - from);
	}
}

/* Add what the threads would have counted: half in the hot counter, if there are others. */
static void skip(double increments)
{
	int others = run.workload->counters - 1, i;
	uint64_t hot = increments / (others ? 2 : 1);

	add(0, hot);
	run.skipped += hot;
	for (i = 1; i <= others; i++)
		add(i, increments / 2 / others);
}

/* So many increments are made; picoseconds an increment of all threads together. */
static double pace(uint64_t operations)
{
	uint64_t from = model_time();

	phase(UINT64_MAX / 2, operations);
	return (double)(model_time() - from) / operations;
}

/* Picoseconds an increment, in the mean over the time. */
static double integrate(const struct workload *workload)
{
	double operations = workload->operations, until = workload->integrate * MILLISECOND;
	double counted = 0, time = 0, added = 0, last = 0, now, between;

	for (;;) {
		now = pace(workload->operations);
		between = last ? (last + now) / 2 : now;
		if (time + added * between + operations * now >= until)
			return until / (counted + (until - time) / between);
		time += added * between + operations * now;
		counted += added + operations;
		last = now;
		added = counted * (STEP - 1) - operations;
		added = added > 0 ? added : 0;
		skip(added);
		let_a_second_pass(operations * now);
	}
}

bool workload_run(const struct workload *workload, struct outcome *outcome)
{
	struct totals from, to;
	double mean = 0;
	uint64_t alone;

	if (!cas_alone(workload, &alone))
		return false;
	if (!start(workload, alone * workload->work / (100 - workload->work)))
		return false;
	if (!workload->cold && !workload->integrate)
		prepare(workload);
	from = totals();
	if (workload->integrate)
		mean = integrate(workload);
	else
		measure(workload);
	to = totals();
	judge(&from, &to, outcome);
	if (workload->integrate) {
		outcome->per_ms = MILLISECOND / mean;
		outcome->ns = mean * workload->threads / 1000;
		outcome->period_error = outcome->error;
	}
	finish();
	return true;
}

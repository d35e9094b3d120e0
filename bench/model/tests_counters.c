// SPDX-License-Identifier: GPL-2.0
/* The module's counters on the model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tests/user/kernel/counters.h"
#include "../../tests/user/kernel/shim.h"
#include "model.h"
#include "tests.h"
#include "workload.h"

static struct outcome outcome_of_workload(struct workload workload)
{
	struct outcome outcome = { 0 };

	workload.preload = 100000;
	if (!workload.operations)
		workload.operations = 3000;
	workload.milliseconds = 4;
	if (!workload_run(&workload, &outcome))
		exit(1);
	return outcome;
}

static struct outcome outcome_of(const struct machine *machine, const char *kind,
				 int threads, uint64_t seed, int counters)
{
	return outcome_of_workload((struct workload) {
		.machine = machine, .type = counter_type(kind), .threads = threads,
		.counters = counters, .seed = seed,
	});
}

static bool is_exact_on(const struct machine *machine, const char *kind)
{
	struct outcome outcome = outcome_of(machine, kind, 8, 7, 1);

	if (!outcome.error && outcome.operations >= 1000)
		return true;
	printf("# %s: error %g after %llu\n", kind, outcome.error,
	       (unsigned long long)outcome.operations);
	return false;
}

bool test_exact(void)
{
	const struct counter_type *type;
	struct machine machine = two_nodes;
	struct machine buffers = with_store_buffer(4);
	bool good = true;

	for (type = counter_types; type->name; type++) {
		if (!type->exact)
			continue;
		machine.fetch_op = !machine.fetch_op;
		buffers.fetch_op = !machine.fetch_op;
		good &= is_exact_on(&machine, type->name) && is_exact_on(&buffers, type->name);
	}
	return good;
}

/* Eight or sixteen of them have room in a line, and the 64 in the cache. */
bool test_packed(void)
{
	struct machine machine = two_nodes;
	const struct counter_type *type;
	struct outcome padded, packed;
	bool good = true;

	machine.cache_lines = 32;
	for (type = counter_types; type->name; type++) {
		struct workload workload = {
			.machine = &machine, .type = type, .threads = 1, .counters = 64,
			.seed = 9,
		};

		if (!counter_has_words(type))
			continue;
		padded = outcome_of_workload(workload);
		workload.packed = true;
		packed = outcome_of_workload(workload);
		good &= padded.misses > 0.1 && packed.misses < 0.02;
		good &= is("bytes", packed.bytes,
			   __SCOUNTER_IS_ONE_OF(__SCOUNTER_KIND(type->kind),
						__SCOUNTER_WORD32_KINDS) ? 4 : 8);
		workload.threads = 8;
		packed = outcome_of_workload(workload);
		good &= packed.operations >= 1000 && (!type->exact || !packed.error);
		if (!good) {
			printf("# %s: misses %g and %g, error %g\n", type->name, padded.misses,
			       packed.misses, packed.error);
			return false;
		}
	}
	return true;
}

/* bfp_csup adapts by failures, of which a preload has none; and what it counts is counted. */
bool test_history(void)
{
	struct machine machine = two_nodes;
	struct workload workload = {
		.machine = &machine, .type = counter_type("bfp_csup"), .threads = 8,
		.counters = 32, .seed = 5,
	};
	struct outcome without = outcome_of_workload(workload), with, exact;

	workload.history = 2000000;
	with = outcome_of_workload(workload);
	workload.type = counter_type("exact");
	exact = outcome_of_workload(workload);
	if (with.per_ms > 1.5 * without.per_ms && !exact.error)
		return true;
	printf("# %g a ms, %g with a history; exact is off by %g\n", without.per_ms, with.per_ms,
	       exact.error);
	return false;
}

static const struct counter_type *type;
static void *counter;

/* Two CPUs of each node. */
static void count_on_all_nodes(int thread)
{
	int i;

	(void)thread;
	for (i = 0; i < 1000; i++)
		type->inc(counter);
}

/* Bytes of a counter of this kind on four nodes whose ids are so far apart; 0: it failed. */
static uint64_t bytes_with_ids(const char *kind, int stride)
{
	struct machine machine = two_nodes;
	uint64_t bytes;
	int node;

	machine.nodes = 4;
	shim_node_stride = stride;
	if (!begin(&machine))
		return 0;
	counters_init(5);
	memset(shim_asked, 0, sizeof(shim_asked));
	type = counter_type(kind);
	counter = type->make(type);
	play(8, count_on_all_nodes);
	shim_run_works();
	play(8, count_on_all_nodes);
	bytes = type->read(counter) == 16000 ? type->bytes(counter) : 0;
	for (node = 0; node < 4; node++)
		if (!strcmp(kind, "multiline") && shim_asked[shim_node_id(node)] != 1)
			bytes = 0;
	type->free(counter);
	counters_settle();
	model_exit();
	printf("# %s, ids %d apart: %llu bytes, %llu events at most\n", kind, stride,
	       (unsigned long long)bytes, (unsigned long long)__scounter_numa.value_max);
	return bytes && __scounter_numa.value_max == (1ULL << 61) - 1 ? bytes : 0;
}

/* As on machines whose four nodes have ids up to 255. */
bool test_nodes_with_gaps(void)
{
	static const char *const kinds[] = { "multiline", "multiline_8", "exact", "cohort", "rbo_numa" };
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint64_t without = bytes_with_ids(kinds[i], 1);

		if (!without || bytes_with_ids(kinds[i], 64) != without)
			return false;
	}
	return true;
}

static enum shim_context context;

static void count_in_context(int thread)
{
	int i;

	(void)thread;
	model_context(context);
	for (i = 0; i < 2000; i++) {
		type->inc(counter);
		model_work(1000);
	}
}

/* Sixteen CPUs of two nodes do nothing else; each keeps a line it has got for so long. */
static uint64_t longest_wait(uint64_t hold)
{
	struct machine machine = two_nodes;
	uint64_t pauses;

	machine.pause = 45000;
	machine.cpus_per_node = 8;
	machine.hold = hold;
	if (!begin(&machine))
		return UINT64_MAX;
	counters_init(5);
	counter = type->make(type);
	play(16, count_in_context);
	pauses = model_statistics()->pauses;
	type->free(counter);
	counters_settle();
	model_exit();
	return pauses;
}

/* So many pauses at most, where compare-and-swaps fail often, and where they do not. */
static bool waits_for(const char *kind, enum shim_context where, uint64_t most)
{
	uint64_t often, seldom;

	type = counter_type(kind);
	context = where;
	often = longest_wait(0);
	seldom = longest_wait(30000);
	printf("# %s%s: %llu and %llu pauses at most\n", kind, where ? ", in an interrupt" : "",
	       (unsigned long long)often, (unsigned long long)seldom);
	return often && often <= most && seldom <= most;
}

/* Documentation/choosing.rst has these bounds. */
bool test_waits(void)
{
	static const char *const kinds[] = {
		"rbo", "multiline_adapt", "exact", "bfp_csup", "approx", "morris_adapt", "scalable",
	};
	const uint64_t backoff = 255, slow = 200000 / 45 + 128;
	bool good = true;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		const char *kind = i ? "rbo_numa_adapt" : "rbo_numa";

		good &= waits_for(kind, SHIM_TASK, slow + backoff) &
			waits_for(kind, SHIM_HARDIRQ, backoff) &
			waits_for(kind, SHIM_NMI, backoff);
	}
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		good &= waits_for(kinds[i], SHIM_TASK, backoff);
	return good;
}

/* How often the line of two CPUs goes to the other node, where a pause takes so long. */
static double transfers(uint64_t pause)
{
	struct machine machine = two_nodes;

	machine.pause = pause;
	return outcome_of_workload((struct workload) {
		.machine = &machine, .type = counter_type("rbo_numa"), .threads = 2,
		.counters = 1, .seed = 3, .operations = 20000,
	}).transfers;
}

/* Nodes wait for each other in time, not in pauses. */
bool test_calibrated(void)
{
	double quick = transfers(4000), slow = transfers(45000);

	printf("# rbo_numa: %.4f transfers with pauses of 4 ns, %.4f with 45 ns\n", quick, slow);
	return quick < 2 * slow && slow < 2 * quick;
}

/* A reset once a second leaves the stripes to the CPUs that count. */
bool test_resets(void)
{
	struct workload workload = {
		.machine = &two_nodes, .type = counter_type("exact"), .threads = 8,
		.counters = 1, .seed = 3, .operations = 100000, .resets = 4,
	};
	struct outcome with = outcome_of_workload(workload), without;

	workload.resets = 0;
	without = outcome_of_workload(workload);
	printf("# exact: %.0f a ms with resets, %.0f without\n", with.per_ms, without.per_ms);
	return with.per_ms > without.per_ms / 1.2 && !with.error && !without.error;
}

bool test_whole_count(void)
{
	struct workload workload = {
		.machine = &two_nodes, .type = counter_type("atomic"), .threads = 8,
		.counters = 1, .seed = 3, .operations = 12, .milliseconds = 4, .cold = true,
	};
	struct outcome outcome = { 0 };

	return workload_run(&workload, &outcome) &&
	       is("increments, of 12", outcome.operations, 12) && !outcome.error;
}

/* Both from zero on, for so long that bfp_dup samples at 2^-4: run, and stepped through. */
static bool is_as_run(const char *kind, int threads)
{
	struct workload workload = {
		.machine = &two_nodes, .type = counter_type(kind), .threads = threads,
		.counters = 4, .seed = 3, .operations = 100000000, .milliseconds = 100, .cold = true,
	};
	struct outcome all = { 0 }, steps = { 0 };

	if (!workload_run(&workload, &all))
		return false;
	workload.cold = false;
	workload.operations = 10000;
	workload.integrate = 100;
	if (!workload_run(&workload, &steps))
		return false;
	printf("# %s, %d: %.0f a ms, %.0f stepped through; error %g\n", kind, threads, all.per_ms,
	       steps.per_ms, steps.error);
	return steps.per_ms > all.per_ms / 1.1 && steps.per_ms < all.per_ms * 1.1 &&
	       (counter_type(kind)->exact ? !steps.error : steps.error < .2 && steps.error > -.2);
}

bool test_integrated(void)
{
	return is_as_run("atomic", 1) && is_as_run("bfp_dup", 1) && is_as_run("bfp_dup", 8);
}

bool test_racing(void)
{
	struct outcome outcome = outcome_of(&two_nodes, "racing", 8, 7, 1);

	printf("# racing: %.1f %% lost\n", -100 * outcome.period_error);
	return outcome.period_error < -0.5;
}

/* The chance of 6.2 standard errors is below 1e-9; and the seeds are fixed. */
bool test_unbiased(void)
{
	static const char *const kinds[] = { "bfp_dup", "morris", "scalable" };
	bool good = true;
	unsigned int i, seed;

	for (i = 0; i < 3; i++) {
		double sum = 0, squares = 0, mean, error;

		for (seed = 1; seed <= 300; seed++) {
			double e = outcome_of(&two_nodes, kinds[i], 4, seed, 1).period_error;

			sum += e;
			squares += e * e;
		}
		mean = sum / 300;
		error = __builtin_sqrt((squares / 300 - mean * mean) / 300);
		printf("# %s: mean error %+.3f %% +- %.3f %%\n", kinds[i], 100 * mean,
		       100 * error);
		if (!(mean < 6.2 * error && mean > -6.2 * error) || !error)
			good = false;
	}
	return good;
}

bool test_deterministic(void)
{
	struct outcome first = outcome_of(&two_nodes, "approx", 8, 3, 20);
	struct outcome other = outcome_of(&two_nodes, "rbo", 5, 4, 1);
	struct outcome again = outcome_of(&two_nodes, "approx", 8, 3, 20);
	struct outcome seed = outcome_of(&two_nodes, "approx", 8, 4, 20);

	return other.operations && !memcmp(&first, &again, sizeof(first)) &&
	       memcmp(&first, &seed, sizeof(first));
}

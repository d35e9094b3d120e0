// SPDX-License-Identifier: GPL-2.0
/*
 * Known latencies for known patterns of access, machine files that must be
 * refused, and the module's counters on the model.  Each test is a process of its
 * own, so that none depends on another.  Times are compared to the picosecond.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/atomic.h>

#include "../../tests/user/kernel/counters.h"
#include "../../tests/user/kernel/shim.h"
#include "base/random.h"
#include "model.h"
#include "tests.h"
#include "workload.h"

static const struct machine two_nodes = {
	.name = "test", .nodes = 2, .cpus_per_node = 4, .cache_lines = 4, .fetch_op = 1,
	.hit = 1000, .rmw = 5000, .cas = 6000, .node = 40000, .remote = 200000, .memory = 100000,
	.pause = 10000, .draw = 3000, .call = 2000,
};

static _Alignas(64) char memory[64][64];

/* What each thread of a test does, and when it was done. */
static void (*script)(int thread);
static uint64_t done[16];

static void script_body(int thread)
{
	script(thread);
	done[thread] = model_now();
}

/* Returns how long it took, and leaves in `done` when each thread was done. */
static uint64_t play(int threads, void (*what)(int thread))
{
	uint64_t from = model_time();
	int i;

	script = what;
	model_run(threads, script_body);
	for (i = 0; i < threads; i++)
		done[i] -= from;
	return model_time() - from;
}

static bool begin(const struct machine *machine)
{
	return shim_init(machine_cpus(machine), (int)machine->nodes) && model_init(machine);
}

static bool is(const char *what, uint64_t seen, uint64_t expected)
{
	if (seen != expected)
		printf("# %s: %llu ps, not %llu\n", what, (unsigned long long)seen,
		       (unsigned long long)expected);
	return seen == expected;
}

static void load(int line)
{
	shim_access(memory[line], 1, SHIM_LOAD);
}

static void store(int line)
{
	shim_access(memory[line], 1, SHIM_STORE);
}

static void rmw(int line)
{
	shim_access(memory[line], 1, SHIM_RMW);
}

static void one_rmw(int thread)
{
	(void)thread;
	rmw(0);
}

static void one_load(int thread)
{
	(void)thread;
	load(0);
}

static void five_loads(int thread)
{
	int line;

	(void)thread;
	for (line = 0; line < 5; line++)
		load(line);
}

/* Threads 0, 2 and 4 are on node 0; 1, 3 and 5 on node 1. */
static void rmw_by_1(int thread)
{
	if (thread == 1)
		rmw(0);
}

static void rmw_by_2(int thread)
{
	if (thread == 2)
		rmw(0);
}

static void load_by_2(int thread)
{
	if (thread == 2)
		load(0);
}

static bool test_alone(void)
{
	return begin(&two_nodes) &&
	       is("first write", play(1, one_rmw), 100000 + 5000) &&
	       is("second write", play(1, one_rmw), 5000) &&
	       is("read of it", play(1, one_load), 1000);
}

static bool test_exclusive(void)
{
	return begin(&two_nodes) &&
	       is("first read", play(1, one_load), 100000 + 1000) &&
	       is("write of what is read by nobody else", play(1, one_rmw), 5000);
}

static bool test_transfers(void)
{
	return begin(&two_nodes) && play(1, one_rmw) &&
	       is("write, from another CPU of the node", play(3, rmw_by_2), 40000 + 5000) &&
	       is("write, from another node", play(3, rmw_by_1), 200000 + 5000) &&
	       is("read, from another node", play(3, load_by_2), 200000 + 1000) &&
	       is("read again", play(3, load_by_2), 1000) &&
	       is("write of what another node has too", play(3, rmw_by_2), 200000 + 5000);
}

/* Each gets the line for one operation, in turn. */
static bool test_queue(void)
{
	struct machine machine = two_nodes;
	uint64_t half = machine.node / 2;

	machine.nodes = 1;
	machine.cpus_per_node = 8;
	if (!begin(&machine) || !play(1, one_rmw))
		return false;
	play(8, one_rmw);
	return is("owner", done[0], machine.rmw) &&
	       is("first in the queue", done[1], 2 * half + machine.rmw) &&
	       is("last in the queue", done[7], half + 7 * half + 7 * machine.rmw);
}

/* While the request travels, the owner goes on. */
static void owner_goes_on(int thread)
{
	int i;

	if (thread) {
		rmw(0);
		return;
	}
	for (i = 0; i < 6; i++)
		rmw(0);
}

static bool test_batch(void)
{
	struct machine machine = two_nodes;

	machine.nodes = 1;
	machine.cpus_per_node = 8;
	if (!begin(&machine) || !play(1, one_rmw))
		return false;
	play(2, owner_goes_on);
	/* Four hits in 20 ns; then the line is gone and has to come back. */
	return is("other", done[1], 45000) && done[0] > 6 * machine.rmw + machine.node;
}

/* With a hold of four operations, each has the line for four. */
static void four_rmws(int thread)
{
	int i;

	(void)thread;
	for (i = 0; i < 4; i++)
		rmw(0);
}

static bool test_hold(void)
{
	struct machine machine = two_nodes;
	uint64_t half = machine.node / 2;

	machine.nodes = 1;
	machine.cpus_per_node = 8;
	machine.hold = 4 * machine.rmw;
	if (!begin(&machine) || !play(1, one_rmw))
		return false;
	play(3, four_rmws);
	return is("owner", done[0], 4 * machine.rmw) &&
	       is("first in the queue", done[1], 2 * half + machine.hold) &&
	       is("second", done[2], 3 * half + 2 * machine.hold);
}

static void swap_and_swap_again(int thread)
{
	static atomic_t word;
	int seen = atomic_read(&word) + 1;

	(void)thread;
	while (!atomic_try_cmpxchg_relaxed(&word, &seen, seen + 1))
		;
}

static bool test_retry(void)
{
	struct machine machine = two_nodes;

	machine.retry = 9000;
	return begin(&machine) &&
	       is("from memory, a failure, a success", play(1, swap_and_swap_again),
		  100000 + 1000 + 6000 + 9000 + 6000);
}

static bool test_migratory(void)
{
	struct machine machine = two_nodes;

	machine.migratory = 100;
	return begin(&machine) && play(1, one_rmw) &&
	       is("read of what another CPU wrote", play(3, load_by_2), 40000 + 1000) &&
	       is("its write after that", play(3, rmw_by_2), 5000) &&
	       is("back", play(1, one_load), 40000 + 1000) &&
	       is("read of what another CPU has only read", play(3, load_by_2), 40000 + 1000) &&
	       is("its write after that", play(3, rmw_by_2), 40000 + 5000);
}

/* What thread 2 saw and when, and when it had written. */
static struct look {
	_Alignas(64) atomic_t word;
	int seen;
	uint64_t read, written;
} *look;

/* Thread 0 gets the line at 100 ns and adds four times; the request of 2 comes meanwhile. */
static void add_and_look(int thread)
{
	uint64_t from = model_now();
	int i;

	for (i = 0; !thread && i < 4; i++)
		atomic_inc(&look->word);
	if (thread != 2)
		return;
	model_work(90000);
	look->seen = atomic_read(&look->word);
	look->read = model_now() - from;
	atomic_inc(&look->word);
	look->written = model_now() - from;
}

/* Of two such reads that take the line over one sees what the owner then still writes. */
static bool test_reads_in_vain(void)
{
	struct machine machine = two_nodes;
	static struct look looks[2];

	machine.migratory = 50;
	machine.hold = 4 * machine.rmw;
	if (!begin(&machine))
		return false;
	for (look = looks; look < looks + 2; look++)
		play(3, add_and_look);
	printf("# %d and %d of 4 were seen\n", looks[0].seen, looks[1].seen);
	return looks[0].seen > 0 && looks[0].seen < 4 && looks[1].seen == 4 &&
	       is("read in vain", looks[0].read, 120000 + 40000 / 2 + 1000) &&
	       is("read in time", looks[1].read, looks[0].read) &&
	       is("its write, which finds the line", looks[1].written - looks[1].read, 5000);
}

/* One after the other, but a line need not move between the CPUs of a node. */
static bool test_shared_cache(void)
{
	struct machine machine = two_nodes;

	machine.nodes = 1;
	machine.cpus_per_node = 8;
	machine.shared_cache = 3000;
	if (!begin(&machine) || !play(1, one_rmw))
		return false;
	play(8, one_rmw);
	return is("first", done[0], machine.rmw) &&
	       is("last", done[7], machine.rmw + 7 * 3000) &&
	       is("read of what another CPU wrote", play(1, one_load), 40000 + 1000);
}

static bool test_capacity(void)
{
	return begin(&two_nodes) &&
	       is("five lines", play(1, five_loads), 5 * 101000) &&
	       is("again, of which four fit but none two", play(1, five_loads),
		  2 * 41000 + 3 * 1000);
}

static bool test_free_outside(void)
{
	uint64_t before;

	if (!begin(&two_nodes))
		return false;
	before = model_time();
	rmw(0);
	shim_relax();
	return model_time() == before && !model_statistics()->accesses;
}

static struct machine with_store_buffer(uint64_t stores)
{
	struct machine machine = two_nodes;

	machine.store_buffer = stores;
	return machine;
}

static void one_store(int thread)
{
	(void)thread;
	store(0);
}

static void five_stores(int thread)
{
	int line;

	(void)thread;
	for (line = 0; line < 5; line++)
		store(line);
}

static void store_and_load(int thread)
{
	(void)thread;
	store(0);
	load(0);
}

static void store_and_load_beside(int thread)
{
	(void)thread;
	store(0);
	shim_access(&memory[0][1], 1, SHIM_LOAD);
}

static void store_and_rmw(int thread)
{
	(void)thread;
	store(0);
	rmw(0);
}

static bool test_no_store_buffer(void)
{
	return begin(&two_nodes) &&
	       is("first store", play(1, one_store), 100000 + 1000) &&
	       is("second store", play(1, one_store), 1000);
}

static bool test_store_buffer(void)
{
	struct machine machine = with_store_buffer(4);

	return begin(&machine) &&
	       is("until all have it", play(1, one_store), 100000) &&
	       is("the CPU", done[0], 1000) &&
	       is("a store that finds its line", play(1, one_store), 1000);
}

static bool test_forwarding(void)
{
	struct machine machine = with_store_buffer(4);

	return begin(&machine) && play(1, store_and_load) &&
	       is("load of what was stored", done[0], 1000 + 1000) &&
	       play(3, rmw_by_1) && play(1, store_and_load_beside) &&
	       is("load of something else in that line", done[0], 200000 + 1000);
}

static bool test_full_buffer(void)
{
	struct machine machine = with_store_buffer(4);

	return begin(&machine) &&
	       is("five lines", play(1, five_stores), 5 * 100000 + 4 * 1000) &&
	       is("the CPU", done[0], 100000 + 1000);
}

static bool test_atomic_drains(void)
{
	struct machine machine = with_store_buffer(4);

	return begin(&machine) && play(1, store_and_rmw) &&
	       is("store, atomic operation", done[0], 100000 + 5000);
}

static bool test_buffered_in_node(void)
{
	struct machine machine = with_store_buffer(4);

	machine.nodes = 1;
	machine.cpus_per_node = 8;
	machine.shared_cache = 3000;
	return begin(&machine) && play(1, one_rmw) &&
	       is("until all have the last one", play(8, one_store), 500 + 7 * 3000) &&
	       is("its CPU", done[7], 1000);
}

static struct {
	_Alignas(64) int word;
} words[2];

static int seen[4];

static int read_word(void)
{
	return READ_ONCE(words[0].word);
}

static void read_for_free(void)
{
	seen[3] = words[0].word;
}

/* Thread 1 has the line for 100 ns still, and then in vain. */
static void write_by_0(int thread)
{
	if (thread) {
		model_work(50000);
		seen[1] = read_word();
		model_work(450000);
		seen[2] = read_word();
		return;
	}
	WRITE_ONCE(words[0].word, 7);
	model_free(read_for_free);
	model_work(60000);
	seen[0] = words[0].word + read_word();
}

static void write_words_by_1(int thread)
{
	if (thread == 1) {
		WRITE_ONCE(words[0].word, 1);
		WRITE_ONCE(words[1].word, 1);
	}
}

static bool test_visible(void)
{
	struct machine machine = with_store_buffer(4);

	return begin(&machine) && play(2, write_words_by_1) && play(2, write_by_0) &&
	       is("twice what the CPU itself sees", seen[0], 14) &&
	       is("what another one sees meanwhile", seen[1], 1) &&
	       is("what it sees later", seen[2], 7) &&
	       is("what is seen from outside", seen[3], 1);
}

/*
 * Thread 0 has the second word, so that only the order lets it wait; for longer than
 * it takes thread 1 to get it.
 */
static void pass_message(int thread)
{
	if (!thread) {
		store(0);
		store(1);
		WRITE_ONCE(words[0].word, 2);
		WRITE_ONCE(words[1].word, 2);
		return;
	}
	do {
		model_work(700);
		seen[1] = READ_ONCE(words[1].word);
		seen[0] = READ_ONCE(words[0].word);
	} while (seen[1] != 2);
}

static void write_second_by_0(int thread)
{
	if (!thread)
		WRITE_ONCE(words[1].word, 0);
}

static bool test_order(void)
{
	struct machine machine = with_store_buffer(4);

	return begin(&machine) && play(2, write_words_by_1) && play(2, write_second_by_0) &&
	       play(2, pass_message) && is("the first, if the second is seen", seen[0], 2);
}

static bool fenced;

/* Each stores its own word and loads the other's. */
static void cross(int thread)
{
	WRITE_ONCE(words[thread].word, 3);
	if (fenced)
		smp_mb();
	seen[thread] = READ_ONCE(words[!thread].word);
}

static void have_the_other_word(int thread)
{
	WRITE_ONCE(words[!thread].word, 0);
}

static bool test_fence(void)
{
	struct machine machine = with_store_buffer(4);

	if (!begin(&machine))
		return false;
	play(2, have_the_other_word);
	play(2, cross);
	if (seen[0] || seen[1])
		return false;
	fenced = true;
	play(2, have_the_other_word);
	play(2, cross);
	return seen[0] || seen[1];
}

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

static bool test_exact(void)
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
static bool test_packed(void)
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
static bool test_history(void)
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
static bool test_nodes_with_gaps(void)
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
static bool test_waits(void)
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

/* A reset, of which there is one a second, leaves the lines to those who count. */
static bool test_resets(void)
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

#define CONTEXTS	4

/* The states of all CPUs and contexts, as who draws there finds them. */
static void states_of(struct rnd_state states[8][CONTEXTS])
{
	int cpu, where;

	for (cpu = 0; cpu < 8; cpu++) {
		for (where = 0; where < CONTEXTS; where++) {
			shim_be(cpu);
			shim_this.context = where;
			states[cpu][where] = *scounter_random_get();
			scounter_random_put();
		}
	}
	shim_be(0);
}

/* Each context is seeded where it draws next: as a machine loaded with that seed. */
static bool test_reseed(void)
{
	static struct rnd_state before[8][CONTEXTS], after[8][CONTEXTS], loaded[8][CONTEXTS];
	int cpu, where;

	if (!begin(&two_nodes))
		return false;
	scounter_random_init(1);
	states_of(before);
	scounter_random_reseed(2);
	states_of(after);
	scounter_random_init(2);
	states_of(loaded);
	for (cpu = 0; cpu < 8; cpu++) {
		for (where = 0; where < CONTEXTS; where++) {
			if (!memcmp(&before[cpu][where], &after[cpu][where], sizeof(before[0][0])))
				return false;
			/* The countdowns were drawn from that of tasks. */
			if (where != SHIM_TASK &&
			    memcmp(&loaded[cpu][where], &after[cpu][where], sizeof(after[0][0])))
				return false;
		}
	}
	return true;
}

static bool test_racing(void)
{
	struct outcome outcome = outcome_of(&two_nodes, "racing", 8, 7, 1);

	printf("# racing: %.1f %% lost\n", -100 * outcome.period_error);
	return outcome.period_error < -0.5;
}

/* The chance of 6.2 standard errors is below 1e-9; and the seeds are fixed. */
static bool test_unbiased(void)
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

static bool test_deterministic(void)
{
	struct outcome first = outcome_of(&two_nodes, "approx", 8, 3, 20);
	struct outcome other = outcome_of(&two_nodes, "rbo", 5, 4, 1);
	struct outcome again = outcome_of(&two_nodes, "approx", 8, 3, 20);
	struct outcome seed = outcome_of(&two_nodes, "approx", 8, 4, 20);

	return other.operations && !memcmp(&first, &again, sizeof(first)) &&
	       memcmp(&first, &seed, sizeof(first));
}

#define FILE_WITH(stores)						\
	"name = a\nnodes = 2\ncpus_per_node = 4\ncache_lines = 8\n"	\
	"fetch_op = yes\nmigratory = no\nstore_buffer = " stores "\n"	\
	"shared_cache_ns = no\nhold_ns = 7\nhit_ns = 1\nrmw_ns = 5\ncas_ns = 6\nretry_ns = 9\nnode_ns = 40\n"	\
	"remote_ns = 100\nmemory_ns = 80\npause_ns = 9\ndraw_ns = 2\n"
#define GOOD_FILE	FILE_WITH("no")

static const struct {
	const char *text;
	bool good;
} files[] = {
	{ GOOD_FILE "call_ns = 1.5 # comment\n\n# another\n", true },
	{ GOOD_FILE "call_ns = 1", true },
	{ GOOD_FILE, false },					/* one is missing */
	{ GOOD_FILE "call_ns = 1\ncall_ns = 1\n", false },	/* twice */
	{ GOOD_FILE "call_ns = 1\nspeed = 1\n", false },	/* unknown */
	{ GOOD_FILE "call_ns = 0\n", false },
	{ GOOD_FILE "call_ns = -1\n", false },
	{ GOOD_FILE "call_ns = nan\n", false },
	{ GOOD_FILE "call_ns = 1 ns\n", false },
	{ GOOD_FILE "call_ns = 9999999\n", false },
	{ GOOD_FILE "call_ns = 1\nwhat\n", false },
	{ FILE_WITH("1024") "call_ns = 1\n", true },
	{ FILE_WITH("1025") "call_ns = 1\n", false },
	{ FILE_WITH("0") "call_ns = 1\n", false },
	{ FILE_WITH("-1") "call_ns = 1\n", false },
	{ FILE_WITH("56 stores") "call_ns = 1\n", false },
	{ FILE_WITH("yes") "call_ns = 1\n", false },
	{ "name = a\nnodes = 0\n", false },
	{ "name = a\nnodes = 65\n", false },
	{ "cpus_per_node = 0\n", false },
	{ "cpus_per_node = 1x\n", false },
	{ "cpus_per_node = 99999999999999999999\n", false },
	{ "fetch_op = maybe\n", false },
	{ "migratory = 101\n", false },
	{ "migratory = -1\n", false },
	{ "migratory = 50 %\n", false },
	{ "name =\n", false },
	{ "", false },
};

#define STREAMS		(8 * 4)		/* of two_nodes: a context of a CPU each */

/* How many of all words of all states are equal to another. */
static int equal_words(const u32 words[STREAMS * 4])
{
	int i, j, equal = 0;

	for (i = 0; i < STREAMS * 4; i++)
		for (j = 0; j < i; j++)
			equal += words[i] == words[j];
	return equal;
}

/*
 * Two of the 128 words are equal once in 500,000 seeds, and so is a countdown of 2^-25
 * that begins at 0 among the 312; two pairs are, or two countdowns, less than once in
 * 10^10.  The seed is fixed.
 */
static bool test_streams(void)
{
	u32 words[STREAMS * 4], *to = words;
	int cpu, context, exponent, zero = 0, equal;
	const struct rnd_state *rnd;

	if (!begin(&two_nodes))
		return false;
	counters_init(1);
	for (cpu = 0; cpu < 8; cpu++) {
		shim_be(cpu);
		for (context = SHIM_TASK; context <= SHIM_NMI; context++) {
			shim_this.context = context;
			rnd = scounter_random_get();
			scounter_random_put();
			*to++ = rnd->s1;
			*to++ = rnd->s2;
			*to++ = rnd->s3;
			*to++ = rnd->s4;
		}
		shim_this.context = SHIM_TASK;
		for (exponent = 25; exponent < SCOUNTER_TRIAL_EXPONENTS; exponent++)
			zero += !raw_cpu_read(scounter_gaps.left[exponent]);
	}
	equal = equal_words(words);
	if (equal > 1 || zero > 1)
		printf("# %d pairs of words are equal, %d countdowns begin at 0\n", equal, zero);
	return equal <= 1 && zero <= 1;
}

/*
 * Up to as many as a node has, no two CPUs count in one word; and in a word that says
 * which node counted last, those of a node are one.
 */
static bool test_slots(void)
{
	u64 tags[8];
	u32 slots[8];
	int cpu, other;
	bool good = true;

	if (!begin(&two_nodes))
		return false;
	counters_init(1);
	for (cpu = 0; cpu < 8; cpu++) {
		shim_be(cpu);
		slots[cpu] = __scounter_slot();
		tags[cpu] = raw_cpu_read(scounter_place.numa_tag);
		good &= slots[cpu] / SCOUNTER_COMPONENTS_MAX == (u32)shim_node_of(cpu);
		for (other = 0; other < cpu; other++) {
			good &= slots[other] != slots[cpu];
			good &= (tags[other] == tags[cpu]) ==
				(shim_node_of(other) == shim_node_of(cpu));
		}
	}
	return good;
}

static bool test_files(void)
{
	char path[] = "/tmp/sim-test-XXXXXX";
	struct machine machine;
	bool good = true;
	unsigned int i;
	int fd = mkstemp(path);

	if (fd < 0 || !freopen("/dev/null", "w", stderr))
		return false;
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		size_t length = strlen(files[i].text);

		if (ftruncate(fd, 0) ||
		    pwrite(fd, files[i].text, length, 0) != (ssize_t)length)
			return false;
		if (machine_read(&machine, path) != files[i].good) {
			printf("# file %u is %s\n", i, files[i].good ? "refused" : "taken");
			good = false;
		}
	}
	close(fd);
	unlink(path);
	return good && !machine_read(&machine, "/nonexistent") &&
	       !machine_read(&machine, "/");
}

static const struct {
	const char *name;
	bool (*run)(void);
} tests[] = {
	{ "a CPU alone: memory, then hits", test_alone },
	{ "a line that was only read is written for free", test_exclusive },
	{ "transfers in a node and between nodes", test_transfers },
	{ "a queue for a line, one operation each", test_queue },
	{ "the owner goes on while a request travels", test_batch },
	{ "a line is kept for a while", test_hold },
	{ "a compare-and-swap that fails costs its branch, too", test_retry },
	{ "a migratory line moves when it is read", test_migratory },
	{ "every other read may see what was there when its request came", test_reads_in_vain },
	{ "writes in the cache of a node", test_shared_cache },
	{ "a cache has room for so many lines", test_capacity },
	{ "without a store buffer a store waits for its line", test_no_store_buffer },
	{ "with one it does not", test_store_buffer },
	{ "what was stored is loaded from the store buffer", test_forwarding },
	{ "a full store buffer lets the CPU wait", test_full_buffer },
	{ "an atomic operation drains the store buffer", test_atomic_drains },
	{ "buffered stores in the cache of a node", test_buffered_in_node },
	{ "a buffered store is seen by its CPU only", test_visible },
	{ "buffered stores become visible in their order", test_order },
	{ "a load passes a buffered store, but no full barrier", test_fence },
	{ "outside of a run nothing costs time", test_free_outside },
	{ "exact kinds are exact, with and without fetch-and-add", test_exact },
	{ "words side by side share lines", test_packed },
	{ "a history is counted, and makes kinds adapt", test_history },
	{ "nodes whose ids have gaps need no more lines", test_nodes_with_gaps },
	{ "nobody waits for longer than it says", test_waits },
	{ "exact is not slowed down by resets", test_resets },
	{ "a cloned machine begins other streams", test_reseed },
	{ "racing loses counts", test_racing },
	{ "approximate kinds are unbiased under contention", test_unbiased },
	{ "the same seed gives the same, another one does not", test_deterministic },
	{ "every context of every CPU has a stream of its own", test_streams },
	{ "every CPU has a slot of its own, and the name of its node", test_slots },
	{ "machine files that are wrong are refused", test_files },
};

#define TESTS	((int)(sizeof(tests) / sizeof(tests[0])))

int tests_run(void)
{
	int failed = 0, status, i;
	pid_t child;

	printf("1..%d\n", TESTS);
	for (i = 0; i < TESTS; i++) {
		fflush(stdout);
		child = fork();
		if (!child) {
			bool good = tests[i].run();

			fflush(stdout);
			exit(!good);
		}
		status = 1;
		if (child < 0 || waitpid(child, &status, 0) < 0)
			perror("sim");
		failed += !!status;
		printf("%sok %d - %s\n", status ? "not " : "", i + 1, tests[i].name);
	}
	return !!failed;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Known latencies for known patterns of access, machine files that must be
 * refused, and the module's counters on the model.  Each test is a process of its
 * own, so that none depends on another.  Times are compared to the picosecond.
 */
#include <stdio.h>

#include "../../tests/user/kernel/shim.h"
#include "tap.h"
#include "tests.h"

const struct machine two_nodes = {
	.name = "test", .nodes = 2, .cpus_per_node = 4, .cache_lines = 4, .fetch_op = 1,
	.hit = 1000, .rmw = 5000, .cas = 6000, .node = 40000, .remote = 200000, .memory = 100000,
	.pause = 10000, .draw = 3000, .call = 2000,
};

struct machine with_store_buffer(uint64_t stores)
{
	struct machine machine = two_nodes;

	machine.store_buffer = stores;
	return machine;
}

_Alignas(64) char memory[64][64];

static void (*script)(int thread);
uint64_t done[16];

static void script_body(int thread)
{
	script(thread);
	done[thread] = model_now();
}

uint64_t play(int threads, void (*what)(int thread))
{
	uint64_t from = model_time();
	int i;

	script = what;
	model_run(threads, script_body);
	for (i = 0; i < threads; i++)
		done[i] -= from;
	return model_time() - from;
}

bool begin(const struct machine *machine)
{
	return shim_init(machine_cpus(machine), (int)machine->nodes) && model_init(machine);
}

bool is(const char *what, uint64_t seen, uint64_t expected)
{
	if (seen != expected)
		printf("# %s: %llu ps, not %llu\n", what, (unsigned long long)seen,
		       (unsigned long long)expected);
	return seen == expected;
}

void load(int line)
{
	shim_access(memory[line], 1, SHIM_LOAD);
}

void store(int line)
{
	shim_access(memory[line], 1, SHIM_STORE);
}

void rmw(int line)
{
	shim_access(memory[line], 1, SHIM_RMW);
}

void one_rmw(int thread)
{
	(void)thread;
	rmw(0);
}

void rmw_by_1(int thread)
{
	if (thread == 1)
		rmw(0);
}

static const struct tap_test tests[] = {
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
	{ "threads of a pipeline share its issue slots", test_pipelines },
	{ "exact kinds are exact, with and without fetch-and-add", test_exact },
	{ "words side by side share lines", test_packed },
	{ "a history is counted, and makes kinds adapt", test_history },
	{ "nodes whose ids have gaps need no more lines", test_nodes_with_gaps },
	{ "nobody waits for longer than it says", test_waits },
	{ "nodes wait for each other as long whatever a pause takes", test_calibrated },
	{ "exact is not slowed down by resets", test_resets },
	{ "a cloned machine begins other streams", test_reseed },
	{ "threads make no increment more than is asked for", test_whole_count },
	{ "a time that is stepped through is as if it were run", test_integrated },
	{ "racing loses counts", test_racing },
	{ "approximate kinds are unbiased under contention", test_unbiased },
	{ "the same seed gives the same, another one does not", test_deterministic },
	{ "every context of every CPU has a stream of its own", test_streams },
	{ "every CPU has a slot of its own, and the name of its node", test_slots },
	{ "machine files that are wrong are refused", test_files },
};

int tests_run(void)
{
	return tap_processes(tests, sizeof(tests) / sizeof(tests[0]), NULL, 0);
}

// SPDX-License-Identifier: GPL-2.0
/* How long it takes to get a line, from whom, and in which order. */
#include <stdio.h>

#include <linux/atomic.h>

#include "model.h"
#include "tests.h"

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

bool test_alone(void)
{
	return begin(&two_nodes) &&
	       is("first write", play(1, one_rmw), 100000 + 5000) &&
	       is("second write", play(1, one_rmw), 5000) &&
	       is("read of it", play(1, one_load), 1000);
}

bool test_exclusive(void)
{
	return begin(&two_nodes) &&
	       is("first read", play(1, one_load), 100000 + 1000) &&
	       is("write of what is read by nobody else", play(1, one_rmw), 5000);
}

bool test_transfers(void)
{
	return begin(&two_nodes) && play(1, one_rmw) &&
	       is("write, from another CPU of the node", play(3, rmw_by_2), 40000 + 5000) &&
	       is("write, from another node", play(3, rmw_by_1), 200000 + 5000) &&
	       is("read, from another node", play(3, load_by_2), 200000 + 1000) &&
	       is("read again", play(3, load_by_2), 1000) &&
	       is("write of what another node has too", play(3, rmw_by_2), 200000 + 5000);
}

/* Each gets the line for one operation, in turn. */
bool test_queue(void)
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

bool test_batch(void)
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

bool test_hold(void)
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

bool test_retry(void)
{
	struct machine machine = two_nodes;

	machine.retry = 9000;
	return begin(&machine) &&
	       is("from memory, a failure, a success", play(1, swap_and_swap_again),
		  100000 + 1000 + 6000 + 9000 + 6000);
}

bool test_migratory(void)
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
bool test_reads_in_vain(void)
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
bool test_shared_cache(void)
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

bool test_capacity(void)
{
	return begin(&two_nodes) &&
	       is("five lines", play(1, five_loads), 5 * 101000) &&
	       is("again, of which four fit but none two", play(1, five_loads),
		  2 * 41000 + 3 * 1000);
}

bool test_free_outside(void)
{
	uint64_t before;

	if (!begin(&two_nodes))
		return false;
	before = model_time();
	rmw(0);
	shim_relax();
	return model_time() == before && !model_statistics()->accesses;
}

static void compute(int thread)
{
	(void)thread;
	model_work(1000);
}

static void wait_a_while(int thread)
{
	(void)thread;
	model_pause(1000);
}

/* How long so many threads take who need so many percent of the slots, two of each pipeline. */
static bool takes(int threads, uint64_t percent, void (*what)(int thread), uint64_t expected)
{
	struct machine machine = two_nodes;
	bool good;

	machine.pipe_threads = 2;
	machine.issue = what == compute ? percent : 1;
	machine.pause_issue = what == compute ? 1 : percent;
	good = begin(&machine) && is("threads of a pipeline", play(threads, what), expected);
	model_exit();
	return good;
}

bool test_pipelines(void)
{
	/* Four threads have a pipeline each. */
	return takes(4, 100, compute, 1000) && takes(8, 100, compute, 2000) &&
	       takes(8, 75, compute, 1500) && takes(8, 50, compute, 1000) &&
	       takes(4, 100, wait_a_while, 1000) && takes(8, 100, wait_a_while, 2000) &&
	       takes(8, 25, wait_a_while, 1000);
}

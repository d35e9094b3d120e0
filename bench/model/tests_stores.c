// SPDX-License-Identifier: GPL-2.0
/* Store buffers: what waits in them, who sees it, and what drains them. */
#include <linux/atomic.h>

#include "model.h"
#include "tests.h"

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

bool test_no_store_buffer(void)
{
	return begin(&two_nodes) &&
	       is("first store", play(1, one_store), 100000 + 1000) &&
	       is("second store", play(1, one_store), 1000);
}

bool test_store_buffer(void)
{
	struct machine machine = with_store_buffer(4);

	return begin(&machine) &&
	       is("until all have it", play(1, one_store), 100000) &&
	       is("the CPU", done[0], 1000) &&
	       is("a store that finds its line", play(1, one_store), 1000);
}

bool test_forwarding(void)
{
	struct machine machine = with_store_buffer(4);

	return begin(&machine) && play(1, store_and_load) &&
	       is("load of what was stored", done[0], 1000 + 1000) &&
	       play(3, rmw_by_1) && play(1, store_and_load_beside) &&
	       is("load of something else in that line", done[0], 200000 + 1000);
}

bool test_full_buffer(void)
{
	struct machine machine = with_store_buffer(4);

	return begin(&machine) &&
	       is("five lines", play(1, five_stores), 5 * 100000 + 4 * 1000) &&
	       is("the CPU", done[0], 100000 + 1000);
}

bool test_atomic_drains(void)
{
	struct machine machine = with_store_buffer(4);

	return begin(&machine) && play(1, store_and_rmw) &&
	       is("store, atomic operation", done[0], 100000 + 5000);
}

bool test_buffered_in_node(void)
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

bool test_visible(void)
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

bool test_order(void)
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

bool test_fence(void)
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

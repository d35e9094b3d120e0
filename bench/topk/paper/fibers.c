// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs of a modelled machine (bench/model/model.c, whose top says what it leaves out).  What
 * is private to a thread or its owner, and instructions, cost nothing here: neither the
 * structures of the independent design nor its merges.
 */
#include <stdio.h>
#include <stdlib.h>

#include <linux/smp.h>

#include "engine.h"
#include "machine.h"
#include "model.h"
#include "profile.h"
#include "topk/table.h"

#define SLEEP	100000000ULL	/* a throttled thread: picoseconds, as in threads.c */

/* Until -m says otherwise, that of the tests: 1 ns for what is at hand, 100 for what is not. */
static struct machine machine = {
	.name = "test", .nodes = 2, .cpus_per_node = 8, .cache_lines = 4096,
	.fetch_op = 1, .migratory = 100, .hit = 1000, .rmw = 1000, .cas = 1000,
	.node = 100000, .remote = 100000, .memory = 100000, .pause = 10000,
	.draw = 1000, .call = 1000,
};
static bool has_machine;

static struct {
	void (*body)(u32 thread);
	u64 began;
} run;

bool topk_throttle(void)
{
	model_work(SLEEP);
	return true;
}

bool engine_option(const char *argument)
{
	has_machine = machine_read(&machine, argument);
	return has_machine;
}

bool engine_ready(u32 threads)
{
	if (!has_machine) {
		fputs("topk-paper-sim: which machine? -m FILE is needed\n", stderr);
		return false;
	}
	if (threads <= (u32)machine_cpus(&machine))
		return true;
	fprintf(stderr, "topk-paper-sim: %u streams, but %s has %d CPUs\n", threads, machine.name,
		machine_cpus(&machine));
	return false;
}

bool engine_is_model(void)
{
	return true;
}

const char *engine_name(void)
{
	static char name[160];

	snprintf(name, sizeof(name), "modelled: %s, %d CPUs, a CPU a stream; locks spin",
		 machine.name, machine_cpus(&machine));
	return name;
}

bool engine_begin(u32 threads)
{
	(void)threads;
	return shim_init(machine_cpus(&machine), (int)machine.nodes) && model_init(&machine);
}

void engine_end(void)
{
	model_exit();
	shim_exit();
}

static void work(int thread)
{
	profile_begin();
	run.body(thread);
	profile_enter(SECTION_REST);
}

double engine_run(u32 threads, void (*body)(u32 thread))
{
	u64 began = model_time();

	run.body = body;
	model_run((int)threads, work);
	return (model_time() - began) * 1e-12;
}

void engine_step(void)
{
	model_work(machine.call);
}

/* Only the independent design meets, which is not modelled. */
void engine_meet(void)
{
	abort();
}

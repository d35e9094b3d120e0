/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A deterministic discrete-event model of a cache-coherent NUMA machine, on which
 * the module's own code runs: it defines what tests/user/kernel/shim.h leaves to
 * a model.
 */
#ifndef _SIM_MODEL_H
#define _SIM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "../../tests/user/kernel/shim.h"
#include "machine.h"

struct model_statistics {
	uint64_t accesses;	/* to what is shared */
	uint64_t misses;	/* of these, that did not find the line */
	uint64_t transfers;	/* of these, from another node */
	uint64_t switches;	/* of fibers */
	uint64_t pauses;	/* of a CPU between two tries to write, at most */
};

/*
 * After shim_init().  The caches are empty, and the time is 0.  False if there is no memory.  The
 * machine must remain until model_exit().
 */
bool model_init(const struct machine *machine);
void model_exit(void);

/*
 * Run body(thread) on the CPUs of so many threads at once, from the present time
 * on, until all have returned.  Caches stay as they are for the next run.
 */
void model_run(int threads, void (*body)(int thread));

/* For the body: the time on this CPU, and work that touches nothing shared. */
uint64_t model_now(void);
/* This CPU is in such a context from here on. */
void model_context(enum shim_context context);
void model_work(uint64_t picoseconds);
/* Work that waits for most of that time. */
void model_pause(uint64_t picoseconds);

/* Call what costs nothing: kernel work that the model leaves out. */
void model_free(void (*function)(void));

/* The greatest time that a CPU has seen. */
uint64_t model_time(void);
const struct model_statistics *model_statistics(void);

#endif /* _SIM_MODEL_H */

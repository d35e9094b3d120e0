/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs a small concurrent program again and again, each time with another order of
 * its atomic accesses: with all orders that can make a difference, or with random
 * ones.  It defines what tests/user/kernel/shim.h leaves to a model.
 *
 * Memory is sequentially consistent here.  What barriers are for is the business
 * of tests/user/litmus.
 */
#ifndef _INTERLEAVE_EXPLORE_H
#define _INTERLEAVE_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../kernel/shim.h"

#define EXPLORE_THREADS_MAX	8

struct explore_program {
	int threads;
	int needed;	/* the first so many must return; others may wait for ever */
	/* Once, before the memory is remembered. */
	bool (*setup)(void);
	/* All below see that memory at first, in each run.  May be NULL. */
	void (*begin)(uint64_t seed);
	void (*body)(int thread);
	/* When all have returned, or wait for nothing that can happen. */
	void (*check)(void);
	int (*cpu)(int thread);
	/* After each access.  Without one of its own.  May be NULL. */
	void (*watch)(void);
};

enum explore_mode { EXPLORE_ALL, EXPLORE_RANDOM, EXPLORE_REPLAY };

struct explore_options {
	enum explore_mode mode;
	uint64_t runs;		/* at most; 0: as many as there are, or one */
	uint64_t seed;
	const char *schedule;	/* to be replayed */
	bool trace;		/* print each access */
	bool every_order;	/* of all accesses, also if it makes no difference */
};

struct explore_result {
	uint64_t runs;		/* to the end */
	uint64_t redundant;	/* given up: the same as another */
	uint64_t accesses;
	bool complete;		/* there are no further orders */
	bool failed;
	uint64_t seed;		/* of the run that failed */
	char message[200];
	char *schedule;		/* of the run that failed; to be freed */
};

/* False if the program cannot be set up or the schedule does not fit. */
bool explore(const struct explore_program *program,
	     const struct explore_options *options, struct explore_result *result);

/* For the program. */
void explore_fail(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));
/* An access to what is no memory of the module: two threads may meet in it. */
void explore_touch(const void *what, enum shim_kind_of_access access);
/* Memory ceases to be; who has still to access it must not. */
void explore_frees(const void *start, size_t bytes);
/* Until ready(argument), which others make true; then an access to that. */
void explore_wait(bool (*ready)(void *argument), void *argument,
		  enum shim_kind_of_access access);
/* What this thread did until now comes before what another does from there on. */
void explore_gives(const void *what);
void explore_takes(const void *what);
int explore_self(void);
/* False before, between and after runs. */
bool explore_runs(void);

#endif /* _INTERLEAVE_EXPLORE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The experiments of Dice, Lev & Moir 2013, section 5, on the model: threads that
 * increment and do external work in turn.
 */
#ifndef _SIM_WORKLOAD_H
#define _SIM_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "../../tests/user/kernel/counters.h"
#include "machine.h"

struct workload {
	const struct machine *machine;
	const struct counter_type *type;
	int threads;
	double work;		/* external work, in percent */
	int counters;		/* 1, or: one hot, every other increment in any */
	bool packed;		/* they are words without a name, side by side */
	bool cold;		/* measure from the beginning on: no preload */
	uint64_t preload;	/* events that are added before, at no cost */
	uint64_t history;	/* increments that are made before */
	uint64_t operations;	/* to measure, at most */
	double milliseconds;	/* of modelled time, the same */
	double integrate;	/* 0, or: modelled milliseconds that are stepped through from zero */
	int resets;		/* while measuring: each in the middle of what stands for a second */
	uint64_t seed;
};

struct outcome {
	double per_ms;		/* increments a millisecond of modelled time */
	double ns;		/* a thread's time for an increment, without its work */
	double error;		/* of the hot counter's value, relative */
	double period_error;	/* the same, for what was counted while measuring */
	double milliseconds;	/* modelled */
	double misses;		/* an increment */
	double transfers;	/* between nodes, an increment */
	uint64_t pauses;	/* that a CPU waited between two tries, at most */
	uint64_t operations;
	uint64_t bytes;		/* of the hot counter */
};

/* False, and says why, if it cannot be run. */
bool workload_run(const struct workload *workload, struct outcome *outcome);

#endif /* _SIM_WORKLOAD_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The accuracies that are tested, and counters run with each of them. */
#ifndef _ACCURACY_CLASSES_H
#define _ACCURACY_CLASSES_H

#include <linux/types.h>

#include "model.h"
#include "stats.h"

#define CLASSES		4
#define CHECKPOINTS	5

extern const u32 classes[CLASSES];		/* in parts per million */
extern const u64 checkpoints[CHECKPOINTS];	/* numbers of events */

/* 0.135 %: how often a bound may miss the truth, each side for itself. */
#define STATED_MISSES	0.0013498980316301

/* "0.5 %" and the like; the text is overwritten by the fourth call after. */
const char *class_name(u32 error_ppm);

/* How far counters were off, and how often within their own bounds. */
struct tally {
	struct moments error;
	u64 below, above;	/* times that the truth was below, above both bounds */
	double bound;		/* sum of scounter_bfp_variance() */
};

void tally_add(struct tally *tally, const struct sim *sim);
double tally_inside(const struct tally *tally);

/* The mean error is 0, each bound misses as seldom as stated, but for chance. */
bool tally_mean_is_right(const struct tally *tally);
bool tally_bounds_hold(const struct tally *tally);

struct runs {
	u32 error_ppm;
	u32 theta;
	u32 count;
	struct tally at[CHECKPOINTS];
};

/*
 * bfp_dup counters that start at zero and count to the last checkpoint, each
 * on a CPU with a seed of its own.
 */
struct runs run_counters(const struct machine *machine, u32 error_ppm,
			 u32 count, u64 seed);

/* The same, with the module's functions and as many as time allows, once. */
const struct runs *class_runs(u32 which, u64 master);

/* Counters to which n events are added in about a thousand random pieces. */
struct tally run_adds(const struct machine *machine, enum counted counted,
		      u32 error_ppm, u64 n, u32 count, u64 seed);

#endif /* _ACCURACY_CLASSES_H */

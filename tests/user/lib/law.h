/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The exact distribution of a counter that passes its states one by one: an increment
 * leaves state i with probability 1 / unit[i], for state i + 1.  As chain.c, but with
 * many increments at a time, so that 10^9 of them are no matter.
 */
#ifndef _LIB_LAW_H
#define _LIB_LAW_H

#include <linux/types.h>

struct law {
	u64 states;		/* the last one is not left */
	u64 first, end;		/* the states kept are first <= state < end */
	u64 events;
	double *chance;		/* of leaving */
	double *mass;
	double *term, *leaving;
};

/* @unit of each state. */
void law_init(struct law *law, const double *unit, u64 states);
void law_free(struct law *law);

/* Begin again, in a state that is known. */
void law_start(struct law *law, u64 state);

/* Count on, until there have been so many events in all. */
void law_count(struct law *law, u64 events);

/* How probable it is that a bound is on the wrong side of so many events. */
struct misses {
	double lower, upper;
};

/* @lower and @upper are those of each state. */
struct misses law_misses(const struct law *law, const u64 *lower, const u64 *upper);

#endif /* _LIB_LAW_H */

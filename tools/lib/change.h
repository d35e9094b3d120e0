/* SPDX-License-Identifier: GPL-2.0 */
/* What was counted between two snapshots, and how well that is known: change.c. */
#ifndef _LIB_CHANGE_H
#define _LIB_CHANGE_H

#include "counters.h"

/* Why nothing is known of the error, or NULL. */
const char *unsure_of(const record_t *record);
/* A standard deviation of the value, at most. */
double deviation_of(const record_t *record);

struct start {
	uint64_t ns, real_ns;
};
struct start start_of(const record_t *record);
/* No reset and no wrap lies between, and it is the same counter. */
bool goes_on(const record_t *before, const record_t *after);

/*
 * Events of a record of `after` since `before`, a standard deviation of that at most,
 * how far the truth may be off (farther up, and farther down, in at most 0.135 % of all
 * cases each), and the seconds in which they were counted.
 */
struct change {
	const record_t *before;	/* or NULL: it is new */
	uint64_t events;
	double deviation, bar;
	double seconds;		/* 0 or less: not known */
	bool restarted;		/* was reset, wrapped or made anew: events since then */
};
struct change change_between(const struct snapshot *before, const struct snapshot *after,
			     const record_t *record);
double seconds_between(const struct snapshot *a, const struct snapshot *b);

#endif /* _LIB_CHANGE_H */

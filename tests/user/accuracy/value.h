/* SPDX-License-Identifier: GPL-2.0 */
/* Words that are the value itself (morris, scalable): what their errors are to be. */
#ifndef _ACCURACY_VALUE_H
#define _ACCURACY_VALUE_H

#include <linux/types.h>

#include "model.h"
#include "repr/value.h"
#include "stats.h"

#define VALUE_KINDS	(COUNTED - MORRIS)

struct scounter_value_rule value_rule(enum counted counted, u32 error_ppm);

/*
 * A bound of the variance after n increments, or additions: n(n - 1)/2a for
 * morris; for the others n times the largest unit of a value of n, less 1.
 */
double value_variance_bound(const struct scounter_value_rule *rule, u64 n);

/* What the relative standard deviation is promised to stay below for large n. */
double value_limit(const struct scounter_value_rule *rule);

/* The variance after n increments, from the Markov chain: for n to 10^6 or so. */
double value_exact_variance(const struct scounter_value_rule *rule, u64 n);

/* The errors of so many counters at several numbers of events, rising. */
struct value_runs {
	enum counted counted;
	struct scounter_value_rule rule;
	u32 error_ppm, count, points;
	const u64 *at;
	struct moments error[16];
	u64 above_2, above_3;	/* percent off, at the last point */
};

struct value_runs value_run(enum counted counted, u32 error_ppm, u32 count,
			    const u64 *at, u32 points, u64 seed);

#endif /* _ACCURACY_VALUE_H */

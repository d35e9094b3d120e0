/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DLM probability counters as real numbers: the counter is the probability X in (0, 1]
 * with which the next increment changes it, 1 at first.  Steele & Tristan 2017, section 7;
 * Dice, Lev & Moir 2013, section 3.
 *
 * They save no memory.  Their addition needs no parameter and no random number.
 */
#ifndef _LIB_DLM_REAL_H
#define _LIB_DLM_REAL_H

#include <math.h>
#include <stdbool.h>

#define DLM_REAL_ZERO	1.0

static inline bool dlm_real_is_valid(double x)
{
	return x > 0 && x <= 1;
}

/* The count that X stands for, 1 < q <= 2; NAN for what is no counter. */
static inline double dlm_real_value(double x, double q)
{
	if (!dlm_real_is_valid(x) || !(q > 1 && q <= 2))
		return NAN;
	return (1 / x - 1) / (q - 1);
}

/* @random is from [0, 1). */
static inline double dlm_real_inc(double x, double q, double random)
{
	if (!dlm_real_is_valid(x) || !(q > 1 && q <= 2))
		return NAN;
	return random < x ? x / q : x;
}

/* The sum of two counters with the same q, whatever that is. */
static inline double dlm_real_add(double x, double z)
{
	if (!dlm_real_is_valid(x) || !dlm_real_is_valid(z))
		return NAN;
	return 1 / (1 / x + 1 / z - 1);
}

#endif /* _LIB_DLM_REAL_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LIB_STATS_H
#define _LIB_STATS_H

#include <linux/types.h>

/*
 * What a statistic may be off before a test fails.  7.2 standard deviations of
 * a normal variable, or a tail of the same probability 6e-13: no test makes
 * more than some hundred such comparisons.
 */
#define Z_LIMIT		7.2
#define TAIL_LIMIT	6e-13

/* The mean of simulated counters: 4 standard errors, 6.3e-5. */
#define MEAN_LIMIT	4.0

/* Sums of powers of numbers that have had the expected value taken off. */
struct moments {
	double count, sum, sum2, sum3, sum4;
};

static inline void moments_add(struct moments *moments, double x)
{
	double square = x * x;

	moments->count++;
	moments->sum += x;
	moments->sum2 += square;
	moments->sum3 += square * x;
	moments->sum4 += square * square;
}

struct summary {
	double mean;
	double mean_error;	/* its standard error */
	double mean_z;		/* how many of these it is from 0 */
	double variance;
	double variance_error;	/* relative, as the fourth moment says */
};

struct summary summarize(const struct moments *moments);

/* How many standard errors the variance is from the exact one. */
double variance_z(const struct summary *summary, double exact);

/* P(|Z| > z) for a normal variable. */
double normal_tails(double z);

/* P(X > x) for a chi-square variable. */
double chi_square_tail(double x, u32 degrees);

/*
 * How probable so many successes of n, or a number as far off, can be at most
 * (Chernoff's bound).
 */
double binomial_tail(double successes, double n, double p);

/*
 * Numbers in bins of known probability; chi_square_fits() tells whether the
 * counts fit.
 */
double chi_square(const u64 *counts, const double *probability, u32 bins);
bool chi_square_fits(const u64 *counts, const double *probability, u32 bins,
		     double *tail);

#endif /* _LIB_STATS_H */

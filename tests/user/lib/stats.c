// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "stats.h"

struct summary summarize(const struct moments *m)
{
	double n = m->count;
	double mean = m->sum / n;
	/* The sums are about the expected value, these about the mean. */
	double central2 = m->sum2 / n - mean * mean;
	double central4 = m->sum4 / n - 4 * mean * m->sum3 / n +
			  6 * mean * mean * m->sum2 / n -
			  3 * mean * mean * mean * mean;
	struct summary summary = {
		.mean = mean,
		.variance = central2 * n / (n - 1),
	};

	if (central2 > 0) {
		summary.mean_error = sqrt(summary.variance / n);
		summary.mean_z = mean / summary.mean_error;
		summary.variance_error =
			sqrt((central4 / (central2 * central2) - 1) / n);
	} else {
		summary.mean_z = mean ? INFINITY : 0;
	}
	return summary;
}

double variance_z(const struct summary *summary, double exact)
{
	if (!exact)
		return summary->variance || summary->mean ? INFINITY : 0;
	if (!summary->variance)
		return -INFINITY;
	return (summary->variance / exact - 1) / summary->variance_error;
}

double normal_tails(double z)
{
	return erfc(z / sqrt(2));
}

/*
 * The upper incomplete gamma function over the complete one, by its power
 * series below the middle and by its continued fraction above (Abramowitz &
 * Stegun 1964, 6.5.29 and 6.5.31, the latter evaluated after Lentz).
 */
double chi_square_tail(double x, u32 degrees)
{
	double a = degrees / 2.0;
	double factor, term, sum, b, c, d;
	u32 i;

	x /= 2;
	if (x <= 0)
		return 1;
	factor = exp(a * log(x) - x - lgamma(a));
	if (x < a + 1) {
		term = sum = 1 / a;
		for (i = 1; term > sum * 1e-16; i++) {
			term *= x / (a + i);
			sum += term;
		}
		return 1 - factor * sum;
	}
	b = x + 1 - a;
	c = 1e300;
	d = 1 / b;
	sum = d;
	for (i = 1; i < 10000; i++) {
		double an = i * (a - i);

		b += 2;
		d = 1 / (an * d + b);
		c = b + an / c;
		sum *= c * d;
		if (fabs(c * d - 1) < 1e-15)
			break;
	}
	return factor * sum;
}

/* x ln(x / y), which is 0 at x = 0 */
static double entropy(double x, double y)
{
	return x > 0 ? x * log(x / y) : 0;
}

double binomial_tail(double successes, double n, double p)
{
	double share = successes / n;

	return exp(-n * (entropy(share, p) + entropy(1 - share, 1 - p)));
}

double chi_square(const u64 *counts, const double *probability, u32 bins)
{
	double all = 0, sum = 0;
	u32 i;

	for (i = 0; i < bins; i++)
		all += counts[i];
	for (i = 0; i < bins; i++) {
		double expected = all * probability[i];

		sum += (counts[i] - expected) * (counts[i] - expected) / expected;
	}
	return sum;
}

bool chi_square_fits(const u64 *counts, const double *probability, u32 bins,
		     double *tail)
{
	*tail = chi_square_tail(chi_square(counts, probability, bins), bins - 1);
	return *tail >= TAIL_LIMIT;
}

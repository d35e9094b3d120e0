// SPDX-License-Identifier: GPL-2.0
/*
 * The variance of a bfp_dup counter after n increments.
 *
 * The increment n + 1 adds 2^e with probability 2^-e and nothing otherwise: the
 * value minus the number of increments is a martingale, and
 *
 *	Var(n + 1) - Var(n) = E[2^e_n] - 1
 *
 * with e_n the exponent after n increments.  Let T_i be the number of the
 * increment with which the exponent became i.  As 2^e - 1 is the sum of 2^(i-1)
 * over all i from 1 to e,
 *
 *	Var(n) = sum over i of 2^(i-1) E[(n - T_i)^+].
 *
 * T_i = Theta + NB(M, 1/2) + ... + NB(M, 2^-(i-1)), M = Theta / 2, where NB(M, p)
 * is how many trials M successes take.  Its generating function is
 *
 *	phi(z) = z^Theta * product over l of (2^-l z / (1 - (1 - 2^-l) z))^M,
 *
 * and E[(n - T)^+] is the coefficient of z^n in phi(z) z / (1 - z)^2: Cauchy's
 * integral of phi(z) z^-(n-1) / (1 - z)^2 over a circle around 0 with a radius
 * below 1.  On a circle with a radius above 1, but below the poles of phi, the
 * integral is E[(T - n)^+] instead, which lacks the residue n - E[T].  Either
 * integrand decreases with the angle, and the trapezoidal rule converges faster
 * than any power of the step; the radius is that of the saddle point, where
 * nothing cancels.
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <uapi/linux/scounter.h>

#include "exact.h"

/* The time T_i: `least` trials, and `levels` sums of `successes` waits. */
struct arrival {
	u32 levels;
	u32 successes;
	u64 least;
};

static struct arrival arrival_at(u32 theta, u32 exponent)
{
	struct arrival arrival = {
		.levels = exponent - 1,
		.successes = theta / 2,
	};

	arrival.least = theta + (u64)arrival.levels * arrival.successes;
	return arrival;
}

static long double arrival_mean(const struct arrival *arrival)
{
	/* M * (2^l - 1) more than the least at each level l. */
	long double more = ldexpl(1, arrival->levels + 1) - 2 - arrival->levels;

	return arrival->least + arrival->successes * more;
}

/*
 * The logarithm of the integrand at z = e^(s + i t), but for a multiple of
 * 2 pi i: the factors of phi are multiplied before the logarithm is taken.
 */
static long double complex log_integrand(const struct arrival *arrival, u64 n,
					 long double s, long double t)
{
	/* z - 1, without cancellation near 1 */
	long double half = sinl(t / 2);
	long double d = expm1l(s) * cosl(t) - 2 * half * half;
	long double di = expl(s) * sinl(t);
	long double product = 1, producti = 0;
	u32 l;

	for (l = 1; l <= arrival->levels; l++) {
		long double w = 1 - ((1 << l) - 1) * d;
		long double wi = -((1 << l) - 1) * di;
		long double old = product;

		product = old * w - producti * wi;
		producti = old * wi + producti * w;
	}
	return ((long double)arrival->least - n + 1) * (s + I * t) -
	       arrival->successes * clogl(product + I * producti) -
	       2 * clogl(d + I * di);
}

/* Its first derivative at real s, and its second. */
static long double slope(const struct arrival *arrival, u64 n, long double s,
			 long double *curvature)
{
	long double d = expm1l(s);
	long double first = 0, second = 0;
	u32 l;

	for (l = 1; l <= arrival->levels; l++) {
		long double r = (ldexpl(1, l) - 1) * (1 + d);
		long double w = 1 - (ldexpl(1, l) - 1) * d;

		first += r / w;
		second += r / w + r * r / (w * w);
	}
	*curvature = arrival->successes * second + 2 * (1 + d) / (d * d);
	return (long double)arrival->least - n + 1 + arrival->successes * first -
	       2 * (1 + d) / d;
}

/* Where the slope, which grows with s on either side of 0, is about 0. */
static long double saddle_point(const struct arrival *arrival, u64 n, bool above)
{
	/* Bounds of log |s|; above 0, phi has a pole. */
	long double low = -45;
	long double high = above ?
		logl(-log1pl(-ldexpl(1, -(int)arrival->levels))) : 4;
	u32 i;

	for (i = 0; i < 40; i++) {
		long double middle = (low + high) / 2;
		long double size = expl(middle);
		long double curvature;
		long double at = slope(arrival, n, above ? size : -size, &curvature);

		if (above == (at < 0))
			low = middle;
		else
			high = middle;
	}
	return above ? expl(low) : -expl(low);
}

static long double trapezoid(const struct arrival *arrival, u64 n,
			     long double s, u64 points)
{
	long double top = creall(log_integrand(arrival, n, s, 0));
	long double sum = 1;
	u64 i;

	for (i = 1; i <= points / 2; i++) {
		long double complex value = log_integrand(arrival, n, s,
				2 * acosl(-1) * i / points) - top;

		if (creall(value) < -45)
			break;
		sum += (2 * i == points ? 1 : 2) * creall(cexpl(value));
	}
	return expl(top) * sum / points;
}

/* E[(n - T)^+] */
static long double expected_excess(const struct arrival *arrival, u64 n)
{
	long double mean = arrival_mean(arrival);
	bool above = n > mean;
	long double certain = above ? n - mean : 0;
	long double s, curvature, before, now;
	u64 points;

	if (n <= arrival->least)
		return 0;
	if (!arrival->levels)
		return n - arrival->least;
	if (n == arrival->least + 1)
		return ldexpl(1, -(int)(arrival->successes * arrival->levels *
					(arrival->levels + 1) / 2));

	s = saddle_point(arrival, n, above);
	/* No average over the circle is more than the value at the real point. */
	if (creall(log_integrand(arrival, n, s, 0)) < -70)
		return certain;

	slope(arrival, n, s, &curvature);
	points = 2 * (u64)(4 * sqrtl(curvature) + 8);
	now = trapezoid(arrival, n, s, points);
	do {
		before = now;
		points *= 2;
		now = trapezoid(arrival, n, s, points);
	} while (fabsl(now - before) > 1e-14L * (certain + fabsl(now)));
	return certain + now;
}

double exact_variance(u32 theta, u64 n)
{
	long double variance = 0;
	u32 i;

	for (i = 1; i <= SCOUNTER_BFP_EXPONENT_MAX; i++) {
		struct arrival arrival = arrival_at(theta, i);

		variance += ldexpl(expected_excess(&arrival, n), i - 1);
	}
	return variance;
}

double exact_rsd(u32 theta, u64 n)
{
	return n ? sqrt(exact_variance(theta, n)) / n : 0;
}

double exact_limit(u32 theta)
{
	return sqrt(3 / (4.0 * theta - 3));
}

/*
 * Tries numbers of events 0.8 % apart.  The increments of Var(n) never become
 * smaller, so that Var is convex: between two n that were tried it is at most
 * its chord a + b n.  (a + b n) / n^2 with a < 0 < b is largest at n = -2 a / b.
 *
 * The last n tried is 4 M 2^15, where the exponent has long been at its
 * maximum: a later increment adds less than 2^15 to the variance, and the
 * variance is then large enough for the quotient to fall.
 */
struct exact_worst exact_worst(u32 theta)
{
	u64 last = (u64)theta << (SCOUNTER_BFP_EXPONENT_MAX + 1);
	struct exact_worst worst = { 0 };
	double old_variance = 0;
	u64 old = theta;

	while (old < last) {
		u64 n = old + old / 128 + 1;
		double variance = exact_variance(theta, n);
		double b = (variance - old_variance) / (n - old);
		double a = variance - b * n;
		double top = fmin(n, fmax(old, -2 * a / b));
		double rsd = sqrt(variance) / n;

		if (rsd > worst.rsd) {
			worst.rsd = rsd;
			worst.n = n;
		}
		worst.bound = fmax(worst.bound, sqrt(a + b * top) / top);
		old = n;
		old_variance = variance;
	}
	if (old_variance < (double)old * (1 << SCOUNTER_BFP_EXPONENT_MAX) / 2)
		worst.bound = INFINITY;
	return worst;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Steele & Tristan 2017, figures 1 to 4: the exact distribution of a counter after
 * n increments, by recurrence over its states, and the implementation's histogram
 * against it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "subject.h"
#include "util.h"

#define STATES	256
#define RUNS	100000

/* Figures 1 and 2 (the caption of the latter has q = 1.4, the text 1.2), by n. */
static const struct {
	const char *name;
	u32 q_ppm, m, first, last;
} small[] = {
	{ "figure 1", 1200000, 1, 3, 10 },
	{ "figure 2", 1400000, 4, 6, 13 },
	{ "figure 2", 1200000, 4, 6, 13 },
};

/* Figures 3 and 4: up to n = 1000. */
static const struct {
	u32 q_ppm, m;
} large[] = {
	{ 1050000, 1 }, { 1100000, 1 }, { 1200000, 1 }, { 1500000, 1 },
	{ 1100000, 4 }, { 1200000, 8 }, { 1400000, 4 }, { 2000000, 16 },
};

static const struct scounter_repr *repr_for(u32 q_ppm, u32 m)
{
	if (q_ppm == SCOUNTER_REPR_Q_PPM_MAX)
		return repr_of(SCOUNTER_REPR_CSUROS2, 8, 0, m, 0);
	return repr_of(m == 1 ? SCOUNTER_REPR_MORRIS : SCOUNTER_REPR_CSUROS, 8, q_ppm, m, 0);
}

/* One increment more.  q^(x / m), not the implementation's, is what Q is. */
static void step(double *mass, u32 q_ppm, u32 m)
{
	double stays, moves, came = 0;
	u32 x;

	for (x = 0; x < STATES; x++) {
		moves = mass[x] * pow(q_ppm / 1e6, -(double)(x / m));
		stays = mass[x] - moves;
		mass[x] = stays + came;
		came = moves;
	}
}

static void distribution(double *mass, u32 q_ppm, u32 m, u32 n)
{
	memset(mass, 0, STATES * sizeof(*mass));
	mass[0] = 1;
	while (n--)
		step(mass, q_ppm, m);
}

static void compare(const char *name, u32 q_ppm, u32 m, u32 n, u32 runs, u64 seed)
{
	const struct scounter_repr *repr = repr_for(q_ppm, m);
	void *array = counted(&subjects[KERNEL], &repr->type, runs, n, seed);
	bool saturated = subjects[KERNEL].saturated(array), fits;
	u64 counts[STATES] = { 0 };
	double mass[STATES], tail = 0;
	u32 bins;

	count_states(&subjects[KERNEL], array, runs, counts);
	subjects[KERNEL].free(array);
	distribution(mass, q_ppm, m, n);
	fits = mass_fits(counts, mass, STATES, runs, &bins, &tail);
	ok(bins > 2 && fits && !saturated,
	   "%s: q %g, m %u after %u increments: chi-square over %u bins, tail %.2g",
	   name, q_ppm / 1e6, m, n, bins, tail);
}

/* The distribution of a sum, over all pairs of states of two counters. */
static void compare_sum(u32 q_ppm, u32 m, u64 seed)
{
	const struct scounter_repr *repr = repr_for(q_ppm, m);
	u64 counts[STATES] = { 0 };
	double one[STATES], other[STATES], mass[STATES] = { 0 }, tail = 0;
	double q = q_ppm / 1e6, mu = m / (q - 1);
	const struct subject *kernel = &subjects[KERNEL];
	void *array = counted(kernel, &repr->type, RUNS, 40, seed);
	void *more = counted(kernel, &repr->type, RUNS, 15, next_seed(&seed));
	bool saturated, fits;
	u32 x, z, bins;

	distribution(one, q_ppm, m, 40);
	distribution(other, q_ppm, m, 15);
	for (x = 0; x < 100; x++)
		for (z = 0; z < 100; z++) {
			double sum = (mu + x % m) * pow(q, x / m) + (mu + z % m) * pow(q, z / m) -
				     2 * mu + 1e-9;
			u32 k = max(x, z);

			while ((mu + (k + 1) % m) * pow(q, (k + 1) / m) - mu <= sum)
				k++;
			sum -= (mu + k % m) * pow(q, k / m) - mu;
			sum /= pow(q, k / m);
			mass[k] += one[x] * other[z] * (1 - sum);
			mass[k + 1] += one[x] * other[z] * sum;
		}
	kernel->merge(array, more);
	count_states(kernel, array, RUNS, counts);
	saturated = kernel->saturated(array);
	kernel->free(array);
	kernel->free(more);
	fits = mass_fits(counts, mass, STATES, RUNS, &bins, &tail);
	ok(bins > 2 && fits && !saturated,
	   "sum of 40 and 15 increments: q %g, m %u: chi-square over %u bins, tail %.2g",
	   q, m, bins, tail);
}

void test_figures(u64 seed)
{
	u32 i, n;

	for (i = 0; i < sizeof(small) / sizeof(small[0]); i++)
		for (n = small[i].first; n <= small[i].last; n++)
			compare(small[i].name, small[i].q_ppm, small[i].m, n, RUNS,
				derive_seed(seed, small[i].name, n * 100 + i));
	for (i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		compare(large[i].m == 1 ? "figure 3" : "figure 4", large[i].q_ppm, large[i].m,
			1000, RUNS / 8, derive_seed(seed, "large", i));
	for (i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		compare_sum(large[i].q_ppm, large[i].m, derive_seed(seed, "sum", i));
}

static double f(double q, u32 m, u32 x)
{
	double mu = m / (q - 1);

	return (mu + x % m) * pow(q, x / m) - mu;
}

/* The mass within 1, 2 and 3 standard deviations of the mean, which is n. */
static double inside_of(const double *mass, u32 q_ppm, u32 m, u32 n, double inside[3])
{
	double variance = 0;
	u32 x, k;

	for (x = 0; x < STATES; x++)
		variance += mass[x] * pow(f(q_ppm / 1e6, m, x) - n, 2);
	for (k = 0; k < 3; k++)
		inside[k] = 0;
	/* What f is rounded by is not outside of a deviation of 0. */
	for (x = 0; x < STATES; x++)
		for (k = 0; k < 3; k++)
			if (fabs(f(q_ppm / 1e6, m, x) - n) <= (k + 1) * sqrt(variance) + 1e-9)
				inside[k] += mass[x];
	return sqrt(variance);
}

static bool is_shown(u32 n)
{
	static const u32 shown[] = { 10, 20, 50, 100, 200, 500, 1000 };
	u32 i;

	for (i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (n == shown[i])
			return true;
	return false;
}

static void print_inside(u32 q_ppm, u32 m, bool all)
{
	double mass[STATES], inside[3], deviation;
	u32 n;

	distribution(mass, q_ppm, m, 0);
	for (n = 0; n <= 1000; n++) {
		if (all || is_shown(n)) {
			deviation = inside_of(mass, q_ppm, m, n, inside);
			printf("%-6g %4u %6u %10.4f %8.4f %8.4f %8.4f\n", q_ppm / 1e6, m, n,
			       n ? deviation / n : 0, inside[0], inside[1], inside[2]);
		}
		step(mass, q_ppm, m);
	}
}

static void print_all_inside(bool all)
{
	u32 i;

	printf("# figures 3 and 4: mass within 1, 2 and 3 standard deviations; exact, by recurrence\n"
	       "# q      m      n      error        1        2        3\n");
	for (i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		/* gnuplot's index counts blocks. */
		if (all && i)
			printf("\n\n");
		print_inside(large[i].q_ppm, large[i].m, all);
	}
}

int print_inside_each(void)
{
	print_all_inside(true);
	return 0;
}

int print_figures(void)
{
	u32 i, n, x;

	printf("# figures 1 and 2: f, mass\n");
	for (i = 0; i < sizeof(small) / sizeof(small[0]); i++)
		for (n = small[i].first; n <= small[i].last; n++) {
			double mass[STATES];

			distribution(mass, small[i].q_ppm, small[i].m, n);
			printf("\n# %s: q %g, m %u, n %u\n", small[i].name,
			       small[i].q_ppm / 1e6, small[i].m, n);
			for (x = 0; x <= n; x++)
				printf("%.4f %.6f\n", f(small[i].q_ppm / 1e6, small[i].m, x),
				       mass[x]);
		}
	putchar('\n');
	print_all_inside(false);
	return 0;
}

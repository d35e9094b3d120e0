// SPDX-License-Identifier: GPL-2.0
/*
 * The exact distribution of the DLM counters after n increments, by recurrence over
 * their states (Dice, Lev & Moir 2013, sections 3 and 4; Steele & Tristan 2017,
 * sections 7 and 8): their variance beside the Csuros bound, as there is no theorem
 * for theirs; and how near the end of its range a probability counter is.  Shares no
 * code with kmod/repr.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dlm_real.h"
#include "subject.h"
#include "util.h"

/* theta 0: the probability counter of that q, else floating point */
struct spec {
	u32 bits, q_ppm, m, theta, n;
};

struct state {
	double f, q;		/* q: the probability that an increment succeeds */
	double up;		/* and then, that it leads to next + 1 */
	u32 next;
};

static u32 states_of(const struct spec *spec)
{
	return 1U << spec->bits;
}

static double f_probability(const struct spec *spec, u32 x)
{
	return ((double)states_of(spec) / (states_of(spec) - x) - 1) / (spec->q_ppm / 1e6 - 1);
}

/* 1 / p more, rounded at random to what the cell can hold. */
static struct state probability(const struct spec *spec, u32 x)
{
	u32 all = states_of(spec);
	struct state state = { .q = 1 - (double)x / all, .next = x };
	double sum;

	state.f = f_probability(spec, x);
	sum = state.f + 1 / state.q;
	while (state.next + 1 < all && f_probability(spec, state.next + 1) <= sum)
		state.next++;
	if (state.next + 1 < all)
		state.up = (sum - f_probability(spec, state.next)) /
			   (f_probability(spec, state.next + 1) - f_probability(spec, state.next));
	return state;
}

/* A mantissa that reaches theta is halved at the next exponent. */
static struct state floating(const struct spec *spec, u32 x)
{
	u32 exponent = x / spec->m, mantissa = x % spec->m;
	struct state state = { .f = ldexp(mantissa, exponent), .q = ldexp(1, -(int)exponent) };

	state.next = mantissa + 1 < spec->theta ? x + 1 :
		     (exponent + 1) * spec->m + spec->theta / 2;
	/* Too large a count for these n. */
	if (state.next >= states_of(spec))
		state.next = x;
	return state;
}

static void increment(double *mass, double *after, const struct state *table, u32 states)
{
	u32 x;

	memset(after, 0, states * sizeof(*after));
	for (x = 0; x < states; x++) {
		double moves = mass[x] * table[x].q;

		if (!mass[x])
			continue;
		after[x] += mass[x] - moves;
		after[table[x].next] += moves * (1 - table[x].up);
		if (table[x].up)
			after[table[x].next + 1] += moves * table[x].up;
	}
	memcpy(mass, after, states * sizeof(*after));
}

/* Both to be freed. */
static double *distribution(const struct spec *spec, struct state **table)
{
	u32 states = states_of(spec), x, n;
	double *mass = allocate(states, sizeof(*mass)), *after = allocate(states, sizeof(*after));

	*table = allocate(states, sizeof(**table));
	for (x = 0; x < states; x++)
		(*table)[x] = spec->theta ? floating(spec, x) : probability(spec, x);
	mass[0] = 1;
	for (n = 0; n < spec->n; n++)
		increment(mass, after, *table, states);
	free(after);
	return mass;
}

static const struct scounter_repr *repr_for(const struct spec *spec)
{
	return repr_of(spec->theta ? SCOUNTER_REPR_DLM_FLOAT : SCOUNTER_REPR_DLM_PROBABILITY,
		       spec->bits, spec->q_ppm, spec->m, spec->theta);
}

static void compare(const struct spec *spec, u64 seed)
{
	enum { RUNS = 20000 };
	const struct scounter_repr *repr = repr_for(spec);
	u64 *counts = allocate(states_of(spec), sizeof(*counts));
	struct state *table;
	double *mass = distribution(spec, &table), last = mass[repr->top], tail;
	void *array = counted(&subjects[KERNEL], &repr->type, RUNS, spec->n, seed);
	bool saturated = subjects[KERNEL].saturated(array), fits;
	u32 bins;

	count_states(&subjects[KERNEL], array, RUNS, counts);
	subjects[KERNEL].free(array);
	fits = mass_fits(counts, mass, states_of(spec), RUNS, &bins, &tail);
	ok(bins > 2 && fits && (last * RUNS < 10 || saturated),
	   "%s after %u increments: chi-square over %u bins, tail %.2g; the last state has %.2g",
	   type_name(&repr->type), spec->n, bins, tail, last);
	free(table);
	free(mass);
	free(counts);
}

/* Counters that are the probability itself: as good as Morris counters, and sums exact. */
static void test_real(u64 seed)
{
	enum { RUNS = 20000, EVENTS = 500 };
	const double q = 1.1, variance = (q - 1) / 2 * EVENTS * (EVENTS - 1);
	struct moments moments = { 0 };
	double x, z, worst = 0;
	struct summary summary;
	u32 run, i;

	for (run = 0; run < RUNS; run++) {
		x = DLM_REAL_ZERO;
		for (i = 0; i < EVENTS; i++)
			x = dlm_real_inc(x, q, (next_seed(&seed) >> 11) * 0x1p-53);
		moments_add(&moments, dlm_real_value(x, q) - EVENTS);
		z = dlm_real_inc(dlm_real_inc(DLM_REAL_ZERO, q, 0), q, 0);
		worst = fmax(worst, fabs(dlm_real_value(dlm_real_add(x, z), q) /
					 (dlm_real_value(x, q) + dlm_real_value(z, q)) - 1));
	}
	summary = summarize(&moments);
	ok(fabs(summary.mean_z) <= Z_LIMIT && fabs(variance_z(&summary, variance)) <= Z_LIMIT,
	   "DLM probability as a real number, q %g, %d events: mean %+.2f standard errors, variance %.4f of (q - 1) / 2 n (n - 1)",
	   q, EVENTS, summary.mean_z, summary.variance / variance);
	ok(worst < 1e-12, "its sums are exact: off by %.1e at most", worst);
	ok(dlm_real_add(1, 0.25) == 0.25 && dlm_real_value(1, 1.5) == 0 &&
	   isnan(dlm_real_add(0, 1)) && isnan(dlm_real_add(1, 1.01)) &&
	   isnan(dlm_real_add(NAN, 1)) && isnan(dlm_real_inc(0.5, 1, 0.2)) &&
	   isnan(dlm_real_value(-1, 1.5)), "what is no such counter becomes NAN");
}

void test_dlm(u64 seed)
{
	static const struct spec specs[] = {
		{ 8, 1100000, 1, 0, 100 },
		{ 8, 1500000, 1, 0, 100 },
		{ 10, 1300000, 1, 0, 200 },
		{ 8, 0, 16, 16, 1000 },
		{ 8, 0, 16, 10, 1000 },
		{ 10, 0, 64, 50, 1000 },
	};
	u32 i;

	for (i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		compare(&specs[i], derive_seed(seed, "spec", i));
	test_real(derive_seed(seed, "real", 0));
}

static void print_spec(const struct spec *spec)
{
	const struct scounter_repr *repr = repr_for(spec);
	/* Of a Csuros counter with the same q, or with m = theta / 2 and q = 2 */
	double mu = spec->theta ? spec->theta / 2.0 : 1 / (spec->q_ppm / 1e6 - 1);
	double bound = spec->n * (spec->n - 1.0) / (2 * mu) +
		       mu * mu / (4 * mu * mu + 4 * mu - 2);
	double mean = 0, square = 0;
	struct state *table;
	double *mass = distribution(spec, &table);
	u32 x;

	for (x = 0; x < states_of(spec); x++) {
		mean += mass[x] * (table[x].f - spec->n);
		square += mass[x] * pow(table[x].f - spec->n, 2);
	}
	printf("%-34s %6u %10.4f %10.1e %12.1e\n", type_name(&repr->type), spec->n,
	       (square - mean * mean) / bound, mass[repr->top], mean);
	free(table);
	free(mass);
}

int print_dlm(void)
{
	static const struct spec specs[] = {
		{ 8, 1100000, 1, 0, 100 }, { 8, 1500000, 1, 0, 10 }, { 8, 1500000, 1, 0, 40 },
		{ 8, 1500000, 1, 0, 100 }, { 8, 1500000, 1, 0, 200 }, { 10, 1300000, 1, 0, 60 },
		{ 10, 1300000, 1, 0, 200 }, { 10, 1300000, 1, 0, 1000 }, { 12, 1200000, 1, 0, 500 },
		{ 12, 1200000, 1, 0, 1000 }, { 16, 1080000, 1, 0, 1000 }, { 8, 0, 16, 16, 1000 },
		{ 8, 0, 16, 10, 1000 }, { 10, 0, 64, 64, 1000 }, { 12, 0, 256, 100, 1000 },
		{ 16, 0, 1024, 1024, 3000 },
	};
	u32 i;

	printf("# exact, by recurrence: variance over the Csuros bound, mass of the last state,\n"
	       "# and how far the mean is below n for what is lost there\n%-34s %6s %10s %10s %12s\n",
	       "# representation", "n", "variance", "last", "mean - n");
	for (i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		print_spec(&specs[i]);
	return 0;
}

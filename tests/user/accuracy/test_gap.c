// SPDX-License-Identifier: GPL-2.0
/* The gaps between successes: their distribution, and that they are apart. */
#include <math.h>
#include <string.h>

#include "model.h"
#include "stats.h"
#include "suites.h"
#include "util.h"

#define GAPS		2000000
#define STREAMS		100000
#define CPUS		1000
#define BINS_MAX	80

/* The geometric distribution cut into bins. */
struct bins {
	u32 count;
	u32 first[BINS_MAX];	/* the smallest gap of each */
	double probability[BINS_MAX];
};

/* P(gap >= g) */
static double gap_tail(u32 k, u32 g)
{
	return exp(g * log1p(-ldexp(1, -(int)k)));
}

/* The smallest gap with P(gap >= it) at most `tail`. */
static u32 gap_with_tail(u32 k, double tail)
{
	return ceil(log(tail) / log1p(-ldexp(1, -(int)k)) - 1e-9);
}

static void bins_add(struct bins *bins, u32 first)
{
	if (!bins->count || first > bins->first[bins->count - 1])
		bins->first[bins->count++] = first;
}

/*
 * About `equal` bins of equal probability, fewer where a single gap is as
 * probable as several of them; then ever rarer ones down to the smallest tail.
 */
static void bins_init(struct bins *bins, u32 k, u32 equal, double smallest_tail)
{
	double tail;
	u32 i;

	memset(bins, 0, sizeof(*bins));
	for (i = equal; i > 0; i--)
		bins_add(bins, gap_with_tail(k, (double)i / equal));
	for (tail = 0.25 / equal; tail >= smallest_tail; tail /= 4)
		bins_add(bins, gap_with_tail(k, tail));
	for (i = 0; i < bins->count; i++) {
		double end = i + 1 < bins->count ?
			     gap_tail(k, bins->first[i + 1]) : 0;

		bins->probability[i] = gap_tail(k, bins->first[i]) - end;
	}
}

static u32 bin_of(const struct bins *bins, u32 gap)
{
	u32 low = 0, high = bins->count;

	while (high - low > 1) {
		u32 middle = (low + high) / 2;

		if (bins->first[middle] <= gap)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct gap_verdict {
	double mean_z, variance_z, tail;
	bool mean, variance, distribution;
};

static bool all_right(const struct gap_verdict *verdict)
{
	return verdict->mean && verdict->variance && verdict->distribution;
}

static u32 next_gap(const struct machine *machine, struct rnd_state *rnd, u32 k)
{
	return (machine->gap ?: scounter_draw_gap)(rnd, k);
}

static struct gap_verdict examine_gaps(const struct machine *machine, u32 k)
{
	double p = ldexp(1, -(int)k);
	double mean = (1 - p) / p;
	double variance = (1 - p) / (p * p);
	/* What (gap - mean)^2 varies by: the fourth moment less the square. */
	double spread = variance * sqrt(8 + p * p / (1 - p));
	u64 counts[BINS_MAX] = { 0 };
	struct gap_verdict verdict;
	u64 seed = test_seed();
	double sum = 0, sum2 = 0;
	struct rnd_state rnd;
	struct bins bins;
	u32 i;

	seed_state(&rnd, &seed);
	bins_init(&bins, k, 64, 4e-5);
	for (i = 0; i < GAPS; i++) {
		u32 gap = next_gap(machine, &rnd, k);

		sum += gap - mean;
		sum2 += (gap - mean) * (gap - mean);
		counts[bin_of(&bins, gap)]++;
	}
	verdict.mean_z = sum / sqrt(GAPS * variance);
	verdict.mean = fabs(verdict.mean_z) <= Z_LIMIT;
	verdict.variance_z = (sum2 / GAPS - variance) / (spread / sqrt(GAPS));
	verdict.variance = fabs(verdict.variance_z) <= Z_LIMIT;
	verdict.distribution = chi_square_fits(counts, bins.probability,
					       bins.count, &verdict.tail);
	return verdict;
}

static bool test_gaps(u32 which)
{
	u32 k = which + 1;
	struct gap_verdict verdict = examine_gaps(&machine_kmod, k);

	describe("k = %u: mean, variance, distribution", k);
	comment("k = %u: mean z %.2f, variance z %.2f, chi-square P %.3g", k,
		verdict.mean_z, verdict.variance_z, verdict.tail);
	return all_right(&verdict);
}

static bool test_gaps_broken(u32 which)
{
	struct machine machine = machine_kmod;
	struct gap_verdict verdict;

	switch (which) {
	case 0:
		describe("the mean catches gaps that count the success");
		machine.gap = broken_gap_longer;
		verdict = examine_gaps(&machine, 4);
		return !verdict.mean;
	case 1:
		describe("the variance catches gaps that are constant");
		machine.gap = broken_gap_constant;
		verdict = examine_gaps(&machine, 10);
		return verdict.mean && !verdict.variance;
	case 2:
		describe("the variance catches a success in each block");
		machine.gap = broken_gap_block;
		verdict = examine_gaps(&machine, 10);
		return verdict.mean && !verdict.variance;
	default:
		describe("the distribution catches a success in each block");
		machine.gap = broken_gap_block;
		verdict = examine_gaps(&machine, 1);
		return !verdict.distribution;
	}
}

/* The first gap of streams that are seeded one after the other. */
static bool first_gaps_fit(const struct machine *machine)
{
	static u64 counts[SCOUNTER_GAP_EXPONENT_MAX + 1][BINS_MAX];
	static struct bins bins[SCOUNTER_GAP_EXPONENT_MAX + 1];
	u64 seed = test_seed();
	bool passed = true;
	double tail;
	u32 cpu, i, k;

	memset(counts, 0, sizeof(counts));
	for (k = 1; k <= SCOUNTER_GAP_EXPONENT_MAX; k++)
		bins_init(&bins[k], k, 32, 1e-3);
	model_init(CPUS, 1);
	for (i = 0; i < STREAMS / CPUS; i++) {
		model_seed(machine, &seed);
		for (cpu = 0; cpu < CPUS; cpu++)
			for (k = 1; k <= SCOUNTER_GAP_EXPONENT_MAX; k++)
				counts[k][bin_of(&bins[k], *model_left(cpu, k))]++;
	}
	model_init(1, 1);
	for (k = 1; k <= SCOUNTER_GAP_EXPONENT_MAX; k++)
		passed &= chi_square_fits(counts[k], bins[k].probability,
					  bins[k].count, &tail);
	return passed;
}

static bool test_first_gaps(u32 which)
{
	struct machine machine = machine_kmod;

	if (!which) {
		describe("k = 1 to %u", SCOUNTER_GAP_EXPONENT_MAX);
		return first_gaps_fit(&machine);
	}
	describe("catches gaps that start at 0");
	machine.seeded = broken_seed_zero_gaps;
	return !first_gaps_fit(&machine);
}

/* Pairs of gaps in eight by eight bins. */
struct pairs {
	struct bins bins;
	u64 counts[64];
};

static void pairs_init(struct pairs *pairs, u32 k)
{
	memset(pairs, 0, sizeof(*pairs));
	bins_init(&pairs->bins, k, 8, 1);
}

static void pairs_add(struct pairs *pairs, u32 a, u32 b)
{
	pairs->counts[bin_of(&pairs->bins, a) * pairs->bins.count +
		      bin_of(&pairs->bins, b)]++;
}

static bool pairs_are_independent(const struct pairs *pairs)
{
	u32 bins = pairs->bins.count;
	double probability[64];
	double tail;
	u32 i;

	for (i = 0; i < bins * bins; i++)
		probability[i] = pairs->bins.probability[i / bins] *
				 pairs->bins.probability[i % bins];
	return chi_square_fits(pairs->counts, probability, bins * bins, &tail);
}

/* The first gaps of two CPUs that are seeded one after the other. */
static bool streams_are_independent(const struct machine *machine)
{
	static struct pairs pairs[SCOUNTER_GAP_EXPONENT_MAX + 1];
	u64 seed = test_seed();
	bool passed = true;
	u32 cpu, i, k;

	for (k = 1; k <= SCOUNTER_GAP_EXPONENT_MAX; k++)
		pairs_init(&pairs[k], k);
	model_init(CPUS, 1);
	for (i = 0; i < 2 * STREAMS / CPUS; i++) {
		model_seed(machine, &seed);
		for (cpu = 0; cpu < CPUS; cpu += 2)
			for (k = 1; k <= SCOUNTER_GAP_EXPONENT_MAX; k++)
				pairs_add(&pairs[k], *model_left(cpu, k),
					  *model_left(cpu + 1, k));
	}
	model_init(1, 1);
	for (k = 1; k <= SCOUNTER_GAP_EXPONENT_MAX; k++)
		passed &= pairs_are_independent(&pairs[k]);
	return passed;
}

static bool test_streams(u32 which)
{
	struct machine machine = machine_kmod;

	if (!which) {
		describe("k = 1 to %u", SCOUNTER_GAP_EXPONENT_MAX);
		return streams_are_independent(&machine);
	}
	describe("catches the same seed for two CPUs");
	machine.seeded = broken_seed_same;
	return !streams_are_independent(&machine);
}

/* Each gap and the one after it, on one CPU. */
static bool gaps_are_independent(const struct machine *machine)
{
	u64 seed = test_seed();
	bool passed = true;
	struct rnd_state rnd;
	u32 i, k;

	seed_state(&rnd, &seed);
	for (k = 1; k <= SCOUNTER_GAP_EXPONENT_MAX; k++) {
		struct pairs pairs;

		pairs_init(&pairs, k);
		for (i = 0; i < STREAMS; i++) {
			u32 a = next_gap(machine, &rnd, k);

			pairs_add(&pairs, a, next_gap(machine, &rnd, k));
		}
		passed &= pairs_are_independent(&pairs);
	}
	return passed;
}

static bool test_successive(u32 which)
{
	struct machine machine = machine_kmod;

	if (!which) {
		describe("k = 1 to %u", SCOUNTER_GAP_EXPONENT_MAX);
		return gaps_are_independent(&machine);
	}
	describe("catches a success in each block");
	machine.gap = broken_gap_block;
	return !gaps_are_independent(&machine);
}

const struct test gap_tests[] = {
	{ "draw_gap is geometric", SCOUNTER_GAP_EXPONENT_MAX, test_gaps },
	{ "draw_gap test", 4, test_gaps_broken },
	{ "first gaps are geometric", 2, test_first_gaps },
	{ "first gaps of two CPUs are independent", 2, test_streams },
	{ "successive gaps are independent", 2, test_successive },
	{ }
};

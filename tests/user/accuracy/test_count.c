// SPDX-License-Identifier: GPL-2.0
/* Counters without contention: mean, variance, bounds. */
#include <linux/kernel.h>
#include <math.h>

#include "classes.h"
#include "exact.h"
#include "stats.h"
#include "suites.h"
#include "util.h"

/* Of the checkpoints: 10^4, 10^6, 10^8 events. */
#define CHECKED		3
#define CHECKED_AT(i)	(2 * (i))

#define MANTISSA_FULL	SCOUNTER_BFP_MANTISSA_MAX

static bool variance_is(const struct tally *tally, double exact)
{
	struct summary summary = summarize(&tally->error);

	return fabs(variance_z(&summary, exact)) <= Z_LIMIT;
}

static bool test_mean(u32 which)
{
	const struct runs *runs = class_runs(which / CHECKED, master_seed());
	u32 at = CHECKED_AT(which % CHECKED);
	const struct tally *tally = &runs->at[at];
	struct summary summary = summarize(&tally->error);

	describe("%s, n = %llu, %u runs", class_name(runs->error_ppm),
		 checkpoints[at], runs->count);
	comment("mean error %+.4f %% of n, %+.2f standard errors",
		100 * summary.mean / checkpoints[at], summary.mean_z);
	return tally_mean_is_right(tally);
}

static bool test_variance(u32 which)
{
	const struct runs *runs = class_runs(which / CHECKED, master_seed());
	u32 at = CHECKED_AT(which % CHECKED);
	const struct tally *tally = &runs->at[at];
	struct summary summary = summarize(&tally->error);
	double exact = exact_variance(runs->theta, checkpoints[at]);

	describe("%s, n = %llu, %u runs", class_name(runs->error_ppm),
		 checkpoints[at], runs->count);
	comment("RSD %.4f %%, exact %.4f %%; variance %+.2f of its standard errors",
		100 * sqrt(summary.variance) / checkpoints[at],
		100 * sqrt(exact) / checkpoints[at], variance_z(&summary, exact));
	if (exact)
		comment("fails if the variance is off by more than %.0f %%",
			100 * Z_LIMIT * summary.variance_error);
	return variance_is(tally, exact);
}

static bool test_inside(u32 which)
{
	const struct runs *runs = class_runs(which / CHECKED, master_seed());
	u32 at = CHECKED_AT(which % CHECKED);
	const struct tally *tally = &runs->at[at];

	describe("%s, n = %llu, %u runs", class_name(runs->error_ppm), checkpoints[at],
		 runs->count);
	comment("the truth was below in %llu, above in %llu", tally->below, tally->above);
	return tally_bounds_hold(tally);
}

/* In pieces of random size, about a thousand of them. */
static bool test_add(u32 which)
{
	u32 class = which / CHECKED;
	u64 n = checkpoints[CHECKED_AT(which % CHECKED)];
	struct tally tally = run_adds(&machine_kmod, DUP, classes[class], n,
				      4000, test_seed());
	struct summary summary = summarize(&tally.error);
	double bound = tally.bound / tally.error.count;

	describe("bfp_dup, %s, n = %llu: mean, variance at most the bound, bounds",
		 class_name(classes[class]), n);
	comment("mean %+.2f standard errors, RSD %.4f %%, bound %.4f %%, inside %.2f %%",
		summary.mean_z, 100 * sqrt(summary.variance) / n,
		100 * sqrt(bound) / n, 100 * tally_inside(&tally));
	return tally_mean_is_right(&tally) &&
	       summary.variance * (1 - Z_LIMIT * summary.variance_error) <= bound &&
	       tally_bounds_hold(&tally);
}

static bool test_add_large(u32 which)
{
	struct tally tally = run_adds(&machine_kmod, CSUP, classes[which],
				      10000000000ULL, 4000, test_seed());
	struct summary summary = summarize(&tally.error);

	describe("bfp_csup, %s, n = 10000000000: mean",
		 class_name(classes[which]));
	comment("mean %+.2f standard errors, RSD %.2g %%", summary.mean_z,
		100 * sqrt(summary.variance) / 1e10);
	return tally_mean_is_right(&tally) && summary.variance > 0;
}

/* Nothing is lost or rounded before the field is full. */
static bool csup_is_exact(const struct machine *machine, enum counted policy)
{
	u64 seed = test_seed();
	struct sim sim;
	u32 class, i, run;

	for (class = 0; class < CLASSES; class++) {
		sim_init(&sim, machine, policy, classes[class]);
		for (run = 0; run < 1000; run++) {
			model_seed(machine, &seed);
			sim_start(&sim, 0);
			for (i = 0; i < CHECKPOINTS; i++) {
				sim_add(&sim, run);
				sim_count(&sim, checkpoints[i] - sim.events);
				if (sim_error(&sim))
					return false;
			}
		}
	}
	return true;
}

static bool test_csup_exact(u32 which)
{
	describe(which ? "catches the policy of bfp_dup" :
		 "n = 10^4 to 10^8, all classes");
	return which ? !csup_is_exact(&machine_kmod, DUP) :
		       csup_is_exact(&machine_kmod, CSUP);
}

/* The last exact value, and the halving after it. */
static bool test_csup_full(u32 which)
{
	u64 seed = test_seed();
	struct sim sim;
	u32 class;

	(void)which;
	for (class = 0; class < CLASSES; class++) {
		sim_init(&sim, &machine_kmod, CSUP, classes[class]);
		model_seed(&machine_kmod, &seed);
		sim_start(&sim, MANTISSA_FULL - 1000);
		sim_count(&sim, 1000);
		if (sim_word(&sim) != MANTISSA_FULL)
			return false;
		sim_count(&sim, 1);
		if (sim_word(&sim) != scounter_bfp_word(1U << 27, 1) || sim_error(&sim))
			return false;
		/* Full again, at exponent 1. */
		sim_start(&sim, scounter_bfp_word(MANTISSA_FULL, 1));
		sim_count(&sim, 1 + *model_left(0, 1));
		if (sim_word(&sim) != scounter_bfp_word(1U << 27, 2))
			return false;
	}
	return true;
}

/* Beyond it: at exponent 1 each event adds a variance of 1. */
static bool csup_goes_on(const struct machine *machine, bool variance)
{
	enum { EVENTS = 20000, BEFORE = 1000, RUNS = 4000 };
	struct tally tally = { 0 };
	u64 seed = test_seed();
	struct sim sim;
	u32 run;

	sim_init(&sim, machine, CSUP, SCOUNTER_ERROR_PPM_DEFAULT);
	for (run = 0; run < RUNS; run++) {
		model_seed(machine, &seed);
		/* The mantissa holds one more before the next is halved. */
		sim_start(&sim, MANTISSA_FULL - BEFORE + 1);
		sim_count(&sim, EVENTS + BEFORE);
		tally_add(&tally, &sim);
	}
	return variance ? variance_is(&tally, EVENTS) : tally_mean_is_right(&tally);
}

static bool test_csup_beyond(u32 which)
{
	struct machine machine = machine_kmod;

	switch (which) {
	case 0:
		describe("mean");
		return csup_goes_on(&machine, false);
	case 1:
		describe("variance");
		return csup_goes_on(&machine, true);
	case 2:
		describe("the mean catches gaps that count the success");
		machine.gap = broken_gap_longer;
		return !csup_goes_on(&machine, false);
	default:
		describe("the variance catches gaps that are constant");
		machine.gap = broken_gap_constant;
		return !csup_goes_on(&machine, true);
	}
}

/*
 * From the first event to a million, alone or with a CPU that makes every other
 * update fail: the error is at most what was asked for, and not far
 * below.
 */
static bool approx_is_as_asked(enum counted policy, u32 asked, u32 error_ppm,
			       bool contended)
{
	enum { EVENTS = 1000000, RUNS = 1000 };
	double limit = asked / 1e6;
	struct rival rival = { .kind = RIVAL_INCREMENTS };
	struct tally tally = { 0 };
	struct summary summary;
	double events = 0;
	u64 seed = test_seed();
	struct sim sim;
	double rsd;
	u32 run;

	sim_init(&sim, &machine_kmod, policy, error_ppm);
	if (contended)
		sim_against(&sim, &rival);
	for (run = 0; run < RUNS; run++) {
		model_seed(&machine_kmod, &seed);
		seed_state(&rival.chance, &seed);
		sim_start(&sim, 0);
		sim_count(&sim, EVENTS);
		tally_add(&tally, &sim);
		events += sim.events / (double)RUNS;
	}
	summary = summarize(&tally.error);
	rsd = sqrt(summary.variance) / events;
	comment("RSD %.4f %%, at most %.4f %%; mean %+.2f standard errors", 100 * rsd,
		100 * limit, summary.mean_z);
	comment("inside %.2f %%", 100 * tally_inside(&tally));
	limit *= events;
	return tally_mean_is_right(&tally) && summary.variance > 0.36 * limit * limit &&
	       summary.variance * (1 - Z_LIMIT * summary.variance_error) <= limit * limit &&
	       tally_bounds_hold(&tally);
}

static bool test_approx_error(u32 which)
{
	u32 class = which / 2 % CLASSES;

	if (which < 2 * CLASSES) {
		describe("%s, %s", class_name(classes[class]),
			 which % 2 ? "contended" : "alone");
		return approx_is_as_asked(APPROX, classes[class], classes[class], which % 2);
	}
	describe(which % 2 ? "catches a counter that stays exact" :
		 "catches a class of twice the error");
	return which % 2 ? !approx_is_as_asked(CSUP, 10000, 10000, false) :
			   !approx_is_as_asked(APPROX, 10000, 20000, false);
}

/*
 * approx at the last exponent, two bits beyond its bound: each event adds a
 * variance of 2^17 - 1.  About 64 updates a run, so that it stays two bits.
 */
static bool approx_goes_on(const struct machine *machine, bool variance)
{
	enum { RUNS = 4000 };
	const u64 unit = 4ULL << SCOUNTER_BFP_EXPONENT_MAX;
	const u64 events = 64 * unit;
	struct tally tally = { 0 };
	u64 seed = test_seed();
	struct sim sim;
	u32 run;

	sim_init(&sim, machine, APPROX, SCOUNTER_ERROR_PPM_DEFAULT);
	for (run = 0; run < RUNS; run++) {
		model_seed(machine, &seed);
		sim_start(&sim, scounter_bfp_word(3U << sim.class.bound_log2,
						  SCOUNTER_BFP_EXPONENT_MAX));
		sim_count(&sim, events);
		tally_add(&tally, &sim);
	}
	return variance ? variance_is(&tally, (double)events * (unit - 1)) :
			  tally_mean_is_right(&tally);
}

static bool test_approx_beyond(u32 which)
{
	struct machine machine = machine_kmod;

	switch (which) {
	case 0:
		describe("mean");
		return approx_goes_on(&machine, false);
	case 1:
		describe("variance");
		return approx_goes_on(&machine, true);
	case 2:
		describe("the variance catches a counter that does not go on");
		machine.hooks.thin = broken_thin_never;
		return !approx_goes_on(&machine, true);
	default:
		describe("the mean catches a success that is not drawn again");
		machine.hooks.thin = broken_thin_always;
		return !approx_goes_on(&machine, false);
	}
}

/* Whether counters of a machine pass the tests of the mean and variance. */
static void examine_counters(const struct machine *machine, bool *mean,
			     bool *variance)
{
	enum { PPM = 50000, RUNS = 5000 };
	struct runs runs = run_counters(machine, PPM, RUNS, test_seed());
	u32 theta = scounter_bfp_theta(PPM);
	u32 i;

	*mean = *variance = true;
	for (i = 0; i < CHECKED; i++) {
		const struct tally *tally = &runs.at[CHECKED_AT(i)];
		struct summary summary = summarize(&tally->error);
		double exact = exact_variance(theta, checkpoints[CHECKED_AT(i)]);

		comment("n = %llu: mean %+.1f, variance %+.1f standard errors off",
			checkpoints[CHECKED_AT(i)],
			summary.mean_z, variance_z(&summary, exact));
		*mean &= tally_mean_is_right(tally);
		*variance &= variance_is(tally, exact);
	}
}

static bool test_broken(u32 which)
{
	struct machine machine = machine_kmod;
	bool mean, variance;

	switch (which) {
	case 0:
		describe("the mean catches gaps that start at 0");
		machine.seeded = broken_seed_zero_gaps;
		break;
	case 1:
		describe("the mean catches a success in each block");
		machine.gap = broken_gap_block;
		break;
	case 2:
		describe("the mean catches gaps that count the success");
		machine.gap = broken_gap_longer;
		break;
	case 3:
		describe("the variance catches gaps that are constant");
		machine.gap = broken_gap_constant;
		break;
	default:
		describe("the variance catches Theta a fifth too small");
		machine.theta = broken_theta;
	}
	examine_counters(&machine, &mean, &variance);
	return which < 3 ? !mean : !variance;
}

const struct test count_tests[] = {
	{ "mean of bfp_dup", CLASSES * CHECKED, test_mean },
	{ "variance of bfp_dup", CLASSES * CHECKED, test_variance },
	{ "bfp_dup within its bounds", CLASSES * CHECKED, test_inside },
	{ "tests of bfp_dup", 5, test_broken },
	{ "additions", CLASSES * CHECKED, test_add },
	{ "large additions", CLASSES, test_add_large },
	{ "bfp_csup is exact without contention", 2, test_csup_exact },
	{ "bfp_csup halves when its mantissa is full", 1, test_csup_full },
	{ "bfp_csup beyond a full mantissa", 4, test_csup_beyond },
	{ "approx from the first event on", 2 * CLASSES + 2, test_approx_error },
	{ "approx beyond its last exponent", 4, test_approx_beyond },
	{ }
};

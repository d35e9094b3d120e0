// SPDX-License-Identifier: GPL-2.0
/* Counters whose compare-and-swap fails: no count is lost or made. */
#include <linux/kernel.h>
#include <math.h>

#include "classes.h"
#include "stats.h"
#include "suites.h"
#include "util.h"
#include "value.h"

static const char *const rival_names[RIVAL_KINDS] = {
	[RIVAL_INCREMENTS]	= "increments",
	[RIVAL_GROWTH]		= "increments and growth",
	[RIVAL_RESET]		= "increments and resets",
	[RIVAL_ALL]		= "increments, growth and resets",
};

/* The class of 20 %. */
enum { CLASS = 3, RUNS = 20000 };

struct contended {
	struct tally tally;
	double failures;	/* of compare-and-swap, each run */
	double events;		/* each run */
	double exponent;	/* at the end */
	bool went_down;
};

/*
 * From exponent 4 on, so that much is decided by draws, four thousand
 * increments and twenty additions; what the rival adds comes on top.
 */
static struct contended run_contended(const struct machine *machine,
				      enum counted policy, enum rival_kind kind)
{
	struct contended result = { 0 };
	struct rival rival = { .kind = kind };
	u64 seed = test_seed();
	struct sim sim;
	u32 run, i;

	sim_init(&sim, machine, policy, classes[CLASS]);
	sim_against(&sim, &rival);
	for (run = 0; run < RUNS; run++) {
		u64 started;

		model_seed(machine, &seed);
		seed_state(&rival.chance, &seed);
		sim_start(&sim, scounter_bfp_word(sim.class.theta / 2, 4));
		started = sim.events;
		for (i = 0; i < 20; i++) {
			sim_count(&sim, 200);
			sim_add(&sim, 1 + next_seed(&seed) % 100);
		}
		tally_add(&result.tally, &sim);
		result.events += sim.events - started;
		result.exponent += scounter_bfp_exponent(sim_word(&sim));
	}
	result.failures = (double)sim.failures / RUNS;
	result.events /= RUNS;
	result.exponent /= RUNS;
	result.went_down = sim.went_down;
	return result;
}

static bool test_contended(u32 which)
{
	enum counted policy = which / RIVAL_KINDS;
	enum rival_kind kind = which % RIVAL_KINDS;
	struct contended result = run_contended(&machine_kmod, policy, kind);
	struct summary summary = summarize(&result.tally.error);

	describe("%s against %s: mean%s", counted_names[policy],
		 rival_names[kind],
		 kind < RIVAL_RESET ? ", bounds, never down" : "");
	comment("mean error %+.4f %% of n, %+.2f standard errors, last exponent %.1f",
		100 * summary.mean / result.events, summary.mean_z,
		result.exponent);
	comment("%.0f failures in %.0f events a run", result.failures,
		result.events);
	/* A contended test without contention is none. */
	if (result.failures < 5 || !tally_mean_is_right(&result.tally))
		return false;
	if (kind >= RIVAL_RESET)
		return true;
	comment("inside %.2f %%", 100 * tally_inside(&result.tally));
	return !result.went_down && tally_bounds_hold(&result.tally);
}

static bool test_contended_broken(u32 which)
{
	struct machine machine = machine_kmod;
	struct contended result;
	struct summary summary;

	if (which < 2) {
		describe("catches a draw anew after each failure: %s",
			 which ? "bfp_csup" : "bfp_dup");
		machine.hooks.retry = broken_retry_redraw;
		result = run_contended(&machine, which, RIVAL_INCREMENTS);
	} else {
		describe("catches a success that outlives the exponent: %s",
			 which % 2 ? "bfp_csup" : "bfp_dup");
		machine.hooks.retry = broken_retry_keep;
		result = run_contended(&machine, which % 2, RIVAL_GROWTH);
	}
	summary = summarize(&result.tally.error);
	comment("mean %+.1f standard errors off", summary.mean_z);
	return !tally_mean_is_right(&result.tally);
}

/*
 * A trial at 2^-k has succeeded, and meanwhile the unit has become 2 or 4 times as large:
 * in the mean 2^k events are added, whether the word has room for one more unit or not.
 */
static bool test_outgrown(u32 which)
{
	enum counted counted = which / 2;
	struct scounter_value_rule rule = value_rule(counted, classes[CLASS]);
	u32 k = 6, later = k + 1 + which % 2, run;
	struct moments error = { 0 };
	struct summary summary;
	u64 seed = test_seed(), word;
	struct sim sim;

	describe("%s: %u times as large", counted_names[counted], 1 << (later - k));
	sim_init(&sim, &machine_kmod, counted, classes[CLASS]);
	model_seed(&machine_kmod, &seed);
	word = counted < POLICIES ? scounter_bfp_word(sim.class.theta / 2, later) :
				    (3ULL << (rule.shift + later - 2)) - rule.a;
	for (run = 0; run < 5 * RUNS; run++) {
		u32 outcome = k << SCOUNTER_OUTCOME_BITS | SCOUNTER_SUCCESS;

		sim_start(&sim, word);
		if (counted < POLICIES)
			__scounter_word32_finish(&sim.word32, &sim.class, outcome);
		else
			__scounter_word64_finish(&sim.word64, &sim.class, outcome);
		moments_add(&error, sim_error(&sim) - (1 << k));
	}
	summary = summarize(&error);
	comment("mean %+.2f standard errors", summary.mean_z);
	return summary.variance && fabs(summary.mean_z) <= Z_LIMIT;
}

const struct test contention_tests[] = {
	{ "contention", POLICIES * RIVAL_KINDS, test_contended },
	{ "a success in an outgrown unit", 2 * COUNTED, test_outgrown },
	{ "contention test", 4, test_contended_broken },
	{ }
};

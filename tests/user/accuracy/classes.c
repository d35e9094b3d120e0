// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>

#include "classes.h"
#include "util.h"

const u32 classes[CLASSES] = { 5000, 10000, 50000, 200000 };
const u64 checkpoints[CHECKPOINTS] = {
	10000, 100000, 1000000, 10000000, 100000000,
};

/* Coarse counters draw less, so that more of them take the same time. */
static const u32 class_run_count[CLASSES] = { 2000, 4000, 20000, 40000 };

const char *class_name(u32 error_ppm)
{
	static char texts[4][16];
	static u32 next;
	char *text = texts[next++ % 4];

	snprintf(text, sizeof(texts[0]), "%g %%", error_ppm / 1e4);
	return text;
}

void tally_add(struct tally *tally, const struct sim *sim)
{
	struct scounter_estimate estimate = sim_estimate(sim);

	moments_add(&tally->error, sim_error(sim));
	tally->bound += scounter_bfp_variance(sim_word(sim));
	tally->below += sim->events < estimate.lower;
	tally->above += sim->events > estimate.upper;
}

double tally_inside(const struct tally *tally)
{
	return 1 - (tally->below + tally->above) / tally->error.count;
}

bool tally_mean_is_right(const struct tally *tally)
{
	struct summary summary = summarize(&tally->error);

	return fabs(summary.mean_z) <= MEAN_LIMIT;
}

static bool is_seldom(u64 misses, double count)
{
	return misses <= STATED_MISSES * count ||
	       binomial_tail(misses, count, STATED_MISSES) >= TAIL_LIMIT;
}

bool tally_bounds_hold(const struct tally *tally)
{
	return is_seldom(tally->below, tally->error.count) &&
	       is_seldom(tally->above, tally->error.count);
}

struct runs run_counters(const struct machine *machine, u32 error_ppm,
			 u32 count, u64 seed)
{
	struct runs runs = { .error_ppm = error_ppm, .count = count };
	struct sim sim;
	u32 run, i;

	sim_init(&sim, machine, DUP, error_ppm);
	runs.theta = sim.class.theta;
	for (run = 0; run < count; run++) {
		model_seed(machine, &seed);
		sim_start(&sim, 0);
		for (i = 0; i < CHECKPOINTS; i++) {
			sim_count(&sim, checkpoints[i] - sim.events);
			tally_add(&runs.at[i], &sim);
		}
		progress(class_name(error_ppm), run, count);
	}
	return runs;
}

const struct runs *class_runs(u32 which, u64 master)
{
	static struct runs runs[CLASSES];

	if (!runs[which].count)
		runs[which] = run_counters(&machine_kmod, classes[which],
					   class_run_count[which],
					   derive_seed(master, "class", which));
	return &runs[which];
}

struct tally run_adds(const struct machine *machine, enum counted counted,
		      u32 error_ppm, u64 n, u32 count, u64 seed)
{
	struct tally tally = { 0 };
	struct sim sim;
	u32 run;

	sim_init(&sim, machine, counted, error_ppm);
	for (run = 0; run < count; run++) {
		model_seed(machine, &seed);
		sim_start(&sim, 0);
		while (sim.events < n) {
			u64 piece = 1 + next_seed(&seed) % (n / 500);

			sim_add(&sim, min(piece, n - sim.events));
		}
		tally_add(&tally, &sim);
	}
	return tally;
}

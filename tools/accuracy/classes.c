// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>

#include "classes.h"
#include "util.h"

const u32 classes[CLASSES] = { 5000, 10000, 50000, 200000 };
const u64 checkpoints[CHECKPOINTS] = {
	10000, 100000, 1000000, 10000000, 100000000,
};

const double class_inside[CLASSES] = { 0.997, 0.997, 0.996, 0.978 };

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
	struct bounds bounds = sim_bounds(sim);

	moments_add(&tally->error, sim_error(sim));
	tally->bound += scounter_bfp_variance(sim->word);
	if (bounds.lower <= sim->events && sim->events <= bounds.upper)
		tally->inside++;
}

double tally_inside(const struct tally *tally)
{
	return tally->inside / tally->error.count;
}

bool tally_mean_is_right(const struct tally *tally)
{
	struct summary summary = summarize(&tally->error);

	return fabs(summary.mean_z) <= MEAN_LIMIT;
}

bool tally_inside_is(const struct tally *tally, double least)
{
	return tally_inside(tally) >= least ||
	       binomial_tail(tally->inside, tally->error.count, least) >=
			TAIL_LIMIT;
}

struct runs run_counters(const struct machine *machine, u32 error_ppm,
			 u32 count, u64 seed)
{
	struct runs runs = { .error_ppm = error_ppm, .count = count };
	struct sim_cpu cpu;
	struct sim sim;
	u32 run, i;

	sim_init(&sim, machine, DUP, error_ppm);
	runs.theta = sim.policy.theta;
	for (run = 0; run < count; run++) {
		u64 run_seed = next_seed(&seed);

		machine->seed(&cpu, &run_seed);
		sim_start(&sim, 0);
		for (i = 0; i < CHECKPOINTS; i++) {
			sim_count(&sim, &cpu, checkpoints[i] - sim.events);
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

struct tally run_adds(const struct machine *machine, enum policy policy,
		      u32 error_ppm, u64 n, u32 count, u64 seed)
{
	struct tally tally = { 0 };
	struct sim_cpu cpu;
	struct sim sim;
	u32 run;

	sim_init(&sim, machine, policy, error_ppm);
	for (run = 0; run < count; run++) {
		u64 run_seed = next_seed(&seed);

		machine->seed(&cpu, &run_seed);
		sim_start(&sim, 0);
		while (sim.events < n) {
			u64 piece = 1 + next_seed(&run_seed) % (n / 500);

			sim_add(&sim, &cpu, min(piece, n - sim.events));
		}
		tally_add(&tally, &sim);
	}
	return tally;
}

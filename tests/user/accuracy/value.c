// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>

#include "classes.h"
#include "util.h"
#include "value.h"

const char *const value_names[VALUE_KINDS] = {
	[MORRIS]		= "morris",
	[SCALABLE]		= "scalable",
	[SCALABLE_CAPPED]	= "scalable, at most 2^10 at once",
};

const struct value_machine value_machine_kmod = {
	.unit	= scounter_value_unit,
	.thin	= scounter_value_thin,
};

/* Adds a little more than what the probability is the inverse of. */
u64 broken_thin_rounds_up(u64 n, u64 unit, struct rnd_state *rnd)
{
	n = scounter_value_thin(n, unit, rnd);
	return n == unit && unit > 1 ? n + n / 32 + 1 : n;
}

/* The power of two below the unit decides alone. */
u64 broken_thin_accepts(u64 n, u64 unit, struct rnd_state *rnd)
{
	(void)rnd;
	return max(n, unit);
}

/* Decides once more whether the event counts. */
u64 broken_retry_draws_anew(u64 n, u64 unit, struct rnd_state *rnd)
{
	(void)n;
	return scounter_value_thin(1, unit, rnd);
}

struct scounter_value_rule value_rule(enum value_kind kind, u32 error_ppm)
{
	struct scounter_value_rule rule = { .cap = 63, .max = ~0ULL };

	if (kind == MORRIS) {
		rule.a = scounter_morris_a(error_ppm);
		rule.shift = fls64(rule.a - 1) + 1;
		rule.max = ~0ULL >> 1;
	} else {
		rule.shift = scounter_threshold_log2(error_ppm);
	}
	if (kind == SCALABLE_CAPPED)
		rule.cap = CAP;
	return rule;
}

void value_start(struct value_sim *sim, u64 value)
{
	sim->value = value;
	sim->events = value;
}

/* What another CPU does before a store: whether the word is still that one. */
static bool interfered(struct value_sim *sim)
{
	struct sim_cpu *rival = sim->rival;
	u64 before = sim->value;

	if (!rival || prandom_u32_state(&rival->rnd) % 2)
		return false;
	sim->rival = NULL;
	/* Mostly increments, now and then enough to double the unit. */
	if (prandom_u32_state(&rival->rnd) % 16)
		value_count(sim, rival, scounter_value_unit(before, &sim->rule));
	else
		value_add(sim, rival, before / 2 + 1);
	sim->rival = rival;
	return sim->value != before;
}

/* value_apply() */
static void value_apply(struct value_sim *sim, struct sim_cpu *cpu, u64 n)
{
	const struct value_machine *machine = sim->machine;
	u64 seen;

	for (;;) {
		seen = sim->value;
		n = machine->thin(n, machine->unit(seen, &sim->rule), &cpu->rnd);
		if (!n)
			return;
		if (!interfered(sim))
			break;
		if (machine->retry)
			n = machine->retry(n, machine->unit(sim->value, &sim->rule),
					   &cpu->rnd);
	}
	sim->value = scounter_value_sum(seen, n, &sim->rule);
}

/* How many increments of 1 there are before the first trial. */
static u64 plain_left(const struct value_sim *sim)
{
	u64 limit = (1ULL << sim->rule.shift) - sim->rule.a;

	return sim->value < limit ? limit - sim->value : 0;
}

void value_count(struct value_sim *sim, struct sim_cpu *cpu, u64 events)
{
	sim->events += events;
	while (events) {
		u64 plain = min(plain_left(sim), events);
		u32 exponent;
		u32 *left;

		if (plain) {
			sim->value += plain;
			events -= plain;
			continue;
		}
		exponent = scounter_value_exponent(sim->value, &sim->rule);
		left = &cpu->left[exponent];
		if (events <= *left) {
			*left -= events;
			return;
		}
		events -= *left + 1;
		*left = scounter_draw_gap(&cpu->rnd, exponent);
		value_apply(sim, cpu, 1ULL << exponent);
	}
}

void value_add(struct value_sim *sim, struct sim_cpu *cpu, u64 n)
{
	sim->events += n;
	if (n)
		value_apply(sim, cpu, n);
}

double value_variance_bound(const struct scounter_value_rule *rule, u64 n)
{
	if (rule->a)
		return (double)n * (n - 1) / (2.0 * rule->a);
	return (double)n * (scounter_value_unit(2 * n, rule) - 1);
}

double value_limit(const struct scounter_value_rule *rule)
{
	if (rule->a)
		return 1 / sqrt(2.0 * rule->a);
	return sqrt(3 / (4 * ldexp(1, rule->shift) - 3));
}

/*
 * The states are the values that increments alone can reach; from each, the next
 * comes with probability 1 / unit.  Var(n + 1) - Var(n) = E[unit] - 1, as for bfp.
 */
double value_exact_variance(const struct scounter_value_rule *rule, u64 n)
{
	u64 states = 0, value, first = 0, end = 1, step, i;
	double *probability, *unit;
	double variance = 0;

	for (value = 0; value < 4 * n; value += scounter_value_unit(value, rule))
		states++;
	probability = allocate(states + 2, sizeof(double));
	unit = allocate(states + 2, sizeof(double));
	for (i = value = 0; i <= states; i++) {
		unit[i] = scounter_value_unit(value, rule);
		value += unit[i];
	}
	probability[0] = 1;
	for (step = 0; step < n; step++) {
		double arriving = 0;

		if (end <= states)
			probability[end++] = 0;
		for (i = first; i < end; i++) {
			double leaving = probability[i] / unit[i];

			variance += probability[i] * (unit[i] - 1);
			probability[i] += arriving - leaving;
			arriving = leaving;
		}
		while (probability[first] < 1e-18)
			first++;
		while (probability[end - 1] < 1e-18)
			end--;
	}
	free(probability);
	free(unit);
	return variance;
}

struct value_runs value_run(const struct value_machine *machine,
			    enum value_kind kind, u32 error_ppm, u32 count,
			    const u64 *at, u32 points, u64 seed)
{
	struct value_runs runs = {
		.kind = kind,
		.rule = value_rule(kind, error_ppm),
		.error_ppm = error_ppm,
		.count = count,
		.points = points,
		.at = at,
	};
	struct value_sim sim = { .machine = machine, .rule = runs.rule };
	struct sim_cpu cpu;
	u32 run, i;

	for (run = 0; run < count; run++) {
		double off = 0;

		machine_seed(&cpu, &seed);
		value_start(&sim, 0);
		for (i = 0; i < points; i++) {
			value_count(&sim, &cpu, at[i] - sim.events);
			off = (double)sim.value - at[i];
			moments_add(&runs.error[i], off);
		}
		runs.above_2 += fabs(off) > 0.02 * at[points - 1];
		runs.above_3 += fabs(off) > 0.03 * at[points - 1];
		progress(value_names[kind], run, count);
	}
	return runs;
}

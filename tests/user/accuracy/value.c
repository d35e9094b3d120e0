// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>

#include "classes.h"
#include "util.h"
#include "value.h"

/* What the value of a class is measured by, from the papers. */
struct scounter_value_rule value_rule(enum counted counted, u32 error_ppm)
{
	struct scounter_value_rule rule = { .cap = 63, .max = ~0ULL };

	if (counted == MORRIS) {
		rule.a = scounter_morris_a(error_ppm);
		rule.shift = fls64(rule.a - 1) + 1;
		rule.max = ~0ULL >> 1;
	} else {
		rule.shift = scounter_threshold_log2(error_ppm);
	}
	if (counted == CAPPED)
		rule.cap = CAP;
	return rule;
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

struct value_runs value_run(enum counted counted, u32 error_ppm, u32 count,
			    const u64 *at, u32 points, u64 seed)
{
	struct value_runs runs = {
		.counted = counted,
		.rule = value_rule(counted, error_ppm),
		.error_ppm = error_ppm,
		.count = count,
		.points = points,
		.at = at,
	};
	struct sim sim;
	u32 run, i;

	sim_init(&sim, &machine_kmod, counted, error_ppm);
	for (run = 0; run < count; run++) {
		double off = 0;

		model_seed(&machine_kmod, &seed);
		sim_start(&sim, 0);
		for (i = 0; i < points; i++) {
			sim_count(&sim, at[i] - sim.events);
			off = sim_error(&sim);
			moments_add(&runs.error[i], off);
		}
		runs.above_2 += fabs(off) > 0.02 * at[points - 1];
		runs.above_3 += fabs(off) > 0.03 * at[points - 1];
		progress(counted_names[counted], run, count);
	}
	return runs;
}

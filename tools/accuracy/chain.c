// SPDX-License-Identifier: GPL-2.0
/*
 * The Markov chain of a bfp_dup counter, stepped one increment at a time: slow
 * and plain, to check the closed form in exact.c.
 */
#include <stdlib.h>
#include <string.h>
#include <uapi/linux/scounter.h>

#include "exact.h"
#include "util.h"

/*
 * Theta changes at exponent 0, M = Theta / 2 at every other but the last, which
 * the word never leaves.
 */
u32 chain_exponent(u32 theta, u64 state)
{
	u64 exponent = state < theta ? 0 : 1 + (state - theta) / (theta / 2);

	return exponent < SCOUNTER_BFP_EXPONENT_MAX ? exponent :
						      SCOUNTER_BFP_EXPONENT_MAX;
}

u64 chain_value(u32 theta, u64 state)
{
	u32 exponent = chain_exponent(theta, state);

	if (!exponent)
		return state;
	/* The mantissa was M when this exponent began. */
	return (state - theta / 2 * (u64)exponent) << exponent;
}

void chain_init(struct chain *chain, u32 theta, u64 events_max, double trim)
{
	u64 states = 1, state;

	/* Values far above the number of events are too improbable to matter. */
	while (states < events_max && chain_value(theta, states) < 64 * events_max)
		states++;
	if (!trim)
		states = events_max;

	*chain = (struct chain) {
		.theta = theta,
		.end = 1,
		.states = states,
		.trim = trim,
		.probability = allocate(states + 1, sizeof(double)),
		.success = allocate(states + 1, sizeof(double)),
		.spread = allocate(states + 1, sizeof(double)),
	};
	chain->probability[0] = 1;
	for (state = 0; state <= states; state++) {
		double unit = 1 << chain_exponent(theta, state);

		chain->success[state] = 1 / unit;
		chain->spread[state] = unit - 1;
	}
}

void chain_step(struct chain *chain)
{
	double *p = chain->probability;
	double spread = 0, arriving = 0;
	u64 i;

	if (chain->end <= chain->states)
		p[chain->end++] = 0;
	for (i = chain->first; i < chain->end; i++) {
		double leaving = p[i] * chain->success[i];

		spread += p[i] * chain->spread[i];
		p[i] += arriving - leaving;
		arriving = leaving;
	}
	chain->variance += spread;

	while (p[chain->first] <= chain->trim)
		chain->dropped += p[chain->first++];
	while (p[chain->end - 1] <= chain->trim)
		chain->dropped += p[--chain->end];
	chain->events++;
}

void chain_free(struct chain *chain)
{
	free(chain->probability);
	free(chain->success);
	free(chain->spread);
}

double chain_mean(const struct chain *chain)
{
	double mean = 0;
	u64 i;

	for (i = chain->first; i < chain->end; i++)
		mean += chain->probability[i] * chain_value(chain->theta, i);
	return mean;
}

double chain_direct_variance(const struct chain *chain)
{
	double variance = 0;
	u64 i;

	for (i = chain->first; i < chain->end; i++) {
		double off = (double)chain_value(chain->theta, i) - chain->events;

		variance += chain->probability[i] * off * off;
	}
	return variance;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The Markov chain of a bfp counter that nobody contends for, stepped one increment
 * at a time: slow and plain, to check the closed form in exact.c.
 */
#include <math.h>
#include <stdlib.h>
#include <uapi/linux/scounter.h>

#include "exact.h"
#include "util.h"

struct halving halving_of_dup(u32 theta)
{
	return (struct halving) { .bound = theta };
}

struct halving halving_of_approx(u32 theta)
{
	struct halving halving = { .bound = 1, .early = 2 / 3. };

	while (halving.bound < theta)
		halving.bound *= 2;
	return halving;
}

struct chain_state chain_next(struct halving halving, struct chain_state state)
{
	u32 e = state.exponent;
	double half = halving.bound * (1 - ldexp(halving.early, -e)) / 2;

	if (halving.theta)
		half = fmin(half, halving.theta / 2);
	state.value += 1ULL << e;
	if (e < SCOUNTER_BFP_EXPONENT_MAX && state.value >> e == 2 * ceil(half))
		state.exponent++;
	return state;
}

void chain_init(struct chain *chain, struct halving halving, u64 events_max, double trim)
{
	struct chain_state state = { 0 };
	u64 states = 1, i;

	/* Values far above the number of events are too improbable to matter. */
	while (states < events_max && (!trim || state.value < 64 * events_max)) {
		state = chain_next(halving, state);
		states++;
	}

	*chain = (struct chain) {
		.state = allocate(states + 1, sizeof(struct chain_state)),
		.end = 1,
		.states = states,
		.trim = trim,
		.probability = allocate(states + 1, sizeof(double)),
		.success = allocate(states + 1, sizeof(double)),
		.spread = allocate(states + 1, sizeof(double)),
	};
	chain->probability[0] = 1;
	state = (struct chain_state) { 0 };
	for (i = 0; i <= states; i++, state = chain_next(halving, state)) {
		double unit = 1 << state.exponent;

		chain->state[i] = state;
		chain->success[i] = 1 / unit;
		chain->spread[i] = unit - 1;
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
	free(chain->state);
	free(chain->probability);
	free(chain->success);
	free(chain->spread);
}

double chain_mean(const struct chain *chain)
{
	double mean = 0;
	u64 i;

	for (i = chain->first; i < chain->end; i++)
		mean += chain->probability[i] * chain->state[i].value;
	return mean;
}

double chain_direct_variance(const struct chain *chain)
{
	double variance = 0;
	u64 i;

	for (i = chain->first; i < chain->end; i++) {
		double off = (double)chain->state[i].value - chain->events;

		variance += chain->probability[i] * off * off;
	}
	return variance;
}

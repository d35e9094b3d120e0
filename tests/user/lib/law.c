// SPDX-License-Identifier: GPL-2.0
/*
 * With P = 1 + B for one increment, h of them are the sum of C(h, k) B^k.  B takes
 * at most twice the largest probability q of leaving a state; with h q <= 1 the
 * terms fall as 2^k / k!.
 */
#include <linux/kernel.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "law.h"
#include "util.h"

/* States that are less probable are left out, and terms that are smaller. */
#define TRIM	1e-16
#define LEAST	1e-14
#define TERMS	22		/* 2^22 / 22! is less than that */

void law_init(struct law *law, const double *unit, u64 states)
{
	u64 i;

	*law = (struct law) {
		.states = states,
		.chance = allocate(states, sizeof(double)),
		.mass = allocate(states, sizeof(double)),
		.term = allocate(states, sizeof(double)),
		.leaving = allocate(states, sizeof(double)),
	};
	for (i = 0; i + 1 < states; i++)
		law->chance[i] = 1 / unit[i];
	law_start(law, 0);
}

void law_free(struct law *law)
{
	free(law->chance);
	free(law->mass);
	free(law->term);
	free(law->leaving);
}

void law_start(struct law *law, u64 state)
{
	memset(law->mass, 0, law->states * sizeof(double));
	law->mass[state] = 1;
	law->first = state;
	law->end = state + 1;
	law->events = 0;
}

/* term = factor * B term */
static void next_term(struct law *law, double factor)
{
	double *restrict term = law->term, *restrict leaving = law->leaving;
	u64 i;

	for (i = law->first; i < law->end; i++)
		leaving[i] = term[i] * law->chance[i];
	term[law->first] = -factor * leaving[law->first];
	for (i = law->first + 1; i < law->end; i++)
		term[i] = factor * (leaving[i - 1] - leaving[i]);
}

static void trim(struct law *law)
{
	while (law->end - law->first > 1 && law->mass[law->first] < TRIM)
		law->mass[law->first++] = 0;
	while (law->end - law->first > 1 && law->mass[law->end - 1] < TRIM)
		law->mass[--law->end] = 0;
}

static void many(struct law *law, u64 increments)
{
	u64 room = law->states - law->end, k, i;
	double most = 1;

	/* B^k reaches k states further. */
	law->end += min(room, (u64)TERMS);
	memcpy(law->term + law->first, law->mass + law->first,
	       (law->end - law->first) * sizeof(double));
	for (k = 1; k <= increments && most > LEAST; k++) {
		next_term(law, (increments - k + 1.) / k);
		for (i = law->first; i < law->end; i++)
			law->mass[i] += law->term[i];
		most *= 2. / k;
	}
	law->events += increments;
	trim(law);
}

void law_count(struct law *law, u64 events)
{
	while (law->events < events) {
		/* The unit of the first state is the least. */
		u64 most = (u64)fmin(1 / law->chance[law->first], 1e18);

		many(law, min(most, events - law->events));
	}
}

struct misses law_misses(const struct law *law, const u64 *lower, const u64 *upper)
{
	struct misses misses = { 0 };
	u64 i;

	for (i = law->first; i < law->end; i++) {
		if (lower[i] > law->events)
			misses.lower += law->mass[i];
		if (upper[i] < law->events)
			misses.upper += law->mass[i];
	}
	return misses;
}

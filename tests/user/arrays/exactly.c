// SPDX-License-Identifier: GPL-2.0
/*
 * "Exact" is a claim: all states that a count can be in, by any increments, additions
 * and merges, and what is said of each.  No run, and nothing left to chance.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distribution.h"
#include "util.h"

#define EPSILON		1e-9

/* The sum is a state's but for what double precision leaves. */
static bool is_near(double a, double b)
{
	return fabs(a - b) <= EPSILON * (1 + b);
}

struct reach {
	struct distribution d;
	u32 states;		/* looked at: with so few events there are no others */
	u32 last;		/* number of events */
	bool *can;		/* [events][state] */
	struct array *cell, *group, *copies;
	u64 claims;		/* states that are said to be exact */
};

static bool *states_of(const struct reach *reach, u32 events)
{
	return reach->can + (size_t)events * reach->states;
}

static void arrive(const struct reach *reach, bool *can, double sum)
{
	u32 low = 0, high = reach->states;

	while (high - low > 1) {
		u32 middle = (low + high) / 2;

		if (reach->d.f[middle] <= sum || is_near(sum, reach->d.f[middle]))
			low = middle;
		else
			high = middle;
	}
	can[low] = true;
	if (!is_near(sum, reach->d.f[low]) && low + 1 < reach->states)
		can[low + 1] = true;
}

static void by_an_increment(const struct reach *reach, u32 events)
{
	const bool *before = states_of(reach, events - 1);
	bool *can = states_of(reach, events);
	u32 i;

	for (i = 0; i < reach->states; i++) {
		double chance = reach->d.law.chance[i];

		if (!before[i])
			continue;
		if (chance)
			arrive(reach, can, reach->d.f[i] + 1 / chance);
		can[i] |= chance < 1;
	}
}

static void by_an_addition(const struct reach *reach, u32 events, u32 n)
{
	const bool *before = states_of(reach, events - n);
	u32 i;

	for (i = 0; i < reach->states; i++)
		if (before[i])
			arrive(reach, states_of(reach, events), reach->d.f[i] + n);
}

static void by_a_merge(const struct reach *reach, u32 events, u32 n)
{
	const bool *a = states_of(reach, events - n), *b = states_of(reach, n);
	u32 i, j;

	for (i = 0; i < reach->states; i++)
		for (j = 0; a[i] && j < reach->states; j++)
			if (b[j])
				arrive(reach, states_of(reach, events),
				       reach->d.f[i] + reach->d.f[j]);
}

/* All pairs of states can be looked at. */
static bool is_small(const struct reach *reach)
{
	return reach->last <= 200;
}

/* All ways to come to so many events; of large counters, some. */
static void fill(const struct reach *reach)
{
	u32 events, n;

	states_of(reach, 0)[0] = true;
	for (events = 1; events <= reach->last; events++) {
		by_an_increment(reach, events);
		for (n = 1; n <= events; n++) {
			if (!is_small(reach) && n > 2 && n != events && n != events / 2)
				continue;
			by_an_addition(reach, events, n);
			if (is_small(reach) || events % 64 == 0)
				by_a_merge(reach, events, n);
		}
	}
}

/* Whether what is said to be exact is that count, and so are both bounds. */
static bool is_honest(struct reach *reach, struct array *probe, u32 events)
{
	struct scounter_array_estimate estimate = probe_estimate(probe);

	if (estimate.error_ppm)
		return true;
	reach->claims++;
	return estimate.value == events && estimate.lower == events && estimate.upper == events;
}

static bool cell_is_honest(struct reach *reach, u32 events, u32 i)
{
	probe_set(reach->cell, 0, 0, reach->d.x[i]);
	return is_honest(reach, reach->cell, events);
}

/* Two cells of a group, each with all the events. */
static bool group_is_honest(struct reach *reach, u32 events, u32 i)
{
	const bool *can = states_of(reach, events);
	bool honest = true;
	u32 j;

	probe_set(reach->group, 0, 0, reach->d.x[i]);
	for (j = 0; honest && j < reach->states; j++) {
		if (!can[j])
			continue;
		probe_set(reach->group, 0, 1, reach->d.x[j]);
		honest = is_honest(reach, reach->group, events);
	}
	return honest;
}

/* Two copies, the other with n of the events. */
static bool copies_are_honest(struct reach *reach, u32 events, u32 i, u32 n)
{
	const bool *can = states_of(reach, n);
	bool honest = true;
	u32 j;

	probe_set(reach->copies, 0, 0, reach->d.x[i]);
	for (j = 0; honest && j < reach->states; j++) {
		if (!can[j])
			continue;
		probe_set(reach->copies, 1, 0, reach->d.x[j]);
		honest = is_honest(reach, reach->copies, events + n);
	}
	return honest;
}

static bool all_are_honest(struct reach *reach, u32 events)
{
	const bool *can = states_of(reach, events);
	u32 i, n;

	for (i = 0; i < reach->states; i++) {
		if (!can[i])
			continue;
		if (!cell_is_honest(reach, events, i))
			return false;
		if (!is_small(reach))
			continue;
		if (!group_is_honest(reach, events, i))
			return false;
		for (n = 0; n <= events; n += 1 + events / 8)
			if (!copies_are_honest(reach, events, i, n))
				return false;
	}
	return true;
}

/* What is counted one by one is said to be so: below @exact all is. */
static void test_exactly(const struct scounter_repr *repr, u32 exact)
{
	struct reach reach = { .last = max(3 * exact, 12U) };
	u32 events = 0, known = 0;
	u64 before;
	bool honest = true;

	distribution_init(&reach.d, repr);
	reach.states = repr->top + 1;
	if (repr->type.kind != SCOUNTER_REPR_DLM_PROBABILITY)
		reach.states = min((u64)reach.last + 2, reach.d.law.states);
	reach.can = allocate((size_t)(reach.last + 1) * reach.states, sizeof(bool));
	reach.cell = probe_create(&repr->type, 1, 1);
	reach.group = probe_create(&repr->type, 2, 1);
	reach.copies = probe_create(&repr->type, 1, 2);
	fill(&reach);
	while (honest && events < reach.last) {
		before = reach.claims;
		honest = all_are_honest(&reach, ++events);
		known += reach.claims > before;
	}
	ok(honest && known >= exact - 1, "what is exact of %s: n to %u, so it is of %u of these%s",
	   type_name(&repr->type), events, known, honest ? "" : ", and wrong of the last");
	array_free(reach.cell);
	array_free(reach.group);
	array_free(reach.copies);
	free(reach.can);
	distribution_free(&reach.d);
}

void test_exact(u64 seed)
{
	static const struct {
		u32 kind, bits, q_ppm, m, theta, exact;
	} types[] = {
		{ SCOUNTER_REPR_MORRIS, 8, 1080000, 1, 0, 1 },
		{ SCOUNTER_REPR_MORRIS, 16, 1000500, 1, 0, 1 },
		{ SCOUNTER_REPR_MORRIS, 4, 2000000, 1, 0, 1 },
		{ SCOUNTER_REPR_MORRIS2, 4, 0, 0, 0, 1 },
		{ SCOUNTER_REPR_MORRIS2, 8, 0, 0, 0, 1 },
		{ SCOUNTER_REPR_CSUROS2, 5, 0, 2, 0, 2 },
		{ SCOUNTER_REPR_CSUROS2, 8, 0, 16, 0, 16 },
		{ SCOUNTER_REPR_CSUROS2, 10, 0, 64, 0, 64 },
		{ SCOUNTER_REPR_CSUROS, 8, 1200000, 8, 0, 8 },
		{ SCOUNTER_REPR_CSUROS, 10, 1500000, 12, 0, 12 },
		{ SCOUNTER_REPR_CSUROS, 16, 1600000, 2048, 0, 2048 },
		{ SCOUNTER_REPR_DLM_FLOAT, 6, 0, 4, 2, 2 },
		{ SCOUNTER_REPR_DLM_FLOAT, 8, 0, 16, 0, 16 },
		{ SCOUNTER_REPR_DLM_FLOAT, 8, 0, 16, 10, 10 },
		{ SCOUNTER_REPR_DLM_PROBABILITY, 8, 1100000, 1, 0, 1 },
		{ SCOUNTER_REPR_DLM_PROBABILITY, 8, 1003000, 1, 0, 1 },
	};
	u32 i;

	(void)seed;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		test_exactly(repr_of(types[i].kind, types[i].bits, types[i].q_ppm, types[i].m,
				     types[i].theta), types[i].exact);
}

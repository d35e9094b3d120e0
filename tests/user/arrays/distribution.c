// SPDX-License-Identifier: GPL-2.0
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distribution.h"
#include "internal.h"
#include "util.h"

/* States that are less probable are left out. */
#define TRIM	1e-16

void distribution_init(struct distribution *d, const struct scounter_repr *repr)
{
	double *unit = allocate(repr->top + 1, sizeof(double));
	u32 states = 0, x = 0;

	d->repr = repr;
	d->x = allocate(repr->top + 1, sizeof(u32));
	d->f = allocate(repr->top + 1, sizeof(double));
	for (;; x = scounter_repr_tau(repr, x)) {
		d->x[states] = x;
		d->f[states] = f_of(repr, x);
		if (x == repr->top)
			break;
		unit[states++] = real_of(scounter_repr_worth(repr, x));
	}
	law_init(&d->law, unit, states + 1);
	free(unit);
}

void distribution_free(struct distribution *d)
{
	law_free(&d->law);
	free(d->x);
	free(d->f);
}

/*
 * One of the two states beside the sum (Steele & Tristan 2017, section 3).  @from is
 * a state that is not above it, and becomes the last one.
 */
static void arrive(const struct distribution *d, double *mass, double sum, double p, u64 *from)
{
	double up = 0;

	while (*from + 1 < d->law.states && d->f[*from + 1] <= sum * (1 + 1e-14))
		++*from;
	if (*from + 1 < d->law.states) {
		up = fmax(sum - d->f[*from], 0) / (d->f[*from + 1] - d->f[*from]);
		mass[*from + 1] += p * up;
	}
	mass[*from] += p * (1 - up);
}

/* @mass is freed. */
static void become(struct distribution *d, double *mass, u64 events)
{
	struct law *law = &d->law;

	memcpy(law->mass, mass, law->states * sizeof(double));
	free(mass);
	law->events = events;
	for (law->first = 0; law->mass[law->first] < TRIM; law->first++)
		law->mass[law->first] = 0;
	for (law->end = law->states; law->mass[law->end - 1] < TRIM; law->end--)
		law->mass[law->end - 1] = 0;
}

void distribution_add(struct distribution *d, u64 n)
{
	double *mass = allocate(d->law.states, sizeof(double));
	u64 from = d->law.first, i;

	for (i = d->law.first; i < d->law.end; i++)
		arrive(d, mass, d->f[i] + n, d->law.mass[i], &from);
	become(d, mass, d->law.events + n);
}

void distribution_merge(struct distribution *d, const struct distribution *other)
{
	double *mass = allocate(d->law.states, sizeof(double));
	u64 from, i, j;

	for (i = d->law.first; i < d->law.end; i++)
		for (j = other->law.first, from = i; j < other->law.end; j++)
			arrive(d, mass, d->f[i] + other->f[j], d->law.mass[i] * other->law.mass[j],
			       &from);
	become(d, mass, d->law.events + other->law.events);
}

/* A success of a DLM probability counter is rounded as an addition is. */
static void step(struct distribution *d)
{
	double *mass = allocate(d->law.states, sizeof(double));
	u64 from = 0, i;

	for (i = d->law.first; i < d->law.end; i++) {
		double p = d->law.mass[i], chance = d->law.chance[i];

		mass[i] += p * (1 - chance);
		if (chance)
			arrive(d, mass, d->f[i] + 1 / chance, p * chance, &from);
	}
	become(d, mass, d->law.events + 1);
}

void distribution_count(struct distribution *d, u64 events)
{
	if (d->repr->type.kind != SCOUNTER_REPR_DLM_PROBABILITY) {
		law_count(&d->law, events);
		return;
	}
	while (d->law.events < events)
		step(d);
}

struct array *probe_create(const struct scounter_array_type *type, u32 group, u32 copies)
{
	struct scounter_array_type grouped = *type;
	struct array *probe;

	grouped.group = group;
	if (array_create_copies(&probe, &grouped, 1, copies))
		errx(1, "%s", array_error());
	return probe;
}

void probe_set(struct array *probe, u32 copy, u32 cell, u32 x)
{
	u32 bit, bits = probe->cells.repr.type.bits;
	u64 position = scounter_cells_find(&probe->cells, cell, &bit);
	u64 *word = &probe->words[copy * probe->cells.words + position];

	*word &= ~(((1ULL << bits) - 1) << bit);
	*word |= (u64)x << bit;
}

struct scounter_array_estimate probe_estimate(struct array *probe)
{
	struct scounter_array_estimate estimate;

	if (array_estimate(probe, 0, &estimate))
		errx(1, "%s", array_error());
	return estimate;
}

struct bounds bounds_of(const struct distribution *d, u32 mixed_ppm, u64 unit, u32 roundings)
{
	struct array *probe = probe_create(&d->repr->type, 1, 1);
	struct bounds bounds = {
		.lower = allocate(d->law.states, sizeof(u64)),
		.upper = allocate(d->law.states, sizeof(u64)),
	};
	u64 i;

	probe->mixed_ppm = mixed_ppm;
	probe->unit = unit;
	probe->roundings = roundings;
	for (i = 0; i < d->law.states; i++) {
		struct scounter_array_estimate estimate;

		probe_set(probe, 0, 0, d->x[i]);
		estimate = probe_estimate(probe);
		bounds.lower[i] = estimate.lower;
		bounds.upper[i] = estimate.upper;
	}
	array_free(probe);
	return bounds;
}

void bounds_free(struct bounds *bounds)
{
	free(bounds->lower);
	free(bounds->upper);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * How often the truth is outside of the bounds of a read, from exact distributions:
 * after increments, additions and merges, alone, in groups and in copies.
 */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distribution.h"
#include "util.h"

#define LAST_EVENTS	1000000000ULL
#define DECADES		9

/* Cells together that are less probable than that are left out. */
#define LEAST_MASS	1e-10

/* Near normal: misses at least half of what is stated, beyond 64 mu. */
#define FINE		true

static const struct spec {
	u32 kind, bits, q_ppm, m, theta;
	bool fine;
} specs[] = {
	{ SCOUNTER_REPR_MORRIS, 8, 1080000, 1, 0, !FINE },
	{ SCOUNTER_REPR_MORRIS, 8, 1100000, 1, 0, !FINE },
	{ SCOUNTER_REPR_MORRIS, 8, 1180000, 1, 0, !FINE },
	{ SCOUNTER_REPR_MORRIS, 6, 2000000, 1, 0, !FINE },
	{ SCOUNTER_REPR_MORRIS, 10, 1030000, 1, 0, !FINE },
	{ SCOUNTER_REPR_MORRIS, 12, 1009000, 1, 0, FINE },
	{ SCOUNTER_REPR_MORRIS, 16, 1000500, 1, 0, FINE },
	{ SCOUNTER_REPR_MORRIS2, 4, 0, 0, 0, !FINE },
	{ SCOUNTER_REPR_MORRIS2, 6, 0, 0, 0, !FINE },
	{ SCOUNTER_REPR_CSUROS2, 6, 0, 2, 0, !FINE },
	{ SCOUNTER_REPR_CSUROS2, 7, 0, 4, 0, !FINE },
	{ SCOUNTER_REPR_CSUROS2, 8, 0, 16, 0, !FINE },
	{ SCOUNTER_REPR_CSUROS2, 12, 0, 128, 0, FINE },
	{ SCOUNTER_REPR_CSUROS2, 16, 0, 1024, 0, FINE },
	{ SCOUNTER_REPR_CSUROS, 8, 1200000, 8, 0, !FINE },
	{ SCOUNTER_REPR_CSUROS, 8, 1400000, 4, 0, !FINE },
	{ SCOUNTER_REPR_CSUROS, 12, 1400000, 64, 0, FINE },
	{ SCOUNTER_REPR_CSUROS, 16, 1600000, 2048, 0, FINE },
	{ SCOUNTER_REPR_DLM_FLOAT, 6, 0, 4, 2, !FINE },
	{ SCOUNTER_REPR_DLM_FLOAT, 8, 0, 16, 0, !FINE },
	{ SCOUNTER_REPR_DLM_FLOAT, 8, 0, 16, 10, !FINE },
	{ SCOUNTER_REPR_DLM_FLOAT, 12, 0, 256, 100, FINE },
	{ SCOUNTER_REPR_DLM_PROBABILITY, 8, 1100000, 1, 0, !FINE },
	{ SCOUNTER_REPR_DLM_PROBABILITY, 8, 1003000, 1, 0, !FINE },
	{ SCOUNTER_REPR_DLM_PROBABILITY, 10, 1300000, 1, 0, !FINE },
	{ SCOUNTER_REPR_DLM_PROBABILITY, 4, 1003000, 1, 0, !FINE },
	{ SCOUNTER_REPR_DLM_PROBABILITY, 6, 1003000, 1, 0, !FINE },
	/* The first state is 0.79, 0.8, 0.8 and 0.3 of an event. */
	{ SCOUNTER_REPR_DLM_PROBABILITY, 7, 1010000, 1, 0, !FINE },
	{ SCOUNTER_REPR_DLM_PROBABILITY, 8, 1004902, 1, 0, !FINE },
	{ SCOUNTER_REPR_DLM_PROBABILITY, 10, 1001222, 1, 0, !FINE },
	{ SCOUNTER_REPR_DLM_PROBABILITY, 10, 1003258, 1, 0, !FINE },
	{ SCOUNTER_REPR_DLM_PROBABILITY, 4, 1080000, 1, 0, !FINE },
};

#define SPECS	(sizeof(specs) / sizeof(specs[0]))

static const struct scounter_repr *repr_for(const struct spec *spec)
{
	return repr_of(spec->kind, spec->bits, spec->q_ppm, spec->m, spec->theta);
}

/* The largest shares of misses. */
struct worst {
	struct misses all, far;
	struct misses decade[DECADES];
	u64 lower_at, upper_at;
};

static void meet(struct misses *worst, struct misses misses)
{
	worst->lower = fmax(worst->lower, misses.lower);
	worst->upper = fmax(worst->upper, misses.upper);
}

static void note(struct worst *worst, u64 n, struct misses misses)
{
	u64 power = 10;
	u32 decade = 0;

	for (; power < n && decade < DECADES - 1; power *= 10)
		decade++;
	if (misses.lower > worst->all.lower)
		worst->lower_at = n;
	if (misses.upper > worst->all.upper)
		worst->upper_at = n;
	meet(&worst->all, misses);
	meet(&worst->decade[decade], misses);
}

static bool seldom_enough(const struct worst *worst)
{
	return worst->all.lower <= STATED_MISSES && worst->all.upper <= STATED_MISSES;
}

static bool often_enough(const struct worst *worst)
{
	return worst->far.lower >= STATED_MISSES / 2 && worst->far.upper >= STATED_MISSES / 2;
}

static void report(const struct worst *worst)
{
	comment("of the stated misses, below %.3f (n = %llu), above %.3f (n = %llu); far %.3f, %.3f",
		worst->all.lower / STATED_MISSES, worst->lower_at,
		worst->all.upper / STATED_MISSES, worst->upper_at,
		worst->far.lower / STATED_MISSES, worst->far.upper / STATED_MISSES);
}

/* Each number of events at first, then so many in each doubling. */
static u64 next_after(u64 events, u32 each)
{
	return events < 4 * each ? events + 1 : (u64)ceil(events * exp2(1.0 / each));
}

/* The recurrence of the DLM probability counter is slow, and its range is short. */
static u64 last_of(const struct distribution *d)
{
	if (d->repr->type.kind != SCOUNTER_REPR_DLM_PROBABILITY)
		return LAST_EVENTS;
	return 3000;
}

static void stretch(const struct distribution *d, struct bounds *bounds, u32 thirds)
{
	u64 i;

	for (i = 0; i < d->law.states; i++) {
		double lower = d->f[i] - (d->f[i] - bounds->lower[i]) * thirds / 3;
		double upper = d->f[i] + (bounds->upper[i] - d->f[i]) * thirds / 3;

		bounds->lower[i] = lower > 0 ? (u64)floor(lower) : 0;
		if (upper < 0x1p64)
			bounds->upper[i] = (u64)ceil(upper);
	}
}

static struct worst by_increments(const struct spec *spec, u32 thirds, u32 each)
{
	struct distribution d;
	struct worst worst = { 0 };
	struct bounds bounds;
	double mu;
	u64 n;

	distribution_init(&d, repr_for(spec));
	bounds = bounds_of(&d, 0, 0, 0);
	if (thirds != 3)
		stretch(&d, &bounds, thirds);
	mu = 0.5 / xi_of(d.repr);
	for (n = 1; n <= last_of(&d); n = next_after(n, each)) {
		struct misses misses;

		distribution_count(&d, n);
		misses = law_misses(&d.law, bounds.lower, bounds.upper);
		note(&worst, n, misses);
		if (n > 64 * mu)
			meet(&worst.far, misses);
	}
	bounds_free(&bounds);
	distribution_free(&d);
	return worst;
}

static void test_increments(void)
{
	u32 i;

	for (i = 0; i < SPECS; i++) {
		struct worst worst = by_increments(&specs[i], 3, 16);

		report(&worst);
		ok(seldom_enough(&worst) && (!specs[i].fine || often_enough(&worst)),
		   "bounds of %s by increments", type_name(&repr_for(&specs[i])->type));
	}
}

static void test_stretched(void)
{
	static const struct spec spec = { SCOUNTER_REPR_CSUROS, 12, 1400000, 64, 0, FINE };
	struct worst worst = by_increments(&spec, 2, 16);

	report(&worst);
	ok(worst.all.lower > STATED_MISSES && worst.all.upper > STATED_MISSES,
	   "bounds of two standard deviations are noticed");
	worst = by_increments(&spec, 4, 16);
	report(&worst);
	ok(worst.far.lower < STATED_MISSES / 2 && worst.far.upper < STATED_MISSES / 2,
	   "bounds of four standard deviations are noticed");
}

/* In pieces of random size, up to a few steps of the counter or a part of the count. */
static void test_additions(u64 seed)
{
	u32 i, run, piece;

	for (i = 0; i < SPECS; i++) {
		struct worst worst = { 0 };
		struct distribution d;
		struct bounds bounds;

		distribution_init(&d, repr_for(&specs[i]));
		bounds = bounds_of(&d, 0, 0, 0);
		for (run = 0; run < 8; run++) {
			law_start(&d.law, 0);
			for (piece = 0; piece < 40; piece++) {
				u64 most = 1 + (d.law.events >> next_seed(&seed) % 8);

				distribution_add(&d, 1 + next_seed(&seed) % most);
				note(&worst, d.law.events,
				     law_misses(&d.law, bounds.lower, bounds.upper));
			}
		}
		report(&worst);
		ok(seldom_enough(&worst), "bounds of %s by additions",
		   type_name(&d.repr->type));
		bounds_free(&bounds);
		distribution_free(&d);
	}
}

/* Coarse enough for all pairs of states. */
static bool merges_quickly(const struct spec *spec)
{
	return spec->bits <= 12;
}

/* Two counters of n and of a share of that, and the sum of eight. */
static struct worst by_merges(const struct scounter_repr *repr, const struct scounter_repr *from,
			      u32 mixed_ppm, u64 unit)
{
	struct worst worst = { 0 };
	struct distribution d, other;
	struct bounds bounds;
	u64 n;
	u32 share, i;

	distribution_init(&d, repr);
	distribution_init(&other, from);
	bounds = bounds_of(&d, mixed_ppm, unit, 1);
	for (n = 1; n < 3000; n = next_after(n, 3))
		for (share = 1; share <= n && share <= 64; share *= 4) {
			law_start(&d.law, 0);
			law_start(&other.law, 0);
			distribution_count(&d, mixed_ppm ? 0 : n);
			distribution_count(&other, n / share);
			for (i = 0; i < (share == 1 ? 8 : 1); i++) {
				distribution_merge(&d, &other);
				note(&worst, d.law.events,
				     law_misses(&d.law, bounds.lower, bounds.upper));
			}
		}
	bounds_free(&bounds);
	distribution_free(&other);
	distribution_free(&d);
	return worst;
}

/* What a cell in a state of one type, of an array with that from others, brings to another. */
static u32 brought_ppm(const struct scounter_repr *from, u32 x, u32 mixed_ppm,
		       const struct scounter_repr *into)
{
	const struct scounter_cell_total cell = {
		.sum.rest = scounter_repr_f(from, x), .xi = scounter_repr_xi(from, x),
		.sampling = true,
	};

	return scounter_brought_ppm(&cell, from == into, mixed_ppm, into);
}

/* And what the array brings. */
static u64 type_unit(const struct scounter_repr *from, const struct scounter_repr *into)
{
	const struct scounter_known known = { .copies = 1 };

	return scounter_brought_unit(from, &known, false, into);
}

static void test_merges(void)
{
	static const struct spec mixed[][2] = {
		{ { SCOUNTER_REPR_MORRIS, 8, 1080000, 1, 0, 0 }, { SCOUNTER_REPR_MORRIS2, 6, 0, 0, 0, 0 } },
		{ { SCOUNTER_REPR_CSUROS2, 12, 0, 128, 0, 0 }, { SCOUNTER_REPR_MORRIS, 8, 1180000, 1, 0, 0 } },
		{ { SCOUNTER_REPR_MORRIS, 8, 1180000, 1, 0, 0 }, { SCOUNTER_REPR_CSUROS2, 8, 0, 16, 0, 0 } },
		{ { SCOUNTER_REPR_CSUROS2, 8, 0, 16, 0, 0 },
		  { SCOUNTER_REPR_DLM_PROBABILITY, 8, 1100000, 1, 0, 0 } },
		/* A first step of more than one event. */
		{ { SCOUNTER_REPR_MORRIS, 8, 1080000, 1, 0, 0 },
		  { SCOUNTER_REPR_DLM_PROBABILITY, 4, 1003000, 1, 0, 0 } },
		{ { SCOUNTER_REPR_MORRIS, 8, 1080000, 1, 0, 0 },
		  { SCOUNTER_REPR_DLM_PROBABILITY, 8, 1003000, 1, 0, 0 } },
		{ { SCOUNTER_REPR_MORRIS2, 6, 0, 0, 0, 0 },
		  { SCOUNTER_REPR_DLM_PROBABILITY, 8, 1003000, 1, 0, 0 } },
		{ { SCOUNTER_REPR_CSUROS2, 12, 0, 128, 0, 0 },
		  { SCOUNTER_REPR_DLM_PROBABILITY, 4, 1003000, 1, 0, 0 } },
	};
	u32 i;

	for (i = 0; i < SPECS; i++) {
		const struct scounter_repr *repr = repr_for(&specs[i]);
		struct worst worst;

		if (!merges_quickly(&specs[i]))
			continue;
		worst = by_merges(repr, repr, 0, 0);
		report(&worst);
		ok(seldom_enough(&worst), "bounds of %s by merges", type_name(&repr->type));
	}
	for (i = 0; i < sizeof(mixed) / sizeof(mixed[0]); i++) {
		const struct scounter_repr *repr = repr_for(&mixed[i][0]);
		const struct scounter_repr *from = repr_for(&mixed[i][1]);
		struct worst worst = by_merges(repr, from, brought_ppm(from, from->top, 0, repr), type_unit(from, repr));

		report(&worst);
		ok(seldom_enough(&worst), "bounds of %s, merged from %s", type_name(&repr->type),
		   type_name(&from->type));
	}
}

static double relative_variance(const struct distribution *d)
{
	double n = d->law.events, sum = 0;
	u64 i;

	for (i = d->law.first; i < d->law.end; i++)
		sum += d->law.mass[i] * (d->f[i] - n) * (d->f[i] - n);
	return sum / n / n;
}

static u32 state_below(const struct scounter_repr *repr, u64 n)
{
	return scounter_real_less(scounter_real(n), repr->most) ?
	       scounter_repr_phi(repr, scounter_real(n)) : repr->top;
}

/* Of a thousand cells, one is in it or above. */
static u32 high_state(const struct distribution *d)
{
	double mass = 0;
	u64 i = d->law.end;

	while (i > d->law.first + 1 && mass + d->law.mass[i - 1] < 1e-3)
		mass += d->law.mass[--i];
	return d->x[i - 1];
}

/* What is said of a cell of about n, and with it of the sum of one of that type and others. */
static double said_variance(const struct distribution *d, u32 mixed_ppm, u64 unit, u32 roundings)
{
	struct array *probe = probe_create(&d->repr->type, 1, 1);
	struct scounter_array_estimate estimate;

	probe->mixed_ppm = mixed_ppm;
	probe->unit = unit;
	probe->roundings = roundings;
	probe_set(probe, 0, 0, state_below(d->repr, d->law.events));
	estimate = probe_estimate(probe);
	array_free(probe);
	return estimate.error_ppm * 1e-12 * estimate.error_ppm;
}

enum { HOPS = 8 };

/* The part of what is said that the variance is, when n events go from one to the other. */
static double chain_of(const struct scounter_repr *a, const struct scounter_repr *b, u64 n,
		       double *bound_misses)
{
	struct distribution d[2];
	double worst = 0;
	u32 hop, mixed_ppm = 0;
	u64 unit = 0;

	distribution_init(&d[0], a);
	distribution_init(&d[1], b);
	distribution_count(&d[0], n);
	for (hop = 0; hop < HOPS; hop++) {
		struct distribution *from = &d[hop % 2], *to = &d[(hop + 1) % 2];
		struct scounter_known known = { .copies = 1, .unit = unit };
		struct bounds bounds;
		struct misses misses;

		mixed_ppm = brought_ppm(from->repr, high_state(from), mixed_ppm, to->repr);
		unit = scounter_brought_unit(from->repr, &known, false, to->repr);
		law_start(&to->law, 0);
		distribution_merge(to, from);
		/* What is rounded has a variance of 1 / 4 besides. */
		worst = fmax(worst, (relative_variance(to) - 0.25 / n / n) /
				    said_variance(to, mixed_ppm, unit, hop + 1));
		bounds = bounds_of(to, mixed_ppm, unit, hop + 1);
		misses = law_misses(&to->law, bounds.lower, bounds.upper);
		*bound_misses = fmax(*bound_misses, fmax(misses.lower, misses.upper));
		bounds_free(&bounds);
	}
	distribution_free(&d[0]);
	distribution_free(&d[1]);
	return worst;
}

/* From one type to another and back, and so on: each rounds what the other has rounded. */
static void test_chains(void)
{
	static const struct spec chained[] = {
		{ SCOUNTER_REPR_MORRIS, 8, 1500000, 1, 0, 0 },
		{ SCOUNTER_REPR_MORRIS, 8, 1490000, 1, 0, 0 },
		{ SCOUNTER_REPR_MORRIS, 8, 1990000, 1, 0, 0 },
		{ SCOUNTER_REPR_MORRIS, 8, 1080000, 1, 0, 0 },
		{ SCOUNTER_REPR_MORRIS2, 6, 0, 0, 0, 0 },
		{ SCOUNTER_REPR_CSUROS2, 8, 0, 2, 0, 0 },
		{ SCOUNTER_REPR_CSUROS2, 8, 0, 16, 0, 0 },
		{ SCOUNTER_REPR_CSUROS, 8, 1900000, 3, 0, 0 },
		{ SCOUNTER_REPR_DLM_FLOAT, 8, 0, 4, 2, 0 },
		{ SCOUNTER_REPR_DLM_PROBABILITY, 10, 1300000, 1, 0, 0 },
		{ SCOUNTER_REPR_DLM_PROBABILITY, 4, 1003000, 1, 0, 0 },
	};
	enum { CHAINED = sizeof(chained) / sizeof(chained[0]) };
	u32 i, j;
	u64 n;

	for (i = 0; i < CHAINED; i++) {
		const struct scounter_repr *a = repr_for(&chained[i]), *b;
		double variance = 0, misses = 0;

		for (j = 0; j < CHAINED; j++) {
			b = repr_for(&chained[j]);
			for (n = 1; i != j && n < 1500; n = next_after(n, 2)) {
				double v=chain_of(a, b, n, &misses);
				variance = fmax(variance, v);
			}
		}
		ok(variance <= 1 && misses <= STATED_MISSES,
		   "chains of merges from %s: variance %.3f of what is said, misses %.3f of them",
		   type_name(&a->type), variance, misses / STATED_MISSES);
	}
}

/* Cells that are enumerated: of a group, and of copies with a part of the events each. */
struct together {
	struct array *probe;
	const struct distribution *of;	/* by copy */
	u32 group, copies;
	u64 events;
	struct misses misses;
};

static void enumerate(struct together *all, u32 copy, u32 cell, u64 least, u32 repeated, double p)
{
	const struct law *law = &all->of[copy].law;
	u64 i;

	if (p < LEAST_MASS)
		return;
	if (copy == all->copies) {
		struct scounter_array_estimate estimate = probe_estimate(all->probe);

		if (estimate.lower > all->events)
			all->misses.lower += p;
		if (estimate.upper < all->events)
			all->misses.upper += p;
		return;
	}
	/* The cells of a group in the order of their states, as often as they permute. */
	for (i = max(least, law->first); i < law->end; i++) {
		u32 same = cell && i == least ? repeated + 1 : 1;
		bool last = cell + 1 == all->group;

		probe_set(all->probe, copy, cell, all->of[copy].x[i]);
		enumerate(all, last ? copy + 1 : copy, last ? 0 : cell + 1, last ? 0 : i, same,
			  p * law->mass[i] * (cell + 1) / same);
	}
}

static struct misses misses_together(struct together *all)
{
	all->misses = (struct misses){ 0 };
	enumerate(all, 0, 0, 0, 0, 1);
	return all->misses;
}

static void test_one_group(const struct spec *spec, u32 group, u32 each, u64 last)
{
	const struct scounter_repr *repr = repr_for(spec);
	struct worst worst = { 0 };
	struct distribution d[2];
	struct together all = { .of = d, .group = group, .copies = 1 };

	distribution_init(&d[0], repr);
	all.probe = probe_create(&repr->type, group, 1);
	for (all.events = 1; all.events <= last; all.events = next_after(all.events, each)) {
		distribution_count(&d[0], all.events);
		note(&worst, all.events, misses_together(&all));
	}
	report(&worst);
	ok(seldom_enough(&worst) && worst.all.lower > STATED_MISSES / 40 &&
	   worst.all.upper > STATED_MISSES / 40, "bounds of %s in a group of %u",
	   type_name(&repr->type), group);
	array_free(all.probe);
	distribution_free(&d[0]);
}

static void test_groups(void)
{
	static const struct {
		struct spec spec;
		u32 group, each;
		u64 last;
	} groups[] = {
		{ { SCOUNTER_REPR_MORRIS2, 6, 0, 0, 0, 0 }, 2, 16, 100000 },
		{ { SCOUNTER_REPR_MORRIS2, 6, 0, 0, 0, 0 }, 5, 8, 3000 },
		{ { SCOUNTER_REPR_MORRIS2, 6, 0, 0, 0, 0 }, 9, 1, 100 },
		{ { SCOUNTER_REPR_CSUROS2, 6, 0, 2, 0, 0 }, 3, 8, 3000 },
		{ { SCOUNTER_REPR_CSUROS2, 8, 0, 16, 0, 0 }, 2, 4, 3000 },
		{ { SCOUNTER_REPR_MORRIS, 8, 1180000, 1, 0, 0 }, 3, 2, 1000 },
		{ { SCOUNTER_REPR_MORRIS, 8, 1080000, 1, 0, 0 }, 2, 4, 1000 },
		{ { SCOUNTER_REPR_DLM_FLOAT, 8, 0, 16, 10, 0 }, 3, 4, 1000 },
		{ { SCOUNTER_REPR_DLM_PROBABILITY, 8, 1300000, 1, 0, 0 }, 2, 2, 100 },
	};
	u32 i;

	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		test_one_group(&groups[i].spec, groups[i].group, groups[i].each,
			       groups[i].last);
}

/* The last copy has a share of the events of each other one. */
static void test_copy(const struct spec *spec, u32 copies, u32 share, u64 last)
{
	const struct scounter_repr *repr = repr_for(spec);
	struct worst worst = { 0 };
	struct distribution d[4];
	struct together all = { .of = d, .group = 1, .copies = copies };
	u64 n;
	u32 i;

	for (i = 0; i < copies; i++)
		distribution_init(&d[i], repr);
	all.probe = probe_create(&repr->type, 1, copies);
	for (n = 1; n <= last; n = next_after(n, 8)) {
		all.events = 0;
		for (i = 0; i < copies; i++) {
			u64 part = i + 1 < copies ? n : n / share;

			distribution_count(&d[i], part);
			all.events += part;
		}
		note(&worst, all.events, misses_together(&all));
	}
	report(&worst);
	ok(seldom_enough(&worst), "bounds of %s in %u copies, one with 1 / %u of the events",
	   type_name(&repr->type), copies, share);
	array_free(all.probe);
	for (i = 0; i < copies; i++)
		distribution_free(&d[i]);
}

static void test_copies(void)
{
	static const struct spec coarse[] = {
		{ SCOUNTER_REPR_MORRIS2, 6, 0, 0, 0, 0 },
		{ SCOUNTER_REPR_CSUROS2, 7, 0, 4, 0, 0 },
		{ SCOUNTER_REPR_MORRIS, 8, 1180000, 1, 0, 0 },
	};
	u32 i, share;

	for (i = 0; i < sizeof(coarse) / sizeof(coarse[0]); i++) {
		for (share = 1; share <= 64; share *= 4)
			test_copy(&coarse[i], 2, share, 3000);
		test_copy(&coarse[i], 3, 1, i ? 100 : 1000);
	}
}

/*
 * One probability for all: a cell has counted a binomial number of events, and the sum
 * of a group's as if it were one.  The word may be behind the array's level.
 */
static void test_shared_level(u32 level, bool behind, u32 group)
{
	const struct scounter_array_type type = {
		.kind = SCOUNTER_REPR_SHARED, .bits = 8, .q_ppm = SCOUNTER_REPR_Q_PPM_MAX, .m = 1,
	};
	enum { STATES = 250 };
	struct array *probe = probe_create(&type, group, 1);
	u64 lower[STATES], upper[STATES], n;
	double unit[STATES], last = ldexp(STATES / 2, level) / group;
	struct worst worst = { 0 };
	struct law law;
	u32 i, cell;

	probe->level = level;
	for (i = 0; i < STATES; i++) {
		struct scounter_array_estimate estimate;

		/* Behind, it is worth less, and only 0 can be looked at. */
		probe->words[0] = behind ? 0 : (u64)level << SCOUNTER_SHARED_LEVEL_SHIFT;
		for (cell = 0; cell < group; cell++)
			probe_set(probe, 0, cell, (i + cell) / group);
		estimate = probe_estimate(probe);
		lower[i] = behind && i ? 0 : estimate.lower;
		upper[i] = behind && i ? U64_MAX : estimate.upper;
		unit[i] = ldexp(1, level);
	}
	law_init(&law, unit, STATES);
	for (n = 1; n < last; n = next_after(n, 16)) {
		struct misses misses;

		law_count(&law, n * group);
		law.events = n;
		misses = law_misses(&law, lower, upper);
		law.events = n * group;
		note(&worst, n, misses);
	}
	report(&worst);
	ok(seldom_enough(&worst) && (!level || worst.all.upper > STATED_MISSES / 20),
	   "bounds of a shared level 2^-%u, groups of %u%s", level, group,
	   behind ? ", in a word that is behind" : "");
	law_free(&law);
	array_free(probe);
}

/*
 * One event of a sample at 2^-60, in cells of 16 bits, whose level ends at 48: as few
 * events as 0.00135 * 2^60, and as many as 8.9 * 2^60, are not too improbable.
 */
static void test_shared_beyond(u64 seed)
{
	struct array *wide = new_array(SCOUNTER_REPR_SHARED, 16, 0, 1, 1, seed);
	struct array *narrow = new_array(SCOUNTER_REPR_SHARED, 4, 0, 1, 1, seed);
	struct scounter_array_estimate estimate;

	narrow->words[0] = 60ULL << SCOUNTER_SHARED_LEVEL_SHIFT | 1;
	narrow->level = 60;
	if (array_merge(wide, narrow))
		errx(1, "%s", array_error());
	estimate = probe_estimate(wide);
	ok(estimate.value == 1ULL << 60 && estimate.lower < 0.00135 * 0x1p60 &&
	   estimate.upper > 8.9 * 0x1p60,
	   "bounds of a level that the word cannot tell: %llu to %llu", estimate.lower,
	   estimate.upper);
	array_free(wide);
	array_free(narrow);
}

static void test_shared(void)
{
	static const u32 levels[] = { 0, 1, 2, 5, 10, 20 };
	u32 i;

	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		test_shared_level(levels[i], false, 1);
		test_shared_level(levels[i], false, 3);
		if (levels[i])
			test_shared_level(levels[i], true, 1);
	}
}

void test_cover(u64 seed)
{
	test_increments();
	test_stretched();
	test_additions(seed);
	test_merges();
	test_chains();
	test_groups();
	test_copies();
	test_shared();
	test_shared_beyond(seed);
}

int print_cover(void)
{
	u32 i, decade;

	printf("# how often in a million cases the truth is below lower, and above upper, at the\n"
	       "# n of each decade where it is most often; 1350 is stated\n%-34s", "# n at most");
	for (decade = 0; decade < DECADES; decade++)
		printf("       10^%u", decade + 1);
	putchar('\n');
	for (i = 0; i < SPECS; i++) {
		struct worst worst = by_increments(&specs[i], 3, 64);

		printf("%-34s", type_name(&repr_for(&specs[i])->type));
		for (decade = 0; decade < DECADES; decade++)
			printf("  %4.0f %4.0f", 1e6 * worst.decade[decade].lower,
			       1e6 * worst.decade[decade].upper);
		putchar('\n');
	}
	return 0;
}

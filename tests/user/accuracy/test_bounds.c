// SPDX-License-Identifier: GPL-2.0
/*
 * The bounds of words, from exact distributions: each side misses the truth as often
 * as stated at most, and, where the law is near normal, not much more seldom.
 */
#include <linux/kernel.h>
#include <math.h>
#include <stdlib.h>

#include "classes.h"
#include "cover.h"
#include "exact.h"
#include "suites.h"
#include "util.h"

/* Coarse classes well beyond the last exponent; the finer one as far as a second goes. */
static const u64 counted_to[CLASSES] = { 300000, 1500000, 100000000, 100000000 };

#define EQUAL_IN_DOUBLE	1e-9

/* What was seen over all numbers of events. */
struct seen {
	double lower, upper;	/* the largest share of misses */
	u64 lower_at, upper_at;
	double far_lower, far_upper;	/* beyond 64 times what is counted exactly */
	double error, far_error;	/* RSD over error_ppm: the largest */
	bool exact;		/* where the error is 0, all three are the count; no bound
				 * is below what is certain
				 */
	bool whole;		/* the distribution has mass 1 and mean n */
};

static void see_error(const struct cover *cover, bool far, struct seen *seen)
{
	const struct law *law = &cover->law;
	double mass = 0, mean = 0, square = 0, stated = 0, n = law->events, ratio;
	u64 i;

	for (i = law->first; i < law->end; i++) {
		double off = cover->value[i] - n;

		mass += law->mass[i];
		mean += law->mass[i] * off;
		square += law->mass[i] * off * off;
		stated += law->mass[i] * cover->error_ppm[i] / 1e6;
		seen->exact &= cover->lower[i] >= cover->certain;
		if (!cover->error_ppm[i] && law->mass[i] > EQUAL_IN_DOUBLE)
			seen->exact &= cover->value[i] == law->events &&
				       cover->lower[i] == law->events &&
				       cover->upper[i] == law->events;
	}
	ratio = square > EQUAL_IN_DOUBLE ? sqrt(square) / n / stated : 0;
	seen->whole &= fabs(mass - 1) < EQUAL_IN_DOUBLE && fabs(mean) < EQUAL_IN_DOUBLE * n;
	seen->error = fmax(seen->error, ratio);
	if (far)
		seen->far_error = fmax(seen->far_error, ratio);
}

static void see(const struct cover *cover, bool far, struct seen *seen)
{
	struct misses misses = law_misses(&cover->law, cover->lower, cover->upper);

	if (misses.lower > seen->lower)
		seen->lower_at = cover->law.events;
	if (misses.upper > seen->upper)
		seen->upper_at = cover->law.events;
	seen->lower = fmax(seen->lower, misses.lower);
	seen->upper = fmax(seen->upper, misses.upper);
	if (far) {
		seen->far_lower = fmax(seen->far_lower, misses.lower);
		seen->far_upper = fmax(seen->far_upper, misses.upper);
	}
	see_error(cover, far, seen);
}

static u64 last_of(enum covered_word word, u32 class)
{
	return cover_last(word, classes[class], counted_to[class]);
}

/* With the bounds at so many thirds of their distance from the value. */
static void stretch(struct cover *cover, u32 thirds)
{
	u64 i;

	for (i = 0; i < cover->law.states; i++) {
		u64 value = cover->value[i];

		cover->lower[i] = value - min(value, (value - cover->lower[i]) * thirds / 3);
		cover->upper[i] = value + (cover->upper[i] - value) * thirds / 3;
	}
}

static struct seen look(enum covered_word word, u32 class, u32 thirds)
{
	struct seen seen = { .exact = true, .whole = true };
	struct cover cover;
	u64 last = last_of(word, class), certain = 0, n;

	cover_init(&cover, word, classes[class], last);
	while (!cover.error_ppm[certain])
		certain++;
	certain = cover.value[certain];
	if (thirds != 3)
		stretch(&cover, thirds);
	for (n = max(cover.least, 1ULL); n <= last; n = cover_next(n)) {
		law_count(&cover.law, n);
		see(&cover, n / 64 > certain, &seen);
	}
	cover_free(&cover);
	return seen;
}

static void comment_seen(const struct seen *seen)
{
	comment("lower bound: %.3f of the stated misses at n = %llu, far %.3f",
		seen->lower / STATED_MISSES, seen->lower_at, seen->far_lower / STATED_MISSES);
	comment("upper bound: %.3f of the stated misses at n = %llu, far %.3f",
		seen->upper / STATED_MISSES, seen->upper_at, seen->far_upper / STATED_MISSES);
	comment("RSD: %.4f of the stated error, far %.4f", seen->error, seen->far_error);
}

static bool seldom_enough(const struct seen *seen)
{
	return seen->lower <= STATED_MISSES && seen->upper <= STATED_MISSES;
}

/*
 * Half of the stated misses are those of 3.2 standard deviations.  What is stated of
 * approx is for the contended one, and of bfp_csup for one that was contended at once.
 */
static bool often_enough(const struct seen *seen)
{
	return seen->far_lower >= STATED_MISSES / 2 && seen->far_upper >= STATED_MISSES / 2 &&
	       seen->far_error >= 0.9;
}

static bool is_loose(enum covered_word word)
{
	return word == COVER_APPROX || word == COVER_APPROX_CONTENDED || word == COVER_CSUP;
}

static bool bounds_hold(enum covered_word word, u32 class)
{
	struct seen seen = look(word, class, 3);

	describe("%s, %s, n to %llu", cover_names[word], class_name(classes[class]),
		 last_of(word, class));
	comment_seen(&seen);
	return seldom_enough(&seen) && seen.exact && seen.whole && seen.error <= 1 &&
	       (is_loose(word) || often_enough(&seen));
}

/* Those that are the same Markov chain are seen in the coarse classes only. */
static bool test_bounds_fine(u32 which)
{
	static const enum covered_word words[] = {
		COVER_DUP, COVER_APPROX, COVER_APPROX_CONTENDED, COVER_MORRIS, COVER_SCALABLE,
	};

	return bounds_hold(words[which], 1);
}

static bool test_bounds(u32 which)
{
	return bounds_hold(which / 2, 2 + which % 2);
}

static bool test_bounds_busted(u32 which)
{
	u32 thirds = which % 2 ? 4 : 2;
	enum covered_word word = which / 2 ? COVER_MORRIS : COVER_DUP;
	struct seen seen = look(word, 2, thirds);

	describe("%s catches bounds of %s standard deviations", cover_names[word],
		 thirds == 2 ? "two" : "four");
	comment_seen(&seen);
	if (thirds == 2)
		return seen.lower > STATED_MISSES && seen.upper > STATED_MISSES;
	return seen.far_lower < STATED_MISSES / 2 && seen.far_upper < STATED_MISSES / 2;
}

/* Both from the value, as if it were the truth. */
static bool test_bounds_of_the_value(u32 which)
{
	double lower = 0, upper = 0;
	struct cover cover;
	u64 n, i;

	(void)which;
	describe("catches a share of the value for the bounds");
	cover_init(&cover, COVER_DUP, 200000, 100000);
	for (i = 0; i < cover.law.states; i++) {
		double margin = 3e-6 * cover.error_ppm[i] * cover.value[i];

		cover.lower[i] = cover.value[i] - (u64)margin;
		cover.upper[i] = cover.value[i] + (u64)ceil(margin);
	}
	for (n = 1; n <= 100000; n = cover_next(n)) {
		struct misses misses;

		law_count(&cover.law, n);
		misses = law_misses(&cover.law, cover.lower, cover.upper);
		lower = fmax(lower, misses.lower);
		upper = fmax(upper, misses.upper);
	}
	cover_free(&cover);
	comment("lower bound: %.3f of the stated misses, upper %.3f", lower / STATED_MISSES,
		upper / STATED_MISSES);
	return lower < STATED_MISSES / 2 && upper > STATED_MISSES;
}

/* Many steps at a time, and one by one. */
static bool test_law(u32 which)
{
	struct halving halving = halving_of_dup(scounter_bfp_theta(classes[2 + which]));
	struct chain chain;
	struct law law;
	double *unit, off = 0;
	u64 i;

	describe("against one step at a time, bfp_dup, %s, n to 20000",
		 class_name(classes[2 + which]));
	chain_init(&chain, halving, 20000, 1e-18);
	unit = allocate(chain.states + 1, sizeof(double));
	for (i = 0; i <= chain.states; i++)
		unit[i] = 1 / chain.success[i];
	law_init(&law, unit, chain.states + 1);
	while (chain.events < 20000) {
		chain_step(&chain);
		if (chain.events % 1000)
			continue;
		law_count(&law, chain.events);
		for (i = min(law.first, chain.first); i < max(law.end, chain.end); i++)
			off = fmax(off, fabs(law.mass[i] - chain.probability[i]));
	}
	comment("off by %.1e at most", off);
	free(unit);
	chain_free(&chain);
	law_free(&law);
	return off < 1e-12;
}

const struct test bounds_tests[] = {
	{ "exact distribution", 2, test_law },
	{ "bounds of a word", 5, test_bounds_fine },
	{ "bounds of a word", COVERED_WORDS * 2, test_bounds },
	{ "bounds of a word", 4, test_bounds_busted },
	{ "bounds of a word", 1, test_bounds_of_the_value },
	{ }
};

// SPDX-License-Identifier: GPL-2.0
/*
 * Bulk merging of 8-bit cells, tools/lib/merge8.c: every pair of states of a type,
 * against what kmod/repr says the sum is.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "util.h"

#define STATES	256
#define PAIRS	(STATES * STATES)
#define ROUNDS	400

/* Pair i is the states i / STATES and i % STATES, none beyond the last. */
struct pair {
	u8 x, z;
	bool beyond;	/* the sum is above what can be counted */
	u32 k;
	double delta;	/* the probability of k + 1 */
	u32 grown;	/* how often it was that */
};

static void find_sum(struct pair *pair, const struct scounter_repr *repr, u32 i)
{
	struct scounter_real sum;

	pair->x = min(i / STATES, repr->top);
	pair->z = min(i % STATES, repr->top);
	sum = scounter_real_sum(scounter_repr_f(repr, pair->x), scounter_repr_f(repr, pair->z));
	pair->beyond = scounter_real_less(repr->most, sum);
	pair->k = repr->top;
	if (!scounter_real_less(sum, repr->most))
		return;
	pair->k = scounter_repr_phi(repr, sum);
	pair->delta = real_of(scounter_real_difference(sum, scounter_repr_f(repr, pair->k))) /
		      real_of(scounter_repr_gap(repr, pair->k));
}

struct outcome {
	u32 wrong;		/* sums that are neither of the two that they may be */
	struct moments moments;	/* of how many grew in a round */
};

static void merge_pairs(struct outcome *outcome, struct pair *pairs, struct array *dst,
			struct array *src)
{
	double off = 0;
	u32 i;

	for (i = 0; i < PAIRS; i++) {
		((u8 *)dst->words)[i] = pairs[i].x;
		((u8 *)src->words)[i] = pairs[i].z;
	}
	array_merge(dst, src);
	for (i = 0; i < PAIRS; i++) {
		u32 grown = ((u8 *)dst->words)[i] - pairs[i].k;

		outcome->wrong += grown > 1 || (grown && !pairs[i].delta);
		pairs[i].grown += grown;
		off += grown - pairs[i].delta;
	}
	moments_add(&outcome->moments, off);
}

/* The variance of `off`, if the cells are independent of each other. */
static double variance_of(const struct pair *pairs)
{
	double variance = 0;
	u32 i;

	for (i = 0; i < PAIRS; i++)
		variance += pairs[i].delta * (1 - pairs[i].delta);
	return variance;
}

/* The chi-square of pairs that grew and did not grow often, in standard deviations. */
static double off_in_each(const struct pair *pairs)
{
	double square = 0;
	u32 i, degrees = 0;

	for (i = 0; i < PAIRS; i++) {
		double variance = ROUNDS * pairs[i].delta * (1 - pairs[i].delta);

		if (variance < 10)
			continue;
		square += pow(pairs[i].grown - ROUNDS * pairs[i].delta, 2) / variance;
		degrees++;
	}
	/* The kurtosis of these binomials adds a twentieth to the variance at most. */
	return degrees ? (square - degrees) / sqrt(2.1 * degrees) : 0;
}

/* Whether a merge notes saturation for exactly those pairs that are beyond. */
static u32 notes_saturation(const struct pair *pairs, struct array *dst, struct array *src)
{
	u32 i, wrong = 0;

	memset(dst->words, 0, PAIRS);
	memset(src->words, 0, PAIRS);
	dst->cells.words = 1;
	for (i = 0; i < PAIRS; i++) {
		dst->words[0] = (u64)pairs[i].x << 8 * (i % 8);
		src->words[0] = (u64)pairs[i].z << 8 * (i % 8);
		dst->lost_from = SCOUNTER_NOTHING_LOST;
		array_merge(dst, src);
		wrong += array_saturated(dst) != pairs[i].beyond;
	}
	return wrong;
}

static void test_type(u32 kind, u32 q_ppm, u32 m, u64 seed)
{
	struct array *dst = new_array(kind, 8, q_ppm, m, PAIRS, seed);
	struct array *src = new_array(kind, 8, q_ppm, m, PAIRS, seed + 1);
	const char *name = type_name(&dst->cells.repr.type);
	struct pair *pairs = allocate(PAIRS, sizeof(*pairs));
	struct outcome outcome = { 0 };
	struct summary summary;
	double spread, each;
	u32 i, round, wrong;

	for (i = 0; i < PAIRS; i++)
		find_sum(&pairs[i], &dst->cells.repr, i);
	for (round = 0; round < ROUNDS; round++)
		merge_pairs(&outcome, pairs, dst, src);
	summary = summarize(&outcome.moments);
	spread = variance_z(&summary, variance_of(pairs));
	each = off_in_each(pairs);
	ok(!outcome.wrong && fabs(summary.mean_z) <= MEAN_LIMIT && fabs(each) <= Z_LIMIT,
	   "bulk merge, %s: all sums beside the exact one, %+.2f standard errors in all, %+.2f in each",
	   name, summary.mean_z, each);
	ok(fabs(spread) <= Z_LIMIT, "bulk merge, %s: as if each cell were alone, variance %+.2f",
	   name, spread);
	wrong = notes_saturation(pairs, dst, src);
	ok(!wrong, "bulk merge, %s: saturated where the sum is too large, and only there", name);
	free(pairs);
	array_free(dst);
	array_free(src);
}

void test_bulk(u64 seed)
{
	test_type(SCOUNTER_REPR_MORRIS, 1080000, 1, seed);
	test_type(SCOUNTER_REPR_MORRIS2, 0, 1, seed + 2);
	test_type(SCOUNTER_REPR_CSUROS2, 0, 32, seed + 4);
	test_type(SCOUNTER_REPR_CSUROS, 1200000, 8, seed + 6);
	test_type(SCOUNTER_REPR_DLM_PROBABILITY, 1500000, 1, seed + 8);
}

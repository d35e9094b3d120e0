// SPDX-License-Identifier: GPL-2.0
/*
 * Steele & Tristan 2017, section 9: the sum of two arrays in a third, of any three types.
 * From given states, its mean is the sum of their counts, and its variance that of one
 * rounding, exactly.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "subject.h"
#include "util.h"

#define CELLS	20000

static struct array *all_of(const struct scounter_array_type *type, u64 events, u64 seed,
			    double *f)
{
	struct array *array = new_array(type->kind, type->bits, type->q_ppm, type->m, CELLS, seed);
	const struct scounter_cells *cells = &array->cells;
	u32 x = scounter_repr_phi(&cells->repr, scounter_real(events)), i;
	u64 word = 0, w;

	for (i = 0; i < cells->per_word; i++)
		word |= (u64)x << i * type->bits;
	for (w = 0; w < cells->words; w++)
		array->words[w] = word;
	*f = f_of(&cells->repr, x);
	return array;
}

static double rounding_variance(const struct scounter_repr *repr, double sum)
{
	u32 k = scounter_repr_phi(repr, (struct scounter_real){ sum, ldexp(sum - floor(sum), 64) });
	double below = f_of(repr, k), above = f_of(repr, scounter_repr_tau(repr, k));

	return (sum - below) * (above - sum);
}

static void test_types(u32 a, u32 b, u32 c, u64 seed)
{
	static double values[CELLS];
	struct array *first, *second, *sum;
	struct moments moments = { 0 };
	double x, z, expected;
	struct summary summary;
	bool right;
	u32 i;

	first = all_of(&mixed[a], 301, next_seed(&seed), &x);
	second = all_of(&mixed[b], 97, next_seed(&seed), &z);
	sum = new_array(mixed[c].kind, mixed[c].bits, mixed[c].q_ppm, mixed[c].m, CELLS,
			next_seed(&seed));
	array_add(sum, 0, 1000);
	right = !array_put_sum(sum, first, second) && !array_saturated(sum);
	array_values(sum, 0, CELLS, values);
	for (i = 0; i < CELLS; i++)
		moments_add(&moments, values[i] - x - z);
	summary = summarize(&moments);
	expected = rounding_variance(&sum->cells.repr, x + z);
	if (expected < 1e-6)
		right &= fabs(summary.mean) < 1e-6 && summary.variance < 1e-6;
	else
		right &= fabs(summary.mean_z) <= Z_LIMIT &&
			 fabs(variance_z(&summary, expected)) <= Z_LIMIT;
	ok(right, "%s and %s into %s: mean %+.2f standard errors, variance %.3f of one rounding",
	   type_name(&first->cells.repr.type), type_name(&second->cells.repr.type),
	   type_name(&sum->cells.repr.type), summary.mean_z,
	   expected ? summary.variance / expected : 1);
	array_free(first);
	array_free(second);
	array_free(sum);
}

static void test_refused(u64 seed)
{
	struct array *a = new_array(SCOUNTER_REPR_CSUROS2, 8, 0, 16, 10, seed);
	struct array *b = new_array(SCOUNTER_REPR_MORRIS, 8, 1100000, 1, 10, seed);
	struct array *longer = new_array(SCOUNTER_REPR_CSUROS2, 8, 0, 16, 11, seed);
	struct array *shared = new_array(SCOUNTER_REPR_SHARED, 8, 0, 1, 10, seed);
	struct array *dst = new_array(SCOUNTER_REPR_CSUROS2, 8, 0, 32, 10, seed);

	array_add(dst, 3, 5);
	ok(array_put_sum(dst, dst, a) == -EINVAL && array_put_sum(dst, a, dst) == -EINVAL &&
	   array_put_sum(dst, a, a) == -EINVAL && array_put_sum(dst, a, longer) == -EINVAL &&
	   array_put_sum(dst, shared, b) == -EINVAL && array_value(dst, 3) == 5,
	   "sums that do not go together are refused, and nothing changes");
	array_free(a);
	array_free(b);
	array_free(longer);
	array_free(shared);
	array_free(dst);
}

/* What may lack counts in one of them may in the sum, and nothing else does. */
static void test_lost_in_sum(u64 seed)
{
	struct array *a = new_array(SCOUNTER_REPR_CSUROS2, 8, 0, 32, 2, seed);
	struct array *b = new_array(SCOUNTER_REPR_MORRIS, 8, 1100000, 1, 2, seed);
	struct array *dst = new_array(SCOUNTER_REPR_CSUROS, 12, 1400000, 64, 2, seed);
	struct scounter_array_estimate full, small;
	bool right;

	array_add(a, 0, 100000);
	array_add(b, 1, 30);
	right = !array_put_sum(dst, b, a);
	array_estimate(dst, 0, &full);
	array_estimate(dst, 1, &small);
	ok(right && array_saturated(dst) && full.flags & SCOUNTER_F_SATURATED && !small.flags &&
	   small.lower <= 30 && small.upper >= 30,
	   "a sum says what it may lack, and the error of what it was made of");
	array_free(a);
	array_free(b);
	array_free(dst);
}

static void test_shared_sum(u64 seed)
{
	enum { LENGTH = 70000, EACH = 41 };	/* no multiple of what a level counts by */
	struct array *a = new_array(SCOUNTER_REPR_SHARED, 8, 0, 1, LENGTH, seed);
	struct array *b = new_array(SCOUNTER_REPR_SHARED, 4, 0, 1, LENGTH, next_seed(&seed));
	struct array *dst = new_array(SCOUNTER_REPR_SHARED, 16, 0, 1, LENGTH, next_seed(&seed));
	struct array_total sum;
	double z;
	u64 i;

	for (i = 0; i < LENGTH; i++) {
		array_add(a, i, EACH);
		array_add(b, i, EACH);
	}
	array_put_sum(dst, a, b);
	array_sum(dst, 0, LENGTH, &sum);
	z = (sum.value - 2.0 * EACH * LENGTH) / sqrt(sum.variance);
	ok(fabs(z) <= Z_LIMIT && dst->level >= b->level && b->level,
	   "shared levels of %u and %u into one: %+.2f of the deviation that is stated",
	   a->level, b->level, z);
	array_free(a);
	array_free(b);
	array_free(dst);
}

void test_three(u64 seed)
{
	u32 a, b;

	for (a = 0; a < MIXED; a++)
		for (b = 0; b < MIXED; b++)
			test_types(a, b, (a + 2 * b + 1) % MIXED, derive_seed(seed, "types", a * MIXED + b));
	test_refused(seed);
	test_lost_in_sum(seed);
	test_shared_sum(derive_seed(seed, "shared", 0));
}

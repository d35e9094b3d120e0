// SPDX-License-Identifier: GPL-2.0
/*
 * A type from the largest count: it reaches that, one with less of q would not, and its
 * error is what it says.  The kernel and the library choose alike.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <linux/scounter_array.h>

#include "repr/choose.h"

#include "arrays.h"
#include "util.h"

static const u32 widths[] = { 4, 5, 6, 7, 8, 10, 12, 16 };

enum { WIDTHS = sizeof(widths) / sizeof(widths[0]) };

static long double range_of(u32 bits, long double q, u32 m)
{
	u32 last = (1U << bits) - 1;
	long double mu = m / (q - 1);

	return (mu + last % m) * powl(q, last / m) - mu;
}

/* What is chosen is right, by floating point and by the representation itself. */
static bool is_right(const struct scounter_array_type *type, u64 most)
{
	const struct scounter_repr *repr = repr_of(type->kind, type->bits, type->q_ppm, type->m, 0);

	if (repr->most.whole < most)
		return false;
	if (type->kind == SCOUNTER_REPR_CSUROS2)
		return type->m == 1U << type->bits && most < type->m &&
		       !scounter_type_error_ppm(type);
	return range_of(type->bits, type->q_ppm / 1e6L, type->m) >= most * (1 - 1e-15L) &&
	       range_of(type->bits, (type->q_ppm - 1) / 1e6L, type->m) < most * (1 + 1e-15L) &&
	       scounter_type_error_ppm(type) == ceil(sqrt(scounter_repr_xi(repr, 0)));
}

/* From 1 to 2^63, as often of each size. */
static u64 any_count(u64 *seed)
{
	u32 shift = 1 + next_seed(seed) % 63;

	return 1 + (next_seed(seed) >> shift);
}

static void test_reach(u32 bits, u64 seed)
{
	u32 i, chosen = 0, right = 0, refused = 0, same = 0;

	for (i = 0; i < 200; i++) {
		u64 most = any_count(&seed);
		struct scounter_array_type type = { .kind = 99 }, other = { .kind = 99 };
		int err = array_type_for(&type, bits, most);

		if (err) {
			/* q = 2 is not enough. */
			refused += err == -ERANGE && type.kind == 99 && bits <= 6 &&
				   range_of(bits, 2, 1) < most;
			continue;
		}
		chosen++;
		same += !scounter_array_type_for(&other, bits, most) &&
			!memcmp(&type, &other, sizeof(type));
		right += is_right(&type, most);
	}
	ok(chosen + refused == 200 && right == chosen && same == chosen && chosen > 30,
	   "%u bits: %u of %u types reach the count that was asked for, with the least q; %u of 200 counts are too large",
	   bits, right, chosen, refused);
}

/* For the fewest bits: one width less does not do. */
static void test_error_of(u64 seed)
{
	u32 i, j, right = 0, refused = 0;

	for (i = 0; i < 100; i++) {
		u64 most = any_count(&seed);
		u32 part = 1 + next_seed(&seed) % 100, error = next_seed(&seed) % 300000 / part;
		struct scounter_array_type type = { .kind = 99 }, less, same;
		int err = array_type_for_error(&type, most, error);
		bool good = err || (!scounter_array_type_for_error(&same, most, error) &&
				    !memcmp(&type, &same, sizeof(type)));

		for (j = 0; j < WIDTHS && (err || widths[j] < type.bits); j++)
			good &= array_type_for(&less, widths[j], most) ||
				scounter_type_error_ppm(&less) > error;
		right += good && (err ? type.kind == 99 :
				  scounter_type_error_ppm(&type) <= error && is_right(&type, most));
		refused += !!err;
	}
	ok(right == 100 && refused < 90, "the fewest bits for an error: %u of 100 right, %u of them beyond 16 bits",
	   right, refused);
}

/* A counter of the type that was chosen counts to the end, and is as good as it says. */
static void test_counts(u64 seed)
{
	enum { RUNS = 20000 };
	static double values[RUNS];
	struct moments moments = { 0 };
	struct scounter_array_type type;
	struct summary summary;
	struct array *array;
	double bound;
	u32 i, n;

	array_type_for(&type, 8, 100000);
	array = new_array(type.kind, type.bits, type.q_ppm, type.m, RUNS, seed);
	for (i = 0; i < RUNS; i++)
		for (n = 0; n < 1000; n++)
			array_inc(array, i);
	array_values(array, 0, RUNS, values);
	for (i = 0; i < RUNS; i++)
		moments_add(&moments, values[i] - 1000);
	summary = summarize(&moments);
	bound = pow(scounter_type_error_ppm(&type) / 1e6, 2) * 1000 * 999 + 0.25;
	ok(fabs(summary.mean_z) <= Z_LIMIT && variance_z(&summary, bound) <= Z_LIMIT &&
	   variance_z(&summary, 0.9 * bound) > -Z_LIMIT && !array_saturated(array),
	   "8 bits to 100000: q %g, after 1000 events mean %+.2f standard errors, variance %.4f of what is said",
	   type.q_ppm / 1e6, summary.mean_z, summary.variance / bound);
	array_free(array);
}

void test_choose(u64 seed)
{
	struct scounter_array_type type = { .kind = 99 };
	u32 i;

	for (i = 0; i < WIDTHS; i++)
		test_reach(widths[i], derive_seed(seed, "reach", i));
	test_error_of(derive_seed(seed, "error", 0));
	test_counts(derive_seed(seed, "counts", 0));
	i = array_type_for(&type, 8, 13348);
	ok(!i && type.kind == SCOUNTER_REPR_MORRIS && type.q_ppm == 1022668 && fabsl(range_of(8, 1.022667L, 1) / 13348.02L - 1) < 1e-4,
	   "section 10: 8 bits to 13348.02 is q = 1.022667 rounded, and %u ppm is the least that reaches it",
	   type.q_ppm);
	ok(!array_type_for(&type, 16, 1ULL << 63) && !array_type_for(&type, 8, 255) &&
	   type.m == 256 && !array_type_for(&type, 4, 1) && type.m == 16,
	   "the largest count, and counts that fit as they are");
	type.kind = 99;
	ok(array_type_for(&type, 9, 100) == -ERANGE && array_type_for(&type, 0, 100) == -ERANGE &&
	   array_type_for(&type, 8, 0) == -ERANGE &&
	   array_type_for(&type, 16, (1ULL << 63) + 1) == -ERANGE &&
	   array_type_for(&type, 4, 32768) == -ERANGE && !array_type_for(&type, 4, 32767) &&
	   array_type_for_error(&type, 0, 1000) == -ERANGE &&
	   array_type_for_error(&type, 1000000, 0) == -ERANGE &&
	   scounter_array_type_for(&type, 33, 100) == -ERANGE,
	   "what is out of range is refused");
}

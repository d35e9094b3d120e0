// SPDX-License-Identifier: GPL-2.0
/* The generator, bits, rounding, and the tables of the exponential draw. */
#include <linux/kernel.h>
#include <math.h>

#include "model.h"
#include "scripted.h"
#include "stats.h"
#include "suites.h"
#include "util.h"

/*
 * The generator's numbers as the self-test of lib/random32.c has them, which
 * are those of the GNU Scientific Library.
 */
static bool test_generator(u32 which)
{
	static const struct {
		u32 seed, iteration, number;
	} known[] = {
		{ 1, 1, 3484351685U },
		{ 931557656, 959, 2975593782U },
		{ 407983964, 921, 728767059U },
	};
	bool passed = true;
	u32 i, j;

	(void)which;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct rnd_state rnd;

		rnd.s1 = __seed(known[i].seed * 69069, 2);
		rnd.s2 = __seed(rnd.s1 * 69069, 8);
		rnd.s3 = __seed(rnd.s2 * 69069, 16);
		rnd.s4 = __seed(rnd.s3 * 69069, 128);
		for (j = 0; j < 10 + known[i].iteration - 1; j++)
			prandom_u32_state(&rnd);
		passed &= prandom_u32_state(&rnd) == known[i].number;
	}
	return passed;
}

static u64 broken_bits(struct rnd_state *rnd, u32 k)
{
	/* A number of 32 bits cannot fill more. */
	return k <= 32 ? scounter_draw_bits(rnd, k) :
			 (u64)prandom_u32_state(rnd) << (k - 32);
}

/* The upper and the lower bits of k, eight at most, in 2^8 bins. */
static bool bits_are_uniform(u64 (*draw)(struct rnd_state *, u32), u32 k,
			     struct rnd_state *rnd)
{
	enum { DRAWS = 1 << 16 };
	u64 upper[256] = { 0 }, lower[256] = { 0 };
	u32 used = min(k, 8U);
	double probability[256];
	double tail;
	u32 i;

	for (i = 0; i < 1U << used; i++)
		probability[i] = 1.0 / (1 << used);
	for (i = 0; i < DRAWS; i++) {
		u64 bits = draw(rnd, k);

		if (k < 64 && bits >> k)
			return false;
		upper[bits >> (k - used)]++;
		lower[bits & ((1 << used) - 1)]++;
	}
	return chi_square_fits(upper, probability, 1 << used, &tail) &&
	       chi_square_fits(lower, probability, 1 << used, &tail);
}

static bool all_bits_are_uniform(u64 (*draw)(struct rnd_state *, u32))
{
	u64 seed = test_seed();
	struct rnd_state rnd;
	bool passed = true;
	u32 k;

	seed_state(&rnd, &seed);
	for (k = 1; k <= 64; k++)
		passed &= bits_are_uniform(draw, k, &rnd);
	return passed && draw(&rnd, 0) == 0;
}

static bool test_bits(u32 which)
{
	describe(which ? "catches 32 bits shifted up" : "k = 0 to 64");
	return which ? !all_bits_are_uniform(broken_bits) :
		       all_bits_are_uniform(scounter_draw_bits);
}

static u64 broken_rounding(struct rnd_state *rnd, u64 n, u32 k)
{
	(void)rnd;
	return n >> k;
}

static u64 broken_rounding_half(struct rnd_state *rnd, u64 n, u32 k)
{
	/* Up with probability 1/2 whatever the fraction is. */
	return (n >> k) + (n & ((1ULL << k) - 1) ?
			   scounter_draw_bits(rnd, 1) : 0);
}

static bool rounding_is_unbiased(u64 (*round)(struct rnd_state *, u64, u32))
{
	enum { DRAWS = 20000 };
	u64 seed = test_seed();
	struct rnd_state rnd;
	u32 k, i, j;

	seed_state(&rnd, &seed);
	for (k = 0; k < 64; k++) {
		for (i = 0; i < 4; i++) {
			u64 n = next_seed(&seed) >> (i < 2 ? 0 : next_seed(&seed) % 64);
			double up = ldexp(n & ((1ULL << k) - 1), -(int)k);
			double ups = 0;

			for (j = 0; j < DRAWS; j++) {
				u64 more = round(&rnd, n, k) - (n >> k);

				if (more > 1)
					return false;
				ups += more;
			}
			if (binomial_tail(ups, DRAWS, up) < TAIL_LIMIT)
				return false;
		}
	}
	return true;
}

static bool test_rounded(u32 which)
{
	switch (which) {
	case 0:
		describe("k = 0 to 63");
		return rounding_is_unbiased(scounter_draw_rounded);
	case 1:
		describe("catches rounding down");
		return !rounding_is_unbiased(broken_rounding);
	default:
		describe("catches rounding up with probability 1/2");
		return !rounding_is_unbiased(broken_rounding_half);
	}
}

/* Groups of k bits counted one after the other, as the comment there says. */
static u32 count_groups(const u32 *words, u32 k)
{
	u32 gap = 0;
	u32 i;

	for (;; words++)
		for (i = 0; i + k <= 32; i += k, gap++)
			if (!(*words >> i & ((1U << k) - 1)))
				return gap;
}

static bool test_groups(u32 which)
{
	u64 seed = test_seed();
	u32 words[64];
	u32 k, i, j;

	(void)which;
	for (i = 0; i < 20000; i++) {
		for (j = 0; j < ARRAY_SIZE(words); j++)
			words[j] = next_seed(&seed);
		/* Some with few zeros, so that a gap spans words. */
		for (j = 0; i % 2 && j < 8; j++)
			words[j] |= ~(1U << (next_seed(&seed) & 31));
		words[ARRAY_SIZE(words) - 1] = 0;
		for (k = 1; k <= 3; k++) {
			script(words, ARRAY_SIZE(words));
			if (scripted_gap(k) != count_groups(words, k))
				return false;
		}
	}
	return true;
}

/* What decides an exponential draw, in the order in which it is drawn. */
struct exponential_script {
	u32 ones;	/* at the start of the first number, below 31 */
	u64 fraction;	/* its other bits, as a fraction of 2^64 */
	u64 uniform;	/* all others */
};

static void play(const struct exponential_script *input)
{
	static u32 words[3 + 2 * 32];
	u64 first = ~(~0ULL >> input->ones) |
		    input->fraction >> (input->ones + 1);
	u32 i;

	words[0] = first >> 32;
	words[1] = first;
	for (i = 2; i < ARRAY_SIZE(words); i += 2) {
		words[i] = input->uniform >> 32;
		if (i + 1 < ARRAY_SIZE(words))
			words[i + 1] = input->uniform;
	}
	script(words, ARRAY_SIZE(words));
}

/* The smallest x up to 2^64 for which holds(x), which stays so above it. */
static long double threshold(bool (*holds)(u64 x, const void *data),
			     const void *data)
{
	u64 low = 0, high = ~0ULL;

	if (!holds(high, data))
		return 1;
	while (low < high) {
		u64 middle = low + (high - low) / 2;

		if (holds(middle, data))
			high = middle;
		else
			low = middle + 1;
	}
	return ldexpl(low, -64);
}

static bool draws_more(u64 fraction, const void *data)
{
	play(&(struct exponential_script){ .fraction = fraction });
	scripted_exponential();
	return script_drawn() > *(const u32 *)data;
}

/* After U: one more uniform at ln 2, and at each further partial sum. */
static bool test_partial_sums(u32 which)
{
	long double ln2 = logl(2), term = 1, sum = 0;
	bool passed = true;
	u32 i;

	(void)which;
	for (i = 1; i <= 16; i++) {
		/* Two numbers for U; i uniforms of two numbers, but 0 for 1. */
		u32 drawn = i == 1 ? 2 : 2 + 2 * i;
		long double found = threshold(draws_more, &drawn);

		term *= ln2 / i;
		sum += term;
		if (fabsl(found - sum) > ldexpl(1, -61)) {
			comment("sum %u is off by %.2Lg", i, found - sum);
			passed = false;
		}
	}
	return passed;
}

struct gap_step {
	u32 k, gap, ones;
	long double uniform_above;	/* U, if the least of uniforms is searched */
};

static bool gap_reached(u64 x, const void *data)
{
	const struct gap_step *step = data;
	struct exponential_script input = { .ones = step->ones, .fraction = x };

	if (step->uniform_above) {
		input.fraction = (u64)ldexpl(step->uniform_above, 64);
		input.uniform = x;
	} else if (ldexpl(x, -64) >= logl(2)) {
		return true;
	}
	play(&input);
	return scripted_gap(step->k) >= step->gap;
}

/*
 * The draw at which the gap becomes g must be g * -ln(1 - 2^-k) / ln 2: found
 * for both ways to the fraction, for gaps all over the range.
 */
static bool test_gap_steps(u32 which)
{
	u64 seed = test_seed();
	u32 k = which + 4;
	long double unit = -log1pl(-ldexpl(1, -(int)k)) / logl(2);
	long double worst = 0;
	u32 i;

	describe("k = %u", k);
	for (i = 0; i < 100; i++) {
		struct gap_step step = { .k = k };
		long double at, off;

		step.gap = i < 4 ? i + 1 : 1 + next_seed(&seed) % (4U << k);
		at = step.gap * unit;
		step.ones = at;
		at -= step.ones;

		off = threshold(gap_reached, &step) - at * logl(2);
		worst = fmaxl(worst, fabsl(off));

		step.uniform_above = logl(2) + 0.01L;
		off = threshold(gap_reached, &step) - at;
		worst = fmaxl(worst, fabsl(off));
	}
	if (worst <= ldexpl(1, -55))
		return true;
	comment("off by up to 2^%.1Lf", log2l(worst));
	return false;
}

const struct test draw_tests[] = {
	{ "prandom_u32_state gives the known numbers", 1, test_generator },
	{ "draw_bits is uniform", 2, test_bits },
	{ "draw_rounded is unbiased", 3, test_rounded },
	{ "draw_gap counts groups of bits, k = 1 to 3", 1, test_groups },
	{ "draw_exponential compares with the right sums", 1, test_partial_sums },
	{ "draw_gap steps at the right draws", SCOUNTER_GAP_EXPONENT_MAX - 3,
	  test_gap_steps },
	{ }
};

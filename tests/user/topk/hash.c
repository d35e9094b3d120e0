// SPDX-License-Identifier: GPL-2.0
/*
 * What key.h says of hashes of short keys: whatever two keys somebody chooses,
 * over all secrets their hashes are uniform and independent of each other.
 *
 * Pairs are such as would meet in a weaker hash: they differ in one half only, in
 * one bit, by a power of two, or have the halves exchanged.  For each, the last
 * four bits of both hashes, which choose the chain, and the first four, fall into
 * 256 equally probable cells; chi-square of 2^18 secrets has 255 degrees of
 * freedom and is beyond 415 with probability 1e-9 (Wilson & Hilferty).  There are
 * 34 comparisons: a right hash fails with probability 4e-8, with other seeds.  A
 * pair that meets, or keeps its distance, whatever the secret is beyond 10^6.
 */
#include <string.h>

#include <linux/kernel.h>

#include "hash.h"
#include "streams.h"
#include "tap.h"

#define SECRETS	(1U << 18)
#define CELLS	256
#define BOUND	415.

static const u64 pairs[][2] = {
	{ 0, 1 }, { 0, 1ULL << 31 }, { 0, 1ULL << 32 }, { 0, 1ULL << 63 },
	{ 1, 1ULL << 32 }, { 1ULL << 31, 1ULL << 63 }, { 0, ~0ULL },
	{ 1ULL << 63, 3ULL << 62 }, { 0xffffffff, 0xffffffffULL << 32 },
	{ 0x123456789abcdef0, 0x9abcdef012345678 }, { 1000, 1001 },
	{ 0x100000001, 0x200000002 }, { 0x100000001, 0x200000000 },
	{ 0xffff888000000000, 0xffff888000001000 },
	{ 0xffffffff81000000, 0xffffffff81000040 },
	{ 0x00ff00ff00ff00ff, 0xff00ff00ff00ff00 },
	{ 0x8000000080000000, 0x8000000000000000 },
};

static double chi_square(const u32 *cells)
{
	double expected = (double)SECRETS / CELLS, sum = 0;
	u32 i;

	for (i = 0; i < CELLS; i++)
		sum += (cells[i] - expected) * (cells[i] - expected) / expected;
	return sum;
}

static void pairs_check(u64 *seed)
{
	double worst = 0;
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		u32 last[CELLS] = { 0 }, first[CELLS] = { 0 };

		for (j = 0; j < SECRETS; j++) {
			struct topk_secret secret = random_secret(seed);
			u32 a = topk_hash_word(pairs[i][0], &secret);
			u32 b = topk_hash_word(pairs[i][1], &secret);

			last[(a & 15) << 4 | (b & 15)]++;
			first[a >> 28 << 4 | b >> 28]++;
		}
		worst = max(worst, max(chi_square(last), chi_square(first)));
		if (worst > BOUND)
			break;
	}
	ok(worst <= BOUND, "hashes of two chosen keys are uniform and independent");
	comment("greatest chi-square %.0f, bound %.0f", worst, BOUND);
	if (worst > BOUND)
		comment("1 failures; the first: keys %#llx and %#llx", pairs[i][0], pairs[i][1]);
}

/*
 * How many nodes a hit looks at, in the mean over keys in a row.  A random function
 * has 1 + 999 / 4096 = 1.244 with a standard deviation of 0.016 from one to the
 * next; 1.5 is 16 of them.
 */
#define ROW		1000
#define CHAIN_BITS	11
#define LONG		1.5

static double steps_of(u64 distance, const struct topk_secret *secret)
{
	static u32 length[1 << CHAIN_BITS];
	u32 i, sum = 0;

	memset(length, 0, sizeof(length));
	for (i = 0; i < ROW; i++)
		sum += ++length[topk_hash_word(i * distance, secret) >> (32 - CHAIN_BITS)];
	return (double)sum / ROW;
}

/*
 * Without the last mixing, one in nine of all secrets makes long chains of keys
 * in a row.  With it there remain those that give all of them a few hashes; there
 * are fewer than one in 5000.  The bound is one in 1000, of 20000.
 */
static void rows_check(u64 *seed)
{
	static const u64 distances[] = { 1, 2, 8, 64, 1000, 4096, 1ULL << 32, 0x100000001 };
	u32 i, j, bad = 0, secrets = 20000 / ARRAY_SIZE(distances);
	double sum = 0;

	for (i = 0; i < ARRAY_SIZE(distances); i++) {
		for (j = 0; j < secrets; j++) {
			struct topk_secret secret = random_secret(seed);
			double steps = steps_of(distances[i], &secret);

			sum += steps;
			bad += steps > LONG;
		}
	}
	ok(bad <= 20, "keys in a row make no long chains");
	comment("%u of 20000 secrets with more than %.1f steps a hit; the mean is %.3f", bad, LONG,
		sum / 20000);
	if (bad > 20)
		comment("1 failures; the first: %u bad secrets", bad);
}

int hash_check(u64 seed)
{
	tap_plan(2);
	pairs_check(&seed);
	rows_check(&seed);
	return tap_status();
}

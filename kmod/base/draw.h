/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random draws from one struct rnd_state: bits, unbiased rounding, and the gap between
 * two successes of a trial at 2^-k.  Example: 10 in units of 8 is 1 with probability 3/4
 * and 2 with 1/4, which is 10/8 in the mean.
 *
 * This is integer arithmetic without kernel state.  The same source runs in user space,
 * where its distributions are tested.
 */
#ifndef _SCOUNTER_DRAW_H
#define _SCOUNTER_DRAW_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/prandom.h>
#include <linux/types.h>

/* The largest k of scounter_draw_gap(): the gap must fit 31 bits. */
#define SCOUNTER_GAP_EXPONENT_MAX	25

static inline u64 scounter_draw_u64(struct rnd_state *rnd)
{
	u64 high = prandom_u32_state(rnd);

	return high << 32 | prandom_u32_state(rnd);
}

/* A uniform integer of k bits, k <= 64. */
static inline u64 scounter_draw_bits(struct rnd_state *rnd, u32 k)
{
	if (!k)
		return 0;
	if (k <= 32)
		return prandom_u32_state(rnd) >> (32 - k);
	return scounter_draw_u64(rnd) >> (64 - k);
}

/*
 * n / 2^k, k < 64, rounded up or down at random so that the expected value is
 * n / 2^k exactly.
 */
static inline u64 scounter_draw_rounded(struct rnd_state *rnd, u64 n, u32 k)
{
	u64 fraction = n & ((1ULL << k) - 1);

	n >>= k;
	if (fraction && scounter_draw_bits(rnd, k) < fraction)
		n++;
	return n;
}

/* True with probability n / d exactly, n <= d and d > 0. */
static inline bool scounter_draw_chance(struct rnd_state *rnd, u64 n, u64 d)
{
	u32 bits = fls64(d - 1);
	u64 uniform;

	do
		uniform = scounter_draw_bits(rnd, bits);
	while (uniform >= d);
	return uniform < n;
}

/*
 * The gap for k = 1, 2, 3: cut random words into groups of k bits, and count the groups
 * before the first that is all zero.
 */
static inline u32 scounter_draw_gap_groups(struct rnd_state *rnd, u32 k)
{
	static const u32 first_bits[] = { 0, 0xffffffff, 0x55555555, 0x09249249 };
	u32 gap = 0;

	for (;;) {
		u32 random = prandom_u32_state(rnd);
		u32 any = random;
		u32 zeros;

		if (k > 1)
			any |= random >> 1;
		if (k > 2)
			any |= random >> 2;
		zeros = ~any & first_bits[k];
		if (zeros)
			return gap + __ffs(zeros) / k;
		gap += 32 / k;
	}
}

/*
 * An exponentially distributed number with mean 1 / ln 2, in units of 2^-57,
 * after Knuth, TAOCP volume 2, section 3.4.1, algorithm S.  Its integer part
 * is the number of leading ones of a random word.  Its fraction is the least
 * of a random number of uniforms: one when the word's other bits, as a
 * fraction U, are below ln 2, else k when U is between sums[k - 2] and
 * sums[k - 1], where sums[k - 1] is the sum of (ln 2)^i / i! for i = 1 to k.
 */
static inline u64 scounter_draw_exponential(struct rnd_state *rnd)
{
	static const u64 sums[] = {
		0xb17217f7d1cf79abULL, 0xeef193f6d75a96fcULL,
		0xfd27186259aaf6c2ULL, 0xff9d6dd050f4c5a7ULL,
		0xfff4cfcfef1e626bULL, 0xfffee81886e1c62fULL,
		0xffffe7fe850e0bb5ULL, 0xfffffe2a8731b17dULL,
		0xffffffdfac6eeadcULL, 0xfffffffdf9640067ULL,
		0xffffffffe22ec79cULL, 0xfffffffffe6a9dedULL,
		0xffffffffffebff81ULL, 0xffffffffffff1417ULL,
		0xfffffffffffff5ceULL, 0xffffffffffffff95ULL,
		0xfffffffffffffffbULL, 0xffffffffffffffffULL,
	};
	/* 1 / (2 ln 2), in units of 2^-64 */
	const u64 half_log2_e = 0xb8aa3b295c17f0bcULL;
	u64 uniform = scounter_draw_u64(rnd);
	u64 least = ~0ULL;
	u32 ones = ~uniform ? 64 - fls64(~uniform) : 63;
	u32 i;

	uniform = uniform << ones << 1;
	if (uniform < sums[0])
		return ((u64)ones << 57) +
		       (mul_u64_u64_shr(uniform, half_log2_e, 63) >> 7);

	for (i = 0; i < ARRAY_SIZE(sums) && sums[i] <= uniform; i++)
		least = min(least, scounter_draw_u64(rnd));
	least = min(least, scounter_draw_u64(rnd));
	return ((u64)ones << 57) + (least >> 7);
}

/*
 * How many trials fail before the next success, when each succeeds with
 * probability 2^-k, 1 <= k <= SCOUNTER_GAP_EXPONENT_MAX: the geometric
 * distribution, as floor(ln U / ln(1 - 2^-k)).  -ln U is the exponential above
 * times ln 2, and scale[k - 1] is ln 2 / -ln(1 - 2^-k) in units of 2^(k - 64).
 */
static inline u32 scounter_draw_gap(struct rnd_state *rnd, u32 k)
{
	static const u64 scale[SCOUNTER_GAP_EXPONENT_MAX] = {
		0x8000000000000000ULL, 0x9a33f37727210eaaULL,
		0xa61bcbc86a7c609dULL, 0xabd742835f6904d8ULL,
		0xaea88e21508ae881ULL, 0xb00e4551d5c05e24ULL,
		0xb0c06a7e60a16448ULL, 0xb119501aea742c03ULL,
		0xb145b7be86780ae9ULL, 0xb15be8c81d1d9713ULL,
		0xb167009b2897b3fcULL, 0xb16c8c5848189b20ULL,
		0xb16f522bbf80e8cdULL, 0xb170b512b545dce3ULL,
		0xb17166857eb164b9ULL, 0xb171bf3eb70a0760ULL,
		0xb171eb9b481f23cbULL, 0xb17201c98de3e734ULL,
		0xb1720ce0b014d683ULL, 0xb172126c4100f19bULL,
		0xb1721532096be804ULL, 0xb1721694ed9e9d70ULL,
		0xb17217465fb746b4ULL, 0xb172179f18c36ef9ULL,
		0xb17217cb75497805ULL,
	};

	if (k <= 3)
		return scounter_draw_gap_groups(rnd, k);
	return mul_u64_u64_shr(scounter_draw_exponential(rnd), scale[k - 1],
			       57 + 64 - k);
}

#endif /* _SCOUNTER_DRAW_H */

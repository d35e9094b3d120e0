// SPDX-License-Identifier: GPL-2.0
/*
 * Merging arrays of 8-bit cells of one type: addition as a look-up.
 *
 * For each pair of states a table has K and the first 8 bits t of the probability
 * Delta with which K grows by one, as K * 256 + t.  A random byte b is added, and
 * the upper byte is the sum: t + b carries with probability t / 256.  At t + b =
 * 255, once in 256 cells, the other 56 bits of Delta decide.  So Delta is exact to
 * 64 bits, and a cell costs two loads, a look-up, and an addition.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define STATES		256
#define BYTES_OF_ONE	0x0101010101010101ULL

struct sums {
	struct scounter_array_type type;
	u16 sum[STATES * STATES];
};

/* Of the type that was merged last: programs merge many arrays of one type. */
static __thread struct sums *latest;

/* K, and Delta in units of 2^-64; whether the sum is too large. */
static u32 sum_of(const struct scounter_repr *repr, u32 x, u32 z, u64 *delta, bool *beyond)
{
	struct scounter_real sum = scounter_real_sum(scounter_repr_f(repr, x),
						     scounter_repr_f(repr, z));
	struct scounter_real rest, gap;
	u32 k;

	*delta = 0;
	*beyond = scounter_real_less(repr->most, sum);
	if (!scounter_real_less(sum, repr->most))
		return repr->top;
	k = scounter_repr_phi(repr, sum);
	rest = scounter_real_difference(sum, scounter_repr_f(repr, k));
	gap = scounter_repr_gap(repr, k);
	*delta = ((unsigned __int128)scounter_real_bits(rest, gap) << 64) /
		 scounter_real_bits(gap, gap);
	return k;
}

/* The one state after k is k + 1 in all kinds that the table serves. */
static bool has_table(const struct scounter_array_type *type)
{
	return type->bits == 8 && type->kind != SCOUNTER_REPR_SHARED &&
	       type->kind != SCOUNTER_REPR_DLM_FLOAT;
}

bool array_merge8_applies(const struct array *dst, const struct array *src)
{
	return has_table(&dst->cells.repr.type) && src->copies == 1 &&
	       !memcmp(&dst->cells.repr.type, &src->cells.repr.type,
		       sizeof(dst->cells.repr.type));
}

static int make_sums(const struct scounter_repr *repr)
{
	bool beyond;
	u64 delta;
	u32 x, z;

	if (!latest)
		latest = malloc(sizeof(*latest));
	if (!latest)
		return array_fail(-ENOMEM, "out of memory");
	latest->type = repr->type;
	/* A state beyond the last is that of a broken snapshot. */
	for (x = 0; x < STATES; x++)
		for (z = 0; z < STATES; z++) {
			u32 k = sum_of(repr, min(x, repr->top), min(z, repr->top), &delta,
				       &beyond);

			latest->sum[x * STATES + z] = k << 8 | delta >> 56;
		}
	return 0;
}

/* xoshiro256++ (Blackman & Vigna 2021) */
static inline u64 next_bits(u64 state[4])
{
	u64 sum = state[0] + state[3];
	u64 result = (sum << 23 | sum >> 41) + state[0];
	u64 t = state[1] << 17;

	state[2] ^= state[0];
	state[3] ^= state[1];
	state[1] ^= state[2];
	state[0] ^= state[3];
	state[2] ^= t;
	state[3] = state[3] << 45 | state[3] >> 19;
	return result;
}

static inline bool has_byte(u64 word, u64 bytes)
{
	word ^= bytes;
	return (word - BYTES_OF_ONE) & ~word & (BYTES_OF_ONE << 7);
}

/* The cells of a word of which a byte could not decide, or that are full. */
static u64 settle(struct array *dst, u64 x, u64 z, u64 random)
{
	const struct scounter_repr *repr = &dst->cells.repr;
	u64 delta, sums = 0;
	bool beyond;
	u32 i;

	for (i = 0; i < 64; i += 8) {
		u32 b = random >> i & 255;
		u32 k = sum_of(repr, min_t(u32, x >> i & 255, repr->top),
			       min_t(u32, z >> i & 255, repr->top), &delta, &beyond);

		dst->saturated |= beyond;
		if (b + (delta >> 56) == 255)
			k += next_bits(dst->bulk) >> 8 < (delta & ~0ULL >> 8);
		else
			k += b + (delta >> 56) > 255;
		sums |= (u64)k << i;
	}
	return sums;
}

int array_merge8(struct array *dst, const struct array *src)
{
	const u64 tops = dst->cells.repr.top * BYTES_OF_ONE;
	u64 state[4];
	const u16 *sum;
	u64 i;

	if (!latest || memcmp(&latest->type, &dst->cells.repr.type, sizeof(latest->type))) {
		int err = make_sums(&dst->cells.repr);

		if (err)
			return err;
	}
	sum = latest->sum;
	memcpy(state, dst->bulk, sizeof(state));
	for (i = 0; i < dst->cells.words; i++) {
		u64 x = dst->words[i], z = src->words[i];
		u64 random, sums = 0;
		u32 undecided = 0, j;

		if (!z)
			continue;
		random = next_bits(state);
#pragma GCC unroll 8
		for (j = 0; j < 64; j += 8) {
			u32 entry = sum[(x >> j & 255) << 8 | (z >> j & 255)] +
				    (u32)(random >> j & 255);

			sums |= (u64)(entry >> 8) << j;
			undecided |= (entry & 255) == 255;
		}
		if (undecided || has_byte(sums, tops)) {
			memcpy(dst->bulk, state, sizeof(state));
			sums = settle(dst, x, z, random);
			memcpy(state, dst->bulk, sizeof(state));
		}
		dst->words[i] = sums;
	}
	memcpy(dst->bulk, state, sizeof(state));
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Merging arrays of 8-bit cells of one type: addition as a look-up.
 *
 * For each pair of states a table has K and the first 8 bits t of the probability
 * Delta with which K grows by one, as K * 256 + t.  A random byte b is added, and
 * the upper byte is the sum: t + b carries with probability t / 256, and never where
 * b is 0.  There, in one cell of 256, the other bits of Delta decide instead: 8 more
 * from a second table, then, if those are equal too, the rest.  So Delta is exact to
 * 64 bits, and a cell costs a look-up and a fourth of an addition: four entries lie
 * side by side in a 64-bit word, whose lanes of 16 bits never carry into each other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/compiler.h>

#include "internal.h"
#include "xoshiro.h"

#define STATES	256

struct sums {
	struct scounter_array_type type;
	u16 sum[STATES * STATES];		/* K and the first 8 bits of Delta */
	u8 next[STATES * STATES];		/* 8 more */
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
	       array_same_type(dst, src);
}

static int make_sums(const struct scounter_repr *repr)
{
	bool beyond;
	u64 delta;
	u32 x, z;

	if (!latest)
		latest = malloc(sizeof(*latest));
	if (!latest)
		return out_of_memory();
	latest->type = repr->type;
	/* A state beyond the last is that of a broken snapshot. */
	for (x = 0; x < STATES; x++)
		for (z = 0; z < STATES; z++) {
			u32 k = sum_of(repr, min(x, repr->top), min(z, repr->top), &delta,
				       &beyond);

			latest->sum[x * STATES + z] = k << 8 | delta >> 56;
			latest->next[x * STATES + z] = delta >> 48;
		}
	return 0;
}

#define EVEN_BYTES	0x00ff00ff00ff00ffULL
#define EACH_BYTE	0x0101010101010101ULL

/* Whether K grows by one, where its first 8 bits have not decided it. */
static bool rest_decides(struct array *dst, u32 x, u32 z)
{
	const struct scounter_repr *repr = &dst->cells.repr;
	u32 random = scounter_draw_bits(&dst->rnd, 8);
	u32 next = latest->next[x << 8 | z];
	bool beyond;
	u64 delta;

	if (random != next)
		return random < next;
	sum_of(repr, min(x, repr->top), min(z, repr->top), &delta, &beyond);
	return scounter_draw_bits(&dst->rnd, 48) < (delta & ~0ULL >> 16);
}

/* How the rest of Delta decides for those cells of a word whose random byte is 0. */
static noinline u64 decide_rest(struct array *dst, u64 x, u64 z, u64 random)
{
	/* The upper bit of each byte that is 0, and no other. */
	u64 undecided = ~(((random & ~(EACH_BYTE << 7)) + ~(EACH_BYTE << 7)) | random) &
			EACH_BYTE << 7;
	u64 more = 0;

	for (; undecided; undecided &= undecided - 1) {
		u32 bit = __builtin_ctzll(undecided) - 7;

		more |= (u64)rest_decides(dst, x >> bit & 255, z >> bit & 255) << bit;
	}
	return more;
}

/* Whether one of the sums is beyond the last state: it is not with nothing added. */
static noinline bool any_beyond(const struct scounter_repr *repr, u64 x, u64 z)
{
	bool beyond = false;
	u32 bit;
	u64 delta;

	for (bit = 0; bit < 64 && !beyond; bit += 8) {
		u32 one = x >> bit & 255, other = z >> bit & 255;

		if (one && other && latest->sum[one << 8 | other] >> 8 == repr->top)
			sum_of(repr, min(one, repr->top), min(other, repr->top), &delta, &beyond);
	}
	return beyond;
}

/* Bytes 0, 2, 4 and 6 of one word, the others of the other. */
static inline u64 even_and_odd(u64 even, u64 odd)
{
	return ((even ^ odd) & EVEN_BYTES) ^ odd;
}

static inline bool any_zero(u64 bytes)
{
	return (bytes - EACH_BYTE) & ~bytes & EACH_BYTE << 7;
}

/* The entries for four pairs of states, 16 bits each as the pairs are. */
static inline u64 four_entries(const u16 *sum, u64 pairs)
{
	return sum[pairs & 0xffff] | (u64)sum[pairs >> 16 & 0xffff] << 16 |
	       (u64)sum[pairs >> 32 & 0xffff] << 32 | (u64)sum[pairs >> 48] << 48;
}

static void merge_words(struct array *dst, const struct array *src)
{
	const u64 tops = dst->cells.repr.top * EACH_BYTE;
	const u16 *sum = latest->sum;
	u64 words = dst->cells.words;
	bool lost = false;
	u64 bulk[4], i;

	memcpy(bulk, dst->bulk, sizeof(bulk));
	for (i = 0; i < words; i++) {
		u64 x = dst->words[i], z = src->words[i];
		u64 random, even, odd, sums;

		if (!z)
			continue;
		random = next_bits(bulk);
		even = four_entries(sum, even_and_odd(z, x << 8)) + (random & EVEN_BYTES);
		odd = four_entries(sum, even_and_odd(z >> 8, x)) + (random >> 8 & EVEN_BYTES);
		sums = even_and_odd(even >> 8, odd);
		if (any_zero(random))
			sums += decide_rest(dst, x, z, random);
		if (!lost && any_zero(sums ^ tops))
			lost = any_beyond(&dst->cells.repr, x, z);
		dst->words[i] = sums;
	}
	memcpy(dst->bulk, bulk, sizeof(bulk));
	if (lost)
		array_note_lost(dst, scounter_cells_lost_at_end(&dst->cells));
}

/* Cells of src that may lack counts: what they are merged into may, too. */
static void note_lacking(struct array *dst, const struct array *src)
{
	const struct scounter_cells *cells = &src->cells;
	u64 i, word;
	u32 bit;

	for (i = 0; i < cells->count; i++) {
		word = scounter_cells_find(cells, i, &bit);
		if (scounter_may_lack(src->lost_from,
				      scounter_cells_f(cells, src->words[word], bit).whole))
			array_note_lost(dst, scounter_cells_lost_from(cells, dst->words[word],
								      bit));
	}
}

int array_merge8_prepare(const struct array *dst)
{
	if (!latest || memcmp(&latest->type, &dst->cells.repr.type, sizeof(latest->type)))
		return make_sums(&dst->cells.repr);
	return 0;
}

int array_merge8(struct array *dst, const struct array *src)
{
	int err = array_merge8_prepare(dst);

	if (err)
		return err;
	merge_words(dst, src);
	if (array_saturated(src))
		note_lacking(dst, src);
	dst->mixed_ppm = max(dst->mixed_ppm, src->mixed_ppm);
	return 0;
}

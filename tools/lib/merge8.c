// SPDX-License-Identifier: GPL-2.0
/*
 * Merging arrays of 8-bit cells of one type: addition as a look-up.
 *
 * For each pair of states a table has K and the first 8 bits t of the probability
 * Delta with which K grows by one, as K * 256 + t.  A random byte b is added, and
 * the upper byte is the sum: t + b carries with probability t / 256.  At t + b =
 * 255, once in 256 cells, the other bits of Delta decide: first 32 from a second
 * table, then, if those are equal too, the rest.  So Delta is exact to 64 bits, and
 * a cell costs a look-up and an addition, which processors with AVX2 do for 8 cells
 * at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define STATES	256

struct sums {
	struct scounter_array_type type;
	u32 next[STATES * STATES];		/* bits 8 to 39 of Delta */
	u16 sum[STATES * STATES + 1];		/* K and the first 8; one is never used */
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
	latest->sum[STATES * STATES] = 0;
	/* A state beyond the last is that of a broken snapshot. */
	for (x = 0; x < STATES; x++)
		for (z = 0; z < STATES; z++) {
			u32 k = sum_of(repr, min(x, repr->top), min(z, repr->top), &delta,
				       &beyond);

			latest->sum[x * STATES + z] = k << 8 | delta >> 56;
			latest->next[x * STATES + z] = delta >> 24;
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

static bool rest_decides(struct array *dst, u32 x, u32 z)
{
	const struct scounter_repr *repr = &dst->cells.repr;
	u64 random = next_bits(dst->bulk);
	u32 next = latest->next[x << 8 | z];
	bool beyond;
	u64 delta;

	if (random >> 32 != next)
		return random >> 32 < next;
	sum_of(repr, min(x, repr->top), min(z, repr->top), &delta, &beyond);
	return (random & 0xffffff) < (delta & 0xffffff);
}

/* What a random byte b makes of a pair of states; the cases that are rare apart. */
static inline u32 merge_cell(struct array *dst, u32 x, u32 z, u32 b)
{
	const struct scounter_repr *repr = &dst->cells.repr;
	u32 entry = latest->sum[x << 8 | z] + b;
	u32 k = entry >> 8;

	if ((entry & 255) == 255)
		k += rest_decides(dst, x, z);
	if (k == repr->top && x <= k && z <= k)
		dst->saturated |= scounter_real_less(repr->most,
						     scounter_real_sum(scounter_repr_f(repr, x),
								       scounter_repr_f(repr, z)));
	return k;
}

static void merge_words(struct array *dst, const struct array *src, u64 i)
{
	for (; i < dst->cells.words; i++) {
		u64 x = dst->words[i], z = src->words[i];
		u64 random, sums = 0;
		u32 bit;

		if (!z)
			continue;
		random = next_bits(dst->bulk);
		for (bit = 0; bit < 64; bit += 8)
			sums |= (u64)merge_cell(dst, x >> bit & 255, z >> bit & 255,
						random >> bit & 255) << bit;
		dst->words[i] = sums;
	}
}

#ifdef __x86_64__
#include <immintrin.h>

#define AVX2	__attribute__((target("avx2")))

/* Four generators side by side, each from a seed of its own. */
struct wide {
	__m256i state[4];
};

AVX2 static void wide_seed(struct wide *wide, u64 bulk[4])
{
	u64 numbers[4];
	u32 i, j;

	for (i = 0; i < 4; i++) {
		for (j = 0; j < 4; j++)
			numbers[j] = next_bits(bulk);
		wide->state[i] = _mm256_loadu_si256((const __m256i *)numbers);
	}
}

/* next_bits(), four at once */
AVX2 static inline __m256i wide_next(struct wide *wide)
{
	__m256i *s = wide->state;
	__m256i sum = _mm256_add_epi64(s[0], s[3]);
	__m256i turned = _mm256_or_si256(_mm256_slli_epi64(sum, 23), _mm256_srli_epi64(sum, 41));
	__m256i result = _mm256_add_epi64(turned, s[0]);
	__m256i t = _mm256_slli_epi64(s[1], 17);

	s[2] = _mm256_xor_si256(s[2], s[0]);
	s[3] = _mm256_xor_si256(s[3], s[1]);
	s[1] = _mm256_xor_si256(s[1], s[2]);
	s[0] = _mm256_xor_si256(s[0], s[3]);
	s[2] = _mm256_xor_si256(s[2], t);
	s[3] = _mm256_or_si256(_mm256_slli_epi64(s[3], 45), _mm256_srli_epi64(s[3], 19));
	return result;
}

/* K * 256 + t + b of 8 cells */
AVX2 static inline __m256i wide_entries(const u8 *x, const u8 *z, const u8 *random)
{
	__m256i one = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)x));
	__m256i other = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)z));
	__m256i b = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)random));
	__m256i index = _mm256_or_si256(_mm256_slli_epi32(one, 8), other);
	__m256i entry = _mm256_i32gather_epi32((const int *)latest->sum, index, 2);

	return _mm256_add_epi32(_mm256_and_si256(entry, _mm256_set1_epi32(0xffff)), b);
}

/* The lowest bytes of 32 numbers of 32 bits, none above 255, in their order. */
AVX2 static inline __m256i wide_bytes(__m256i a, __m256i b, __m256i c, __m256i d)
{
	__m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);

	return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(_mm256_packus_epi32(a, b),
							       _mm256_packus_epi32(c, d)),
					   order);
}

/* As many words as are a multiple of 32 cells; how many. */
AVX2 static u64 merge_wide(struct array *dst, const struct array *src)
{
	const __m256i low = _mm256_set1_epi32(255);
	const __m256i tops = _mm256_set1_epi8(dst->cells.repr.top);
	u64 i, words = dst->cells.words & ~3ULL;
	u8 random[32] __attribute__((aligned(32)));
	u8 before[32] __attribute__((aligned(32)));
	struct wide wide;

	wide_seed(&wide, dst->bulk);
	for (i = 0; i < words; i += 4) {
		u8 *x = (u8 *)&dst->words[i];
		const u8 *z = (const u8 *)&src->words[i];
		__m256i e[4], sums, rests;
		u32 rare, j;

		_mm256_store_si256((__m256i *)random, wide_next(&wide));
		for (j = 0; j < 4; j++)
			e[j] = wide_entries(x + 8 * j, z + 8 * j, random + 8 * j);
		sums = wide_bytes(_mm256_srli_epi32(e[0], 8), _mm256_srli_epi32(e[1], 8),
				  _mm256_srli_epi32(e[2], 8), _mm256_srli_epi32(e[3], 8));
		rests = wide_bytes(_mm256_and_si256(e[0], low), _mm256_and_si256(e[1], low),
				   _mm256_and_si256(e[2], low), _mm256_and_si256(e[3], low));
		rare = _mm256_movemask_epi8(_mm256_or_si256(
			_mm256_cmpeq_epi8(rests, _mm256_set1_epi8(-1)),
			_mm256_cmpeq_epi8(sums, tops)));
		if (rare)
			_mm256_store_si256((__m256i *)before,
					   _mm256_loadu_si256((const __m256i *)x));
		_mm256_storeu_si256((__m256i *)x, sums);
		for (; rare; rare &= rare - 1) {
			j = __builtin_ctz(rare);
			x[j] = merge_cell(dst, before[j], z[j], random[j]);
		}
	}
	return words;
}

static u64 merge_fast(struct array *dst, const struct array *src)
{
	return __builtin_cpu_supports("avx2") ? merge_wide(dst, src) : 0;
}
#else
static u64 merge_fast(struct array *dst, const struct array *src)
{
	(void)dst;
	(void)src;
	return 0;
}
#endif

int array_merge8(struct array *dst, const struct array *src)
{
	if (!latest || memcmp(&latest->type, &dst->cells.repr.type, sizeof(latest->type))) {
		int err = make_sums(&dst->cells.repr);

		if (err)
			return err;
	}
	merge_words(dst, src, merge_fast(dst, src));
	return 0;
}

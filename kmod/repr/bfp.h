/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Binary floating point: a 32-bit word (m, e) that stands for the count
 * m * 2^e and is changed by an increment with probability Q = 2^-e.
 *
 * Dice, Lev & Moir 2013, section 4; addition after Steele & Tristan 2017,
 * section 8.  Pure integer functions without kernel state, the same source in
 * the kernel and in user space.  The layout is in <uapi/linux/scounter.h>.
 *
 * Two numbers make an update policy.  A mantissa that would reach the bound is
 * halved and the exponent grows by one, while the exponent can grow.  After a
 * failed compare-and-swap that happens once already at the threshold Theta.
 * bfp_dup has bound = Theta; bfp_csup has bound = all that the field holds, so
 * that only contention lowers its probability before the field is full.
 *
 * approx has a bound B that is about Theta, a power of two, and halves earlier while
 * the exponent is small, at B (1 - (2/3) 2^-e).  The variance after n events at exponent
 * e is then (2^e - 1) (n - B (2^e - 1) / 3), which is at most 3 n^2 / (4B) for any n, and
 * that much at one n of each exponent: none can begin earlier if the error is to be
 * sqrt(3 / (4B)).  Halving at B always has that error only in the limit.
 *
 * It goes on where the exponent is at its end: a mantissa of d bits more than the
 * bound is then changed by 2^d at a time, with probability 2^-(e + d), as if it had
 * been halved d times.
 */
#ifndef _SCOUNTER_REPR_BFP_H
#define _SCOUNTER_REPR_BFP_H

#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <uapi/linux/scounter.h>

#include "base/draw.h"

#define SCOUNTER_BFP_BOUND_MAX	(SCOUNTER_BFP_MANTISSA_MAX + 1U)

/* More than any word can hold: adding this or more saturates any word. */
#define SCOUNTER_BFP_BEYOND \
	(1ULL << (SCOUNTER_BFP_MANTISSA_BITS + SCOUNTER_BFP_EXPONENT_MAX))

struct scounter_bfp_policy {
	u32 bound;	/* even */
	u32 early;	/* the bound at exponent 0 is less by that, at 1 by half of it, ... */
	u32 theta;	/* even, at most the bound */
	bool contended;	/* the word changed under a compare-and-swap */
};

static inline u32 scounter_bfp_mantissa(u32 word)
{
	return word & SCOUNTER_BFP_MANTISSA_MAX;
}

static inline u32 scounter_bfp_exponent(u32 word)
{
	return word >> SCOUNTER_BFP_MANTISSA_BITS;
}

static inline u32 scounter_bfp_word(u32 mantissa, u32 exponent)
{
	return exponent << SCOUNTER_BFP_MANTISSA_BITS | mantissa;
}

/* The unbiased estimator f. */
static inline u64 scounter_bfp_value(u32 word)
{
	return (u64)scounter_bfp_mantissa(word) << scounter_bfp_exponent(word);
}

/*
 * Theta, the mantissa threshold (paper, section 4.2): the even number 2M with
 * M = (3 / error^2 + 3) / 8, for which the relative standard deviation tends to
 * sqrt(3 / (8M - 3)).  M is rounded down as in the paper (7500 for 1 %), which
 * makes that limit a little more than the error asked for; estimates report
 * the limit.
 */
static inline u32 scounter_bfp_theta(u32 error_ppm)
{
	u64 inverse_square = div64_u64(3ULL * SCOUNTER_PPM * SCOUNTER_PPM,
				       (u64)error_ppm * error_ppm);

	return 2 * ((u32)(inverse_square + 3) / 8);
}

/*
 * Of approx, which is never to have more than the error asked for: M is rounded up, so
 * that 8M - 3 >= 3 / error^2 (7502 for 1 %).  A bound B >= Theta then is large enough,
 * too: 4B >= 8M.
 */
static inline u32 scounter_bfp_approx_theta(u32 error_ppm)
{
	u64 inverse_square = DIV64_U64_ROUND_UP(3ULL * SCOUNTER_PPM * SCOUNTER_PPM,
						(u64)error_ppm * error_ppm);

	return 2 * ((u32)(inverse_square + 10) / 8);
}

/* log2 of the bound of approx: between Theta and twice that. */
static inline u32 scounter_bfp_approx_log2(u32 theta)
{
	return fls(theta - 1);
}

/* By how much less it has at exponent 0: two thirds. */
static inline u32 scounter_bfp_approx_early(u32 bound_log2)
{
	return (2U << bound_log2) / 3;
}

/*
 * By how many bits the mantissa is beyond a bound of 2^bound_log2 although the
 * exponent is at its end; bound_log2 is 0 for policies that do not care.
 */
static inline u32 scounter_bfp_bits_beyond(u32 word, u32 bound_log2)
{
	if (!bound_log2 || scounter_bfp_exponent(word) < SCOUNTER_BFP_EXPONENT_MAX)
		return 0;
	return fls(scounter_bfp_mantissa(word) >> bound_log2);
}

/* n rounded at random to a multiple of 2^k. */
static inline u64 scounter_bfp_thin_to(u64 n, u32 k, struct rnd_state *rnd)
{
	n = min_t(u64, n, SCOUNTER_BFP_BEYOND);
	return scounter_draw_rounded(rnd, n, k) << k;
}

/*
 * What is left of an addition of n when only every 2^e-th event is counted:
 * n rounded at random to a multiple of 2^e.  With n = 1 this is the trial of
 * an increment; with n = 2^d, d < e, it is the trial that an increment which
 * succeeded at exponent d must still survive at exponent e.
 */
static inline u64 scounter_bfp_thin(u64 n, u32 word, struct rnd_state *rnd)
{
	return scounter_bfp_thin_to(n, scounter_bfp_exponent(word), rnd);
}

/* Even, so that a mantissa that one unit has brought there is halved exactly. */
static inline u32 scounter_bfp_bound(const struct scounter_bfp_policy *policy,
				     u32 exponent)
{
	return (policy->bound - (policy->early >> exponent) + 1) & ~1U;
}

/* By how much the exponent grows when the mantissa would become `mantissa`. */
static inline u32 scounter_bfp_growth(u64 mantissa, u32 exponent,
				      const struct scounter_bfp_policy *policy)
{
	u32 room = SCOUNTER_BFP_EXPONENT_MAX - exponent;
	u32 growth = 0;

	while (growth < room &&
	       mantissa >> growth >= scounter_bfp_bound(policy, exponent + growth))
		growth++;
	if (!growth && room && policy->contended && mantissa >= policy->theta)
		growth = 1;
	return growth;
}

/*
 * The word at a larger exponent, if there is one: rounded at random, up or down by less
 * than the unit there.
 */
static inline u32 scounter_bfp_raise(u32 word, u32 exponent, struct rnd_state *rnd)
{
	u32 before = scounter_bfp_exponent(word);

	exponent = min_t(u32, exponent, SCOUNTER_BFP_EXPONENT_MAX);
	if (exponent <= before)
		return word;
	return scounter_bfp_word(scounter_draw_rounded(rnd, scounter_bfp_mantissa(word),
						       exponent - before), exponent);
}

/*
 * The word after a thinned n has been added to it: phi of the sum, or tau of
 * that where the rounding went up, at the exponent that the policy asks for.
 *
 * The value never goes down.  A growth by one rounds down by at most one unit
 * of the mantissa, and n is at least one unit; a growth by more happens only
 * when n is at least as many units as the bound.
 */
static inline u32 scounter_bfp_sum(u32 word, u64 n,
				   const struct scounter_bfp_policy *policy,
				   struct rnd_state *rnd)
{
	u32 exponent = scounter_bfp_exponent(word);
	u64 mantissa = scounter_bfp_mantissa(word) + (n >> exponent);
	u32 growth = scounter_bfp_growth(mantissa, exponent, policy);

	mantissa = scounter_draw_rounded(rnd, mantissa, growth);
	exponent += growth;
	/* Rounding up can reach the bound; that is even, so its half is exact. */
	if (growth && exponent < SCOUNTER_BFP_EXPONENT_MAX &&
	    mantissa == scounter_bfp_bound(policy, exponent)) {
		mantissa /= 2;
		exponent++;
	}
	if (mantissa > SCOUNTER_BFP_MANTISSA_MAX)
		return SCOUNTER_BFP_WORD_MAX;
	return scounter_bfp_word(mantissa, exponent);
}

/*
 * An upper bound of the variance of the value: every event was counted with
 * probability 2^-e or more, so an event contributes at most 2^e - 1.
 */
static inline u64 scounter_bfp_variance(u32 word)
{
	return scounter_bfp_value(word) *
	       ((1U << scounter_bfp_exponent(word)) - 1);
}

#endif /* _SCOUNTER_REPR_BFP_H */

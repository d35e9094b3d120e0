// SPDX-License-Identifier: GPL-2.0
/*
 * The bfp kinds: the out-of-line half of an increment, addition and reading.
 *
 * An increment whose trial at exponent e succeeded carries 2^e events, and is
 * from there on the addition of n = 2^e.  An addition first rounds n at random
 * to a multiple of the word's unit.  When the compare-and-swap then fails, the
 * other CPU's word may have another exponent: n, as it now is, is rounded
 * again to that unit.  At the same exponent nothing is left to round, so that
 * a success stays one; drawing anew would lose counts exactly under
 * contention.  At a lower exponent (after a reset) 2^e events are several
 * units, and none is lost.
 *
 * Dice, Lev & Moir 2013, section 4; Steele & Tristan 2017, section 8.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "compat.h"
#include "backoff.h"
#include "kind.h"
#include "random.h"
#include "repr/bfp.h"
#include "repr/bounds.h"

/* A multiple of what the word is changed by at a time. */
static notrace u64 thin(const struct scounter_ref *ref, u64 n, u32 word,
			struct rnd_state *rnd)
{
	return scounter_bfp_thin_to(n, scounter_bfp_exponent(word) +
				       scounter_bfp_bits_beyond(word, ref->class->shift), rnd);
}

static notrace struct scounter_bfp_policy policy_of(const struct scounter_class *class,
						    bool contended)
{
	struct scounter_bfp_policy policy = {
		.bound = class->limit + 1,
		.theta = class->theta,
		.contended = contended,
	};

	if (class->shift) {
		policy.bound = 1U << class->shift;
		policy.early = scounter_bfp_approx_early(class->shift);
	}
	return policy;
}

/* The word after the addition of a thinned n; 0 only of a full word that begins again. */
static notrace u32 sum(const struct scounter_ref *ref, u32 word, u64 n,
		       bool contended, struct rnd_state *rnd)
{
	struct scounter_bfp_policy policy = policy_of(ref->class, contended);

	if (word == SCOUNTER_BFP_WORD_MAX && ref->class->flags & SCOUNTER_CLASS_WRAP)
		return 0;
	return scounter_bfp_sum(word, n, &policy, rnd);
}

static notrace void bfp_apply(const struct scounter_ref *ref, u64 n, u32 failures,
			      struct rnd_state *rnd)
{
	atomic_t *word = &ref->word32->word;
	int seen = atomic_read(word);
	int old, new;

	for (;; failures++) {
		/* Decide for the word as it is now before backing off for it. */
		n = thin(ref, n, seen, rnd);
		if (!n)
			return;
		if (failures) {
			scounter_backoff(failures, rnd);
			seen = atomic_read(word);
			n = thin(ref, n, seen, rnd);
			if (!n)
				return;
		}
		new = sum(ref, seen, n, failures, rnd);
		if (new == seen)
			return;
		old = seen;
		if (likely(new) ? atomic_try_cmpxchg_relaxed(word, &seen, new) :
				  scounter_wrap32(ref, &seen, new))
			return;
		/* The sum was rounded too: what it was to add is the new n. */
		if (new && (u32)new != SCOUNTER_BFP_WORD_MAX)
			n = scounter_bfp_value(new) - scounter_bfp_value(old);
	}
}

/*
 * The trial of an increment has succeeded.  Nearly always the word still has
 * that exponent, and its mantissa has room: then adding 1 to the word does it.
 */
static __always_inline void bfp_success(const struct scounter_ref *ref,
					u32 exponent, struct rnd_state *rnd)
{
	struct scounter_bfp_policy policy = policy_of(ref->class, false);
	int old = atomic_read(&ref->word32->word);
	bool room = scounter_bfp_exponent(old) == exponent &&
		    scounter_bfp_mantissa(old) + 1 < scounter_bfp_bound(&policy, exponent);

	if (!room || !atomic_try_cmpxchg_relaxed(&ref->word32->word, &old, old + 1))
		bfp_apply(ref, 1ULL << exponent, room, rnd);
}

static notrace void bfp_finish(const struct scounter_ref *ref, u32 outcome)
{
	struct rnd_state *rnd = scounter_random_get();

	if (outcome == SCOUNTER_CONTENDED)
		bfp_apply(ref, 1, 1, rnd);
	else if (scounter_trial_decide(rnd, outcome))
		bfp_success(ref, outcome >> SCOUNTER_OUTCOME_BITS, rnd);
	scounter_random_put();
}

/*
 * Steele & Tristan 2017, section 8, with the exponent never lowered and the
 * class's threshold obeyed (their M is the policy's bound).
 */
static notrace void bfp_add(const struct scounter_ref *ref, u64 n)
{
	int old = atomic_read(&ref->word32->word);
	u32 limit = ref->class->limit;
	/* At exponent 0, and the sum below the bound: nothing to round. */
	bool room = (u32)old < limit && n <= limit - (u32)old;

	if (!n)
		return;
	if (room && atomic_try_cmpxchg_relaxed(&ref->word32->word, &old, old + (u32)n))
		return;
	bfp_apply(ref, n, room, scounter_random_get());
	scounter_random_put();
}

static u64 bfp_read(const struct scounter_ref *ref)
{
	return scounter_bfp_value(atomic_read(&ref->word32->word));
}

/*
 * The relative variance at most, whatever the count: 3 / (8M - 3), which is that of
 * bfp_dup in the limit, where 2M is Theta.  None where only contention makes the
 * exponent grow, nor for an exponent that is not due to the word's own count.
 */
static u64 bfp_limit(u32 word, const struct scounter_class *class)
{
	struct scounter_bfp_policy policy = policy_of(class, false);
	u32 exponent = scounter_bfp_exponent(word);
	u32 bound;

	if (class->limit == SCOUNTER_BFP_MANTISSA_MAX || !exponent)
		return SCOUNTER_VARIANCE_MAX;
	bound = min(scounter_bfp_bound(&policy, exponent - 1), class->theta);
	if (scounter_bfp_mantissa(word) < bound / 2)
		return SCOUNTER_VARIANCE_MAX;
	return div_u64(3 * SCOUNTER_VARIANCE_ONE, 4 * class->theta - 3);
}

static void bfp_read_est(const struct scounter_ref *ref,
			 struct scounter_estimate *estimate)
{
	u32 word = atomic_read(&ref->word32->word);
	struct scounter_known known = {
		.value = scounter_bfp_value(word),
		.unit = 1ULL << (scounter_bfp_exponent(word) +
				 scounter_bfp_bits_beyond(word, ref->class->shift)),
		.limit = bfp_limit(word, ref->class),
		.full = word == SCOUNTER_BFP_WORD_MAX,
	};

	scounter_estimate_approx(estimate, &known);
}

static u64 bfp_fetch_reset(const struct scounter_ref *ref)
{
	return scounter_bfp_value(atomic_xchg(&ref->word32->word, 0));
}

static const u64 bfp_max =
	(u64)SCOUNTER_BFP_MANTISSA_MAX << SCOUNTER_BFP_EXPONENT_MAX;

#define BFP_OPS(name_, kind_, paper_, summary_) {	\
	.name		= name_,			\
	.kind		= kind_,			\
	.word		= SCOUNTER_WORD32,		\
	.word_offset	= offsetof(struct scounter, word32),	\
	.value_max	= &bfp_max,			\
	.paper		= paper_,			\
	.summary	= summary_,			\
	.finish		= bfp_finish,			\
	.add		= bfp_add,			\
	.read		= bfp_read,			\
	.read_est	= bfp_read_est,			\
	.fetch_reset	= bfp_fetch_reset,		\
}

const struct scounter_kind_ops scounter_bfp_dup_ops =
	BFP_OPS("bfp_dup", SCOUNTER_BFP_DUP, "Dice, Lev & Moir 2013, 4.2",
		"approximate; error known beforehand, 4 bytes");
const struct scounter_kind_ops scounter_bfp_csup_ops =
	BFP_OPS("bfp_csup", SCOUNTER_BFP_CSUP, "Dice, Lev & Moir 2013, 4.3",
		"exact until contended, then approximate, 4 bytes");

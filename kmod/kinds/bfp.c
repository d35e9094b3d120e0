// SPDX-License-Identifier: GPL-2.0
/*
 * The bfp kinds: the out-of-line half of an increment, addition and reading.
 *
 * A word (mantissa, exponent) stands for mantissa * 2^exponent: (5000, 3) for 40000, and
 * an increment changes it with probability 1/8.
 *
 * An increment that wins at exponent e carries 2^e events.  From there on it is the
 * addition of n = 2^e.  An addition first rounds n at random to a multiple of the word's
 * unit.  If the compare-and-swap fails, the word of the other CPU may have another
 * exponent: then n, as it now is, is rounded to the new unit.  At the same exponent nothing
 * is left to round, so a success stays one.  To draw anew would lose counts exactly
 * under contention.
 *
 * At a lower exponent, after a reset, 2^e events are several units.  The word is raised to
 * exponent e.  At its own it would claim to be more exact than one success in 2^e trials
 * can be:
 *
 *	CPU 0: word (5000, 10), wins 1 in 2^10
 *						CPU 1: reset, word (0, 0)
 *	CPU 0: adds 1024			(1, 10), as (1024, 0) would be exact
 *
 * Dice, Lev & Moir 2013, section 4; Steele & Tristan 2017, section 8.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "compat.h"
#include "base/backoff.h"
#include "base/random.h"
#include "kinds/kind.h"
#include "kinds/marks.h"
#include "kinds/trace.h"
#include "repr/bfp.h"
#include "repr/bounds.h"

/* An addition, and the k of the 2^-k at which it was won or last rounded, 0 if never. */
struct addition {
	u64 n;
	u32 drawn;
};

/* log2 of the unit: what the word changes by. */
static notrace u32 bfp_unit_log2(const struct scounter_ref *ref, u32 word)
{
	return scounter_bfp_exponent(word) +
	       scounter_bfp_bits_beyond(word, ref->class->bound_log2);
}

/* Round the addition at random to a multiple of the word's unit. */
static notrace void bfp_thin(const struct scounter_ref *ref, struct addition *add, u32 word,
			     struct rnd_state *rnd)
{
	u32 k = bfp_unit_log2(ref, word);

	if (!(add->n & ((1ULL << k) - 1)))
		return;
	add->n = scounter_bfp_thin_to(add->n, k, rnd);
	add->drawn = k;
}

static notrace struct scounter_bfp_policy bfp_policy_of(const struct scounter_class *class,
							bool contended)
{
	struct scounter_bfp_policy policy = {
		.bound = class->limit + 1,
		.theta = class->theta,
		.contended = contended,
	};

	if (class->bound_log2) {
		policy.bound = 1U << class->bound_log2;
		policy.early = scounter_bfp_approx_early(class->bound_log2);
	}
	return policy;
}

static notrace bool bfp_is_late(const struct scounter_ref *ref, u32 word,
				const struct addition *add)
{
	return add->drawn > bfp_unit_log2(ref, word);
}

/* The word after a thinned addition.  0 only if a full word begins again. */
static notrace u32 bfp_sum(const struct scounter_ref *ref, u32 word,
			   const struct addition *add, bool contended, struct rnd_state *rnd)
{
	struct scounter_bfp_policy policy = bfp_policy_of(ref->class, contended);

	if (word == SCOUNTER_BFP_WORD_MAX && ref->class->flags & SCOUNTER_CLASS_WRAP)
		return 0;
	if (bfp_is_late(ref, word, add))
		word = scounter_bfp_raise(word, add->drawn, rnd);
	return scounter_bfp_sum(word, add->n, &policy, rnd);
}

static notrace void bfp_trace(const struct scounter_ref *ref, u32 old, u32 new)
{
	scounter_trace_end_of_range(ref, scounter_bfp_value(old), scounter_bfp_value(new),
				    scounter_bfp_value(SCOUNTER_BFP_WORD_MAX));
}

static notrace bool bfp_try_add(const struct scounter_ref *ref, int *seen, u32 new,
				const struct addition *add)
{
	bool swapped;

	if (unlikely(!new))
		return scounter_wrap32(ref, seen, new);
	if (likely(!bfp_is_late(ref, *seen, add)))
		return atomic_try_cmpxchg_relaxed(&ref->word32->word, seen, new);
	scounter_marks_enter(ref, add->drawn, 0);
	swapped = atomic_try_cmpxchg_relaxed(&ref->word32->word, seen, new);
	scounter_marks_leave(ref, swapped);
	return swapped;
}

/*
 * After a failure the sum is rounded again, for the word as it is then.  Sums that were
 * rounded up and down are swapped in alike, so a failure prefers neither.  To keep the
 * first rounding would drop an event, or count it twice, in a word that is still exact.
 */
static notrace void bfp_apply(const struct scounter_ref *ref, struct addition add,
			      u32 failures, struct rnd_state *rnd)
{
	int seen = atomic_read(&ref->word32->word);
	u32 new;

	for (;; failures++) {
		/* Decide for the word as it is now before backing off for it. */
		bfp_thin(ref, &add, seen, rnd);
		if (add.n && failures) {
			scounter_backoff(failures, rnd);
			seen = atomic_read(&ref->word32->word);
			bfp_thin(ref, &add, seen, rnd);
		}
		if (!add.n)
			return;
		new = bfp_sum(ref, seen, &add, failures, rnd);
		if (new == (u32)seen)
			return;
		if (bfp_try_add(ref, &seen, new, &add)) {
			bfp_trace(ref, seen, new);
			return;
		}
	}
}

/*
 * The trial of an increment has succeeded.  The word nearly always still has that
 * exponent, and room in its mantissa: add 1 to the word.
 */
static __always_inline void bfp_success(const struct scounter_ref *ref,
					u32 exponent, struct rnd_state *rnd)
{
	struct scounter_bfp_policy policy = bfp_policy_of(ref->class, false);
	int old = atomic_read(&ref->word32->word);
	bool room = scounter_bfp_exponent(old) == exponent &&
		    scounter_bfp_mantissa(old) + 1 < scounter_bfp_bound(&policy, exponent);

	if (room && atomic_try_cmpxchg_relaxed(&ref->word32->word, &old, old + 1))
		bfp_trace(ref, old, old + 1);
	else
		bfp_apply(ref, (struct addition) { 1ULL << exponent, exponent }, room, rnd);
}

static notrace void bfp_finish(const struct scounter_ref *ref, u32 outcome)
{
	struct rnd_state *rnd = scounter_random_get();

	if (outcome == SCOUNTER_CONTENDED)
		bfp_apply(ref, (struct addition) { 1 }, 1, rnd);
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
	/* At exponent 0, with a sum below the bound, nothing is rounded. */
	bool room = (u32)old < limit && n <= limit - (u32)old;

	if (room && atomic_try_cmpxchg_relaxed(&ref->word32->word, &old, old + (u32)n))
		return;
	bfp_apply(ref, (struct addition) { n }, room, scounter_random_get());
	scounter_random_put();
}

static u64 bfp_read(const struct scounter_ref *ref)
{
	return scounter_bfp_value(atomic_read(&ref->word32->word));
}

/*
 * The most that the relative variance can be, whatever the count: 3 / (8M - 3), that of
 * bfp_dup in the limit, with Theta = 2M.  There is no such limit where only contention
 * makes the exponent grow, or where the count itself did not get the word this far.
 */
static u64 bfp_limit(u32 word, const struct scounter_class *class)
{
	struct scounter_bfp_policy policy = bfp_policy_of(class, false);
	u32 exponent = scounter_bfp_exponent(word);
	u32 bound;

	if (class->limit == SCOUNTER_BFP_MANTISSA_MAX || !exponent)
		return SCOUNTER_VARIANCE_MAX;
	bound = min(scounter_bfp_bound(&policy, exponent - 1), class->theta);
	if (scounter_bfp_mantissa(word) < bound / 2)
		return SCOUNTER_VARIANCE_MAX;
	return div_u64(3 * SCOUNTER_VARIANCE_ONE, 4 * class->theta - 3);
}

/*
 * The largest weight that may have landed after a reset.  Such a weight has raised the
 * word to its exponent.  At the last exponent approx goes on with larger units, so there
 * it may be all of the value.
 */
static u64 bfp_late(const struct scounter_ref *ref, u32 word)
{
	if (ref->counter || !(ref->class->flags & SCOUNTER_CLASS_RESETS))
		return BIT_ULL(ref->late);
	if (ref->class->bound_log2 && scounter_bfp_exponent(word) == SCOUNTER_BFP_EXPONENT_MAX)
		return scounter_bfp_value(word);
	return BIT_ULL(scounter_bfp_exponent(word));
}

static struct scounter_known bfp_known(const struct scounter_ref *ref)
{
	u32 word = atomic_read(&ref->word32->word);

	return (struct scounter_known) {
		.value = scounter_bfp_value(word),
		.unit = 1ULL << (scounter_bfp_exponent(word) +
				 scounter_bfp_bits_beyond(word, ref->class->bound_log2)),
		.limit = bfp_limit(word, ref->class),
		.late = bfp_late(ref, word),
		.full = word == SCOUNTER_BFP_WORD_MAX,
	};
}

static void bfp_read_est(const struct scounter_ref *ref,
			 struct scounter_estimate *estimate)
{
	u32 word = atomic_read(&ref->word32->word);
	struct scounter_known known;

	/* Nothing has been sampled, as of most counters. */
	if (!scounter_bfp_exponent(word) && !ref->late) {
		scounter_estimate_exact(estimate, word, U64_MAX);
		return;
	}
	known = bfp_known(ref);
	scounter_estimate_approx(estimate, &known);
}

static u64 bfp_fetch_reset(const struct scounter_ref *ref)
{
	return scounter_bfp_value(atomic_xchg(&ref->word32->word, 0));
}

static const u64 bfp_max =
	(u64)SCOUNTER_BFP_MANTISSA_MAX << SCOUNTER_BFP_EXPONENT_MAX;

#define BFP_OPS(summary_) {				\
	.word_offset	= offsetof(struct scounter, word32),	\
	.value_max	= &bfp_max,			\
	.summary	= summary_,			\
	.finish		= bfp_finish,			\
	.add		= bfp_add,			\
	.read		= bfp_read,			\
	.read_est	= bfp_read_est,			\
	.known		= bfp_known,			\
	.fetch_reset	= bfp_fetch_reset,		\
}

const struct scounter_kind_ops scounter_bfp_dup_ops =
	BFP_OPS("approximate; error known beforehand, 4 bytes");
const struct scounter_kind_ops scounter_bfp_csup_ops =
	BFP_OPS("exact until contended, then approximate, 4 bytes");

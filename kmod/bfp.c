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
#include <linux/processor.h>

#include "compat.h"
#include "kind.h"
#include "random.h"
#include "repr/bfp.h"

/* Pauses at most 2^BACKOFF_BITS_MAX times. */
#define BACKOFF_BITS_MAX	8

/* Randomized exponential backoff, none at all before the first failure. */
static notrace void backoff(u32 failures, struct rnd_state *rnd)
{
	u32 pauses;

	if (!failures)
		return;
	pauses = scounter_draw_bits(rnd, min_t(u32, failures, BACKOFF_BITS_MAX));
	while (pauses--)
		cpu_relax();
}

static notrace void bfp_apply(struct scounter_bfp *counter,
			      const struct scounter_bfp_class *class,
			      u64 n, u32 failures, struct rnd_state *rnd)
{
	struct scounter_bfp_policy policy = {
		.bound = class->limit + 1,
		.theta = class->theta,
	};
	int seen = atomic_read(&counter->word);
	int old, new;

	for (;; failures++) {
		/* Decide for the word as it is now before backing off for it. */
		n = scounter_bfp_thin(n, seen, rnd);
		if (!n)
			return;
		if (failures) {
			backoff(failures, rnd);
			seen = atomic_read(&counter->word);
			n = scounter_bfp_thin(n, seen, rnd);
			if (!n)
				return;
		}
		policy.contended = failures;
		new = scounter_bfp_sum(seen, n, &policy, rnd);
		if (new == seen)
			return;
		old = seen;
		if (atomic_try_cmpxchg_relaxed(&counter->word, &seen, new))
			return;
		/* The sum was rounded too: what it was to add is the new n. */
		if ((u32)new != SCOUNTER_BFP_WORD_MAX)
			n = scounter_bfp_value(new) - scounter_bfp_value(old);
	}
}

/*
 * The trial of an increment has succeeded.  Nearly always the word still has
 * that exponent, and its mantissa has room: then adding 1 to the word does it.
 */
static __always_inline void bfp_success(struct scounter_bfp *counter,
					const struct scounter_bfp_class *class,
					u32 exponent, struct rnd_state *rnd)
{
	int old = atomic_read(&counter->word);
	bool room = scounter_bfp_exponent(old) == exponent &&
		    scounter_bfp_mantissa(old) < class->limit;

	if (!room || !atomic_try_cmpxchg_relaxed(&counter->word, &old, old + 1))
		bfp_apply(counter, class, 1ULL << exponent, room, rnd);
}

/* What remains of an increment after its inline part. */
notrace void __scounter_bfp_finish(struct scounter_bfp *counter,
				   const struct scounter_bfp_class *class,
				   u32 outcome)
{
	struct rnd_state *rnd = scounter_random_get();

	if (outcome == SCOUNTER_CONTENDED)
		bfp_apply(counter, class, 1, 1, rnd);
	else if (scounter_trial_decide(rnd, outcome))
		bfp_success(counter, class, outcome >> SCOUNTER_OUTCOME_BITS, rnd);
	scounter_random_put();
}
EXPORT_SYMBOL_GPL(__scounter_bfp_finish);

notrace void __scounter_finish(struct scounter *counter, u32 outcome)
{
	__scounter_bfp_finish(&counter->bfp, &counter->class, outcome);
}
EXPORT_SYMBOL_GPL(__scounter_finish);

/**
 * scounter_bfp_class_init - accuracy and policy chosen at run time
 * @class: what to fill in
 * @kind: SCOUNTER_BFP_DUP, SCOUNTER_BFP_CSUP or SCOUNTER_APPROX
 * @ppm: relative standard deviation in parts per million, from
 *	SCOUNTER_ERROR_PPM_MIN to SCOUNTER_ERROR_PPM_MAX; 0 for the default
 *
 * Dice, Lev & Moir 2013, section 4.2: Theta = 2M with M the integer part of
 * (3 / error^2 + 3) / 8.
 *
 * Context: Any context.
 * Return: 0, -EINVAL for another kind, -ERANGE for an error out of range.
 */
int scounter_bfp_class_init(struct scounter_bfp_class *class,
			    enum scounter_kind kind, u32 ppm)
{
	kind = __SCOUNTER_KIND(kind);
	if (!__SCOUNTER_IS_BFP(kind))
		return -EINVAL;
	if (!ppm)
		ppm = SCOUNTER_ERROR_PPM_DEFAULT;
	if (ppm < SCOUNTER_ERROR_PPM_MIN || ppm > SCOUNTER_ERROR_PPM_MAX)
		return -ERANGE;
	class->theta = scounter_bfp_theta(ppm);
	class->limit = kind == SCOUNTER_BFP_DUP ? class->theta - 1 :
						  SCOUNTER_BFP_MANTISSA_MAX;
	return 0;
}
EXPORT_SYMBOL_GPL(scounter_bfp_class_init);

/**
 * scounter_bfp_add - count n events at once in an embedded bfp counter
 * @counter: the word
 * @class: its accuracy and policy, the same in every call for this word
 * @n: how many, any
 *
 * The expected value grows by n exactly, in one step whatever n is; beyond
 * (2^28 - 1) * 2^15 the word saturates.
 *
 * Steele & Tristan 2017, section 8, with the exponent never lowered and the
 * class's threshold obeyed (their M is the policy's bound).
 *
 * Context: Any context, NMI included.
 */
notrace void scounter_bfp_add(struct scounter_bfp *counter,
			      const struct scounter_bfp_class *class, u64 n)
{
	int old = atomic_read(&counter->word);
	/* At exponent 0, and the sum below the bound: nothing to round. */
	bool room = (u32)old < class->limit && n <= class->limit - (u32)old;

	if (!n)
		return;
	if (room && atomic_try_cmpxchg_relaxed(&counter->word, &old, old + (u32)n))
		return;
	bfp_apply(counter, class, n, room, scounter_random_get());
	scounter_random_put();
}
EXPORT_SYMBOL_GPL(scounter_bfp_add);

/**
 * scounter_bfp_read - the value of an embedded bfp counter
 * @counter: the word
 *
 * Context: Any context, NMI included.
 * Return: an unbiased estimate of the number of events, m * 2^e.
 */
u64 scounter_bfp_read(const struct scounter_bfp *counter)
{
	return scounter_bfp_value(atomic_read(&counter->word));
}
EXPORT_SYMBOL_GPL(scounter_bfp_read);

static bool is_dup(const struct scounter_bfp_class *class)
{
	return class->limit < class->theta;
}

/*
 * The relative standard deviation of a value n counted at exponent e is at
 * most sqrt((2^e - 1) / n).  Under the deterministic policy it is also at most
 * what the class was made for, in the limit of large n: sqrt(3 / (8M - 3)),
 * where 2M is Theta.
 */
static u32 bfp_error_ppm(u32 word, const struct scounter_bfp_class *class)
{
	const u64 ppm_squared = (u64)SCOUNTER_PPM * SCOUNTER_PPM;
	u64 value = scounter_bfp_value(word);
	u64 square;

	if (!scounter_bfp_exponent(word) || !value)
		return 0;
	square = div64_u64(ppm_squared * ((1U << scounter_bfp_exponent(word)) - 1),
			   value);
	if (is_dup(class))
		square = min(square, div64_u64(3 * ppm_squared,
					       4 * class->theta - 3));
	return int_sqrt64(square) + 1;
}

/**
 * scounter_bfp_read_est - the value of an embedded bfp counter, and its error
 * @counter: the word
 * @class: its accuracy and policy
 * @estimate: value, bounds, relative error and state
 *
 * The error is the least of two bounds: the variance of a value n at exponent
 * e is at most n * (2^e - 1); and for bfp_dup the relative standard deviation
 * tends to sqrt(3 / (8M - 3)) (Dice, Lev & Moir 2013, section 4.2).
 *
 * Context: Any context, NMI included.
 */
void scounter_bfp_read_est(const struct scounter_bfp *counter,
			   const struct scounter_bfp_class *class,
			   struct scounter_estimate *estimate)
{
	u32 word = atomic_read(&counter->word);
	u64 value = scounter_bfp_value(word);
	u32 error_ppm = bfp_error_ppm(word, class);
	u64 margin = 0;

	/* At most 2^43 * 3 * 200000: below 2^63. */
	if (error_ppm)
		margin = DIV_ROUND_UP_ULL(value * 3 * error_ppm, SCOUNTER_PPM);
	*estimate = (struct scounter_estimate) {
		.value = value,
		.lower = value - min(value, margin),
		.upper = value + margin,
		.error_ppm = error_ppm,
		.flags = scounter_bfp_exponent(word) ? SCOUNTER_F_DECIMATING : 0,
	};
	if (word == SCOUNTER_BFP_WORD_MAX) {
		estimate->flags |= SCOUNTER_F_SATURATED;
		estimate->upper = U64_MAX;
	}
}
EXPORT_SYMBOL_GPL(scounter_bfp_read_est);

/**
 * scounter_bfp_fetch_reset - read an embedded bfp counter and set it to zero
 * @counter: the word
 *
 * Context: Any context, NMI included.
 * Return: the value that it had; what is counted at the same time is in this
 * value or stays in the counter.
 */
u64 scounter_bfp_fetch_reset(struct scounter_bfp *counter)
{
	return scounter_bfp_value(atomic_xchg(&counter->word, 0));
}
EXPORT_SYMBOL_GPL(scounter_bfp_fetch_reset);

static notrace void bfp_add(struct scounter *counter, u64 n)
{
	scounter_bfp_add(&counter->bfp, &counter->class, n);
}

static u64 bfp_read(struct scounter *counter)
{
	return scounter_bfp_read(&counter->bfp);
}

static void bfp_read_est(struct scounter *counter,
			 struct scounter_estimate *estimate)
{
	scounter_bfp_read_est(&counter->bfp, &counter->class, estimate);
}

static u64 bfp_fetch_reset(struct scounter *counter)
{
	return scounter_bfp_fetch_reset(&counter->bfp);
}

#define BFP_OPS(name_, kind_) {			\
	.name		= name_,		\
	.kind		= kind_,		\
	.add		= bfp_add,		\
	.read		= bfp_read,		\
	.read_est	= bfp_read_est,		\
	.fetch_reset	= bfp_fetch_reset,	\
}

const struct scounter_kind_ops scounter_bfp_dup_ops =
	BFP_OPS("bfp_dup", SCOUNTER_BFP_DUP);
const struct scounter_kind_ops scounter_bfp_csup_ops =
	BFP_OPS("bfp_csup", SCOUNTER_BFP_CSUP);

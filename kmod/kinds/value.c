// SPDX-License-Identifier: GPL-2.0
/*
 * The kinds whose word is the value itself: morris, morris_adapt, scalable and
 * scalable32.
 *
 * The larger the value, the larger its unit, and the rarer an update.  Example: a
 * scalable word of 1 % that reads 20000 changes by 4, with probability 1/4.
 *
 * As with bfp, an increment that wins at exponent k carries 2^k events, and is from there
 * on the addition of n = 2^k.  After a failed compare-and-swap n is rounded at random to
 * the unit of the new value, and is not drawn anew.  After a reset the new unit may be
 * smaller than n.  Then the value has more variance than its unit says.  The word cannot
 * show that, but a counter with a name marks it.
 *
 * morris_adapt counts in the lower half of its word until an increment has failed
 * adapt_tries times.  From then on it counts in the upper half, which holds a + n and is
 * never 0 again (section 3.2, "Variations").
 *
 * With the option `sensitive`, scalable counts by one until a compare-and-swap fails.  The
 * highest bit of the word says that one has (Ayers 2023, end notes).
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/math64.h>

#include "compat.h"
#include "base/backoff.h"
#include "base/random.h"
#include "kinds/kind.h"
#include "kinds/marks.h"
#include "kinds/trace.h"
#include "repr/bounds.h"
#include "repr/value.h"

static notrace bool is_word32(const struct scounter_ref *ref)
{
	return ref->class->kind == SCOUNTER_SCALABLE32;
}

static notrace bool is_morris_adapt(const struct scounter_ref *ref)
{
	return ref->class->kind == SCOUNTER_MORRIS_ADAPT;
}

static notrace bool is_sensitive(const struct scounter_ref *ref)
{
	return ref->class->flags & SCOUNTER_CLASS_SENSITIVE;
}

/* The bit that says that a sensitive word has been contended. */
static notrace u64 contended_bit(const struct scounter_ref *ref)
{
	return is_word32(ref) ? BIT_ULL(31) : BIT_ULL(63);
}

/*
 * The end of the range.  An increment of a small value adds 1 to the word without a second
 * look.  Another CPU may have brought the word to its end meanwhile, so there has to be
 * room above it:
 *
 *	CPU 0: reads 5, which is small
 *						CPU 1: adds 2^40, the end
 *	CPU 0: adds 1				0, if the end were all ones
 */
static notrace u64 value_end_of(const struct scounter_ref *ref)
{
	switch (ref->class->kind) {
	case SCOUNTER_MORRIS:
		return S64_MAX;		/* a + n must not pass 2^64 */
	case SCOUNTER_SCALABLE:
		return is_sensitive(ref) ? S64_MAX : SCOUNTER_SCALABLE_MAX;
	case SCOUNTER_MORRIS_ADAPT:
		return U32_MAX - ref->class->morris_a;
	}
	return is_sensitive(ref) ? S32_MAX : SCOUNTER_SCALABLE32_MAX;
}

static notrace struct scounter_value_rule value_rule_of(const struct scounter_ref *ref)
{
	const struct scounter_class *class = ref->class;
	bool morris = __SCOUNTER_IS_MORRIS(class->kind);

	return (struct scounter_value_rule) {
		.a = morris ? class->morris_a : 0,
		.shift = class->threshold_log2,
		.cap = class->flags & SCOUNTER_CLASS_CAPPED ? class->granularity_log2 : 63,
		.max = value_end_of(ref),
	};
}

static notrace u64 value_word_load(const struct scounter_ref *ref)
{
	if (is_word32(ref))
		return (u32)atomic_read(&ref->word32->word);
	return atomic64_read(&ref->word64->word);
}

/*
 * On failure @seen is what the word is now.  @new is 0 only if a full word begins again.
 */
static notrace bool value_word_swap(const struct scounter_ref *ref, u64 *seen, u64 new)
{
	int seen32 = *seen;
	bool swapped;

	if (!is_word32(ref))
		return likely(new) ? atomic64_try_cmpxchg_relaxed(&ref->word64->word, (s64 *)seen, new) :
				     scounter_wrap64(ref, (s64 *)seen, new);
	swapped = likely(new) ? atomic_try_cmpxchg_relaxed(&ref->word32->word, &seen32, new) :
				scounter_wrap32(ref, &seen32, new);
	*seen = (u32)seen32;
	return swapped;
}

/* The value in the word, whose size sets the unit. */
static notrace u64 value_of(const struct scounter_ref *ref, u64 word)
{
	if (is_morris_adapt(ref))
		return word >> 32 ? (word >> 32) - ref->class->morris_a : 0;
	if (is_sensitive(ref))
		word &= ~contended_bit(ref);
	return min(word, value_end_of(ref));
}

/* Does the word count every event, whatever its value, after so many failures? */
static notrace bool value_is_plain(const struct scounter_ref *ref, u64 word, u64 n, u32 failures)
{
	if (is_morris_adapt(ref))
		return !(word >> 32) && failures < scounter_adapt_tries &&
		       n <= U32_MAX - word;
	return is_sensitive(ref) && !(word & contended_bit(ref));
}

static notrace u64 value_sum(const struct scounter_ref *ref, u64 word, u64 n, u32 failures,
			     const struct scounter_value_rule *rule)
{
	bool plain = value_is_plain(ref, word, n, failures);
	u64 value = value_of(ref, word);

	if (plain && is_morris_adapt(ref))
		return word + n;
	if (value == rule->max && ref->class->flags & SCOUNTER_CLASS_WRAP)
		return 0;
	value = scounter_value_sum(value, n, rule);
	if (is_morris_adapt(ref))
		return (value + ref->class->morris_a) << 32 | (u32)word;
	if (is_sensitive(ref) && (!plain || failures))
		return value | contended_bit(ref);
	return value;
}

/* The unit at which an addition to the word is drawn. */
static notrace u64 value_unit_of(const struct scounter_ref *ref, u64 word, u64 n, u32 failures,
				 const struct scounter_value_rule *rule)
{
	return value_is_plain(ref, word, n, failures) ? 1 :
	       scounter_value_unit(value_of(ref, word), rule);
}

/* An addition, and whether it has won a draw: then n is at least one unit. */
struct addition {
	u64 n;
	bool drawn;
};

static notrace void value_thin(struct addition *add, u64 unit, struct rnd_state *rnd)
{
	if (add->n >= unit)
		return;
	add->n = scounter_value_thin(add->n, unit, rnd);
	add->drawn = true;
}

static notrace bool value_try_add(const struct scounter_ref *ref, u64 *seen, u64 new,
				  const struct addition *add, u64 unit)
{
	bool late = add->drawn && add->n > unit;
	bool swapped;

	if (likely(!late))
		return value_word_swap(ref, seen, new);
	scounter_marks_enter(ref, fls64(add->n - 1), 0);
	swapped = value_word_swap(ref, seen, new);
	scounter_marks_leave(ref, swapped);
	return swapped;
}

static notrace void value_apply(const struct scounter_ref *ref, struct addition add,
				u32 failures, struct rnd_state *rnd)
{
	struct scounter_value_rule rule = value_rule_of(ref);
	u64 seen = value_word_load(ref);
	u64 new, unit;

	for (;; failures++) {
		/* Decide for the word as it is now before backing off for it. */
		unit = value_unit_of(ref, seen, add.n, failures, &rule);
		value_thin(&add, unit, rnd);
		if (add.n && failures) {
			scounter_backoff(failures, rnd);
			seen = value_word_load(ref);
			unit = value_unit_of(ref, seen, add.n, failures, &rule);
			value_thin(&add, unit, rnd);
		}
		if (!add.n)
			return;
		new = value_sum(ref, seen, add.n, failures, &rule);
		if (new == seen)
			return;
		if (value_try_add(ref, &seen, new, &add, unit)) {
			scounter_trace_end_of_range(ref, value_of(ref, seen), value_of(ref, new),
						    rule.max);
			return;
		}
	}
}

static notrace void value_success(const struct scounter_ref *ref, u32 exponent,
				  struct rnd_state *rnd)
{
	value_apply(ref, (struct addition) { 1ULL << exponent, true }, 0, rnd);
}

/* The inline part tried nothing, as the class has options. */
static notrace void value_inc(const struct scounter_ref *ref, struct rnd_state *rnd)
{
	struct scounter_value_rule rule = value_rule_of(ref);
	u64 word = value_word_load(ref);
	u32 exponent = 0;

	if (!value_is_plain(ref, word, 1, 0))
		exponent = scounter_value_exponent(value_of(ref, word), &rule);
	if (!exponent || scounter_trial(exponent))
		value_success(ref, exponent, rnd);
}

static notrace void value_finish(const struct scounter_ref *ref, u32 outcome)
{
	struct rnd_state *rnd = scounter_random_get();

	if (outcome == SCOUNTER_CONTENDED)
		value_apply(ref, (struct addition) { 1 }, 1, rnd);
	else if (outcome == SCOUNTER_UNTRIED)
		value_inc(ref, rnd);
	else if (scounter_trial_decide(rnd, outcome))
		value_success(ref, outcome >> SCOUNTER_OUTCOME_BITS, rnd);
	scounter_random_put();
}

static notrace void value_add(const struct scounter_ref *ref, u64 n)
{
	value_apply(ref, (struct addition) { n }, 0, scounter_random_get());
	scounter_random_put();
}

static u64 value_count_of(const struct scounter_ref *ref, u64 word)
{
	u64 value = value_of(ref, word);

	return is_morris_adapt(ref) ? value + (u32)word : value;
}

static u64 value_read(const struct scounter_ref *ref)
{
	return value_count_of(ref, value_word_load(ref));
}

/*
 * The most that the relative variance can be, whatever the value: 1 / 2a for morris
 * (section 3.1).  The Markov chain of scalable is that of bfp_dup with M = 2^(s - 1), so
 * its limit is 3 / (8M - 3) (section 4.2).
 */
static u64 value_limit(const struct scounter_value_rule *rule)
{
	if (rule->a)
		return div_u64(SCOUNTER_VARIANCE_ONE - 1, 2 * rule->a) + 1;
	return div_u64(3 * SCOUNTER_VARIANCE_ONE, (4U << rule->shift) - 3);
}

/* The largest weight that may have landed after a reset.  A bare word cannot tell. */
static u64 value_late(const struct scounter_ref *ref, u64 count,
		      const struct scounter_value_rule *rule)
{
	if (ref->counter || !(ref->class->flags & SCOUNTER_CLASS_RESETS))
		return BIT_ULL(ref->late);
	return min(count, BIT_ULL(rule->cap));
}

static struct scounter_known value_known(const struct scounter_ref *ref)
{
	struct scounter_value_rule rule = value_rule_of(ref);
	u64 word = value_word_load(ref);
	u64 value = value_of(ref, word);
	struct scounter_known known = {
		.certain = value_count_of(ref, word) - value,
		.value = value,
		.unit = value_is_plain(ref, word, 0, 0) ? 1 : scounter_value_unit(value, &rule),
		.limit = value_limit(&rule),
		.full = value == rule.max,
	};

	known.late = value_late(ref, value_count_of(ref, word), &rule);
	if (known.late > 1) {
		/* It may have landed in either half of morris_adapt. */
		known.value += known.certain;
		known.certain = 0;
	}
	return known;
}

static void value_read_est(const struct scounter_ref *ref,
			   struct scounter_estimate *estimate)
{
	struct scounter_known known = value_known(ref);

	scounter_estimate_approx(estimate, &known);
}

static u64 value_fetch_reset(const struct scounter_ref *ref)
{
	if (is_word32(ref))
		return value_count_of(ref, (u32)atomic_xchg(&ref->word32->word, 0));
	return value_count_of(ref, atomic64_xchg(&ref->word64->word, 0));
}

static const u64 scalable_max = SCOUNTER_SCALABLE_MAX;
static const u64 scalable32_max = SCOUNTER_SCALABLE32_MAX;
/* morris_adapt at the default error. */
static const u64 halves_max =
	2ULL * U32_MAX - __SCOUNTER_MORRIS_A(SCOUNTER_ERROR_PPM_DEFAULT);

#define VALUE_OPS(max_, summary_) {			\
	.word_offset	= offsetof(struct scounter, word64),	\
	.value_max	= max_,					\
	.summary	= summary_,				\
	.finish		= value_finish,				\
	.add		= value_add,				\
	.read		= value_read,				\
	.read_est	= value_read_est,			\
	.known		= value_known,				\
	.fetch_reset	= value_fetch_reset,			\
}

const struct scounter_kind_ops scounter_morris_ops =
	VALUE_OPS(&scounter_s64_max, "approximate; probability falls smoothly");
const struct scounter_kind_ops scounter_morris_adapt_ops =
	VALUE_OPS(&halves_max, "exact until contended, then morris");
const struct scounter_kind_ops scounter_scalable_ops =
	VALUE_OPS(&scalable_max, "approximate; the word is the value, 64 bits");
const struct scounter_kind_ops scounter_scalable32_ops =
	VALUE_OPS(&scalable32_max, "approximate; the word is the value, 32 bits");

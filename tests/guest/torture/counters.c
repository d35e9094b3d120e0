// SPDX-License-Identifier: GPL-2.0
/* Counters with a name, of each kind, and bare words. */
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "torture.h"

/* One reset in so many rounds comes from the context that counts. */
#define ROUNDS_A_RESET	1024

/* Units of the 1 % classes are smaller than this part of the value, or 1. */
#define VALUES_A_UNIT	2048

/* A word as in an object of a client's, of whichever size its kind has. */
struct word {
	struct scounter_class class;
	bool is_wide;
	union {
		struct scounter_word32 word32;
		struct scounter_word64 word64;
	};
};

static void word_inc(struct word *word)
{
	if (word->is_wide)
		scounter_word64_inc(&word->word64, &word->class);
	else
		scounter_word32_inc(&word->word32, &word->class);
}

static void word_add(struct word *word, u64 n)
{
	if (word->is_wide)
		scounter_word64_add(&word->word64, &word->class, n);
	else
		scounter_word32_add(&word->word32, &word->class, n);
}

static void read_est(struct subject *subject, struct scounter_estimate *estimate)
{
	struct word *word = subject->word;

	if (subject->ops == &torture_counter_ops)
		scounter_read_est(subject->counter, estimate);
	else if (word->is_wide)
		scounter_word64_read_est(&word->word64, &word->class, estimate);
	else
		scounter_word32_read_est(&word->word32, &word->class, estimate);
}

static u64 fetch_reset(struct subject *subject)
{
	struct word *word = subject->word;

	if (subject->ops == &torture_counter_ops)
		return scounter_fetch_reset(subject->counter);
	if (word->is_wide)
		return scounter_word64_fetch_reset(&word->word64, &word->class);
	return scounter_word32_fetch_reset(&word->word32, &word->class);
}

static bool is_exact(const struct subject *subject)
{
	switch (subject->variant) {
	case SCOUNTER_ATOMIC:
	case SCOUNTER_PERCPU:
	case SCOUNTER_MULTILINE:
	case SCOUNTER_CAS:
	case SCOUNTER_RBO:
	case SCOUNTER_RBO_NUMA:
	case SCOUNTER_RBO_NUMA_ADAPT:
	case SCOUNTER_COHORT:
	case SCOUNTER_MULTILINE_ADAPT:
	case SCOUNTER_EXACT:
	case SCOUNTER_RACING:	/* It is not: BUSTED_RACING takes it for exact. */
		return true;
	default:
		return false;
	}
}

/* All resets of an exact subject, by whomever, together return each event once. */
static void reset_exact(struct subject *subject)
{
	u64 value;

	atomic_inc(&subject->resets_begun);
	smp_mb__after_atomic();	/* begun, then the value goes */
	value = fetch_reset(subject);
	if (torture_is_busted(BUSTED_RETURNED_TWICE))
		value *= 2;
	atomic64_add(value, &subject->returned);
	smp_mb__before_atomic();	/* it is back, then done */
	atomic_inc(&subject->resets_done);
}

static void reset(struct subject *subject)
{
	s64 done = torture_done(subject);

	if (is_exact(subject)) {
		reset_exact(subject);
		return;
	}
	smp_mb();	/* what was done before, then the reset */
	torture_reset_done(subject, done, div_u64(fetch_reset(subject), VALUES_A_UNIT));
}

static void count(struct subject *subject, u32 events)
{
	u64 rounds;
	u32 i;

	if (torture_is_busted(BUSTED_LOST) ||
	    (!is_exact(subject) && torture_is_busted(BUSTED_BOUNDS)))
		return;
	if (subject->ops == &torture_counter_ops) {
		for (i = 0; i < events - 5; i++)
			scounter_inc(subject->counter);
		scounter_add(subject->counter, 5);
	} else {
		for (i = 0; i < events - 5; i++)
			word_inc(subject->word);
		word_add(subject->word, 5);
	}
	rounds = div_u64(atomic64_read(&raw_cpu_ptr(subject->ledger)->begun), EVENTS);
	if (is_exact(subject) && (rounds & (ROUNDS_A_RESET - 1)) == 0)
		reset_exact(subject);
}

static void count_events(struct subject *subject, u32 events)
{
	count(subject, events);
	if (torture_is_busted(BUSTED_TWICE))
		count(subject, events);
}

/* A look says nothing if a reset was going on: its value was nowhere meanwhile. */
static void check_exact(struct subject *subject)
{
	int resets = atomic_read(&subject->resets_done);
	struct scounter_estimate estimate;
	s64 done, begun;
	u64 value;

	smp_rmb();	/* resets that are done, then all else */
	done = torture_done(subject);
	smp_mb();	/* what was done, then what it says */
	read_est(subject, &estimate);
	value = estimate.value + atomic64_read(&subject->returned);
	smp_mb();	/* what it says, then what was begun */
	begun = torture_begun(subject);
	smp_rmb();	/* all of it, then resets that have begun */
	if (resets != atomic_read(&subject->resets_begun))
		return;
	if (subject->last && torture_is_busted(BUSTED_BACK))
		value = subject->last - 1;
	torture_expect(subject, value >= subject->last, "went back from %llu to %llu",
		       subject->last, value);
	torture_expect(subject, value >= done, "%llu, but %lld were counted", value, done);
	torture_expect(subject, value <= begun, "%llu, but only %lld were", value, begun);
	torture_expect(subject, !(estimate.flags & SCOUNTER_F_SATURATED), "saturated");
	subject->last = value;
	subject->looks++;
}

static void check(struct subject *subject)
{
	struct scounter_estimate estimate;
	s64 done;

	if (is_exact(subject)) {
		check_exact(subject);
		return;
	}
	done = torture_done(subject);
	smp_mb();	/* what was done, then what it says */
	read_est(subject, &estimate);
	smp_mb();	/* what it says, then what was begun */
	torture_judge(subject, done, estimate.value,
		      mul_u64_u32_div(estimate.value, MARGIN * estimate.error_ppm, 1000000) +
		      !!estimate.error_ppm, torture_begun(subject));
}

static void check_end(struct subject *subject)
{
	struct scounter_estimate estimate;
	u64 all;

	check(subject);
	if (!is_exact(subject))
		return;
	read_est(subject, &estimate);
	all = estimate.value + atomic64_read(&subject->returned);
	torture_expect(subject, all == torture_done(subject), "%llu in the end, but %lld were counted",
		       all, torture_done(subject));
	torture_expect(subject, subject->looks, "no look was possible");
}

static int counter_create(struct subject *subject)
{
	subject->counter = scounter_create(subject->name, NULL, subject->variant, 0,
					   GFP_KERNEL);
	return PTR_ERR_OR_ZERO(subject->counter);
}

static void counter_destroy(struct subject *subject)
{
	if (!torture_is_busted(BUSTED_LEAK))
		scounter_destroy(subject->counter);
}

const struct subject_ops torture_counter_ops = {
	.create		= counter_create,
	.destroy	= counter_destroy,
	.count		= count_events,
	.check		= check,
	.reset		= reset,
	.check_end	= check_end,
	.is_quick	= true,
};

static int word_create(struct subject *subject)
{
	const struct scounter_params params = { .kind = subject->variant };
	struct word *word = kzalloc(sizeof(*word), GFP_KERNEL);
	int err;

	if (!word)
		return -ENOMEM;
	err = scounter_class_init(&word->class, &params);
	if (err) {
		kfree(word);
		return err;
	}
	word->is_wide = !__SCOUNTER_IS_ONE_OF(word->class.kind, __SCOUNTER_WORD32_KINDS);
	subject->word = word;
	return 0;
}

static void word_destroy(struct subject *subject)
{
	struct word *word = subject->word;

	if (word && word->is_wide)
		scounter_word64_destroy(&word->word64, &word->class);
	kfree(word);
}

const struct subject_ops torture_word_ops = {
	.create		= word_create,
	.destroy	= word_destroy,
	.count		= count_events,
	.check		= check,
	.reset		= reset,
	.check_end	= check_end,
	.is_quick	= true,
};

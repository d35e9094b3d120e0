// SPDX-License-Identifier: GPL-2.0
/*
 * Randomness: on each CPU, for each exponent k, a countdown of how many trials
 * of probability 2^-k are still to fail before the next success.
 *
 * A trial is one decrement (__scounter_trial_step() in <linux/scounter_word.h>); only
 * a success draws a random number, that of the failures until the next one.
 * Trials are memoryless, so that all counters of a CPU share the countdowns.
 * Nothing guards them against the contexts that interrupt each other on a CPU;
 * this is why every trial still succeeds with probability 2^-k, whatever
 * interleaves:
 *
 * - Where the decrement is not one instruction: between the load and the store
 *   of a trial, an interrupt or another task
 *   steps the same countdown, and the store undoes its steps: a few trials are
 *   decided twice by one draw.  They are no longer independent of each other,
 *   but each has the probability it had.  The time between load and store does
 *   not depend on the outcome, so that interrupts do not prefer an outcome.
 * - Migration between the load and the store puts one CPU's countdown on
 *   another: the same.
 * - The time that a success spends drawing does depend on the outcome.  An
 *   interrupt that came then and found the countdown at 0 again would always
 *   succeed; found it at a large number, always fail.  Therefore the success
 *   has stored -1, and who finds the countdown below zero decides by a draw of
 *   its own.  It also stores a fresh gap, in case the one that stored -1 has
 *   been moved to another CPU and will never come back.
 *
 * Beyond 2^-25 a gap does not fit its 32 bits: there, too, the countdown is of
 * trials at 2^-25, each exponent with its own, and random bits decide whether a
 * success of it is one.
 *
 * Each CPU has a struct rnd_state for each kind of context, so that one in the
 * middle of its update is never updated by another.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/random.h>

#include "compat.h"
#include "draw.h"
#include "random.h"

enum { CONTEXT_TASK, CONTEXT_SOFTIRQ, CONTEXT_HARDIRQ, CONTEXT_NMI, CONTEXTS };

struct scounter_random {
	struct rnd_state state[CONTEXTS];
};

static DEFINE_PER_CPU(struct scounter_random, scounter_random);

DEFINE_PER_CPU(struct scounter_gaps, scounter_gaps);
EXPORT_PER_CPU_SYMBOL_GPL(scounter_gaps);

/**
 * scounter_random_get - this CPU's random state for the current context
 *
 * Return: a state that is the caller's until scounter_random_put(); the caller
 * must not sleep in between.
 */
notrace struct rnd_state *scounter_random_get(void)
{
	u32 context = CONTEXT_TASK;

	preempt_disable_notrace();
	if (in_nmi())
		context = CONTEXT_NMI;
	else if (in_hardirq())
		context = CONTEXT_HARDIRQ;
	else if (in_serving_softirq())
		context = CONTEXT_SOFTIRQ;
	return raw_cpu_ptr(&scounter_random.state[context]);
}

notrace void scounter_random_put(void)
{
	preempt_enable_notrace();
}

/**
 * scounter_trial_decide - end a trial whose countdown is below zero
 * @rnd: from scounter_random_get()
 * @outcome: what __scounter_trial_step() returned, not SCOUNTER_DONE
 *
 * Return: whether the trial succeeds.
 */
notrace bool scounter_trial_decide(struct rnd_state *rnd, u32 outcome)
{
	u32 exponent = outcome >> SCOUNTER_OUTCOME_BITS;
	u32 drawn = min_t(u32, exponent, SCOUNTER_GAP_EXPONENT_MAX);
	bool success = true;
	s32 gap = 0;

	if (exponent) {
		gap = scounter_draw_gap(rnd, drawn);
		/* A success is being drawn below us: decide apart from it. */
		if (outcome != (exponent << SCOUNTER_OUTCOME_BITS | SCOUNTER_SUCCESS)) {
			success = gap == 0;
			gap = success ? scounter_draw_gap(rnd, drawn) : gap - 1;
		}
	}
	raw_cpu_write(scounter_gaps.left[exponent], gap);
	return success && !scounter_draw_bits(rnd, exponent - drawn);
}

/**
 * scounter_trial - succeed with probability 2^-k
 * @exponent: k, at most 63
 *
 * Context: Any context, NMI included.
 */
notrace bool scounter_trial(u32 exponent)
{
	u32 outcome = __scounter_trial_step(exponent, 0);
	bool success;

	if (likely(outcome == SCOUNTER_DONE))
		return false;
	success = scounter_trial_decide(scounter_random_get(), outcome);
	scounter_random_put();
	return success;
}

/* SplitMix64 (Steele, Lea & Flood 2014): a seed made long. */
static u64 scounter_seed_next(u64 *seed)
{
	u64 z = *seed += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/*
 * All four words of the state are drawn: prandom_seed_state() makes them of 32
 * bits, which two of some hundred CPUs could well share.
 */
static void scounter_seed_state(struct rnd_state *rnd, u64 *seed)
{
	u64 words[2] = { scounter_seed_next(seed), scounter_seed_next(seed) };

	rnd->s1 = __seed(upper_32_bits(words[0]), 2U);
	rnd->s2 = __seed(lower_32_bits(words[0]), 8U);
	rnd->s3 = __seed(upper_32_bits(words[1]), 16U);
	rnd->s4 = __seed(lower_32_bits(words[1]), 128U);
}

/**
 * scounter_random_init - seed every possible CPU's streams, each differently
 * @seed: 0 to take the seed from the kernel's entropy; anything else gives the
 *	same streams each time, for tests
 */
void scounter_random_init(u64 seed)
{
	int cpu;

	while (!seed)
		get_random_bytes(&seed, sizeof(seed));

	for_each_possible_cpu(cpu) {
		struct scounter_random *random = per_cpu_ptr(&scounter_random, cpu);
		struct scounter_gaps *gaps = per_cpu_ptr(&scounter_gaps, cpu);
		u32 i;

		for (i = 0; i < CONTEXTS; i++)
			scounter_seed_state(&random->state[i], &seed);
		/* The first gap is drawn too: to start at 0 would be a bias. */
		for (i = 1; i < SCOUNTER_TRIAL_EXPONENTS; i++)
			gaps->left[i] = scounter_draw_gap(&random->state[0],
				min_t(u32, i, SCOUNTER_GAP_EXPONENT_MAX));
	}
}

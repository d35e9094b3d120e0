// SPDX-License-Identifier: GPL-2.0
/*
 * Randomness: each CPU has, for each exponent k, a countdown of the trials at 2^-k that
 * are still to fail before the next success.
 *
 * Example: the countdown for k = 3 is 11.  The next eleven trials at 1/8 fail, each with
 * one decrement (__scounter_trial_step() in <linux/scounter_inline.h>).  The twelfth
 * succeeds and draws the next gap, which is 7 on average.  Trials are memoryless, so
 * all counters of a CPU share its countdowns.
 *
 * Nothing protects a countdown from the contexts that interrupt each other on a CPU.
 * Every trial still succeeds with probability 2^-k:
 *
 * - The decrement may be a load and a store.  An interrupt or another task between them
 *   steps the same countdown, and the store undoes those steps: one draw decides a few
 *   trials twice.  They are no longer independent of each other, but each keeps its
 *   probability.  The time between load and store does not depend on the outcome, so
 *   interrupts do not prefer an outcome.
 * - A migration between the load and the store copies one CPU's countdown to another.
 *   The same holds.
 * - The time that a success takes to draw does depend on the outcome.  An interrupt in
 *   that time that found the countdown at 0 again would always succeed, and one that
 *   found a large number would always fail.  So the success has stored -1, and a trial
 *   that finds the countdown below zero decides by a draw of its own.  It also stores a
 *   fresh gap, as the task that stored -1 may have moved to another CPU for good.
 *
 * A gap beyond 2^-25 does not fit 32 bits.  Each exponent above 25 counts trials at
 * 2^-25, and random bits decide the rest of a success.
 *
 * Each CPU has a struct rnd_state for each kind of context, so no context updates a
 * state that another one has half updated.  But for the first and the last steps of an
 * interrupt, which have the context of what they interrupt: a probe of a tracepoint
 * there may draw in the midst of a draw.  The store of the latter undoes steps of the
 * former, word by word.  Each word stays one that there may be; two draws may be alike.
 *
 * A virtual machine that is cloned while it runs has a twin with the same streams: what
 * one counts too much, so does the other.  When the kernel reports a clone, all streams
 * begin again from new entropy.  Each context finds a new generation at its next draw
 * and seeds its own state, which only it may write.  Then each CPU draws all of its
 * countdowns anew.  That adds no bias: how many trials are still to fail does not depend
 * on how many have failed.  The same goes for a countdown below zero, whose success was
 * decided before.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include "compat.h"
#include "base/context.h"
#include "base/draw.h"
#include "base/random.h"

struct scounter_random {
	struct rnd_state state[CONTEXTS];
	u32 generation[CONTEXTS];	/* of its seed */
};

/*
 * In a kernel that has scounter built in, the first CPU may count before
 * scounter_random_init().  Any valid state will do.
 */
static DEFINE_PER_CPU(struct scounter_random, scounter_random) = {
	.state = { [0 ... CONTEXTS - 1] = { 0x9e3779b9U, 0x7f4a7c15U, 0xbf58476dU, 0x1ce4e5b9U } },
};

/* The seeds of this generation and of the one before. */
static u64 seeds[2];
static u32 generation;

/* Until then each trial decides by a draw of its own, and draws a gap. */
DEFINE_PER_CPU(struct scounter_gaps, scounter_gaps) = {
	.left = { [1 ... SCOUNTER_TRIAL_EXPONENTS - 1] = -1 },
};
EXPORT_PER_CPU_SYMBOL_GPL(scounter_gaps);

/* SplitMix64 (Steele, Lea & Flood 2014): a seed made long. */
#define SEED_STEP	0x9e3779b97f4a7c15ULL

static notrace u64 scounter_seed_next(u64 *seed)
{
	u64 z = *seed += SEED_STEP;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/*
 * Draw all four words of the state.  prandom_seed_state() makes them from 32 bits, which
 * two of some hundred CPUs could well share.
 */
static notrace void scounter_seed_state(struct rnd_state *rnd, u64 seed)
{
	u64 words[2] = { scounter_seed_next(&seed), scounter_seed_next(&seed) };

	rnd->s1 = __seed(upper_32_bits(words[0]), 2U);
	rnd->s2 = __seed(lower_32_bits(words[0]), 8U);
	rnd->s3 = __seed(upper_32_bits(words[1]), 16U);
	rnd->s4 = __seed(lower_32_bits(words[1]), 128U);
}

/* Each state takes two numbers from one long sequence. */
static notrace void scounter_begin_stream(struct scounter_random *random, int cpu,
					  u32 context)
{
	/* Pairs with the release in scounter_random_reseed(): reseed.litmus. */
	u32 now = smp_load_acquire(&generation);
	u64 states_before = (u64)cpu * CONTEXTS + context;

	scounter_seed_state(&random->state[context],
			    seeds[now % 2] + states_before * 2 * SEED_STEP);
	random->generation[context] = now;
}

/**
 * scounter_random_get - this CPU's random state for the current context
 *
 * Return: a state that belongs to the caller until scounter_random_put().  The caller
 * must not sleep in between.
 */
notrace struct rnd_state *scounter_random_get(void)
{
	struct scounter_random *random;
	u32 context;

	preempt_disable_notrace();
	context = scounter_context();
	random = raw_cpu_ptr(&scounter_random);
	if (unlikely(random->generation[context] != READ_ONCE(generation)))
		scounter_begin_stream(random, raw_smp_processor_id(), context);
	return &random->state[context];
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
		/* We interrupted a success that is still drawing: decide on our own. */
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

/* Draw the first gap, too: a start at 0 would be a bias. */
static void random_draw_gaps(struct scounter_gaps *gaps, struct rnd_state *rnd)
{
	u32 i;

	for (i = 1; i < SCOUNTER_TRIAL_EXPONENTS; i++)
		WRITE_ONCE(gaps->left[i],
			   scounter_draw_gap(rnd, min_t(u32, i, SCOUNTER_GAP_EXPONENT_MAX)));
}

/**
 * scounter_random_init - seed every possible CPU's streams, each differently
 * @seed: 0 to take the seed from the kernel's entropy; anything else gives the
 *	same streams each time, for tests
 */
void scounter_random_init(u64 seed)
{
	u32 context;
	int cpu;

	while (!seed)
		get_random_bytes(&seed, sizeof(seed));

	seeds[generation % 2] = seed;
	for_each_possible_cpu(cpu) {
		struct scounter_random *random = per_cpu_ptr(&scounter_random, cpu);

		for (context = 0; context < CONTEXTS; context++)
			scounter_begin_stream(random, cpu, context);
		random_draw_gaps(per_cpu_ptr(&scounter_gaps, cpu), &random->state[CONTEXT_TASK]);
	}
}

/**
 * scounter_random_redraw - draw this CPU's countdowns anew
 * @unused: for on_each_cpu()
 *
 * Context: Interrupts are off.
 */
void scounter_random_redraw(void *unused)
{
	random_draw_gaps(raw_cpu_ptr(&scounter_gaps), scounter_random_get());
	scounter_random_put();
}

static void random_redraw_all(void)
{
	int cpu;

	cpus_read_lock();
	on_each_cpu(scounter_random_redraw, NULL, 1);
	for_each_possible_cpu(cpu) {
		if (cpu_online(cpu))
			continue;
		random_draw_gaps(per_cpu_ptr(&scounter_gaps, cpu), scounter_random_get());
		scounter_random_put();
	}
	cpus_read_unlock();
}

/**
 * scounter_random_reseed - begin all streams again
 * @seed: the seed of the new streams
 *
 * Counters may be used meanwhile, in any context.
 *
 * Context: Task context; may sleep.
 */
void scounter_random_reseed(u64 seed)
{
	static DEFINE_MUTEX(one_at_a_time);

	mutex_lock(&one_at_a_time);
	seeds[(generation + 1) % 2] = seed;
	/* The seed before the generation: reseed.litmus. */
	smp_store_release(&generation, generation + 1);
	/* Wait for draws from old streams: then the older seed is free. */
	synchronize_rcu();
	random_redraw_all();
	mutex_unlock(&one_at_a_time);
}

static bool seed_is_fixed;

static int random_hear_of_fork(struct notifier_block *block, unsigned long event, void *data)
{
	u64 seed;

	if (seed_is_fixed) {
		pr_warn("this virtual machine was cloned, and seed= is set: its random streams remain those of its twins\n");
		return NOTIFY_OK;
	}
	get_random_bytes(&seed, sizeof(seed));
	scounter_random_reseed(seed);
	return NOTIFY_OK;
}

static struct notifier_block fork_notifier = { .notifier_call = random_hear_of_fork };

/**
 * scounter_random_hear_of_forks - begin all streams again when this machine is cloned
 * @fixed: the seed is a module parameter: only warn that the streams stay
 *
 * Return: 0 or an errno.
 */
int scounter_random_hear_of_forks(bool fixed)
{
	seed_is_fixed = fixed;
	return scounter_register_vmfork(&fork_notifier);
}

void scounter_random_forget_forks(void)
{
	scounter_unregister_vmfork(&fork_notifier);
}

// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "util.h"

const struct machine machine_kmod = {
	.seed		= machine_seed,
	.gap		= machine_gap,
	.theta		= scounter_bfp_theta,
	.approx_theta	= scounter_bfp_approx_theta,
	.sum		= scounter_bfp_sum,
	.thin		= machine_thin,
};

const char *const policy_names[POLICIES] = {
	[DUP]		= "bfp_dup",
	[CSUP]		= "bfp_csup",
	[APPROX]	= "approx",
};

void sim_init(struct sim *sim, const struct machine *machine,
	      enum policy policy, u32 error_ppm)
{
	static const enum scounter_kind kinds[POLICIES] = {
		SCOUNTER_BFP_DUP, SCOUNTER_BFP_CSUP, SCOUNTER_APPROX,
	};
	struct scounter_params params = { .kind = kinds[policy], .error_ppm = error_ppm };
	u32 theta = policy == APPROX ? machine->approx_theta(error_ppm) :
				       machine->theta(error_ppm);

	*sim = (struct sim) {
		.machine = machine,
		.policy.theta = theta,
		.policy.bound = policy == DUP ? theta : SCOUNTER_BFP_BOUND_MAX,
	};
	if (policy == APPROX) {
		sim->shift = scounter_bfp_approx_log2(theta);
		sim->policy.bound = 1U << sim->shift;
		sim->policy.early = scounter_bfp_approx_early(sim->shift);
	}
	if (scounter_class_init(&sim->class, &params))
		abort();
	sim->limit = scounter_bfp_bound(&sim->policy, 0) - 1;
}

/* Begin anew with a word that has counted its value. */
void sim_start(struct sim *sim, u32 word)
{
	sim->word = word;
	sim->events = scounter_bfp_value(word);
	sim->fetched = 0;
}

static void sim_store(struct sim *sim, u32 word)
{
	if (scounter_bfp_value(word) < scounter_bfp_value(sim->word))
		sim->went_down = true;
	sim->word = word;
}

enum place { BEFORE_STORE, ELSEWHERE };

static void interfere(struct sim *sim, enum place place);

/* Store, but for what happens before: whether the word was still that one. */
static bool sim_cmpxchg(struct sim *sim, u32 old, u32 new)
{
	interfere(sim, BEFORE_STORE);
	if (sim->word != old) {
		sim->failures++;
		return false;
	}
	sim_store(sim, new);
	return true;
}

/* bfp_apply() */
static void sim_apply(struct sim *sim, struct sim_cpu *cpu, u64 n, u32 failures)
{
	const struct machine *machine = sim->machine;
	struct scounter_bfp_policy policy = sim->policy;
	u32 seen = sim->word;
	u32 old, new;

	for (;; failures++) {
		n = machine->thin(n, seen, sim->shift, &cpu->rnd);
		if (!n)
			return;
		if (failures) {
			/* How long it backs off, and meanwhile: */
			scounter_draw_bits(&cpu->rnd, min(failures, 8U));
			interfere(sim, ELSEWHERE);
			seen = sim->word;
			n = machine->thin(n, seen, sim->shift, &cpu->rnd);
			if (!n)
				return;
		}
		policy.contended = failures;
		new = machine->sum(seen, n, &policy, &cpu->rnd);
		if (new == seen)
			return;
		if (sim_cmpxchg(sim, seen, new))
			return;
		old = seen;
		seen = sim->word;
		if (new != SCOUNTER_BFP_WORD_MAX)
			n = scounter_bfp_value(new) - scounter_bfp_value(old);
		if (machine->retry)
			n = machine->retry(n, seen, &cpu->rnd);
	}
}

/* bfp_success() */
static void sim_success(struct sim *sim, struct sim_cpu *cpu, u32 exponent)
{
	u32 old = sim->word;
	bool room = scounter_bfp_exponent(old) == exponent &&
		    scounter_bfp_mantissa(old) < scounter_bfp_bound(&sim->policy, exponent) - 1;
	u64 n = 1ULL << exponent;

	if (room && sim_cmpxchg(sim, old, old + 1))
		return;
	if (room && sim->machine->retry)
		n = sim->machine->retry(n, sim->word, &cpu->rnd);
	sim_apply(sim, cpu, n, room);
}

/* The plain additions of 1 of scounter_word32_inc(); how many there were. */
static u64 sim_count_exactly(struct sim *sim, struct sim_cpu *cpu, u64 events)
{
	u32 old = sim->word;

	if (!sim->rival) {
		events = min_t(u64, events, sim->limit - old);
		sim_store(sim, old + events);
		return events;
	}
	if (!sim_cmpxchg(sim, old, old + 1))
		sim_apply(sim, cpu, 1, 1);
	return 1;
}

/* So many scounter_word32_inc() in a row. */
void sim_count(struct sim *sim, struct sim_cpu *cpu, u64 events)
{
	sim->events += events;
	while (events) {
		u32 exponent = scounter_bfp_exponent(sim->word);
		u32 *left = &cpu->left[exponent];

		if (sim->word < sim->limit) {
			events -= sim_count_exactly(sim, cpu, events);
			continue;
		}
		if (events <= *left) {
			*left -= events;
			return;
		}
		events -= *left + 1;
		*left = exponent ? sim->machine->gap(cpu, exponent) : 0;
		/* The trial was made for the word as it was before this: */
		interfere(sim, ELSEWHERE);
		sim_success(sim, cpu, exponent);
	}
}

/* scounter_word32_add() */
void sim_add(struct sim *sim, struct sim_cpu *cpu, u64 n)
{
	u32 old = sim->word;
	bool room = old < sim->limit && n <= sim->limit - old;

	sim->events += n;
	if (!n || (room && sim_cmpxchg(sim, old, old + (u32)n)))
		return;
	sim_apply(sim, cpu, n, room);
}

static void sim_reset(struct sim *sim)
{
	sim->fetched += scounter_bfp_value(sim->word);
	sim->word = 0;
}

static bool one_in(struct rival *rival, u32 n)
{
	return prandom_u32_state(&rival->chance) % n == 0;
}

/* Let the rival do something at a place where another CPU could. */
static void interfere(struct sim *sim, enum place place)
{
	struct rival *rival = sim->rival;
	u32 exponent = scounter_bfp_exponent(sim->word);
	bool grow, reset;

	if (!rival || rival->busy)
		return;
	rival->busy = true;
	grow = rival->kind == RIVAL_ALL ||
	       (rival->kind == RIVAL_GROWTH && place == BEFORE_STORE);
	reset = rival->kind == RIVAL_RESET || rival->kind == RIVAL_ALL;

	if (reset && one_in(rival, 512)) {
		sim_reset(sim);
	} else if (grow && one_in(rival, 16)) {
		/* As after a failure of its own: halves at Theta and above. */
		u64 n = (sim->policy.theta / 2 + 1ULL) << exponent;

		sim->events += n;
		sim_apply(sim, &rival->cpu, n, 1);
	} else if (one_in(rival, 2)) {
		sim_count(sim, &rival->cpu,
			  1 + scounter_draw_bits(&rival->chance, exponent + 1));
	}
	rival->busy = false;
}

double sim_error(const struct sim *sim)
{
	return (double)(s64)(sim->fetched + scounter_bfp_value(sim->word) -
			     sim->events);
}

struct scounter_estimate sim_estimate(const struct sim *sim)
{
	struct scounter_word32 word = { .word = { sim->word } };
	struct scounter_estimate estimate;

	scounter_word32_read_est(&word, &sim->class, &estimate);
	return estimate;
}

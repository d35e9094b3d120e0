// SPDX-License-Identifier: GPL-2.0
/* The exact variance, computed in several ways; Theta; the limit. */
#include <linux/kernel.h>
#include <linux/scounter_word.h>
#include <math.h>
#include <stdlib.h>

#include "classes.h"
#include "exact.h"
#include "model.h"
#include "suites.h"

/* What summation in double precision may be off. */
#define CHAIN_PRECISION	1e-9

static bool near(double a, double b, double precision)
{
	return fabs(a - b) <= precision * (1 + fabs(b));
}

/* Theta / 2 is the integer part of (3 / error^2 + 3) / 8. */
static bool theta_is_right(u32 (*theta)(u32))
{
	u64 ppm;

	for (ppm = SCOUNTER_ERROR_PPM_MIN; ppm <= SCOUNTER_ERROR_PPM_MAX; ppm++) {
		u64 square = ppm * ppm;

		if (theta(ppm) != 2 * ((3000000000000ULL + 3 * square) /
				       (8 * square)))
			return false;
	}
	return true;
}

static bool test_theta(u32 which)
{
	describe(which ? "catches one that is a fifth too small" :
		 "all errors from 5000 to 200000 ppm");
	return which ? !theta_is_right(broken_theta) :
		       theta_is_right(scounter_bfp_theta);
}

/* Successes one after the other take a word through the chain's states. */
static bool states_are_those_of(enum counted policy, u32 error_ppm, struct halving halving)
{
	struct chain_state state = { 0 };
	u64 seed = test_seed();
	struct sim sim;
	u32 i;

	model_seed(&machine_kmod, &seed);
	sim_init(&sim, &machine_kmod, policy, error_ppm);
	sim_start(&sim, 0);
	/* Beyond the last bound the draws decide. */
	for (i = 0; i < 20 * halving.bound && state.value >> SCOUNTER_BFP_EXPONENT_MAX <
						 halving.bound; i++) {
		u32 exponent = scounter_bfp_exponent(sim_word(&sim));

		if (exponent != state.exponent || sim_value(&sim) != state.value)
			return false;
		*model_left(0, exponent) = 0;
		sim_count(&sim, 1);
		state = chain_next(halving, state);
	}
	return true;
}

static bool test_states(u32 which)
{
	u32 error_ppm = which < 2 * CLASSES ? classes[which / 2] : 50000;
	u32 theta = scounter_bfp_theta(error_ppm);

	switch (which) {
	case 2 * CLASSES:
		describe("catches another Theta");
		return !states_are_those_of(DUP, error_ppm, halving_of_dup(theta - 2));
	case 2 * CLASSES + 1:
		describe("catches an approx that halves at its bound always");
		return !states_are_those_of(APPROX, error_ppm, halving_of_dup(512));
	}
	describe("%s, %s", counted_names[which % 2 ? APPROX : DUP], class_name(error_ppm));
	if (which % 2)
		return states_are_those_of(APPROX, error_ppm,
					   halving_of_approx(scounter_bfp_approx_theta(error_ppm)));
	return states_are_those_of(DUP, error_ppm, halving_of_dup(theta));
}

/* With all its states and with those only that matter. */
static bool test_trimming(u32 which)
{
	struct halving halving = halving_of_dup(scounter_bfp_theta(SCOUNTER_ERROR_PPM_MAX));
	struct chain full, trimmed;
	bool passed = true;

	(void)which;
	describe("all states against those above 1e-18, n to 3000");
	chain_init(&full, halving, 3000, 0);
	chain_init(&trimmed, halving, 3000, 1e-18);
	while (full.events < 3000) {
		chain_step(&full);
		chain_step(&trimmed);
		passed &= near(full.variance, trimmed.variance, 1e-12);
		passed &= near(chain_mean(&full), full.events, 1e-12);
	}
	passed &= trimmed.dropped < 1e-14;
	passed &= trimmed.end - trimmed.first < full.end - full.first;
	chain_free(&full);
	chain_free(&trimmed);
	return passed;
}

/*
 * Variance by its increments, variance by its definition, and the closed form;
 * the mean, which must be n.
 */
static bool chain_agrees(u32 theta_chain, u32 theta, u64 events)
{
	struct chain chain;
	bool passed = true;

	chain_init(&chain, halving_of_dup(theta_chain), events, 1e-18);
	while (passed && chain.events < events) {
		chain_step(&chain);
		if (chain.events % (events / 64))
			continue;
		passed = near(chain.variance, chain_direct_variance(&chain),
			      CHAIN_PRECISION) &&
			 near(chain.variance,
			      exact_variance(theta, chain.events),
			      CHAIN_PRECISION) &&
			 near(chain_mean(&chain), chain.events, CHAIN_PRECISION);
	}
	chain_free(&chain);
	return passed;
}

static bool test_closed_form(u32 which)
{
	u32 theta;

	if (which == CLASSES) {
		theta = scounter_bfp_theta(SCOUNTER_ERROR_PPM_MAX);
		describe("catches another Theta");
		return !chain_agrees(theta + 2, theta, 6400);
	}
	theta = scounter_bfp_theta(classes[which]);
	describe("%s, n to 200000", class_name(classes[which]));
	return chain_agrees(theta, theta, 200000);
}

/* The relative standard deviation stays below sqrt(3 / (8M - 3)) for all n. */
static bool test_limit(u32 which)
{
	u32 theta = scounter_bfp_theta(classes[which]);
	double limit = exact_limit(theta);
	struct exact_worst worst = exact_worst(theta);

	describe("%s: approached, and not exceeded at any n",
		 class_name(classes[which]));
	comment("%s: at most %.5f %% (n = %llu), limit %.5f %%",
		class_name(classes[which]), 100 * worst.bound, worst.n,
		100 * limit);
	/* The exponent ends at 15: the limit is only approached. */
	return worst.bound <= limit &&
	       worst.rsd >= limit * (1 - 1.0 / theta - ldexp(1, -14));
}

/* The largest relative standard deviation over all n so far. */
static double chain_worst(struct halving halving, u64 events)
{
	struct chain chain;
	double worst = 0;

	chain_init(&chain, halving, events, 1e-18);
	while (chain.events < events) {
		chain_step(&chain);
		worst = fmax(worst, sqrt(chain.variance) / chain.events);
	}
	chain_free(&chain);
	return worst;
}

/*
 * approx has the largest error that its bound B allows, sqrt(3 / (4B)), but for what
 * the mantissas' being even takes; bfp_dup with B has that only in the limit.
 */
static bool test_approx_limit(u32 which)
{
	u32 theta = scounter_bfp_approx_theta(classes[which]);
	struct halving halving = halving_of_approx(theta);
	double limit = sqrt(3. / 4 / halving.bound);
	u64 events = 20 * halving.bound;
	double worst = chain_worst(halving, events);

	describe("%s: reached, and not exceeded", class_name(classes[which]));
	comment("%s: at most %.5f %% to n = %llu, limit %.5f %%, of bfp_dup %.5f %%",
		class_name(classes[which]), 100 * worst, events, 100 * limit,
		100 * exact_limit(scounter_bfp_theta(classes[which])));
	return worst <= limit && worst >= limit * (1 - 2.0 / halving.bound);
}

static struct scounter_class class_of(u32 ppm)
{
	const struct scounter_params params = { .kind = SCOUNTER_APPROX, .error_ppm = ppm };
	struct scounter_class class;

	if (scounter_class_init(&class, &params))
		abort();
	return class;
}

/* The finest error of all that are served by the same Theta. */
static u32 finest_like(u32 ppm)
{
	const u32 theta = class_of(ppm).theta;

	while (ppm > SCOUNTER_ERROR_PPM_MIN && class_of(ppm - 1).theta == theta)
		ppm--;
	return ppm;
}

/* In so small steps as a second goes, and at the errors that leave least room. */
static bool test_approx_asked(u32 which)
{
	double most = 0;
	u32 ppm, worst = 0;

	describe("2 %% to 20 %%, %s", which ? "contended" : "alone");
	for (ppm = SCOUNTER_ERROR_PPM_MAX; ppm >= 20000; ppm -= ppm / 40) {
		const u32 asked = finest_like(ppm);
		const struct scounter_class class = class_of(asked);
		struct halving halving = halving_of_approx(class.theta);
		double error;

		halving.theta = which ? class.theta : 0;
		error = chain_worst(halving, 20ULL << class.bound_log2) * SCOUNTER_PPM / asked;
		if (halving.bound != 1U << class.bound_log2)
			return false;
		if (error > most)
			worst = asked;
		most = fmax(most, error);
	}
	comment("at most %.4f of what was asked for, at %u ppm", most, worst);
	return most <= 1;
}

/* The error that a read states in the limit. */
static u32 stated(const struct scounter_class *class)
{
	struct scounter_word32 word = {
		.word = { scounter_bfp_word(class->theta, SCOUNTER_BFP_EXPONENT_MAX - 1) },
	};
	struct scounter_estimate estimate;

	scounter_word32_read_est(&word, class, &estimate);
	return estimate.error_ppm;
}

/* The limits of one alone and of a contended one, which hold for all n. */
static bool test_approx_limits(u32 which)
{
	u32 ppm;

	(void)which;
	describe("every one from 5000 to 200000 ppm, in the limit and as it is stated");
	for (ppm = SCOUNTER_ERROR_PPM_MIN; ppm <= SCOUNTER_ERROR_PPM_MAX; ppm++) {
		const struct scounter_class class = class_of(ppm);

		if (exact_limit(class.theta) * SCOUNTER_PPM <= ppm &&
		    sqrt(3. / 4 / (1 << class.bound_log2)) * SCOUNTER_PPM <= ppm &&
		    stated(&class) <= ppm && class.theta <= 1U << class.bound_log2)
			continue;
		comment("%u ppm: Theta %u, B %u, stated %u", ppm, class.theta,
			1 << class.bound_log2, stated(&class));
		return false;
	}
	return true;
}

const struct test exact_tests[] = {
	{ "Theta", 2, test_theta },
	{ "states of the Markov chain", 2 * CLASSES + 2, test_states },
	{ "the chain's recurrence", 1, test_trimming },
	{ "closed form of the variance", CLASSES + 1, test_closed_form },
	{ "limit of the error", CLASSES, test_limit },
	{ "limit of the error of approx", CLASSES, test_approx_limit },
	{ "approx has the error that was asked for", 2, test_approx_asked },
	{ "approx has the error that was asked for", 1, test_approx_limits },
	{ }
};

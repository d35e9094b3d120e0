/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The exact distribution of a bfp_dup or approx counter after n increments: what
 * the simulated counters are compared with.  It knows where a mantissa is halved, the
 * largest exponent and nothing else of the module.
 */
#ifndef _ACCURACY_EXACT_H
#define _ACCURACY_EXACT_H

#include <linux/types.h>

/* Beyond this many events a word may have saturated. */
#define EXACT_EVENTS_MAX	(1ULL << 42)

/* bfp_dup: the variance after n increments, n <= EXACT_EVENTS_MAX. */
double exact_variance(u32 theta, u64 n);

/* The relative standard deviation after n increments. */
double exact_rsd(u32 theta, u64 n);

/* What the relative standard deviation tends to: sqrt(3 / (8M - 3)). */
double exact_limit(u32 theta);

/* The relative standard deviation at its largest over all n. */
struct exact_worst {
	u64 n;
	double rsd;
	double bound;	/* proven for all n, those between the tried ones too */
};

struct exact_worst exact_worst(u32 theta);

/*
 * At which mantissas the exponent grows: at the least even number that is not below
 * bound * (1 - early * 2^-e).  early is 0 of bfp_dup, two thirds of approx.  And at
 * theta, where that is less and not 0: of an approx whose every update fails once.
 */
struct halving {
	u32 bound;
	double early;
	u32 theta;
};

struct halving halving_of_dup(u32 theta);
struct halving halving_of_approx(u32 theta);

/*
 * The Markov chain itself, one increment at a time.  States are numbered by
 * how many increments have changed the word.
 */
struct chain_state {
	u64 value;
	u32 exponent;
};

struct chain {
	struct chain_state *state;
	u64 events;
	u64 first, end;		/* the states kept are first <= state < end */
	u64 states;
	double trim;		/* drop states less probable, at both ends */
	double dropped;		/* how much probability that was in all */
	double variance;	/* sum of E[2^e] - 1 over the increments so far */
	double *probability;
	double *success;	/* by state: 2^-e */
	double *spread;		/* and 2^e - 1 */
};

void chain_init(struct chain *chain, struct halving halving, u64 events_max, double trim);
void chain_step(struct chain *chain);
void chain_free(struct chain *chain);

/* The state after that one; the first is all zeroes. */
struct chain_state chain_next(struct halving halving, struct chain_state state);

/* Mean and variance of the value, from the distribution as it is. */
double chain_mean(const struct chain *chain);
double chain_direct_variance(const struct chain *chain);

#endif /* _ACCURACY_EXACT_H */

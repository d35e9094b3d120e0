/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPUs that count in one word, by the module's own code: the increments that are
 * inlined, and all of kmod/ behind them, on the CPUs of tests/user/kernel.  Only the
 * trials that fail between two successes are not made one by one: what is left of
 * the CPU's countdown is taken at once.
 *
 * Increments of a word that nobody else changes, hundreds of millions of them, are
 * counted by a copy of what the module does for them (count_alone() in model.c), in
 * half the time.  The copy cannot drift: a test holds its words, countdowns and random
 * states against those of the module, draw by draw (test_pace.c).
 */
#ifndef _ACCURACY_MODEL_H
#define _ACCURACY_MODEL_H

#include <linux/scounter_word.h>
#include <linux/types.h>

#include "hooks.h"
#include "repr/bfp.h"

/*
 * What may be broken.  Each test runs with the module as it is, machine_kmod, and must
 * pass; and with a machine that has the fault which the test is there for, and must fail.
 */
struct machine {
	/* Called when the module has seeded its CPUs. */
	void (*seeded)(void);
	/* What a success draws. */
	u32 (*gap)(struct rnd_state *rnd, u32 k);
	/* The threshold Theta of the class. */
	u32 (*theta)(u32 error_ppm);
	struct hooks hooks;
};

extern const struct machine machine_kmod;

/* Parts for machines: all are broken. */
void broken_seed_same(void);
void broken_seed_zero_gaps(void);
u32 broken_gap_block(struct rnd_state *rnd, u32 k);
u32 broken_gap_constant(struct rnd_state *rnd, u32 k);
u32 broken_gap_longer(struct rnd_state *rnd, u32 k);
u32 broken_theta(u32 error_ppm);
u32 broken_sum_down(u32 word, u64 n, const struct scounter_bfp_policy *policy,
		    struct rnd_state *rnd);
u32 broken_sum_contended(u32 word, u64 n,
			 const struct scounter_bfp_policy *policy,
			 struct rnd_state *rnd);
u32 broken_sum_wraps(u32 word, u64 n, const struct scounter_bfp_policy *policy,
		     struct rnd_state *rnd);
u64 broken_thin_never(u64 n, u32 k, struct rnd_state *rnd);
u64 broken_thin_always(u64 n, u32 k, struct rnd_state *rnd);
u64 broken_thin_rounds_up(u64 n, u64 unit, struct rnd_state *rnd);
u64 broken_thin_accepts(u64 n, u64 unit, struct rnd_state *rnd);
u64 broken_retry_redraw(u64 n, u64 unit, struct rnd_state *rnd);
u64 broken_retry_keep(u64 n, u64 unit, struct rnd_state *rnd);

/*
 * Before all else: so many CPUs, all to be seeded, of which the first one counts.  False
 * if the machine is one already.
 */
bool model_init(u32 cpus, u32 nodes);
/* A generator of its own, from the next two numbers. */
void seed_state(struct rnd_state *rnd, u64 *seed);
/* As when the module is loaded, with the next seed of the stream. */
void model_seed(const struct machine *machine, u64 *seed);
/* What is left of a countdown of a CPU. */
s32 *model_left(u32 cpu, u32 k);

enum counted { DUP, CSUP, APPROX, MORRIS, SCALABLE, CAPPED, COUNTED };

#define POLICIES	3	/* those of bfp */
#define CAP		10	/* an update never adds more than 2^10 */

extern const char *const counted_names[COUNTED];

struct scounter_class counted_class(enum counted counted, u32 error_ppm);
/* As kmod/kinds/bfp.c has it of a class. */
struct scounter_bfp_policy policy_of(const struct scounter_class *class);

/* What another CPU does to the word while one is about to load or swap it. */
enum rival_kind {
	RIVAL_INCREMENTS,	/* other increments */
	RIVAL_GROWTH,		/* and enough to make the unit grow, before a swap */
	RIVAL_RESET,		/* increments and resets */
	RIVAL_ALL,		/* everything everywhere */
	RIVAL_KINDS,
};

struct rival {
	enum rival_kind kind;
	struct rnd_state chance;
	bool busy;
};

/* How increments are counted: all come to the same word, by the same draws. */
enum pace {
	ALONE,		/* by the copy, if nothing is broken and nobody interferes */
	TO_SUCCESS,	/* by the module, but for trials that fail */
	ONE_BY_ONE,
	PACES,
};

struct sim {
	const struct machine *machine;
	enum pace pace;
	struct scounter_class class;
	union {
		struct scounter_word32 word32;
		struct scounter_word64 word64;
	};
	u64 events;		/* what was counted, exactly */
	u64 fetched;		/* what resets have returned */
	u64 failures;		/* of compare-and-swap */
	bool went_down;		/* the value has become smaller, without a reset */
	u64 seen;		/* the value when last looked at */
	struct rival *rival;	/* or NULL */
};

void sim_init(struct sim *sim, const struct machine *machine, enum counted counted,
	      u32 error_ppm);
/* Another CPU comes between, from the next model_seed() on. */
void sim_against(struct sim *sim, struct rival *rival);
/* Begin anew with a word that has counted its value. */
void sim_start(struct sim *sim, u64 word);
/* So many increments in a row. */
void sim_count(struct sim *sim, u64 events);
void sim_add(struct sim *sim, u64 n);

u64 sim_word(const struct sim *sim);
u64 sim_value(const struct sim *sim);
struct scounter_estimate sim_estimate(const struct sim *sim);

/* Resets and the value, less what was counted: 0 in expectation. */
double sim_error(const struct sim *sim);

#endif /* _ACCURACY_MODEL_H */

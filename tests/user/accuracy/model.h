/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPUs that count in a bfp word, without a kernel.  The draws and the words are
 * the module's own functions.  The loops around them are those of kmod/kinds/bfp.c
 * and kmod/base/random.c, except that the trials which fail between two successes
 * are not counted down one by one.
 */
#ifndef _ACCURACY_MODEL_H
#define _ACCURACY_MODEL_H

#include <linux/scounter_word.h>
#include <linux/types.h>

#include "repr/bfp.h"

struct sim_cpu {
	struct rnd_state rnd;
	/* Trials of probability 2^-k that are to fail before one succeeds. */
	u32 left[SCOUNTER_GAP_EXPONENT_MAX + 1];
	/* Of use to a broken machine only. */
	u32 rest[SCOUNTER_GAP_EXPONENT_MAX + 1];
};

/*
 * The parts of which a broken variant exists.  Each test runs with the module's
 * own, machine_kmod, and must pass; and with a machine that has the fault which
 * the test is there for, and must fail.
 */
struct machine {
	/* Seed the next CPU from the stream of seeds. */
	void (*seed)(struct sim_cpu *cpu, u64 *seed);
	u32 (*gap)(struct sim_cpu *cpu, u32 k);
	u32 (*theta)(u32 error_ppm);
	u32 (*approx_theta)(u32 error_ppm);
	u32 (*sum)(u32 word, u64 n, const struct scounter_bfp_policy *policy,
		   struct rnd_state *rnd);
	/* A multiple of what the word is changed by: n, rounded at random. */
	u64 (*thin)(u64 n, u32 word, u32 shift, struct rnd_state *rnd);
	/* What is to be added still, after a failed compare-and-swap. */
	u64 (*retry)(u64 n, u32 seen, struct rnd_state *rnd);
};

extern const struct machine machine_kmod;

/* Parts for machines, and broken ones. */
void machine_seed(struct sim_cpu *cpu, u64 *seed);
void broken_seed_same(struct sim_cpu *cpu, u64 *seed);
void broken_seed_zero_gaps(struct sim_cpu *cpu, u64 *seed);
u32 machine_gap(struct sim_cpu *cpu, u32 k);
u32 broken_gap_block(struct sim_cpu *cpu, u32 k);
u32 broken_gap_constant(struct sim_cpu *cpu, u32 k);
u32 broken_gap_longer(struct sim_cpu *cpu, u32 k);
u32 broken_theta(u32 error_ppm);
u32 broken_sum_down(u32 word, u64 n, const struct scounter_bfp_policy *policy,
		    struct rnd_state *rnd);
u32 broken_sum_contended(u32 word, u64 n,
			 const struct scounter_bfp_policy *policy,
			 struct rnd_state *rnd);
u32 broken_sum_wraps(u32 word, u64 n, const struct scounter_bfp_policy *policy,
		     struct rnd_state *rnd);
u64 machine_thin(u64 n, u32 word, u32 shift, struct rnd_state *rnd);
u64 broken_thin_never(u64 n, u32 word, u32 shift, struct rnd_state *rnd);
u64 broken_thin_always(u64 n, u32 word, u32 shift, struct rnd_state *rnd);
u64 broken_retry_redraw(u64 n, u32 seen, struct rnd_state *rnd);
u64 broken_retry_keep(u64 n, u32 seen, struct rnd_state *rnd);

/* What happens to the word while a CPU is about to store. */
enum rival_kind {
	RIVAL_INCREMENTS,	/* other increments */
	RIVAL_GROWTH,		/* and growth of the exponent before the store */
	RIVAL_RESET,		/* increments and resets */
	RIVAL_ALL,		/* everything everywhere */
	RIVAL_KINDS,
};

struct rival {
	enum rival_kind kind;
	struct sim_cpu cpu;
	struct rnd_state chance;
	bool busy;
};

struct sim {
	const struct machine *machine;
	struct scounter_bfp_policy policy;
	u32 limit, shift;	/* as in struct scounter_class */
	struct scounter_class class;
	u32 word;
	u64 events;		/* what was counted, exactly */
	u64 fetched;		/* what resets have returned */
	u64 failures;		/* of compare-and-swap */
	bool went_down;		/* a store has made the value smaller */
	struct rival *rival;	/* may be NULL */
};

enum policy { DUP, CSUP, APPROX, POLICIES };

extern const char *const policy_names[POLICIES];

void sim_init(struct sim *sim, const struct machine *machine,
	      enum policy policy, u32 error_ppm);
void sim_start(struct sim *sim, u32 word);
void sim_count(struct sim *sim, struct sim_cpu *cpu, u64 events);
void sim_add(struct sim *sim, struct sim_cpu *cpu, u64 n);

/* Resets and the value, less what was counted: 0 in expectation. */
double sim_error(const struct sim *sim);

/* What the module says of the word. */
struct scounter_estimate sim_estimate(const struct sim *sim);

#endif /* _ACCURACY_MODEL_H */

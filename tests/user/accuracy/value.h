/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPUs that count in a word that is the value itself (morris, scalable), without
 * a kernel.  Units, draws and sums are the module's own functions; the loops
 * around them are those of kmod/kinds/value.c, except that the trials which fail
 * between two successes are not counted down one by one.
 */
#ifndef _ACCURACY_VALUE_H
#define _ACCURACY_VALUE_H

#include <linux/types.h>

#include "model.h"
#include "repr/value.h"
#include "stats.h"

enum value_kind { MORRIS, SCALABLE, SCALABLE_CAPPED, VALUE_KINDS };

extern const char *const value_names[VALUE_KINDS];

/* A unit never adds more than that with the option of a cap. */
#define CAP	10

struct value_machine {
	u64 (*unit)(u64 value, const struct scounter_value_rule *rule);
	/* What is left of a success that carried n. */
	u64 (*thin)(u64 n, u64 unit, struct rnd_state *rnd);
	/* And after a failed compare-and-swap. */
	u64 (*retry)(u64 n, u64 unit, struct rnd_state *rnd);
};

extern const struct value_machine value_machine_kmod;

u64 broken_thin_rounds_up(u64 n, u64 unit, struct rnd_state *rnd);
u64 broken_thin_accepts(u64 n, u64 unit, struct rnd_state *rnd);
u64 broken_retry_draws_anew(u64 n, u64 unit, struct rnd_state *rnd);

struct value_sim {
	const struct value_machine *machine;
	struct scounter_value_rule rule;
	u64 value;
	u64 events;		/* what was counted, exactly */
	bool contended;		/* another CPU counts and adds before stores */
	struct sim_cpu *rival;
};

struct scounter_value_rule value_rule(enum value_kind kind, u32 error_ppm);

void value_start(struct value_sim *sim, u64 value);
void value_count(struct value_sim *sim, struct sim_cpu *cpu, u64 events);
void value_add(struct value_sim *sim, struct sim_cpu *cpu, u64 n);

/*
 * A bound of the variance after n increments, or additions: n(n - 1)/2a for
 * morris; for the others n times the largest unit of a value of n, less 1.
 */
double value_variance_bound(const struct scounter_value_rule *rule, u64 n);

/* What the relative standard deviation is promised to stay below for large n. */
double value_limit(const struct scounter_value_rule *rule);

/* The variance after n increments, from the Markov chain: for n to 10^6 or so. */
double value_exact_variance(const struct scounter_value_rule *rule, u64 n);

/* The errors of so many counters at several numbers of events, rising. */
struct value_runs {
	enum value_kind kind;
	struct scounter_value_rule rule;
	u32 error_ppm, count, points;
	const u64 *at;
	struct moments error[16];
	u64 above_2, above_3;	/* percent off, at the last point */
};

struct value_runs value_run(const struct value_machine *machine,
			    enum value_kind kind, u32 error_ppm, u32 count,
			    const u64 *at, u32 points, u64 seed);

#endif /* _ACCURACY_VALUE_H */

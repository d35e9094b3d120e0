/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All representations of narrow cells behind one set of functions, and addition
 * written once over them.
 *
 * Addition (Steele & Tristan 2017, section 3): the sum S of two counts lies
 * between f(K) and f(tau(K)), K = phi(S); it is rounded to one of the two at
 * random, so that its expected value is S.  Both counts may have come from other
 * representations than the sum's (section 9), as only f is taken of them.
 *
 * There is no subtraction and no decrement.  The difference would be rounded as
 * the sum is, but it is smaller than what it came from: its relative standard
 * deviation has no bound, and it may be negative, which no state stands for
 * (section 14).
 */
#ifndef _SCOUNTER_REPR_REPR_H
#define _SCOUNTER_REPR_REPR_H

#include <linux/errno.h>

#include "repr/csuros.h"
#include "repr/csuros2.h"
#include "repr/dlm_float.h"
#include "repr/dlm_probability.h"
#include "repr/morris.h"
#include "repr/morris2.h"
#include "repr/type.h"

static inline struct scounter_real scounter_repr_f(const struct scounter_repr *repr, u32 x)
{
	switch (repr->type.kind) {
	case SCOUNTER_REPR_MORRIS:
		return scounter_morris_f(repr, x);
	case SCOUNTER_REPR_MORRIS2:
		return scounter_morris2_f(x);
	case SCOUNTER_REPR_CSUROS2:
		return scounter_csuros2_f(x, repr->shift);
	case SCOUNTER_REPR_CSUROS:
		return scounter_csuros_f(repr, x);
	case SCOUNTER_REPR_DLM_PROBABILITY:
		return scounter_dlm_probability_f(repr, x);
	default:
		return scounter_dlm_float_f(x, repr->shift);
	}
}

/* v < f(top) */
static inline u32 scounter_repr_phi(const struct scounter_repr *repr, struct scounter_real v)
{
	switch (repr->type.kind) {
	case SCOUNTER_REPR_MORRIS:
		return scounter_morris_phi(repr, v);
	case SCOUNTER_REPR_MORRIS2:
		return scounter_morris2_phi(v);
	case SCOUNTER_REPR_CSUROS2:
		return scounter_csuros2_phi(v, repr->shift);
	case SCOUNTER_REPR_CSUROS:
		return scounter_csuros_phi(repr, v);
	case SCOUNTER_REPR_DLM_PROBABILITY:
		return scounter_dlm_probability_phi(repr, v);
	default:
		return scounter_dlm_float_phi(repr, v);
	}
}

/* x < top */
static inline u32 scounter_repr_tau(const struct scounter_repr *repr, u32 x)
{
	switch (repr->type.kind) {
	case SCOUNTER_REPR_MORRIS:
		return scounter_morris_tau(x);
	case SCOUNTER_REPR_MORRIS2:
		return scounter_morris2_tau(x);
	case SCOUNTER_REPR_CSUROS2:
		return scounter_csuros2_tau(x);
	case SCOUNTER_REPR_CSUROS:
		return scounter_csuros_tau(x);
	case SCOUNTER_REPR_DLM_PROBABILITY:
		return scounter_dlm_probability_tau(x);
	default:
		return scounter_dlm_float_tau(repr, x);
	}
}

/* x < top */
static inline struct scounter_real scounter_repr_gap(const struct scounter_repr *repr, u32 x)
{
	switch (repr->type.kind) {
	case SCOUNTER_REPR_MORRIS:
		return scounter_morris_gap(repr, x);
	case SCOUNTER_REPR_MORRIS2:
		return scounter_morris2_gap(x);
	case SCOUNTER_REPR_CSUROS2:
		return scounter_csuros2_gap(x, repr->shift);
	case SCOUNTER_REPR_CSUROS:
		return scounter_csuros_gap(repr, x);
	case SCOUNTER_REPR_DLM_PROBABILITY:
		return scounter_dlm_probability_gap(repr, x);
	default:
		return scounter_dlm_float_gap(x, repr->shift);
	}
}

/* 1 / Q, at least 1; x < top. */
static inline struct scounter_real scounter_repr_worth(const struct scounter_repr *repr,
						       u32 x)
{
	if (repr->type.kind == SCOUNTER_REPR_DLM_PROBABILITY)
		return scounter_dlm_probability_worth(repr, x);
	return scounter_repr_gap(repr, x);
}

/*
 * The state for the count v, rounded up or down at random.  What is above the
 * last state is lost: `lost` is set then.
 */
static inline u32 scounter_repr_state(const struct scounter_repr *repr,
				      struct scounter_real v, struct rnd_state *rnd,
				      bool *lost)
{
	struct scounter_real rest;
	u32 k;

	if (!scounter_real_less(v, repr->most)) {
		*lost |= scounter_real_less(repr->most, v);
		return repr->top;
	}
	k = scounter_repr_phi(repr, v);
	rest = scounter_real_difference(v, scounter_repr_f(repr, k));
	if (scounter_real_is_zero(rest))
		return k;
	return scounter_real_chance(rest, scounter_repr_gap(repr, k), rnd) ?
	       scounter_repr_tau(repr, k) : k;
}

/* The state x after the count v has been added. */
static inline u32 scounter_repr_add(const struct scounter_repr *repr, u32 x,
				    struct scounter_real v, struct rnd_state *rnd,
				    bool *lost)
{
	if (scounter_real_is_zero(v))
		return x;
	return scounter_repr_state(repr, scounter_real_sum(scounter_repr_f(repr, x), v),
				   rnd, lost);
}

/* The sum of x and z of any two types, as a state of a third. */
static inline u32 scounter_repr_sum(const struct scounter_repr *sum,
				    const struct scounter_repr *x_repr, u32 x,
				    const struct scounter_repr *z_repr, u32 z,
				    struct rnd_state *rnd, bool *lost)
{
	return scounter_repr_state(sum, scounter_real_sum(scounter_repr_f(x_repr, x),
							  scounter_repr_f(z_repr, z)),
				   rnd, lost);
}

/* Whether an increment of x succeeds, decided by random bits alone. */
static inline bool scounter_repr_trial(const struct scounter_repr *repr, u32 x,
				       struct rnd_state *rnd)
{
	struct scounter_real worth = scounter_repr_worth(repr, x);

	return !scounter_draw_bits(rnd, scounter_real_log2(worth)) &&
	       scounter_real_accept(worth, rnd);
}

/*
 * xi in units of 10^-12, for a counter in state x: its variance is at most
 * xi n (n - 1) + 1 / 4.  Steele & Tristan 2017, theorems 11.4, 11.6 and 11.10:
 * 1 / (2 mu).  They have no theorem for the DLM counters.  The floating-point
 * one is given that of the Csuros counter with M = Theta / 2, whose steps are
 * larger at every count.  For the probability counter, a success has variance
 * 1 / p - 1 and its rounding at most a quarter of the gap's square with
 * probability p: together not more than 5 / 4 of a Morris counter's while the
 * gaps are below 1 / p, and that of a Morris counter with these gaps beyond.  If the
 * first steps are wide, they are at most a 2^b / (units (units - 1)) and grow by 2 / units
 * of what is counted, where others grow by 1 / (units - 1) at most.
 */
static inline u64 scounter_repr_xi(const struct scounter_repr *repr, u32 x)
{
	u64 q = (u64)(repr->type.q_ppm - SCOUNTER_REPR_MILLION) * SCOUNTER_REPR_MILLION;
	u64 coarse;
	u32 units;

	switch (repr->type.kind) {
	case SCOUNTER_REPR_DLM_FLOAT:
		return div64_u64(1000000000000ULL, repr->type.theta);
	case SCOUNTER_REPR_DLM_PROBABILITY:
		units = (1U << repr->type.bits) - x;
		q += q / 4;
		coarse = div64_u64(1000000000000ULL, max(units, 2U) - 1);
		/* Gaps beyond a first one of more than 1 / p are twice as steep. */
		if (scounter_dlm_probability_is_wide(&repr->type))
			coarse = min_t(u64, 2 * coarse, 1000000000000ULL);
		return max(q, coarse) / 2;
	default:
		return div64_u64(q, 2 * repr->type.m);
	}
}

/*
 * The relative variance of a count @v that is rounded to two states of @repr, at most,
 * in units of 10^-12.  Between f and f + G it is G^2 / 4 f (f + G) at the worst place,
 * and G is 2 xi f for large f.  Small counts are rounded by a larger part of them, but
 * also have less variance from before than what is said of all.
 */
static inline u64 scounter_repr_rounding(const struct scounter_repr *repr,
					 struct scounter_real v)
{
	u32 x = scounter_real_less(v, repr->most) ? scounter_repr_phi(repr, v) : repr->top;
	u64 xi = scounter_repr_xi(repr, x), ppm = div_u64(xi, SCOUNTER_REPR_MILLION);

	return div64_u64(xi * (ppm + 1), SCOUNTER_REPR_MILLION + 2 * ppm) + 1;
}

/*
 * The states below this one stand for their count exactly: an increment leaves each of
 * them at once, for the next.  The state itself need not, as increments may fail there.
 */
static inline u32 scounter_repr_exact(const struct scounter_repr *repr)
{
	switch (repr->type.kind) {
	case SCOUNTER_REPR_DLM_FLOAT:
		return repr->type.theta;
	case SCOUNTER_REPR_DLM_PROBABILITY:
		/* Where the first event is rounded by much, or lost. */
		return !scounter_dlm_probability_is_wide(&repr->type);
	default:
		return repr->type.m;
	}
}

/*
 * What the first update adds, at least 1: more only in wide steps of a DLM probability.
 * Where these are less than an event, rounding is as if events were counted by halves.
 */
static inline struct scounter_real scounter_repr_first(const struct scounter_repr *repr)
{
	struct scounter_real first;

	if (scounter_repr_exact(repr))
		return scounter_real(1);
	first = scounter_dlm_probability_f(repr, 1);
	return scounter_real_less(scounter_real(1), first) ? first : scounter_real(2);
}

static inline bool scounter_bits_allowed(u32 bits)
{
	return (bits >= 4 && bits <= 8) || bits == 10 || bits == 12 || bits == 16;
}

static inline bool scounter_is_power_of_2(u32 n)
{
	return n && !(n & (n - 1));
}

static inline bool scounter_kind_has_q(u32 kind)
{
	return kind == SCOUNTER_REPR_MORRIS || kind == SCOUNTER_REPR_CSUROS ||
	       kind == SCOUNTER_REPR_DLM_PROBABILITY;
}

static inline bool scounter_kind_has_m(u32 kind)
{
	return kind == SCOUNTER_REPR_CSUROS || kind == SCOUNTER_REPR_CSUROS2 ||
	       kind == SCOUNTER_REPR_DLM_FLOAT;
}

/* Fill in what a type of a known kind leaves out. */
static inline void scounter_type_fill(struct scounter_array_type *type)
{
	if (!scounter_kind_has_q(type->kind) && !type->q_ppm)
		type->q_ppm = SCOUNTER_REPR_Q_PPM_MAX;
	if (!scounter_kind_has_m(type->kind) && !type->m)
		type->m = 1;
	if (!type->group)
		type->group = 1;
	if (type->kind == SCOUNTER_REPR_DLM_FLOAT && !type->theta)
		type->theta = type->m;
}

static inline const char *scounter_q_wrong(const struct scounter_array_type *type)
{
	if (!scounter_kind_has_q(type->kind))
		return type->q_ppm != SCOUNTER_REPR_Q_PPM_MAX ?
		       "q_ppm is 0 or 2000000 for this kind" : NULL;
	return type->q_ppm <= SCOUNTER_REPR_MILLION || type->q_ppm > SCOUNTER_REPR_Q_PPM_MAX ?
	       "q_ppm is from 1000001 to 2000000" : NULL;
}

static inline const char *scounter_m_wrong(const struct scounter_array_type *type)
{
	if (!scounter_kind_has_m(type->kind))
		return type->m != 1 ? "m is 0 or 1 for this kind" : NULL;
	if (type->kind == SCOUNTER_REPR_DLM_FLOAT && type->m < 2)
		return "m is from 2 to 2^bits for this kind";
	if (!type->m || type->m > 1U << type->bits)
		return "m is from 1 to 2^bits";
	return type->kind != SCOUNTER_REPR_CSUROS && !scounter_is_power_of_2(type->m) ?
	       "m is a power of 2 for this kind" : NULL;
}

static inline const char *scounter_theta_wrong(const struct scounter_array_type *type)
{
	if (type->kind != SCOUNTER_REPR_DLM_FLOAT)
		return type->theta ? "theta is 0 for this kind" : NULL;
	return type->theta % 2 || !type->theta || type->theta > type->m ?
	       "theta is even, from 2 to m" : NULL;
}

/* Which number of a filled type is out of its range, and what that is; or NULL. */
static inline const char *scounter_type_wrong(const struct scounter_array_type *type)
{
	const char *why;

	if (!scounter_bits_allowed(type->bits))
		return "bits are 4 to 8, 10, 12 or 16";
	if (type->group > SCOUNTER_ARRAY_GROUP_MAX)
		return "group is from 0 to 1024";
	why = scounter_q_wrong(type);
	if (!why)
		why = scounter_m_wrong(type);
	return why ? why : scounter_theta_wrong(type);
}

/*
 * Whether a type makes sense, with what it leaves out filled in: 0, -EINVAL for
 * a kind that there is not, -ERANGE for a number out of range; and why.
 */
static inline int scounter_type_check(struct scounter_array_type *type, const char **why)
{
	*why = "kind is from 1 to 7";
	if (type->kind < SCOUNTER_REPR_MORRIS || type->kind > SCOUNTER_REPR_SHARED)
		return -EINVAL;
	scounter_type_fill(type);
	*why = scounter_type_wrong(type);
	return *why ? -ERANGE : 0;
}

/* How many rungs the caller is to provide for a checked type; 0 for most kinds. */
static inline u32 scounter_repr_rungs(const struct scounter_array_type *type)
{
	if (type->kind != SCOUNTER_REPR_MORRIS && type->kind != SCOUNTER_REPR_CSUROS)
		return 0;
	return ((1U << type->bits) - 1) / type->m + 1;
}

static inline u32 scounter_repr_last(const struct scounter_repr *repr)
{
	u32 all = (1U << repr->type.bits) - 1;

	switch (repr->type.kind) {
	case SCOUNTER_REPR_MORRIS2:
		return min_t(u32, all, SCOUNTER_MORRIS2_TOP);
	case SCOUNTER_REPR_CSUROS2:
		return min_t(u32, all, scounter_csuros2_top(repr->shift));
	case SCOUNTER_REPR_DLM_FLOAT:
		return scounter_dlm_float_top(repr->type.bits, repr->shift);
	default:
		return all;
	}
}

/* The last rung may go beyond what a count can be: the last state that does not. */
static inline u32 scounter_csuros_last(const struct scounter_repr *repr, u32 all)
{
	u32 m = repr->type.m;
	u32 x = min_t(u32, all, repr->rung_count * m - 1);

	while (!~scounter_csuros_f(repr, x).whole)
		x -= x % m ? x % m : 1;
	return x;
}

/*
 * Set up a representation for a checked type, over rungs from
 * scounter_csuros_fill(), which stay the caller's.
 */
static inline void scounter_repr_init(struct scounter_repr *repr,
				      const struct scounter_array_type *type,
				      const struct scounter_rung *rungs, u32 count)
{
	repr->type = *type;
	repr->shift = fls64(type->m) - 1;
	repr->rungs = rungs;
	repr->rung_count = count;
	if (type->kind == SCOUNTER_REPR_SHARED) {
		/* f depends on the level of the word, see shared.h */
		repr->top = (1U << type->bits) - 1;
		repr->most = SCOUNTER_REAL_MAX;
		return;
	}
	repr->top = scounter_repr_last(repr);
	if (rungs)
		repr->top = scounter_csuros_last(repr, repr->top);
	repr->most = scounter_repr_f(repr, repr->top);
}

#endif /* _SCOUNTER_REPR_REPR_H */

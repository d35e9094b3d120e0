/* SPDX-License-Identifier: GPL-2.0 */
/*
 * General Csuros floating-point counters, for any 1 < q <= 2 and any M:
 * f = (mu + x % M) * q^(x / M) - mu, mu = M / (q - 1), Q = q^-(x / M).
 * Steele & Tristan 2017, section 6.
 *
 * The states between two steps of the exponent are a rung of a ladder:
 * f = base + (x % M) * q^d, where d = x / M and base(d + 1) = base(d) + M * q^d.
 * This is the same f without mu, which need not be a whole number.
 */
#ifndef _SCOUNTER_REPR_CSUROS_H
#define _SCOUNTER_REPR_CSUROS_H

#include <linux/errno.h>

#include "repr/type.h"

/*
 * q^d with 192 bits after the point: eight limbs of 32 bits, the least first.  A
 * step of the exponent truncates at 2^-192, and what is lost grows with the power,
 * to less than 2^64: 65536 steps leave the first 64 bits after the point right.
 */
#define SCOUNTER_POWER_LIMBS	8

struct scounter_power {
	u32 limb[SCOUNTER_POWER_LIMBS];
};

static inline struct scounter_power scounter_power_one(void)
{
	return (struct scounter_power){ .limb[6] = 1 };
}

/* Times q; false if the result does not fit. */
static inline bool scounter_power_step(struct scounter_power *power, u32 q_ppm)
{
	u64 carry = 0;
	u32 remainder = 0;
	u32 product[SCOUNTER_POWER_LIMBS];
	int i;

	for (i = 0; i < SCOUNTER_POWER_LIMBS; i++) {
		carry += (u64)power->limb[i] * q_ppm;
		product[i] = carry;
		carry >>= 32;
	}
	if (carry >= SCOUNTER_REPR_MILLION)
		return false;
	remainder = carry;
	for (i = SCOUNTER_POWER_LIMBS; i-- > 0; )
		power->limb[i] = div_u64_rem((u64)remainder << 32 | product[i],
					     SCOUNTER_REPR_MILLION, &remainder);
	return true;
}

static inline struct scounter_real scounter_power_real(const struct scounter_power *power)
{
	return (struct scounter_real){
		(u64)power->limb[7] << 32 | power->limb[6],
		(u64)power->limb[5] << 32 | power->limb[4],
	};
}

/*
 * Fill at most `count` rungs; the number of those whose base and step are below
 * 2^64.
 */
static inline u32 scounter_csuros_fill(struct scounter_rung *rungs, u32 count,
				       u32 q_ppm, u32 m)
{
	struct scounter_power power = scounter_power_one();
	struct scounter_real base = scounter_real(0);
	u32 d;

	for (d = 0; d < count && ~base.whole; d++) {
		rungs[d].base = base;
		rungs[d].step = scounter_power_real(&power);
		base = scounter_real_sum(base, scounter_real_times(rungs[d].step, m));
		if (!scounter_power_step(&power, q_ppm))
			return d + 1;
	}
	return d;
}

static inline struct scounter_real scounter_csuros_f(const struct scounter_repr *repr,
						     u32 x)
{
	u32 m = repr->type.m;
	const struct scounter_rung *rung = &repr->rungs[x / m];

	return scounter_real_sum(rung->base, scounter_real_times(rung->step, x % m));
}

/* The last rung whose base is not above v: there is one, as that of 0 is 0. */
static inline u32 scounter_csuros_rung(const struct scounter_repr *repr,
				       struct scounter_real v)
{
	u32 low = 0, high = repr->rung_count;

	while (high - low > 1) {
		u32 middle = (low + high) / 2;

		if (scounter_real_less(v, repr->rungs[middle].base))
			high = middle;
		else
			low = middle;
	}
	return low;
}

static inline u32 scounter_csuros_phi(const struct scounter_repr *repr,
				      struct scounter_real v)
{
	u32 d = scounter_csuros_rung(repr, v);
	const struct scounter_rung *rung = &repr->rungs[d];

	if (repr->type.m == 1)
		return d;
	return d * repr->type.m +
	       scounter_real_quotient(scounter_real_difference(v, rung->base),
				      rung->step);
}

static inline u32 scounter_csuros_tau(u32 x)
{
	return x + 1;
}

static inline struct scounter_real scounter_csuros_gap(const struct scounter_repr *repr,
						       u32 x)
{
	return repr->rungs[x / repr->type.m].step;
}

#endif /* _SCOUNTER_REPR_CSUROS_H */

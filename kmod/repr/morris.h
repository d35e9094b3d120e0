/* SPDX-License-Identifier: GPL-2.0 */
/*
 * General Morris counters, for any 1 < q <= 2: f = (q^x - 1) / (q - 1), Q = q^-x.
 * Morris 1978 (q = 1 + 1 / a); Steele & Tristan 2017, section 4.
 *
 * They are general Csuros counters with one state a rung, and f is the table
 * that section 4 searches.
 */
#ifndef _SCOUNTER_REPR_MORRIS_H
#define _SCOUNTER_REPR_MORRIS_H

#include "repr/csuros.h"

static inline struct scounter_real scounter_morris_f(const struct scounter_repr *repr,
						     u32 x)
{
	return repr->rungs[x].base;
}

static inline u32 scounter_morris_phi(const struct scounter_repr *repr,
				      struct scounter_real v)
{
	return scounter_csuros_rung(repr, v);
}

static inline u32 scounter_morris_tau(u32 x)
{
	return x + 1;
}

static inline struct scounter_real scounter_morris_gap(const struct scounter_repr *repr,
						       u32 x)
{
	return repr->rungs[x].step;
}

#endif /* _SCOUNTER_REPR_MORRIS_H */

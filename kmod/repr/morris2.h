/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Binary Morris counters: the exponent alone, f = 2^x - 1, Q = 2^-x.
 * Morris 1978; addition after Steele & Tristan 2017, section 5: the larger state
 * stays, or grows by one with probability f(smaller) / 2^larger.
 */
#ifndef _SCOUNTER_REPR_MORRIS2_H
#define _SCOUNTER_REPR_MORRIS2_H

#include "repr/type.h"

/* f(64) is 2^64 - 1, the last that fits. */
#define SCOUNTER_MORRIS2_TOP	64U

static inline struct scounter_real scounter_morris2_f(u32 x)
{
	return scounter_real(x == 64 ? ~0ULL : (1ULL << x) - 1);
}

static inline u32 scounter_morris2_phi(struct scounter_real v)
{
	return ~v.whole ? fls64(v.whole + 1) - 1 : 64;
}

static inline u32 scounter_morris2_tau(u32 x)
{
	return x + 1;
}

static inline struct scounter_real scounter_morris2_gap(u32 x)
{
	return scounter_real(1ULL << x);
}

#endif /* _SCOUNTER_REPR_MORRIS2_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Binary Csuros floating-point counters: an exponent above s bits of mantissa
 * with a hidden leading bit, f = (M + x % M) * 2^(x / M) - M, M = 2^s, Q = 2^-(x / M).
 * Exact below M.  Csuros 2010; Steele & Tristan 2017, section 6.
 */
#ifndef _SCOUNTER_REPR_CSUROS2_H
#define _SCOUNTER_REPR_CSUROS2_H

#include "repr/type.h"

/* The last state whose f is below 2^64. */
static inline u32 scounter_csuros2_top(u32 s)
{
	return ((64 - s) << s) - 1;
}

static inline struct scounter_real scounter_csuros2_f(u32 x, u32 s)
{
	u64 m = 1ULL << s;

	return scounter_real(((m + (x & (m - 1))) << (x >> s)) - m);
}

/* v is below f(top), so that v + M fits. */
static inline u32 scounter_csuros2_phi(struct scounter_real v, u32 s)
{
	u64 m = 1ULL << s;
	u32 d = fls64(v.whole + m) - (s + 1);

	return (d << s) + (u32)((v.whole + m) >> d) - (u32)m;
}

static inline u32 scounter_csuros2_tau(u32 x)
{
	return x + 1;
}

static inline struct scounter_real scounter_csuros2_gap(u32 x, u32 s)
{
	return scounter_real(1ULL << (x >> s));
}

#endif /* _SCOUNTER_REPR_CSUROS2_H */

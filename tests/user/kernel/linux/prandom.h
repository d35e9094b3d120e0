/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-in for the kernel header of this name, with the kernel's
 * generator: P. L'Ecuyer, "Tables of maximally equidistributed combined LFSR
 * generators", Mathematics of Computation 68 (1999), the one with four
 * components and period 2^113.  The same state gives the same numbers as in
 * the kernel.
 */
#ifndef _SHIM_LINUX_PRANDOM_H
#define _SHIM_LINUX_PRANDOM_H

#include <linux/kernel.h>
#include <linux/types.h>
#include "../shim.h"

struct rnd_state {
	__u32 s1, s2, s3, s4;
};

/*
 * One step of a component: the recurrence x^k + x^q + 1 over the upper k bits
 * of z, s bits at a time.  The lower 32 - k bits do not count.
 */
static inline u32 shim_lfsr_step(u32 z, u32 k, u32 q, u32 s)
{
	u32 fresh = (z << q ^ z) >> (k - s);

	return (z & ~0U << (32 - k)) << s ^ fresh;
}

static inline u32 prandom_u32_state(struct rnd_state *state)
{
	shim_draw();
	state->s1 = shim_lfsr_step(state->s1, 31, 6, 18);
	state->s2 = shim_lfsr_step(state->s2, 29, 2, 2);
	state->s3 = shim_lfsr_step(state->s3, 28, 13, 7);
	state->s4 = shim_lfsr_step(state->s4, 25, 3, 13);
	return state->s1 ^ state->s2 ^ state->s3 ^ state->s4;
}

/* The upper bits of a component must not all be zero: at least m. */
static inline u32 __seed(u32 x, u32 m)
{
	return x < m ? x + m : x;
}

#endif /* _SHIM_LINUX_PRANDOM_H */

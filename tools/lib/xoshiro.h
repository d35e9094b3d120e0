/* SPDX-License-Identifier: GPL-2.0 */
/* xoshiro256++ (Blackman & Vigna 2021): random numbers for many cells at once. */
#ifndef _LIB_XOSHIRO_H
#define _LIB_XOSHIRO_H

#include <linux/types.h>

static inline u64 next_bits(u64 state[4])
{
	u64 sum = state[0] + state[3];
	u64 result = (sum << 23 | sum >> 41) + state[0];
	u64 t = state[1] << 17;

	state[2] ^= state[0];
	state[3] ^= state[1];
	state[1] ^= state[2];
	state[0] ^= state[3];
	state[2] ^= t;
	state[3] = state[3] << 45 | state[3] >> 19;
	return result;
}

#endif /* _LIB_XOSHIRO_H */

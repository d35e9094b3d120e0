/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paper's source of chance: a Fibonacci linear-feedback shift register, of which the
 * lowest X bits are all zeros with a probability of about 2^-X.
 *
 * Its defects:
 *  - The register is never all zeros.  So X bits of W are zeros in 2^(W - X) - 1 of its
 *    2^W - 1 states, and a counter that is at X = W never moves again.
 *  - Windows of two steps that follow each other share all bits but one.  With a step an
 *    event, the trial after a success succeeds with a probability of 1/2, not 2^-X.  The
 *    paper does not say how many steps there are between two events.
 */
#ifndef _XU_LFSR_H
#define _XU_LFSR_H

#include <stdbool.h>
#include <stdint.h>

/* Taps of registers that pass all states but zero. */
static inline uint32_t lfsr_taps(unsigned int width)
{
	switch (width) {
	case 8: return 0x1d;		/* x^8 + x^4 + x^3 + x^2 + 1 */
	case 16: return 0x100b;		/* x^16 + x^12 + x^3 + x + 1 */
	default: return 0x400007;	/* x^32 + x^22 + x^2 + x + 1 */
	}
}

static inline uint32_t lfsr_mask(unsigned int bits)
{
	return bits >= 32 ? UINT32_MAX : (1U << bits) - 1;
}

/* One step: the lowest bit goes, and the parity of the taps comes in above. */
static inline uint32_t lfsr_step(uint32_t state, unsigned int width)
{
	uint32_t in = __builtin_parity(state & lfsr_taps(width));

	return state >> 1 | in << (width - 1);
}

/* Whether the OR of the lowest X bits is 0; of a register that is too short, of all. */
static inline bool lfsr_success(uint32_t state, unsigned int x, unsigned int width)
{
	return !(state & lfsr_mask(x < width ? x : width));
}

/* One event for a binary Morris counter with a register of its own. */
static inline void lfsr_inc(uint32_t *x, uint32_t *state, unsigned int width, unsigned int steps)
{
	*x += lfsr_success(*state, *x, width);
	while (steps--)
		*state = lfsr_step(*state, width);
}

#endif /* _XU_LFSR_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Randomized exponential backoff (Agarwal & Cherian 1989, as used by Dice, Lev & Moir
 * 2013): a random number of pauses, whose bound doubles with each failure.  Example:
 * 0 or 1 after the first failure, 0 to 7 after the third, 0 to 255 from the eighth on.
 */
#ifndef _SCOUNTER_BACKOFF_H
#define _SCOUNTER_BACKOFF_H

#include <linux/minmax.h>
#include <linux/processor.h>

#include "base/draw.h"

#define SCOUNTER_BACKOFF_BITS_MAX	8

static inline void scounter_pause(u32 pauses)
{
	while (pauses--)
		cpu_relax();
}

static inline void scounter_backoff(u32 failures, struct rnd_state *rnd)
{
	if (failures)
		scounter_pause(scounter_draw_bits(rnd,
			min_t(u32, failures, SCOUNTER_BACKOFF_BITS_MAX)));
}

#endif /* _SCOUNTER_BACKOFF_H */

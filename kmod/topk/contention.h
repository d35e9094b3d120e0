/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Backoff after a failed compare-and-swap of a word that many CPUs change.  A CPU pauses
 * up to 1 time after the first failure, up to 3 times after the second, 7 after the third,
 * and never more than 63 times.  The number is another one on each CPU, so that one of
 * them mostly swaps undisturbed.  After the pauses the caller reads the word again.  On
 * most machines that fetches the cache line for the swap, too.
 */
#ifndef _SCOUNTER_TOPK_CONTENTION_H
#define _SCOUNTER_TOPK_CONTENTION_H

#include <linux/kernel.h>
#include <linux/processor.h>
#include <linux/smp.h>
#include <linux/types.h>

/* There are fewer pauses than two to this power. */
#define TOPK_BACKOFF_BITS	6

/* The word's old value is random enough. */
static inline void topk_backoff(u64 word, u32 failures)
{
	u32 mixed = (u32)(word + raw_smp_processor_id()) * 0x9e3779b9U;
	u32 pauses = mixed >> (32 - min_t(u32, failures + 1, TOPK_BACKOFF_BITS));

	while (pauses--)
		cpu_relax();
}

#endif /* _SCOUNTER_TOPK_CONTENTION_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * After a failed compare-and-swap of a word that many CPUs change: some pauses, up
 * to twice as many after each failure, and another number on each CPU, so that one
 * of them mostly swaps undisturbed.  Then the word is to be read again, which on
 * most machines brings its cache line for the swap, too.
 */
#ifndef _SCOUNTER_TOPK_CONTENTION_H
#define _SCOUNTER_TOPK_CONTENTION_H

#include <linux/kernel.h>
#include <linux/processor.h>
#include <linux/smp.h>
#include <linux/types.h>

/* Fewer pauses than two to this power. */
#define TOPK_BACKOFF_BITS	6

/* What the word was is random enough. */
static inline void topk_backoff(u64 word, u32 failures)
{
	u32 mixed = (u32)(word + raw_smp_processor_id()) * 0x9e3779b9U;
	u32 pauses = mixed >> (32 - min_t(u32, failures + 1, TOPK_BACKOFF_BITS));

	while (pauses--)
		cpu_relax();
}

#endif /* _SCOUNTER_TOPK_CONTENTION_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gathering: each CPU counts the hits of one contended key in a word of its own, and adds
 * them to the key's count 1024 at once.  Four CPUs that hit one key change its count once
 * in 1024 hits each, and not at every hit.  (A bulk increment, Das et al. 2009, section
 * 4.3.2.)
 *
 * A CPU has one *slot*, with a key and the number of its gathered hits.  A key comes into
 * the slot when a compare-and-swap of its count fails, or when another context owns it:
 * the key is contended.  It is evicted when another key is contended twice with no hit of
 * the current key in between.
 *
 * When the slot is full, or when a query begins, the hits are added to the count.  It is
 * as if they had come later, and Space-Saving's bounds hold for any order of hits.  Until
 * then the hits are pending (delegation.h): at most TOPK_GATHER_MOST a CPU, and none at
 * rest, as the query takes them.
 *
 * The slot's word has three parts: how often the slot was given a key, whether it is being
 * given one, and the number of hits.  A slot with no hits is free.  The key changes only
 * while the slot is being given one.  So a swap of the word succeeds only if the slot was
 * the same key's since the word was read: topk-gather.litmus.  Any context of any CPU may
 * swap the word.
 */
#ifndef _SCOUNTER_TOPK_GATHER_H
#define _SCOUNTER_TOPK_GATHER_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

#include "topk/table.h"

/* Tests make it small. */
#ifndef TOPK_GATHER_MOST
#define TOPK_GATHER_MOST	1024
#endif

#define TOPK_GATHER_BITS		11
#define TOPK_GATHER_HITS		((1ULL << TOPK_GATHER_BITS) - 1)
#define TOPK_GATHER_GIVEN		(1ULL << TOPK_GATHER_BITS)
#define TOPK_GATHER_USE		(2ULL << TOPK_GATHER_BITS)

static inline u64 topk_gathered(u64 word)
{
	return word & TOPK_GATHER_HITS;
}

/* The word of a free slot, after @word's hits have been taken. */
static inline s64 topk_gather_free(u64 word)
{
	return (word & ~TOPK_GATHER_HITS) + TOPK_GATHER_USE;
}

/* The word of a slot that is being given a key: only the caller may write the key. */
static inline s64 topk_gather_next(u64 word)
{
	return topk_gather_free(word) + TOPK_GATHER_GIVEN;
}

/* Gather hits.  False if the slot is not the key's, is full, or has just changed. */
static __always_inline bool topk_gather_hit(struct topk_cpu *cpu, u64 key, u64 n)
{
	/* Pairs with the release in topk_gather_give(): topk-gather.litmus. */
	s64 word = atomic64_read_acquire(&cpu->gather);
	u64 hits = topk_gathered(word);

	return hits && READ_ONCE(cpu->gather_key) == key && n <= TOPK_GATHER_MOST - hits &&
	       atomic64_try_cmpxchg(&cpu->gather, &word, word + n);
}

/* Put the key and its first hits into the slot, whose word is @given. */
static inline void topk_gather_give(struct topk_cpu *cpu, u64 given, u64 key, u64 n)
{
	WRITE_ONCE(cpu->gather_key, key);
	atomic64_set_release(&cpu->gather, given - TOPK_GATHER_GIVEN + n);
}

/*
 * Another key is contended.  True if the slot's key must go: if it was not hit since this
 * was last asked.
 */
static inline bool topk_gather_yields(struct topk_cpu *cpu, u64 word)
{
	bool same = READ_ONCE(cpu->gather_rival) == (u32)word;

	WRITE_ONCE(cpu->gather_rival, word);
	return same;
}

/*
 * Gather hits of a contended key: give it the slot, or go on with it after the slot was
 * full or a query has taken its hits.  False if the caller must count the hits itself.
 */
bool topk_gather(struct topk_table *table, u64 key, u64 n);

/* Add the gathered hits of all CPUs to their counts. */
void topk_gather_take_all(struct topk_table *table);

#endif /* _SCOUNTER_TOPK_GATHER_H */

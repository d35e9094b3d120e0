/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gathering: the hits of a key that CPUs fight over are counted in a word of each CPU's
 * own first, and come to the key's count many at once (a bulk increment, Das et al.
 * 2009, section 4.3.2).  So the hottest keys, which are in every CPU's way, are those
 * that CPUs meet at most seldom.
 *
 * A CPU has one *slot*, with a key and the hits of it that are gathered.  A key
 * comes into it when a compare-and-swap of its count fails, or another context owns it,
 * and goes when that happens to another one twice without a hit of it in between.  When the slot is full, or a query
 * begins, its hits are added to the count.  That is as if they had come later: the
 * order of hits is nothing that Space-Saving's bounds depend on.  Until then they
 * are pending (delegation.h): at most TOPK_GATHER_MOST a CPU, and none at rest, as the
 * query has taken them.
 *
 * The slot's word: how often it was given a key, "being given one", and the number of
 * hits; with none, the slot is free.  The key changes only in between, so that a
 * swap of the word succeeds only if it was the key's all the time: topk-gather.litmus.
 * Any context may swap it, of any CPU.
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

/* Nobody's: as it is when its hits have been taken. */
static inline s64 topk_gather_free(u64 word)
{
	return (word & ~TOPK_GATHER_HITS) + TOPK_GATHER_USE;
}

/* The slot for another key, which only the caller may write. */
static inline s64 topk_gather_next(u64 word)
{
	return topk_gather_free(word) + TOPK_GATHER_GIVEN;
}

/* False if the slot is not the key's, is full, or has just changed. */
static __always_inline bool topk_gather_hit(struct topk_cpu *cpu, u64 key, u64 n)
{
	/* Pairs with the release in topk_gather_give(): topk-gather.litmus. */
	s64 word = atomic64_read_acquire(&cpu->gather);
	u64 hits = topk_gathered(word);

	return hits && READ_ONCE(cpu->gather_key) == key && n <= TOPK_GATHER_MOST - hits &&
	       atomic64_try_cmpxchg(&cpu->gather, &word, word + n);
}

/* The slot, whose word is @given, has the key from now on, and its first hits. */
static inline void topk_gather_give(struct topk_cpu *cpu, u64 given, u64 key, u64 n)
{
	WRITE_ONCE(cpu->gather_key, key);
	atomic64_set_release(&cpu->gather, given - TOPK_GATHER_GIVEN + n);
}

/* Does this key that is in the way go?  Not if it was hit since the last one asked. */
static inline bool topk_gather_yields(struct topk_cpu *cpu, u64 word)
{
	bool same = READ_ONCE(cpu->gather_rival) == (u32)word;

	WRITE_ONCE(cpu->gather_rival, word);
	return same;
}

/*
 * Begin with a key that is fought over, or go on with it when the slot is full or a
 * query has taken its hits; false if they are to be counted otherwise.
 */
bool topk_gather(struct topk_table *table, u64 key, u64 n);

/* Count what was gathered before, on all CPUs. */
void topk_gather_take_all(struct topk_table *table);

#endif /* _SCOUNTER_TOPK_GATHER_H */

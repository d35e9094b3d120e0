/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The default design's table, and the way that almost all hits go through it,
 * inline in the call of the module that counts.  The idea is in lockfree.c.
 */
#ifndef _SCOUNTER_TOPK_LOCKFREE_H
#define _SCOUNTER_TOPK_LOCKFREE_H

#include <linux/atomic.h>
#include <linux/kernel.h>

#include "bounds.h"
#include "gather.h"
#include "index.h"
#include "table.h"

/* A cell's word: node (21 bits), pins (3), the lower part of the count (40). */
#define LOW_BITS	40
#define LOW_MASK	((1ULL << LOW_BITS) - 1)
#define PIN		(1ULL << LOW_BITS)
#define PIN_MASK	(7ULL << LOW_BITS)
#define NODE_SHIFT	(LOW_BITS + 3)

/* Tests make it small. */
#ifndef TOPK_FOLD
#define TOPK_FOLD	(1ULL << 39)
#endif
#define SMALL		(TOPK_FOLD < (1ULL << 32) ? TOPK_FOLD : (1ULL << 32))

/* Nodes looked at before the walk may have strayed from its chain. */
#define STEPS		16

struct cell {
	atomic64_t word;
	atomic64_t high;
};

struct lockfree {
	struct topk_table table;
	struct topk_index index;
	struct cell *cells;
	struct topk_bounds bounds;
};

static inline u32 word_node(u64 word)
{
	return word >> NODE_SHIFT;
}

static inline u64 word_make(u32 node, u64 low)
{
	return (u64)node << NODE_SHIFT | low;
}

static inline struct lockfree *lockfree_of(struct topk_table *table)
{
	return container_of(table, struct lockfree, table);
}

/* As add() of the design, but others are counting hits of the key, too. */
void topk_lockfree_contended(struct topk_table *table, const void *bytes, u64 n);

/*
 * Hits in a table of any design.  Those of a key that is there and has 4 or 8 bytes are
 * counted here; all that is rare is left to the two functions.
 */
static __always_inline void topk_add(struct topk_table *table, const void *bytes, u64 n)
{
	struct lockfree *t = lockfree_of(table);
	struct topk_cpu *cpu;
	struct topk_node *node;
	struct cell *cell;
	const atomic64_t *link;
	u32 steps = STEPS;
	unsigned long i;
	u64 key = 0;
	s64 word;

	if (likely(table->inline_key == sizeof(u64)))
		memcpy(&key, bytes, sizeof(u64));
	else if (table->inline_key == sizeof(u32))
		memcpy(&key, bytes, sizeof(u32));
	else
		goto add;
	cpu = topk_this_cpu(table);
	if (unlikely(READ_ONCE(cpu->gather_key) == key)) {
		if (!topk_gather_hit(cpu, key, n))
			topk_lockfree_contended(table, bytes, n);
		return;
	}
	if (unlikely(n > SMALL))
		goto add;
	link = topk_index_head(&t->index, topk_hash_word(key, &table->secret));
	for (;;) {
		i = topk_link_node(atomic64_read(link));
		if (unlikely(!i || !steps--))
			goto add;
		/* It may have another key by now. */
		node = topk_node_of_word(&t->index, i);
		if (likely(READ_ONCE(node->key[0]) == key))
			break;
		link = &node->link;
	}
	cell = &t->cells[READ_ONCE(node->place)];
	/* As in count_in(): the word, then the key, then the swap. */
	word = atomic64_read_acquire(&cell->word);
	/* Another node's, or pinned, or nearly full. */
	if (unlikely((word ^ word_make(i, 0)) >= TOPK_FOLD ||
		     READ_ONCE(node->key[0]) != key))
		goto add;
	if (unlikely(!atomic64_try_cmpxchg(&cell->word, &word, word + n)))
		topk_lockfree_contended(table, bytes, n);
	return;
add:
	table->ops->add(table, bytes, n);
}

#endif /* _SCOUNTER_TOPK_LOCKFREE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The default design's table, and the way that almost all hits go through it,
 * inline in the call of the module that counts.  The idea is in lockfree.c.
 */
#ifndef _SCOUNTER_TOPK_LOCKFREE_H
#define _SCOUNTER_TOPK_LOCKFREE_H

#include <linux/atomic.h>
#include <linux/kernel.h>

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

#define LEVELS		5	/* 64^4 blocks of 64 cells and more */

struct cell {
	atomic64_t word;
	atomic64_t high;
};

struct lockfree {
	struct topk_table table;
	struct topk_index index;
	struct cell *cells;
	atomic64_t *bounds[LEVELS];
	u32 sizes[LEVELS];
	u32 top;		/* the level that has one bound */
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

/* The node of a key of one word, or 0; it may have another key by now. */
static __always_inline u32 topk_find_word(const struct topk_index *index, u64 key, u32 hash)
{
	u32 i = topk_link_node(atomic64_read(topk_index_head(index, hash)));
	u32 steps = STEPS;

	while (likely(i)) {
		struct topk_node *node = topk_node_of_word(index, i);

		if (likely(READ_ONCE(node->key[0]) == key))
			return i;
		if (!--steps)
			return 0;
		i = topk_link_node(atomic64_read(&node->link));
	}
	return 0;
}

/*
 * Count hits of a key that is there and has at most 8 bytes: no call, and nothing
 * on the stack.  False leaves all that is rare to the design's add().
 */
static __always_inline bool topk_hit_word(struct topk_table *table, const void *bytes, u64 n)
{
	struct lockfree *t = lockfree_of(table);
	struct topk_node *node;
	struct cell *cell;
	u64 key = 0;
	s64 word;
	u32 i;

	if (likely(table->inline_key == sizeof(u64)))
		memcpy(&key, bytes, sizeof(u64));
	else if (table->inline_key == sizeof(u32))
		memcpy(&key, bytes, sizeof(u32));
	else
		return false;
	i = topk_find_word(&t->index, key, topk_hash_word(key, &table->secret));
	if (unlikely(!i || n > SMALL))
		return false;
	node = topk_node_of_word(&t->index, i);
	cell = &t->cells[READ_ONCE(node->place)];
	/* As in count_in(): the word, then the key, then the swap. */
	word = atomic64_read_acquire(&cell->word);
	/* Another node's, or pinned, or nearly full. */
	if (unlikely((word ^ word_make(i, 0)) >= TOPK_FOLD ||
		     READ_ONCE(node->key[0]) != key))
		return false;
	return likely(atomic64_try_cmpxchg(&cell->word, &word, word + n));
}

/* Hits in a table of any design. */
static __always_inline void topk_add(struct topk_table *table, const void *bytes, u64 n)
{
	if (unlikely(!topk_hit_word(table, bytes, n)))
		table->ops->add(table, bytes, n);
}

#endif /* _SCOUNTER_TOPK_LOCKFREE_H */

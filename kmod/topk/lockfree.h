/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The default design's table, and the way that almost all hits go through it,
 * inline in the call of the module that counts.  The idea is in lockfree.c.
 */
#ifndef _SCOUNTER_TOPK_LOCKFREE_H
#define _SCOUNTER_TOPK_LOCKFREE_H

#include <linux/atomic.h>
#include <linux/kernel.h>

#include "topk/bounds.h"
#include "topk/gather.h"
#include "topk/index.h"
#include "topk/table.h"

/*
 * A cell's word: node (21 bits), pins (3), the lower part of the count (39), and how often
 * a part of that was carried into the upper word, modulo 2.  Tests make it small.
 */
#ifndef TOPK_LOW_BITS
#define TOPK_LOW_BITS	39
#endif
#define CARRIES		1ULL
#define LOW(n)		((u64)(n) << 1)
#define PIN		LOW(1ULL << TOPK_LOW_BITS)
#define PIN_MASK	(7 * PIN)
#define NODE_SHIFT	(TOPK_LOW_BITS + 4)

/* What is carried, from where on; and the most that a hit adds to the lower part. */
#define FOLD		(1ULL << (TOPK_LOW_BITS - 1))
#ifndef TOPK_SMALL
#define TOPK_SMALL	(FOLD < (1ULL << 16) ? FOLD : (1ULL << 16))
#endif

struct cell {
	atomic64_t word;
	atomic64_t upper;	/* even, but for the lowest bit: as in the word */
};

struct lockfree {
	struct topk_table table;
	struct topk_index index;
	struct cell *cells;
	struct topk_bounds bounds;
	atomic64_t waiting;	/* the first node of those that wait for a victim */
};

static inline u32 word_node(u64 word)
{
	return word >> NODE_SHIFT;
}

static inline u64 word_make(u32 node)
{
	return (u64)node << NODE_SHIFT;
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
	u32 steps = TOPK_WALK_STEPS;
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
	if (unlikely(n > TOPK_SMALL))
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
	if (unlikely((word ^ word_make(i)) >= LOW(FOLD) ||
		     READ_ONCE(node->key[0]) != key))
		goto add;
	if (unlikely(!atomic64_try_cmpxchg(&cell->word, &word, word + LOW(n))))
		topk_lockfree_contended(table, bytes, n);
	return;
add:
	table->ops->add(table, bytes, n);
}

#endif /* _SCOUNTER_TOPK_LOCKFREE_H */

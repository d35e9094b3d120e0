/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lockfree design's table, and the way that almost all hits go through it.  That way
 * is inline in the exported functions, so that such a hit makes no other call.  The idea
 * is in lockfree.c.
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
 * The word of a cell, from the top: the node (21 bits), the number of pins (3), the lower
 * part of the count (39), and the parity of carries into the upper word (1).  Tests make
 * the lower part small.
 */
#ifndef TOPK_LOW_BITS
#define TOPK_LOW_BITS	39
#endif
#define TOPK_LOW(n)		((u64)(n) << 1)
#define TOPK_PIN		TOPK_LOW(1ULL << TOPK_LOW_BITS)
#define TOPK_NODE_SHIFT		(TOPK_LOW_BITS + 4)

/* A lower part of this or more is to be carried, in portions of this. */
#define TOPK_FOLD		(1ULL << (TOPK_LOW_BITS - 1))

/* The most that one hit adds to the lower part. */
#ifndef TOPK_SMALL
#define TOPK_SMALL	(TOPK_FOLD < (1ULL << 16) ? TOPK_FOLD : (1ULL << 16))
#endif

struct topk_cell {
	atomic64_t word;
	atomic64_t upper;	/* even, but for bit 0: the parity of carries */
};

struct topk_lockfree {
	struct topk_table table;
	struct topk_index index;
	struct topk_cell *cells;
	struct topk_bounds bounds;
	atomic64_t waiting;	/* the first node of those that wait for a victim */
};

static inline u32 topk_cell_node(u64 word)
{
	return word >> TOPK_NODE_SHIFT;
}

static inline u64 topk_cell_word(u32 node)
{
	return (u64)node << TOPK_NODE_SHIFT;
}

static inline struct topk_lockfree *topk_lockfree_of(struct topk_table *table)
{
	return container_of(table, struct topk_lockfree, table);
}

/* As add() of the design, for keys of one word: any, */
void topk_lockfree_add(struct topk_table *table, u64 key, u64 n);

/* one whose count another CPU is changing, too, */
void topk_lockfree_contended(struct topk_table *table, u64 key, u64 n);

/*
 * and one that has just not been found, with TOPK_SMALL hits at most.  @sum: see key.h; it
 * is at hand, and the hash is not.
 */
void topk_lockfree_absent(struct topk_table *table, u64 key, u32 sum, u64 n);

/* Count hits of a key of one word. */
static __always_inline void topk_lockfree_hit(struct topk_table *table, u64 key, u64 n)
{
	struct topk_lockfree *t = topk_lockfree_of(table);
	struct topk_cpu *cpu = topk_this_cpu(table);
	u32 steps = TOPK_WALK_STEPS;
	struct topk_node *node;
	struct topk_cell *cell;
	const atomic64_t *link;
	unsigned long i;
	u32 sum;
	s64 word;

	if (unlikely(READ_ONCE(cpu->gather_key) == key)) {
		if (!topk_gather_hit(cpu, key, n))
			topk_lockfree_contended(table, key, n);
		return;
	}
	if (unlikely(n > TOPK_SMALL)) {
		topk_lockfree_add(table, key, n);
		return;
	}
	sum = topk_hash_sum(key, &table->secret);
	link = topk_index_head(&t->index, topk_hash_of_sum(sum));
	for (;;) {
		i = topk_link_node(atomic64_read(link));
		if (unlikely(!i || !steps--)) {
			topk_lockfree_absent(table, key, sum, n);
			return;
		}
		/* It may get another key after this: the cell's word tells. */
		node = topk_node_of_word(&t->index, i);
		if (likely(READ_ONCE(node->key[0]) == key))
			break;
		link = &node->link;
	}
	cell = &t->cells[READ_ONCE(node->place)];
	/* As in lockfree_count_in(): the word, then the key, then the swap. */
	word = atomic64_read_acquire(&cell->word);
	/* Another node's cell, a pinned one, or one that is nearly full. */
	if (unlikely((word ^ topk_cell_word(i)) >= TOPK_LOW(TOPK_FOLD) ||
		     READ_ONCE(node->key[0]) != key))
		topk_lockfree_add(table, key, n);
	else if (unlikely(!atomic64_try_cmpxchg(&cell->word, &word, word + TOPK_LOW(n))))
		topk_lockfree_contended(table, key, n);
}

#endif /* _SCOUNTER_TOPK_LOCKFREE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The search structure: it finds the node of a key.
 *
 * Nodes are in hash chains that are ordered by hash and key, and are changed by
 * compare-and-swap only (M. Michael, "High performance dynamic lock-free hash tables and
 * list-based sets", SPAA 2002).  A key has one place in its chain.  So two contexts that
 * insert it at once change the same word, one of them fails, and the key is never there
 * twice.
 *
 * Nodes come from a pool that is allocated with the table, and are used again and again.
 * So the number of a node always leads to a node, but perhaps to one that has another key
 * by now.  Every write of a link raises a tag in it, and every new use of a node raises a
 * generation in its state.  So a compare-and-swap fails if its word was read in an earlier
 * use.  (It would succeed by mistake after 2^32 changes of a link, or 2^24 uses of a node,
 * between the load and the swap.  Preemption is off meanwhile.)
 */
#ifndef _SCOUNTER_TOPK_INDEX_H
#define _SCOUNTER_TOPK_INDEX_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/smp.h>
#include <linux/types.h>

#include "topk/key.h"

/*
 * @link: a tag in the upper 32 bits, then one bit that says "this node is leaving", then
 *	the number of the next node in the chain, or in the pool; 0 is the end
 * @state: generation, flags, and hits that others left here; see topk_state_
 * @error: by how much the count may be too large
 * @place: where the lockfree design counts the node
 * @next, @request: for the designs with owners, the next node in a list, and what is
 *	requested for this one
 */
struct topk_node {
	atomic64_t link;
	atomic64_t state;
	u64 error;
	u32 hash;
	union {
		u32 place;
		struct {
			u32 next : 29;
			u32 request : 3;
		};
	};
	u64 key[];
};

struct topk_index {
	atomic64_t *heads;
	void *nodes;
	u32 stride;
	u32 words;		/* of a key */
	u32 shift;		/* of a hash, to the number of its chain */
	u32 count;		/* of nodes, which are numbered from 1 */
	atomic64_t pool ____cacheline_aligned_in_smp;
};

/*
 * How many nodes a CPU may have beside those in the table: two for each of its four
 * contexts (task, softirq, hardirq and NMI), and the spare one.
 */
#define TOPK_NODES_PER_CPU	9

/* Where a key is, or belongs: the link *@from is @word, and leads to @node. */
struct topk_position {
	atomic64_t *from;
	s64 word;
	u32 node;
	s64 link;		/* of @node */
};

int topk_index_init(struct topk_index *index, u32 nodes, u32 key_size, u32 beside);
void topk_index_clear(struct topk_index *index);
size_t topk_index_bytes(const struct topk_index *index);

u32 topk_index_pop(struct topk_index *index);
void topk_index_push(struct topk_index *index, u32 node);
bool topk_index_find(struct topk_index *index, const struct topk_key *key,
		     struct topk_position *position);
bool topk_index_insert_in_order(struct topk_index *index, const struct topk_key *key,
				u32 node, struct topk_position *position);
void topk_index_leave(struct topk_index *index, const struct topk_position *position);
void topk_index_unlink(struct topk_index *index, u32 node);
void topk_index_key(const struct topk_index *index, u32 node, struct topk_key *key);

#define TOPK_LINK_LEAVING	(1U << 31)

static __always_inline atomic64_t *topk_index_head(const struct topk_index *index, u32 hash)
{
	return &index->heads[hash >> index->shift];
}

/* A link with the tag of @old plus 1.  @node need not be the number of a node. */
static inline s64 topk_link_after(s64 old, u32 node)
{
	return (old | U32_MAX) + 1 + node;
}

static __always_inline u32 topk_link_node(s64 link)
{
	return (u32)link & ~TOPK_LINK_LEAVING;
}

static __always_inline bool topk_link_is_leaving(s64 link)
{
	return link & TOPK_LINK_LEAVING;
}

static __always_inline struct topk_node *topk_node(const struct topk_index *index, u32 node)
{
	return index->nodes + (size_t)node * index->stride;
}

/* Nodes that a walk visits at most: a node that is used again may lead it to another chain. */
#define TOPK_WALK_STEPS		16

/* A walk through a chain that does not check that it still is in it. */
struct topk_walk {
	const atomic64_t *from;
	u32 steps;
};

static __always_inline struct topk_walk topk_walk_begin(const struct topk_index *index,
							const struct topk_key *key)
{
	return (struct topk_walk) { topk_index_head(index, key->hash), TOPK_WALK_STEPS };
}

/* The next node with the key's hash, which the caller must check, or 0. */
static __always_inline u32 topk_walk_next(struct topk_walk *walk, const struct topk_index *index,
					  const struct topk_key *key)
{
	while (walk->steps--) {
		u32 i = topk_link_node(atomic64_read(walk->from));
		struct topk_node *node = topk_node(index, i);

		if (!i)
			break;
		walk->from = &node->link;
		if (READ_ONCE(node->hash) == key->hash)
			return i;
	}
	return 0;
}

/* The design's own data for a node, which are behind its key. */
static __always_inline void *topk_beside(const struct topk_index *index, u32 node)
{
	return &topk_node(index, node)->key[index->words];
}

/* As topk_node() if keys have one word, and the design has no data of its own beside it. */
static __always_inline struct topk_node *topk_node_of_word(const struct topk_index *index,
							   u32 node)
{
	return index->nodes + (size_t)node * (sizeof(struct topk_node) + sizeof(u64));
}

/*
 * A node's state: generation (24 bits), flags (2), pending hits (38).
 *
 * RESERVED: one context owns the node.  The others leave their hits here and go on.  The
 *	owner takes these hits in the same step in which it clears the flag.
 * EVICTED: the node has lost its place.  If it is RESERVED, its owner retires it.
 */
#define TOPK_PENDING_BITS	38
#define TOPK_PENDING_MASK	((1ULL << TOPK_PENDING_BITS) - 1)
#define TOPK_RESERVED		(1ULL << TOPK_PENDING_BITS)
#define TOPK_EVICTED		(2ULL << TOPK_PENDING_BITS)
#define TOPK_GENERATION		(4ULL << TOPK_PENDING_BITS)

static inline u64 topk_state_generation(u64 state)
{
	return state / TOPK_GENERATION;
}

/* Of the next use of a node, with no flags. */
static inline u64 topk_state_next(u64 state)
{
	return (state | (TOPK_GENERATION - 1)) + 1;
}

static inline u64 topk_state_pending(u64 state)
{
	return state & TOPK_PENDING_MASK;
}

/* Of a node that is in no chain: only the context that took it writes its link. */
static __always_inline void topk_index_set_link(struct topk_node *node, u32 next)
{
	atomic64_set(&node->link, topk_link_after(atomic64_read(&node->link), next));
}

/*
 * A node that is in no chain, or 0.  @spare is this CPU's: a node that was given back on it,
 * for the next hit that needs one; 0 is none.  Where each hit evicts, each hit takes a node
 * and gives one back.  With a spare node per CPU, CPUs do not meet at the pool.
 */
static __always_inline u32 topk_index_take(struct topk_index *index, atomic64_t *spare)
{
	u32 i = atomic64_xchg(spare, 0);

	return likely(i) ? i : topk_index_pop(index);
}

/* A node that is in no chain becomes this key's, and RESERVED. */
static __always_inline void topk_node_reserve(struct topk_node *node, const u64 *key,
					      u32 words, u32 hash)
{
	u64 state = topk_state_next(atomic64_read(&node->state));
	u32 i;

	/*
	 * Write the new generation, then the key, then RESERVED.  A context that read the
	 * old state and then a word of the new key fails to change the state.  A context
	 * that read RESERVED reads the new key.  The barriers pair with those around a
	 * comparison of keys: the acquire of the state before it, and the compare-and-swap
	 * of the state or a fence after it.  topk-generation.litmus, topk-reserve.litmus
	 */
	atomic64_set(&node->state, state | TOPK_EVICTED);
	smp_wmb(); /* as said above */
	WRITE_ONCE(node->hash, hash);
	for (i = 0; i < words; i++)
		WRITE_ONCE(node->key[i], key[i]);
	atomic64_set_release(&node->state, state | TOPK_RESERVED);
}

/*
 * Let a RESERVED node go: its state gets @flags instead.  Returns the state before, with
 * the hits that others left.
 */
static __always_inline u64 topk_node_release(struct topk_node *node, u64 flags)
{
	s64 state = atomic64_read(&node->state);

	while (!atomic64_try_cmpxchg(&node->state, &state,
				     topk_state_generation(state) * TOPK_GENERATION | flags))
		;
	return state;
}

/* Give a node back that is in no chain. */
static __always_inline void topk_index_give(struct topk_index *index, atomic64_t *spare, u32 i)
{
	s64 none = 0;

	if (unlikely(!atomic64_try_cmpxchg(spare, &none, i)))
		topk_index_push(index, i);
}

/*
 * Insert the node.  False if that takes a walk: mostly the chain is empty, or the node comes
 * before all others.  If the swap succeeds, the first node has been the first, and with
 * this hash, since the head was read.
 */
static __always_inline bool topk_index_insert_first(struct topk_index *index,
						    struct topk_node *node, u32 i, u32 hash)
{
	atomic64_t *head = topk_index_head(index, hash);
	/* Pairs with the compare-and-swaps that publish the first node: topk-claim.litmus. */
	s64 word = atomic64_read_acquire(head);
	u32 first = topk_link_node(word);

	if (unlikely(first && READ_ONCE(topk_node(index, first)->hash) <= hash))
		return false;
	topk_index_set_link(node, first);
	/* Publishes the node; pairs with the acquires in find(): topk-claim.litmus. */
	return atomic64_try_cmpxchg(head, &word, topk_link_after(word, i));
}

/* Insert the node.  False if the key has one: then that is at @position. */
static __always_inline bool topk_index_insert(struct topk_index *index,
					      const struct topk_key *key, u32 i,
					      struct topk_position *position)
{
	return topk_index_insert_first(index, topk_node(index, i), i, key->hash) ||
	       topk_index_insert_in_order(index, key, i, position);
}

/*
 * Take a node out of its chain; for its owner only.  Most nodes are at the head.  Nobody
 * changes the link of a leaving node: that is what the head gets.
 */
static __always_inline void topk_index_remove(struct topk_index *index, struct topk_node *node,
					      u32 i)
{
	atomic64_t *head = topk_index_head(index, node->hash);
	s64 word, link = atomic64_read(&node->link);

	while (likely(!topk_link_is_leaving(link)) &&
	       unlikely(!atomic64_try_cmpxchg(&node->link, &link,
			topk_link_after(link, topk_link_node(link) | TOPK_LINK_LEAVING))))
		;
	word = atomic64_read(head);
	if (unlikely(topk_link_node(word) != i) ||
	    unlikely(!atomic64_try_cmpxchg(head, &word,
					   topk_link_after(word, topk_link_node(link)))))
		topk_index_unlink(index, i);
}

#endif /* _SCOUNTER_TOPK_INDEX_H */

// SPDX-License-Identifier: GPL-2.0
/* The search structure; the idea is in index.h. */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "topk/contention.h"
#include "topk/index.h"
#include "topk/table.h"

/* A node of the pool, or 0. */
u32 topk_index_pop(struct topk_index *index)
{
	u32 failures, next;
	s64 pool;

	for (failures = 0;; topk_backoff(pool, failures++)) {
		/* Pairs with the compare-and-swap in topk_index_push(). */
		pool = atomic64_read_acquire(&index->pool);
		if (!topk_link_node(pool))
			return 0;
		next = topk_link_node(atomic64_read(&topk_node(index,
						    topk_link_node(pool))->link));
		if (atomic64_try_cmpxchg(&index->pool, &pool, topk_link_after(pool, next)))
			return topk_link_node(pool);
	}
}

void topk_index_push(struct topk_index *index, u32 i)
{
	u32 failures;
	s64 pool;

	for (failures = 0;; topk_backoff(pool, failures++)) {
		pool = atomic64_read(&index->pool);
		topk_index_set_link(topk_node(index, i), topk_link_node(pool));
		if (atomic64_try_cmpxchg(&index->pool, &pool, topk_link_after(pool, i)))
			return;
	}
}

/*
 * The keys that are hit most mostly come first, one after the other.  So nodes that are
 * taken one after the other are not neighbours, and have no cache line in common.
 */
static void index_fill_pool(struct topk_index *index)
{
	s64 step = L1_CACHE_BYTES / index->stride + 2;
	s64 first, i;

	atomic64_set(&index->pool, 0);
	for (first = 0; first < step; first++)
		for (i = (s64)index->count - first; i > 0; i -= step, topk_breathe(i))
			topk_index_push(index, i);
}

/* @beside: bytes of the design's own with each node, in the same cache line if they fit */
int topk_index_init(struct topk_index *index, u32 nodes, u32 key_size, u32 beside)
{
	/* Less than one node a chain in the mean: heads are small, and steps take time. */
	u32 heads = 2 * roundup_pow_of_two(nodes);

	index->count = nodes;
	index->shift = 32 - ilog2(heads);
	index->words = DIV_ROUND_UP(key_size, sizeof(u64));
	index->stride = sizeof(struct topk_node) + index->words * sizeof(u64);
	if (beside)
		index->stride = DIV_ROUND_UP(index->stride + beside, L1_CACHE_BYTES) *
				L1_CACHE_BYTES;
	index->heads = kvcalloc(heads, sizeof(*index->heads), GFP_KERNEL);
	index->nodes = kvcalloc((size_t)nodes + 1, index->stride, GFP_KERNEL);
	if (!index->heads || !index->nodes) {
		topk_index_clear(index);
		return -ENOMEM;
	}
	index_fill_pool(index);
	return 0;
}

void topk_index_clear(struct topk_index *index)
{
	kvfree(index->heads);
	kvfree(index->nodes);
	index->heads = NULL;
	index->nodes = NULL;
}

size_t topk_index_bytes(const struct topk_index *index)
{
	return (sizeof(*index->heads) << (32 - index->shift)) +
	       (size_t)(index->count + 1) * index->stride;
}

/* Whether the node is before the key (< 0), is the key's (0), or is behind it (> 0). */
static int index_order(const struct topk_node *node, const struct topk_key *key)
{
	u32 hash = READ_ONCE(node->hash);
	u32 i;

	if (hash != key->hash)
		return hash < key->hash ? -1 : 1;
	for (i = 0; i < key->words; i++) {
		u64 word = READ_ONCE(node->key[i]);

		if (word != key->word[i])
			return word < key->word[i] ? -1 : 1;
	}
	return 0;
}

/*
 * Walk to the key's place, and take out the leaving nodes on the way.  After a node was
 * read, the link that led to it is read again.  If that has not changed, the node was in
 * this chain, and with this key.  Otherwise the walk begins again.
 */
bool topk_index_find(struct topk_index *index, const struct topk_key *key,
		     struct topk_position *position)
{
	struct topk_node *node;
	s64 link, word;
	atomic64_t *from;
	int where;
	u32 i;

again:
	from = topk_index_head(index, key->hash);
	/* The acquires pair with the compare-and-swaps that publish a node: topk-claim.litmus. */
	word = atomic64_read_acquire(from);
	for (;;) {
		i = topk_link_node(word);
		if (!i) {
			where = 1;
			link = 0;
			break;
		}
		node = topk_node(index, i);
		link = atomic64_read_acquire(&node->link);
		where = index_order(node, key);
		/* The link's change precedes a node's next use: topk-chain.litmus. */
		smp_rmb();
		if (atomic64_read(from) != word)
			goto again;
		if (topk_link_is_leaving(link)) {
			s64 next = topk_link_after(word, topk_link_node(link));

			if (!atomic64_try_cmpxchg(from, &word, next))
				goto again;
			word = next;
			continue;
		}
		if (where >= 0)
			break;
		from = &node->link;
		word = link;
	}
	*position = (struct topk_position) {
		.from = from, .word = word, .node = i, .link = link,
	};
	return !where;
}

/* As topk_index_insert(), of any chain. */
bool topk_index_insert_in_order(struct topk_index *index, const struct topk_key *key,
				u32 i, struct topk_position *position)
{
	do {
		if (topk_index_find(index, key, position))
			return false;
		topk_index_set_link(topk_node(index, i), position->node);
		/* Publishes the node; pairs with the acquires in find(): topk-claim.litmus. */
	} while (!atomic64_try_cmpxchg(position->from, &position->word,
				       topk_link_after(position->word, i)));
	return true;
}

/* Mark the node at @position as leaving, unless its link has changed. */
void topk_index_leave(struct topk_index *index, const struct topk_position *position)
{
	s64 link = position->link;

	atomic64_try_cmpxchg(&topk_node(index, position->node)->link, &link,
			     topk_link_after(link, topk_link_node(link) | TOPK_LINK_LEAVING));
}

/* The key of a node; for its owner only. */
void topk_index_key(const struct topk_index *index, u32 i, struct topk_key *key)
{
	const struct topk_node *node = topk_node(index, i);

	topk_key_of_words(key, node->key, index->words, node->hash);
}

/* Whoever walks to the place of a leaving node takes it out. */
void topk_index_unlink(struct topk_index *index, u32 i)
{
	struct topk_position position;
	struct topk_key key;

	topk_index_key(index, i, &key);
	topk_index_find(index, &key, &position);
}

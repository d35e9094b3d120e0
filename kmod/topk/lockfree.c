// SPDX-License-Identifier: GPL-2.0
/*
 * Space-Saving by single compare-and-swaps: the default design.
 *
 * A table has m *cells*.  A cell is one 64-bit word, the number of the node
 * whose key it counts and the count.  A hit of a key that is there replaces
 * (node, count) by (node, count + n).  An eviction replaces it by
 * (other node, count + n): in that one step the old key goes, the new one comes
 * with the old count as its error, and the sum of all counts is n more.  So the
 * cells are a right Space-Saving table at every moment, and no context ever
 * waits for another, or owns anything that another needs.
 *
 * There is no list in the order of the counts.  Hits need none; queries sort.
 * Evictions need a cell of the smallest count, and find it by lower bounds: bounds.h.
 * A victim takes at most some hundred reads, and in the mean very few: the next is
 * mostly beside the last.
 *
 * A new key's node is put in its chain before it has a cell.  Until then it is
 * RESERVED, and other contexts that hit the key leave their hits in it: that is
 * the delegation of Das et al. 2009, section 4.3.1, which is needed here only
 * for the moment in which a key comes in.
 *
 * A hit must not count for a key that has just taken the place of its own.  The
 * cell's word is read, then the key is compared, then the word is swapped.  It
 * never has the same value twice, as the count in it grows; so if the swap
 * succeeds, the cell counted the compared key all the time.
 *
 * The hits of a key that CPUs fight over are gathered on each of them: gather.h.
 *
 * Counts beyond 2^39 overflow into a second word of the cell, which is only
 * written while the cell is pinned; pinned cells are not evicted.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "contention.h"
#include "delegation.h"
#include "gather.h"
#include "index.h"
#include "lockfree.h"
#include "table.h"

/* More than a cache line, and odd. */
#define CELL_STEP	((L1_CACHE_BYTES / sizeof(struct cell) + 1) | 1)

/* No victim after so many tries: every smallest cell is pinned. */
#define SEEKS		(1U << 16)

static struct topk_cpu *this_cpu_of(struct lockfree *t)
{
	return topk_this_cpu(&t->table);
}

/*
 * The word and the count of a cell, or false while the upper part is written.
 * That only grows, and only while the cell is pinned: if it is the same before
 * and after the word, and the word has no pin, they belong together.  The
 * barriers pair with the compare-and-swaps in add_large(): topk-high.litmus.
 */
static bool read_count(struct cell *cell, u64 *word, u64 *count)
{
	u64 high = atomic64_read_acquire(&cell->high);

	/* Acquire: also for what claim() wrote before it swapped the word. */
	*word = atomic64_read_acquire(&cell->word);
	*count = topk_add_saturating(high, *word & LOW_MASK);
	return !(*word & PIN_MASK) && (u64)atomic64_read(&cell->high) == high;
}

struct victim {
	u64 word;
	u64 count;
	u32 cell;
};

/*
 * A cell of the block at the bound for all, else raise the block's bound.  @from
 * is where the block is entered, so that victims are taken in turn.  Only the first
 * keys, which those mostly are among that are hit most, do not get neighbours: cells
 * that have been filled one after the other have no cache line in common.
 */
static bool seek_in_block(struct lockfree *t, u32 from, struct victim *victim)
{
	u64 bound = topk_bounds_least(&t->bounds);
	u32 block = from / TOPK_FAN_OUT;
	u32 first = block * TOPK_FAN_OUT;
	u32 width = min_t(u32, TOPK_FAN_OUT, t->table.capacity - first);
	/* As odd, it comes to all of them. */
	u32 step = !bound && width == TOPK_FAN_OUT ? CELL_STEP : 1;
	u64 least = U64_MAX;
	bool certain = true;
	u32 i;

	for (i = 0; i < width; i++) {
		u32 at = first + (from - first + i * step) % width;
		u64 word, count;

		if (!read_count(&t->cells[at], &word, &count)) {
			certain = false;
			continue;
		}
		if (count <= bound) {
			*victim = (struct victim) { word, count, at };
			return true;
		}
		least = min(least, count);
	}
	if (certain)
		topk_bounds_raise(&t->bounds, block, least);
	return false;
}

static bool seek(struct lockfree *t, struct victim *victim)
{
	u32 *hint = &this_cpu_of(t)->hint;
	u32 from = READ_ONCE(*hint);
	u32 tries, block;

	for (tries = 0; tries < SEEKS; tries++) {
		if (seek_in_block(t, from, victim)) {
			WRITE_ONCE(*hint, victim->cell);
			return true;
		}
		if (topk_bounds_descend(&t->bounds, &block))
			from = block * TOPK_FAN_OUT;
	}
	return false;
}

/* Hits */

static void drop(struct lockfree *t, u64 n)
{
	atomic64_add(n, &this_cpu_of(t)->dropped);
}

static void raise_high(struct cell *cell, u64 n)
{
	s64 old = atomic64_read(&cell->high);

	while (!atomic64_try_cmpxchg(&cell->high, &old, topk_add_saturating(old, n)))
		;
}

/*
 * Many hits at once, or the lower part is nearly full.  The cell is pinned, so
 * that it stays the key's while the upper part is written.  Hits are first added
 * to the upper part, all but one, which with the pin's going makes the word
 * another than before.  What is carried leaves the lower part before it comes
 * to the upper one, so that a count may be seen too small but never too large,
 * which would raise bounds too far.
 */
static bool add_large(struct lockfree *t, struct cell *cell, s64 word, u64 n)
{
	bool alone = !(word & PIN_MASK);
	u64 low = word & LOW_MASK;

	if ((word & PIN_MASK) == PIN_MASK) {
		drop(t, n);
		return true;
	}
	if (!atomic64_try_cmpxchg(&cell->word, &word, word + PIN))
		return false;
	raise_high(cell, n - 1);
	/* Who pins meanwhile is not alone, and carries nothing. */
	if (alone && low >= TOPK_FOLD) {
		atomic64_sub(low, &cell->word);
		raise_high(cell, low);
	}
	atomic64_sub_return(PIN - 1, &cell->word);
	return true;
}

/* What became of the attempt to count in a node that has, or had, the key. */
enum outcome { COUNTED, NOT_COUNTED_HERE };

static __always_inline enum outcome count_in(struct lockfree *t, struct topk_node *node,
					     u32 i, const struct topk_key *key, u64 n)
{
	struct cell *cell = &t->cells[READ_ONCE(node->place)];
	/* Pairs with the compare-and-swap that gave the node its cell: topk-claim.litmus. */
	s64 word = atomic64_read_acquire(&cell->word);
	u32 failures;

	for (failures = 0;; failures++) {
		if (word_node(word) != i || !topk_key_equal(key, node->key))
			return NOT_COUNTED_HERE;
		if (unlikely(n > SMALL || (word & LOW_MASK) >= TOPK_FOLD)) {
			if (add_large(t, cell, word, n))
				return COUNTED;
			word = atomic64_read_acquire(&cell->word);
			continue;
		}
		if (likely(atomic64_try_cmpxchg(&cell->word, &word, word + n)))
			return COUNTED;
		topk_backoff(word, failures);
		word = atomic64_read_acquire(&cell->word);
	}
}

/*
 * The way of almost all hits.  The chain is not checked on the way, as count_in()
 * sees whether the node is right; whoever finds nothing here looks again.
 */
static __always_inline bool hit_present(struct lockfree *t, const struct topk_key *key,
					u64 n)
{
	s64 link = atomic64_read(topk_index_head(&t->index, key->hash));
	u32 steps;

	for (steps = 0; steps < STEPS; steps++) {
		u32 i = topk_link_node(link);
		struct topk_node *node;

		if (!i)
			return false;
		node = topk_node(&t->index, i);
		if (READ_ONCE(node->hash) == key->hash &&
		    count_in(t, node, i, key, n) == COUNTED)
			return true;
		link = atomic64_read(&node->link);
	}
	return false;
}

/*
 * Count in the node that find() met, which has a cell, or will have one, or has
 * just lost it.  False: look for the key again.
 */
static bool count_or_delegate(struct lockfree *t, const struct topk_position *position,
			      const struct topk_key *key, u64 n)
{
	struct topk_node *node = topk_node(&t->index, position->node);
	s64 state = atomic64_read_acquire(&node->state);

	if (!topk_key_equal(key, node->key))
		return false;
	/*
	 * The state before the cell: a node that is not RESERVED has had its cell.
	 * The acquire pairs with the swaps of claim() and settle():
	 * topk-delegate.litmus.
	 */
	if (count_in(t, node, position->node, key, n) == COUNTED)
		return true;
	if (!(state & TOPK_RESERVED)) {
		topk_index_leave(&t->index, position);
		return false;
	}
	if (n > TOPK_PENDING_MASK - topk_state_pending(state)) {
		drop(t, n);
		return true;
	}
	/* If this succeeds, settle() takes what is pending afterwards. */
	return topk_delegate(this_cpu_of(t), node, &state, n);
}

static void retire(struct lockfree *t, u32 i)
{
	topk_index_remove(&t->index, i);
	topk_index_give(&t->index, i);
}

/* A node has lost its cell: end it, or leave that to whom it is reserved for. */
static void evict(struct lockfree *t, u32 i)
{
	struct topk_node *node = topk_node(&t->index, i);
	s64 state = atomic64_read(&node->state);

	atomic64_inc(&this_cpu_of(t)->evictions);
	do {
		if (!(state & TOPK_RESERVED)) {
			retire(t, i);
			return;
		}
	} while (!atomic64_try_cmpxchg(&node->state, &state, state | TOPK_EVICTED));
}

/* No longer RESERVED: the hits that others left in the node. */
static u64 settle(struct lockfree *t, u32 i)
{
	u64 state = topk_index_release(&t->index, i, 0);

	if (state & TOPK_EVICTED)
		retire(t, i);
	return topk_state_pending(state);
}

/*
 * A node that never came into its chain.  Who took it for an earlier one of the
 * same key may have left hits even there.
 */
static u64 give_back(struct lockfree *t, u32 i)
{
	u64 state = topk_index_release(&t->index, i, TOPK_EVICTED);

	topk_index_give(&t->index, i);
	return topk_state_pending(state);
}

/* The node is in its chain: give it the cell of a victim, with @n hits. */
static bool claim(struct lockfree *t, u32 i, u64 n)
{
	struct topk_node *node = topk_node(&t->index, i);
	struct victim victim;
	struct cell *cell;
	u64 low;
	u32 old;

	do {
		if (!seek(t, &victim))
			return false;
		cell = &t->cells[victim.cell];
		low = (victim.word & LOW_MASK) + n;
		WRITE_ONCE(node->error, victim.count);
		WRITE_ONCE(node->place, victim.cell);
		/* Publishes both; pairs with count_in() and read_cell(). */
	} while (!atomic64_try_cmpxchg(&cell->word, (s64 *)&victim.word,
				       word_make(i, low)));
	old = word_node(victim.word);
	if (old)
		evict(t, old);
	return true;
}

/* The key had no node: find or make it.  Returns hits still to be counted. */
static noinline u64 hit_absent(struct lockfree *t, const struct topk_key *key, u64 n,
			       u64 *taken)
{
	struct topk_position position;
	u64 left, first = min_t(u64, n, SMALL);
	u32 i;

	i = topk_index_take(&t->index, key);
	if (!i) {
		drop(t, n);
		return 0;
	}
	while (!topk_index_insert(&t->index, key, i, &position)) {
		if (count_or_delegate(t, &position, key, n)) {
			left = give_back(t, i);
			*taken += left;
			return left;
		}
	}
	if (!claim(t, i, first)) {
		atomic64_or(TOPK_EVICTED, &topk_node(&t->index, i)->state);
		left = settle(t, i);
		*taken += left;
		drop(t, n + left);
		return 0;
	}
	left = settle(t, i);
	*taken += left;
	return left + n - first;
}

static void count_up(struct lockfree *t, const struct topk_key *key, u64 n)
{
	u64 taken = 0;

	while (n && !hit_present(t, key, n))
		n = hit_absent(t, key, n, &taken);
	if (taken)
		topk_counted(this_cpu_of(t), taken);
}

static notrace void lockfree_add(struct topk_table *table, const void *bytes, u64 n)
{
	struct lockfree *t = lockfree_of(table);
	struct topk_key key;

	topk_key_load(&key, bytes, t->table.key_size, &t->table.secret);
	count_up(t, &key, n);
}

notrace void topk_lockfree_contended(struct topk_table *table, const void *bytes, u64 n)
{
	struct lockfree *t = lockfree_of(table);
	struct topk_key key;

	topk_key_load(&key, bytes, table->key_size, &table->secret);
	if (!topk_gather(table, key.word[0], n))
		count_up(t, &key, n);
}

/* Reading */

struct reading {
	u64 generation;
	u32 cell;
	u32 node;
};

/* Cell, key and error that belong together; false if the cell is empty. */
static bool read_cell(struct lockfree *t, u32 at, struct scounter_topk_record *record,
		      struct reading *reading)
{
	struct cell *cell = &t->cells[at];
	struct topk_node *node;
	u64 word, again, state;
	u32 i, words = DIV_ROUND_UP(t->table.key_size, sizeof(u64));

	do {
		/* Pairs with the compare-and-swap in claim(): topk-claim.litmus. */
		word = atomic64_read_acquire(&cell->word);
		if (!word_node(word))
			return false;
		node = topk_node(&t->index, word_node(word));
		state = atomic64_read_acquire(&node->state);
		record->error = READ_ONCE(node->error);
		for (i = 0; i < words; i++)
			((u64 *)record->key)[i] = READ_ONCE(node->key[i]);
		smp_rmb(); /* topk_index_take(): topk-generation.litmus */
		reading->generation = topk_state_generation(state);
	} while (!read_count(cell, &again, &record->count) ||
		 word_node(again) != word_node(word) ||
		 topk_state_generation(atomic64_read(&node->state)) != reading->generation);
	reading->cell = at;
	reading->node = word_node(word);
	return true;
}

/*
 * A key that moved from one cell to another during the walk may have been met
 * in both.  It counts where it still is at the end, as it cannot have been in
 * both at once.
 */
static bool is_there(struct lockfree *t, const struct reading *reading)
{
	u64 word = atomic64_read_acquire(&t->cells[reading->cell].word);
	u64 state = atomic64_read(&topk_node(&t->index, reading->node)->state);

	return word_node(word) == reading->node &&
	       topk_state_generation(state) == reading->generation;
}

struct pick {
	u64 count;
	u32 cell;
};

/* A heap with the least count at its root. */
static void sift_down(struct pick *heap, u32 n)
{
	struct pick moving = heap[0];
	u32 i = 0, child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && heap[child + 1].count < heap[child].count)
			child++;
		if (heap[child].count >= moving.count)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = moving;
}

static void sift_up(struct pick *heap, u32 i)
{
	struct pick moving = heap[i];

	for (; i && heap[(i - 1) / 2].count > moving.count; i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = moving;
}

/*
 * The @most cells of the highest counts, and the sum of all.  As no count goes
 * down, the sum lies between those at the beginning and at the end of the walk.
 */
static u32 pick_cells(struct lockfree *t, struct pick *heap, u32 most,
		      struct scounter_topk_header *header)
{
	u32 i, n = 0;
	u64 count, word;

	for (i = 0; i < t->table.capacity; i++) {
		while (!read_count(&t->cells[i], &word, &count))
			;
		if (!word_node(word))
			continue;
		header->total = topk_add_saturating(header->total, count);
		if (count == U64_MAX || header->total == U64_MAX)
			header->flags |= SCOUNTER_TOPK_F_SATURATED;
		if (n < most) {
			heap[n] = (struct pick) { count, i };
			sift_up(heap, n++);
			continue;
		}
		if (!most || count <= heap[0].count) {
			header->floor = max(header->floor, count);
			continue;
		}
		header->floor = max(header->floor, heap[0].count);
		heap[0] = (struct pick) { count, i };
		sift_down(heap, n);
	}
	return n;
}

static int lockfree_read(struct topk_table *table, u32 most,
			 struct scounter_topk_header *header)
{
	struct lockfree *t = lockfree_of(table);
	struct reading *readings;
	struct pick *picks;
	u32 i, picked, n = 0;

	most = min(most, table->capacity);
	picks = kvcalloc(most + 1, sizeof(*picks), GFP_KERNEL);
	readings = kvcalloc(most + 1, sizeof(*readings), GFP_KERNEL);
	if (!picks || !readings) {
		kvfree(picks);
		kvfree(readings);
		return -ENOMEM;
	}
	topk_gather_take_all(table);
	header->pending = topk_pending(table);
	picked = pick_cells(t, picks, most, header);
	for (i = 0; i < picked; i++)
		n += read_cell(t, picks[i].cell, topk_record(header, n), &readings[n]);
	for (i = 0; i < n; i++) {
		if (!is_there(t, &readings[i]))
			continue;
		if (header->records != i)
			memcpy(topk_record(header, header->records), topk_record(header, i),
			       header->record_size);
		header->records++;
	}
	header->floor = max(header->floor, topk_bounds_least(&t->bounds));
	kvfree(picks);
	kvfree(readings);
	return 0;
}

/* Creation */

static void lockfree_destroy(struct topk_table *table)
{
	struct lockfree *t = lockfree_of(table);

	topk_bounds_clear(&t->bounds);
	kvfree(t->cells);
	topk_index_clear(&t->index);
	topk_table_clear(table);
	kfree(t);
}

static struct topk_table *lockfree_create(u32 capacity, u32 key_size,
					  const struct topk_secret *secret)
{
	struct lockfree *t = kzalloc(sizeof(*t), GFP_KERNEL);
	int err;

	if (!t)
		return NULL;
	err = topk_table_init(&t->table, &topk_lockfree_ops, capacity, key_size, secret) ?:
	      topk_index_init(&t->index, capacity + TOPK_NODES_PER_CPU * nr_cpu_ids, key_size, 0) ?:
	      topk_bounds_init(&t->bounds, capacity);
	if (key_size == sizeof(u32) || key_size == sizeof(u64))
		t->table.inline_key = key_size;
	t->cells = kvcalloc(capacity, sizeof(*t->cells), GFP_KERNEL);
	if (err || !t->cells) {
		lockfree_destroy(&t->table);
		return NULL;
	}
	return &t->table;
}

static size_t lockfree_bytes(const struct topk_table *table)
{
	const struct lockfree *t = container_of(table, const struct lockfree, table);

	return sizeof(*t) + topk_index_bytes(&t->index) + topk_bounds_bytes(&t->bounds) +
	       table->capacity * sizeof(*t->cells) + nr_cpu_ids * sizeof(*table->cpus);
}

const struct topk_ops topk_lockfree_ops = {
	.name		= "lockfree",
	.design		= SCOUNTER_TOPK_LOCKFREE,
	.create		= lockfree_create,
	.destroy	= lockfree_destroy,
	.add		= lockfree_add,
	.count		= lockfree_add,
	.read		= lockfree_read,
	.bytes		= lockfree_bytes,
};

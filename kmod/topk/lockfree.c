// SPDX-License-Identifier: GPL-2.0
/*
 * Space-Saving by single compare-and-swaps: the default design.
 *
 * A table has m *cells*.  A cell is one 64-bit word: the number of the node whose key it
 * counts, and the count.  Take a cell (node 7, 100).  A hit of the key of node 7 makes it
 * (7, 101).  A new key in node 9 that evicts it makes it (9, 101), and has an error of
 * 100.  Both are one step: the old key goes, the new one comes, and the sum of all counts
 * is 1 more.  So the cells are a right Space-Saving table at every moment.  No context
 * waits for another, or owns anything that another needs.
 *
 * No list has the counts in order.  Hits need none, and queries sort.  An eviction needs
 * a cell of the smallest count, and finds it by lower bounds: bounds.h.  That mostly
 * takes very few reads, as the next victim is beside the last.  But hits do not raise
 * bounds.  After hits of all keys, no bound tells where the smallest count is.  A call
 * looks at 256 blocks at most.  If it finds no victim, it leaves its key waiting in the
 * key's chain.  The next call that seeks a victim goes on for both, or a query does.
 *
 * A new key's node comes into its chain before it has a cell.  Until then it is RESERVED,
 * and other contexts that hit the key leave their hits in it.  Das et al. 2009, section
 * 4.3.1, call that delegation.  Here only keys that are coming in need it.
 *
 * A hit must not count for a key that has just taken the place of its own.  So a hit reads
 * the cell's word, then compares the key, then swaps the word.  The swap fails if the word
 * has changed.  It would succeed by mistake if the word had changed and come back.  The
 * word has the lower part of the count, and the parity of the carries of 2^38 from it.
 * Both together come back after multiples of 2^39 only.  A hit adds 2^16 to the lower
 * part at most, unless seven others are adding more than that to the same cell.  So
 * exactly 2^39 counts, by 2^23 hits or more, would have to fall between two neighbouring
 * instructions of a context that cannot be preempted.  The same is true of the count of a
 * victim until the swap that evicts it.
 *
 * Hits of a key whose count is contended are gathered on each CPU: gather.h.
 *
 * The cell's second word has the upper part of the count.  When the lower part is 2^38 or
 * more, 2^38 is carried by two swaps, first of the lower word, then of the upper one.
 * Between the two, the lowest bits of the words differ, and a reader adds the 2^38 that
 * are on their way.  Any context may do the second swap, and does so before it begins
 * another carry: so nobody waits.  More than 2^16 hits at once go to the upper word
 * directly.  Meanwhile the cell is pinned, and pinned cells are not evicted.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "topk/contention.h"
#include "topk/delegation.h"
#include "topk/gather.h"
#include "topk/index.h"
#include "topk/lockfree.h"
#include "topk/reading.h"
#include "topk/table.h"

/* More than a cache line, and odd. */
#define CELL_STEP	((L1_CACHE_BYTES / sizeof(struct topk_cell) + 1) | 1)

/* Blocks of cells that a call searches for victims.  Tests make it small. */
#ifndef TOPK_TRIES
#define TOPK_TRIES	256
#endif

/*
 * Nodes for keys that wait for a victim.  A key waits while TOPK_TRIES blocks are
 * searched, some of them by several CPUs at once.
 */
#define WAITING(capacity)	(16 + 4 * ((capacity) / TOPK_FAN_OUT / TOPK_TRIES))

static struct topk_cpu *lockfree_this_cpu(struct topk_lockfree *t)
{
	return topk_this_cpu(&t->table);
}

/* The two words of a count */

#define PIN_MASK	(7 * TOPK_PIN)

/* The bit in both words that says whether the number of carries is odd. */
#define CARRIES		1ULL

/* The upper word stays here: the count is 2^64 - 1. */
#define UPPER_MAX	(~CARRIES)

static u64 word_low(u64 word)
{
	return (word & (TOPK_PIN - 1)) / TOPK_LOW(1);
}

static u64 upper_plus(u64 upper, u64 n)
{
	return min(topk_add_saturating(upper & ~CARRIES, n), UPPER_MAX) | (upper & CARRIES);
}

static u64 lockfree_count_of(u64 upper, u64 word)
{
	u64 low = word_low(word) + ((upper ^ word) & CARRIES ? TOPK_FOLD : 0);

	return (upper & ~CARRIES) == UPPER_MAX ? U64_MAX :
	       topk_add_saturating(upper & ~CARRIES, low);
}

/* A cell at one moment. */
struct view {
	u64 word;
	u64 count;
	bool quiet;	/* no addition to the upper word is under way */
};

/*
 * The upper word is read before the lower one and after it.  If nothing was carried into
 * it in between, at most one carry has begun meanwhile, which the lowest bits show.
 * Otherwise look again: others have added TOPK_FOLD, which they cannot do for long.  The
 * acquires pair with the swaps of lockfree_carry() and the end of lockfree_add_large():
 * topk-carry.litmus, topk-high.litmus.
 */
static struct view lockfree_look(struct topk_cell *cell)
{
	u64 upper, again = atomic64_read_acquire(&cell->upper);
	struct view view;

	do {
		upper = again;
		/* Acquire: pairs with the swap of lockfree_claim(), too. */
		view.word = atomic64_read_acquire(&cell->word);
		again = atomic64_read_acquire(&cell->upper);
	} while (unlikely((again & ~CARRIES) - (upper & ~CARRIES) >= TOPK_FOLD));
	view.count = lockfree_count_of(upper, view.word);
	view.quiet = again == upper && !(view.word & PIN_MASK);
	return view;
}

/*
 * Begin a carry if the lower part is 2^38 or more, or end one that another has begun.  If
 * the upper word is the same before and after the reading of the lower one, and the lowest
 * bits are equal, every earlier carry is done.  That is still so at the swap of the lower
 * word, which fails if the word has changed.  topk-carry.litmus
 */
static void lockfree_carry(struct topk_cell *cell)
{
	s64 upper = atomic64_read_acquire(&cell->upper);
	s64 word = atomic64_read_acquire(&cell->word);

	if (!((upper ^ word) & CARRIES) &&
	    (atomic64_read(&cell->upper) != upper || word_low(word) < TOPK_FOLD ||
	     !atomic64_try_cmpxchg(&cell->word, &word, (word - TOPK_LOW(TOPK_FOLD)) ^ CARRIES)))
		return;
	atomic64_try_cmpxchg(&cell->upper, &upper, upper_plus(upper, TOPK_FOLD) ^ CARRIES);
}

struct victim {
	u64 word, count;
	u32 cell;
};

/* Whether the cell's count is the bound for all, so that it may be evicted. */
static bool lockfree_is_victim(struct topk_lockfree *t, u32 cell, u64 bound,
			       struct victim *victim)
{
	struct view view = lockfree_look(&t->cells[cell]);

	*victim = (struct victim) { .word = view.word, .count = view.count, .cell = cell };
	return view.count <= bound && view.quiet;
}

/*
 * The same, of a cell with a count below TOPK_FOLD, as most are.  Both words are read once:
 * the lower one has no carry on its way, and the upper one, read after it, has got none.
 */
static __always_inline bool lockfree_is_low_victim(struct topk_lockfree *t, u32 cell, u64 bound,
						   struct victim *victim)
{
	u64 word = atomic64_read_acquire(&t->cells[cell].word);

	*victim = (struct victim) { .word = word, .count = word_low(word), .cell = cell };
	return victim->count <= bound &&
	       !(word & (PIN_MASK | TOPK_LOW(TOPK_FOLD) | CARRIES)) &&
	       !atomic64_read(&t->cells[cell].upper);
}

/* A block of cells, which are looked at in steps. */
struct block {
	u32 first, width, step;
};

/*
 * The first keys of a table, among which the hottest mostly are, do not get neighbouring
 * cells: two keys that come one after the other have no cache line in common.  CELL_STEP
 * is odd, and the width a power of 2 then: no cell is left out.
 */
static struct block lockfree_block(const struct topk_lockfree *t, u32 cell,
						   u64 bound)
{
	struct block block = { .first = cell & ~(TOPK_FAN_OUT - 1), .step = 1 };

	block.width = min_t(u32, TOPK_FAN_OUT, t->table.capacity - block.first);
	if (unlikely(!bound) && block.width == TOPK_FAN_OUT)
		block.step = CELL_STEP;
	return block;
}

static __always_inline u32 lockfree_beside(const struct block *block, u32 cell)
{
	u32 next = cell + block->step, end = block->first + block->width;

	return next < end ? next : next - block->width;
}

/*
 * Find a victim in the block of @from, or raise the block's bound.  The lower part of a
 * count is a lower bound of it, and mostly says enough.
 */
static bool lockfree_seek_in_block(struct topk_lockfree *t, u32 from, struct victim *victim)
{
	u64 count, least = U64_MAX, bound = topk_bounds_least(&t->bounds);
	struct block block = lockfree_block(t, from, bound);
	const struct topk_cell *cells = t->cells;
	u32 i, cell = from;

	for (i = block.width; i; i--, cell = lockfree_beside(&block, cell)) {
		count = word_low(atomic64_read_acquire(&cells[cell].word));
		if (count <= bound) {
			if (lockfree_is_victim(t, cell, bound, victim))
				return true;
			count = victim->count;
		}
		least = min(least, count);
	}
	topk_bounds_raise(&t->bounds, from / TOPK_FAN_OUT, least);
	return false;
}

/* A victim to whose lower part hits can be added. */
static noinline bool lockfree_seek_in_blocks(struct topk_lockfree *t, u32 from,
					     struct victim *victim, u32 *tries)
{
	u32 block;

	for (; *tries; --*tries) {
		while (lockfree_seek_in_block(t, from, victim)) {
			if (word_low(victim->word) < TOPK_FOLD)
				return true;
			lockfree_carry(&t->cells[victim->cell]);
		}
		if (topk_bounds_descend(&t->bounds, from / TOPK_FAN_OUT, &block))
			from = block * TOPK_FAN_OUT;
	}
	return false;
}

/* Where to look first after @cell. */
static __always_inline u32 lockfree_next(const struct topk_lockfree *t, u32 cell, u64 bound)
{
	struct block block;

	if (likely(bound && (cell + 1) % TOPK_FAN_OUT && cell + 1 < t->table.capacity))
		return cell + 1;
	block = lockfree_block(t, cell, bound);
	return lockfree_beside(&block, cell);
}

/*
 * Victims are taken in turn: mostly the next one is beside the last.  The hint is a cell,
 * whatever contexts of this CPU do to it.
 */
static __always_inline bool lockfree_seek(struct topk_lockfree *t, struct topk_cpu *cpu,
					  struct victim *victim, u32 *tries)
{
	u64 bound = topk_bounds_least(&t->bounds);
	u32 from = READ_ONCE(cpu->hint);
	struct victim other;

	if (unlikely(!lockfree_is_low_victim(t, from, bound, victim))) {
		if (!lockfree_seek_in_blocks(t, from, &other, tries))
			return false;
		*victim = other;
	}
	WRITE_ONCE(cpu->hint, lockfree_next(t, victim->cell, bound));
	return true;
}

/* Hits */

/*
 * Many hits at once.  An even number of them goes to the upper word, and one or two to
 * the lower part: of 1000000 hits, 999998 and 2.  So the lower word is not the same as
 * before.
 */
static bool lockfree_add_large(struct topk_cell *cell, s64 word, u64 n)
{
	u64 even = (n - 1) & ~CARRIES;
	s64 upper;

	if (!atomic64_try_cmpxchg(&cell->word, &word, word + TOPK_PIN + TOPK_LOW(n - even)))
		return false;
	upper = atomic64_read(&cell->upper);
	while (!atomic64_try_cmpxchg(&cell->upper, &upper, upper_plus(upper, even)))
		;
	/* A reader that finds no pin finds what was added: topk-high.litmus. */
	atomic64_sub_return(TOPK_PIN, &cell->word);
	return true;
}

/*
 * Many hits at once, or a lower part from which 2^38 must be carried first.  True if the
 * hits are counted, or dropped.
 */
static bool lockfree_add_rarely(struct topk_lockfree *t, struct topk_cell *cell, s64 word, u64 n)
{
	if (word_low(word) >= TOPK_FOLD) {
		lockfree_carry(cell);
		return false;
	}
	if ((word & PIN_MASK) != PIN_MASK)
		return lockfree_add_large(cell, word, n);
	if (n <= TOPK_FOLD)
		return atomic64_try_cmpxchg(&cell->word, &word, word + TOPK_LOW(n));
	topk_drop(lockfree_this_cpu(t), n);
	return true;
}

static __always_inline bool lockfree_count_in(struct topk_lockfree *t, struct topk_node *node,
					      u32 i, const struct topk_key *key, u64 n)
{
	struct topk_cell *cell = &t->cells[READ_ONCE(node->place)];
	/* Pairs with the compare-and-swap that gave the node its cell: topk-claim.litmus. */
	s64 word = atomic64_read_acquire(&cell->word);
	u32 failures;

	for (failures = 0;; failures++) {
		if (topk_cell_node(word) != i || !topk_key_equal(key, node->key))
			return false;
		if (unlikely(n > TOPK_SMALL || word_low(word) >= TOPK_FOLD)) {
			if (lockfree_add_rarely(t, cell, word, n))
				return true;
			word = atomic64_read_acquire(&cell->word);
			continue;
		}
		if (likely(atomic64_try_cmpxchg(&cell->word, &word, word + TOPK_LOW(n))))
			return true;
		topk_backoff(word, failures);
		word = atomic64_read_acquire(&cell->word);
	}
}

/*
 * Almost all hits of keys of more than 8 bytes are counted here.  The walk does not check
 * its chain: lockfree_count_in() sees whether a node is right, and a caller that gets
 * false searches the chain again, with checks.
 */
static __always_inline bool lockfree_hit_present(struct topk_lockfree *t,
						 const struct topk_key *key, u64 n)
{
	struct topk_walk walk = topk_walk_begin(&t->index, key);
	u32 i;

	while ((i = topk_walk_next(&walk, &t->index, key)))
		if (lockfree_count_in(t, topk_node(&t->index, i), i, key, n))
			return true;
	return false;
}

/* Leave hits in a RESERVED node.  If its state has changed, update @state: false. */
static bool lockfree_leave_hits(struct topk_lockfree *t, struct topk_node *node, s64 *state, u64 n)
{
	if (n > TOPK_PENDING_MASK - topk_state_pending(*state)) {
		topk_drop(lockfree_this_cpu(t), n);
		return true;
	}
	return topk_delegate(lockfree_this_cpu(t), node, state, n);
}

/*
 * Count in the node that topk_index_find() found.  It has a cell, or will get one, or has
 * just lost it.  False: the caller must search the key again.
 */
static bool lockfree_count_or_delegate(struct topk_lockfree *t,
				       const struct topk_position *position,
				       const struct topk_key *key, u64 n)
{
	struct topk_node *node = topk_node(&t->index, position->node);
	s64 state = atomic64_read_acquire(&node->state);

	if (!topk_key_equal(key, node->key))
		return false;
	/*
	 * The state is read before the cell: if it is not RESERVED, the node has got its
	 * cell before.
	 * The acquire pairs with the swaps of lockfree_claim() and lockfree_settle():
	 * topk-delegate.litmus.
	 */
	if (lockfree_count_in(t, node, position->node, key, n))
		return true;
	if (!(state & TOPK_RESERVED)) {
		topk_index_leave(&t->index, position);
		return false;
	}
	/* If this succeeds, lockfree_settle() comes after it and takes these hits. */
	return lockfree_leave_hits(t, node, &state, n);
}

static __always_inline void lockfree_retire(struct topk_lockfree *t, struct topk_cpu *cpu,
					    struct topk_node *node, u32 i)
{
	topk_index_remove(&t->index, node, i);
	topk_index_give(&t->index, &cpu->spare, i);
}

/* The node has lost its cell: retire it.  If it is RESERVED, its owner will do that. */
static __always_inline void lockfree_evict(struct topk_lockfree *t, struct topk_cpu *cpu, u32 i)
{
	struct topk_node *node = topk_node(&t->index, i);
	s64 state = atomic64_read(&node->state);

	atomic64_inc(&cpu->evictions);
	do {
		if (likely(!(state & TOPK_RESERVED))) {
			lockfree_retire(t, cpu, node, i);
			return;
		}
	} while (!atomic64_try_cmpxchg(&node->state, &state, state | TOPK_EVICTED));
}

static noinline void lockfree_retire_early(struct topk_lockfree *t, u32 i)
{
	lockfree_retire(t, lockfree_this_cpu(t), topk_node(&t->index, i), i);
}

/* The node is no longer RESERVED.  Returns the hits that others left in it. */
static __always_inline u64 lockfree_settle(struct topk_lockfree *t, struct topk_node *node, u32 i)
{
	u64 state = topk_node_release(node, 0);

	if (unlikely(state & TOPK_EVICTED))
		lockfree_retire_early(t, i);
	return topk_state_pending(state);
}

/*
 * The node never came into its chain.  A context may have left hits in it all the same,
 * if it found an earlier use of the node for the same key.  Returns these hits.
 */
static u64 lockfree_give_back(struct topk_lockfree *t, u32 i)
{
	u64 state = topk_node_release(topk_node(&t->index, i), TOPK_EVICTED);

	topk_index_give(&t->index, &lockfree_this_cpu(t)->spare, i);
	return topk_state_pending(state);
}

/*
 * Give the node, which is in its chain, the cell of a victim, with @n hits.  False if
 * @tries blocks had none.
 */
static __always_inline bool lockfree_claim(struct topk_lockfree *t, struct topk_cpu *cpu,
					   struct topk_node *node, u32 i, u64 n, u32 *tries)
{
	struct victim victim;
	u64 word, evicted;
	s64 old;

	do {
		if (!lockfree_seek(t, cpu, &victim, tries))
			return false;
		evicted = topk_cell_node(victim.word);
		WRITE_ONCE(node->error, victim.count);
		WRITE_ONCE(node->place, victim.cell);
		old = victim.word;
		word = victim.word + topk_cell_word(i) - topk_cell_word(evicted) + TOPK_LOW(n);
		/* Publishes both; pairs with lockfree_count_in() and lockfree_read_cell(). */
	} while (unlikely(!atomic64_try_cmpxchg(&t->cells[victim.cell].word, &old, word)));
	if (likely(evicted))
		lockfree_evict(t, cpu, evicted);
	return true;
}

static void lockfree_waiting_push(struct topk_lockfree *t, u32 i)
{
	s64 first = atomic64_read(&t->waiting);

	do {
		WRITE_ONCE(topk_node(&t->index, i)->error, first);
	} while (!atomic64_try_cmpxchg(&t->waiting, &first, i));
}

/* No victim was found for the key in the node.  The hits wait with it. */
static noinline void lockfree_wait(struct topk_lockfree *t, u32 i, u64 n)
{
	struct topk_node *node = topk_node(&t->index, i);
	s64 state = atomic64_read(&node->state);

	while (!lockfree_leave_hits(t, node, &state, n))
		;
	lockfree_waiting_push(t, i);
}

/*
 * Insert the node.  False if the key has one: then the hits are counted there, and @left
 * are those that others have left in the new node.
 */
static noinline bool lockfree_insert_in_order(struct topk_lockfree *t, const u64 *word, u32 words,
					      u32 hash, u32 i, u64 n, u64 *left)
{
	struct topk_position position;
	struct topk_key key;

	topk_key_of_words(&key, word, words, hash);
	while (!topk_index_insert_in_order(&t->index, &key, i, &position)) {
		if (lockfree_count_or_delegate(t, &position, &key, n)) {
			*left = lockfree_give_back(t, i);
			return false;
		}
	}
	return true;
}

/*
 * The key of so many words had no node: make one, and count the @first of its hits.
 * Returns those that still are to be counted.  @taken grows by those of them that others
 * left.
 */
static __always_inline u64 lockfree_bring(struct topk_lockfree *t, const u64 *word, u32 words,
					  u32 hash, u64 n, u64 first, u64 *taken, u32 *tries)
{
	struct topk_cpu *cpu = lockfree_this_cpu(t);
	u32 i = topk_index_take(&t->index, &cpu->spare);
	struct topk_node *node = topk_node(&t->index, i);
	u64 left;

	if (unlikely(!i)) {
		topk_drop(cpu, n);
		return 0;
	}
	topk_node_reserve(node, word, words, hash);
	if (unlikely(!topk_index_insert_first(&t->index, node, i, hash)) &&
	    !lockfree_insert_in_order(t, word, words, hash, i, n, &left)) {
		*taken += left;
		return left;
	}
	if (unlikely(!lockfree_claim(t, cpu, node, i, first, tries))) {
		lockfree_wait(t, i, n);
		return 0;
	}
	left = lockfree_settle(t, node, i);
	*taken += left;
	return left + n - first;
}

static noinline u64 lockfree_hit_absent(struct topk_lockfree *t, const struct topk_key *key, u64 n,
					u64 *taken, u32 *tries)
{
	return lockfree_bring(t, key->word, key->words, key->hash, n, min_t(u64, n, TOPK_SMALL),
			      taken, tries);
}

/* @taken of these hits are of those that others left. */
static noinline void lockfree_count_hits(struct topk_lockfree *t, const struct topk_key *key,
					 u64 n, u64 taken, u32 *tries)
{
	while (n && !lockfree_hit_present(t, key, n))
		n = lockfree_hit_absent(t, key, n, &taken, tries);
	if (taken)
		topk_counted(lockfree_this_cpu(t), taken);
}

/* Give cells to the keys that wait, and count the hits that others left in them. */
static noinline void lockfree_bring_waiting(struct topk_lockfree *t, u32 *tries)
{
	struct topk_node *node;
	u32 i, next;

	for (i = atomic64_xchg(&t->waiting, 0); i; i = next) {
		struct topk_key key;
		u64 left;

		node = topk_node(&t->index, i);
		next = node->error;
		if (!lockfree_claim(t, lockfree_this_cpu(t), node, i, 0, tries)) {
			lockfree_waiting_push(t, i);
			continue;
		}
		topk_index_key(&t->index, i, &key);
		left = lockfree_settle(t, node, i);
		lockfree_count_hits(t, &key, left, left, tries);
	}
}

static noinline void lockfree_count_left(struct topk_lockfree *t, const u64 *word, u32 words,
					 u32 hash, u64 n, u64 taken, u32 *tries)
{
	struct topk_key key;

	topk_key_of_words(&key, word, words, hash);
	lockfree_count_hits(t, &key, n, taken, tries);
}

/* Hits of a key that has just not been found, the @first of them at once. */
static __always_inline void lockfree_count_absent(struct topk_lockfree *t, const u64 *word,
						  u32 words, u32 hash, u64 n, u64 first)
{
	u32 tries = TOPK_TRIES;
	u64 taken = 0;

	if (unlikely(atomic64_read(&t->waiting)))
		lockfree_bring_waiting(t, &tries);
	n = lockfree_bring(t, word, words, hash, n, first, &taken, &tries);
	if (unlikely(n))
		lockfree_count_left(t, word, words, hash, n, taken, &tries);
}

static notrace void lockfree_add(struct topk_table *table, const void *bytes, u64 n)
{
	struct topk_lockfree *t = topk_lockfree_of(table);
	struct topk_key key;

	topk_key_load(&key, bytes, t->table.key_size, &t->table.secret);
	if (!lockfree_hit_present(t, &key, n))
		lockfree_count_absent(t, key.word, key.words, key.hash, n,
				      min_t(u64, n, TOPK_SMALL));
}

notrace void topk_lockfree_add(struct topk_table *table, u64 key, u64 n)
{
	lockfree_add(table, &key, n);
}

notrace void topk_lockfree_absent(struct topk_table *table, u64 key, u32 sum, u64 n)
{
	lockfree_count_absent(topk_lockfree_of(table), &key, 1, topk_hash_of_sum(sum), n, n);
}

notrace void topk_lockfree_contended(struct topk_table *table, u64 key, u64 n)
{
	u32 tries = TOPK_TRIES;

	if (!topk_gather(table, key, n))
		lockfree_count_left(topk_lockfree_of(table), &key, 1,
				    topk_hash_word(key, &table->secret), n, 0, &tries);
}

/* Reading */

static bool lockfree_count_of_cell(struct topk_table *table, u32 place, u64 *count)
{
	struct view view = lockfree_look(&topk_lockfree_of(table)->cells[place]);

	*count = view.count;
	return topk_cell_node(view.word);
}

/*
 * The state is read before the cell is looked at, and key and error after it.  A node that
 * has just been taken again for another use has the error of its last use until it gets a
 * cell.  If the cell has the node, and the generation is the same before and after, all is
 * of one use.
 */
static void lockfree_read_cell(struct topk_table *table, struct topk_pick *pick,
			       struct scounter_topk_record *record)
{
	struct topk_lockfree *t = topk_lockfree_of(table);
	struct topk_cell *cell = &t->cells[pick->place];
	u32 i, words = DIV_ROUND_UP(table->key_size, sizeof(u64));
	struct topk_node *node;
	struct view view;
	u64 state;

	do {
		pick->node = topk_cell_node(atomic64_read_acquire(&cell->word));
		node = topk_node(&t->index, pick->node);
		state = atomic64_read_acquire(&node->state);
		/* Pairs with the compare-and-swap in lockfree_claim(): topk-claim.litmus. */
		view = lockfree_look(cell);
		record->count = view.count;
		record->error = READ_ONCE(node->error);
		for (i = 0; i < words; i++)
			((u64 *)record->key)[i] = READ_ONCE(node->key[i]);
		smp_rmb(); /* topk_node_reserve(): topk-generation.litmus */
		pick->generation = topk_state_generation(state);
	} while (topk_cell_node(view.word) != pick->node ||
		 topk_state_generation(atomic64_read(&node->state)) != pick->generation);
}

static bool lockfree_is_in_cell(struct topk_table *table, const struct topk_pick *pick)
{
	struct topk_lockfree *t = topk_lockfree_of(table);
	u64 word = atomic64_read_acquire(&t->cells[pick->place].word);
	u64 state = atomic64_read(&topk_node(&t->index, pick->node)->state);

	return topk_cell_node(word) == pick->node &&
	       topk_state_generation(state) == pick->generation;
}

/* The acquire in topk_bounds_least(): counts read after it are not below the bound. */
static u64 lockfree_evicted(struct topk_table *table)
{
	return topk_bounds_least(&topk_lockfree_of(table)->bounds);
}

static const struct topk_reader lockfree_reader = {
	.count		= lockfree_count_of_cell,
	.read		= lockfree_read_cell,
	.is_there	= lockfree_is_in_cell,
	.floor		= lockfree_evicted,
};

/*
 * Until no key waits.  So many rounds are enough if no hits run.  If they do, some keys
 * may still wait, and their hits are pending.
 */
static void lockfree_bring_all_waiting(struct topk_lockfree *t)
{
	u32 rounds = 16 + 4 * t->index.count / TOPK_TRIES;
	u32 tries;

	for (; rounds && atomic64_read(&t->waiting); rounds--) {
		tries = TOPK_TRIES;
		/* As in every hit. */
		preempt_disable();
		lockfree_bring_waiting(t, &tries);
		preempt_enable();
		cond_resched();
	}
}

static int lockfree_read(struct topk_table *table, u32 most,
			 struct scounter_topk_header *header)
{
	topk_gather_take_all(table);
	lockfree_bring_all_waiting(topk_lockfree_of(table));
	header->pending = topk_pending(table);
	return topk_read_places(table, &lockfree_reader, most, header);
}

/* Creation */

static void lockfree_destroy(struct topk_table *table)
{
	struct topk_lockfree *t = topk_lockfree_of(table);

	topk_bounds_clear(&t->bounds);
	kvfree(t->cells);
	topk_index_clear(&t->index);
	topk_table_clear(table);
	kfree(t);
}

static struct topk_table *lockfree_create(u32 capacity, u32 key_size,
					  const struct topk_secret *secret)
{
	struct topk_lockfree *t = kzalloc(sizeof(*t), GFP_KERNEL);
	u32 nodes = capacity + TOPK_NODES_PER_CPU * nr_cpu_ids + WAITING(capacity);
	int err;

	if (!t)
		return NULL;
	err = topk_table_init(&t->table, &topk_lockfree_ops, capacity, key_size, secret) ?:
	      topk_index_init(&t->index, nodes, key_size, 0) ?:
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
	const struct topk_lockfree *t = container_of(table, const struct topk_lockfree, table);

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

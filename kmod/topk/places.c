// SPDX-License-Identifier: GPL-2.0
/* Places, their witnesses, and victims; the idea is in places.h. */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "topk/places.h"
#include "topk/table.h"

/* Looks at a place, or a witness, that has changed each time.  Then another is taken. */
#define LOOKS		4

/* Blocks that an eviction searches for a victim before it leaves that for later. */
#define BLOCKS		4

int topk_places_init(struct topk_places *places, struct topk_index *index, u32 count)
{
	u32 blocks = DIV_ROUND_UP(count, TOPK_FAN_OUT);

	places->index = index;
	places->count = count;
	atomic64_set(&places->unused, count);
	places->nodes = kvcalloc(count, sizeof(*places->nodes), GFP_KERNEL);
	places->witnesses = kvcalloc(blocks, sizeof(*places->witnesses), GFP_KERNEL);
	if (!places->nodes || !places->witnesses)
		return -ENOMEM;
	return topk_bounds_init(&places->bounds, count);
}

void topk_places_clear(struct topk_places *places)
{
	kvfree(places->nodes);
	kvfree(places->witnesses);
	topk_bounds_clear(&places->bounds);
}

size_t topk_places_bytes(const struct topk_places *places)
{
	return places->count * sizeof(*places->nodes) +
	       DIV_ROUND_UP(places->count, TOPK_FAN_OUT) * sizeof(*places->witnesses) +
	       topk_bounds_bytes(&places->bounds);
}

/*
 * The node and the count of a place.  False if another key takes the place over at each
 * look.  A node keeps its place and its generation as long as it has a count, and is used
 * again only afterwards.  So if both are the same before and after the count was read, the
 * place had this count.
 */
bool topk_place_look(struct topk_places *places, u32 place, struct topk_look *look)
{
	struct topk_element *element;
	struct topk_node *node;
	u32 looks;

	for (looks = 0; looks < LOOKS; looks++) {
		look->node = READ_ONCE(places->nodes[place]);
		/* Perhaps a key has taken it and is not there yet: it has one hit at least. */
		if (!look->node) {
			look->count = 1;
			return true;
		}
		node = topk_node(places->index, look->node);
		element = topk_element(places, look->node);
		/* topk_node_reserve(): topk-generation.litmus */
		look->state = atomic64_read_acquire(&node->state);
		/* Acquire: the node got its place before its count: topk-place.litmus. */
		look->count = atomic64_read_acquire(&element->count);
		if (!look->count || READ_ONCE(element->place) != place)
			continue;
		smp_rmb(); /* topk_node_reserve(): topk-generation.litmus */
		if (topk_state_generation(atomic64_read(&node->state)) ==
		    topk_state_generation(look->state))
			return true;
	}
	return false;
}

struct witness {
	u32 place;
	u32 node;
	u64 count;
};

static u32 places_block_width(const struct topk_places *places, u32 block)
{
	return min_t(u32, TOPK_FAN_OUT, places->count - block * TOPK_FAN_OUT);
}

/* Place @i of a block of @width places, counted from @from on. */
static u32 places_in_block(u32 block, u32 from, u32 i, u32 width)
{
	u32 place = from + i;

	return block * TOPK_FAN_OUT + (place < width ? place : place - width);
}

/*
 * The first place after the witness whose count is the block's bound, or else the last one
 * with the smallest count.  A place that is just being taken over may be the witness, too:
 * the context that takes it over will raise its count, and look for another witness.
 */
static struct witness places_find_witness(struct topk_places *places, u32 block, u64 bound)
{
	u32 from = READ_ONCE(places->witnesses[block]), width = places_block_width(places, block);
	struct witness least = { .count = U64_MAX };
	struct topk_look look;
	u32 i;

	for (i = 1; i <= width; i++) {
		u32 place = places_in_block(block, from, i, width);

		if (!topk_place_look(places, place, &look) || look.count <= bound)
			return (struct witness) { place, look.node, bound };
		if (look.count <= least.count)
			least = (struct witness) { place, look.node, look.count };
	}
	return least;
}

/* The witness's place was taken over, or its count raised. */
static bool places_witness_has_gone(struct topk_places *places, const struct witness *witness)
{
	return READ_ONCE(places->nodes[witness->place]) != witness->node ||
	       (witness->node && topk_element_count(places, witness->node) > witness->count);
}

/* To be called when the count of the witness was raised, or when no place is at the bound. */
static void places_renew_witness(struct topk_places *places, u32 block)
{
	struct witness witness;
	u32 looks = 0;

	do {
		u64 bound = topk_bounds_of(&places->bounds, block);

		witness = places_find_witness(places, block, bound);
		WRITE_ONCE(places->witnesses[block], witness.place % TOPK_FAN_OUT);
		if (witness.count > bound)
			topk_bounds_raise(&places->bounds, block, witness.count);
		smp_mb(); /* places_was_raised(): topk-witness.litmus */
	} while (places_witness_has_gone(places, &witness) && ++looks < LOOKS);
}

/* The count of a place has been raised from @count. */
static void places_was_raised(struct topk_places *places, u32 place, u64 count)
{
	u32 block = place / TOPK_FAN_OUT;

	smp_mb(); /* places_renew_witness(): topk-witness.litmus */
	if (count <= topk_bounds_of(&places->bounds, block) &&
	    READ_ONCE(places->witnesses[block]) == place % TOPK_FAN_OUT)
		places_renew_witness(places, block);
}

/* Take a place that has had no key yet. */
bool topk_place_take(struct topk_places *places, u32 *place)
{
	s64 unused = atomic64_read(&places->unused);

	do {
		if (!unused)
			return false;
	} while (!atomic64_try_cmpxchg(&places->unused, &unused, unused - 1));
	*place = places->count - unused;
	return true;
}

/*
 * Give the victim's place, or one that had no key (@victim is 0), to a node that has its
 * key and its error.  @count is higher than the place's count until now.
 */
void topk_place_give(struct topk_places *places, u32 place, u32 victim, u32 node, u64 count)
{
	u64 had = victim ? topk_element_count(places, victim) : 0;

	WRITE_ONCE(topk_element(places, node)->place, place);
	/* Release: place and error belong to the count: topk-place.litmus. */
	atomic64_set_release(&topk_element(places, node)->count, count);
	/* Release: a reader that finds the node there finds its count. */
	smp_store_release(&places->nodes[place], node);
	/* Release: a reader that finds no count of the victim finds the other node there. */
	if (victim)
		atomic64_set_release(&topk_element(places, victim)->count, 0);
	places_was_raised(places, place, had);
}

/* Raise the count of an element; for its owner only. */
void topk_place_raise(struct topk_places *places, u32 node, u64 count)
{
	struct topk_element *element = topk_element(places, node);
	u64 had = atomic64_read(&element->count);

	atomic64_set(&element->count, count);
	places_was_raised(places, element->place, had);
}

/* Evict a node of the block that has the least count and no owner; it is EVICTED then. */
static u32 places_evict_in_block(struct topk_places *places, u32 block, u64 least, bool *busy)
{
	u32 from = READ_ONCE(places->witnesses[block]), width = places_block_width(places, block);
	struct topk_look look;
	u32 i;

	for (i = 0; i < width; i++) {
		if (!topk_place_look(places, places_in_block(block, from, i, width), &look) ||
		    look.count > least)
			continue;
		/* Before the key can come in again. */
		topk_raise(&places->evicted, least);
		if (look.node && !(look.state & (TOPK_RESERVED | TOPK_EVICTED)) &&
		    atomic64_try_cmpxchg(&topk_node(places->index, look.node)->state,
					 &look.state, look.state | TOPK_EVICTED))
			return look.node;
		*busy = true;
	}
	return 0;
}

/*
 * Evict a node with the least of all counts.  Returns its number, or 0.
 *
 * The caller owns the bucket of this count, so no such count is raised meanwhile.  @busy
 * becomes true if some nodes had the count, but had owners.  If no node had it, the least
 * count is another now, or will be after a search of more blocks.  @hint is the block to
 * begin with.
 */
u32 topk_place_evict(struct topk_places *places, u32 *hint, u64 least, bool *busy)
{
	u32 block = READ_ONCE(*hint), blocks, node;

	*busy = false;
	for (blocks = 0; blocks < BLOCKS; blocks++) {
		if (blocks || topk_bounds_of(&places->bounds, block) > least) {
			if (topk_bounds_least(&places->bounds) > least)
				break;
			if (!topk_bounds_descend(&places->bounds, blocks, &block))
				continue;
		}
		node = places_evict_in_block(places, block, least, busy);
		if (node) {
			WRITE_ONCE(*hint, block);
			return node;
		}
		places_renew_witness(places, block);
	}
	return 0;
}

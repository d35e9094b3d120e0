// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "profile.h"
#include "search.h"

#define LOOK_STEPS	64	/* a walk that is led from chain to chain ends */
#define RECLAIM		32	/* locations at once, */
#define RECLAIM_CHAINS	512	/* of so many chains at most */

bool search_init(struct search *search, u32 keys, u32 locations, bool locks,
		 const struct topk_secret *secret)
{
	u32 i;

	search->secret = *secret;
	search->chain_bits = ilog2(keys) + 1;
	search->count = locations;
	search->chains = kcalloc(1UL << search->chain_bits, sizeof(*search->chains), GFP_KERNEL);
	search->locations = kcalloc(locations + 2UL, sizeof(*search->locations), GFP_KERNEL);
	if (locks)
		search->locks = kcalloc(locations + 1UL, sizeof(*search->locks), GFP_KERNEL);
	if (!search->chains || !search->locations || (locks && !search->locks) ||
	    !pool_init(&search->pool, locations, true))
		return false;
	for (i = 0; i < 1U << search->chain_bits; i++)
		raw_spin_lock_init(&search->chains[i].lock);
	for (i = 1; i <= locations; i++) {
		atomic64_set(&search->locations[i].state, LOCATION_DELETED);
		if (locks)
			raw_spin_lock_init(&search->locks[i].lock);
	}
	return true;
}

void search_clear(struct search *search)
{
	kfree(search->chains);
	kfree(search->locations);
	kfree(search->locks);
	pool_clear(&search->pool);
}

static struct chain *search_chain(const struct search *search, u64 key)
{
	u32 hash = topk_hash_word(key, &search->secret);

	return &search->chains[hash >> (32 - search->chain_bits)];
}

/* The location of the key and its state, or 0.  Without a lock it may be missed. */
static u32 search_look(const struct search *search, const struct chain *chain, u64 key,
		       s64 *state, u32 steps)
{
	const struct location *location;
	u32 i;

	for (i = READ_ONCE(chain->first); i && steps; i = READ_ONCE(location->next), steps--) {
		location = &search->locations[i];
		*state = atomic64_read_acquire(&location->state);
		if (!(*state & LOCATION_DELETED) && READ_ONCE(location->key) == key)
			return i;
	}
	return 0;
}

/* With the lock of the chain: take deleted locations out of it.  The first one may stay. */
static u32 search_unlink_deleted(struct search *search, struct chain *chain, bool keep)
{
	u32 *from = &chain->first, kept = 0, i;

	while ((i = READ_ONCE(*from))) {
		struct location *location = &search->locations[i];

		if (!(atomic64_read(&location->state) & LOCATION_DELETED)) {
			from = &location->next;
		} else if (keep && !kept) {
			kept = i;
			from = &location->next;
		} else {
			WRITE_ONCE(*from, READ_ONCE(location->next));
			pool_give(&search->pool, i);
			kept += !keep;
		}
	}
	return kept;
}

/* Chains in turn, until some locations are in the pool. */
static void search_reclaim(struct search *search)
{
	u32 step, got = 0, mask = (1U << search->chain_bits) - 1;
	u32 most = min_t(u32, mask + 1, RECLAIM_CHAINS);

	for (step = 0; step < most && got < RECLAIM; step++) {
		struct chain *chain = &search->chains[atomic_inc_return(&search->cursor) & mask];

		if (!READ_ONCE(chain->first))
			continue;
		raw_spin_lock(&chain->lock);
		got += search_unlink_deleted(search, chain, false);
		raw_spin_unlock(&chain->lock);
	}
}

/* Give a location a key.  Who had the location before sees another generation. */
static void search_fill(struct search *search, u32 i, u64 key)
{
	struct location *location = &search->locations[i];
	u64 state = atomic64_read(&location->state);

	WRITE_ONCE(location->key, key);
	WRITE_ONCE(location->element, 0);
	if (search->locks)
		raw_spin_lock(&search->locks[i].lock);
	state = (state + LOCATION_GENERATION) & ~(LOCATION_GENERATION - 1);
	atomic64_set_release(&location->state, state + !search->locks);
}

static enum found search_insert_locked(struct search *search, struct chain *chain, u64 key,
				       u32 *location)
{
	s64 state;
	u32 i;

	if (search_look(search, chain, key, &state, U32_MAX))
		return FOUND_LEFT;
	i = search_unlink_deleted(search, chain, true);
	if (i) {
		search_fill(search, i, key);
	} else {
		i = pool_take(&search->pool);
		if (!i)
			return FOUND_NONE;
		search_fill(search, i, key);
		WRITE_ONCE(search->locations[i].next, chain->first);
		smp_store_release(&chain->first, i); /* search_look() */
	}
	*location = i;
	return FOUND_NEW;
}

/* FOUND_LEFT: somebody else has inserted it. */
static enum found search_insert(struct search *search, struct chain *chain, u64 key,
				u32 *location)
{
	enum found found;

	raw_spin_lock(&chain->lock);
	found = search_insert_locked(search, chain, key, location);
	raw_spin_unlock(&chain->lock);
	if (found != FOUND_NONE)
		return found;
	search_reclaim(search);
	raw_spin_lock(&chain->lock);
	found = search_insert_locked(search, chain, key, location);
	raw_spin_unlock(&chain->lock);
	return found;
}

/* The location of a key that was there, its state, and FOUND_OWNED; or FOUND_NEW or _NONE. */
static enum found search_find(struct search *search, u64 key, u32 *location, s64 *state)
{
	struct chain *chain = search_chain(search, key);
	enum found found;

	do {
		*location = search_look(search, chain, key, state, LOOK_STEPS);
		if (*location)
			return FOUND_OWNED;
		found = search_insert(search, chain, key, location);
	} while (found == FOUND_LEFT);
	return found;
}

enum found search_acquire(struct search *search, u64 key, u64 hits, u32 *location)
{
	enum found found;
	u64 pending;
	s64 state;

	for (;;) {
		found = search_find(search, key, location, &state);
		if (found != FOUND_OWNED)
			return found;
		pending = state & LOCATION_PENDING;
		if (pending + hits > LOCATION_PENDING)
			return FOUND_NONE;
		if (atomic64_try_cmpxchg(&search->locations[*location].state, &state,
					 state + (pending ? hits : 1)))
			return pending ? FOUND_LEFT : FOUND_OWNED;
	}
}

/* Let go with this flag, or take what was left meanwhile. */
static u64 search_let_go(struct search *search, u32 location, u64 flag, u64 *state)
{
	atomic64_t *word = &search->locations[location].state;
	s64 old = atomic64_read(word);
	u64 pending;

	do {
		pending = old & LOCATION_PENDING;
		*state = (old & ~LOCATION_PENDING) | (pending > 1 ? 1 : flag);
	} while (!atomic64_try_cmpxchg(word, &old, *state));
	return pending - 1;
}

u64 search_relinquish(struct search *search, u32 location, u64 *state)
{
	return search_let_go(search, location, 0, state);
}

u64 search_give_up(struct search *search, u32 location)
{
	u64 state;

	return search_let_go(search, location, LOCATION_DELETED, &state);
}

bool search_regain(struct search *search, u32 location, u64 state)
{
	s64 old = state;

	return atomic64_try_cmpxchg(&search->locations[location].state, &old, state + 1);
}

bool search_delete(struct search *search, u32 location)
{
	atomic64_t *word = &search->locations[location].state;
	s64 state = atomic64_read(word);

	return !(state & (LOCATION_PENDING | LOCATION_DELETED)) &&
	       atomic64_try_cmpxchg(word, &state, state | LOCATION_DELETED);
}

enum found search_lock(struct search *search, u64 key, u32 *location)
{
	enum section section;
	enum found found;
	s64 state;

	for (;;) {
		found = search_find(search, key, location, &state);
		if (found != FOUND_OWNED)
			return found;
		section = profile_enter(SECTION_ELEMENT);
		raw_spin_lock(&search->locks[*location].lock);
		profile_enter(section);
		if (atomic64_read(&search->locations[*location].state) == state)
			return FOUND_OWNED;
		search_unlock(search, *location);
	}
}

void search_unlock(struct search *search, u32 location)
{
	raw_spin_unlock(&search->locks[location].lock);
}

/* Never waits: the caller has the lock of a bucket, which the element's owner may wait for. */
bool search_lock_and_delete(struct search *search, u32 location)
{
	if (!raw_spin_trylock(&search->locks[location].lock))
		return false;
	atomic64_or(LOCATION_DELETED, &search->locations[location].state);
	search_unlock(search, location);
	return true;
}

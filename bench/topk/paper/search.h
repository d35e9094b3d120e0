/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The search structure (Das et al. 2009, section 4.3.1): chains of locations that are read
 * without a lock.  A lock for each chain serializes insertions.
 *
 * A location is deleted in one step, and used again for a later key of its chain.  When
 * there are no others, deleted ones are taken out of their chains.  A reader that such a
 * location leads to another chain may miss its key: so who inserts looks again under the
 * lock of the chain.
 *
 * The paper marks a deleted location by a null value.  Here the mark is in the word in
 * which hits are left: so a location that somebody owns cannot be deleted (section 4.3.2,
 * Overwrite), and a hit cannot be left in one that was.  A generation in the same word
 * tells a new key from the old one.
 */
#ifndef _PAPER_SEARCH_H
#define _PAPER_SEARCH_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "pool.h"
#include "topk/key.h"

/* What is requested for the key of a location. */
enum request {
	REQUEST_NONE,
	REQUEST_ADD,		/* put the element into its bucket */
	REQUEST_INCREMENT,
	REQUEST_OVERWRITE,	/* give the key an element of the least count */
	REQUEST_TOUCH,		/* look again for elements that are free */
	REQUEST_REMOVE,		/* a round of Lossy Counting ends */
};

/*
 * @state: generation, whether deleted, and `count` of the paper: hits that are pending,
 *	that of the owner among them; 0: nobody owns the key
 * @element: of the key, 0 while it has none
 * @hits, @request: what is requested, of which there is one at most
 * @later: the next request in a queue
 */
struct location {
	atomic64_t state;
	u64 key;
	u64 hits;
	u32 next;
	u32 element;
	u32 request;
	u32 later;
} ____cacheline_aligned_in_smp;

#define LOCATION_PENDING	((1ULL << 39) - 1)
#define LOCATION_DELETED	(1ULL << 39)
#define LOCATION_GENERATION	(1ULL << 40)

struct chain {
	u32 first;
	raw_spinlock_t lock;
};

struct element_lock {
	raw_spinlock_t lock;
} ____cacheline_aligned_in_smp;

struct search {
	struct chain *chains;
	struct location *locations;	/* from 1 on; the last one is never given to a key */
	struct element_lock *locks;	/* by location; NULL: elements have owners */
	struct pool pool;
	struct topk_secret secret;
	u32 chain_bits, count;
	atomic_t cursor;
};

bool search_init(struct search *search, u32 keys, u32 locations, bool locks,
		 const struct topk_secret *secret);
void search_clear(struct search *search);

enum found {
	FOUND_OWNED,		/* by this thread now */
	FOUND_LEFT,		/* another one owns the key, and will count the hits */
	FOUND_NEW,		/* the key was not there; it is now, and this thread owns it */
	FOUND_NONE,		/* there is no location now, or no room for the hits */
};

/* By counts, with Invariant 4.6: the element has one owner. */
enum found search_acquire(struct search *search, u64 key, u64 hits, u32 *location);
/* The owner lets go: 0; or hits that were left to it meanwhile: it still owns. */
u64 search_relinquish(struct search *search, u32 location, u64 *state);
/* The same, and the key is deleted in the same step. */
u64 search_give_up(struct search *search, u32 location);
/* The owner again, if nobody was since it let go. */
bool search_regain(struct search *search, u32 location, u64 state);
/* Nobody owns it, and from now on nobody can. */
bool search_delete(struct search *search, u32 location);

/* The same with locks: FOUND_OWNED, _NEW or _NONE. */
enum found search_lock(struct search *search, u64 key, u32 *location);
void search_unlock(struct search *search, u32 location);
bool search_lock_and_delete(struct search *search, u32 location);

#endif /* _PAPER_SEARCH_H */

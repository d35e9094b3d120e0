/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Elements and buckets that have owners, as in Das et al. 2009: what the cooperative
 * design (section 4) and the shared design (section 3.2) have in common.
 *
 * An element is a node that is counted.  It is in the bucket of its count.  A hit of an
 * element with the count 6 moves it from bucket 6 to bucket 7.  Its context owns the
 * element all the time, and each of the two buckets while it changes something there.
 * What an owner does is here; how a context becomes an owner is the design's.
 *
 * The owners are the paper's.  The paper's structure, the Stream Summary, is not here.
 * It is a list of all buckets in the order of their counts, with the elements of each.
 * Two things are different:
 *
 * - The buckets are a fixed array.  With 1024 buckets, bucket 6 has the counts 6, 1030,
 *   2054 and so on.  A bucket has an owner and a queue, but no list of its elements.  So
 *   nobody walks a list, and nobody makes or reclaims buckets.  To reclaim them would
 *   take memory for all that may come before the last reader has left.  Queries sort,
 *   and evictions find the smallest count by bounds: places.h.
 * - An element between two buckets may have the smallest count of all.  The paper then
 *   evicts another, and later gives the smaller count to a key that may have been hit
 *   more often.  Here the element's place still has the count, and the eviction waits in
 *   the bucket until the element has been there.
 *
 * An eviction leaves the old key in its chain.  The CPU whose key took the place removes
 * it when it wants a node.  So the owner of the bucket of the least count is done sooner.
 */
#ifndef _SCOUNTER_TOPK_BUCKETS_H
#define _SCOUNTER_TOPK_BUCKETS_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "topk/index.h"
#include "topk/places.h"
#include "topk/table.h"

/*
 * What the owner of an element wants of a bucket:
 *
 * TOPK_MOVE: take the element out of the bucket of its count, and add hits
 * TOPK_ARRIVE: put the element into the bucket of its count
 * TOPK_OVERWRITE: evict an element of the bucket of the least count, take its place
 * TOPK_FIRST: as TOPK_ARRIVE, for a key that took an unused place.  It passes bucket 1,
 *	as evictions take an unused place for one with the count 1, and wait there.
 *
 * TOPK_LEFT is a flag: the hits are pending, as another context will serve the request.
 */
enum topk_request {
	TOPK_MOVE, TOPK_ARRIVE, TOPK_OVERWRITE, TOPK_FIRST, TOPK_REQUEST = 3, TOPK_LEFT = 4
};

/*
 * @queue, @owned, @behind, @taken, @deferred: the cooperative design's
 * @lock: the shared design's
 * @barren: no element of this count can be evicted before one comes to the bucket or goes
 */
struct topk_bucket {
	atomic64_t queue;
	atomic64_t owned;
	raw_spinlock_t lock;
	u32 behind;
	u32 taken;
	u32 deferred;
	u64 barren;
};

/* A CPU's victims: lists of nodes that are still in their chains. */
struct topk_victims {
	atomic64_t given;	/* by the contexts that evicted them */
	atomic64_t kept;	/* of those, for later */
} ____cacheline_aligned_in_smp;

struct topk_buckets {
	struct topk_table table;
	struct topk_index index;
	struct topk_places places;
	struct topk_bucket *array;
	struct topk_victims *victims;	/* by CPU */
	u64 mask;			/* of a count, to the number of its bucket */
};

/*
 * What a context still has to do.
 *
 * @first: a list of elements that it owns, and will bring to their buckets
 * @requests: how many requests it may serve
 * @overwritten: how many overwrites it served that other contexts had left
 */
struct topk_work {
	u32 first;
	u32 requests;
	u32 overwritten;
};

/* What a hit found in the node that had its key. */
enum topk_outcome { TOPK_COUNTED, TOPK_LOOK_AGAIN, TOPK_HAS_LEFT };

int topk_buckets_init(struct topk_buckets *buckets, const struct topk_ops *ops, u32 capacity,
		      u32 key_size, const struct topk_secret *secret);
void topk_buckets_clear(struct topk_buckets *buckets);
size_t topk_buckets_bytes(const struct topk_buckets *buckets);
int topk_buckets_read(struct topk_table *table, u32 most, struct scounter_topk_header *header);

u32 topk_buckets_take_node(struct topk_buckets *buckets, const struct topk_key *key);
bool topk_buckets_retire_victim(struct topk_buckets *buckets, u32 cpu);
enum topk_request topk_buckets_enter(struct topk_buckets *buckets, u32 i, u64 n);
struct topk_bucket *topk_buckets_wanted(struct topk_buckets *buckets, u32 i);
bool topk_bucket_serve(struct topk_buckets *buckets, struct topk_bucket *bucket, u32 i,
		       struct topk_work *work);

static inline struct topk_buckets *topk_buckets_of(const struct topk_table *table)
{
	return container_of(table, struct topk_buckets, table);
}

static inline void topk_work_add(struct topk_buckets *buckets, struct topk_work *work, u32 i,
				 u32 request)
{
	struct topk_node *node = topk_node(&buckets->index, i);

	node->request = request;
	node->next = work->first;
	work->first = i;
}

/* No element of the least count can be evicted before one comes to the bucket or goes. */
static inline bool topk_bucket_is_barren(const struct topk_buckets *buckets,
					 const struct topk_bucket *bucket)
{
	u64 least = topk_bounds_least(&buckets->places.bounds);

	return least && READ_ONCE(bucket->barren) == least;
}

#endif /* _SCOUNTER_TOPK_BUCKETS_H */

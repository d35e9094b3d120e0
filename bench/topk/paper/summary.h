/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Concurrent Stream Summary (Das et al. 2009, section 4.3.2): a list of buckets, in the
 * order of their frequencies, each with the elements that have this frequency, an owner and
 * a queue of requests.  Any number of threads walk the list without a lock.
 *
 * The paper leaves open how removed buckets are used again, and what bounds the memory.
 * Here buckets, elements and locations are allocated once.  A bucket has a generation, which
 * is raised when it is used again.  A reference to a bucket has the generation, so that a
 * reader finds out that it has come to another bucket (Invariants 4.7 and 4.9), and begins
 * again.  Requests are in the locations of their keys.
 */
#ifndef _PAPER_SUMMARY_H
#define _PAPER_SUMMARY_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/types.h>

#include "pool.h"
#include "search.h"
#include "topk/table.h"

/* A key with a counter.  @sequence is odd while the rest changes. */
struct element {
	u32 sequence;
	u32 bucket;
	u64 key;
	u64 count;
	u64 error;
	u32 location;
	u32 next, before;	/* in its bucket */
} ____cacheline_aligned_in_smp;

/* To the list that begins at *@first, and out of it.  By its owner. */
static inline void element_link(struct element *elements, u32 *first, u32 e)
{
	WRITE_ONCE(elements[e].before, 0);
	WRITE_ONCE(elements[e].next, *first);
	if (*first)
		WRITE_ONCE(elements[*first].before, e);
	WRITE_ONCE(*first, e);
}

static inline void element_unlink(struct element *elements, u32 *first, u32 e)
{
	const struct element *element = &elements[e];

	WRITE_ONCE(*(element->before ? &elements[element->before].next : first), element->next);
	if (element->next)
		WRITE_ONCE(elements[element->next].before, element->before);
}

/*
 * @queue: generation, whether the bucket is marked, and the last request of the queue.  In
 *	one word, so that no request comes to a bucket that is marked.
 * @next: a reference to the next bucket, or 0
 * @deferred: overwrites for which no element was free
 * @barren: there are such; who lets an element go must say so
 * @claimed: a thread has promised to look at the queue; see summary_claim()
 */
struct bucket {
	atomic64_t queue;
	atomic64_t next;
	u64 frequency;
	atomic_t in_use;
	atomic_t queued;
	u32 first;
	u32 deferred, last_deferred;
	u32 barren;
	atomic_t claimed;
	u32 next_claimed;
} ____cacheline_aligned_in_smp;

#define BUCKET_MARKED		(1ULL << 32)
#define BUCKET_GENERATION	(1ULL << 33)

/* What a thread did, and what it has still to do. */
struct worker {
	u32 claims;		/* buckets */
	u32 todo, last_todo;	/* requests for the bucket that it owns */
	bool starved;		/* of buckets */
	bool sleepy;
	u64 hits;
	u64 left;		/* hits, in the search structure */
	u64 requests;		/* that came to the Stream Summary */
	u64 delegated;		/* requests, in the Stream Summary */
	u64 queue_sum, queue_most;	/* sizes of queues, as delegated requests found them */
	u64 sleeps;
	u64 restarts;		/* walks that began again */
	u64 evictions;
	u64 sweeps;
	u64 dropped;		/* by Lossy Counting */
	u64 raised, bulks;	/* hits that bulk increments brought, and how many these were */
} ____cacheline_aligned_in_smp;

struct summary_options {
	u32 capacity;
	u32 waiting;		/* new keys that may be queued */
	u32 buckets;		/* 0: as many as are enough */
	bool tunes;		/* auto-tuning and throttling: section 4.3.3 */
	u32 queue_limit;	/* the paper's rho */
	u32 window;		/* 0, or: Lossy Counting, hits of a round */
};

struct summary {
	struct summary_options options;
	struct search search;
	struct bucket *buckets;		/* from 1 on */
	struct element *elements;	/* from 1 on */
	u32 bucket_count, element_count;
	struct pool bucket_pool, element_pool;
	struct worker *workers;
	atomic64_t least ____cacheline_aligned_in_smp;	/* minFreq: a reference */
	/* Lossy Counting: hits, the last round that has ended, and the last one removed. */
	atomic64_t seen ____cacheline_aligned_in_smp;
	atomic64_t ended, removed;
	atomic_t removing;
};

/* 0, or -EINVAL, -ERANGE or -ENOMEM: nothing is left then. */
int summary_init(struct summary *summary, const struct summary_options *options,
		 const struct topk_secret *secret);
void summary_clear(struct summary *summary);

/* False if there is no room now, or the hits are too many at once. */
bool summary_add(struct summary *summary, u64 key, u64 hits);
#define SUMMARY_HITS_MAX	(1U << 24)

/*
 * Call for each element that is met on the way from the least bucket to the greatest, with
 * its number.  While hits run, elements on their way to a bucket are not met, and others
 * may be met twice.
 */
typedef void (*summary_visit)(u32 number, const struct element *element, void *argument);
void summary_walk(const struct summary *summary, summary_visit visit, void *argument);

/* What a walk sees of a bucket.  False: the reference leads to another one now. */
struct sight {
	u64 frequency;
	u64 next;
	bool marked;
};

bool summary_look(const struct summary *summary, u64 reference, struct sight *sight);

static inline u64 summary_reference(const struct summary *summary, u32 bucket)
{
	u64 queue = atomic64_read(&summary->buckets[bucket].queue);

	return queue / BUCKET_GENERATION << 32 | bucket;
}

#endif /* _PAPER_SUMMARY_H */

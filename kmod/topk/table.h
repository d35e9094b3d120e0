/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table of frequent items as its designs see it.  This and the designs also compile in
 * user space.  The calls of other modules are in topk.c, the files in files.c.
 *
 * All designs run Space-Saving (Metwally, Agrawal & El Abbadi 2006; Das et al. 2009,
 * section 2.2).  A table has m entries.  A hit of a key without an entry takes over the
 * entry of the smallest count c, with the count c + 1 and the error c.  With the entries
 * a: 9 and b: 4, a hit of c evicts b, and makes c: 5 with an error of 4.
 */
#ifndef _SCOUNTER_TOPK_TABLE_H
#define _SCOUNTER_TOPK_TABLE_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/types.h>
#include <uapi/linux/scounter_topk.h>

#include "topk/key.h"

struct topk_ops;

/*
 * What one CPU did.  Hits write it on that CPU only, so it is not contended; a query may
 * take the gathered hits.
 */
struct topk_cpu {
	atomic64_t evictions;
	atomic64_t delegated;	/* hits left to another context: delegation.h */
	atomic64_t applied;	/* hits that others left, counted or dropped here */
	atomic64_t dropped;
	atomic64_t spare;	/* a node, for topk_index_take() */
	u32 hint;		/* where to look for a victim first */
	/* The slot for gathered hits of one key: gather.h */
	u32 gather_rival;
	atomic64_t gather;
	u64 gather_key;
} ____cacheline_aligned_in_smp;

struct topk_table {
	const struct topk_ops *ops;
	struct topk_cpu *cpus;
	u32 capacity;
	u32 key_size;
	/* key_size if topk_add() counts hits inline, or 0 */
	u32 inline_key;
	struct topk_secret secret;
};

/* A multiplication of 32 bits: the compiler need not extend a sign. */
static __always_inline struct topk_cpu *topk_this_cpu(const struct topk_table *table)
{
	return (void *)table->cpus + (u32)raw_smp_processor_id() * (u32)sizeof(*table->cpus);
}

/* What a query is to list. */
struct topk_query {
	u32 most;		/* so many records at most */
	u32 phi_ppb;		/* only counts above total * phi_ppb / 10^9 */
};

/*
 * check: 0, or -E2BIG if no query of such a table could succeed; may be NULL
 * add: count hits in any context; called by topk_add().  The key is the caller's.
 * count: as add, but gathers nothing; only for designs that gather
 * read: fill in the @most highest records, in any order, and the header but for design and
 *	record layout.  The capacity is the table's, unless topk_offer() or topk_merge() left
 *	a record out.  Task context.  0, or -ENOMEM.
 */
struct topk_ops {
	const char *name;
	enum scounter_topk_design design;
	int (*check)(u32 capacity, u32 key_size);
	struct topk_table *(*create)(u32 capacity, u32 key_size,
				     const struct topk_secret *secret);
	void (*destroy)(struct topk_table *table);
	void (*add)(struct topk_table *table, const void *key, u64 n);
	void (*count)(struct topk_table *table, const void *key, u64 n);
	int (*read)(struct topk_table *table, u32 most,
		    struct scounter_topk_header *header);
	size_t (*bytes)(const struct topk_table *table);
};

/* While more new keys than this wait in queues, others are throttled: shedding.h. */
extern u32 topk_queue_limit;

/*
 * The cooperative design: how many requests a context serves for one hit, its own and those
 * that others left.
 */
extern u32 topk_requests;

/* False only in measurements of what auto-tuning costs. */
extern bool topk_tunes;

/* Whether new cooperative tables gather; false only in measurements of what that gains. */
extern bool topk_gathers;

/* Sleep for a moment.  False if the caller cannot sleep. */
bool topk_throttle(void);

extern const struct topk_ops topk_lockfree_ops;
extern const struct topk_ops topk_cooperative_ops;
extern const struct topk_ops topk_shared_ops;
extern const struct topk_ops topk_independent_ops;

int topk_table_init(struct topk_table *table, const struct topk_ops *ops,
		    u32 capacity, u32 key_size, const struct topk_secret *secret);
void topk_table_clear(struct topk_table *table);

/* The sums of all CPUs. */
struct topk_sums {
	u64 evictions, delegated, applied, dropped;
};

void topk_table_sums(const struct topk_table *table, struct topk_sums *sums);
u64 topk_pending(const struct topk_table *table);

/*
 * Snapshots: a header with its records, allocated.  Walks of all records call
 * topk_breathe(), so that other tasks can run.
 */
u32 topk_record_size(u32 key_size);
struct scounter_topk_record *topk_record(const struct scounter_topk_header *header,
					 u32 i);
struct scounter_topk_header *topk_snapshot_alloc(u32 key_size, u32 records);
void topk_offer(struct scounter_topk_header *header, u32 most,
		const struct scounter_topk_record *record);
void topk_leave_out(struct scounter_topk_header *header, u64 count);
struct scounter_topk_header *topk_collect(struct topk_table *table, u32 most);
struct scounter_topk_header *topk_snapshot(struct topk_table *table,
					   const struct topk_query *query);
struct scounter_topk_header *topk_merge(const struct scounter_topk_header *const *parts,
					u32 n, u32 most);
void topk_snapshot_free(struct scounter_topk_header *header);

/* Whether the count is among the @most highest that were offered until now. */
static inline bool topk_wants(const struct scounter_topk_header *header, u32 most, u64 count)
{
	return header->records < most || (most && count > topk_record(header, 0)->count);
}

/* In step @i of a walk that may sleep: let other tasks run every 1024 steps. */
static inline void topk_breathe(u32 i)
{
	if (i % 1024 == 1023)
		cond_resched();
}

/* Raise a bound.  False if it already is @to, or higher. */
static inline bool topk_raise(atomic64_t *bound, u64 to)
{
	s64 old = atomic64_read(bound);

	do {
		if ((u64)old >= to)
			return false;
	} while (!atomic64_try_cmpxchg(bound, &old, to));
	return true;
}

static inline u64 topk_add_saturating(u64 a, u64 b)
{
	return a + b < a ? U64_MAX : a + b;
}

/* Hits that cannot be counted. */
static inline void topk_drop(struct topk_cpu *cpu, u64 n)
{
	s64 dropped = atomic64_read(&cpu->dropped);

	while (!atomic64_try_cmpxchg(&cpu->dropped, &dropped, topk_add_saturating(dropped, n)))
		;
}

#endif /* _SCOUNTER_TOPK_TABLE_H */

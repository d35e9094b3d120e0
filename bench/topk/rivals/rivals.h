/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What others publish, to be compared with: see each source for the paper and for what is
 * not as there.  They are tables of this project, so that they get the same streams and
 * answer the same queries.
 */
#ifndef _TOPK_RIVALS_H
#define _TOPK_RIVALS_H

#include <linux/smp.h>
#include <linux/types.h>

#include "topk/table.h"

/* Threads that hit; to be set before a table is created. */
extern u32 rivals_threads;

/* Which thread runs on a CPU: each says so before its first hit. */
#define RIVALS_CPUS	4096
extern u32 rivals_thread_of[RIVALS_CPUS];

static inline void rivals_be(u32 thread)
{
	rivals_thread_of[raw_smp_processor_id()] = thread;
}

/* Only one thread runs, and is all CPUs in turn: it does the work of the others, too. */
extern bool rivals_alone;

extern const struct topk_ops rival_qpopss_ops, rival_keeper_ops;

static inline bool rival_is(const struct topk_ops *ops)
{
	return ops == &rival_qpopss_ops || ops == &rival_keeper_ops;
}

/*
 * The most counters with which a table is as large as a lockfree one of so many entries,
 * or smaller; at least one for each thread.
 */
u32 rival_capacity(const struct topk_ops *ops, u32 capacity, const struct topk_secret *secret);

/*
 * A thread has no more hits: hand over what it holds, and do the work that others leave
 * to it until all threads are here.  If there is one thread only, once for each CPU.
 */
void rival_finish(struct topk_table *table);

/* What a thread counts keys with that are its own alone; nobody else is in it meanwhile. */
struct rival_part_ops {
	size_t size;			/* of the part, before what it allocates */
	bool (*init)(void *part, u32 counters, u64 seed);
	void (*clear)(void *part);
	void (*count)(void *part, u64 key, u32 hash, u64 n);
	void (*list)(void *part, u32 most, struct scounter_topk_header *header);
	size_t (*bytes)(u32 counters);
};

extern const struct rival_part_ops rival_space_saving, rival_cuckoo_keeper;

#endif /* _TOPK_RIVALS_H */

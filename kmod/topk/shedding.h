/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Auto-tuning (Das et al. 2009, section 4.3.3): while more new keys than topk_queue_limit
 * wait in queues, contexts that bring another are *throttled*, and sleep in the paper.
 *
 * A context of the kernel cannot sleep.  It *sheds* the hit: it leaves the key in one of
 * eight slots of its CPU.  The next hit of an absent key on that CPU takes it, or the next
 * query.  If all slots are full, the hit is dropped and counted as dropped.  Hits are shed
 * as well for which there is no node, or no room in an element that is owned.
 */
#ifndef _SCOUNTER_TOPK_SHEDDING_H
#define _SCOUNTER_TOPK_SHEDDING_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/types.h>

#include "topk/key.h"
#include "topk/table.h"

/* Of a CPU. */
#define TOPK_SLOTS	8

/* A hit that was shed; @use says who may touch it. */
struct topk_slot {
	atomic64_t use;
	u64 n;
	u64 key[TOPK_KEY_WORDS];
};

struct topk_shedding {
	struct topk_slot *slots;
	atomic64_t waiting ____cacheline_aligned_in_smp; /* new keys, in queues */
};

int topk_shedding_init(struct topk_shedding *shedding);
void topk_shedding_clear(struct topk_shedding *shedding);
size_t topk_shedding_bytes(void);

/* Leave a hit in a slot of this CPU.  False if all are full. */
bool topk_shed(struct topk_shedding *shedding, struct topk_cpu *cpu,
	       const struct topk_key *key, u64 n);

/* Take the hit in a slot.  The caller counts it, and then says topk_counted(). */
bool topk_slot_take(struct topk_slot *slot, void *key, u32 key_size, u64 *n);

static inline struct topk_slot *topk_slots_of(const struct topk_shedding *shedding, u32 cpu)
{
	return &shedding->slots[cpu * TOPK_SLOTS];
}

/* A new key comes into a queue. */
static inline void topk_shedding_waits(struct topk_shedding *shedding)
{
	if (topk_tunes)
		atomic64_inc(&shedding->waiting);
}

/*
 * New keys that were in queues are served.  Many are subtracted at once: all CPUs look at
 * the number, and each change takes its cache line from them.
 */
static inline void topk_shedding_served(struct topk_shedding *shedding, u32 n)
{
	if (topk_tunes && n)
		atomic64_sub(n, &shedding->waiting);
}

static inline bool topk_is_throttled(const struct topk_shedding *shedding)
{
	return topk_tunes && atomic64_read(&shedding->waiting) > topk_queue_limit;
}

#endif /* _SCOUNTER_TOPK_SHEDDING_H */

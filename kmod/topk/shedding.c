// SPDX-License-Identifier: GPL-2.0
/* Slots for hits that are shed; the idea is in shedding.h. */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "topk/delegation.h"
#include "topk/shedding.h"

u32 topk_queue_limit = 500;
bool topk_tunes = true;

enum { EMPTY, BUSY, FULL };

bool topk_shed(struct topk_shedding *shedding, struct topk_cpu *cpu,
	       const struct topk_key *key, u64 n)
{
	struct topk_slot *slot = topk_slots_of(shedding, raw_smp_processor_id());
	struct topk_slot *end = slot + TOPK_SLOTS;

	for (; slot < end; slot++) {
		s64 use = EMPTY;

		if (!atomic64_try_cmpxchg(&slot->use, &use, BUSY))
			continue;
		slot->n = n;
		memcpy(slot->key, key->word, key->words * sizeof(u64));
		topk_announce(cpu, n);
		/* Pairs with the swap in topk_slot_take(): topk-shed.litmus. */
		atomic64_set_release(&slot->use, FULL);
		return true;
	}
	return false;
}

bool topk_slot_take(struct topk_slot *slot, void *key, u32 key_size, u64 *n)
{
	s64 use = FULL;

	/* Pairs with the release in topk_shed(): topk-shed.litmus. */
	if (atomic64_read(&slot->use) != FULL ||
	    !atomic64_try_cmpxchg(&slot->use, &use, BUSY))
		return false;
	memcpy(key, slot->key, key_size);
	*n = slot->n;
	atomic64_set_release(&slot->use, EMPTY);
	return true;
}

int topk_shedding_init(struct topk_shedding *shedding)
{
	shedding->slots = kvcalloc((size_t)nr_cpu_ids * TOPK_SLOTS, sizeof(*shedding->slots),
				   GFP_KERNEL);
	return shedding->slots ? 0 : -ENOMEM;
}

void topk_shedding_clear(struct topk_shedding *shedding)
{
	kvfree(shedding->slots);
}

size_t topk_shedding_bytes(void)
{
	return nr_cpu_ids * TOPK_SLOTS * sizeof(struct topk_slot);
}

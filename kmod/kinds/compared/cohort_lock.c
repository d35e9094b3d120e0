// SPDX-License-Identifier: GPL-2.0
/*
 * A NUMA cohort lock (Dice, Marathe & Shavit 2012): a ticket lock a node, and one word for
 * all nodes.  A release leaves the global word taken and hands the node's lock to the next
 * waiter of the same node, so the protected cache line stays on the node.  It does so at
 * most HANDOFFS times in a row, so that other nodes get their turn.
 *
 * Another CPU than the one that took the global word may release it.  Only the holder of
 * a node's ticket lock writes the other members of the node.
 *
 * The lock is held with interrupts off, and never taken in NMI context.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/irqflags.h>
#include <linux/overflow.h>
#include <linux/processor.h>
#include <linux/slab.h>

#include "compat.h"
#include "base/stripes.h"
#include "kinds/compared/cohort_lock.h"

#define HANDOFFS	64

struct cohort_node {
	atomic_t next_ticket;
	atomic_t now_serving;
	bool holds_global;
	u32 handoffs;
} ____cacheline_aligned_in_smp;

struct scounter_cohort {
	atomic_t taken ____cacheline_aligned_in_smp;
	struct cohort_node node[];
};

struct scounter_cohort *scounter_cohort_alloc(gfp_t gfp)
{
	return kzalloc(scounter_cohort_bytes(), gfp);
}

void scounter_cohort_free(struct scounter_cohort *cohort)
{
	kfree(cohort);
}

size_t scounter_cohort_bytes(void)
{
	return struct_size((struct scounter_cohort *)NULL, node, scounter_nodes);
}

/* The node on which this CPU counts.  Interrupts are off. */
static notrace struct cohort_node *cohort_lock_node_here(struct scounter_cohort *cohort)
{
	return &cohort->node[__scounter_slot() / SCOUNTER_COMPONENTS_MAX];
}

notrace unsigned long scounter_cohort_lock(struct scounter_cohort *cohort)
{
	struct cohort_node *node;
	unsigned long flags;
	int ticket;

	local_irq_save(flags);
	node = cohort_lock_node_here(cohort);
	ticket = atomic_fetch_inc_relaxed(&node->next_ticket);
	/* Pairs with the release of now_serving below: cohort.litmus. */
	while (atomic_read_acquire(&node->now_serving) != ticket)
		cpu_relax();
	if (!node->holds_global)
		/* Pairs with the release of taken below: cohort.litmus. */
		while (atomic_cmpxchg_acquire(&cohort->taken, 0, 1))
			cpu_relax();
	return flags;
}

notrace void scounter_cohort_unlock(struct scounter_cohort *cohort,
				    unsigned long flags)
{
	struct cohort_node *node = cohort_lock_node_here(cohort);
	int serving = atomic_read(&node->now_serving);
	bool waited_for = atomic_read(&node->next_ticket) != serving + 1;

	node->holds_global = waited_for && ++node->handoffs < HANDOFFS;
	if (!node->holds_global) {
		node->handoffs = 0;
		/* Both pair with the acquires in scounter_cohort_lock(). */
		atomic_set_release(&cohort->taken, 0);
	}
	atomic_set_release(&node->now_serving, serving + 1);
	local_irq_restore(flags);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Delegation (Das et al. 2009, section 4.3.1): who finds a node RESERVED leaves its
 * hits there and goes on, and the context that the node is reserved for counts them.
 * Between the two they are *pending*: their callers have returned, but no count has
 * them.  A query says how many there may be, and that must never be too few.
 *
 * So hits are announced before anybody can find them, and are called counted
 * after their count can be read; and who sums up reads first what is counted,
 * then what was announced, then the counts.  In any other order another context
 * may count hits, and say so, before they are announced; that many others, which
 * are pending for another key, are then missing from the difference.
 * topk-pending.litmus
 */
#ifndef _SCOUNTER_TOPK_DELEGATION_H
#define _SCOUNTER_TOPK_DELEGATION_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "topk/index.h"
#include "topk/table.h"

/* Before others can find these hits. */
static inline void topk_announce(struct topk_cpu *cpu, u64 n)
{
	atomic64_add(n, &cpu->delegated);
}

/* After they are counted, or dropped. */
static inline void topk_counted(struct topk_cpu *cpu, u64 n)
{
	smp_wmb(); /* topk_pending() */
	atomic64_add(n, &cpu->applied);
}

/* Swap a word so that @n hits are pending; false, and what it is now, if it changed. */
static inline bool topk_swap_pending(struct topk_cpu *cpu, atomic64_t *word, s64 *old, s64 to,
				     u64 n)
{
	topk_announce(cpu, n);
	if (atomic64_try_cmpxchg(word, old, to))
		return true;
	atomic64_sub(n, &cpu->delegated);
	return false;
}

/* Leave hits in a node whose state was @state. */
static inline bool topk_delegate(struct topk_cpu *cpu, struct topk_node *node, s64 *state,
				 u64 n)
{
	return topk_swap_pending(cpu, &node->state, state, *state + n, n);
}

#endif /* _SCOUNTER_TOPK_DELEGATION_H */

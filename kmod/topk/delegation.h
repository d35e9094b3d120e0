/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Delegation (Das et al. 2009, section 4.3.1): a context that finds a node RESERVED
 * leaves its hits there and goes on.  The context that has reserved the node counts them.
 * In between the hits are *pending*: their callers have returned, but no count has them.
 * A query says how many hits may be pending, and must not say too few.
 *
 * So hits are announced before others can find them, and are called counted after their
 * count can be read.  A query reads first what was counted, then what was announced, then
 * the counts.  In another order this could happen: CPU 0 leaves 5 hits of a key, CPU 1
 * counts them and says so, and only then CPU 0 announces them.  The query finds "5
 * counted", but not "5 announced".  So 5 other hits, which are pending for another key,
 * are missing from the difference.  topk-pending.litmus
 */
#ifndef _SCOUNTER_TOPK_DELEGATION_H
#define _SCOUNTER_TOPK_DELEGATION_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "topk/index.h"
#include "topk/table.h"

/* To be called before others can find these hits. */
static inline void topk_announce(struct topk_cpu *cpu, u64 n)
{
	atomic64_add(n, &cpu->delegated);
}

/* To be called after these hits are counted, or dropped. */
static inline void topk_counted(struct topk_cpu *cpu, u64 n)
{
	smp_wmb(); /* topk_pending() */
	atomic64_add(n, &cpu->applied);
}

/* Swap a word so that @n hits are pending.  If it has changed, update @old: false. */
static inline bool topk_swap_pending(struct topk_cpu *cpu, atomic64_t *word, s64 *old, s64 to,
				     u64 n)
{
	topk_announce(cpu, n);
	if (atomic64_try_cmpxchg(word, old, to))
		return true;
	atomic64_sub(n, &cpu->delegated);
	return false;
}

/* Leave hits in a node with the state @state.  If that has changed, update it: false. */
static inline bool topk_delegate(struct topk_cpu *cpu, struct topk_node *node, s64 *state,
				 u64 n)
{
	return topk_swap_pending(cpu, &node->state, state, *state + n, n);
}

#endif /* _SCOUNTER_TOPK_DELEGATION_H */

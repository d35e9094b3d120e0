// SPDX-License-Identifier: GPL-2.0
/* How a slot changes its key, and how its hits come to their count: gather.h. */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/smp.h>

#include "topk/delegation.h"
#include "topk/gather.h"
#include "topk/table.h"

/* Count the hits of a slot whose word is @word and becomes @to; false if it has changed. */
static bool gather_take(struct topk_table *table, struct topk_cpu *of, s64 word, s64 to)
{
	u64 key = READ_ONCE(of->gather_key), hits = topk_gathered(word);
	struct topk_cpu *cpu = topk_this_cpu(table);

	if (!topk_swap_pending(cpu, &of->gather, &word, to, hits))
		return false;
	table->ops->count(table, &key, hits);
	topk_counted(cpu, hits);
	return true;
}

notrace bool topk_gather(struct topk_table *table, u64 key, u64 n)
{
	struct topk_cpu *cpu = topk_this_cpu(table);
	s64 word = atomic64_read_acquire(&cpu->gather), given = topk_gather_next(word);
	u64 hits = topk_gathered(word);

	if (n > TOPK_GATHER_MOST || word & TOPK_GATHER_GIVEN)
		return false;
	if (hits && READ_ONCE(cpu->gather_key) == key)
		return topk_gather_hit(cpu, key, n) ||
		       gather_take(table, cpu, word, word - hits + n);
	if (hits ? !topk_gather_yields(cpu, word) || !gather_take(table, cpu, word, given) :
		   !atomic64_try_cmpxchg(&cpu->gather, &word, given))
		return false;
	topk_gather_give(cpu, given, key, n);
	return true;
}

/*
 * Another context may have emptied a slot and not have counted its hits yet.  A query that
 * finds the slot empty then finds these hits announced: topk-take.litmus.
 */
void topk_gather_take_all(struct topk_table *table)
{
	u32 cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct topk_cpu *of = &table->cpus[cpu];
		s64 word;

		/* As in every hit. */
		preempt_disable();
		do {
			word = atomic64_read_acquire(&of->gather);
		} while (topk_gathered(word) &&
			 !gather_take(table, of, word, topk_gather_free(word)));
		preempt_enable();
	}
}

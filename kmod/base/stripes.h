/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stripes: the words that a counter is spread over, one or several for each NUMA node,
 * each in a cache line of its own.
 *
 * An increment finds its stripe in one step through a table.  The table has
 * SCOUNTER_COMPONENTS_MAX slots a node, and every CPU has its slot.  With fewer stripes
 * than slots, several slots name the same stripe: with 2 of 8, slots 0, 2, 4 and 6 name
 * the first.  So only the table knows how many there are.
 */
#ifndef _SCOUNTER_STRIPES_H
#define _SCOUNTER_STRIPES_H

#include <linux/bits.h>
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/nodemask.h>
#include <linux/scounter.h>

struct scounter_stripes {
	void *owner;
	u32 components;
	atomic64_t *slot[];
};

/*
 * How many nodes there can be.  They are numbered from 0 here, as the kernel's ids have
 * gaps: 4 nodes with ids up to 255 need the stripes of 4.  Fixed when the module loads.
 */
extern u32 scounter_nodes;

u32 scounter_node_number(int id);

/* A word that names a node has its top bit set and the number in the bits below it. */
static inline u32 scounter_node_shift(void)
{
	return 63 - order_base_2(num_possible_nodes());
}

static inline u64 scounter_node_tag(u32 node)
{
	return BIT_ULL(63) | (u64)node << scounter_node_shift();
}

int scounter_places_init(void);
void scounter_places_exit(void);

struct scounter_stripes *scounter_stripes_alloc(u32 components, gfp_t gfp);
void scounter_stripes_free(struct scounter_stripes *stripes);
u64 scounter_stripes_sum(const struct scounter_stripes *stripes);
size_t scounter_stripes_bytes(u32 components);

/* From stripes to the word of their counter, and back. */
static inline u64 scounter_stripes_word(struct scounter_stripes *stripes)
{
	return (unsigned long)stripes->slot >> SCOUNTER_SPREAD_SHIFT |
	       SCOUNTER_SPREAD_STRIPES;
}

static inline struct scounter_stripes *scounter_stripes_of(u64 word)
{
	return container_of(__scounter_stripes(word), struct scounter_stripes, slot[0]);
}

/* The first stripe of a node. */
static inline atomic64_t *scounter_stripes_first(const struct scounter_stripes *stripes, u32 node)
{
	return stripes->slot[node * SCOUNTER_COMPONENTS_MAX];
}

/* The stripe of this CPU. */
static inline atomic64_t *scounter_stripes_here(struct scounter_stripes *stripes)
{
	return stripes->slot[__scounter_slot()];
}

#endif /* _SCOUNTER_STRIPES_H */

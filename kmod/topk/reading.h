/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A query of a design that counts in places (bounds.h), beside hits.
 *
 * The count of each place is read, and those of the highest are read again, with key and
 * error.  The total has the counts that are listed, and others only of places that are
 * not.  So it is what was counted at some moment between the beginning of the walk and its
 * end, as no count goes down; and what is listed is never more than the total.
 */
#ifndef _SCOUNTER_TOPK_READING_H
#define _SCOUNTER_TOPK_READING_H

#include <linux/types.h>

#include "topk/table.h"

/* What was met in a place: a use of a node. */
struct topk_pick {
	u64 count;
	u64 generation;
	u32 place, node;
};

/*
 * count: of a place; false if it has no key yet
 * read: key, count and error that belong together, of a place that has a key; and of
 * which node
 * is_there: whether the node has the place still, for the same key
 * floor: no key that was evicted before had more, and no place has less now
 */
struct topk_reader {
	bool (*count)(struct topk_table *table, u32 place, u64 *count);
	void (*read)(struct topk_table *table, struct topk_pick *pick,
		     struct scounter_topk_record *record);
	bool (*is_there)(struct topk_table *table, const struct topk_pick *pick);
	u64 (*floor)(struct topk_table *table);
};

int topk_read_places(struct topk_table *table, const struct topk_reader *reader, u32 most,
		     struct scounter_topk_header *header);

#endif /* _SCOUNTER_TOPK_READING_H */

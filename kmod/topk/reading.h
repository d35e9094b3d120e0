/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A query of a design that counts in places (bounds.h), while hits run.
 *
 * A query for the first 10 keys reads the counts of all places, and then those of the 10
 * highest again, with key and error.  The total is the sum of one count of each place: the
 * one that is listed, if the place is listed.  No count goes down, so the total is one that
 * the table had at some moment of the query.  The listed counts are never more than it.
 */
#ifndef _SCOUNTER_TOPK_READING_H
#define _SCOUNTER_TOPK_READING_H

#include <linux/types.h>

#include "topk/table.h"

/* A place that is to be listed, and the node that was there. */
struct topk_pick {
	u64 count;
	u64 generation;
	u32 place, node;
};

/*
 * count: the count of a place; false if it has no key yet
 * read: key, count and error of a place that has a key, which belong together; and the
 *	node that they are of
 * is_there: whether the node still has the place, for the same key
 * floor: no key that was evicted before had a higher count, and no place has a smaller one
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

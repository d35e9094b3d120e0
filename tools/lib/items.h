/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of frequent items, as <uapi/linux/scounter_topk.h> lays them out: snapshots of
 * those in the kernel, and what many of them come to.
 *
 * What can fail returns 0 or a negative errno, and says why in array_error().
 */
#ifndef _LIB_ITEMS_H
#define _LIB_ITEMS_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/types.h>

#include "uapi/linux/scounter_topk.h"
#include "index.h"

struct items {
	struct scounter_topk_header header;	/* sizes as in this program */
	u32 room;				/* records */
	unsigned char *records;
	u32 widest;				/* the largest capacity that was merged */
	bool merging;				/* see items.c */
	struct index index;
};

/*
 * -EINVAL for what is no table, or contradicts itself; -ENODATA for a truncated one;
 * -EPROTO for one of a newer version or of the other byte order; -ENOMEM; -EIO.
 */
int items_load(struct items **items, FILE *from);
int items_save(struct items *items, FILE *to);
void items_free(struct items *items);

/*
 * dst += src, as if one table had got the hits of both.  Errors and floor are at most the
 * sum of all N / m.  dst lists at most ITEMS_KEPT times as many keys as the table of the
 * most entries.  -EINVAL for keys of different sizes.
 */
#define ITEMS_KEPT	8
int items_merge(struct items *dst, struct items *src);

/* The records are in order after this. */
void items_settle(struct items *items);
static inline const struct scounter_topk_record *items_record(const struct items *items, u32 i)
{
	return (const void *)(items->records + (size_t)i * items->header.record_size);
}

#endif /* _LIB_ITEMS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Space-Saving of one thread, with the Stream Summary of Metwally, Agrawal & El Abbadi 2006:
 * buckets in a doubly linked list, each with its elements.  A hit takes a constant time.
 */
#ifndef _PAPER_SEQUENTIAL_H
#define _PAPER_SEQUENTIAL_H

#include <linux/types.h>

#include "topk/table.h"

struct sequential;

struct sequential *sequential_create(u32 capacity, const struct topk_secret *secret);
void sequential_destroy(struct sequential *sequential);
void sequential_add(struct sequential *sequential, u64 key, u64 hits);
/* All elements, the highest count first; or NULL. */
struct scounter_topk_header *sequential_snapshot(const struct sequential *sequential);
size_t sequential_bytes(const struct sequential *sequential);

#endif /* _PAPER_SEQUENTIAL_H */

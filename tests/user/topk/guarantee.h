/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TOPK_GUARANTEE_H
#define _TOPK_GUARANTEE_H

#include "streams.h"
#include "topk/table.h"

/* What a run showed; `why` is the first of the failures. */
struct verdict {
	u64 failures;
	u64 queries;		/* while updates ran */
	u64 delegated;
	u64 pending;		/* of them, not counted yet: the most that a query found */
	u64 evictions;
	char why[256];
};

/*
 * Count the streams in a new table, a thread each, and compare it with the
 * exact counts: all the while, and at the end.
 */
void guarantee_check(const struct topk_ops *ops, const struct streams *streams,
		     u32 capacity, struct verdict *verdict);

#endif /* _TOPK_GUARANTEE_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* All designs of tables: how a number names one, and how a hit gets to its own. */
#ifndef _SCOUNTER_TOPK_DESIGNS_H
#define _SCOUNTER_TOPK_DESIGNS_H

#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>

#include "topk/lockfree.h"
#include "topk/table.h"

/* The design of an enum scounter_topk_design, or NULL. */
const struct topk_ops *topk_ops_of(u32 design);

/*
 * Hits in a table of any design.  Lockfree tables with keys of 4 or 8 bytes count them
 * inline.  All else is a call of the design.
 */
static __always_inline void topk_add(struct topk_table *table, const void *bytes, u64 n)
{
	u64 key = 0;

	if (likely(table->inline_key == sizeof(u64))) {
		memcpy(&key, bytes, sizeof(u64));
	} else if (table->inline_key == sizeof(u32)) {
		memcpy(&key, bytes, sizeof(u32));
	} else {
		table->ops->add(table, bytes, n);
		return;
	}
	topk_lockfree_hit(table, key, n);
}

#endif /* _SCOUNTER_TOPK_DESIGNS_H */

// SPDX-License-Identifier: GPL-2.0
/* All designs; the first is the default. */
#include <linux/kernel.h>

#include "topk/designs.h"
#include "topk/table.h"

static const struct topk_ops *const designs[] = {
	&topk_lockfree_ops, &topk_cooperative_ops, &topk_shared_ops, &topk_independent_ops,
};

const struct topk_ops *topk_ops_of(u32 design)
{
	u32 i;

	if (design == SCOUNTER_TOPK_DEFAULT)
		return designs[0];
	for (i = 0; i < ARRAY_SIZE(designs); i++)
		if (designs[i]->design == design)
			return designs[i];
	return NULL;
}

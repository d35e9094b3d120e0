/* SPDX-License-Identifier: GPL-2.0 */
/* A design on a modelled machine. */
#ifndef _TOPK_SIM_RACE_H
#define _TOPK_SIM_RACE_H

#include "machine.h"
#include "streams.h"
#include "topk/table.h"

struct outcome {
	double per_ms;		/* hits a millisecond of modelled time */
	double misses;		/* of cache lines, a hit */
	u64 total;		/* of the table, at the end */
	u64 counts;		/* their sum */
	struct topk_sums sums;
	size_t bytes;
	u32 capacity;		/* of a rival: as large as the default design's table */
};

/* False, and says why, if it cannot be run. */
bool race_run(const struct topk_ops *ops, const struct machine *machine,
	      const struct streams *streams, u32 capacity, struct outcome *outcome);

#endif /* _TOPK_SIM_RACE_H */

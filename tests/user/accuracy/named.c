// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>
#include <stdlib.h>

#include "../kernel/counters.h"
#include "counter/counter.h"
#include "kinds/kind.h"
#include "model.h"
#include "named.h"

void named_machine_of(u32 nodes, u64 seed)
{
	model_init(CPUS, nodes);
	shim_be(0);
	counters_init(seed);
}

void named_machine(u64 seed)
{
	named_machine_of(NODES, seed);
}

struct scounter *named_make(const struct scounter_params *params)
{
	struct scounter *counter = shim_zalloc(sizeof(*counter));

	if (!counter || scounter_init(counter, params) || scounter_spread(counter, GFP_KERNEL))
		abort();
	return counter;
}

void named_free(struct scounter *counter)
{
	scounter_collapse(counter);
	shim_free(counter);
}

struct scounter_estimate named_estimate(struct scounter *counter)
{
	struct scounter_estimate estimate;

	scounter_read_est(counter, &estimate);
	return estimate;
}

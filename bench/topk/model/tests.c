// SPDX-License-Identifier: GPL-2.0
/* That the model runs the tables right, and charges for what they do. */
#include <string.h>

#include <linux/kernel.h>

#include "topk/designs.h"

#include "../rivals/rivals.h"
#include "race.h"
#include "tap.h"
#include "tests.h"

#define CAPACITY	100
#define LENGTH		2000

/* Two nodes of eight CPUs; 1 ns for what is at hand, 100 for what is not. */
static const struct machine machine = {
	.name = "test", .nodes = 2, .cpus_per_node = 8, .cache_lines = 4096,
	.fetch_op = 1, .migratory = 100, .hit = 1000, .rmw = 1000, .cas = 1000,
	.node = 100000, .remote = 100000, .memory = 100000, .pause = 10000,
	.draw = 1000, .call = 1000,
};

static void judge(bool good, const char *what, const char *design)
{
	ok(good, "%s: %s", design, what);
}

static struct outcome run(const struct topk_ops *ops, enum shape shape, double alpha, u32 cpus)
{
	struct streams *streams = streams_make(shape, alpha, 10000, cpus, LENGTH, 1);
	struct outcome outcome = { 0 };

	if (!race_run(ops, &machine, streams, CAPACITY, &outcome))
		tap_fail();
	streams_free(streams);
	return outcome;
}

/* Bytes that are not members are zero in both. */
static bool same(const struct outcome *a, const struct outcome *b)
{
	return a->per_ms == b->per_ms && a->misses == b->misses && a->total == b->total &&
	       !memcmp(&a->sums, &b->sums, sizeof(a->sums));
}

/* On 16 CPUs, with some thousand evictions: each hit is counted, and once. */
static void nothing_is_lost(const struct topk_ops *ops, double alpha)
{
	struct outcome once = run(ops, ZIPF, alpha, 16), again = run(ops, ZIPF, alpha, 16);

	judge(once.total == 16 * LENGTH, "the total is the number of hits", ops->name);
	/* A merged table has what its parts might have missed on top. */
	judge(ops->design == SCOUNTER_TOPK_INDEPENDENT || once.counts == once.total,
	      "the counts sum up to it", ops->name);
	judge(once.sums.delegated == once.sums.applied && !once.sums.dropped,
	      "what was left to others is counted", ops->name);
	judge(same(&once, &again), "a second run is the same", ops->name);
}

/*
 * One key: one CPU has it at hand, two take it from each other, unless each has a table
 * or gathers its hits.  What is met for the first time is not at hand: up to a tenth of
 * the time.
 */
static void contention_costs(const struct topk_ops *ops)
{
	struct outcome one = run(ops, SAME, 0, 1), two = run(ops, SAME, 0, 2);
	double gain = two.per_ms / one.per_ms;

	if (topk_gathers && ops->design != SCOUNTER_TOPK_SHARED)
		judge(gain > 1.8 && two.misses < 0.1, "two CPUs are twice as fast as one",
		      ops->name);
	else
		judge(one.misses < 0.1 && two.misses > 0.1 && gain < 1.8,
		      "two CPUs take the line from each other", ops->name);
}

int tests_run(void)
{
	const struct topk_ops *ops;
	u32 design;

	tap_plan(45);
	for (design = 1; (ops = topk_ops_of(design)); design++) {
		nothing_is_lost(ops, 0.5);
		nothing_is_lost(ops, 2);
		contention_costs(ops);
	}
	/* Those that publish no sum may lose hits. */
	nothing_is_lost(&rival_qpopss_ops, 0.5);
	nothing_is_lost(&rival_qpopss_ops, 2);
	topk_gathers = false;
	contention_costs(&topk_cooperative_ops);
	return tap_status();
}

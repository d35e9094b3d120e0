// SPDX-License-Identifier: GPL-2.0
/*
 * One design, one machine, a stream for each CPU.  A table is first filled from the
 * first halves of the streams at no cost; the second halves are timed.
 */
#include <stdio.h>

#include "../../../tests/user/kernel/shim.h"
#include "topk/designs.h"
#include "model.h"
#include "../rivals/rivals.h"
#include "race.h"

static struct {
	const struct streams *streams;
	struct topk_table *table;
	u32 from, to;		/* of each stream */
	u64 call;		/* picoseconds between two hits */
} run;

/* As in the paper, a throttled thread sleeps for a moment: here, so many picoseconds. */
#define SLEEP	10000000ULL

bool topk_throttle(void)
{
	model_work(SLEEP);
	return true;
}

static void body(int thread)
{
	const u32 *element = run.streams->element[thread];
	u32 i;

	rivals_be(thread);
	for (i = run.from; i < run.to; i++) {
		u64 key = key_of(element[i]);

		topk_add(run.table, &key, 1);
		model_work(run.call);
	}
	if (rival_is(run.table->ops))
		rival_finish(run.table);
}

/* Outside of model_run() nothing costs time. */
static void fill(u32 to)
{
	u32 i, j;

	rivals_alone = true;
	for (j = 0; j < to; j++) {
		for (i = 0; i < run.streams->streams; i++) {
			u64 key = key_of(run.streams->element[i][j]);

			shim_be(i);
			rivals_be(i);
			topk_add(run.table, &key, 1);
		}
	}
	rivals_alone = false;
}

bool race_run(const struct topk_ops *ops, const struct machine *machine,
	      const struct streams *streams, u32 capacity, struct outcome *outcome)
{
	const struct topk_query all = { .most = ~0U };
	double hits = (double)streams->streams * (streams->length - streams->length / 2);
	struct scounter_topk_header *snapshot;
	u64 seed = 1;
	struct topk_secret secret = random_secret(&seed);
	u32 i;

	if (!shim_init(machine_cpus(machine), (int)machine->nodes) || !model_init(machine)) {
		fprintf(stderr, "topk-sim: no memory for %s\n", machine->name);
		return false;
	}
	run.streams = streams;
	run.call = machine->call;
	rivals_threads = streams->streams;
	capacity = rival_capacity(ops, capacity, &secret);
	run.table = ops->create(capacity, sizeof(u64), &secret);
	fill(streams->length / 2);
	run.from = streams->length / 2;
	run.to = streams->length;
	model_run((int)streams->streams, body);
	outcome->capacity = capacity;
	outcome->bytes = ops->bytes(run.table);
	outcome->per_ms = hits / model_time() * 1e9;
	outcome->misses = model_statistics()->misses / hits;
	snapshot = topk_snapshot(run.table, &all);
	topk_table_sums(run.table, &outcome->sums);
	outcome->total = snapshot->total;
	outcome->counts = 0;
	for (i = 0; i < snapshot->records; i++)
		outcome->counts += topk_record(snapshot, i)->count;
	topk_snapshot_free(snapshot);
	ops->destroy(run.table);
	model_exit();
	shim_exit();
	return true;
}

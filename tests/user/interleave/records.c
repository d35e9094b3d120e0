// SPDX-License-Identifier: GPL-2.0
/*
 * What must be true of records, whatever the order:
 *
 * - The value is that of the word which is shown.
 * - A value that is less than that of the record before comes with a reset or a wrap
 *   more, and no number of resets or wraps goes down.
 * - In the end each wrap and each reset has been counted.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/scounter.h>

#include "../kernel/counters.h"
#include "counter/counter.h"
#include "kinds/history.h"
#include "kernel.h"
#include "kinds/kind.h"
#include "memory.h"
#include "records.h"
#include "script.h"

#define SEED	1
#define FULL	((uint64_t)S64_MAX)

/* In memory that is restored. */
struct books {
	struct scounter counter;
	struct scounter_history history;
	struct scounter_snapshot_record last;
	unsigned int resets, fills;
};

static struct record_play now;
static enum scounter_kind kind;
static struct books *books;

/* As <uapi/linux/scounter.h> lays out words, for a machine of SCRIPT_NODES nodes. */
static uint64_t value_of(const struct scounter_snapshot_record *record)
{
	uint64_t raw = record->raw[0];

	switch (record->kind) {
	case SCOUNTER_ATOMIC: case SCOUNTER_PERCPU: case SCOUNTER_MULTILINE:
		return raw - record->raw[1];
	case SCOUNTER_MULTILINE_ADAPT:
		return record->value;
	case SCOUNTER_BFP_DUP: case SCOUNTER_BFP_CSUP:
		return (raw & SCOUNTER_BFP_MANTISSA_MAX) << (raw >> SCOUNTER_BFP_MANTISSA_BITS);
	case SCOUNTER_RBO_NUMA: case SCOUNTER_RBO_NUMA_ADAPT:
		return raw & (SCOUNTER_EXACT_MAX / SCRIPT_NODES);
	case SCOUNTER_MORRIS_ADAPT:
		return (uint32_t)raw + (raw >> 32 ? (raw >> 32) - record->parameters[1] : 0);
	default:
		return raw;
	}
}

static void take(struct scounter_snapshot_record *record)
{
	record->kind = books->counter.class.kind;
	record->parameters[1] = books->counter.class.theta;
	scounter_history_show(&books->counter, &books->history, record);
}

static void judge(const struct scounter_snapshot_record *record)
{
	const struct scounter_snapshot_record *last = &books->last;
	bool again = record->resets != last->resets || record->wraps != last->wraps;

	if (record->value != value_of(record))
		explore_fail("value %llu of word %#llx", (unsigned long long)record->value,
			     (unsigned long long)record->raw[0]);
	if (record->resets < last->resets || record->wraps < last->wraps)
		explore_fail("fewer resets or wraps than before");
	if (!again && record->value < last->value)
		explore_fail("value %llu after %llu, with as many resets and wraps",
			     (unsigned long long)record->value, (unsigned long long)last->value);
	if (record->wraps && !record->resets && !(record->flags & SCOUNTER_F_WRAPPED))
		explore_fail("has wrapped, and does not say so");
	books->last = *record;
}

static void look(void)
{
	struct scounter_snapshot_record record = { .value = 0 };

	take(&record);
	judge(&record);
}

static void operate(char operation)
{
	switch (operation) {
	case 'i':
		scounter_inc(&books->counter);
		break;
	case 'w':
		scounter_add(&books->counter, FULL);
		books->fills++;
		break;
	case 'f':
		scounter_fetch_reset(&books->counter);
		books->resets++;
		break;
	case 's':
		look();
		break;
	}
}

static bool setup(void)
{
	struct scounter_params params = {
		.kind = kind, .flags = now.full ? SCOUNTER_CLASS_WRAP : 0,
	};

	if (!shim_init(SCRIPT_CPUS, SCRIPT_NODES) || !kernel_init())
		return false;
	shim_param("adapt_tries", 4);
	counters_init(SEED);
	books = shim_zalloc(sizeof(*books));
	if (scounter_init(&books->counter, &params) ||
	    scounter_spread(&books->counter, GFP_KERNEL))
		return false;
	books->counter.history = &books->history;
	scounter_add(&books->counter, now.full ? FULL : now.preload);
	take(&books->last);
	return true;
}

static void check(void)
{
	look();
	if (books->last.resets != books->resets)
		explore_fail("%llu of %u resets", (unsigned long long)books->last.resets,
			     books->resets);
	/* Every other fill finds the counter full, if no reset came in between. */
	if (now.full && !books->resets && books->last.wraps != (books->fills + 1) / 2)
		explore_fail("%llu wraps after %u fills", (unsigned long long)books->last.wraps,
			     books->fills);
}

const struct explore_program *records_program(const struct record_play *play)
{
	const struct counter_type *type = counter_type(play->kind);
	const struct script script = {
		.text = play->script, .letters = "iwfs", .operate = operate, .contexts = true,
	};
	const struct explore_program like = { .setup = setup, .check = check };

	now = *play;
	if (!type || !type->kind)
		return NULL;
	kind = type->kind;
	return script_program(&script, &like);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What must be true, whatever the order:
 *
 * - What resets returned and a last read are, together, what was counted.
 * - Without resets a read is at least what was counted before it began, and at
 *   least what was read before it began; and at most what had begun to be counted.
 * - With resets neither they nor reads return more than was counted and not yet
 *   returned by one before.
 * - Nothing is left when the counter is gone.
 *
 * An approximate kind that samples owes less: it never goes back, and an event
 * moves it by its unit at most.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/scounter.h>
#include <linux/workqueue.h>

#include "../kernel/counters.h"
#include "base/random.h"
#include "cells.h"
#include "counting.h"
#include "estimates.h"
#include "kernel.h"
#include "memory.h"
#include "objects.h"
#include "pairs.h"
#include "records.h"
#include "script.h"
#include "shares.h"
#include "topk.h"

#define SEED		1
#define TOPK		"topk-"
#define ARRAY		"array-"
#define RECORD		"record-"
#define ESTIMATE	"estimate-"
#define BARE		"bare-"

/* In memory that is restored, as all that a run changes. */
struct books {
	void *counter;		/* NULL once destroyed */
	uint64_t begun, done;	/* events */
	uint64_t fetched;
	uint64_t read;		/* the most that any read has returned */
	uint64_t last;		/* before the counter was destroyed */
};

static struct counting now;
static const struct counter_type *type;
static struct books *books;
static bool resets, adds_all;
static struct counting_sums sums;
static unsigned int live_without;	/* blocks of memory, before there is a counter */

static bool is_exact(void)
{
	return type->exact || !now.samples;
}

/* What a counter to which so much was added says. */
static uint64_t capped(uint64_t n)
{
	return adds_all && n > SCOUNTER_ADAPT_MAX ? SCOUNTER_ADAPT_MAX : n;
}

static void count(uint64_t n)
{
	books->begun += n;
	if (n == 1)
		type->inc(books->counter);
	else
		type->add(books->counter, n);
	books->done += n;
}

static void judge_read(uint64_t value, uint64_t least, uint64_t most)
{
	if (is_exact() && value > most)
		explore_fail("read %llu of %llu events", (unsigned long long)value,
			     (unsigned long long)most);
	if (!resets && value < least)
		explore_fail("went back: read %llu after %llu", (unsigned long long)value,
			     (unsigned long long)least);
}

static void read_once(void)
{
	uint64_t fetched = books->fetched, least = books->read;
	uint64_t value;

	if (is_exact() && books->done > least)
		least = books->done;
	value = type->read(books->counter);
	judge_read(value, capped(least), capped(books->begun - (is_exact() ? fetched : 0)));
	if (value > books->read)
		books->read = value;
}

static void fetch_reset(void)
{
	uint64_t value = type->fetch_reset(books->counter);

	books->fetched += value;
	if (is_exact() && books->fetched > books->begun)
		explore_fail("resets returned %llu of %llu events",
			     (unsigned long long)books->fetched,
			     (unsigned long long)books->begun);
}

static void destroy(void)
{
	void *counter = books->counter;

	books->last = type->read(counter);
	books->counter = NULL;
	type->free(counter);
}

static void a_second_passes(void)
{
	shim_jiffies += 250;
	explore_touch(&shim_jiffies, SHIM_RMW);
	kernel_work_again();
}

static void operate(char operation)
{
	switch (operation) {
	case 'i':
		count(1);
		break;
	case 'a':
		count(3);
		break;
	case 'b':
		count(SCOUNTER_ADAPT_MAX - 9);
		break;
	case 'r':
		read_once();
		break;
	case 'f':
		fetch_reset();
		break;
	case 'd':
		destroy();
		break;
	case 't':
		a_second_passes();
		break;
	case 'w':
		shim_run_works();
		break;
	case 'n':
		shim_param("adapt_tries", UINT_MAX);
		break;
	}
}

static bool setup(void)
{
	if (!shim_init(SCRIPT_CPUS, SCRIPT_NODES) || !kernel_init())
		return false;
	shim_param("adapt_tries", now.tries);
	if (now.grow_rate)
		shim_param("grow_rate", now.grow_rate);
	if (now.deflates)
		shim_param("deflate_after", 0);
	counters_init(SEED);
	books = shim_zalloc(sizeof(*books));
	live_without = memory_live();
	books->counter = type->make(type);
	if (!books->counter)
		return false;
	if (now.preload) {
		type->add(books->counter, now.preload);
		books->begun = books->done = type->read(books->counter);
	}
	script_run(now.before);
	return true;
}

/* The draws of a run that is random are its own. */
static void begin(uint64_t seed)
{
	if (seed)
		scounter_random_init(seed);
}

static void check(void)
{
	uint64_t total;
	double error;

	if (books->counter)
		destroy();
	total = books->fetched + books->last;
	if (is_exact() && total != capped(books->done))
		explore_fail("%llu events, of which %llu are there",
			     (unsigned long long)books->done, (unsigned long long)total);
	if (!resets && books->last < books->read)
		explore_fail("went back: %llu in the end, after %llu was read",
			     (unsigned long long)books->last,
			     (unsigned long long)books->read);
	error = (double)total - (double)books->done;
	sums.runs++;
	sums.errors += error;
	sums.squares += error * error;
	kernel_settle();
	if (memory_live() != live_without)
		explore_fail("%d blocks of memory are left", (int)(memory_live() - live_without));
}

static const struct explore_program *of_table(const struct counting *counting)
{
	const struct topk_play play = {
		.design = counting->kind + strlen(TOPK), .script = counting->script,
		.before = counting->before, .capacity = counting->capacity,
		.requests = counting->requests,
	};

	return topk_program(&play);
}

static const struct explore_program *of_record(const struct counting *counting)
{
	const struct record_play play = {
		.kind = counting->kind + strlen(RECORD), .script = counting->script,
		.preload = counting->preload, .full = counting->full,
	};

	return records_program(&play);
}

/* estimate-KIND, estimate-bare-KIND */
static const struct explore_program *of_estimate(const struct counting *counting)
{
	const char *kind = counting->kind + strlen(ESTIMATE);
	bool bare = !strncmp(kind, BARE, strlen(BARE));
	const struct estimate_play play = {
		.kind = bare ? kind + strlen(BARE) : kind, .script = counting->script,
		.preload = counting->preload, .tries = counting->tries,
		.full = counting->full, .bare = bare,
	};

	return estimates_program(&play);
}

const struct explore_program *counting_program(const struct counting *counting)
{
	const struct script script = {
		.text = counting->script, .letters = "iabrfdtIARF", .operate = operate,
		.contexts = true, .one_cpu = counting->one_cpu,
	};
	const struct explore_program like = { .setup = setup, .begin = begin, .check = check };

	if (!strncmp(counting->kind, ESTIMATE, strlen(ESTIMATE)))
		return of_estimate(counting);
	if (!strncmp(counting->kind, TOPK, strlen(TOPK)))
		return of_table(counting);
	if (!strncmp(counting->kind, ARRAY, strlen(ARRAY)))
		return cells_program(counting->kind + strlen(ARRAY), counting->script);
	if (!strcmp(counting->kind, "objects"))
		return objects_program(counting->script);
	if (!strcmp(counting->kind, "pair"))
		return pairs_program(counting->script, counting->preload);
	if (!strcmp(counting->kind, "shares"))
		return shares_program(counting->script);
	if (!strncmp(counting->kind, RECORD, strlen(RECORD)))
		return of_record(counting);
	now = *counting;
	type = counter_type(now.kind);
	sums = (struct counting_sums) { 0 };
	adds_all = strchr(now.script, 'b');
	resets = strpbrk(now.script, "fF") || (now.before && strpbrk(now.before, "fF"));
	return type && (type->fetch_reset || !resets) ? script_program(&script, &like) : NULL;
}

const struct counting_sums *counting_sums(void)
{
	return &sums;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The designs of bench/topk/paper in all orders of their accesses, or in random ones: the
 * explorer of tests/user/interleave runs them, and looks after each access at what Das et al.
 * 2009 claim to be true always.
 *
 *	topk-orders check [PART OF A NAME]
 *	topk-orders fail	the same, up to the first failure
 *	topk-orders all|random DESIGN SCRIPT [BEFORE [CAPACITY [BUCKETS [SCHEDULE]]]]
 *
 * A letter of a script is a key, from 1 to 9, that is hit, or a to i, the same with three
 * hits at once; r walks through the summary.
 *
 * At rest all invariants hold, and the bounds of Space-Saving do.  But while the paper's table
 * fills, an eviction may overlook a new element that is on its way to its bucket: it then
 * takes an element with a greater count.  A test shows it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/kernel.h>

#include "designs.h"
#include "explore.h"
#include "invariant.h"
#include "kernel.h"
#include "script.h"
#include "tap.h"

#define KEYS	10
#define SEED	20090824

struct play {
	const char *design, *script, *before;
	u32 capacity, buckets, window;
	u64 runs;		/* 0: all orders; else so many random ones */
	bool overlooks;		/* the paper's fault is found */
};

/* In memory that is restored. */
struct books {
	struct topk_table *table;
	u64 hits[KEYS];
	u32 meetings;
};

static struct play now;
static const struct topk_ops *ops;
static struct books *books;
static bool watches;

bool topk_throttle(void)
{
	return false;
}

static bool is_coop(void)
{
	return ops->design == SCOUNTER_TOPK_COOPERATIVE;
}

static void meet(u32 number, const struct element *element, void *argument)
{
	u32 *meetings = argument;

	if (!element->count || element->error >= element->count || element->key >= KEYS)
		explore_fail("a walk meets element %u with count %llu, error %llu", number,
			     (unsigned long long)element->count,
			     (unsigned long long)element->error);
	++*meetings;
}

static void operate(char operation)
{
	u64 key = operation < 'a' ? operation - '0' : operation - 'a' + 1;
	u64 n = operation < 'a' ? 1 : 3;

	if (operation == 'r') {
		summary_walk(paper_summary(books->table), meet, &books->meetings);
		return;
	}
	books->hits[key] += n;
	ops->add(books->table, &key, n);
}

static struct topk_table *create(void)
{
	static const struct topk_secret secret = { .a0 = 1, .a1 = 3, .b = 5, .seed = 7 };
	const struct summary_options options = {
		.capacity = now.capacity, .waiting = 1, .buckets = now.buckets,
		.window = now.window, .tunes = true, .queue_limit = 1,
	};

	if (!is_coop())
		return ops->create(now.capacity, sizeof(u64), &secret);
	return paper_coop_create(ops, &options, &secret);
}

static bool setup(void)
{
	if (!shim_init(SCRIPT_CPUS, SCRIPT_NODES) || !kernel_init())
		return false;
	books = shim_zalloc(sizeof(*books));
	books->table = create();
	if (IS_ERR_OR_NULL(books->table))
		return false;
	watches = is_coop() && paper_summary(books->table)->bucket_count <= WATCH_BUCKETS;
	script_run(now.before);
	return true;
}

static void begin(uint64_t seed)
{
	(void)seed;
	if (watches)
		invariant_begin(paper_summary(books->table));
}

static void watch(void)
{
	const char *wrong = NULL;

	if (watches)
		wrong = invariant_watch(paper_summary(books->table), explore_self());
	if (wrong)
		explore_fail("%s", wrong);
}

static void judge_record(const struct scounter_topk_header *header, u32 i, bool *listed)
{
	const struct scounter_topk_record *record = topk_record(header, i);
	u64 key;

	memcpy(&key, record->key, sizeof(key));
	if (key >= KEYS || listed[key])
		explore_fail("key %llu is nobody's, or listed twice", (unsigned long long)key);
	listed[key] = true;
	if (record->error > record->count || record->count - record->error > books->hits[key])
		explore_fail("key %llu: count %llu, error %llu, %llu hits",
			     (unsigned long long)key, (unsigned long long)record->count,
			     (unsigned long long)record->error,
			     (unsigned long long)books->hits[key]);
	if (record->count + header->dropped < books->hits[key])
		explore_fail("overlooked: key %llu has count %llu of %llu hits",
			     (unsigned long long)key, (unsigned long long)record->count,
			     (unsigned long long)books->hits[key]);
}

static void check(void)
{
	const struct topk_query all = { .most = now.capacity };
	bool listed[KEYS] = { false };
	struct scounter_topk_header *header;
	const char *wrong = NULL;
	u64 hits = 0;
	u32 i;

	for (i = 0; i < KEYS; i++)
		hits += books->hits[i];
	if (is_coop())
		wrong = invariant_at_rest(paper_summary(books->table), hits);
	if (wrong)
		explore_fail("%s", wrong);
	header = topk_snapshot(books->table, &all);
	if (!header)
		abort();
	if (!now.window && header->total != hits)
		explore_fail("%llu of %llu hits are there", (unsigned long long)header->total,
			     (unsigned long long)hits);
	for (i = 0; i < header->records; i++)
		judge_record(header, i, listed);
	for (i = 0; i < KEYS; i++)
		if (!listed[i] && books->hits[i] > header->floor + header->dropped)
			explore_fail("overlooked: key %u has %llu hits, floor %llu", i,
				     (unsigned long long)books->hits[i],
				     (unsigned long long)header->floor);
	topk_snapshot_free(header);
}

static const struct explore_program *program(const struct play *play)
{
	const struct script script = {
		.text = play->script, .letters = "123456789abcdefghir", .operate = operate,
	};
	const struct explore_program like = {
		.setup = setup, .begin = begin, .watch = watch, .check = check,
	};

	now = *play;
	ops = paper_design(now.design);
	if (!ops || ops == &paper_independent_ops || !now.capacity ||
	    (!is_coop() && strchr(now.script, 'r')))
		return NULL;
	return script_program(&script, &like);
}

static bool judge(const struct play *play)
{
	const struct explore_program *plays = program(play);
	struct explore_options options = {
		.mode = play->runs ? EXPLORE_RANDOM : EXPLORE_ALL, .runs = play->runs,
		.seed = SEED,
	};
	struct explore_result result;
	bool good;

	if (!plays || !explore(plays, &options, &result)) {
		ok(false, "%s %s cannot be run", play->design, play->script);
		return false;
	}
	good = play->overlooks ? result.failed && !strncmp(result.message, "overlooked", 10) :
				 !result.failed && (play->runs || result.complete);
	ok(good, "%s: %s after %s, m %u, %s%s", play->design, play->script,
	   play->before ?: "nothing", play->capacity,
	   play->runs ? "random orders" : "all orders",
	   play->overlooks ? ", overlooks an element on its way" : "");
	comment("%llu runs, %llu accesses, seed %d", (unsigned long long)result.runs,
		(unsigned long long)result.accesses, SEED);
	if (result.failed)
		comment("%s; all %s %s %s %u %u %s", result.message, play->design, play->script,
			play->before ?: "''", play->capacity, play->buckets, result.schedule);
	free(result.schedule);
	return good;
}

static const struct play plays[] = {
	{ .design = "coop-paper", .script = "1,1", .capacity = 1 },
	{ .design = "coop-paper", .script = "1,1", .before = "1", .capacity = 2, .buckets = 8 },
	{ .design = "coop-paper", .script = "1,1", .before = "1", .capacity = 1, .buckets = 5 },
	{ .design = "coop-paper", .script = "a,1", .before = "12", .capacity = 2, .buckets = 8 },
	{ .design = "coop-paper", .script = "1,2", .before = "12", .capacity = 2, .buckets = 8 },
	{ .design = "coop-paper", .script = "3,1", .before = "12", .capacity = 2, .buckets = 8 },
	{ .design = "coop-paper", .script = "2,3", .before = "11", .capacity = 2, .buckets = 8,
	  .runs = 2000, .overlooks = true },
	{ .design = "coop-paper", .script = "1,2,3", .capacity = 1, .runs = 500 },
	/* Full tables, with many evictions, bulk increments and few buckets. */
	{ .design = "coop-paper", .script = "1a2b3r,3b2a1r,r4a21", .before = "12",
	  .capacity = 2, .buckets = 12, .runs = 500 },
	{ .design = "coop-paper", .script = "12341,43211,1234", .before = "1112", .capacity = 2,
	  .buckets = 8, .runs = 500 },
	{ .design = "coop-paper", .script = "12121,11211,2121", .before = "12", .capacity = 2,
	  .buckets = 6, .runs = 500 },
	{ .design = "coop-paper", .script = "1a1,1a1,a11", .before = "1", .capacity = 1,
	  .buckets = 5, .runs = 500 },
	{ .design = "coop-paper", .script = "1,2,3", .before = "4", .capacity = 1, .buckets = 8,
	  .runs = 1500 },
	{ .design = "coop-paper", .script = "234,32,45", .before = "11111233", .capacity = 3,
	  .buckets = 10, .runs = 500 },
	{ .design = "lossy-paper", .script = "1,1", .capacity = 2, .buckets = 8, .window = 2 },
	{ .design = "lossy-paper", .script = "123a456,b987654,7c7777", .capacity = 9,
	  .buckets = 24, .window = 3, .runs = 300 },
	{ .design = "lossy-paper", .script = "1a23456,98a7654,77a7777", .capacity = 1,
	  .buckets = 8, .window = 2, .runs = 500 },
	{ .design = "shared-paper", .script = "12341,43211,1234", .before = "1", .capacity = 2,
	  .runs = 500 },
	{ .design = "shared-paper", .script = "1a2b3,3b2a1,4a21", .before = "12", .capacity = 2,
	  .runs = 500 },
};

static bool matches(const struct play *play, const char *only)
{
	return !only || strstr(play->design, only) || strstr(play->script, only);
}

/* With @stops, up to the first failure. */
static int check_all(const char *only, bool stops)
{
	u32 i, n = 0;

	for (i = 0; i < ARRAY_SIZE(plays); i++)
		n += matches(&plays[i], only);
	tap_plan(n);
	for (i = 0; i < ARRAY_SIZE(plays); i++)
		if (matches(&plays[i], only) && !judge(&plays[i]) && stops)
			break;
	if (!n)
		tap_fail();
	return tap_status();
}

static int run(int argc, char **argv)
{
	struct explore_options options = { .mode = EXPLORE_ALL, .seed = SEED };
	struct play play = {
		.design = argv[2], .script = argv[3],
		.before = argc > 4 && *argv[4] ? argv[4] : NULL,
		.capacity = argc > 5 ? atoi(argv[5]) : 1,
		.buckets = argc > 6 ? atoi(argv[6]) : 0,
		.window = getenv("WINDOW") ? atoi(getenv("WINDOW")) : 0,
	};
	const struct explore_program *plays = program(&play);
	struct explore_result result;

	if (!strcmp(argv[1], "random")) {
		options.mode = EXPLORE_RANDOM;
		options.runs = 10000;
	}
	if (argc > 7) {
		options.mode = EXPLORE_REPLAY;
		options.schedule = argv[7];
		options.trace = true;
	}
	if (!plays || !explore(plays, &options, &result)) {
		fputs("topk-orders: no such design, script or schedule\n", stderr);
		return 2;
	}
	printf("%llu runs, %llu redundant, %llu accesses%s\n", (unsigned long long)result.runs,
	       (unsigned long long)result.redundant, (unsigned long long)result.accesses,
	       result.complete ? ", complete" : "");
	if (result.failed)
		printf("%s: %s\n", result.message, result.schedule);
	return result.failed;
}

int main(int argc, char **argv)
{
	if (argc >= 2 && argc <= 3 && !strcmp(argv[1], "check"))
		return check_all(argv[2], false);
	if (argc == 2 && !strcmp(argv[1], "fail"))
		return check_all(NULL, true);
	if (argc >= 4 && argc <= 8 && (!strcmp(argv[1], "all") || !strcmp(argv[1], "random")))
		return run(argc, argv);
	fputs("usage: topk-orders check [PART] | fail |\n"
	      "	all|random DESIGN SCRIPT [BEFORE [CAPACITY [BUCKETS [SCHEDULE]]]]\n", stderr);
	return 2;
}

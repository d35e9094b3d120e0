// SPDX-License-Identifier: GPL-2.0
/*
 * topk: the designs of kmod/topk/ in user space, with threads for CPUs.
 *
 *	topk check [DESIGN]	guarantees under load, short; TAP
 *	topk throttled	those of cooperative with a short queue; TAP
 *	topk edges		large numbers, large tables, merges; TAP
 *	topk hash		the hash of short keys; TAP
 *	topk long [DESIGN]	the same on streams of the paper's sizes; TAP
 *	topk zipf DESIGN ALPHA STREAMS TIMES	one of these, again and again; TAP
 *	topk words FILE		the same on the words of FILE, a frequency a line
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/smp.h>

#include "topk/designs.h"

#include "edges.h"
#include "guarantee.h"
#include "hash.h"
#include "tap.h"

/* The paper's throttled threads sleep for a moment. */
bool topk_throttle(void)
{
	sched_yield();
	return true;
}

#define SEED	20090824

static void plan(u32 tests)
{
	tap_plan(tests);
	comment("seed %u", SEED);
}

static void judge(const struct topk_ops *ops, const struct streams *streams, u32 capacity)
{
	struct verdict verdict;

	guarantee_check(ops, streams, capacity, &verdict);
	ok(!verdict.failures, "%s: %s, %u x %u, m %u", ops->name, streams->name,
	   streams->streams, streams->length, capacity);
	comment("%llu queries meanwhile, %llu evictions, %llu hits delegated, of which %llu pending at once",
		verdict.queries, verdict.evictions, verdict.delegated, verdict.pending);
	if (verdict.failures)
		comment("%llu failures; the first: %s", verdict.failures, verdict.why);
}

struct input {
	enum shape shape;
	double alpha;
	u32 alphabet;
	u32 capacity;
};

/* A rotation of m + 1 keys evicts with every hit; few keys and fewer entries meet. */
static const struct input short_inputs[] = {
	{ ZIPF, 0.5, 100000, 1000 }, { ZIPF, 1, 100000, 1000 }, { ZIPF, 1.5, 100000, 1000 },
	{ ZIPF, 2, 100000, 1000 }, { ZIPF, 3, 100000, 1000 },
	{ UNIFORM, 0, 100000, 1000 }, { SAME, 0, 1, 1000 }, { DISTINCT, 0, 0, 1000 },
	{ ROTATION, 0, 1001, 1000 }, { UNIFORM, 0, 40, 8 }, { UNIFORM, 0, 3, 1 },
};

static const struct input long_inputs[] = {
	{ ZIPF, 0.5, 5000000, 10000 }, { ZIPF, 1, 5000000, 10000 },
	{ ZIPF, 1.5, 5000000, 10000 }, { ZIPF, 2, 5000000, 10000 },
	{ ZIPF, 2.5, 5000000, 10000 }, { ZIPF, 3, 5000000, 10000 },
	{ UNIFORM, 0, 5000000, 10000 }, { SAME, 0, 1, 10000 }, { DISTINCT, 0, 0, 10000 },
	{ ROTATION, 0, 10001, 10000 },
};

static void judge_all(const struct topk_ops *ops, const struct input *inputs, u32 n,
		      u32 streams, u32 length)
{
	u32 i;

	for (i = 0; i < n; i++) {
		struct streams *made = streams_make(inputs[i].shape, inputs[i].alpha,
						    inputs[i].alphabet, streams, length, SEED);

		judge(ops, made, inputs[i].capacity);
		streams_free(made);
	}
}

static const struct topk_ops *ops_by_name(const char *name)
{
	u32 design;

	for (design = 1; topk_ops_of(design); design++)
		if (!strcmp(topk_ops_of(design)->name, name))
			return topk_ops_of(design);
	fprintf(stderr, "topk: no design '%s'\n", name);
	exit(2);
}

static int check(const char *only)
{
	u32 design, first = 1, last = SCOUNTER_TOPK_INDEPENDENT;

	if (only)
		first = last = ops_by_name(only)->design;
	plan((last - first + 1) * ARRAY_SIZE(short_inputs));
	for (design = first; design <= last; design++)
		judge_all(topk_ops_of(design), short_inputs, ARRAY_SIZE(short_inputs), 4, 60000);
	return tap_status();
}

/* With queues of one, hits of new keys are shed all the time. */
static int check_throttled(void)
{
	static const struct input inputs[] = {
		{ ZIPF, 0.5, 100000, 1000 }, { ZIPF, 1, 100000, 1000 },
		{ DISTINCT, 0, 0, 1000 }, { ROTATION, 0, 1001, 1000 },
	};

	topk_queue_limit = 1;
	plan(ARRAY_SIZE(inputs));
	comment("cooperative is throttled");
	judge_all(&topk_cooperative_ops, inputs, ARRAY_SIZE(inputs), 4, 60000);
	return tap_status();
}

/* What a thread finds differs from run to run, even with the same streams. */
static int check_again(const char *design, double alpha, u32 streams, u32 times)
{
	const struct topk_ops *ops = ops_by_name(design);
	struct streams *made = streams_make(ZIPF, alpha, 5000000, streams, 1000000, SEED);
	u32 i;

	plan(times);
	for (i = 0; i < times; i++)
		judge(ops, made, 10000);
	streams_free(made);
	return tap_status();
}

static int check_long(const char *only)
{
	static const u32 streams[] = { 4, 8, 16, 32 };
	u32 i, design, first = 1, last = SCOUNTER_TOPK_INDEPENDENT;

	if (only)
		first = last = ops_by_name(only)->design;
	plan((last - first + 1) * ARRAY_SIZE(streams) * ARRAY_SIZE(long_inputs));
	for (design = first; design <= last; design++)
		for (i = 0; i < ARRAY_SIZE(streams); i++)
			judge_all(topk_ops_of(design), long_inputs, ARRAY_SIZE(long_inputs),
				  streams[i], 1000000);
	return tap_status();
}

static int check_words(const char *path)
{
	struct streams *streams = streams_read(path, 8, SEED);

	if (!streams)
		return 3;
	plan(2);
	judge(&topk_lockfree_ops, streams, 1000);
	judge(&topk_cooperative_ops, streams, 1000);
	streams_free(streams);
	return tap_status();
}

static bool number_of(const char *text, u32 least, u32 most, u32 *number)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*number = value;
	return *text && !*end && value >= least && value <= most;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	u32 streams, times;

	if (!strcmp(verb, "check") && argc <= 3)
		return check(argv[2]);
	if (!strcmp(verb, "throttled") && argc == 2)
		return check_throttled();
	if (!strcmp(verb, "edges") && argc == 2)
		return edges_check();
	if (!strcmp(verb, "hash") && argc == 2)
		return hash_check(SEED);
	if (!strcmp(verb, "long") && argc <= 3)
		return check_long(argv[2]);
	if (!strcmp(verb, "zipf") && argc == 6 && number_of(argv[4], 1, 64, &streams) &&
	    number_of(argv[5], 1, 1000000, &times))
		return check_again(argv[2], atof(argv[3]), streams, times);
	if (!strcmp(verb, "words") && argc == 3)
		return check_words(argv[2]);
	fprintf(stderr, "usage: topk check [DESIGN] | throttled | edges | hash | long [DESIGN] |\n"
		"	zipf DESIGN ALPHA STREAMS TIMES | words FILE\n");
	return 2;
}

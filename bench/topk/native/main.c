// SPDX-License-Identifier: GPL-2.0
/*
 * topk-bench: how fast the designs of kmod/topk/ are in user space, with threads for CPUs.
 *
 *	topk-bench tuning	what auto-tuning costs under skew
 *	topk-bench speed [LENGTH]	how fast, as a table for people and gnuplot; LENGTH:
 *			elements a stream
 *	topk-bench rivals [LENGTH]	the default design beside what others publish
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

#include "rivals.h"
#include "speed.h"
#include "topk/lockfree.h"
#include "tuning.h"

#define SEED	20090824

/* The paper's throttled threads sleep for a moment. */
bool topk_throttle(void)
{
	sched_yield();
	return true;
}

/* Elements a stream, or 0. */
static u32 length_of(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	return *text && !*end && value >= 1000 && value <= 10000000 ? value : 0;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	/* The paper's million if nothing else is said. */
	u32 length = length_of(argc > 2 ? argv[2] : "1000000");

	if (!strcmp(verb, "tuning") && argc == 2)
		return measure_tuning(SEED);
	if (!strcmp(verb, "speed") && argc <= 3 && length)
		return measure_speed(length, SEED);
	if (!strcmp(verb, "rivals") && argc <= 3 && length)
		return measure_rivals(length, SEED);
	fprintf(stderr, "usage: topk-bench tuning | speed [LENGTH] | rivals [LENGTH]\n");
	return 2;
}

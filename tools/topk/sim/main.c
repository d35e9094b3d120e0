// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of frequent items on the modelled machines of tools/sim: the designs of
 * kmod/topk/, each CPU with a stream of its own, on more CPUs than there are here.
 *
 * A table is first filled from the same streams at no cost, then as many elements
 * again are timed.  What the model leaves out is in tools/sim/model.c.  Of that, two
 * things matter here: reads and writes by an owner, which are not marked in the source, are free,
 * and so are instructions.  So times are of cache lines on their way, and those of
 * the designs with owners are lower than they were on such a machine.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "../../testing/shim/shim.h"
#include "model.h"
#include "streams.h"
#include "lockfree.h"
#include "table.h"

#define ALPHABET	5000000
#define LIST_MAX	16

static const char usage[] =
"Usage: topk-sim run -m FILE [OPTION]...   hits a millisecond, by design\n"
"       topk-sim check                     the tests\n"
"\n"
"  -m, --machine FILE      description of the machine (needed)\n"
"  -a, --alpha LIST        of the Zipf streams (0.5,1,1.5,2,2.5,3)\n"
"  -t, --threads LIST      streams, each on a CPU of its own (8,32,64)\n"
"  -n, --length N          elements of a stream (10000)\n"
"  -c, --capacity N        entries of a table (1000)\n"
"  -s, --seed N            any (1)\n"
"\n"
"Modelled times are of the machine in the file, not of this one.  The same options\n"
"give the same figures.  Exit status: 0; 1 if a test failed; 2 for a wrong option.\n";

struct options {
	struct machine machine;
	bool has_machine;
	double alpha[LIST_MAX], threads[LIST_MAX];
	int alphas, counts;
	double length, capacity, seed;
};

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

	for (i = run.from; i < run.to; i++) {
		u64 key = key_of(element[i]);

		topk_add(run.table, &key, 1);
		model_work(run.call);
	}
}

/* Outside of model_run() nothing costs time. */
static void fill(u32 to)
{
	u32 i, j;

	for (j = 0; j < to; j++) {
		for (i = 0; i < run.streams->streams; i++) {
			u64 key = key_of(run.streams->element[i][j]);

			shim_be(i);
			topk_add(run.table, &key, 1);
		}
	}
}

struct outcome {
	double per_ms;
	double misses;		/* a hit */
	u64 total;
	struct topk_sums sums;
};

static bool run_design(const struct topk_ops *ops, const struct machine *machine,
		       const struct streams *streams, u32 capacity, struct outcome *outcome)
{
	const struct topk_query all = { .most = ~0U };
	double hits = (double)streams->streams * (streams->length - streams->length / 2);
	struct scounter_topk_header *snapshot;
	u64 seed = 1;
	struct topk_secret secret = random_secret(&seed);

	if (!shim_init(machine_cpus(machine), (int)machine->nodes) || !model_init(machine)) {
		fprintf(stderr, "topk-sim: no memory for %s\n", machine->name);
		return false;
	}
	run.streams = streams;
	run.call = machine->call;
	run.table = ops->create(capacity, sizeof(u64), &secret);
	fill(streams->length / 2);
	run.from = streams->length / 2;
	run.to = streams->length;
	model_run((int)streams->streams, body);
	outcome->per_ms = hits / model_time() * 1e9;
	outcome->misses = model_statistics()->misses / hits;
	snapshot = topk_snapshot(run.table, &all);
	outcome->total = snapshot->total;
	topk_table_sums(run.table, &outcome->sums);
	topk_snapshot_free(snapshot);
	ops->destroy(run.table);
	model_exit();
	shim_exit();
	return true;
}

static int run_all(const struct options *options)
{
	int i, j, design;

	printf("# %s: %llu nodes of %llu CPUs; modelled; seed %.0f\n", options->machine.name,
	       (unsigned long long)options->machine.nodes,
	       (unsigned long long)options->machine.cpus_per_node, options->seed);
	printf("# hits a millisecond; m = %.0f; %.0f elements a stream, the second half timed\n",
	       options->capacity, options->length);
	printf("#%4s %7s %12s %12s %12s %12s %8s %8s\n", "alpha", "streams", "lockfree",
	       "cooperative", "shared", "independent", "l/s", "c/s");
	for (i = 0; i < options->alphas; i++) {
		for (j = 0; j < options->counts; j++) {
			struct streams *streams =
				streams_make(ZIPF, options->alpha[i], ALPHABET,
					     options->threads[j], options->length, options->seed);
			struct outcome outcome[SCOUNTER_TOPK_INDEPENDENT + 1];

			printf("%5.1f %7.0f", options->alpha[i], options->threads[j]);
			for (design = 1; topk_ops_of(design); design++) {
				if (!run_design(topk_ops_of(design), &options->machine, streams,
						options->capacity, &outcome[design]))
					return 1;
				printf(" %12.0f", outcome[design].per_ms);
			}
			printf(" %8.2f %8.2f\n", outcome[SCOUNTER_TOPK_LOCKFREE].per_ms /
			       outcome[SCOUNTER_TOPK_SHARED].per_ms,
			       outcome[SCOUNTER_TOPK_COOPERATIVE].per_ms /
			       outcome[SCOUNTER_TOPK_SHARED].per_ms);
			fflush(stdout);
			streams_free(streams);
		}
	}
	return 0;
}

static bool numbers(const char *name, char *text, double least, double most, double *values,
		    int *count)
{
	char *part, *end;

	*count = 0;
	while ((part = strsep(&text, ","))) {
		errno = 0;
		if (*count == LIST_MAX)
			return false;
		values[*count] = strtod(part, &end);
		if (end == part || *end || errno ||
		    !(values[*count] >= least && values[*count] <= most)) {
			fprintf(stderr, "topk-sim: --%s: '%s' is no number from %g to %g\n",
				name, part, least, most);
			return false;
		}
		++*count;
	}
	return true;
}

static bool parse_option(struct options *options, int option)
{
	int one;

	switch (option) {
	case 'm':
		options->has_machine = true;
		return machine_read(&options->machine, optarg);
	case 'a':
		return numbers("alpha", optarg, 0.1, 5, options->alpha, &options->alphas);
	case 't':
		return numbers("threads", optarg, 1, 4096, options->threads, &options->counts);
	case 'n':
		return numbers("length", optarg, 2, 1e7, &options->length, &one);
	case 'c':
		return numbers("capacity", optarg, 1, 1 << 20, &options->capacity, &one);
	case 's':
		return numbers("seed", optarg, 0, 1e15, &options->seed, &one);
	}
	return false;
}

static bool parse(struct options *options, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "machine", required_argument, NULL, 'm' },
		{ "alpha", required_argument, NULL, 'a' },
		{ "threads", required_argument, NULL, 't' },
		{ "length", required_argument, NULL, 'n' },
		{ "capacity", required_argument, NULL, 'c' },
		{ "seed", required_argument, NULL, 's' },
		{ }
	};
	int option, i;

	while ((option = getopt_long(argc, argv, "m:a:t:n:c:s:", longs, NULL)) != -1)
		if (!parse_option(options, option))
			return false;
	if (optind < argc || !options->has_machine) {
		fputs(usage, stderr);
		return false;
	}
	for (i = 0; i < options->counts; i++) {
		if (options->threads[i] > machine_cpus(&options->machine)) {
			fprintf(stderr, "topk-sim: %.0f streams, but %s has %d CPUs\n",
				options->threads[i], options->machine.name,
				machine_cpus(&options->machine));
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	struct options options = {
		.alpha = { 0.5, 1, 1.5, 2, 2.5, 3 }, .alphas = 6,
		.threads = { 8, 32, 64 }, .counts = 3,
		.length = 10000, .capacity = 1000, .seed = 1,
	};

	if (argc > 1 && !strcmp(argv[1], "run"))
		return parse(&options, argc - 1, argv + 1) ? run_all(&options) : 2;
	fputs(usage, stderr);
	return 2;
}

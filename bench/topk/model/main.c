// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of frequent items on the modelled machines of bench/model: the designs of
 * kmod/topk/, each CPU with a stream of its own, on more CPUs than there are here.
 *
 * What the model leaves out is at the top of bench/model/model.c.  Of that, two things
 * matter here: reads and writes by an owner, which are not marked in the source, are
 * free, and so are instructions.  So times are of cache lines on their way, and the
 * designs with owners are slower on such a machine than they are here.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "../rivals/rivals.h"
#include "race.h"
#include "tests.h"

#define ALPHABET	5000000
#define LIST_MAX	16

static const char usage[] =
"Usage: topk-sim run -m FILE [OPTION]...   hits a millisecond, by design\n"
"       topk-sim tuning -m FILE [OPTION]...  the cooperative design with auto-tuning and\n"
"                                          without\n"
"       topk-sim rivals -m FILE [OPTION]...  the default design beside what others publish,\n"
"                                          in tables of equal size\n"
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

static struct streams *streams_of(const struct options *options, int alpha, int count)
{
	return streams_make(ZIPF, options->alpha[alpha], ALPHABET, options->threads[count],
			    options->length, options->seed);
}

static void head(const struct options *options)
{
	printf("# %s: %llu nodes of %llu CPUs; modelled; seed %.0f\n", options->machine.name,
	       (unsigned long long)options->machine.nodes,
	       (unsigned long long)options->machine.cpus_per_node, options->seed);
	printf("# hits a millisecond; m = %.0f; %.0f elements a stream, the second half timed\n",
	       options->capacity, options->length);
}

/* The cooperative design with auto-tuning, and without. */
static int compare_tuning(const struct options *options)
{
	struct outcome outcome[2];
	int i, j, tunes;

	head(options);
	printf("#%4s %7s %12s %12s %12s\n", "alpha", "streams", "tuned", "untuned", "overhead %");
	for (i = 0; i < options->alphas; i++) {
		for (j = 0; j < options->counts; j++) {
			struct streams *streams = streams_of(options, i, j);

			for (tunes = 0; tunes < 2; tunes++) {
				topk_tunes = tunes;
				if (!race_run(&topk_cooperative_ops, &options->machine, streams,
					      options->capacity, &outcome[tunes]))
					return 1;
			}
			printf("%5.1f %7.0f %12.0f %12.0f %12.1f\n", options->alpha[i],
			       options->threads[j], outcome[1].per_ms, outcome[0].per_ms,
			       100 * (outcome[0].per_ms / outcome[1].per_ms - 1));
			fflush(stdout);
			streams_free(streams);
		}
	}
	return 0;
}

enum entrant { LOCKFREE, COOPERATIVE, DELEGATING, SHARED, INDEPENDENT, ENTRANTS };

static const struct {
	const char *name;
	const struct topk_ops *ops;
	bool leaves;		/* each hit to the owner, and gathers none, as in the paper */
} entrants[ENTRANTS] = {
	[LOCKFREE] = { "lockfree", &topk_lockfree_ops },
	[COOPERATIVE] = { "cooperative", &topk_cooperative_ops },
	[DELEGATING] = { "ungathered", &topk_cooperative_ops, .leaves = true },
	[SHARED] = { "shared", &topk_shared_ops },
	[INDEPENDENT] = { "independent", &topk_independent_ops },
};

static bool run_entrants(const struct options *options, const struct streams *streams,
			 double *per_ms)
{
	struct outcome outcome;
	int i;

	for (i = 0; i < ENTRANTS; i++) {
		topk_gathers = !entrants[i].leaves;
		if (!race_run(entrants[i].ops, &options->machine, streams, options->capacity,
			      &outcome))
			return false;
		per_ms[i] = outcome.per_ms;
	}
	return true;
}

static void run_head(const struct options *options)
{
	int i;

	head(options);
	printf("# ungathered gathers nothing, as in Das et al. 2009, but has a fixed array of buckets,\n"
	       "# and not that paper's Stream Summary; ratios are of hits: l/s lockfree over shared,\n"
	       "# c/s cooperative, u/s ungathered\n");
	printf("#%4s %7s", "alpha", "streams");
	for (i = 0; i < ENTRANTS; i++)
		printf(" %12s", entrants[i].name);
	printf(" %7s %7s %7s\n", "l/s", "c/s", "u/s");
}

static int run_all(const struct options *options)
{
	double per_ms[ENTRANTS];
	int i, j, k;

	run_head(options);
	for (i = 0; i < options->alphas; i++) {
		for (j = 0; j < options->counts; j++) {
			struct streams *streams = streams_of(options, i, j);

			if (!run_entrants(options, streams, per_ms))
				return 1;
			streams_free(streams);
			printf("%5.1f %7.0f", options->alpha[i], options->threads[j]);
			for (k = 0; k < ENTRANTS; k++)
				printf(" %12.0f", per_ms[k]);
			printf(" %7.2f %7.2f %7.2f\n", per_ms[LOCKFREE] / per_ms[SHARED],
			       per_ms[COOPERATIVE] / per_ms[SHARED],
			       per_ms[DELEGATING] / per_ms[SHARED]);
			fflush(stdout);
		}
	}
	return 0;
}

/*
 * Hits a millisecond, and cache lines a hit.  What an owner counts with is free here, so
 * that one rival stands for both.
 */
static int compare_rivals(const struct options *options)
{
	static const struct topk_ops *const rivals[] = {
		&topk_lockfree_ops, &topk_independent_ops, &rival_qpopss_ops,
	};
	struct outcome outcome;
	int i, j;
	u32 k;

	head(options);
	printf("# m is lockfree's and that of each of independent's tables; qpopss is as large as lockfree,\n"
	       "# or has a counter a thread; keeper, whose threads delegate alike, would take as long\n");
	printf("#%4s %7s %-11s %8s %8s %12s %12s\n", "alpha", "streams", "table", "bytes", "counters",
	       "hits/ms", "lines/hit");
	for (i = 0; i < options->alphas; i++) {
		for (j = 0; j < options->counts; j++) {
			struct streams *streams = streams_of(options, i, j);

			for (k = 0; k < ARRAY_SIZE(rivals); k++) {
				if (!race_run(rivals[k], &options->machine, streams,
					      options->capacity, &outcome))
					return 1;
				printf("%5.1f %7.0f %-11s %8zu %8u %12.0f %12.2f\n",
				       options->alpha[i], options->threads[j], rivals[k]->name,
				       outcome.bytes, outcome.capacity, outcome.per_ms,
				       outcome.misses);
				fflush(stdout);
			}
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
	if (argc > 1 && !strcmp(argv[1], "tuning"))
		return parse(&options, argc - 1, argv + 1) ? compare_tuning(&options) : 2;
	if (argc > 1 && !strcmp(argv[1], "rivals"))
		return parse(&options, argc - 1, argv + 1) ? compare_rivals(&options) : 2;
	if (argc == 2 && !strcmp(argv[1], "check"))
		return tests_run();
	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	fputs(usage, stderr);
	return 2;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * topk-paper: the designs of Das et al. 2009 as that paper has them, and its figures.  Built
 * twice: topk-paper measures with threads, topk-paper-sim runs on a modelled machine.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/types.h>

#include "designs.h"
#include "engine.h"
#include "figures.h"
#include "tests.h"
#include "topk/table.h"

static const char usage[] =
"Usage: topk-paper figure NUMBER [OPTION]...   a figure of Das et al. 2009: 1, 2 or 5 to 10\n"
"       topk-paper check [PART OF A NAME]      the tests, or some\n"
"\n"
"  -a, --alpha LIST        of the Zipf streams (those of the figure)\n"
"  -t, --threads LIST      streams (4,8,16,32)\n"
"  -f, --fails LIST        figure 7: per cent of reads that fail (10,30,50)\n"
"  -n, --length N          elements of a stream (100000; modelled: 4000)\n"
"  -c, --capacity N        entries of a table (10000; modelled: 1000)\n"
"  -q, --queue-limit N     figures 8 and 10: auto-tuning throttles beyond so many requests (500)\n"
"  -r, --repeats N         medians of so many runs (3)\n"
"  -s, --seed N            of the streams (20090824)\n"
"  -m, --machine FILE      topk-paper-sim: description of the machine (needed)\n"
"\n"
"topk-paper measures this machine; topk-paper-sim models one, and the same options give\n"
"the same figures.  Exit status: 0; 1 if a test failed or a run lost a hit; 2 for a wrong\n"
"option.\n";

static bool number_in(const char *name, const char *text, double least, double most,
		      double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	if (end != text && !*end && !errno && *value >= least && *value <= most)
		return true;
	fprintf(stderr, "topk-paper: --%s: '%s' is no number from %g to %g\n", name, text, least,
		most);
	return false;
}

static bool whole_in(const char *name, const char *text, double least, double most,
		     double *value)
{
	if (!number_in(name, text, least, most, value))
		return false;
	if (*value == (double)(u64)*value)
		return true;
	fprintf(stderr, "topk-paper: --%s: '%s' is no whole number\n", name, text);
	return false;
}

typedef bool (*number_fn)(const char *name, const char *text, double least, double most,
			  double *value);

static bool list_in(const char *name, char *text, number_fn number, double least, double most,
		    double *values, u32 *count)
{
	char *part;

	for (*count = 0; (part = strsep(&text, ",")); ++*count) {
		if (*count == FIGURES_LIST) {
			fprintf(stderr, "topk-paper: --%s: more than %d numbers\n", name,
				FIGURES_LIST);
			return false;
		}
		if (!number(name, part, least, most, &values[*count]))
			return false;
	}
	return true;
}

static bool parse_option(struct figure_options *options, int option)
{
	double value = 0;
	u32 i;

	switch (option) {
	case 'a':
		return list_in("alpha", optarg, number_in, 0.1, 5, options->alphas,
			       &options->alpha_count);
	case 't':
		return list_in("threads", optarg, whole_in, 1, 4096, options->counts,
			       &options->count_count);
	case 'f':
		if (!list_in("fails", optarg, number_in, 0, 99, options->failures,
			     &options->failure_count))
			return false;
		for (i = 0; i < options->failure_count; i++)
			options->failures[i] /= 100;
		return true;
	case 'n':
		if (!whole_in("length", optarg, 2, 1e7, &value))
			return false;
		options->length = value;
		return true;
	case 'c':
		if (!whole_in("capacity", optarg, 1, SCOUNTER_TOPK_CAPACITY_MAX, &value))
			return false;
		options->capacity = value;
		return true;
	case 'q':
		if (!whole_in("queue-limit", optarg, 1, INT_MAX, &value))
			return false;
		options->queue_limit = value;
		return true;
	case 'r':
		if (!whole_in("repeats", optarg, 1, 99, &value))
			return false;
		options->repeats = value;
		return true;
	case 's':
		if (!whole_in("seed", optarg, 0, 1e15, &value))
			return false;
		options->seed = value;
		return true;
	case 'm':
		return engine_option(optarg);
	}
	return false;
}

static bool parse(struct figure_options *options, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "alpha", required_argument, NULL, 'a' },
		{ "threads", required_argument, NULL, 't' },
		{ "fails", required_argument, NULL, 'f' },
		{ "length", required_argument, NULL, 'n' },
		{ "capacity", required_argument, NULL, 'c' },
		{ "queue-limit", required_argument, NULL, 'q' },
		{ "repeats", required_argument, NULL, 'r' },
		{ "seed", required_argument, NULL, 's' },
		{ "machine", required_argument, NULL, 'm' },
		{ }
	};
	int option;

	while ((option = getopt_long(argc, argv, "a:t:f:n:c:q:r:s:m:", longs, NULL)) != -1)
		if (!parse_option(options, option))
			return false;
	if (optind == argc)
		return true;
	fprintf(stderr, "topk-paper: what is '%s'?\n", argv[optind]);
	return false;
}

static int print_figure(int argc, char **argv)
{
	struct figure_options options = {
		.length = engine_is_model() ? 4000 : 100000,
		.capacity = engine_is_model() ? 1000 : 10000,
		.repeats = 3, .queue_limit = PAPER_QUEUE_LIMIT, .seed = 20090824,
	};
	char *end = NULL;
	unsigned long number = argc > 1 ? strtoul(argv[1], &end, 10) : 0;

	if (!end || *end || !figure_exists(number)) {
		fprintf(stderr, "topk-paper: there is no figure '%s' here; 1, 2 and 5 to 10 are\n",
			argc > 1 ? argv[1] : "");
		return 2;
	}
	if (!parse(&options, argc - 1, argv + 1))
		return 2;
	return figure_print(number, &options);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (!strcmp(verb, "figure"))
		return print_figure(argc - 1, argv + 1);
	if (!strcmp(verb, "check") && argc <= 3)
		return tests_run(argv[2]);
	if (argc == 2 && (!strcmp(verb, "--help") || !strcmp(verb, "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	fputs(usage, stderr);
	return 2;
}

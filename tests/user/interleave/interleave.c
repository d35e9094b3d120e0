// SPDX-License-Identifier: GPL-2.0
/* The program: options, and what comes out. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel/counters.h"
#include "report.h"
#include "tests.h"

static const char usage[] =
"Usage: interleave all KIND SCRIPT [OPTION]...      every order of the atomic accesses\n"
"       interleave random KIND SCRIPT [OPTION]...   random orders\n"
"       interleave check [PART OF A NAME]           the tests, or some\n"
"       interleave kinds                            the counters that there are\n"
"\n"
"SCRIPT is what each of up to three threads does, separated by commas, a letter an\n"
"operation: (i)ncrement, (a)dd 3, add nearly 2^62 (b), (r)ead, (f)etch and reset,\n"
"(d)estroy, a second passes (t); I, A, R, F in an interrupt handler; before, work that\n"
"waits is done (w), and words inflate no more (n).  KIND may be topk-DESIGN: then\n"
"a letter is a key from 1 to 9 that is hit, or A to I, the same with gathering, or J to\n"
"R, with two hits, or a to i, with many hits at once, or r, a snapshot.  It may be array-TYPE: then i and j\n"
"are increments of two counters, and m is a merge.  It may be record-KIND: then w is\n"
"an addition that fills the counter, and s takes the record of a snapshot.  It may be\n"
"pair: then p is an event, b 2^21 at once and r a read.  It may be\n"
"objects: then r gives up an object in sysfs, and e is the end of the module.  It may be\n"
"shares: then a letter is a snapshot that asks for its memory.  For example\n"
"interleave all multiline_adapt ii,ia,rr\n"
"interleave all topk-lockfree 1,12 --capacity 1\n"
"\n"
"  -b, --before SCRIPT     what happens before, in one thread\n"
"  -p, --preload N         events added before that (0)\n"
"  -t, --tries N           the module's parameter adapt_tries (1)\n"
"  -g, --grow-rate N       the module's parameter grow_rate (its default)\n"
"  -D, --deflates          the module's parameter deflate_after is 0\n"
"  -1, --one-cpu           all threads are on one CPU, and interrupt each other\n"
"  -c, --capacity N        entries of a table (1)\n"
"  -f, --full              a record's counter is full, and begins again at 0\n"
"  -q, --requests N        that a hit of the cooperative design serves (its default)\n"
"  -d, --samples         approximate kinds are past what they count exactly\n"
"  -s, --seed N            of the orders and the draws; 0: always the same draws\n"
"  -n, --runs N            at most (all: as many as there are; random: 10000)\n"
"  -r, --replay SCHEDULE   this order, as a failure has printed it\n"
"  -v, --trace             print every access, and where in the source it is\n"
"  -e, --every-order       also if it makes no difference\n"
"\n"
"A failure prints how to see it again.  Exit status: 0; 1 if a run or a test failed; 2 for\n"
"a wrong option; 3 if the module crashed.\n";

static bool number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (!errno && end != text && !*end && *text != '-')
		return true;
	fprintf(stderr, "interleave: '%s' is no number\n", text);
	return false;
}

static const struct option longs[] = {
	{ "before", required_argument, NULL, 'b' },
	{ "preload", required_argument, NULL, 'p' },
	{ "tries", required_argument, NULL, 't' },
	{ "grow-rate", required_argument, NULL, 'g' },
	{ "deflates", no_argument, NULL, 'D' },
	{ "one-cpu", no_argument, NULL, '1' },
	{ "capacity", required_argument, NULL, 'c' },
	{ "requests", required_argument, NULL, 'q' },
	{ "samples", no_argument, NULL, 'd' },
	{ "full", no_argument, NULL, 'f' },
	{ "seed", required_argument, NULL, 's' },
	{ "runs", required_argument, NULL, 'n' },
	{ "replay", required_argument, NULL, 'r' },
	{ "trace", no_argument, NULL, 'v' },
	{ "every-order", no_argument, NULL, 'e' },
	{ }
};

static bool parse_option(int option, struct counting *counting,
			 struct explore_options *options)
{
	uint64_t value = 0;

	if (strchr("ptgsncq", option) && !number(optarg, &value))
		return false;
	switch (option) {
	case 'b':
		counting->before = optarg;
		return true;
	case 'p':
		counting->preload = value;
		return true;
	case 't':
		counting->tries = value;
		return true;
	case 'g':
		counting->grow_rate = value;
		return true;
	case 'c':
		counting->capacity = value;
		return true;
	case '1':
		counting->one_cpu = true;
		return true;
	case 'D':
		counting->deflates = true;
		return true;
	case 'q':
		counting->requests = value;
		return true;
	case 'd':
		counting->samples = true;
		return true;
	case 'f':
		counting->full = true;
		return true;
	case 's':
		options->seed = value;
		return true;
	case 'n':
		options->runs = value;
		return true;
	case 'r':
		options->mode = EXPLORE_REPLAY;
		options->schedule = optarg;
		return true;
	case 'v':
		options->trace = true;
		return true;
	case 'e':
		options->every_order = true;
		return true;
	}
	return false;
}

static int run(int argc, char **argv)
{
	struct counting counting = { .tries = 1, .capacity = 1 };
	struct explore_options options = { .mode = EXPLORE_ALL };
	int option;

	if (!strcmp(argv[0], "random"))
		options = (struct explore_options) { .mode = EXPLORE_RANDOM, .runs = 10000,
						     .seed = 1 };
	while ((option = getopt_long(argc, argv, "b:p:t:g:D1c:q:dfs:n:r:ve", longs, NULL)) != -1)
		if (!parse_option(option, &counting, &options))
			return 2;
	if (optind != argc - 2) {
		fputs(usage, stderr);
		return 2;
	}
	counting.kind = argv[optind];
	counting.script = argv[optind + 1];
	return report_run(&counting, &options);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (!strcmp(verb, "--help") || !strcmp(verb, "-h")) {
		fputs(usage, stdout);
		return 0;
	}
	if (!strcmp(verb, "kinds")) {
		counter_types_print();
		return 0;
	}
	if (!strcmp(verb, "check"))
		return tests_run(argc > 2 ? argv[2] : NULL);
	if (!strcmp(verb, "all") || !strcmp(verb, "random"))
		return run(argc - 1, argv + 1);
	fputs(usage, stderr);
	return 2;
}

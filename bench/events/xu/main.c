// SPDX-License-Identifier: GPL-2.0
/*
 * Xu, Kim, Nikolic & Shao: all events counted at once in few bits, beside few exact
 * counters that are rotated over the events.
 */
#include <err.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "lfsr.h"
#include "shim.h"
#include "util.h"
#include "xu.h"

/* Absolute relative errors: by way, event and run. */
struct runs {
	const struct stream *stream;
	u32 runs;
	double *errors[COMPARED];
};

static double *errors_of(const struct runs *runs, enum way way, u32 event)
{
	return runs->errors[way] + (size_t)event * runs->runs;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void run_all(struct runs *runs, const struct stream *stream, u32 count, u64 seed)
{
	double *said = allocate(stream->events, sizeof(*said));
	u32 way, run, event;

	*runs = (struct runs) { .stream = stream, .runs = count };
	for (way = 0; way < COMPARED; way++) {
		runs->errors[way] = allocate((size_t)stream->events * count, sizeof(double));
		for (run = 0; run < count; run++) {
			count_stream(stream, way, derive_seed(seed, way_names[way].short_name, run),
				     said);
			for (event = 0; event < stream->events; event++)
				errors_of(runs, way, event)[run] =
					fabs(said[event] / stream->counts[event] - 1);
		}
		for (event = 0; event < stream->events; event++)
			qsort(errors_of(runs, way, event), count, sizeof(double), compare);
	}
	free(said);
}

static void runs_free(struct runs *runs)
{
	u32 way;

	for (way = 0; way < COMPARED; way++)
		free(runs->errors[way]);
}

/* The p-th of sorted numbers. */
static double quantile(const double *sorted, u32 count, double p)
{
	return sorted[(u32)(p * (count - 1) + 0.5)];
}

static double mean(const double *numbers, u32 count)
{
	double sum = 0;
	u32 i;

	for (i = 0; i < count; i++)
		sum += numbers[i];
	return sum / count;
}

static u32 *by_count(const struct stream *stream)
{
	u32 *order = allocate(stream->events, sizeof(*order));
	u32 i, j;

	for (i = 0; i < stream->events; i++) {
		for (j = i; j && stream->counts[order[j - 1]] < stream->counts[i]; j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
	return order;
}

/* For gnuplot: a block a way, a line an event. */
static void print_events(const struct runs *runs)
{
	const struct stream *stream = runs->stream;
	u32 *order = by_count(stream), way, i;

	printf("# %u runs: relative errors in %%\n", runs->runs);
	for (way = 0; way < COMPARED; way++) {
		printf("%s# %s\n# event count least 1st-quartile median 3rd-quartile most mean\n",
		       way ? "\n\n" : "", way_names[way].name);
		for (i = 0; i < stream->events; i++) {
			const double *errors = errors_of(runs, way, order[i]);

			printf("%s %llu %.2f %.2f %.2f %.2f %.2f %.2f\n", stream->names[order[i]],
			       stream->counts[order[i]], 100 * errors[0],
			       100 * quantile(errors, runs->runs, 0.25),
			       100 * quantile(errors, runs->runs, 0.5),
			       100 * quantile(errors, runs->runs, 0.75),
			       100 * errors[runs->runs - 1], 100 * mean(errors, runs->runs));
		}
	}
	free(order);
}

/* The events whose errors mean something: of a count of 1 they are 0 or huge. */
#define OFTEN	100

/* All errors of the events that are hit often, sorted. */
static double *often(const struct runs *runs, enum way way, u32 *count)
{
	const struct stream *stream = runs->stream;
	double *all = allocate((size_t)stream->events * runs->runs, sizeof(*all));
	u32 event;

	*count = 0;
	for (event = 0; event < stream->events; event++) {
		if (stream->counts[event] < OFTEN)
			continue;
		memcpy(all + *count, errors_of(runs, way, event), runs->runs * sizeof(*all));
		*count += runs->runs;
	}
	if (!*count)
		errx(2, "no event is hit %u times", OFTEN);
	qsort(all, *count, sizeof(*all), compare);
	return all;
}

static void print_ways(const struct runs *runs)
{
	const struct stream *stream = runs->stream;
	u64 hits = 0;
	u32 way, event, count, many = 0;

	for (event = 0; event < stream->events; event++) {
		hits += stream->counts[event];
		many += stream->counts[event] >= OFTEN;
	}
	printf("# %u events, %llu hits, the most of one %llu, %u slices; %u runs\n"
	       "# relative errors in %%, of the %u events that are hit %u times or more\n"
	       "%-28s %8s %7s %7s %7s %7s %7s %7s\n", stream->events, hits, stream_most(stream),
	       stream->slices, runs->runs, many, OFTEN, "# counter", "bits", "least", "1st q",
	       "median", "3rd q", "most", "mean");
	for (way = 0; way < COMPARED; way++) {
		double *all = often(runs, way, &count);
		double bits = way == ROTATED_FOUR ? 4.0 * 64 / stream->events : way_names[way].bits;

		printf("%-28s %8.1f %7.1f %7.1f %7.1f %7.1f %7.1f %7.1f\n", way_names[way].name,
		       bits, 100 * all[0], 100 * quantile(all, count, 0.25),
		       100 * quantile(all, count, 0.5), 100 * quantile(all, count, 0.75),
		       100 * all[count - 1], 100 * mean(all, count));
		free(all);
	}
}

static double beyond(const double *sorted, u32 count, double error)
{
	u32 i = count;

	while (i && sorted[i - 1] > error)
		i--;
	return (double)(count - i) / count;
}

static void print_bound(const struct runs *runs)
{
	static const double errors[] = { 0.25, 0.5, 0.75, 1, 1.5, 2 };
	u32 count, i;
	double *single = often(runs, SINGLE, &count), *group = often(runs, GROUP, &count);
	double *lfsr = often(runs, LFSR_GROUP, &count);

	printf("# P(|c' - c| > e c): the bound 1 / (2 e^2), and a fifth of it for five\n"
	       "%-6s %8s %8s %8s %8s %8s\n", "# e", "bound", "one", "of five", "five", "LFSRs");
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		double bound = 1 / (2 * errors[i] * errors[i]);

		printf("%-6g %8.3f %8.4f %8.3f %8.4f %8.4f\n", errors[i], bound,
		       beyond(single, count, errors[i]), bound / 5, beyond(group, count, errors[i]),
		       beyond(lfsr, count, errors[i]));
	}
	free(single);
	free(group);
	free(lfsr);
}

/* How often trial and next trial succeed, over all states of a register. */
static void print_lfsr(void)
{
	static const u32 shown[] = { 1, 2, 4, 8, 12, 15, 16 };
	const u32 width = 16, states = 0xffff;
	u32 i, state;

	printf("# LFSR of %u bits, all %u states: P(success), and P(success after success)\n"
	       "%-4s %12s %12s %12s\n", width, states, "# X", "2^-X", "P", "P after");
	for (i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		u32 x = shown[i], first = 0, both = 0;

		for (state = 1; state <= states; state++) {
			if (!lfsr_success(state, x, width))
				continue;
			first++;
			both += lfsr_success(lfsr_step(state, width), x, width);
		}
		printf("%-4u %12.8f %12.8f %12.8f\n", x, ldexp(1, -(int)x), (double)first / states,
		       first ? (double)both / first : 0);
	}
}

/* Mean over n, and variance over n (n - 1) / 2, of counters that counted n. */
static void print_moments_of(const double *said, u32 counters, u64 n)
{
	double sum = 0, squares = 0;
	u32 c;

	for (c = 0; c < counters; c++) {
		sum += said[c] - n;
		squares += (said[c] - n) * (said[c] - n);
	}
	printf(" %10.4f %10.4f", 1 + sum / counters / n, squares / counters / (n * (n - 1.0) / 2));
}

static void print_moments(u64 seed)
{
	enum { COUNTERS = 4000 };
	static const enum way ways[] = { SINGLE, LFSR, LFSR_FRESH };
	static const u64 shown[] = { 10, 100, 1000, 10000 };
	struct stream stream = { .events = COUNTERS };
	double *said = allocate(COUNTERS, sizeof(*said));
	u32 i, c, way;

	stream.counts = allocate(COUNTERS, sizeof(*stream.counts));
	printf("\n# %u 6-bit counters: mean / n, and variance / (n (n - 1) / 2)\n"
	       "%-8s %21s %21s %21s\n", COUNTERS, "# n", "geometric gaps", "LFSR, 1 step a hit",
	       "LFSR, 32 steps a hit");
	for (i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		for (c = 0; c < COUNTERS; c++)
			stream.counts[c] = shown[i];
		printf("%-8llu", shown[i]);
		for (way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
			count_stream(&stream, ways[way], seed, said);
			print_moments_of(said, COUNTERS, shown[i]);
		}
		putchar('\n');
	}
	free(stream.counts);
	free(said);
}

static const char usage[] =
"Usage: xu [--seed N] [--runs N] VERB [STREAM]\n"
"\n"
"  table STREAM    errors of each way to count, and the bound beside what was seen\n"
"  events STREAM   errors by event, for gnuplot\n"
"  lfsr            the LFSR's windows beside geometric gaps\n"
"  check           tests, as TAP\n"
"\n"
"STREAM is a file of bench/events/record. The default is 50 runs, and seed 1.\n";

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "runs", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	struct stream stream;
	struct runs runs;
	u64 seed = 1, count = 50;
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 's': seed = number_option("--seed", optarg, 1, UINT64_MAX); break;
		case 'r': count = number_option("--runs", optarg, 2, 100000); break;
		case 'h': fputs(usage, stdout); return 0;
		default: fputs(usage, stderr); return 2;
		}
	}
	argv += optind;
	argc -= optind;
	if (!shim_init(1, 1))
		errx(1, "out of memory");
	shim_be(0);
	if (argc == 1 && !strcmp(*argv, "check"))
		return check(seed);
	if (argc == 1 && !strcmp(*argv, "lfsr")) {
		print_lfsr();
		print_moments(seed);
		return 0;
	}
	if (argc != 2 || (strcmp(*argv, "table") && strcmp(*argv, "events"))) {
		fputs(usage, stderr);
		return 2;
	}
	stream_read(&stream, argv[1]);
	run_all(&runs, &stream, count, seed);
	if (!strcmp(*argv, "events")) {
		print_events(&runs);
	} else {
		print_ways(&runs);
		putchar('\n');
		print_bound(&runs);
	}
	runs_free(&runs);
	stream_free(&stream);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/smp.h>

#include "designs.h"
#include "engine.h"
#include "figures.h"
#include "profile.h"
#include "streams.h"
#include "util.h"

#define ALPHABET	5000000		/* as in the paper */
#define QUERY_EVERY	50000		/* figure 1: elements of all streams */
#define REPEATS_MAX	99
#define ELEMENTS_MAX	1e8		/* of all streams: 400 MB */

struct figure {
	u32 number;
	const char *title;
	const char *paper;		/* what its text says; it prints no single points */
	double alphas[FIGURES_LIST];
	double failures[FIGURES_LIST];
	bool measured_only;
	void (*head)(void);
	bool (*line)(const struct figure_options *options, const struct streams *streams,
		     double alpha, double failure);
};

struct outcome {
	double seconds;
	double spent[SECTIONS];		/* per cent */
	struct worker sums;
};

static struct {
	const struct streams *streams;
	struct topk_table *table;
	u32 from;
	u64 seed;
	u64 failure;		/* of 2^32 reads */
	bool queries;
} run;

static void query(u32 thread)
{
	topk_snapshot_free(paper_merge(run.table, thread, run.streams->streams, engine_meet));
}

static void body(u32 thread)
{
	const u32 *element = run.streams->element[thread];
	u32 every = max(QUERY_EVERY / run.streams->streams, 1U), i;
	u64 seed = derive_seed(run.seed, "reads", thread);

	for (i = run.from; i < run.streams->length; i++) {
		u64 key = key_of(element[i]);

		/* A read that fails: the element has not come yet. */
		while (run.failure && next_seed(&seed) >> 32 < run.failure)
			shim_relax();
		run.table->ops->add(run.table, &key, 1);
		engine_step();
		if (run.queries && i % every == every - 1)
			query(thread);
	}
}

/* The model starts with full tables: the first halves of the streams cost nothing. */
static void warm_up(const struct streams *streams)
{
	u32 i, j;

	run.from = engine_is_model() ? streams->length / 2 : 0;
	for (j = 0; j < run.from; j++) {
		for (i = 0; i < streams->streams; i++) {
			u64 key = key_of(streams->element[i][j]);

			shim_be(i);
			run.table->ops->add(run.table, &key, 1);
		}
	}
}

static void sum_profiles(struct outcome *outcome)
{
	double all = 0;
	u32 i, j;

	for (i = 0; i < PROFILES_MAX; i++)
		for (j = 0; j < SECTIONS; j++)
			outcome->spent[j] += profiles[i].spent[j];
	for (j = 0; j < SECTIONS; j++)
		all += outcome->spent[j];
	for (j = 0; j < SECTIONS && all; j++)
		outcome->spent[j] *= 100 / all;
}

/* No run counts in which a hit is lost. */
static bool judge(const struct topk_ops *ops, const struct streams *streams)
{
	const struct topk_query all = { .most = ~0U };
	struct scounter_topk_header *header = topk_snapshot(run.table, &all);
	u64 hits = (u64)streams->streams * streams->length;
	bool good = header && header->total == hits;

	if (!good)
		fprintf(stderr, "topk-paper: %s: %llu of %llu hits are there\n", ops->name,
			header ? (unsigned long long)header->total : 0, (unsigned long long)hits);
	topk_snapshot_free(header);
	return good;
}

static struct topk_table *create(const struct topk_ops *ops, const struct figure_options *options)
{
	const struct summary_options tuned = {
		.capacity = options->capacity, .waiting = PAPER_WAITING,
		.tunes = true, .queue_limit = options->queue_limit,
	};
	u64 seed = options->seed;
	struct topk_secret secret = random_secret(&seed);

	if (ops == &paper_tuned_ops)
		return paper_coop_create(ops, &tuned, &secret);
	return ops->create(options->capacity, sizeof(u64), &secret);
}

static bool try_once(const struct topk_ops *ops, const struct figure_options *options,
		     const struct streams *streams, double failure, struct outcome *outcome)
{
	bool good;

	memset(outcome, 0, sizeof(*outcome));
	if (!engine_begin(streams->streams))
		return false;
	run.streams = streams;
	run.seed = options->seed;
	run.failure = failure * 4294967296.0;
	run.queries = ops == &paper_independent_ops;
	run.table = create(ops, options);
	if (IS_ERR_OR_NULL(run.table)) {
		fputs("topk-paper: no memory for a table\n", stderr);
		return false;
	}
	memset(profiles, 0, sizeof(profiles));
	warm_up(streams);
	outcome->seconds = engine_run(streams->streams, body);
	sum_profiles(outcome);
	if (ops->design == SCOUNTER_TOPK_COOPERATIVE)
		paper_sums(run.table, &outcome->sums);
	good = judge(ops, streams);
	ops->destroy(run.table);
	engine_end();
	return good;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of several runs of each design, in turn. */
static bool race(const struct topk_ops *const *ops, u32 n, const struct figure_options *options,
		 const struct streams *streams, double failure, double *median)
{
	u32 repeats = engine_is_model() ? 1 : options->repeats, i, j;
	double seconds[4][REPEATS_MAX];
	struct outcome outcome;

	for (j = 0; j < repeats; j++) {
		for (i = 0; i < n; i++) {
			if (!try_once(ops[i], options, streams, failure, &outcome))
				return false;
			seconds[i][j] = outcome.seconds;
		}
	}
	for (i = 0; i < n; i++) {
		qsort(seconds[i], repeats, sizeof(double), by_size);
		median[i] = seconds[i][repeats / 2];
	}
	return true;
}

static void start_line(double alpha, const struct streams *streams)
{
	printf("%5.1f %7u", alpha, streams->streams);
}

static void profile_head(void)
{
	printf("%9s %9s %9s %9s\n", "count %", "merge %", "wait %", "rest %");
}

static bool profile_line(const struct figure_options *options, const struct streams *streams,
			 double alpha, double failure)
{
	struct outcome outcome;

	profile_on = true;
	if (!try_once(&paper_independent_ops, options, streams, failure, &outcome))
		return false;
	start_line(alpha, streams);
	printf(" %9.1f %9.1f %9.1f %9.1f\n", outcome.spent[SECTION_COUNT],
	       outcome.spent[SECTION_MERGE], outcome.spent[SECTION_WAIT],
	       outcome.spent[SECTION_REST]);
	return true;
}

static void locks_head(void)
{
	printf(" %9s %9s %9s %9s %9s\n", "element %", "bucket %", "hash %", "summary %", "rest %");
}

static bool locks_line(const struct figure_options *options, const struct streams *streams,
		       double alpha, double failure)
{
	struct outcome outcome;

	profile_on = true;
	if (!try_once(&paper_shared_ops, options, streams, failure, &outcome))
		return false;
	start_line(alpha, streams);
	printf(" %9.1f %9.1f %9.1f %9.1f %9.1f\n", outcome.spent[SECTION_ELEMENT],
	       outcome.spent[SECTION_BUCKET], outcome.spent[SECTION_HASH],
	       outcome.spent[SECTION_SUMMARY], outcome.spent[SECTION_REST]);
	return true;
}

static const struct topk_ops *const without_tuning[] = { &paper_coop_ops, &paper_shared_ops };
static const struct topk_ops *const with_tuning[] = { &paper_tuned_ops, &paper_shared_ops,
						      &paper_coop_ops };

static void times_head(void)
{
	printf(" %13s %13s %9s %9s\n", "coop-paper ms", "shared ms", "speedup", "paper");
}

static bool times_line(const struct figure_options *options, const struct streams *streams,
		       double alpha, double failure)
{
	double median[2];

	if (!race(without_tuning, 2, options, streams, failure, median))
		return false;
	start_line(alpha, streams);
	printf(" %13.3f %13.3f %9.2f %9s\n", 1e3 * median[0], 1e3 * median[1],
	       median[1] / median[0], alpha >= 1.5 ? "2 to 5.5" : "-");
	return true;
}

static void failures_head(void)
{
	printf(" %9s %13s %13s %9s\n", "fails %", "coop-paper ms", "shared ms", "speedup");
}

static bool failures_line(const struct figure_options *options, const struct streams *streams,
			  double alpha, double failure)
{
	double median[2];

	if (!race(without_tuning, 2, options, streams, failure, median))
		return false;
	start_line(alpha, streams);
	printf(" %9.0f %13.3f %13.3f %9.2f\n", 100 * failure, 1e3 * median[0], 1e3 * median[1],
	       median[1] / median[0]);
	return true;
}

static void tuning_head(void)
{
	printf(" %16s %13s %9s %9s %11s %9s\n", "coop-paper-at ms", "shared ms", "speedup",
	       "paper", "overhead %", "paper");
}

static bool tuning_line(const struct figure_options *options, const struct streams *streams,
			double alpha, double failure)
{
	double median[3];

	if (!race(with_tuning, 3, options, streams, failure, median))
		return false;
	start_line(alpha, streams);
	printf(" %16.3f %13.3f %9.2f %9s %11.2f %9s\n", 1e3 * median[0], 1e3 * median[1],
	       median[1] / median[0], alpha <= 1 ? "~2" : "-", 100 * (median[0] / median[2] - 1),
	       alpha >= 1.5 ? "~5" : "-");
	return true;
}

static void inside_head(void)
{
	printf(" %6s %9s %7s %7s %6s %8s %8s %11s %11s %9s\n", "hash %", "summary %", "queue %",
	       "sleep %", "rest %", "queue", "longest", "left hash %", "delegated %", "bulk");
}

/*
 * Of the hits, those left in the search structure; of the requests to buckets, those
 * delegated; hits of a bulk increment, in the mean.
 */
static bool inside_line_of(const struct topk_ops *ops, const struct figure_options *options,
			   const struct streams *streams, double alpha, double failure)
{
	const struct worker *sums;
	struct outcome outcome;

	profile_on = true;
	if (!try_once(ops, options, streams, failure, &outcome))
		return false;
	sums = &outcome.sums;
	start_line(alpha, streams);
	printf(" %6.1f %9.1f %7.1f %7.1f %6.1f %8.1f %8llu %11.2f %11.2f %9.1f\n",
	       outcome.spent[SECTION_HASH], outcome.spent[SECTION_SUMMARY],
	       outcome.spent[SECTION_QUEUE], outcome.spent[SECTION_SLEEP],
	       outcome.spent[SECTION_REST],
	       sums->delegated ? (double)sums->queue_sum / sums->delegated : 0,
	       (unsigned long long)sums->queue_most, 100. * sums->left / sums->hits,
	       100. * sums->delegated / sums->requests, sums->bulks ? (double)sums->raised / sums->bulks : 0);
	return true;
}

static bool inside_line(const struct figure_options *options, const struct streams *streams,
			double alpha, double failure)
{
	return inside_line_of(&paper_coop_ops, options, streams, alpha, failure);
}

static bool inside_tuned_line(const struct figure_options *options,
			      const struct streams *streams, double alpha, double failure)
{
	return inside_line_of(&paper_tuned_ops, options, streams, alpha, failure);
}

#define SKEWED	{ 1.5, 2, 2.5, 3 }

static const struct figure figures[] = {
	{ .number = 1, .title = "what independent-paper spends its time on, a query every 50,000 elements",
	  .paper = "merging grows with the threads until it makes the design inefficient",
	  .alphas = SKEWED, .measured_only = true, .head = profile_head, .line = profile_line },
	{ .number = 2, .title = "what shared-paper spends its time on",
	  .paper = "a majority of the time, waiting for the lock of an element or of a bucket",
	  .alphas = SKEWED, .head = locks_head, .line = locks_line },
	{ .number = 5, .title = "execution time, saturated workload",
	  .paper = "coop 4195.586 ms (alpha 2, 16 streams of 10^6, 4 cores of 2.4 GHz); no other point",
	  .alphas = SKEWED, .head = times_head, .line = times_line },
	{ .number = 6, .title = "speedup of coop-paper over shared-paper",
	  .paper = "2 to 5.5",
	  .alphas = SKEWED, .head = times_head, .line = times_line },
	{ .number = 7, .title = "execution time, unsaturated workload",
	  .paper = "as saturated; the more reads fail, the closer are the two designs",
	  .alphas = SKEWED, .failures = { .1, .3, .5 }, .head = failures_head,
	  .line = failures_line },
	{ .number = 8, .title = "execution time with auto-tuning; overhead over coop-paper without",
	  .paper = "alpha <= 1: about 2 times as fast; overhead about 5 %; at alpha 2 and 16 streams 3.29 %,\n"
		   "#   though the times there, 4195.586 and 4299.514 ms, give 2.48 %",
	  .alphas = { 0.5, 1, 1.5, 2, 2.5 }, .head = tuning_head, .line = tuning_line },
	{ .number = 9, .title = "inside of coop-paper: (a) time, (b) sizes of queues, (c) delegation",
	  .paper = "(a) little in hash and summary, much in queues, more so for smaller alpha; (b) alpha >= 1.5:\n"
		   "#   mean of tens, longest of hundreds; alpha 0.5: 10^3 to 10^4 times as long;\n"
		   "#   (c) grows with the threads and with alpha",
	  .alphas = SKEWED, .head = inside_head, .line = inside_line },
	{ .number = 10, .title = "inside of coop-paper with auto-tuning: (a) time, (b) sizes of queues, (c) delegation",
	  .paper = "as figure 9; also for alpha 0.5 and 1 queues stay short",
	  .alphas = { 0.5, 1, 1.5, 2.5 }, .head = inside_head, .line = inside_tuned_line },
};

static const struct figure *figure_of(u32 number)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(figures); i++)
		if (figures[i].number == number)
			return &figures[i];
	return NULL;
}

bool figure_exists(u32 number)
{
	return figure_of(number);
}

/* What was not said is as in the figure. */
static void fill_in(const struct figure *figure, struct figure_options *options)
{
	static const double counts[] = { 4, 8, 16, 32 };
	u32 i;

	for (i = 0; !options->alpha_count && i < FIGURES_LIST; i++)
		options->alphas[i] = figure->alphas[i];
	while (options->alpha_count < FIGURES_LIST && options->alphas[options->alpha_count])
		options->alpha_count++;
	if (!options->count_count) {
		memcpy(options->counts, counts, sizeof(counts));
		options->count_count = ARRAY_SIZE(counts);
	}
	if (!figure->failures[0])
		options->failure_count = 0;
	else if (!options->failure_count)
		for (; figure->failures[options->failure_count]; options->failure_count++)
			options->failures[options->failure_count] =
				figure->failures[options->failure_count];
}

static void print_head(const struct figure *figure, const struct figure_options *options)
{
	printf("# Das et al. 2009, figure %u: %s\n# %s\n", figure->number, figure->title,
	       engine_name());
	printf("# source bench/topk/paper; seed %llu; m = %u; Zipf over %u; %u elements a stream%s",
	       (unsigned long long)options->seed, options->capacity, ALPHABET, options->length,
	       engine_is_model() ? ", the second half timed\n" : "");
	if (!engine_is_model() && figure->number >= 5 && figure->number <= 8)
		printf("; medians of %u\n", options->repeats);
	else if (!engine_is_model())
		putchar('\n');
	if (figure->number == 8 || figure->number == 10)
		printf("# auto-tuning: queues of more than %u\n", options->queue_limit);
	printf("# paper: %s\n", figure->paper);
	printf("#%4s %7s", "alpha", "streams");
	figure->head();
	fflush(stdout);
}

static bool print_lines(const struct figure *figure, const struct figure_options *options,
			const struct streams *streams, double alpha)
{
	u32 i;

	if (!options->failure_count)
		return figure->line(options, streams, alpha, 0);
	for (i = 0; i < options->failure_count; i++)
		if (!figure->line(options, streams, alpha, options->failures[i]))
			return false;
	return true;
}

static bool fits(double streams, double length)
{
	if (streams * length <= ELEMENTS_MAX)
		return true;
	fprintf(stderr, "topk-paper: %.0f streams of %.0f elements are more than %.0f elements\n",
		streams, length, ELEMENTS_MAX);
	return false;
}

int figure_print(u32 number, struct figure_options *options)
{
	const struct figure *figure = figure_of(number);
	bool good = true;
	u32 i, j;

	fill_in(figure, options);
	if (figure->measured_only && engine_is_model()) {
		fprintf(stderr, "topk-paper-sim: figure %u is measured only: what a thread has alone costs nothing on the model\n",
			number);
		return 2;
	}
	for (j = 0; j < options->count_count; j++)
		if (!engine_ready(options->counts[j]) ||
		    !fits(options->counts[j], options->length))
			return 2;
	print_head(figure, options);
	for (i = 0; good && i < options->alpha_count; i++) {
		for (j = 0; good && j < options->count_count; j++) {
			struct streams *streams = streams_make(ZIPF, options->alphas[i], ALPHABET,
							       options->counts[j], options->length,
							       options->seed);

			good = print_lines(figure, options, streams, options->alphas[i]);
			fflush(stdout);
			streams_free(streams);
		}
	}
	profile_on = false;
	return good ? 0 : 1;
}

// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>

#include "classes.h"
#include "cover.h"
#include "exact.h"
#include "table.h"
#include "util.h"
#include "value.h"

static void print_measured(u64 seed)
{
	static const char line[] =
		"=====  =====  =========  =====  =======  ======  =======  =======  =======  =======\n";
	u32 class, i;

	fputs(line, stdout);
	printf("error  Theta  n          runs   mean     s.e.    RSD      exact    limit    inside\n");
	fputs(line, stdout);
	for (class = 0; class < CLASSES; class++) {
		const struct runs *runs = class_runs(class, seed);

		for (i = 0; i < CHECKPOINTS; i++) {
			const struct tally *tally = &runs->at[i];
			struct summary summary = summarize(&tally->error);
			double percent = 100.0 / checkpoints[i];

			printf("%-5g  %-5u  %-9llu  %-5u  %+.4f  %.4f  ",
			       runs->error_ppm / 1e4, runs->theta,
			       checkpoints[i], runs->count,
			       percent * summary.mean,
			       percent * summary.mean_error);
			printf("%-7.4f  %-7.4f  %-7.4f  %.3f\n",
			       percent * sqrt(summary.variance),
			       100 * exact_rsd(runs->theta, checkpoints[i]),
			       100 * exact_limit(runs->theta),
			       100 * tally_inside(tally));
		}
	}
	fputs(line, stdout);
}

static void print_worst(void)
{
	static const char line[] =
		"=====  =====  =========  ========  ========  ========\n";
	u32 class;

	fputs(line, stdout);
	printf("error  Theta  n          largest   at most   limit\n");
	fputs(line, stdout);
	for (class = 0; class < CLASSES; class++) {
		u32 theta = scounter_bfp_theta(classes[class]);
		struct exact_worst worst = exact_worst(theta);

		printf("%-5g  %-5u  %-9llu  %-8.5f  %-8.5f  %.5f\n",
		       classes[class] / 1e4, theta, worst.n, 100 * worst.rsd,
		       100 * worst.bound, 100 * exact_limit(theta));
	}
	fputs(line, stdout);
}

/* As many runs as take some seconds: those with a cap draw to the end. */
static u32 run_count(u32 kind, u32 error_ppm)
{
	if (kind == CAPPED)
		return 200;
	return error_ppm < 10000 ? 600 : error_ppm < 50000 ? 2000 : 10000;
}

static void print_values(u64 seed)
{
	static const u32 accuracies[] = { 5000, 10000, 50000 };
	static const u64 at[] = { 1000, 100000, 10000000, 1000000000 };
	static const char line[] =
		"================================  =====  ==========  =====  =======  ======  =======  =======\n";
	u32 kind, i, j;

	fputs(line, stdout);
	printf("kind                              error  n           runs   mean     s.e.    RSD      limit\n");
	fputs(line, stdout);
	for (kind = MORRIS; kind < COUNTED; kind++) {
		for (i = 0; i < 3; i++) {
			struct value_runs runs =
				value_run(kind, accuracies[i],
					  run_count(kind, accuracies[i]), at, 4,
					  derive_seed(seed, "values", (kind - MORRIS) * 3 + i));

			for (j = 0; j < 4; j++) {
				struct summary summary = summarize(&runs.error[j]);
				double percent = 100.0 / at[j];

				printf("%-32s  %-5g  %-10llu  %-5u  %+.4f  %.4f  %-7.4f  %.4f\n",
				       counted_names[kind], accuracies[i] / 1e4, at[j],
				       runs.count, percent * summary.mean,
				       percent * summary.mean_error,
				       percent * sqrt(summary.variance),
				       100 * value_limit(&runs.rule));
			}
		}
	}
	fputs(line, stdout);
}

/* The 5th and 95th percentiles that Ayers shows, of a normal distribution. */
static void print_thresholds(u64 seed)
{
	static const u64 at[] = { 1000000 };
	static const char line[] = "=========  =======  =======  ============\n";
	u32 log2;

	fputs(line, stdout);
	printf("threshold  RSD      limit    5 %% to 95 %%\n");
	fputs(line, stdout);
	for (log2 = 10; log2 <= 15; log2++) {
		/* Between what this threshold serves and what the next does. */
		u32 ppm = 1e6 * sqrt(3 / (ldexp(4, log2) - 3)) + 1;
		struct value_runs runs = value_run(SCALABLE, ppm,
						   2000, at, 1,
						   derive_seed(seed, "threshold", log2));
		struct summary summary = summarize(&runs.error[0]);
		double rsd = 100 * sqrt(summary.variance) / at[0];

		printf("2^%-7u  %-7.4f  %-7.4f  +- %.2f\n", runs.rule.shift, rsd,
		       100 * value_limit(&runs.rule), 1.645 * rsd);
	}
	fputs(line, stdout);
}

/* Relative standard deviations in percent against n, for the 1 % class. */
void print_curve(u64 seed)
{
	enum { PPM = 10000, POINTS = 15 };
	u64 at[POINTS];
	struct value_runs runs[COUNTED];
	u32 kind, i;

	/* Powers of the square root of 10, from 100 on. */
	for (i = 0; i < POINTS; i++)
		at[i] = llround(pow(10, 2 + i / 2.0));
	for (kind = MORRIS; kind < COUNTED; kind++)
		runs[kind] = value_run(kind, PPM,
				       run_count(kind, PPM), at,
				       POINTS, derive_seed(seed, "curve", kind - MORRIS));
	printf("# seed %llu, %u runs, %u with a cap; relative standard deviation in percent, 1 %% class\n",
	       seed, runs[MORRIS].count, runs[CAPPED].count);
	printf("# n, bfp_dup (exact), morris, scalable, scalable with cap (measured)\n");
	for (i = 0; i < POINTS; i++) {
		printf("%llu %.5f", at[i], 100 * exact_rsd(scounter_bfp_theta(PPM), at[i]));
		for (kind = MORRIS; kind < COUNTED; kind++) {
			struct summary summary = summarize(&runs[kind].error[i]);

			printf(" %.5f", 100 * sqrt(summary.variance) / at[i]);
		}
		printf("\n");
	}
}

void print_tables(u64 seed)
{
	printf("Seed %llu.\n\n", seed);
	print_measured(seed);
	printf("\n");
	print_worst();
	printf("\n");
	print_values(seed);
	printf("\n");
	print_thresholds(seed);
}

#define DECADES	9

/* The largest share of misses in each decade, up to 10^9. */
static void print_covered(enum covered_word word, u32 class)
{
	u64 last = cover_last(word, classes[class], 1000000000), n, power;
	double lower[DECADES] = { 0 }, upper[DECADES] = { 0 };
	struct cover cover;
	u32 decade;

	cover_init(&cover, word, classes[class], last);
	for (n = max(cover.least, 1ULL); n <= last; n = cover_next(n)) {
		struct misses misses;

		for (decade = 0, power = 10; power < n; power *= 10)
			decade++;
		law_count(&cover.law, n);
		misses = law_misses(&cover.law, cover.lower, cover.upper);
		lower[decade] = fmax(lower[decade], misses.lower);
		upper[decade] = fmax(upper[decade], misses.upper);
	}
	printf("%-34s  %-5g", cover_names[word], classes[class] / 1e4);
	for (decade = 0, power = 1; decade < DECADES; decade++, power *= 10)
		if (power >= last || power * 10 < cover.least)
			printf("  %-9s", "-");
		else
			printf("  %4.0f %4.0f", 1e6 * lower[decade], 1e6 * upper[decade]);
	putchar('\n');
	fflush(stdout);
	cover_free(&cover);
}

void print_bounds(void)
{
	static const char line[] = "==================================  ====="
		"  =========  =========  =========  =========  ========="
		"  =========  =========  =========  =========\n";
	u32 word, class;

	printf("%skind, n at most                     error  10         10^2       10^3"
	       "       10^4       10^5       10^6       10^7       10^8       10^9\n%s",
	       line, line);
	for (word = 0; word < COVERED_WORDS; word++)
		for (class = 0; class < CLASSES; class++)
			print_covered(word, class);
	fputs(line, stdout);
}

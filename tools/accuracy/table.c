// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>

#include "classes.h"
#include "exact.h"
#include "table.h"

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

void print_tables(u64 seed)
{
	printf("Seed %llu.\n\n", seed);
	print_measured(seed);
	printf("\n");
	print_worst();
}

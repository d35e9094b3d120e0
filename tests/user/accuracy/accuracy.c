// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "exact.h"
#include "model.h"
#include "suites.h"
#include "table.h"

#define DEFAULT_SEED	1

static const char help[] =
"Usage: accuracy COMMAND [OPTION]...\n"
"\n"
"Tests how accurate scounter's approximate counters are, with the module's own\n"
"functions in user space.\n"
"\n"
"Commands:\n"
"  check [PART OF A NAME]\n"
"             run all tests, or some; the output is TAP\n"
"  table      print measured and exact errors as tables in reStructuredText\n"
"  bounds     print how often the bounds miss the truth, exactly, as a table\n"
"  curve      print relative standard deviations against n, as columns\n"
"  variance   print the exact error of bfp_dup: needs --error and --n\n"
"\n"
"Options:\n"
"  --seed N     what all random numbers are derived from (all but variance; 1)\n"
"  --error PPM  relative standard deviation asked for, 5000 to 200000\n"
"  --n N        number of events, 1 to 2^42\n"
"  --help       print this text\n"
"\n"
"check, table, bounds and curve run for one to three minutes and say on standard error\n"
"how far they are.  The same seed gives the same output.\n"
"\n"
"Exit status: 0 if all is well, 1 if a test failed, 2 for a wrong argument.\n";

struct options {
	const char *command;
	const char *part;	/* of the names of tests */
	u64 seed, error, n;
};

static int usage(const char *complaint)
{
	fprintf(stderr, "accuracy: %s; see accuracy --help\n", complaint);
	return 2;
}

/* A decimal or, with 0x, hexadecimal number. */
static bool parse_number(const char *text, u64 *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

static int print_variance(const struct options *options)
{
	u32 theta;

	if (options->error < SCOUNTER_ERROR_PPM_MIN ||
	    options->error > SCOUNTER_ERROR_PPM_MAX)
		return usage("--error must be from 5000 to 200000");
	if (!options->n || options->n > EXACT_EVENTS_MAX)
		return usage("--n must be from 1 to 2^42");
	theta = scounter_bfp_theta(options->error);
	printf("error %llu ppm, Theta %u, n %llu\n", options->error, theta,
	       options->n);
	printf("variance                     %.12g\n",
	       exact_variance(theta, options->n));
	printf("relative standard deviation  %.8f %%\n",
	       100 * exact_rsd(theta, options->n));
	printf("limit for large n            %.8f %%\n",
	       100 * exact_limit(theta));
	return 0;
}

static int run(const struct options *options)
{
	if (!strcmp(options->command, "check"))
		return suites_run(options->seed, options->part);
	if (!strcmp(options->command, "table")) {
		print_tables(options->seed);
		return 0;
	}
	if (!strcmp(options->command, "bounds")) {
		print_bounds();
		return 0;
	}
	if (!strcmp(options->command, "curve")) {
		print_curve(options->seed);
		return 0;
	}
	if (!strcmp(options->command, "variance"))
		return print_variance(options);
	return usage("no such command");
}

int main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "error", required_argument, NULL, 'e' },
		{ "n", required_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct options options = { .seed = DEFAULT_SEED };
	bool valid = true;
	int option, status;

	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		switch (option) {
		case 's':
			valid &= parse_number(optarg, &options.seed);
			break;
		case 'e':
			valid &= parse_number(optarg, &options.error);
			break;
		case 'n':
			valid &= parse_number(optarg, &options.n);
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			return 2;
		}
	}
	if (!valid)
		return usage("not a number");
	if (optind == argc)
		return usage("needs a command");
	model_init(1, 1);
	options.command = argv[optind++];
	options.part = "";
	if (optind < argc && !strcmp(options.command, "check"))
		options.part = argv[optind++];
	if (optind < argc)
		return usage("needs one command");
	status = run(&options);
	if (fflush(stdout) || ferror(stdout)) {
		perror("accuracy");
		return 2;
	}
	return status;
}

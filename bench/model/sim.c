// SPDX-License-Identifier: GPL-2.0
/* The program: options, and what comes out. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests.h"
#include "workload.h"

#define LIST_MAX	64

static const char usage[] =
"Usage: sim run [OPTION]...     increments on a modelled machine\n"
"       sim check               the tests of the model\n"
"       sim kinds               the counters that there are\n"
"\n"
"  -m, --machine FILE      description of the machine (needed)\n"
"  -k, --kind LIST         kinds of counters, separated by commas (approx)\n"
"  -t, --threads LIST      numbers of threads (1)\n"
"  -w, --work LIST         external work in percent, 0 to 99.99 (0)\n"
"  -c, --counters N        1, or one hot and N - 1 others, used in turn (1)\n"
"  -P, --packed            words without a name, side by side: 16 or 8 a cache line\n"
"  -p, --preload N         events added beforehand (10000000)\n"
"  -H, --history N         increments made beforehand, one by one (0)\n"
"  -n, --operations N      increments to measure at most (200000)\n"
"  -d, --duration MS       modelled milliseconds to measure at most (4)\n"
"  -R, --resets N          the same time as N parts that stand for a second each; in the\n"
"                          middle of each the hot counter is reset (0)\n"
"  -I, --integrate MS      the mean of so many modelled milliseconds from zero on: -n\n"
"                          increments in each factor of 1.7, the others added (0)\n"
"  -C, --cold              from the first increment of a new counter on: neither of both\n"
"  -s, --seed N            any but 0 (1)\n"
"  -r, --runs N            runs with seeds from N on; each is a line (1)\n"
"  -j, --json              a JSON object a line instead of a table\n"
"\n"
"Modelled times are of the machine in the file, not of this one.  The same\n"
"options give the same figures.  Exit status: 0; 1 if a run or a test failed; 2 for\n"
"a wrong option or machine file.\n";

struct options {
	struct machine machine;
	const struct counter_type *types[LIST_MAX];
	double threads[LIST_MAX], work[LIST_MAX];
	int types_count, threads_count, work_count;
	double counters, preload, history, operations, duration, integrate, resets, seed, runs;
	bool has_machine, packed, cold, json;
};

static bool number(const char *text, double least, double most, bool whole, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	return end != text && !*end && !errno && *value >= least && *value <= most &&
	       (!whole || *value == (double)(long long)*value);
}

static bool one_number(const char *option, const char *text, double least, double most,
		       double *value)
{
	if (number(text, least, most, true, value))
		return true;
	fprintf(stderr, "sim: --%s: '%s' is no whole number from %.0f to %.0f\n",
		option, text, least, most);
	return false;
}

static bool number_list(const char *option, char *text, double least, double most,
			bool whole, double *values, int *count)
{
	char *part;

	*count = 0;
	while ((part = strsep(&text, ","))) {
		if (*count == LIST_MAX ||
		    !number(part, least, most, whole, &values[(*count)++])) {
			fprintf(stderr, "sim: --%s: '%s' is no number from %g to %g\n",
				option, part, least, most);
			return false;
		}
	}
	return true;
}

static bool type_list(struct options *options, char *text)
{
	char *part;

	options->types_count = 0;
	while ((part = strsep(&text, ","))) {
		const struct counter_type *type = counter_type(part);

		if (!type || options->types_count == LIST_MAX) {
			fprintf(stderr, "sim: no kind '%s'; 'sim kinds' lists them\n", part);
			return false;
		}
		options->types[options->types_count++] = type;
	}
	return true;
}

static bool parse_option(struct options *options, int option)
{
	switch (option) {
	case 'h':
		fputs(usage, stdout);
		exit(0);
	case 'm':
		options->has_machine = true;
		return machine_read(&options->machine, optarg);
	case 'k':
		return type_list(options, optarg);
	case 't':
		return number_list("threads", optarg, 1, MACHINE_CPUS_MAX, true,
				   options->threads, &options->threads_count);
	case 'w':
		return number_list("work", optarg, 0, 99.99, false,
				   options->work, &options->work_count);
	case 'c':
		return one_number("counters", optarg, 1, 16000, &options->counters);
	case 'p':
		return one_number("preload", optarg, 0, 1e15, &options->preload);
	case 'H':
		return one_number("history", optarg, 0, 1e12, &options->history);
	case 'n':
		return one_number("operations", optarg, 1, 1e9, &options->operations);
	case 'd':
		return one_number("duration", optarg, 1, 1e6, &options->duration);
	case 'I':
		return one_number("integrate", optarg, 0, 1e6, &options->integrate);
	case 'R':
		return one_number("resets", optarg, 0, 1000, &options->resets);
	case 'P':
		options->packed = true;
		return true;
	case 'C':
		options->cold = true;
		return true;
	case 's':
		return one_number("seed", optarg, 1, 1e15, &options->seed);
	case 'r':
		return one_number("runs", optarg, 1, 1000, &options->runs);
	case 'j':
		options->json = true;
		return true;
	}
	return false;
}

static bool parse(struct options *options, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "machine", required_argument, NULL, 'm' },
		{ "kind", required_argument, NULL, 'k' },
		{ "threads", required_argument, NULL, 't' },
		{ "work", required_argument, NULL, 'w' },
		{ "counters", required_argument, NULL, 'c' },
		{ "preload", required_argument, NULL, 'p' },
		{ "history", required_argument, NULL, 'H' },
		{ "operations", required_argument, NULL, 'n' },
		{ "duration", required_argument, NULL, 'd' },
		{ "integrate", required_argument, NULL, 'I' },
		{ "resets", required_argument, NULL, 'R' },
		{ "packed", no_argument, NULL, 'P' },
		{ "cold", no_argument, NULL, 'C' },
		{ "seed", required_argument, NULL, 's' },
		{ "runs", required_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int option, i;

	while ((option = getopt_long(argc, argv, "m:k:t:w:c:Pp:H:n:d:I:R:Cs:r:jh", longs, NULL)) != -1)
		if (!parse_option(options, option))
			return false;
	if (optind < argc) {
		fprintf(stderr, "sim: what is '%s'? See sim --help\n", argv[optind]);
		return false;
	}
	if (!options->has_machine) {
		fprintf(stderr, "sim: --machine is needed; there are some in bench/model/machines\n");
		return false;
	}
	if (options->integrate && (options->cold || options->resets || options->history)) {
		fprintf(stderr, "sim: --integrate begins at zero: no --cold, --history or --resets\n");
		return false;
	}
	for (i = 0; i < options->types_count; i++) {
		if (options->packed && !counter_has_words(options->types[i])) {
			fprintf(stderr, "sim: --packed: %s has no words of four or eight bytes\n",
				options->types[i]->name);
			return false;
		}
		if (options->resets && (options->packed || !options->types[i]->fetch_reset)) {
			fprintf(stderr, "sim: --resets: not of words, and not of %s\n",
				options->types[i]->name);
			return false;
		}
	}
	for (i = 0; i < options->threads_count; i++) {
		if (options->threads[i] > machine_cpus(&options->machine)) {
			fprintf(stderr, "sim: %.0f threads, but %s has %d CPUs\n",
				options->threads[i], options->machine.name,
				machine_cpus(&options->machine));
			return false;
		}
	}
	return true;
}

static void print(const struct workload *workload, const struct outcome *outcome, bool json)
{
	if (json)
		printf("{\"source\":\"modelled\",\"machine\":\"%s\",\"kind\":\"%s\",\"threads\":%d,"
		       "\"work\":%g,\"counters\":%d,\"packed\":%s,\"preload\":%llu,\"history\":%llu,\"integrate\":%g,\"resets\":%d,\"seed\":%llu,"
		       "\"per_ms\":%.3f,\"ns\":%.4f,\"error\":%.8f,\"period_error\":%.8f,"
		       "\"ms\":%.6f,\"misses\":%.5f,\"transfers\":%.5f,\"pauses\":%llu,"
		       "\"operations\":%llu,\"bytes\":%llu}\n",
		       workload->machine->name, workload->type->name, workload->threads,
		       workload->work, workload->counters,
		       workload->packed ? "true" : "false",
		       (unsigned long long)workload->preload,
		       (unsigned long long)workload->history, workload->integrate, workload->resets,
		       (unsigned long long)workload->seed, outcome->per_ms, outcome->ns,
		       outcome->error, outcome->period_error, outcome->milliseconds,
		       outcome->misses, outcome->transfers,
		       (unsigned long long)outcome->pauses,
		       (unsigned long long)outcome->operations,
		       (unsigned long long)outcome->bytes);
	else
		printf("%-16s %7d %6g %12.0f %10.2f %9.3f %9.3f %8.4f %8.4f %7llu %7llu\n",
		       workload->type->name, workload->threads, workload->work,
		       outcome->per_ms, outcome->ns, 100 * outcome->error,
		       100 * outcome->period_error, outcome->misses, outcome->transfers,
		       (unsigned long long)outcome->pauses,
		       (unsigned long long)outcome->bytes);
	fflush(stdout);
}

static void progress(int done, int all)
{
	static time_t said;
	time_t now = time(NULL);

	if (!said)
		said = now;
	if (now - said < 3)
		return;
	said = now;
	fprintf(stderr, "sim: %d of %d runs\n", done, all);
}

static int run_all(const struct options *options)
{
	int all = options->types_count * options->threads_count * options->work_count *
		  (int)options->runs;
	int i;

	if (!options->json) {
		printf("%s: %llu nodes of %llu CPUs; modelled; seed %.0f; %.0f counter%s\n",
		       options->machine.name, (unsigned long long)options->machine.nodes,
		       (unsigned long long)options->machine.cpus_per_node, options->seed,
		       options->counters, options->counters > 1 ? "s" : "");
		printf("%-16s %7s %6s %12s %10s %9s %9s %8s %8s %7s %7s\n", "kind", "threads",
		       "work %", "incs/ms", "ns/inc", "error %", "lately %", "misses",
		       "remote", "pauses", "bytes");
	}
	for (i = 0; i < all; i++) {
		int rest = i / (int)options->runs;
		struct workload workload = {
			.machine = &options->machine,
			.counters = options->counters,
			.packed = options->packed,
			.cold = options->cold,
			.preload = options->cold || options->integrate ? 0 : options->preload,
			.integrate = options->integrate,
			.history = options->cold ? 0 : options->history,
			.operations = options->operations,
			.milliseconds = options->duration,
			.resets = options->resets,
			.seed = options->seed + i % (int)options->runs,
		};
		struct outcome outcome;

		workload.threads = options->threads[rest % options->threads_count];
		rest /= options->threads_count;
		workload.work = options->work[rest % options->work_count];
		workload.type = options->types[rest / options->work_count];
		if (!workload_run(&workload, &outcome))
			return 1;
		print(&workload, &outcome, options->json);
		progress(i + 1, all);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct options options = {
		.types = { counter_type("approx") }, .types_count = 1,
		.threads = { 1 }, .threads_count = 1,
		.work_count = 1,
		.counters = 1, .preload = 1e7, .operations = 200000, .duration = 4,
		.seed = 1, .runs = 1,
	};
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
		return tests_run();
	if (!strcmp(verb, "run"))
		return parse(&options, argc - 1, argv + 1) ? run_all(&options) : 2;
	fputs(usage, stderr);
	return 2;
}

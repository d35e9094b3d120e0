// SPDX-License-Identifier: GPL-2.0
/*
 * functions: the most called, from counters of 16 bits by address.  Functions of one name,
 * in one module or the kernel itself, are one row.
 */
#include <fnmatch.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "scounter.h"
#include "events.h"

#define PREFIX	"function:"

/* Up to this count of a function each call is seen, then at least one in 1 + count / EXACT. */
#define EXACT	2048

struct function {
	char *name, *module;
	uint64_t calls;		/* as the file has it */
	double variance;	/* of calls, at most */
	uint64_t events;	/* of the time that is looked at */
};

struct functions {
	struct function *function;
	size_t count;
	uint64_t missed, bytes;
	struct timespec when;
};

static struct function *add(struct functions *functions)
{
	functions->function = events_room(functions->function, functions->count,
					  sizeof(struct function));
	return &functions->function[functions->count++];
}

static void take_function(char *line, void *argument)
{
	char name[1024], module[256] = "";
	struct functions *functions = argument;
	struct function *function;
	uint64_t calls;
	double percent;

	if (*line == '#') {
		sscanf(line, "# missed %" SCNu64, &functions->missed);
		sscanf(line, "# bytes %" SCNu64, &functions->bytes);
		return;
	}
	if (sscanf(line, "%" SCNu64 " %lf%% %1023s [%255[^]]", &calls, &percent, name, module) < 3)
		fail(FAILED, "%s: a line that cannot be: %s", events_path("functions"), text_dup(line));
	function = add(functions);
	*function = (struct function) {
		.name = text_dup(name), .module = text_dup(module), .calls = calls,
		.variance = pow((double)calls * percent / 100, 2), .events = calls,
	};
}

static void release(struct function *function)
{
	free(function->name);
	free(function->module);
}

static void release_all(struct functions *functions)
{
	size_t i;

	for (i = 0; i < functions->count; i++)
		release(&functions->function[i]);
	free(functions->function);
}

static int by_name(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->module, y->module);
}

static int by_events(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->events != y->events)
		return x->events < y->events ? 1 : -1;
	return by_name(a, b);
}

static void merge_names(struct functions *functions)
{
	struct function *to = functions->function, *next = to;
	size_t i;

	if (!functions->count)
		return;
	for (i = 1; i < functions->count; i++) {
		next++;
		if (by_name(to, next)) {
			*++to = *next;
			continue;
		}
		to->calls += next->calls;
		to->events += next->events;
		to->variance += next->variance;
		release(next);
	}
	functions->count = to - functions->function + 1;
}

/* In the order of the names */
static void read_functions(struct functions *functions)
{
	*functions = (struct functions) { 0 };
	events_lines("functions", take_function, functions);
	clock_gettime(CLOCK_MONOTONIC, &functions->when);
	if (!functions->bytes)
		fail(FAILED, "no function is attached; to count all: scounter attach '" PREFIX "*'");
	if (functions->count)
		qsort(functions->function, functions->count, sizeof(struct function), by_name);
	merge_names(functions);
}

/*
 * Of the calls since `before`.  Their variance is at most that of all calls, and at most
 * what they alone add, each seen with a chance of 1 in 1 + calls / EXACT or more.
 */
static void set_events(struct function *function, const struct functions *before)
{
	const struct function *old = NULL;

	if (before->count)
		old = bsearch(function, before->function, before->count, sizeof(*old), by_name);
	/* Less than before: attached anew. */
	if (!old || old->calls > function->calls)
		return;
	function->events = function->calls - old->calls;
	function->variance = fmin(function->variance,
				  (double)function->events * function->calls / EXACT);
}

static double read_rates(struct functions *functions, double seconds)
{
	struct functions before;
	size_t i;

	read_functions(&before);
	usleep(seconds * 1e6);
	read_functions(functions);
	for (i = 0; i < functions->count; i++)
		set_events(&functions->function[i], &before);
	seconds = functions->when.tv_sec - before.when.tv_sec +
		  (functions->when.tv_nsec - before.when.tv_nsec) / 1e9;
	release_all(&before);
	return seconds;
}

static bool is_wanted(const struct function *function, char **patterns)
{
	if (!function->events)
		return false;
	if (!*patterns)
		return true;
	for (; *patterns; patterns++) {
		const char *pattern = *patterns;

		if (!strncmp(pattern, PREFIX, strlen(PREFIX)))
			pattern += strlen(PREFIX);
		if (!fnmatch(pattern, function->name, 0))
			return true;
	}
	return false;
}

static void select_functions(struct functions *functions, char **patterns)
{
	size_t i, kept = 0;

	for (i = 0; i < functions->count; i++) {
		if (is_wanted(&functions->function[i], patterns))
			functions->function[kept++] = functions->function[i];
		else
			release(&functions->function[i]);
	}
	functions->count = kept;
	if (kept)
		qsort(functions->function, kept, sizeof(struct function), by_events);
}

static double events_of(const struct functions *functions, size_t first)
{
	double sum = 0;

	for (; first < functions->count; first++)
		sum += functions->function[first].events;
	return sum;
}

/* `seconds` is 0 where no rate is asked for. */
static void print_row(const struct function *f, double all, double seconds, bool tsv)
{
	double share = 100 * f->events / all, error = 100 * sqrt(f->variance) / f->events;
	char rate[32] = "-";

	if (seconds > 0)
		snprintf(rate, sizeof(rate), "%.1f", f->events / seconds);
	if (tsv) {
		printf("%s\t%s\t%" PRIu64 "\t%s\t%.4f%%\t%.4f%%\n", f->name, f->module, f->calls,
		       rate, share, error);
		return;
	}
	printf("%20" PRIu64, f->calls);
	if (seconds > 0)
		printf(" %14s", rate);
	printf(" %9.4f%% %9.4f%%  %s", share, error, f->name);
	printf(*f->module ? " [%s]\n" : "\n", f->module);
}

static void print_functions(const struct functions *functions, size_t top, double all,
			    double seconds, bool tsv)
{
	size_t shown = top && top < functions->count ? top : functions->count, i;

	if (tsv)
		puts("function\tmodule\tcalls\trate\tshare\terror");
	else
		printf("%20s%s %10s %10s  FUNCTION\n", "CALLS", seconds > 0 ? "         RATE/s" : "",
		       "SHARE", "ERROR");
	for (i = 0; i < shown; i++)
		print_row(&functions->function[i], all, seconds, tsv);
	if (tsv || shown == functions->count)
		return;
	printf("%20s", "");
	if (seconds > 0)
		printf(" %14.1f", events_of(functions, shown) / seconds);
	printf(" %9.4f%% %10s  (%zu others)\n", 100 * events_of(functions, shown) / all, "",
	       functions->count - shown);
}

/* --rate SECONDS, too, as no function's name begins with a digit. */
static double interval_of(int argc, char **argv)
{
	const char *text = optarg;

	if (!text && optind < argc && argv[optind][0] >= '0' && argv[optind][0] <= '9')
		text = argv[optind++];
	return text ? seconds_of("--rate", text) : 1;
}

int cmd_functions(int argc, char **argv)
{
	static const struct option options[] = {
		{ "top", required_argument, NULL, 'n' },
		{ "rate", optional_argument, NULL, 'r' },
		{ "tsv", no_argument, NULL, 't' },
		{}
	};
	struct functions functions;
	unsigned long top = 0;
	double seconds = 0, all;
	bool tsv = false;
	int option, status;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'n': top = number_of("--top", optarg); break;
		case 'r': seconds = interval_of(argc, argv); break;
		case 't': tsv = true; break;
		default: return USAGE;
		}
	}
	if (seconds > 0)
		seconds = read_rates(&functions, seconds);
	else
		read_functions(&functions);
	all = events_of(&functions, 0);
	select_functions(&functions, argv + optind);
	status = functions.count || optind == argc ? OK : FAILED;
	print_functions(&functions, top, all, seconds, tsv);
	if (status)
		warn("no such function was called");
	if (functions.missed)
		warn("%" PRIu64 " calls are in no count", functions.missed);
	release_all(&functions);
	return status;
}

// SPDX-License-Identifier: GPL-2.0
/* The command: options for all subcommands, and the table of these. */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scounter.h"

static const struct command commands[] = {
	{ "list", "a table of the counters", "list [--tsv] [--verbose] [--wide] [PATTERN...]", cmd_list },
	{ "read", "values only: name, tab, value", "read [--value] PATTERN...", cmd_read },
	{ "sum", "the total of counters, with its error", "sum [--tsv] PATTERN...", cmd_sum },
	{ "merge", "the sums of what many machines have counted",
	  "merge [--output FILE] [--tsv] [--top N] [--clones] FILE...", cmd_merge },
	{ "watch", "rates with error bars, live",
	  "watch [--interval S] [--count N] [--batch | --plain] [--raw] [--sort rate|value|name] [PATTERN...]",
	  cmd_watch },
	{ "record", "append snapshots to a file",
	  "record --output FILE [--interval S] [--count N] [--tables] [PATTERN...]", cmd_record },
	{ "report", "what a recording shows",
	  "report [--tsv | --csv | --html PAGE.html | --gnuplot PICTURE.png] FILE [PATTERN...]", cmd_report },
	{ "diff", "what was counted between two snapshots",
	  "diff [--tsv] BEFORE AFTER [PATTERN...]", cmd_diff },
	{ "export", "for monitoring and for programs",
	  "export --openmetrics | --prometheus | --json | --otlp [--tables N] [--state FILE] [--output FILE] [PATTERN...]",
	  cmd_export },
	{ "reset", "set counters to zero (root)", "reset PATTERN...", cmd_reset },
	{ "kinds", "the kinds of counters", "kinds [--wide]", cmd_kinds },
	{ "events", "what the kernel does that could be counted, or is (root)",
	  "events [--attached [--top N]] [--tsv] [PATTERN...]", cmd_events },
	{ "attach", "count events: tracepoints and functions (root)",
	  "attach [--kind exact|approx] [--error PERCENT] [--group NAME] [--top FIELD[,FIELD...] [--entries N]] [--sum FIELD] [--hist FIELD] PATTERN...", cmd_attach },
	{ "detach", "count them no longer (root)", "detach PATTERN...", cmd_detach },
	{ "functions", "the most called functions of the kernel (root)",
	  "functions [--top N] [--rate [SECONDS]] [--tsv] [PATTERN...]", cmd_functions },
	{ "top", "the most frequent keys of a table, live (root)",
	  "top [--entries N] [--interval S] [--count N] [--batch] EVENT|GROUP/TABLE", cmd_top },
	{ "topk", "the tables of frequent items",
	  "topk [GROUP/NAME [--top N] [--raw] [--tsv] [--watch [--interval S] [--count N] [--batch]]]",
	  cmd_topk },
	{ "array", "arrays of counters, and what cells of one to take",
	  "array list\n"
	  "       scounter array show [--top N | --histogram] GROUP/NAME\n"
	  "       scounter array sum GROUP/NAME\n"
	  "       scounter array choose --max N [--bits N | --error PERCENT]\n"
	  "       scounter array range --kind KIND --bits N [--q Q] [--m N] [--theta N]", cmd_array },
};

const struct command *current;
const char *from;
bool colour;
void (*leave_screen)(void);

void warn(const char *format, ...)
{
	va_list list;

	fflush(stdout);
	fputs("scounter: ", stderr);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
}

void fail(int status, const char *format, ...)
{
	va_list list;

	if (leave_screen)
		leave_screen();
	fflush(stdout);
	fputs("scounter: ", stderr);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
	exit(status);
}

void usage_error(const char *format, ...)
{
	va_list list;

	fputs("scounter: ", stderr);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fprintf(stderr, "; see scounter %s%s--help\n", current ? current->name : "",
		current ? " " : "");
	exit(USAGE);
}

double seconds_of(const char *option, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (*end || end == text || !(value >= 0.01 && value <= 1e6))
		usage_error("%s wants seconds from 0.01 to 1000000, not '%s'", option, text);
	return value;
}

unsigned long number_of(const char *option, const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || end == text || *text == '-' || !value)
		usage_error("%s wants a number above 0, not '%s'", option, text);
	return value;
}

const char *root_of(const char *variable, const char *otherwise)
{
	const char *root = getenv(variable);

	return root && *root ? root : otherwise;
}

const char *sysfs_root(void)
{
	return root_of("SCOUNTER_SYSFS", "/sys/kernel/scounter");
}

static void help(FILE *file)
{
	unsigned int i;

	fputs("Usage: scounter [--from FILE] [--color auto|always|never] COMMAND ...\n\n", file);
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		fprintf(file, "  %-9s %s\n", commands[i].name, commands[i].summary);
	fputs("\nPATTERN is GROUP/NAME or GROUP/OBJECT/NAME, where * ? [] match as in a shell,\n"
	      "and no '/'; GROUP/OBJECT is all of an object, GROUP/* all of a group, * all.\n"
	      "Of events it is SYSTEM:EVENT or function:NAME.\n"
	      "--from FILE (or SCOUNTER_FROM) reads a snapshot or a recording instead of /dev/scounter; - is stdin.\n"
	      "scounter COMMAND --help says more, scounter(8) all.\n"
	      "Exit status: 0 done, 1 failed or not found, 2 wrong usage, 3 the module is not loaded.\n",
	      file);
}

static void __attribute__((noreturn)) no_command(const char *word)
{
	unsigned int i;

	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (is_near(word, commands[i].name))
			fail(USAGE, "no command '%s'; did you mean %s? See scounter --help", word,
			     commands[i].name);
	usage_error("no command '%s'", word);
}

/* getopt() has said what is wrong. */
int see_help(void)
{
	fprintf(stderr, "scounter: see scounter %s%s--help\n", current ? current->name : "",
		current ? " " : "");
	return USAGE;
}

static int run(int argc, char **argv)
{
	char name[64];
	unsigned int i;
	int status;

	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(argv[0], commands[i].name))
			current = &commands[i];
	if (!current)
		no_command(argv[0]);
	for (i = 1; i < (unsigned int)argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			printf("Usage: scounter %s\n\n%s.\n", current->usage, current->summary);
			return OK;
		}
	}
	optind = 0;	/* getopt begins anew */
	/* What getopt() calls it. */
	snprintf(name, sizeof(name), "scounter %s", current->name);
	argv[0] = name;
	status = current->run(argc, argv);
	return status == USAGE ? see_help() : status;
}

/* A closed pipe is the reader's good right; a full disk is not. */
static int finish(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		if (errno == EPIPE)
			return status;
		warn("standard output: %s", strerror(errno));
		return FAILED;
	}
	return status;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "from", required_argument, NULL, 'f' },
		{ "color", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{}
	};
	const char *no_colour = getenv("NO_COLOR");
	int option;

	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	argv[0] = "scounter";
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);	/* what cannot be written says so */
	from = getenv("SCOUNTER_FROM");
	if (from && !*from)
		from = NULL;
	colour = isatty(STDOUT_FILENO) && !(no_colour && *no_colour);
	while ((option = getopt_long(argc, argv, "+f:hV", options, NULL)) != -1) {
		switch (option) {
		case 'f':
			from = optarg;
			break;
		case 'c':
			if (!strcmp(optarg, "always"))
				colour = true;
			else if (!strcmp(optarg, "never"))
				colour = false;
			else if (strcmp(optarg, "auto"))
				usage_error("--color is auto, always or never, not '%s'", optarg);
			break;
		case 'h':
			help(stdout);
			return finish(OK);
		case 'V':
			puts("scounter " VERSION);
			return finish(OK);
		default:
			return see_help();
		}
	}
	if (optind == argc) {
		help(stderr);
		return USAGE;
	}
	return finish(run(argc - optind, argv + optind));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * attach and detach: a line for scounter_events.ko.  The kernel carries it out while the
 * program writes.  A signal ends that, and the kernel lets go of what it had attached.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scounter.h"
#include "events.h"
#include "resolve.h"

static volatile sig_atomic_t signalled;

/* It may come just before the write: again each second. */
static void on_signal(int number)
{
	if (number != SIGALRM)
		signalled = number;
	alarm(1);
}

/* Without SA_RESTART: the write is to end.  What is ignored, as nohup does, stays so. */
static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal }, before;
	unsigned int i;

	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	sigaction(SIGALRM, &action, NULL);
}

static uint64_t now_us(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

#define PATIENCE_US	1000000

static void show_progress(void)
{
	FILE *file = fopen(events_path("progress"), "re");
	unsigned int done, total;
	char doing[16];

	if (!file)
		return;
	if (fscanf(file, "%15[a-z] %u %u", doing, &done, &total) == 3 && total)
		fprintf(stderr, "\r%s: %u of %u\033[K", doing, done, total);
	fclose(file);
}

/* A process of its own: this one is in the kernel. */
static pid_t start_progress(void)
{
	pid_t child = isatty(STDERR_FILENO) ? fork() : -1;

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN);
	usleep(PATIENCE_US);
	for (;;) {
		show_progress();
		usleep(200000);
	}
}

static void end_progress(pid_t child, uint64_t start)
{
	if (child < 0)
		return;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	if (now_us(CLOCK_MONOTONIC) - start >= PATIENCE_US)
		fputs("\r\033[K", stderr);
}

/* 0 or an error */
static int write_line(const char *path, const char *line, bool *opened)
{
	uint64_t start = now_us(CLOCK_MONOTONIC);
	pid_t child = start_progress();
	int fd = open(path, O_WRONLY | O_CLOEXEC), error = 0;
	ssize_t size = strlen(line), written;

	*opened = fd >= 0;
	if (fd < 0) {
		error = errno;
	} else {
		written = write(fd, line, size);
		if (written != size)
			error = written < 0 ? errno : EIO;
		close(fd);
	}
	end_progress(child, start);
	return error;
}

/* Why a line was refused: the newest entry of error_log that is of this line. */
struct refusal {
	const char *line;
	uint64_t since;		/* microseconds since boot */
	bool recent, mine;
	char why[256];
	char reason[256], *word;
};

/* The word of the line that has the character at `at`, or what is before it. */
static char *word_at(const char *line, size_t at)
{
	size_t length = strlen(line), begin = at < length ? at : length;

	while (begin && line[begin - 1] != ' ')
		begin--;
	return strndup(line + begin, strcspn(line + begin, " "));
}

static void take_error(char *line, void *argument)
{
	static const char command[] = "  Command: ";
	struct refusal *refusal = argument;
	uint64_t seconds;
	uint32_t us;
	char *why;

	if (*line == '[') {
		why = strstr(line, "error: ");
		refusal->recent = why && sscanf(line, "[%" SCNu64 ".%" SCNu32 "]", &seconds, &us) == 2 &&
				  seconds * 1000000 + us >= refusal->since;
		refusal->mine = false;
		snprintf(refusal->why, sizeof(refusal->why), "%s", why ? why + 7 : "");
	} else if (!strncmp(line, command, strlen(command))) {
		refusal->mine = refusal->recent && !strcmp(line + strlen(command), refusal->line);
	} else if (refusal->mine && strchr(line, '^')) {
		size_t at = strchr(line, '^') - line;

		strcpy(refusal->reason, refusal->why);
		free(refusal->word);
		refusal->word = word_at(refusal->line, at > strlen(command) ? at - strlen(command) : 0);
	}
}

static void say_why(const char *verb, struct refusal *refusal, int error)
{
	events_lines("error_log", take_error, refusal);
	if (*refusal->reason)
		warn("%s: %s", refusal->word && *refusal->word ? refusal->word : verb, refusal->reason);
	else
		warn("%s: %s", verb, strerror(error));
	free(refusal->word);
}

static int carry_out(const char *verb, const char *line, const char *nothing)
{
	struct refusal refusal = { .line = line, .since = now_us(CLOCK_BOOTTIME) };
	bool opened;
	int error;

	catch_signals();
	error = write_line(events_path(verb), line, &opened);
	if (error == EINTR && signalled) {
		warn("interrupted; %s", nothing);
		return 128 + signalled;
	}
	if (!error && signalled)
		warn("the signal came too late: the line was carried out");
	if (!error)
		return OK;
	if (!opened)
		events_fail(verb, error);
	say_why(verb, &refusal, error);
	return FAILED;
}

/* The kernel takes the line apart there. */
#define WHITE	" \t\n\v\f\r"

static void add_word(FILE *line, const char *what, const char *before, const char *word,
		     const char *after)
{
	if (!*word || strpbrk(word, WHITE))
		usage_error("%s has no white space and is not empty: '%s'", what, word);
	fprintf(line, "%s%s%s%s", ftell(line) ? " " : "", before, word, after);
}

static void add_patterns(FILE *line, const char *verb, char **patterns)
{
	if (!*patterns)
		usage_error("%s wants a pattern, as sched:*", verb);
	for (; *patterns; patterns++) {
		if (strchr(*patterns, '='))
			usage_error("a pattern has no '=': '%s'", *patterns);
		add_word(line, "a pattern", "", *patterns, "");
	}
}

static FILE *begin_line(char **line, size_t *size)
{
	FILE *file = open_memstream(line, size);

	if (!file)
		fail(FAILED, "out of memory");
	return file;
}

static void end_line(FILE *file)
{
	if (fclose(file))
		fail(FAILED, "out of memory");
}

/* Options that the kernel has as WORD=VALUE. */
static const struct attach_word {
	const char *option, *word;
} attach_words[] = {
	{ "--kind", "kind=" },
	{ "--error", "error=" },
	{ "--group", "group=" },
	{ "--top", "top=" },
	{ "--entries", "k=" },
	{ "--sum", "sum=" },
	{ "--hist", "hist=" },
};

enum { ATTACH_KIND, ATTACH_ERROR, ATTACH_TOP = 3, ATTACH_ENTRIES, ATTACH_SUM, ATTACH_HIST };

#define ATTACH_WORDS	(sizeof(attach_words) / sizeof(*attach_words))

static void check_words(const char *const *values)
{
	const char *kind = values[ATTACH_KIND];

	if (kind && strcmp(kind, "exact") && strcmp(kind, "approx"))
		usage_error("--kind is exact or approx, not '%s'", kind);
	if ((values[ATTACH_SUM] && strchr(values[ATTACH_SUM], ',')) ||
	    (values[ATTACH_HIST] && strchr(values[ATTACH_HIST], ',')))
		usage_error("--sum and --hist have one field each");
	if (values[ATTACH_ENTRIES] && !values[ATTACH_TOP])
		usage_error("--entries is of the table of --top FIELD");
}

static void add_words(FILE *line, const char *const *values)
{
	const char *after;
	unsigned int i;

	for (i = 0; i < ATTACH_WORDS; i++) {
		if (!values[i])
			continue;
		after = i == ATTACH_ERROR && !strchr(values[i], '%') ? "%" : "";
		add_word(line, attach_words[i].option, attach_words[i].word, values[i], after);
	}
}

/* Fields get their places in the arguments of the event, if it has them. */
static void place_fields(char **patterns, const char **values)
{
	static const int options[] = { ATTACH_TOP, ATTACH_SUM, ATTACH_HIST };
	static struct fields fields[3];
	unsigned int i, count = 0, at[3];

	for (i = 0; i < 3; i++) {
		const char *said = values[options[i]];

		if (!said)
			continue;
		/* Wrong usage, as will be said. */
		if (!*said || strpbrk(said, WHITE))
			return;
		at[count] = options[i];
		fields[count++] = (struct fields) { said, NULL };
	}
	if (!count || !patterns[0] || patterns[1])
		return;
	events_tell_systems();
	resolve_fields(patterns[0], fields, count);
	for (i = 0; i < count; i++)
		if (fields[i].line)
			values[at[i]] = fields[i].line;
}

int cmd_attach(int argc, char **argv)
{
	struct option options[ATTACH_WORDS + 1] = {};
	const char *values[ATTACH_WORDS] = {};
	int option, status;
	unsigned int i;
	char *text;
	size_t size;
	FILE *line;

	for (i = 0; i < ATTACH_WORDS; i++)
		options[i] = (struct option) { attach_words[i].option + 2, required_argument, NULL, i };
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == '?')
			return USAGE;
		values[option] = optarg;
	}
	check_words(values);
	place_fields(argv + optind, values);
	line = begin_line(&text, &size);
	add_patterns(line, "attach", argv + optind);
	add_words(line, values);
	end_line(line);
	events_tell_systems();
	status = carry_out("attach", text, "nothing was attached");
	free(text);
	return status;
}

int cmd_detach(int argc, char **argv)
{
	static const struct option options[] = { {} };
	char *text;
	size_t size;
	FILE *line;
	int status;

	if (getopt_long(argc, argv, "", options, NULL) != -1)
		return USAGE;
	line = begin_line(&text, &size);
	add_patterns(line, "detach", argv + optind);
	end_line(line);
	status = carry_out("detach", text, "nothing was let go");
	free(text);
	return status;
}

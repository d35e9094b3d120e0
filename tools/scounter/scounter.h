/* SPDX-License-Identifier: GPL-2.0 */
/* What the subcommands share. */
#ifndef SCOUNTER_TOOL_H
#define SCOUNTER_TOOL_H

#include <string.h>

#include "change.h"
#include "names.h"
#include "snapshot.h"

enum status { OK = 0, FAILED = 1, USAGE = 2, NOT_LOADED = 3 };

struct command {
	const char *name;
	const char *summary;
	const char *usage;
	int (*run)(int argc, char **argv);
};

extern const struct command *current;
extern const char *from;	/* a file instead of the device, or NULL */
extern bool colour;
extern void (*leave_screen)(void);	/* before a message; or NULL */

void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void fail(int status, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));
void usage_error(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
/* After getopt() has said what is wrong: where to look; the status. */
int see_help(void);
double seconds_of(const char *option, const char *text);
unsigned long number_of(const char *option, const char *text);
/* Say that no counter matches, and which pattern may have been meant. */
#define SUGGESTION_ROOM	1024
void no_counter(const struct snapshot *snapshot, const char *pattern);
bool is_near(const char *word, const char *known);
/* What the environment says, or a directory. */
const char *root_of(const char *variable, const char *otherwise);
const char *sysfs_root(void);

/* A file that appears under its name only when it is complete. */
struct atomic_file {
	const char *path;
	char *target;		/* where links lead to, or NULL */
	char temporary[4096];
	FILE *file;
};
void atomic_open(struct atomic_file *out, const char *path);
void atomic_close(struct atomic_file *out);
/* Why something that was written so far is lost, or 0; errno was 0 before. */
int write_error(FILE *file);

/* Any text, as a name is shown; free() it. */
char *text_dup(const char *text);
int width_of(const char *text);
int width_until(const char *text, const char *end);
/* Those of standard output, or 0 where it is no terminal. */
int columns_of_terminal(void);
/*
 * Leave out what does not fit, and so many columns at the end in: "network…packets".
 * The text has the room for an ellipsis.
 */
#define CUT_ROOM	4096
void cut(char *text, int width, int behind);
/*
 * Append to a line, which has room; where the line then ends.  printf() is most of what a
 * long table takes.
 */
char *append_text(char *to, const char *text);
char *pad(const char *text, char *end, int width);
char *append_left(char *to, const char *text, int width);	/* ASCII only */
char *append_number(char *to, uint64_t value, int width);
/* A name padded to the width of another, and what is known of a counter. */
#define LINE_ROOM	(2 * NAME_ROOM + 256)
const char *state_of(const record_t *record);
char *append_percent(char *to, uint32_t ppm, int width);
/* "-": not known. */
char *append_error(char *to, const record_t *record, int width);
void format_error(const record_t *record, char *to, size_t room);
void format_rate(const struct change *change, char *to, size_t room);

int cmd_list(int argc, char **argv);
int cmd_read(int argc, char **argv);
int cmd_sum(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_reset(int argc, char **argv);
int cmd_kinds(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_topk(int argc, char **argv);
int cmd_events(int argc, char **argv);
int cmd_attach(int argc, char **argv);
int cmd_detach(int argc, char **argv);
int cmd_functions(int argc, char **argv);
int cmd_array(int argc, char **argv);

#endif

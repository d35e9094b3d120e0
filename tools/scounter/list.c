// SPDX-License-Identifier: GPL-2.0
/* list and read: one snapshot, for people and for scripts. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "scounter.h"

static void put_help(const struct snapshot *snapshot, const record_t *record)
{
	char *help = text_dup(help_of(snapshot, record));

	fputs(help, stdout);
	free(help);
}

static char *append_tab(char *to)
{
	return append_text(to, "\t");
}

static void put_line(char *line, char *end, bool goes_on)
{
	if (!goes_on)
		*end++ = '\n';
	fwrite_unlocked(line, 1, end - line, stdout);
}

static void list_tsv(const struct snapshot *snapshot, bool verbose)
{
	char line[LINE_ROOM], *end;
	uint64_t i;

	fputs("name\tkind\tvalue\terror_ppm\tlower\tupper\tbytes\tstate", stdout);
	puts(verbose ? "\tunit\thelp" : "");
	for (i = 0; i < snapshot->header.count; i++) {
		const record_t *r = &snapshot->records[i];

		end = append_tab(full_name(r, line));
		end = append_tab(append_text(end, (const char *)r->kind_name));
		end = append_tab(append_number(end, r->value, 0));
		end = append_tab(append_number(end, r->error_ppm, 0));
		end = append_tab(append_number(end, r->lower, 0));
		end = append_tab(append_number(end, r->upper, 0));
		end = append_tab(append_number(end, r->bytes, 0));
		end = append_text(end, state_of(r));
		put_line(line, end, verbose);
		if (verbose) {
			printf("\t%s\t", unit_of(snapshot, r));
			put_help(snapshot, r);
			putchar('\n');
		}
	}
}

static char *append_state(char *to, const record_t *record, bool verbose)
{
	bool red = colour && record->flags & SCOUNTER_F_UNSURE;

	to = append_text(to, red ? "\033[31m" : "");
	to = append_left(to, state_of(record), verbose ? 12 : 0);
	return append_text(to, red ? "\033[0m" : "");
}

struct widths {
	int name, kind, value, state;
	bool narrow, cut;
};

#define WIDTH_ERROR	10
#define WIDTH_NAME_MIN	12

static void widen(int *width, int other)
{
	if (*width < other)
		*width = other;
}

/* "approx:bfp_csup", or what was chosen where there is no room. */
static int kind_length(const record_t *record, bool narrow)
{
	return strcspn((const char *)record->kind_name, narrow ? ":" : "");
}

static char *append_kind(char *to, const record_t *record, const struct widths *w)
{
	char *end = to + kind_length(record, w->narrow);

	memcpy(to, record->kind_name, end - to);
	return pad(to, end, w->kind);
}

/* Of what there is: they are less than others of their kind may be. */
static struct widths narrow_widths(const struct snapshot *snapshot)
{
	struct widths w = { .kind = 4, .value = 5, .state = 5, .narrow = true };
	char digits[32];
	uint64_t i;

	for (i = 0; i < snapshot->header.count; i++) {
		widen(&w.kind, kind_length(&snapshot->records[i], true));
		widen(&w.state, strlen(state_of(&snapshot->records[i])));
		widen(&w.value, append_number(digits, snapshot->records[i].value, 0) - digits);
	}
	return w;
}

static int width_of_rest(const struct widths *w)
{
	return 2 + w->kind + 1 + w->value + 1 + WIDTH_ERROR + 2 + w->state;
}

/* @columns: that the table has, or 0: as many as it wants */
static struct widths widths_of(const struct snapshot *snapshot, int columns)
{
	struct widths w = { .name = 4, .kind = 15, .value = 20, .state = 12 };
	char name[NAME_ROOM];
	uint64_t i;
	int most;

	for (i = 0; i < snapshot->header.count; i++) {
		widen(&w.name, width_until(name, full_name(&snapshot->records[i], name)));
		widen(&w.kind, kind_length(&snapshot->records[i], false));
	}
	if (!columns || w.name + width_of_rest(&w) <= columns)
		return w;
	most = w.name;
	w = narrow_widths(snapshot);
	w.name = columns - width_of_rest(&w);
	widen(&w.name, WIDTH_NAME_MIN);
	w.cut = most > w.name;
	w.name = w.cut ? w.name : most;
	return w;
}

static void list_table(const struct snapshot *snapshot, bool verbose, int columns)
{
	char line[LINE_ROOM], *end;
	struct widths w = widths_of(snapshot, columns);
	uint64_t i;

	printf("%-*s  %-*s %*s %*s  %s\n", w.name, "NAME", w.kind, "KIND", w.value, "VALUE",
	       WIDTH_ERROR, "ERROR", verbose ? "STATE         UNIT        HELP" : "STATE");
	for (i = 0; i < snapshot->header.count; i++) {
		const record_t *r = &snapshot->records[i];

		end = full_name(r, line);
		if (w.cut) {
			cut(line, w.name, w.name / 2);
			end = line + strlen(line);
		}
		end = append_text(pad(line, end, w.name), "  ");
		end = append_kind(end, r, &w);
		end = append_number(end, r->value, w.value + 1);
		end = append_text(append_error(end, r, WIDTH_ERROR + 1), "  ");
		end = append_state(end, r, verbose);
		put_line(line, end, verbose);
		if (verbose) {
			printf("  %-10s  ", unit_of(snapshot, r));
			put_help(snapshot, r);
			putchar('\n');
		}
	}
}

/* Said once for all of them, so that the table stays as it is. */
static void say_apart(const struct snapshot *snapshot)
{
	const record_t *first = NULL;
	char name[NAME_ROOM];
	uint64_t i, n = 0;

	for (i = 0; i < snapshot->header.count; i++) {
		if (!(snapshot->records[i].flags & SCOUNTER_F_APART))
			continue;
		first = first ? first : &snapshot->records[i];
		n++;
	}
	if (!n)
		return;
	*full_name(first, name) = 0;
	warn("%" PRIu64 " counters of sets, %s first, were not read at one moment with the others "
	     "of their set", n, name);
}

int cmd_list(int argc, char **argv)
{
	static const struct option options[] = {
		{ "tsv", no_argument, NULL, 't' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "wide", no_argument, NULL, 'w' },
		{}
	};
	bool tsv = false, verbose = false, wide = false, complete;
	struct snapshot snapshot;
	int option;

	while ((option = getopt_long(argc, argv, "v", options, NULL)) != -1) {
		switch (option) {
		case 't': tsv = true; break;
		case 'v': verbose = true; break;
		case 'w': wide = true; break;
		default: return USAGE;
		}
	}
	snapshot_read(from, argv + optind, &snapshot);
	complete = snapshot_select(&snapshot, argv + optind, true);
	if (tsv)
		list_tsv(&snapshot, verbose);
	else
		list_table(&snapshot, verbose, wide || verbose ? 0 : columns_of_terminal());
	say_apart(&snapshot);
	snapshot_free(&snapshot);
	return complete ? OK : FAILED;
}

int cmd_read(int argc, char **argv)
{
	static const struct option options[] = { { "value", no_argument, NULL, 'v' }, {} };
	char line[LINE_ROOM], *end;
	struct snapshot snapshot;
	bool value = false, complete;
	uint64_t i;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option != 'v')
			return USAGE;
		value = true;
	}
	if (optind == argc)
		usage_error("read wants a counter");
	snapshot_read(from, argv + optind, &snapshot);
	complete = snapshot_select(&snapshot, argv + optind, true);
	for (i = 0; i < snapshot.header.count; i++) {
		end = line;
		if (!value) {
			end = append_tab(full_name(&snapshot.records[i], line));
		}
		append_number(end, snapshot.records[i].value, 0);
		puts(line);
	}
	snapshot_free(&snapshot);
	return complete ? OK : FAILED;
}

// SPDX-License-Identifier: GPL-2.0
/* list and read: one snapshot, for people and for scripts. */
#include <getopt.h>
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

static void list_tsv(const struct snapshot *snapshot, bool verbose)
{
	char line[LINE_ROOM], *end;
	uint64_t i;

	fputs("name\tkind\tvalue\terror_ppm\tlower\tupper\tbytes\tstate", stdout);
	puts(verbose ? "\tunit\thelp" : "");
	for (i = 0; i < snapshot->header.count; i++) {
		const record_t *r = &snapshot->records[i];

		full_name(r, line);
		end = append_tab(line + strlen(line));
		end = append_tab(append_text(end, (const char *)r->kind_name));
		end = append_tab(append_number(end, r->value, 0));
		end = append_tab(append_number(end, r->error_ppm, 0));
		end = append_tab(append_number(end, r->lower, 0));
		end = append_tab(append_number(end, r->upper, 0));
		end = append_tab(append_number(end, r->bytes, 0));
		append_text(end, state_of(r));
		fputs(line, stdout);
		if (verbose) {
			printf("\t%s\t", unit_of(snapshot, r));
			put_help(snapshot, r);
		}
		putchar('\n');
	}
}

static char *append_state(char *to, const record_t *record, bool verbose)
{
	bool red = colour && record->flags & SCOUNTER_F_UNSURE;

	to = append_text(to, red ? "\033[31m" : "");
	to = append_left(to, state_of(record), verbose ? 12 : 0);
	return append_text(to, red ? "\033[0m" : "");
}

static int width_of_names(const struct snapshot *snapshot)
{
	char name[NAME_ROOM];
	int most = 4, width;
	uint64_t i;

	for (i = 0; i < snapshot->header.count; i++) {
		full_name(&snapshot->records[i], name);
		width = width_of(name);
		most = width > most ? width : most;
	}
	return most;
}

static void list_table(const struct snapshot *snapshot, bool verbose)
{
	char name[NAME_ROOM], error[32], line[LINE_ROOM], *end;
	int width = width_of_names(snapshot);
	uint64_t i;

	printf("%-*s  %-15s %20s %10s  %s\n", width, "NAME", "KIND", "VALUE", "ERROR",
	       verbose ? "STATE         UNIT        HELP" : "STATE");
	for (i = 0; i < snapshot->header.count; i++) {
		const record_t *r = &snapshot->records[i];

		full_name(r, name);
		format_error(r, error, sizeof(error));
		end = append_text(append_left(line, name, width), "  ");
		end = append_left(end, (const char *)r->kind_name, 15);
		end = append_number(end, r->value, 21);
		end = append_text(append_right(end, error, 11), "  ");
		append_state(end, r, verbose);
		fputs(line, stdout);
		if (verbose) {
			printf("  %-10s  ", unit_of(snapshot, r));
			put_help(snapshot, r);
		}
		putchar('\n');
	}
}

int cmd_list(int argc, char **argv)
{
	static const struct option options[] = {
		{ "tsv", no_argument, NULL, 't' },
		{ "verbose", no_argument, NULL, 'v' },
		{}
	};
	bool tsv = false, verbose = false, complete;
	struct snapshot snapshot;
	int option;

	while ((option = getopt_long(argc, argv, "v", options, NULL)) != -1) {
		switch (option) {
		case 't': tsv = true; break;
		case 'v': verbose = true; break;
		default: return USAGE;
		}
	}
	snapshot_read(from, argv + optind, &snapshot);
	complete = snapshot_select(&snapshot, argv + optind, true);
	if (tsv)
		list_tsv(&snapshot, verbose);
	else
		list_table(&snapshot, verbose);
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
			full_name(&snapshot.records[i], line);
			end = append_tab(line + strlen(line));
		}
		append_number(end, snapshot.records[i].value, 0);
		puts(line);
	}
	snapshot_free(&snapshot);
	return complete ? OK : FAILED;
}

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

static void list_tsv(const struct snapshot *snapshot, bool verbose)
{
	char name[NAME_ROOM];
	uint64_t i;

	fputs("name\tkind\tvalue\terror_ppm\tlower\tupper\tbytes\tstate", stdout);
	puts(verbose ? "\tunit\thelp" : "");
	for (i = 0; i < snapshot->header.count; i++) {
		const record_t *r = &snapshot->records[i];

		full_name(r, name);
		printf("%s\t%s\t%" PRIu64 "\t%u\t%" PRIu64 "\t%" PRIu64 "\t%u\t%s", name,
		       r->kind_name, (uint64_t)r->value, r->error_ppm, (uint64_t)r->lower,
		       (uint64_t)r->upper, r->bytes, state_of(r));
		if (verbose) {
			printf("\t%s\t", unit_of(snapshot, r));
			put_help(snapshot, r);
		}
		putchar('\n');
	}
}

static void put_state(const record_t *record, bool verbose)
{
	bool red = colour && record->flags & SCOUNTER_F_UNSURE;

	fputs(red ? "\033[31m" : "", stdout);
	printf(verbose ? "%-12s" : "%s", state_of(record));
	fputs(red ? "\033[0m" : "", stdout);
}

static void list_table(const struct snapshot *snapshot, bool verbose)
{
	char name[NAME_ROOM], error[32];
	int width = 4;
	uint64_t i;

	for (i = 0; i < snapshot->header.count; i++) {
		full_name(&snapshot->records[i], name);
		if (width_of(name) > width)
			width = width_of(name);
	}
	put_padded(stdout, "NAME", width);
	printf("  %-15s %20s %10s  %s\n", "KIND", "VALUE", "ERROR",
	       verbose ? "STATE         UNIT        HELP" : "STATE");
	for (i = 0; i < snapshot->header.count; i++) {
		const record_t *r = &snapshot->records[i];

		full_name(r, name);
		format_error(r, error, sizeof(error));
		put_padded(stdout, name, width);
		printf("  %-15s %20" PRIu64 " %10s  ", r->kind_name, (uint64_t)r->value, error);
		put_state(r, verbose);
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
	snapshot_read(from, &snapshot);
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
	struct snapshot snapshot;
	char name[NAME_ROOM];
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
	snapshot_read(from, &snapshot);
	complete = snapshot_select(&snapshot, argv + optind, true);
	for (i = 0; i < snapshot.header.count; i++) {
		full_name(&snapshot.records[i], name);
		if (!value)
			printf("%s\t", name);
		printf("%" PRIu64 "\n", (uint64_t)snapshot.records[i].value);
	}
	snapshot_free(&snapshot);
	return complete ? OK : FAILED;
}

// SPDX-License-Identifier: GPL-2.0
/* report and diff: what lies between snapshots. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scounter.h"
#include "figures.h"
#include "table.h"

static const struct column change_columns[] = {
	{ "NAME", .left = true, .least = 20 },
	{ "BEFORE", .rank = 4 },
	{ "AFTER", .rank = 3 },
	{ "EVENTS", .rank = 0 },
	{ "+-", .rank = 1 },
	{ "RATE/s", .rank = 1 },
	{ "NOTE", .left = true, .rank = 2 },
	{ "UNIT", .left = true, .rank = 5 },
};
enum { CHANGE_COLUMNS = sizeof(change_columns) / sizeof(*change_columns) };

static void add_change(struct table *table, const struct snapshot *before,
		       const struct snapshot *after, const record_t *record)
{
	struct change change = change_between(before, after, record);
	const char *unsure = unsure_of(record);
	const char *note = !change.before ? "new" : change.restarted ? "restarted" : "";
	char name[NAME_ROOM], rate[32];

	full_name(record, name);
	format_rate(&change, rate, sizeof(rate));
	table_add(table, name);
	table_printf(table, "%" PRIu64, change.before ? (uint64_t)change.before->value : 0);
	table_printf(table, "%" PRIu64, (uint64_t)record->value);
	table_printf(table, "%" PRIu64, change.events);
	table_printf(table, "%.0f", change.deviation);
	table_add(table, rate);
	table_printf(table, "%s%s%s", note, *note && unsure ? ", " : "", unsure ? unsure : "");
	table_add(table, unit_of(after, record));
}

static void add_gone(struct table *table, const struct snapshot *before, const record_t *record)
{
	char name[NAME_ROOM];
	int i;

	full_name(record, name);
	table_add(table, name);
	table_printf(table, "%" PRIu64, (uint64_t)record->value);
	for (i = 0; i < 4; i++)
		table_add(table, "");
	table_add(table, "gone");
	table_add(table, unit_of(before, record));
}

static void print_tsv(const struct table *table)
{
	size_t i;

	puts("# name\tbefore\tafter\tevents\tdeviation\trate\tnote\tunit");
	for (i = 0; i < table->used; i++)
		printf("%s%c", table->cells[i], i % table->count == table->count - 1 ? '\n' : '\t');
}

/* @tsv: as programs read it, whatever standard output is */
static void print_changes(const struct snapshot *before, const struct snapshot *after, bool tsv)
{
	struct table table;
	uint64_t i;

	table_begin(&table, change_columns, CHANGE_COLUMNS);
	for (i = 0; i < after->header.count; i++)
		add_change(&table, before, after, &after->records[i]);
	for (i = 0; i < before->header.count; i++)
		if (!snapshot_find(after, &before->records[i]))
			add_gone(&table, before, &before->records[i]);
	printf("# %.3f s\n", seconds_between(before, after));
	if (tsv || !isatty(STDOUT_FILENO))
		print_tsv(&table);
	else
		table_print(&table, false);
	table_end(&table);
}

int cmd_diff(int argc, char **argv)
{
	static const struct option options[] = { { "tsv", no_argument, NULL, 't' }, {} };
	struct snapshot before, after;
	bool tsv = false, complete;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option != 't')
			return USAGE;
		tsv = true;
	}
	if (argc - optind < 2)
		usage_error("diff wants two snapshots");
	snapshot_read(argv[optind], NULL, &before);
	snapshot_read(argv[optind + 1], NULL, &after);
	snapshot_select(&before, argv + optind + 2, false);
	complete = snapshot_select(&after, argv + optind + 2, true);
	print_changes(&before, &after, tsv);
	snapshot_free(&before);
	snapshot_free(&after);
	return complete ? OK : FAILED;
}

/* A field of a CSV file (RFC 4180). */
static void put_quoted(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

static void put_csv(FILE *file, const struct snapshot *snapshot)
{
	char name[NAME_ROOM];
	uint64_t i;

	for (i = 0; i < snapshot->header.count; i++) {
		const record_t *r = &snapshot->records[i];

		full_name(r, name);
		fprintf(file, "%.3f,", snapshot->header.real_ns / 1e9);
		put_quoted(file, name);
		fprintf(file, ",%s,%" PRIu64 ",%u,%" PRIu64 ",%" PRIu64 ",%s,%s\n", r->kind_name,
			(uint64_t)r->value, r->error_ppm, (uint64_t)r->lower, (uint64_t)r->upper,
			state_of(r), unit_of(snapshot, r));
	}
}

/* The first and the last snapshot, or each as CSV. */
static bool report_values(const char *path, char **patterns, bool csv, bool tsv)
{
	struct snapshot first = { 0 }, last = { 0 }, next;
	bool complete = true;
	unsigned long n = 0;
	struct source source;

	source_open(&source, path, NULL);
	if (csv)
		puts("time,name,kind,value,error_ppm,lower,upper,state,unit");
	while (source_next(&source, &next)) {
		if (!snapshot_select(&next, patterns, n == 0) && !n)
			complete = false;
		if (csv)
			put_csv(stdout, &next);
		if (n++ == 0) {
			first = next;
		} else {
			snapshot_free(&last);
			last = next;
		}
	}
	source_close(&source);
	if (!n)
		fail(FAILED, "%s: empty", path);
	if (!csv) {
		printf("# %lu snapshots\n", n);
		print_changes(&first, n > 1 ? &last : &first, tsv);
	}
	snapshot_free(&first);
	snapshot_free(&last);
	return complete;
}

static bool report_figure(const char *path, char **patterns, const char *html, const char *picture)
{
	struct recording_rates rates;
	bool complete = rates_read(&rates, path, patterns);

	if (!rates.anchors.header.count)
		fail(FAILED, "%s: nothing to draw", path);
	if (html)
		draw_html(&rates, html);
	else
		draw_gnuplot(&rates, picture);
	rates_free(&rates);
	return complete;
}

int cmd_report(int argc, char **argv)
{
	static const struct option options[] = {
		{ "csv", no_argument, NULL, 'c' },
		{ "tsv", no_argument, NULL, 't' },
		{ "gnuplot", required_argument, NULL, 'g' },
		{ "html", required_argument, NULL, 'h' },
		{}
	};
	const char *picture = NULL, *html = NULL, *path;
	bool csv = false, tsv = false, complete;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'c': csv = true; break;
		case 't': tsv = true; break;
		case 'g': picture = optarg; break;
		case 'h': html = optarg; break;
		default: return USAGE;
		}
	}
	if (optind == argc)
		usage_error("report wants a recording");
	if (csv + tsv + !!picture + !!html > 1)
		usage_error("report wants one of --csv, --tsv, --html and --gnuplot");
	path = argv[optind];
	if (html || picture)
		complete = report_figure(path, argv + optind + 1, html, picture);
	else
		complete = report_values(path, argv + optind + 1, csv, tsv);
	return complete ? OK : FAILED;
}

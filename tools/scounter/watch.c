// SPDX-License-Identifier: GPL-2.0
/*
 * watch: rates over as long as is needed for them to be known, and how far they may be
 * off, on a screen or, with --batch or where there is no terminal, one table after the
 * other.
 */
#include <fnmatch.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "scounter.h"
#include "history.h"
#include "screen.h"

enum order { BY_RATE, BY_VALUE, BY_NAME, ORDERS };
static const char *const order_names[] = { "rate", "value", "name" };

struct watch {
	struct history history;
	struct screen screen;
	struct source source;
	char **patterns;
	double interval;
	unsigned long count;	/* tables, or 0: no end */
	enum order order;
	uint64_t *rows;		/* places of the records that are shown, in order */
	uint64_t shown;
	int name_width, value_width;
	bool batch, plain, complete, at_end;
};

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static double rate_of(const struct watch *w, uint64_t i)
{
	const struct change *change = &w->history.changes[i];

	return change->seconds > 0 ? change->events / change->seconds : 0;
}

/* Records are in the order of their names. */
static int compare(const void *a, const void *b, void *argument)
{
	const struct watch *w = argument;
	uint64_t i = *(const uint64_t *)a, j = *(const uint64_t *)b;
	const record_t *records = w->history.now.records;

	if (w->order == BY_RATE && rate_of(w, i) != rate_of(w, j))
		return rate_of(w, i) < rate_of(w, j) ? 1 : -1;
	if (w->order == BY_VALUE && records[i].value != records[j].value)
		return records[i].value < records[j].value ? 1 : -1;
	return i < j ? -1 : 1;
}

/* A part of a name, or a pattern for all of it. */
static bool passes(const char *filter, const record_t *record)
{
	char name[NAME_ROOM];

	if (!*filter)
		return true;
	full_name(record, name);
	return strpbrk(filter, "*?[") ? !fnmatch(filter, name, 0) : !!strstr(name, filter);
}

static void choose_rows(struct watch *w)
{
	const struct snapshot *now = &w->history.now;
	uint64_t i;

	free(w->rows);
	w->rows = calloc(now->header.count + 1, sizeof(*w->rows));
	if (!w->rows)
		fail(FAILED, "out of memory");
	w->shown = 0;
	for (i = 0; i < now->header.count; i++)
		if (passes(w->screen.filter, &now->records[i]))
			w->rows[w->shown++] = i;
	qsort_r(w->rows, w->shown, sizeof(*w->rows), compare, w);
	w->screen.rows = w->shown;
	snprintf(w->screen.message, sizeof(w->screen.message), "%s", now->header.count ?
		 "No name has this; Esc shows all." : "No counter now. Those that come are shown.");
}

static void batch_print(const struct watch *w)
{
	const struct snapshot *now = &w->history.now;
	char name[NAME_ROOM], rate[32], bar[32];
	uint64_t row;

	printf("# %.3f s\n# name\tvalue\trate\terror_bar\tstate\tunit\tseconds\tkind\n",
	       w->history.olds ? seconds_between(&w->history.old[0], now) : 0);
	if (!w->shown)
		puts("# no counter now");
	for (row = 0; row < w->shown; row++) {
		const struct change *change = &w->history.changes[w->rows[row]];
		const record_t *record = &now->records[w->rows[row]];
		bool known = change->seconds > 0;

		full_name(record, name);
		format_rate(change, rate, sizeof(rate));
		snprintf(bar, sizeof(bar), "%.1f", change->bar / change->seconds);
		printf("%s\t%" PRIu64 "\t%s\t%s\t%s\t%s\t", name, (uint64_t)record->value, rate,
		       known ? bar : "-", state_of(record), unit_of(now, record));
		snprintf(bar, sizeof(bar), "%.3f", change->seconds);
		printf("%s\t%s\n", known ? bar : "-", record->kind_name);
	}
	putchar('\n');
	fflush(stdout);
}

static const struct column watch_columns[] = {
	{ "NAME", .left = true, .least = 20 },
	{ "KIND", .left = true, .least = 8, .rank = 4, .at_end = true },
	{ "VALUE", .rank = 2, .steady = 5 },
	{ "RATE/s", .rank = 1, .steady = 6 },
	{ "+-", .rank = 2, .steady = 5 },
	{ "OVER", .rank = 3, .steady = 4 },
	{ "LAST", .left = true, .rank = 5 },
	{ "STATE", .left = true, .least = 9, .rank = 3, .at_end = true, .steady = 8 },
	{ "UNIT", .left = true, .rank = 6 },
	{ "HELP", .left = true, .least = 12, .rank = 7, .at_end = true },
};
enum { WATCH_COLUMNS = sizeof(watch_columns) / sizeof(*watch_columns) };
enum { COLUMN_NAME = 0, COLUMN_VALUE = 2, COLUMN_PIECES = 6 };

/* As "12s", in four columns. */
static char *duration(double seconds, char *to)
{
	if (seconds < 999.5)
		snprintf(to, HUMAN_ROOM, "%.*fs", seconds < 9.95 && fabs(seconds - round(seconds)) > 0.05,
			 seconds);
	else if (seconds < 99.5 * 60)
		snprintf(to, HUMAN_ROOM, "%.0fm", seconds / 60);
	else
		snprintf(to, HUMAN_ROOM, "%.0fh", seconds / 3600);
	return to;
}

/* As a share of the rate, or what it may be where nothing, or little, was counted. */
static void add_bar(struct table *table, const struct change *change, bool raw)
{
	double share = 100 * change->bar / change->events;
	char text[HUMAN_ROOM];

	if (isinf(change->bar))
		table_add(table, "?");
	else if (raw)
		table_printf(table, "%.1f", change->bar / change->seconds);
	else if (!change->bar)
		table_add(table, "0");
	else if (change->events && share < 999.5)
		table_printf(table, "%.*f%%", share < 9.95, share);
	else
		table_add(table, human(change->bar / change->seconds, text));
}

static void add_rate(struct table *table, const struct change *change, bool raw)
{
	char text[HUMAN_ROOM];

	if (change->seconds <= 0) {
		table_add(table, "-");
		table_add(table, "-");
		table_add(table, "-");
		return;
	}
	format_rate(change, text, sizeof(text));
	table_add(table, raw ? text : human(change->events / change->seconds, text));
	add_bar(table, change, raw);
	table_add(table, duration(change->seconds, text));
}

/* All pieces, or two in one. */
static void add_pieces(struct table *table, const struct history *history, uint64_t i, int count)
{
	char text[SPARKLINE_ROOM(HISTORY_PIECES)];
	int piece, each = HISTORY_PIECES / count;
	double rates[HISTORY_PIECES];

	for (piece = 0; piece < count; piece++) {
		double one = history_rate(history, i, piece * each);
		double other = history_rate(history, i, piece * each + each - 1);

		rates[count - 1 - piece] = other < 0 ? one : (one + other) / 2;
	}
	table_add(table, sparkline(rates, count, text));
}

/* What was asked for; where there is room, the kind that it stands for, too. */
static void add_kind(struct table *table, const record_t *record, int pieces)
{
	const char *kind = (const char *)record->kind_name;
	size_t length = pieces < HISTORY_PIECES ? strcspn(kind, ":") : strlen(kind);

	table_printf(table, "%.*s", (int)length, kind);
}

static void add_row(const struct watch *w, struct table *table, uint64_t i, int pieces)
{
	const struct snapshot *now = &w->history.now;
	const record_t *record = &now->records[i];
	char text[NAME_ROOM], *help;

	full_name(record, text);
	table_add(table, text);
	add_kind(table, record, pieces);
	if (w->screen.raw)
		table_printf(table, "%" PRIu64, (uint64_t)record->value);
	else
		table_add(table, human(record->value, text));
	add_rate(table, &w->history.changes[i], w->screen.raw);
	add_pieces(table, &w->history, i, pieces);
	table_add(table, state_of(record));
	table_add(table, unit_of(now, record));
	help = text_dup(help_of(now, record));
	table_add(table, help);
	free(help);
}

static enum screen_mark mark_of(const record_t *record)
{
	if (unsure_of(record))
		return SCREEN_ALARM;
	return record->flags & SCOUNTER_F_WRAPPED ? SCREEN_NOTE : SCREEN_PLAIN;
}

static void head_of(const struct watch *w, char *head, size_t room)
{
	const struct snapshot *now = &w->history.now;
	time_t seconds = now->header.real_ns / 1000000000;
	char clock[32] = "", some[128] = "";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	if (*w->screen.filter || w->screen.typing)
		snprintf(some, sizeof(some), "%" PRIu64 " with /%s%s of ", w->shown,
			 w->screen.filter, w->screen.typing ? "_" : "");
	snprintf(head, room, "scounter  %s%s  every %g s  %s%" PRIu64 " counters  by %s%s",
		 clock, w->at_end ? " END" : w->screen.paused ? " PAUSED" : "", w->interval, some,
		 (uint64_t)now->header.count, order_names[w->order], w->batch ? "" : "  ? keys");
}

/* The time of all pieces, when there are as many. */
static void title_of_pieces(const struct history *history, char *title)
{
	double seconds = 0;
	int i;

	for (i = 0; i < HISTORY_PIECES; i++)
		seconds += history->seconds[i];
	seconds = fmax(seconds, HISTORY_PIECES * history->piece_seconds);
	strcpy(title, "LAST ");
	duration(seconds, title + strlen(title));
}

#define COLUMNS_WIDE	110

/* Some rows for so many columns; @columns and @title are of the table. */
static void fill(const struct watch *w, struct table *table, struct column *columns, char *title,
		 int width, uint64_t first, uint64_t lines)
{
	int pieces = width < COLUMNS_WIDE ? HISTORY_PIECES / 2 : HISTORY_PIECES;
	uint64_t row;

	title_of_pieces(&w->history, title);
	memcpy(columns, watch_columns, sizeof(watch_columns));
	columns[COLUMN_NAME].steady = w->name_width;
	columns[COLUMN_VALUE].steady = w->value_width;
	columns[COLUMN_PIECES].title = title;
	columns[COLUMN_PIECES].steady = pieces;
	table_begin(table, columns, WATCH_COLUMNS);
	table->gap = width < COLUMNS_WIDE ? 1 : 2;
	for (row = first; row < first + lines && row < w->shown; row++)
		add_row(w, table, w->rows[row], pieces);
}

#define TITLE_ROOM	(HUMAN_ROOM + 8)

/* As on a screen, of which the lines have no end. */
static void plain_print(struct watch *w)
{
	int width = columns_of_terminal() ? columns_of_terminal() : 80;
	struct column columns[WATCH_COLUMNS];
	char head[512], title[TITLE_ROOM];
	struct table table;

	fill(w, &table, columns, title, width, 0, w->shown);
	table_lay_out(&table, width);
	head_of(w, head, sizeof(head));
	puts(head);
	table_print_lines(&table);
	if (!w->shown)
		puts(w->screen.message);
	putchar('\n');
	fflush(stdout);
	table_end(&table);
}

static void draw(struct watch *w)
{
	unsigned char *marks = calloc(screen_lines() + 1, 1);
	struct column columns[WATCH_COLUMNS];
	char head[512], title[TITLE_ROOM];
	struct table table;
	uint64_t row;

	if (!marks)
		fail(FAILED, "out of memory");
	screen_move(&w->screen);
	fill(w, &table, columns, title, screen_columns(), w->screen.top, screen_lines());
	for (row = 0; row < table_rows(&table); row++)
		marks[row] = mark_of(&w->history.now.records[w->rows[w->screen.top + row]]);
	head_of(w, head, sizeof(head));
	screen_draw(&w->screen, head, &table, marks);
	/* Columns that were needed stay, so that numbers do not jump. */
	if (table.widths[COLUMN_NAME] > w->name_width)
		w->name_width = table.widths[COLUMN_NAME];
	if (table.widths[COLUMN_VALUE] > w->value_width)
		w->value_width = table.widths[COLUMN_VALUE];
	table_end(&table);
	free(marks);
}

/* Keys until the next snapshot is due; false to leave. */
static bool wait_on_screen(struct watch *w)
{
	double seconds = w->interval;
	enum screen_event event;
	int key;

	draw(w);
	while ((event = screen_wait(&w->screen, &seconds, &key)) != SCREEN_LEAVE && !stop) {
		if (event == SCREEN_LATER && !w->screen.paused)
			return true;
		if (event == SCREEN_KEY) {
			w->order = key == 's' ? (w->order + 1) % ORDERS :
				   key == 'R' ? BY_RATE : key == 'V' ? BY_VALUE : BY_NAME;
			w->screen.top = 0;
		}
		choose_rows(w);
		draw(w);
	}
	return false;
}

static void print_table(struct watch *w)
{
	if (w->plain)
		plain_print(w);
	else
		batch_print(w);
}

/* Until the next snapshot is to be taken; false to end. */
static bool show(struct watch *w)
{
	if (!w->batch)
		return wait_on_screen(w);
	/* Without an interval before it, a snapshot has no rates. */
	if (w->history.olds)
		print_table(w);
	return !stop && !ferror(stdout);
}

static bool next_snapshot(struct watch *w, struct snapshot *next)
{
	if (w->batch && w->source.is_device)
		usleep(w->interval * 1e6);
	if (stop || !source_next(&w->source, next))
		return false;
	snapshot_select(next, w->patterns, false);
	return true;
}

static void run(struct watch *w, struct snapshot *now)
{
	unsigned long done = 0;

	do {
		history_add(&w->history, now);
		choose_rows(w);
		done += w->history.olds > 0;
		if (!show(w) || (w->count && done == w->count))
			return;
	} while (next_snapshot(w, now));
	if (stop || w->source.is_device)
		return;
	/* The end of a file stays on the screen. */
	w->screen.paused = w->at_end = true;
	if (!w->batch)
		wait_on_screen(w);
	else if (!w->history.olds)
		print_table(w);		/* there is one */
}

static void take_options(struct watch *w, int argc, char **argv)
{
	static const struct option options[] = {
		{ "interval", required_argument, NULL, 'i' },
		{ "count", required_argument, NULL, 'n' },
		{ "batch", no_argument, NULL, 'b' },
		{ "sort", required_argument, NULL, 's' },
		{ "raw", no_argument, NULL, 'r' },
		{ "plain", no_argument, NULL, 'p' },
		{}
	};
	int option;

	while ((option = getopt_long(argc, argv, "i:n:br", options, NULL)) != -1) {
		switch (option) {
		case 'i': w->interval = seconds_of("--interval", optarg); break;
		case 'n': w->count = number_of("--count", optarg); break;
		case 'b': w->batch = true; break;
		case 'r': w->screen.raw = true; break;
		case 'p': w->batch = w->plain = true; break;
		case 's':
			for (w->order = 0; w->order < ORDERS && strcmp(optarg, order_names[w->order]); )
				w->order++;
			if (w->order == ORDERS)
				usage_error("--sort is rate, value or name, not '%s'", optarg);
			break;
		default: exit(see_help());
		}
	}
}

int cmd_watch(int argc, char **argv)
{
	struct watch w = {
		.interval = 1, .batch = !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO),
		.screen = {
			.keys = "sRVN",
			.help = "s     the next order: rate, value, name\n"
				"R V N by rate, by value, by name\n",
		},
	};
	struct sigaction action = { .sa_handler = on_signal };
	struct snapshot now;

	take_options(&w, argc, argv);
	w.patterns = argv + optind;
	source_open(&w.source, from, w.patterns);
	if (!source_next(&w.source, &now))
		fail(FAILED, "%s: empty", w.source.path);
	w.complete = snapshot_select(&now, w.patterns, true);
	/* The screen would hide what was said of the patterns. */
	if (!now.header.count && !w.complete && !w.batch) {
		snapshot_free(&now);
		source_close(&w.source);
		return FAILED;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	history_begin(&w.history, w.interval);
	if (!w.batch)
		screen_open();
	run(&w, &now);
	if (leave_screen)
		leave_screen();
	history_end(&w.history);
	free(w.rows);
	source_close(&w.source);
	return w.complete ? OK : FAILED;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * watch: the rates since the last snapshot, and how far they may be off, on
 * a screen or, with --batch or where there is no terminal, one table after the
 * other.
 */
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "scounter.h"

#include <curses.h>	/* last: its OK is a macro, of the same value */

static void leave(void)
{
	endwin();
	leave_screen = NULL;
}

enum order { BY_RATE, BY_VALUE, BY_NAME, ORDERS };
static const char *const order_names[] = { "rate", "value", "name" };

struct row {
	const record_t *record;
	const char *unit;
	double rate;		/* for the order */
	char rate_text[32], bar_text[32], name[NAME_ROOM];
};

static enum order order;
static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (order == BY_RATE && x->rate != y->rate)
		return x->rate < y->rate ? 1 : -1;
	if (order == BY_VALUE && x->record->value != y->record->value)
		return x->record->value < y->record->value ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void set_rate(struct row *row, const struct snapshot *before, const struct snapshot *now)
{
	struct change change = { 0 };

	if (before->header.monotonic_ns)
		change = change_between(before, now, row->record);
	format_rate(&change, row->rate_text, sizeof(row->rate_text));
	strcpy(row->bar_text, "-");
	if (change.seconds <= 0)
		return;
	row->rate = change.events / change.seconds;
	snprintf(row->bar_text, sizeof(row->bar_text), "%.1f",
		 change.bar / change.seconds);
}

static struct row *rows_of(const struct snapshot *before, const struct snapshot *now)
{
	struct row *rows = calloc(now->header.count + 1, sizeof(*rows));
	uint64_t i;

	if (!rows)
		fail(FAILED, "out of memory");
	for (i = 0; i < now->header.count; i++) {
		rows[i].record = &now->records[i];
		rows[i].unit = unit_of(now, rows[i].record);
		full_name(rows[i].record, rows[i].name);
		set_rate(&rows[i], before, now);
	}
	qsort(rows, now->header.count, sizeof(*rows), compare);
	return rows;
}

static void batch_print(const struct row *rows, uint64_t count, double seconds)
{
	uint64_t i;

	printf("# %.3f s\n# name\tvalue\trate\terror_bar\tstate\tunit\n", seconds);
	if (!count)
		puts("# no counter now");
	for (i = 0; i < count; i++)
		printf("%s\t%" PRIu64 "\t%s\t%s\t%s\t%s\n", rows[i].name,
		       (uint64_t)rows[i].record->value, rows[i].rate_text, rows[i].bar_text,
		       state_of(rows[i].record), rows[i].unit);
	putchar('\n');
	fflush(stdout);
}

/* Columns that the units take. */
#define UNITS_MAX	12

static int width_of_units(const struct row *rows, uint64_t count)
{
	int width = 0;
	uint64_t i;

	for (i = 0; i < count && width < UNITS_MAX; i++)
		if ((int)strlen(rows[i].unit) > width)
			width = strlen(rows[i].unit);
	return width < UNITS_MAX ? width : UNITS_MAX;
}

/* What does not fit is cut off; the name gets what the numbers leave. */
static void draw(const struct row *rows, uint64_t count, uint64_t *top)
{
	int units = width_of_units(rows, count);
	int lines = LINES - 1, name = COLS - 52 - (units ? units + 1 : 0), y;
	char text[NAME_ROOM + 128];

	if (name < 12)
		name = COLS < 12 ? COLS : 12;
	if (*top + lines > count)
		*top = count > (uint64_t)lines ? count - lines : 0;
	erase();
	attron(A_REVERSE);
	snprintf(text, sizeof(text), "%-*.*s %20s %14s %14s", name, name,
		 "NAME (q s arrows)", "VALUE", "RATE/s", "+- AT MOST");
	mvaddnstr(0, 0, text, COLS);
	attroff(A_REVERSE);
	if (!count)
		mvaddnstr(1, 0, "No counter now. Those that come are shown.", COLS);
	for (y = 0; y < lines && *top + y < count; y++) {
		const struct row *row = &rows[*top + y];

		mvaddnstr(y + 1, 0, row->name, -1);
		if (COLS <= name)
			continue;
		snprintf(text, sizeof(text), " %20" PRIu64 " %14s %14s %.*s",
			 (uint64_t)row->record->value, row->rate_text, row->bar_text, units,
			 row->unit);
		mvaddnstr(y + 1, name, text, COLS - name);
		clrtoeol();
	}
	refresh();
}

/* Keys until the next snapshot is due; false to leave. */
static bool keys(const struct snapshot *before, const struct snapshot *now,
		 struct row **rows, uint64_t *top, double interval)
{
	struct timespec start, t;
	double left = interval;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		timeout((int)(left * 1000) + 1);
		switch (getch()) {
		case 'q': return false;
		case 's':
			order = (order + 1) % ORDERS;
			free(*rows);
			*rows = rows_of(before, now);
			break;
		case KEY_DOWN: ++*top; break;
		case KEY_UP: *top -= *top > 0; break;
		case KEY_NPAGE: *top += LINES - 1; break;
		case KEY_PPAGE: *top -= *top < (uint64_t)LINES ? *top : (uint64_t)LINES - 1; break;
		case KEY_RESIZE: case ERR: break;
		}
		draw(*rows, now->header.count, top);
		clock_gettime(CLOCK_MONOTONIC, &t);
		left = interval - (t.tv_sec - start.tv_sec) - (t.tv_nsec - start.tv_nsec) / 1e9;
	} while (left > 0 && !stop);
	return !stop;
}

int cmd_watch(int argc, char **argv)
{
	static const struct option options[] = {
		{ "interval", required_argument, NULL, 'i' },
		{ "count", required_argument, NULL, 'n' },
		{ "batch", no_argument, NULL, 'b' },
		{ "sort", required_argument, NULL, 's' },
		{}
	};
	struct sigaction action = { .sa_handler = on_signal };
	bool batch = !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO);
	struct snapshot before = {}, now;
	unsigned long count = 0, shown = 0;
	double interval = 1;
	struct source source;
	bool complete;
	struct row *rows;
	uint64_t top = 0;
	int option;

	while ((option = getopt_long(argc, argv, "i:n:b", options, NULL)) != -1) {
		switch (option) {
		case 'i': interval = seconds_of("--interval", optarg); break;
		case 'n': count = number_of("--count", optarg); break;
		case 'b': batch = true; break;
		case 's':
			for (order = 0; order < ORDERS && strcmp(optarg, order_names[order]); )
				order++;
			if (order == ORDERS)
				usage_error("--sort is rate, value or name, not '%s'", optarg);
			break;
		default: return USAGE;
		}
	}
	source_open(&source, from, argv + optind);
	if (!source_next(&source, &now))
		fail(FAILED, "%s: empty", source.path);
	complete = snapshot_select(&now, argv + optind, true);
	/* The screen would hide what was said of the patterns. */
	if (!now.header.count && !complete && !batch)
		goto out;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!batch) {
		if (!newterm(NULL, stdout, stdin))
			fail(FAILED, "the terminal '%s' is not known; --batch needs none",
			     getenv("TERM") ? getenv("TERM") : "");
		leave_screen = leave;
		cbreak();
		noecho();
		keypad(stdscr, TRUE);
		curs_set(0);
	}
	for (;;) {
		bool more = true;

		rows = rows_of(&before, &now);
		shown++;
		if (batch) {
			batch_print(rows, now.header.count,
				    before.header.monotonic_ns ? seconds_between(&before, &now) : 0);
			more = !ferror(stdout);
			if (more && source.is_device && shown != count)
				usleep(interval * 1e6);
		} else {
			draw(rows, now.header.count, &top);
			more = keys(&before, &now, &rows, &top, interval);
		}
		free(rows);
		snapshot_free(&before);
		before = now;
		if (!more || stop || shown == count || !source_next(&source, &now))
			break;
		snapshot_select(&now, argv + optind, false);
	}
	if (leave_screen)
		leave();
	now = before;
out:
	snapshot_free(&now);
	source_close(&source);
	return complete ? OK : FAILED;
}

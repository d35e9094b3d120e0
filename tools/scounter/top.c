// SPDX-License-Identifier: GPL-2.0
/*
 * top: the most frequent keys of a table, with what is certain of each count, its share of
 * all hits, and what the keys that are not shown have together; on a screen or, with
 * --batch or where there is no terminal, one list after the other.
 */
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scounter.h"
#include "screen.h"
#include "table.h"
#include "topk.h"

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

/* The tables that are meant: GROUP/NAME, or of an event, with any field and in any group. */
struct meant {
	const char *said;
	char *group, *name;
	unsigned int count;
	char all[1024];
};

static void take(const char *group, const char *name, void *argument)
{
	struct meant *meant = argument;
	size_t length = strlen(meant->said), used = strlen(meant->all);

	if (strncmp(name, meant->said, length) || (name[length] && name[length] != ':'))
		return;
	if (!meant->count++) {
		meant->group = strdup(group);
		meant->name = strdup(name);
	}
	snprintf(meant->all + used, sizeof(meant->all) - used, "%s%s/%s", used ? ", " : "", group,
		 name);
}

static void find(struct meant *meant)
{
	const char *slash = strchr(meant->said, '/');

	if (slash && is_folder_name(meant->said)) {
		meant->group = strndup(meant->said, slash - meant->said);
		meant->name = strdup(slash + 1);
		return;
	}
	topk_walk(take, meant);
	if (!meant->count)
		fail(FAILED, "no table of %s; scounter topk lists all, scounter attach %s --top FIELD makes one",
		     meant->said, strchr(meant->said, ':') ? meant->said : "EVENT");
	if (meant->count > 1)
		fail(FAILED, "%s has several tables: %s", meant->said, meant->all);
}

static void read_table(const struct meant *meant, struct topk *topk, bool again)
{
	if (!topk_read(meant->group, meant->name, topk))
		fail(FAILED, again ? "the table %s/%s has gone, and its counts with it" :
				     "no table %s/%s; scounter topk lists all",
		     meant->group, meant->name);
}

static const struct column top_columns[] = {
	{ .title = "AT MOST", .steady = 12 },
	{ .title = "AT LEAST", .steady = 12, .rank = 1 },
	{ .title = "SHARE", .steady = 8 },
	{ .title = "KEY", .left = true, .least = 8, .at_end = true },
};

static double share(const struct topk *topk, uint64_t count)
{
	return topk->total ? 100.0 * count / topk->total : 0;
}

/* In three digits on a screen that was not asked for all. */
static void add_count(struct table *table, uint64_t count, bool raw)
{
	char text[HUMAN_ROOM];

	if (raw)
		table_printf(table, "%" PRIu64, count);
	else
		table_add(table, human(count, text));
}

static void add_row(struct table *table, const struct topk *topk, const struct topk_row *row,
		    bool raw)
{
	add_count(table, row->count, raw);
	add_count(table, row->count - row->error, raw);
	table_printf(table, "%.4f%%", share(topk, row->count));
	table_add(table, row->key);
}

static void add_rest(struct table *table, const struct topk *topk, uint64_t rest, bool raw)
{
	add_count(table, rest, raw);
	table_add(table, "");
	table_printf(table, "%.4f%%", share(topk, rest));
	table_add(table, "(all others)");
}

static void head_of(const struct topk *topk, char *to, size_t room)
{
	snprintf(to, room, "%s/%s: %" PRIu64 " hits; any other key %" PRIu64 " at most%s%s",
		 topk->group, topk->name, topk->total, topk->floor + topk->pending,
		 !strcmp(topk->state, "complete") ? "" : "; ",
		 !strcmp(topk->state, "complete") ? "" : topk->state);
}

static void batch_print(const struct topk *topk, size_t rows)
{
	struct table table;
	char head[1024];
	size_t i;

	table_begin(&table, top_columns, sizeof(top_columns) / sizeof(*top_columns));
	for (i = 0; i < rows && i < topk->count; i++)
		add_row(&table, topk, &topk->rows[i], true);
	add_rest(&table, topk, topk_rest(topk, rows), true);
	head_of(topk, head, sizeof(head));
	printf("# %s\n", head);
	table_print(&table, false);
	table_end(&table);
	putchar('\n');
	fflush(stdout);
}

struct top {
	struct meant meant;
	struct screen screen;
	struct topk topk;
	unsigned long count, rows;
	double interval;
	bool batch;
};

/* The line of all others is the last one that is seen. */
static void draw(struct top *top)
{
	const struct topk *topk = &top->topk;
	size_t i, lines = screen_lines(), shown = 0, matching = 0;
	size_t most = top->rows ? top->rows : topk->count;
	uint64_t rest = topk->total;
	struct table table;
	char head[1024];

	table_begin(&table, top_columns, sizeof(top_columns) / sizeof(*top_columns));
	for (i = 0; i < most && i < topk->count; i++)
		matching += !!strstr(topk->rows[i].key, top->screen.filter);
	top->screen.rows = matching + 1;
	screen_move(&top->screen);
	matching = 0;
	for (i = 0; i < most && i < topk->count; i++) {
		const struct topk_row *row = &topk->rows[i];

		if (!strstr(row->key, top->screen.filter) || matching++ < top->screen.top ||
		    shown + 1 >= lines)
			continue;
		shown++;
		rest -= row->count < rest ? row->count : rest;
		add_row(&table, topk, row, top->screen.raw);
	}
	add_rest(&table, topk, rest, top->screen.raw);
	head_of(topk, head, sizeof(head));
	if (top->screen.typing || *top->screen.filter)
		snprintf(head + strlen(head), sizeof(head) - strlen(head), " /%s", top->screen.filter);
	screen_draw(&top->screen, head, &table, NULL);
	table_end(&table);
}

/* Until the next look is due; false to leave. */
static bool wait_on_screen(struct top *top)
{
	double seconds = top->interval;
	enum screen_event event;
	int key;

	draw(top);
	while ((event = screen_wait(&top->screen, &seconds, &key)) != SCREEN_LEAVE && !stop) {
		if (event == SCREEN_LATER && !top->screen.paused)
			return true;
		draw(top);
	}
	return false;
}

#define ROWS_DEFAULT	10	/* without a screen */

static bool show(struct top *top, bool last)
{
	if (!top->batch)
		return wait_on_screen(top);
	batch_print(&top->topk, top->rows ? top->rows : ROWS_DEFAULT);
	if (!last && !stop && !ferror(stdout))
		usleep(top->interval * 1e6);
	return !stop && !ferror(stdout);
}

static void run(struct top *top)
{
	unsigned long shown = 0;
	bool more = true;

	while (more) {
		more = show(top, ++shown == top->count) && shown != top->count;
		topk_free(&top->topk);
		if (more)
			read_table(&top->meant, &top->topk, true);
	}
}

static void take_options(struct top *top, int argc, char **argv)
{
	static const struct option options[] = {
		{ "interval", required_argument, NULL, 'i' },
		{ "count", required_argument, NULL, 'n' },
		{ "entries", required_argument, NULL, 'e' },
		{ "batch", no_argument, NULL, 'b' },
		{}
	};
	int option;

	while ((option = getopt_long(argc, argv, "i:n:b", options, NULL)) != -1) {
		switch (option) {
		case 'i': top->interval = seconds_of("--interval", optarg); break;
		case 'n': top->count = number_of("--count", optarg); break;
		case 'e': top->rows = number_of("--entries", optarg); break;
		case 'b': top->batch = true; break;
		default: exit(see_help());
		}
	}
	if (argc - optind != 1)
		usage_error("top wants an event, as kmem:kmalloc, or a table, as GROUP/NAME");
	top->meant.said = argv[optind];
}

int cmd_top(int argc, char **argv)
{
	struct top top = {
		.interval = 1, .batch = !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO),
		.screen = { .keys = "", .help = "" },
	};
	struct sigaction action = { .sa_handler = on_signal };

	take_options(&top, argc, argv);
	find(&top.meant);
	read_table(&top.meant, &top.topk, false);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!top.batch)
		screen_open();
	run(&top);
	if (leave_screen)
		screen_close();
	free(top.meant.group);
	free(top.meant.name);
	return OK;
}

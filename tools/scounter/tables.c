// SPDX-License-Identifier: GPL-2.0
/* topk: the tables of frequent items, as they are or, with --watch, as they change. */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "scounter.h"
#include "folder.h"
#include "recorded.h"
#include "screen.h"
#include "topk.h"

struct view {
	const char *name;
	struct topk now;
	double time;		/* of it, on the monotonic clock */
	struct screen screen;
	struct topk_row **keys;	/* in the order in which they are shown */
	unsigned long top, count;
	double interval, seconds;	/* since the table of before, or 0 */
	uint64_t hits;			/* all in that time */
	bool watch, batch, tsv, by_hits;
};

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static FILE *open_table(const char *name)
{
	return from ? recorded_open(&topk_folder, name) : folder_open(&topk_folder, name);
}

static void read_table(struct view *t, struct topk *table)
{
	FILE *file = open_table(t->name);
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	if (!topk_take(table, file))
		fail(FAILED, "%s: not a table of frequent items", t->name ? t->name : from);
	if (file != stdin)
		fclose(file);
	t->time = time.tv_sec + time.tv_nsec / 1e9;
}

static int compare(const void *a, const void *b, void *argument)
{
	const struct topk_row *x = *(struct topk_row *const *)a;
	const struct topk_row *y = *(struct topk_row *const *)b;
	const struct view *t = argument;

	if (t->by_hits && x->hits != y->hits)
		return x->hits < y->hits ? 1 : -1;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->key, y->key);
}

static void choose_rows(struct view *t)
{
	size_t i, shown = 0;

	free(t->keys);
	t->keys = calloc(t->now.count + 1, sizeof(*t->keys));
	if (!t->keys)
		fail(FAILED, "out of memory");
	for (i = 0; i < t->now.count; i++)
		if (strstr(t->now.rows[i].key, t->screen.filter))
			t->keys[shown++] = &t->now.rows[i];
	qsort_r(t->keys, shown, sizeof(*t->keys), compare, t);
	if (t->top && shown > t->top)
		shown = t->top;
	/* And one for all others. */
	t->screen.rows = shown + 1;
}

static const struct column topk_columns[] = {
	{ "COUNT", .steady = 6 },
	{ "HITS/s", .steady = 6, .rank = 1 },
	{ "SHARE", .steady = 6, .rank = 1 },
	{ "SUM", .steady = 6, .rank = 2 },
	{ "AT LEAST", .rank = 2 },
	{ "KEY", .left = true, .least = 8, .at_end = true },
};
enum { TOPK_COLUMNS = sizeof(topk_columns) / sizeof(*topk_columns) };

static void add_number(struct table *table, const struct view *t, uint64_t number)
{
	char text[HUMAN_ROOM];

	if (t->screen.raw)
		table_printf(table, "%" PRIu64, number);
	else
		table_add(table, human(number, text));
}

/* @share, @sum: of all hits */
static void add_row(struct table *table, const struct view *t, const struct topk_row *key,
		    uint64_t sum)
{
	double all = t->now.total ? t->now.total : 1;
	char text[HUMAN_ROOM];

	add_number(table, t, key->count);
	if (t->seconds <= 0)
		table_add(table, "-");
	else if (t->screen.raw)
		table_printf(table, "%.1f", key->hits / t->seconds);
	else
		table_add(table, human(key->hits / t->seconds, text));
	table_printf(table, "%.2f%%", 100 * key->count / all);
	table_printf(table, "%.2f%%", 100 * sum / all);
	add_number(table, t, key->count - key->error);
	table_add(table, key->key);
}

/* What is not in the rows: N less the sum of them, which may be too high: at least so many. */
static struct topk_row others_of(const struct view *t)
{
	struct topk_row others = { .count = t->now.total, .hits = t->hits, .key = "(all others)" };
	uint64_t row;

	for (row = 0; row + 1 < t->screen.rows; row++) {
		const struct topk_row *key = t->keys[row];

		others.count -= key->count < others.count ? key->count : others.count;
		others.hits -= fmin(key->hits, others.hits);
	}
	return others;
}

/* Rows from one on. */
static void fill(struct table *table, const struct view *t, uint64_t first, uint64_t lines)
{
	struct topk_row others = others_of(t);
	uint64_t row, sum = 0;

	table_begin(table, topk_columns, TOPK_COLUMNS);
	for (row = 0; row + 1 < t->screen.rows; row++) {
		sum += t->keys[row]->count;
		if (row >= first && row < first + lines)
			add_row(table, t, t->keys[row], sum);
	}
	if (row < first + lines)
		add_row(table, t, &others, t->now.total);
}

static void head_of(const struct view *t, char *head, size_t room)
{
	char total[HUMAN_ROOM], rate[HUMAN_ROOM + 8] = "", floor[HUMAN_ROOM], number[HUMAN_ROOM];

	if (t->seconds > 0)
		snprintf(rate, sizeof(rate), " (%s/s)", human(t->hits / t->seconds, number));
	snprintf(head, room, "%s  %s hits%s  %zu keys  others at most %s%s%s%s", t->name,
		 human(t->now.total, total), rate, t->now.count,
		 human((double)t->now.floor + t->now.pending, floor),
		 strcmp(t->now.state, "complete") ? "  " : "",
		 strcmp(t->now.state, "complete") ? t->now.state : "",
		 !t->watch || t->batch ? "" : t->screen.paused ? "  PAUSED" : "  ? keys");
}

static void batch_print(const struct view *t)
{
	struct topk_row others = others_of(t);
	double all = t->now.total ? t->now.total : 1;
	uint64_t row, sum = 0;

	printf("# %.3f s total %" PRIu64 " floor %" PRIu64 " pending %" PRIu64 " dropped %" PRIu64
	       " state %s\n# count\trate\tshare\tsum\tat_least\tkey\n", t->seconds, t->now.total,
	       t->now.floor, t->now.pending, t->now.dropped, t->now.state);
	for (row = 0; row < t->screen.rows; row++) {
		const struct topk_row *key = row + 1 < t->screen.rows ? t->keys[row] : &others;

		sum = row + 1 < t->screen.rows ? sum + key->count : t->now.total;
		printf("%" PRIu64 "\t", key->count);
		if (t->seconds > 0)
			printf("%.1f", key->hits / t->seconds);
		else
			putchar('-');
		printf("\t%.6f\t%.6f\t%" PRIu64 "\t%s\n", key->count / all, sum / all,
		       key->count - key->error, key->key);
	}
	putchar('\n');
	fflush(stdout);
}

static void draw(struct view *t)
{
	struct table table;
	char head[512];

	screen_move(&t->screen);
	fill(&table, t, t->screen.top, screen_lines());
	table.gap = screen_columns() < 110 ? 1 : 2;
	head_of(t, head, sizeof(head));
	screen_draw(&t->screen, head, &table, NULL);
	table_end(&table);
}

/* Until the next table is due; false to leave. */
static bool wait_on_screen(struct view *t)
{
	double seconds = t->interval;
	enum screen_event event;
	int key;

	draw(t);
	while ((event = screen_wait(&t->screen, &seconds, &key)) != SCREEN_LEAVE && !stop) {
		if (event == SCREEN_LATER && !t->screen.paused)
			return true;
		if (event == SCREEN_KEY) {
			t->by_hits = key == 's' ? !t->by_hits : key == 'R';
			t->screen.top = 0;
		}
		choose_rows(t);
		draw(t);
	}
	return false;
}

static bool show(struct view *t)
{
	if (!t->batch)
		return wait_on_screen(t);
	/* Without an interval before it, a table has no rates. */
	if (t->seconds > 0)
		batch_print(t);
	return !ferror(stdout);
}

static void next_table(struct view *t)
{
	struct topk before = t->now;
	double time = t->time;

	read_table(t, &t->now);
	topk_compare(&t->now, &before);
	t->seconds = t->time - time;
	t->hits = t->now.total > before.total ? t->now.total - before.total : 0;
	topk_free(&before);
	choose_rows(t);
}

static void watch(struct view *t)
{
	struct sigaction action = { .sa_handler = on_signal };
	unsigned long done = 0;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (!t->batch)
		screen_open();
	while (show(t) && !(t->count && done == t->count)) {
		if (t->batch)
			usleep(t->interval * 1e6);
		if (stop)
			break;
		next_table(t);
		done++;
	}
	if (leave_screen)
		leave_screen();
}

static void show_once(struct view *t)
{
	struct table table;
	char head[512];

	if (t->tsv) {
		batch_print(t);
		return;
	}
	fill(&table, t, 0, t->screen.rows);
	head_of(t, head, sizeof(head));
	printf("# %s\n", head);
	table_print(&table, false);
	table_end(&table);
}

static int list_tables(void)
{
	char **names = from ? recorded_names(&topk_folder) : folder_names(&topk_folder), **name;

	for (name = names; *name; name++) {
		puts(*name);
		free(*name);
	}
	free(names);
	return OK;
}

/* As the module writes it. */
static int copy_table(const char *name)
{
	FILE *file = open_table(name);
	char buffer[65536];
	size_t size;

	while ((size = fread(buffer, 1, sizeof(buffer), file)) > 0)
		fwrite(buffer, 1, size, stdout);
	fclose(file);
	return OK;
}

static void take_options(struct view *t, int argc, char **argv)
{
	static const struct option options[] = {
		{ "watch", no_argument, NULL, 'w' },
		{ "top", required_argument, NULL, 't' },
		{ "interval", required_argument, NULL, 'i' },
		{ "count", required_argument, NULL, 'n' },
		{ "batch", no_argument, NULL, 'b' },
		{ "raw", no_argument, NULL, 'r' },
		{ "tsv", no_argument, NULL, 'v' },
		{}
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'w': t->watch = true; break;
		case 't': t->top = number_of("--top", optarg); break;
		case 'i': t->interval = seconds_of("--interval", optarg); break;
		case 'n': t->count = number_of("--count", optarg); break;
		case 'b': t->batch = true; break;
		case 'r': t->screen.raw = true; break;
		case 'v': t->tsv = true; break;
		default: exit(see_help());
		}
	}
	if (!t->watch && (t->interval || t->count || t->batch))
		usage_error("--interval, --count and --batch are of topk --watch");
	t->interval = t->interval ? t->interval : 1;
}

int cmd_topk(int argc, char **argv)
{
	struct view t = {
		.screen = {
			.keys = "sRC",
			.help = "s     by hits a second, or by count\n"
				"R C   by hits a second, by count\n",
		},
	};

	take_options(&t, argc, argv);
	if (argc - optind > 1 || (optind < argc && !is_folder_name(argv[optind])))
		usage_error("topk takes one GROUP/NAME, or nothing to list them");
	if (optind == argc && (t.watch || t.top || t.tsv || t.screen.raw))
		usage_error("topk wants a GROUP/NAME for that; scounter topk lists all");
	if (optind == argc)
		return list_tables();
	if (from && t.watch)
		usage_error("--watch is of a table that changes, and not of --from");
	t.name = argv[optind];
	if (!t.watch && !t.top && !t.tsv && !t.screen.raw && !isatty(STDOUT_FILENO))
		return copy_table(t.name);
	t.batch = t.batch || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO);
	read_table(&t, &t.now);
	choose_rows(&t);
	if (t.watch)
		watch(&t);
	else
		show_once(&t);
	free(t.keys);
	topk_free(&t.now);
	return OK;
}

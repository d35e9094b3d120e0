// SPDX-License-Identifier: GPL-2.0
/* A table on a whole terminal, see screen.h. */
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scounter.h"
#include "screen.h"

#include <curses.h>	/* last: its OK is a macro, of the same value */

#define ESCAPE	27

void screen_close(void)
{
	endwin();
	leave_screen = NULL;
}

void screen_open(void)
{
	if (!newterm(NULL, stdout, stdin))
		fail(FAILED, "the terminal '%s' is not known; --batch needs none",
		     getenv("TERM") ? getenv("TERM") : "");
	leave_screen = screen_close;
	set_escdelay(50);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	if (!colour || !has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(SCREEN_NOTE, COLOR_YELLOW, -1);
	init_pair(SCREEN_ALARM, COLOR_RED, -1);
}

int screen_columns(void)
{
	return COLS;
}

/* A head and the titles are above. */
uint64_t screen_lines(void)
{
	return LINES > 2 ? LINES - 2 : 0;
}

void screen_move(struct screen *screen)
{
	uint64_t seen = screen_lines();
	uint64_t last = screen->rows > seen ? screen->rows - seen : 0;

	screen->top = screen->top < last ? screen->top : last;
}

static void put_line(int y, const char *text, attr_t attributes)
{
	char shown[CUT_ROOM + sizeof("…")];

	snprintf(shown, CUT_ROOM, "%s", text);
	cut(shown, COLS, 0);
	attron(attributes);
	mvaddstr(y, 0, shown);
	if (attributes & A_REVERSE)
		for (int x = width_of(shown); x < COLS; x++)
			addch(' ');
	attroff(attributes);
}

static attr_t attributes_of(unsigned char mark)
{
	if (mark == SCREEN_PLAIN || !colour)
		return A_NORMAL;
	return has_colors() ? COLOR_PAIR(mark) : A_BOLD;
}

void screen_draw(const struct screen *screen, const char *head, struct table *table,
		 const unsigned char *marks)
{
	char *line;
	long row;

	erase();
	put_line(0, head, A_REVERSE);
	table_lay_out(table, COLS);
	for (row = -1; row < (long)table_rows(table) && row + 2 < LINES; row++) {
		line = table_line(table, row);
		put_line(row + 2, line, row < 0 ? A_BOLD : attributes_of(marks ? marks[row] : 0));
		free(line);
	}
	if (!screen->rows && *screen->message)
		put_line(2, screen->message, A_NORMAL);
	refresh();
}

static void show_help(const struct screen *screen)
{
	static const char common[] =
		"arrows, page keys, Home, End  scroll\n"
		"/     show what has this in its name: Enter keeps it, Esc shows all\n"
		"r     all digits, or three of them\n"
		"space pause, and go on\n"
		"?     this help; any key leaves it\n"
		"q     leave\n";
	char *text, *line, *rest;
	int y = 0;

	erase();
	if (asprintf(&text, "%s%s", screen->help, common) < 0)
		fail(FAILED, "out of memory");
	for (rest = text; (line = strsep(&rest, "\n")) && y < LINES; )
		put_line(y++, line, A_NORMAL);
	free(text);
	refresh();
	timeout(-1);
	while (getch() == KEY_RESIZE)
		;
}

/* False if it is no key of the filter. */
static bool type_filter(struct screen *screen, int key)
{
	size_t length = strlen(screen->filter);

	if (key == '\n' || key == '\r' || key == KEY_ENTER || key == ESCAPE) {
		if (key == ESCAPE)
			*screen->filter = 0;
		screen->typing = false;
	} else if (key == KEY_BACKSPACE || key == '\b' || key == 0x7f) {
		/* All bytes of a character. */
		while (length && (screen->filter[--length] & 0xc0) == 0x80)
			;
		screen->filter[length] = 0;
	} else if (key >= ' ' && key < 256 && length + 1 < sizeof(screen->filter)) {
		screen->filter[length] = key;
		screen->filter[length + 1] = 0;
	} else {
		return false;
	}
	screen->top = 0;
	return true;
}

static bool move_rows(struct screen *screen, int key)
{
	uint64_t page = screen_lines();

	switch (key) {
	case KEY_DOWN: screen->top++; break;
	case KEY_UP: screen->top -= screen->top > 0; break;
	case KEY_NPAGE: screen->top += page; break;
	case KEY_PPAGE: screen->top -= screen->top < page ? screen->top : page; break;
	case KEY_HOME: screen->top = 0; break;
	case KEY_END: screen->top = screen->rows; break;
	case KEY_RESIZE: break;
	default: return false;
	}
	return true;
}

static enum screen_event take_key(struct screen *screen, int key)
{
	if (screen->typing && type_filter(screen, key))
		return SCREEN_CHANGED;
	if (move_rows(screen, key))
		return SCREEN_CHANGED;
	switch (key) {
	case 'q': return SCREEN_LEAVE;
	case 'r': screen->raw = !screen->raw; break;
	case ' ': screen->paused = !screen->paused; break;
	case '/': screen->typing = true; break;
	case ESCAPE: *screen->filter = 0; break;
	case '?': show_help(screen); break;
	default:
		return key > 0 && key < 128 && strchr(screen->keys, key) ? SCREEN_KEY : SCREEN_LATER;
	}
	return SCREEN_CHANGED;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

enum screen_event screen_wait(struct screen *screen, double *seconds, int *key)
{
	double end = now() + *seconds, left;
	enum screen_event event;

	for (;;) {
		left = end - now();
		timeout(screen->paused ? -1 : left > 0 ? (int)(left * 1000) + 1 : 0);
		*key = getch();
		left = end - now();
		*seconds = left > 0 ? left : 0;
		/* Or a signal. */
		if (*key == ERR)
			return SCREEN_LATER;
		event = take_key(screen, *key);
		if (event != SCREEN_LATER)
			return event;
	}
}

static bool has_blocks(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* 0 has a mark of its own. */
char *sparkline(const double *rates, int count, char *to)
{
	static const char ascii[] = ".:-=+*#@";
	double most = 0;
	char *end = to;
	int i, level;

	for (i = 0; i < count; i++)
		most = rates[i] > most ? rates[i] : most;
	for (i = 0; i < count; i++) {
		if (rates[i] <= 0) {
			*end++ = rates[i] < 0 ? ' ' : '_';
			continue;
		}
		level = (int)(rates[i] / most * 7.999);
		if (!has_blocks())
			*end++ = ascii[level];
		else
			end = append_text(end, (char []){ 0xe2, 0x96, 0x81 + level, 0 });
	}
	*end = 0;
	return to;
}

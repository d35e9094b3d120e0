/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables for people: columns as wide as what is in them, names cut in their middle where
 * there is no room, and columns left out where that is not enough.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct column {
	const char *title;
	bool left;		/* its texts begin below each other */
	int least;		/* columns, at least, as texts are cut; 0: they are not */
	int steady;		/* columns, at least, whatever is in it */
	int rank;		/* where there is no room, the highest is left out first */
	bool at_end;		/* of a text that is cut, the beginning stays */
};

struct table {
	const struct column *columns;
	size_t count;		/* of columns */
	int gap;		/* between two of them */
	char **cells;		/* row by row */
	size_t used;
	int *widths;		/* 0: is left out */
};

void table_begin(struct table *table, const struct column *columns, size_t count);
/* Texts as text_of() makes them; the columns of a row are added from the left. */
void table_add(struct table *table, const char *text);
void table_printf(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
size_t table_rows(const struct table *table);
/* @width: of all, or 0: as much as they want */
void table_lay_out(struct table *table, int width);
/* A row, or the titles if it is -1; free() it. */
char *table_line(const struct table *table, long row);
/* Titles and rows to standard output, as wide as the terminal is. */
void table_print(struct table *table, bool wide);
/* The same, laid out already. */
void table_print_lines(const struct table *table);
void table_end(struct table *table);

/* In three digits, as "12.3k". */
#define HUMAN_ROOM	32
char *human(double number, char *to);

#endif

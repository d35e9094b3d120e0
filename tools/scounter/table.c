// SPDX-License-Identifier: GPL-2.0
/* Tables for people, see table.h. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "scounter.h"
#include "table.h"

static void *must(void *memory)
{
	if (!memory)
		fail(FAILED, "out of memory");
	return memory;
}

void table_begin(struct table *table, const struct column *columns, size_t count)
{
	*table = (struct table) { .columns = columns, .count = count, .gap = 2 };
	table->widths = must(calloc(count, sizeof(int)));
}

void table_end(struct table *table)
{
	size_t i;

	for (i = 0; i < table->used; i++)
		free(table->cells[i]);
	free(table->cells);
	free(table->widths);
}

void table_add(struct table *table, const char *text)
{
	/* There is room for twice as many, whenever the count is a power of 2. */
	if (!(table->used & (table->used - 1)))
		table->cells = must(realloc(table->cells,
					    (table->used ? 2 * table->used : 1) * sizeof(char *)));
	table->cells[table->used++] = must(strdup(text));
}

void table_printf(struct table *table, const char *format, ...)
{
	char text[NAME_ROOM];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	table_add(table, text);
}

size_t table_rows(const struct table *table)
{
	return table->used / table->count;
}

/* What a column would have. */
static int natural_width(const struct table *table, size_t column)
{
	const struct column *c = &table->columns[column];
	int width = width_of(c->title), other;
	size_t i;

	width = width < c->steady ? c->steady : width;
	for (i = column; i < table->used; i += table->count) {
		other = width_of(table->cells[i]);
		width = width < other ? other : width;
	}
	return width;
}

static int least_width(const struct table *table, size_t column)
{
	const struct column *c = &table->columns[column];
	int width = table->widths[column];

	return c->least && c->least < width ? c->least : width;
}

static int width_of_all(const struct table *table, bool least)
{
	int sum = -table->gap;
	size_t i;

	for (i = 0; i < table->count; i++)
		if (table->widths[i])
			sum += table->gap + (least ? least_width(table, i) : table->widths[i]);
	return sum;
}

/* False if only one is left. */
static bool leave_one_out(struct table *table)
{
	size_t i, shown = 0, worst = 0;

	for (i = 0; i < table->count; i++) {
		if (!table->widths[i])
			continue;
		if (!shown++ || table->columns[i].rank > table->columns[worst].rank)
			worst = i;
	}
	if (shown > 1)
		table->widths[worst] = 0;
	return shown > 1;
}

/* Columns that can be cut, from the last to the first, give what is too much. */
static void shrink(struct table *table, int width)
{
	int excess = width_of_all(table, false) - width, spare;
	size_t i;

	for (i = table->count; i-- > 0 && excess > 0; ) {
		if (!table->widths[i])
			continue;
		spare = table->widths[i] - least_width(table, i);
		spare = spare < excess ? spare : excess;
		table->widths[i] -= spare;
		excess -= spare;
	}
}

static bool is_empty(const struct table *table, size_t column)
{
	size_t i;

	for (i = column; i < table->used; i += table->count)
		if (*table->cells[i])
			return false;
	return true;
}

/* Before a text is cut. */
static void leave_empty_out(struct table *table, int width)
{
	size_t i;

	for (i = table->count; i-- > 0 && width_of_all(table, false) > width; )
		if (table->columns[i].rank && is_empty(table, i))
			table->widths[i] = 0;
}

void table_lay_out(struct table *table, int width)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		table->widths[i] = natural_width(table, i);
	if (!width)
		return;
	leave_empty_out(table, width);
	while (width_of_all(table, true) > width && leave_one_out(table))
		;
	shrink(table, width);
}

static bool is_last(const struct table *table, size_t column)
{
	while (++column < table->count)
		if (table->widths[column])
			return false;
	return true;
}

static void put_spaces(FILE *line, int n)
{
	while (n-- > 0)
		fputc(' ', line);
}

static void put_cell(const struct table *table, FILE *line, size_t column, const char *text)
{
	const struct column *c = &table->columns[column];
	int width = table->widths[column], spaces;
	char *shown = must(malloc(strlen(text) + sizeof("…")));

	strcpy(shown, text);
	if (width_of(shown) > width)
		cut(shown, width, c->at_end ? 0 : width / 2);
	spaces = width - width_of(shown);
	if (!c->left)
		put_spaces(line, spaces);
	fputs(shown, line);
	if (c->left && !is_last(table, column))
		put_spaces(line, spaces);
	free(shown);
}

char *table_line(const struct table *table, long row)
{
	bool first = true;
	char *text;
	size_t size, i;
	FILE *line = must(open_memstream(&text, &size));

	for (i = 0; i < table->count; i++) {
		if (!table->widths[i])
			continue;
		put_spaces(line, first ? 0 : table->gap);
		first = false;
		put_cell(table, line, i,
			 row < 0 ? table->columns[i].title : table->cells[row * table->count + i]);
	}
	if (fclose(line))
		fail(FAILED, "out of memory");
	return text;
}

void table_print(struct table *table, bool wide)
{
	table_lay_out(table, wide ? 0 : columns_of_terminal());
	table_print_lines(table);
}

void table_print_lines(const struct table *table)
{
	long row;
	char *line;

	for (row = -1; row < (long)table_rows(table); row++) {
		line = table_line(table, row);
		puts(line);
		free(line);
	}
}

/* What rounds up to 1000 has the next unit. */
char *human(double number, char *to)
{
	static const char units[] = " kMGTPEZY";
	const char *unit = units;

	if (!isfinite(number)) {
		snprintf(to, HUMAN_ROOM, "%s", isnan(number) ? "-" : "inf");
		return to;
	}
	while (fabs(number) >= 999.5 && unit[1]) {
		number /= 1000;
		unit++;
	}
	if (unit == units)
		snprintf(to, HUMAN_ROOM, "%.*f", number == floor(number) || number >= 99.95 ? 0 : 1,
			 number);
	else
		snprintf(to, HUMAN_ROOM, "%.*f%c", number < 9.995 ? 2 : number < 99.95, number,
			 *unit);
	return to;
}

// SPDX-License-Identifier: GPL-2.0
/* Tables of frequent items, from their text files in debugfs, which has keys as shown. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scounter.h"
#include "events.h"
#include "topk.h"

void topk_walk(void (*take)(const char *group, const char *name, void *argument), void *argument)
{
	char **names = folder_names(&topk_folder), **name, *slash;

	for (name = names; *name; name++) {
		slash = strchr(*name, '/');
		*slash = 0;
		take(*name, slash + 1, argument);
		free(*name);
	}
	free(names);
}

static void take_head(char *line, struct topk *table)
{
	static const char between[] = " \t";
	char *rest, *name, *value;

	for (name = strtok_r(line + 1, between, &rest); name; name = strtok_r(NULL, between, &rest)) {
		value = strtok_r(NULL, between, &rest);
		if (!value)
			return;
		if (!strcmp(name, "capacity"))
			table->capacity = strtoul(value, NULL, 10);
		else if (!strcmp(name, "total"))
			table->total = strtoull(value, NULL, 10);
		else if (!strcmp(name, "dropped"))
			table->dropped = strtoull(value, NULL, 10);
		else if (!strcmp(name, "floor"))
			table->floor = strtoull(value, NULL, 10);
		else if (!strcmp(name, "pending"))
			table->pending = strtoull(value, NULL, 10);
		else if (!strcmp(name, "state"))
			snprintf(table->state, sizeof(table->state), "%s", value);
	}
}

/* What cannot be printed is escaped by the module: a backslash stays. */
static char *key_dup(const char *key)
{
	static const char backslash[] = "\\x5c";
	char *shown = text_dup(key), *at = shown, *to = shown;

	while (*at) {
		if (strncmp(at, backslash, strlen(backslash))) {
			*to++ = *at++;
			continue;
		}
		*to++ = '\\';
		at += strlen(backslash);
	}
	*to = 0;
	return shown;
}

static bool take_row(const char *line, struct topk *table)
{
	struct topk_row *row;
	uint64_t count, error;
	int key = 0;

	if (sscanf(line, "%" SCNu64 " %" SCNu64 "%n", &count, &error, &key) != 2 || line[key] != ' ')
		return false;
	table->rows = events_room(table->rows, table->count, sizeof(*row));
	row = &table->rows[table->count++];
	*row = (struct topk_row) { count, error, 0, key_dup(line + key + 1) };
	return error <= count;
}

bool topk_take(struct topk *table, FILE *file)
{
	bool right = true, head = false;
	char *line = NULL;
	size_t room = 0;

	*table = (struct topk) { .state = "unknown" };
	while (right && getline(&line, &room, file) >= 0) {
		line[strcspn(line, "\n")] = 0;
		if (*line == '#') {
			head = head || strstr(line, " total ");
			take_head(line, table);
		} else {
			right = head && take_row(line, table);
		}
	}
	free(line);
	if (right && head)
		return true;
	topk_free(table);
	return false;
}

bool topk_read(const char *group, const char *name, struct topk *table)
{
	char path[2 * NAME_ROOM];
	bool right, gone;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", group, name);
	file = folder_try(&topk_folder, path);
	*table = (struct topk) { 0 };
	if (!file)
		return false;
	errno = 0;
	right = topk_take(table, file);
	/* EIO: the table has gone while its file was open. */
	gone = ferror(file) && errno == EIO;
	if (ferror(file) && !gone)
		fail(FAILED, "%s: %s", path, strerror(errno));
	fclose(file);
	if (!right && !gone)
		fail(FAILED, "%s: not a table of frequent items", path);
	if (gone) {
		topk_free(table);
		return false;
	}
	table->group = text_dup(group);
	table->name = text_dup(name);
	return true;
}

void topk_free(struct topk *table)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		free(table->rows[i].key);
	free(table->rows);
	free(table->group);
	free(table->name);
	*table = (struct topk) { 0 };
}

uint64_t topk_rest(const struct topk *table, size_t rows)
{
	uint64_t rest = table->total;
	size_t i;

	for (i = 0; i < rows && i < table->count; i++)
		rest -= table->rows[i].count < rest ? table->rows[i].count : rest;
	return rest;
}

static int by_key(const void *a, const void *b)
{
	return strcmp((*(struct topk_row *const *)a)->key, (*(struct topk_row *const *)b)->key);
}

static const struct topk_row **in_order(const struct topk *table)
{
	const struct topk_row **rows = calloc(table->count + 1, sizeof(*rows));
	size_t i;

	if (!rows)
		fail(FAILED, "out of memory");
	for (i = 0; i < table->count; i++)
		rows[i] = &table->rows[i];
	qsort(rows, table->count, sizeof(*rows), by_key);
	return rows;
}

/*
 * A key whose error has changed had lost its entry: what it was hit since it has another is
 * count - error.  So it is of a key that was not listed.
 */
void topk_compare(struct topk *now, const struct topk *before)
{
	const struct topk_row **rows = in_order(before);
	size_t i;

	for (i = 0; i < now->count; i++) {
		struct topk_row *row = &now->rows[i];
		const struct topk_row **old = bsearch(&row, rows, before->count, sizeof(*rows), by_key);

		if (old && (*old)->error == row->error && (*old)->count <= row->count)
			row->hits = row->count - (*old)->count;
		else
			row->hits = row->count - row->error;
	}
	free(rows);
}

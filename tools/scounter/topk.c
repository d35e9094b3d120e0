// SPDX-License-Identifier: GPL-2.0
/* Tables of frequent items, from their text files in debugfs, which has keys as shown. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scounter.h"
#include "events.h"
#include "topk.h"

const char *debugfs_root(void)
{
	return root_of("SCOUNTER_DEBUGFS", "/sys/kernel/debug/scounter");
}

void no_file(const char *path, int error)
{
	if (access(sysfs_root(), F_OK))
		fail(NOT_LOADED, "the module scounter is not loaded; to load it, as root: modprobe scounter");
	if (error == ENOENT && access(debugfs_root(), F_OK) && errno == ENOENT)
		fail(FAILED, "%s: debugfs is not mounted; to mount it, as root: mount -t debugfs none /sys/kernel/debug",
		     debugfs_root());
	fail(FAILED, "%s: %s%s", path, strerror(error),
	     error == EACCES ? "; debugfs is for root only" : "");
}

int is_table_name(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash && slash != name && slash[1] && !strchr(slash + 1, '/') &&
	       name[0] != '.' && slash[1] != '.';
}

/* Each table has a file in text, and one for programs beside it. */
static void walk_group(const char *group, DIR *dir,
		       void (*take)(const char *group, const char *name, void *argument),
		       void *argument)
{
	struct dirent *entry;
	size_t length;

	while ((entry = readdir(dir))) {
		length = strlen(entry->d_name);
		if (entry->d_name[0] == '.' ||
		    (length > 4 && !strcmp(entry->d_name + length - 4, ".bin")))
			continue;
		take(group, entry->d_name, argument);
	}
}

void topk_walk(void (*take)(const char *group, const char *name, void *argument), void *argument)
{
	char path[4096], group[8192];
	struct dirent *entry;
	DIR *groups, *dir;

	snprintf(path, sizeof(path), "%s/topk", debugfs_root());
	groups = opendir(path);
	if (!groups)
		no_file(path, errno);
	while ((entry = readdir(groups))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(group, sizeof(group), "%s/%s", path, entry->d_name);
		/* One that has gone meanwhile has no tables. */
		dir = opendir(group);
		if (!dir)
			continue;
		walk_group(entry->d_name, dir, take, argument);
		closedir(dir);
	}
	closedir(groups);
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

static bool take_row(const char *line, struct topk *table)
{
	struct topk_row *row;
	uint64_t count, error;
	int key = 0;

	if (sscanf(line, "%" SCNu64 " %" SCNu64 "%n", &count, &error, &key) != 2 || line[key] != ' ')
		return false;
	table->rows = events_room(table->rows, table->count, sizeof(*row));
	row = &table->rows[table->count++];
	*row = (struct topk_row) { count, error, text_dup(line + key + 1) };
	return true;
}

bool topk_read(const char *group, const char *name, struct topk *table)
{
	char path[8192], *line = NULL;
	size_t room = 0;
	FILE *file;

	*table = (struct topk) { 0 };
	snprintf(path, sizeof(path), "%s/topk/%s/%s", debugfs_root(), group, name);
	file = fopen(path, "re");
	if (!file) {
		if (errno == ENOENT && !access(debugfs_root(), X_OK))
			return false;
		no_file(path, errno);
	}
	table->group = text_dup(group);
	table->name = text_dup(name);
	errno = 0;
	while (getline(&line, &room, file) >= 0) {
		line[strcspn(line, "\n")] = 0;
		if (*line == '#')
			take_head(line, table);
		else if (!take_row(line, table))
			fail(FAILED, "%s: a line that cannot be: %s", path, text_dup(line));
	}
	free(line);
	/* EIO: the table has gone while its file was open. */
	if (ferror(file) && errno != EIO)
		fail(FAILED, "%s: %s", path, strerror(errno));
	if (ferror(file)) {
		fclose(file);
		topk_free(table);
		return false;
	}
	fclose(file);
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

// SPDX-License-Identifier: GPL-2.0
/* The files of scounter, and what is known of each. */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../include/uapi/linux/scounter.h"
#include "../../../include/uapi/linux/scounter_array.h"
#include "../../../include/uapi/linux/scounter_topk.h"
#include "files.h"

struct path *paths;
int path_count;

static struct kept kept[64];
static int kept_count;

/* Of the modules that are loaded and unloaded meanwhile. */
static const char *const come_and_go[] = {
	SYSFS "/scounter_try/try/value", SYSFS "/scounter_try/try/kind",
	SYSFS "/scounter_try/try/error", SYSFS "/scounter_try/try/lower",
	SYSFS "/scounter_try/try/upper", SYSFS "/scounter_try/try/state",
	SYSFS "/scounter_try/try/reset", DEBUGFS "/scounter_try/try",
	DEBUGFS "/arrays/scounter_array_try/array",
	DEBUGFS "/topk/scounter_topk_try/try", DEBUGFS "/topk/scounter_topk_try/try.bin",
};

static bool begins_with(const char *name, const char *start)
{
	return !strncmp(name, start, strlen(start));
}

static bool ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), of_end = strlen(end);

	return length >= of_end && !strcmp(name + length - of_end, end);
}

uint64_t kept_read(const struct kept *one)
{
	char text[32] = "", *end;
	int fd = open(one->value_file, O_RDONLY);
	uint64_t value;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		found("%s cannot be read", one->value_file);
	close(fd);
	value = strtoull(text, &end, 10);
	if (strcmp(end, "\n"))
		found("%s says '%s'", one->value_file, text);
	return value;
}

#define KEPT	SYSFS "/scounter_kept/"

/* The counter whose folder the file is in. */
static struct kept *kept_of(const char *name)
{
	char value_file[sizeof(kept->value_file)];
	int i;

	if (!begins_with(name, KEPT) || !strchr(name + strlen(KEPT), '/'))
		return NULL;
	snprintf(value_file, sizeof(value_file), "%.*s/value",
		 (int)(strrchr(name, '/') - name), name);
	for (i = 0; i < kept_count; i++)
		if (!strcmp(kept[i].value_file, value_file))
			return &kept[i];
	if (kept_count == sizeof(kept) / sizeof(kept[0]))
		found("too many counters are kept");
	strcpy(kept[kept_count].value_file, value_file);
	kept[kept_count].value = kept_read(&kept[kept_count]);
	return &kept[kept_count++];
}

static void add(const char *name)
{
	struct path *path;

	paths = realloc(paths, (path_count + 1) * sizeof(*paths));
	if (!paths)
		found("no memory");
	path = &paths[path_count++];
	memset(path, 0, sizeof(*path));
	snprintf(path->name, sizeof(path->name), "%s", name);
	if (!strcmp(name, DEVICE))
		path->form = COUNTERS;
	else if (begins_with(name, DEBUGFS "/arrays/"))
		path->form = ARRAY;
	else if (begins_with(name, DEBUGFS "/topk/") && ends_with(name, ".bin"))
		path->form = TOPK;
	path->is_snapshot = path->form == COUNTERS || begins_with(name, DEBUGFS "/topk/");
	path->is_reset = begins_with(name, SYSFS) && ends_with(name, "/reset");
	path->kept = kept_of(name);
}

static int add_found(const char *name, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	add(name);
	return 0;
}

/* A folder's order is not always the same, and a seed must be. */
static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct path *)a)->name, ((const struct path *)b)->name);
}

void paths_find(void)
{
	size_t i;

	if (nftw(DEBUGFS, add_found, 16, FTW_PHYS) || nftw(SYSFS, add_found, 16, FTW_PHYS))
		found("the folders of scounter cannot be read");
	for (i = 0; i < sizeof(come_and_go) / sizeof(come_and_go[0]); i++)
		add(come_and_go[i]);
	for (i = 0; i < 8; i++)
		add(DEVICE);
	qsort(paths, path_count, sizeof(*paths), by_name);
}

long long path_size(const struct path *path, const uint8_t *header, size_t size)
{
	const struct scounter_snapshot_header *counters = (const void *)header;
	const struct scounter_array_header *array = (const void *)header;
	const struct scounter_topk_header *topk = (const void *)header;

	switch (path->form) {
	case TEXT:
		return -1;
	case COUNTERS:
		if (size < sizeof(*counters) ||
		    memcmp(counters->magic, SCOUNTER_SNAPSHOT_MAGIC, sizeof(counters->magic)))
			return -1;
		return counters->header_size + counters->count * counters->record_size;
	case ARRAY:
		if (size < sizeof(*array) || array->magic != SCOUNTER_ARRAY_MAGIC)
			return -1;
		return array->header_bytes + array->words * array->copies * sizeof(uint64_t);
	case TOPK:
		if (size < sizeof(*topk) || topk->magic != SCOUNTER_TOPK_MAGIC)
			return -1;
		return topk->header_size + (uint64_t)topk->records * topk->record_size;
	}
	return -1;
}

void kept_check(void)
{
	int i;

	for (i = 0; i < kept_count; i++) {
		uint64_t value = kept_read(&kept[i]);

		if (value != kept[i].value)
			found("%s says %llu, and not %llu", kept[i].value_file,
			      (unsigned long long)value, (unsigned long long)kept[i].value);
	}
	if (!kept_count)
		found("no counter is kept");
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The module's files in debugfs.  Root may read them, and others where the administrator has
 * mounted the folder a second time, at a place that they may enter.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scounter.h"
#include "folder.h"

#define DEBUGFS		"/sys/kernel/debug/scounter"
#define FOR_OTHERS	"/run/scounter/debug"

const struct folder topk_folder = { "topk", "table", "topk" };
const struct folder array_folder = { "arrays", "array", "array list" };

static const char *debugfs_root(void)
{
	const char *other = getenv("SCOUNTER_DEBUGFS");

	if (other && *other)
		return other;
	return access(DEBUGFS, X_OK) && !access(FOR_OTHERS, X_OK) ? FOR_OTHERS : DEBUGFS;
}

static void __attribute__((noreturn)) no_file(const char *path, int error)
{
	if (access(sysfs_root(), F_OK))
		fail(NOT_LOADED, "the module scounter is not loaded; to load it, as root: modprobe scounter");
	if (error == ENOENT && access(debugfs_root(), F_OK) && errno == ENOENT)
		fail(FAILED, "%s: debugfs is not mounted; to mount it, as root: mount -t debugfs none /sys/kernel/debug",
		     debugfs_root());
	fail(FAILED, "%s: %s%s", path, strerror(error),
	     error == EACCES ? "; debugfs is for root only, unless the administrator has mounted "
			       FOR_OTHERS ", see scounter(8)" : "");
}

static FILE *open_or_fail(const char *path)
{
	FILE *file = fopen(path, "re");

	if (!file)
		no_file(path, errno);
	return file;
}

FILE *debugfs_open(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", debugfs_root(), name);
	return open_or_fail(path);
}

bool is_folder_name(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash && slash != name && slash[1] && !strchr(slash + 1, '/') &&
	       name[0] != '.' && slash[1] != '.';
}

static const char *path_of(const struct folder *folder, const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s/%s", debugfs_root(), folder->name, name);
	return path;
}

FILE *folder_try(const struct folder *folder, const char *name)
{
	const char *path = path_of(folder, name);
	FILE *file = fopen(path, "re");

	if (!file && (errno != ENOENT || access(debugfs_root(), X_OK)))
		no_file(path, errno);
	return file;
}

FILE *folder_open(const struct folder *folder, const char *name)
{
	FILE *file;

	if (!is_folder_name(name))
		usage_error("'%s' is no GROUP/NAME", name);
	file = folder_try(folder, name);
	if (!file)
		fail(FAILED, "no %s %s; scounter %s%s", folder->what, name, folder->command,
		     folder == &topk_folder ? " lists all" : " has all");
	return file;
}

struct names {
	char **name;
	size_t count;
};

static void add_name(struct names *names, const char *group, const char *name)
{
	if (!(names->count & (names->count - 1)))
		names->name = realloc(names->name, (names->count ? 2 * names->count : 1) * sizeof(char *));
	if (!names->name || (name && asprintf(&names->name[names->count], "%s/%s", group, name) < 0))
		fail(FAILED, "out of memory");
	if (!name)
		names->name[names->count] = NULL;
	names->count++;
}

/* A table has a file for programs beside it. */
static bool is_for_programs(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && !strcmp(name + length - 4, ".bin");
}

static void add_group(struct names *names, const char *path, const char *group, bool all)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	/* One that has gone meanwhile has nothing. */
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && (all || !is_for_programs(entry->d_name)))
			add_name(names, group, entry->d_name);
	if (dir)
		closedir(dir);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **folder_names(const struct folder *folder)
{
	struct names names = { 0 };
	char path[4096], group[8192];
	struct dirent *entry;
	DIR *groups;

	snprintf(path, sizeof(path), "%s/%s", debugfs_root(), folder->name);
	groups = opendir(path);
	if (!groups)
		no_file(path, errno);
	while ((entry = readdir(groups))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(group, sizeof(group), "%s/%s", path, entry->d_name);
		add_group(&names, group, entry->d_name, folder != &topk_folder);
	}
	closedir(groups);
	if (names.count)
		qsort(names.name, names.count, sizeof(char *), compare);
	add_name(&names, NULL, NULL);
	return names.name;
}

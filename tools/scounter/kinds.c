// SPDX-License-Identifier: GPL-2.0
/* kinds and topk: what the module itself says in debugfs, which root may read. */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scounter.h"

static const char *debugfs_root(void)
{
	return root_of("SCOUNTER_DEBUGFS", "/sys/kernel/debug/scounter");
}

static void __attribute__((noreturn)) no_file(const char *path, int error)
{
	if (access(sysfs_root(), F_OK))
		fail(NOT_LOADED, "the module scounter is not loaded; to load it, as root: modprobe scounter");
	if (error == ENOENT && access(debugfs_root(), F_OK) && errno == ENOENT)
		fail(FAILED, "%s: debugfs is not mounted; to mount it, as root: mount -t debugfs none /sys/kernel/debug",
		     debugfs_root());
	fail(FAILED, "%s: %s%s", path, strerror(error),
	     error == EACCES ? "; debugfs is for root only" : "");
}

/* @columns: that a line has, or 0: as many as it wants */
static int copy_out(const char *path, int columns)
{
	FILE *file = fopen(path, "re");
	char line[CUT_ROOM + sizeof("…")];

	if (!file)
		no_file(path, errno);
	while (fgets(line, CUT_ROOM, file)) {
		line[strcspn(line, "\n")] = 0;
		if (columns)
			cut(line, columns, 0);
		puts(line);
	}
	fclose(file);
	return OK;
}

int cmd_kinds(int argc, char **argv)
{
	static const struct option options[] = { { "wide", no_argument, NULL, 'w' }, {} };
	bool wide = false;
	char path[4096];
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option != 'w')
			return USAGE;
		wide = true;
	}
	if (optind != argc)
		usage_error("kinds takes no argument");
	snprintf(path, sizeof(path), "%s/kinds", debugfs_root());
	return copy_out(path, wide ? 0 : columns_of_terminal());
}

/* GROUP/NAME, and nothing that leads out of the directory. */
static int is_table_name(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash && slash != name && slash[1] && !strchr(slash + 1, '/') &&
	       name[0] != '.' && slash[1] != '.';
}

/* Each table has a file in text, and one for programs beside it. */
static void list_tables(const char *group, DIR *dir)
{
	struct dirent *entry;
	size_t length;

	while ((entry = readdir(dir))) {
		length = strlen(entry->d_name);
		if (entry->d_name[0] == '.' ||
		    (length > 4 && !strcmp(entry->d_name + length - 4, ".bin")))
			continue;
		printf("%s/%s\n", group, entry->d_name);
	}
}

static int list_all_tables(const char *path, DIR *groups)
{
	struct dirent *entry;
	char group[8192];
	DIR *dir;

	while ((entry = readdir(groups))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(group, sizeof(group), "%s/%s", path, entry->d_name);
		/* One that has gone meanwhile has no tables. */
		dir = opendir(group);
		if (!dir)
			continue;
		list_tables(entry->d_name, dir);
		closedir(dir);
	}
	return OK;
}

int cmd_topk(int argc, char **argv)
{
	static const struct option options[] = { {} };
	char path[4096];
	DIR *dir;
	int status;

	if (getopt_long(argc, argv, "", options, NULL) != -1)
		return USAGE;
	if (argc - optind > 1 || (optind < argc && !is_table_name(argv[optind])))
		usage_error("topk takes one GROUP/NAME, or nothing to list them");
	if (optind < argc) {
		snprintf(path, sizeof(path), "%s/topk/%s", debugfs_root(), argv[optind]);
		if (!access(debugfs_root(), X_OK) && access(path, F_OK) && errno == ENOENT)
			fail(FAILED, "no table %s; scounter topk lists all", argv[optind]);
		return copy_out(path, 0);
	}
	snprintf(path, sizeof(path), "%s/topk", debugfs_root());
	dir = opendir(path);
	if (!dir)
		no_file(path, errno);
	status = list_all_tables(path, dir);
	closedir(dir);
	return status;
}

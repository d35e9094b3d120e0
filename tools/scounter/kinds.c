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
	const char *root = getenv("SCOUNTER_DEBUGFS");

	return root && *root ? root : "/sys/kernel/debug/scounter";
}

static int copy_out(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[4096];

	if (!file) {
		if (errno == ENOENT && access(sysfs_root(), F_OK))
			fail(NOT_LOADED, "the module scounter is not loaded; to load it, as root: modprobe scounter");
		fail(FAILED, "%s: %s%s", path, strerror(errno),
		     errno == EACCES ? "; debugfs is for root only" : "");
	}
	while (fgets(line, sizeof(line), file))
		fputs(line, stdout);
	fclose(file);
	return OK;
}

int cmd_kinds(int argc, char **argv)
{
	static const struct option options[] = { {} };
	char path[4096];

	if (getopt_long(argc, argv, "", options, NULL) != -1)
		return USAGE;
	if (optind != argc)
		usage_error("kinds takes no argument");
	snprintf(path, sizeof(path), "%s/kinds", debugfs_root());
	return copy_out(path);
}

int cmd_topk(int argc, char **argv)
{
	static const struct option options[] = { {} };
	struct dirent *entry;
	char path[4096];
	DIR *dir;

	if (getopt_long(argc, argv, "", options, NULL) != -1)
		return USAGE;
	if (argc - optind > 1 || (optind < argc && strchr(argv[optind], '/')))
		usage_error("topk takes one name");
	snprintf(path, sizeof(path), "%s/topk/%s", debugfs_root(),
		 optind < argc ? argv[optind] : "");
	if (optind < argc)
		return copy_out(path);
	dir = opendir(path);
	if (!dir)
		return copy_out(path);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			puts(entry->d_name);
	closedir(dir);
	return OK;
}

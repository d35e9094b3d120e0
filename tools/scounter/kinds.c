// SPDX-License-Identifier: GPL-2.0
/* kinds and topk: what the module itself says in debugfs, which root may read. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scounter.h"
#include "topk.h"

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

static void print_name(const char *group, const char *name, void *unused)
{
	(void)unused;
	printf("%s/%s\n", group, name);
}

int cmd_topk(int argc, char **argv)
{
	static const struct option options[] = { {} };
	char path[4096];

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
	topk_walk(print_name, NULL);
	return OK;
}

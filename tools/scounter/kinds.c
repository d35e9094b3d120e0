// SPDX-License-Identifier: GPL-2.0
/* kinds: what the module itself says of them in debugfs. */
#include <getopt.h>
#include <string.h>

#include "scounter.h"
#include "folder.h"

int cmd_kinds(int argc, char **argv)
{
	static const struct option options[] = { { "wide", no_argument, NULL, 'w' }, {} };
	char line[CUT_ROOM + sizeof("…")];
	int option, columns;
	bool wide = false;
	FILE *file;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option != 'w')
			return USAGE;
		wide = true;
	}
	if (optind != argc)
		usage_error("kinds takes no argument");
	file = debugfs_open("kinds");
	columns = wide ? 0 : columns_of_terminal();
	while (fgets(line, CUT_ROOM, file)) {
		line[strcspn(line, "\n")] = 0;
		if (columns)
			cut(line, columns, 0);
		puts(line);
	}
	fclose(file);
	return OK;
}

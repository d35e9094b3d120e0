/* SPDX-License-Identifier: GPL-2.0 */
/* Snapshots, from the module's device or from a file that holds one or several. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "counters.h"

/* Where snapshots come from: the device gives a new one each time. */
struct source {
	const char *path;
	char **patterns;	/* nothing else is needed; or NULL */
	bool is_device;
	FILE *file;
};

void source_open(struct source *source, const char *path, char **patterns);
/* The next snapshot; false at the end of a file.  Bad input ends the program. */
bool source_next(struct source *source, struct snapshot *snapshot);
void source_close(struct source *source);

void snapshot_read(const char *path, char **patterns, struct snapshot *snapshot);
/* The same, and false and the damage where the file is empty or damaged. */
bool snapshot_try(const char *path, struct snapshot *snapshot, const char **damage);
/* snapshot_keep(); false if a pattern matches nothing. */
bool snapshot_select(struct snapshot *snapshot, char **patterns, bool complain);

#endif

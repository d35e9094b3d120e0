/* SPDX-License-Identifier: GPL-2.0 */
/* Snapshots, from the module's device or from a file that holds one or several. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include SCOUNTER_UAPI

typedef struct scounter_snapshot_header header_t;
typedef struct scounter_snapshot_record record_t;

struct snapshot {
	header_t header;	/* sizes as in this program */
	record_t *records;	/* in the order of the names */
	char *texts;		/* header.texts_size bytes, or NULL */
	bool filtered;		/* the device has more */
};

/* Where snapshots come from: the device gives a new one each time. */
struct source {
	const char *path;
	char **patterns;	/* nothing else is needed; or NULL */
	bool is_device;
	FILE *file;
	char *damage;		/* what is no snapshot does not end the program; or NULL */
	jmp_buf *go_on;
};

void source_open(struct source *source, const char *path, char **patterns);
/* The next snapshot; false at the end of a file.  Bad input ends the program. */
bool source_next(struct source *source, struct snapshot *snapshot);
void source_close(struct source *source);

void snapshot_read(const char *path, char **patterns, struct snapshot *snapshot);
/* The same, and false and the damage where the file is empty or damaged. */
#define DAMAGE_ROOM	128
bool snapshot_try(const char *path, struct snapshot *snapshot, char *damage);
void snapshot_write(const struct snapshot *snapshot, FILE *file);
void snapshot_free(struct snapshot *snapshot);
/* A text of a record, "" if it has none. */
const char *unit_of(const struct snapshot *snapshot, const record_t *record);
const char *help_of(const struct snapshot *snapshot, const record_t *record);
/* What its object is: "object" if that is not said. */
const char *label_of(const struct snapshot *snapshot, const record_t *record);
/* The record of the same group, object and name, or NULL. */
const record_t *snapshot_find(const struct snapshot *snapshot, const record_t *like);
/*
 * Keep what the patterns match, of GROUP/NAME and GROUP/OBJECT/NAME, or of its beginning
 * up to a '/'; false if one matches nothing.  The pattern "*" is for all.
 */
bool snapshot_select(struct snapshot *snapshot, char **patterns, bool complain);

/* Ask for what the patterns match, and perhaps more; false for all. */
bool filter_of(char **patterns, struct scounter_filter *filter);
void filter_device(FILE *device, char **patterns);
/* Whether a pattern of snapshot_select() matches. */
bool pattern_matches(const char *pattern, const record_t *record);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snapshots of counters with names: what /dev/scounter reads as.
 *
 * What can fail returns a negative errno and says why in array_error().
 */
#ifndef _LIB_COUNTERS_H
#define _LIB_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../../include/uapi/linux/scounter.h"

typedef struct scounter_snapshot_header header_t;
typedef struct scounter_snapshot_record record_t;

struct sums;

struct snapshot {
	header_t header;	/* sizes as in this program */
	record_t *records;	/* in the order of the names */
	char *texts;		/* header.texts_size bytes, or NULL */
	bool filtered;		/* the device has more */
	uint32_t version;	/* of the writer */
	struct sums *sums;	/* of several snapshots: see sums.c; or NULL */
};

/*
 * A recording may have other things between its snapshots, each behind this header: who
 * reads counters passes over them.  A program that does not know them says that it is too
 * old for the file.  `count` bytes follow after header_size.
 */
#define SNAPSHOT_OTHER	0x80000001U	/* version and oldest_reader */

struct snapshot_other {
	header_t header;	/* of when it was read; record_size is 1 */
	__u32 what;		/* enum snapshot_what */
	__u32 reserved;
	__u8 group[64];
	__u8 name[64];
};

enum snapshot_what {
	SNAPSHOT_ARRAY = 1,	/* as <uapi/linux/scounter_array.h> lays it out */
	SNAPSHOT_TOPK = 2,	/* a table of frequent items as text */
};

/*
 * The next snapshot of a file: 1, or 0 at its end.  -EINVAL for what is none, or
 * contradicts itself; -ENODATA for a truncated one; -EPROTO for one of a newer version
 * or of the other byte order; -ENOMEM; -EIO.
 */
int snapshot_load(struct snapshot *snapshot, FILE *from);
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
 * up to a '/'.  The pattern "*" is for all.  -ENOENT if one matches nothing: the rest was
 * done, and @missing was told.
 */
typedef void (*missing_t)(const struct snapshot *snapshot, const char *pattern);
int snapshot_keep(struct snapshot *snapshot, char **patterns, missing_t missing);
/* Whether a pattern of snapshot_keep() matches. */
bool pattern_matches(const char *pattern, const record_t *record);

/* The order of records: by group, object and name. */
int record_order(const record_t *x, const record_t *y);

/*
 * dst += src, counters of the same name, as those of independent machines: variances
 * add, and bounds are those of a sum.  The sum has what uapi/linux/scounter.h says of
 * sums.  -EEXIST if src is of a boot that is in dst, unless @clones: a machine is not
 * added twice.  dst is as it was after an error, and @remark was told what is odd.
 * snapshot_settle() before dst is looked at.  What is no sum, such as a quantile, is
 * dropped from both.
 */
enum oddity {
	KINDS_DIFFER,		/* said once */
	UNITS_DIFFER,		/* or labels: it was not added, and the sum is partial */
	NOT_SURE,		/* saturated or such; so is the sum */
	NO_SUM,			/* a quantile: it was left out */
};
struct remarks {
	void (*say)(void *of, enum oddity oddity, const record_t *record);
	void *of;
};
int snapshot_merge(struct snapshot *dst, struct snapshot *src, bool clones,
		   const struct remarks *remarks);
/* What sums can begin with. */
void snapshot_empty(struct snapshot *snapshot);
void snapshot_settle(struct snapshot *snapshot);
/* A machine that could not be read is missing in all sums. */
void snapshot_mark_partial(struct snapshot *snapshot);
/* The boot_id of a sum is the sum of its machines'. */
void add_boot_id(__u8 *to, const __u8 *id);
void sums_free(struct sums *sums);

struct scounter_estimate;
/* Of a counter that loses counts nothing is certain. */
void estimate_of(const record_t *record, struct scounter_estimate *estimate);
/* How many machines a record is of. */
uint32_t machines_of(const record_t *record);

/* Ask for what the patterns match, and perhaps more; false for all. */
bool filter_of(char **patterns, struct scounter_filter *filter);
void filter_device(FILE *device, char **patterns);

/* Why the last call of this thread failed; as in array.h. */
const char *array_error(void);

#endif /* _LIB_COUNTERS_H */

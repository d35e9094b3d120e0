/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libscounter: snapshots of the kernel's scounters, of its arrays and of its tables of
 * frequent items, and what those of many machines come to.  libscounter(3) has more.
 *
 *	struct scl_snapshot *now;
 *	struct scl_estimate rx;
 *
 *	if (scl_snapshot_read(&now, NULL, NULL))
 *		errx(1, "%s", scl_error());
 *	if (!scl_snapshot_estimate(now, "net", NULL, "rx", &rx))
 *		printf("%" PRIu64 ", at most %" PRIu64 "\n", rx.value, rx.upper);
 *	scl_snapshot_free(now);
 *
 * What can fail returns a negative errno, says why in scl_error(), and has changed
 * nothing.  An object is used by one thread at a time.
 *
 *	-EINVAL		what is read is damaged or something else, or an argument is wrong
 *	-ENODATA	it is truncated, or empty
 *	-EPROTO		it is of a newer version, or of a machine of the other byte order
 *	-ENOENT		there is no such counter; no such file
 *	-EEXIST		a machine is in the sum already
 *	-ERANGE		a number is out of its range
 *	-ENODEV		the module is not loaded, or its device is not passed in
 *	-EAGAIN		this user holds too many snapshots open
 *	-ENOMEM, -EIO and others of the system
 *
 * The structures of uapi/linux only ever grow at their end: they come from the library
 * as pointers, and are not to be copied by their size.
 */
#ifndef LIBSCOUNTER_H
#define LIBSCOUNTER_H

#include <stddef.h>
#include <stdint.h>

#include "uapi/linux/scounter.h"
#include "uapi/linux/scounter_array.h"
#include "uapi/linux/scounter_topk.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Why the last call of this thread failed. */
const char *scl_error(void);
/* As in dkms.conf. */
const char *scl_version(void);

enum scl_kind {
	SCL_COUNTERS	= 1,
	SCL_ARRAY	= 2,
	SCL_TOPK	= 3,
};

/* What a file holds. */
int scl_kind_of(const char *path);

struct scl_estimate {
	uint64_t value;
	uint64_t lower;		/* the count is below it in at most 0.135 % of all cases */
	uint64_t upper;		/* the same above; UINT64_MAX: there is no such bound */
	double variance;	/* at most; INFINITY: not known.  Those of independent ones add */
	uint32_t error_ppm;	/* relative standard deviation, at most */
	uint32_t flags;		/* SCOUNTER_F_... */
	uint64_t reserved[3];
};

/*
 * Counters
 */

struct scl_source;
struct scl_snapshot;

/*
 * The device, if path is NULL, or a file with one snapshot or several.  What no pattern
 * matches (NULL, or ending with NULL) is left out: see scl_snapshot_filter().
 */
int scl_source_open(struct scl_source **source, const char *path, const char *const *patterns);
/* The next snapshot, a new one of the device: 1, or 0 at the end of a file. */
int scl_source_next(struct scl_source *source, struct scl_snapshot **snapshot);
void scl_source_close(struct scl_source *source);

/* The first one of such a source. */
int scl_snapshot_read(struct scl_snapshot **snapshot, const char *path,
		      const char *const *patterns);
/* One without counters, for sums. */
int scl_snapshot_create(struct scl_snapshot **snapshot);
/* The file appears complete or not at all. */
int scl_snapshot_save(struct scl_snapshot *snapshot, const char *path);
void scl_snapshot_free(struct scl_snapshot *snapshot);

const struct scounter_snapshot_header *scl_snapshot_header(const struct scl_snapshot *snapshot);
/* In the order of group, object and name; NULL beyond the last. */
uint64_t scl_snapshot_count(const struct scl_snapshot *snapshot);
const struct scounter_snapshot_record *scl_snapshot_record(struct scl_snapshot *snapshot,
							   uint64_t i);
/* object: NULL for none.  NULL: there is no such counter. */
const struct scounter_snapshot_record *scl_snapshot_find(struct scl_snapshot *snapshot,
							 const char *group, const char *object,
							 const char *name);

/* Texts of a record of this snapshot: "" for none. */
const char *scl_snapshot_unit(const struct scl_snapshot *snapshot,
			      const struct scounter_snapshot_record *record);
const char *scl_snapshot_help(const struct scl_snapshot *snapshot,
			      const struct scounter_snapshot_record *record);
const char *scl_snapshot_label(const struct scl_snapshot *snapshot,
			       const struct scounter_snapshot_record *record);

/*
 * Keep what matches one of the patterns, GROUP/NAME and GROUP/OBJECT/NAME as scounter(8)
 * has them.  -ENOENT if one of them matches nothing: the others were kept.
 */
int scl_snapshot_filter(struct scl_snapshot *snapshot, const char *const *patterns);

void scl_record_estimate(const struct scounter_snapshot_record *record,
			 struct scl_estimate *estimate);
/* How many machines are in it: 1, but for a sum. */
uint32_t scl_record_machines(const struct scounter_snapshot_record *record);
int scl_snapshot_estimate(struct scl_snapshot *snapshot, const char *group, const char *object,
			  const char *name, struct scl_estimate *estimate);
/* All its counters together, as independent ones. */
void scl_snapshot_sum(struct scl_snapshot *snapshot, struct scl_estimate *estimate);

/*
 * dst += src by names, as of independent machines.  A counter whose unit or label differs
 * is not added, and the sum is SCOUNTER_F_PARTIAL.  -EEXIST if a machine's boot is in dst
 * already, unless flags has SCL_CLONES: machines that were cloned while they ran.
 * Records that dst gave out before are no longer to be looked at.
 */
#define SCL_CLONES	(1U << 0)
int scl_snapshot_merge(struct scl_snapshot *dst, struct scl_snapshot *src, unsigned int flags);
/* A machine is missing: no sum has an upper bound. */
void scl_snapshot_mark_partial(struct scl_snapshot *snapshot);

/* What was counted between two snapshots. */
struct scl_change {
	uint64_t events;
	double deviation;	/* one standard deviation at most; INFINITY: not known */
	double bar;		/* farther off, up or down, in at most 0.135 % of all cases each */
	double seconds;		/* 0 or less: not known */
	uint32_t is_new;	/* it was not there before: all that it has counted */
	uint32_t restarted;	/* reset, wrapped, or made anew: events since then */
	uint64_t reserved[3];
};

void scl_change_between(struct scl_snapshot *before, struct scl_snapshot *after,
			const struct scounter_snapshot_record *record, struct scl_change *change);

/*
 * Arrays
 */

struct scl_array;

/*
 * The type for counts up to max_count: in so many bits, or that of the fewest bits for an
 * error of so many millionths (one relative standard deviation).
 */
int scl_array_type_for(struct scounter_array_type *type, uint32_t bits, uint64_t max_count);
int scl_array_type_for_error(struct scounter_array_type *type, uint64_t max_count,
			     uint32_t error_ppm);
int scl_array_create(struct scl_array **array, const struct scounter_array_type *type,
		     uint64_t length);
int scl_array_read(struct scl_array **array, const char *path);
int scl_array_save(const struct scl_array *array, const char *path);
void scl_array_free(struct scl_array *array);

uint64_t scl_array_length(const struct scl_array *array);
void scl_array_type(const struct scl_array *array, struct scounter_array_type *type);
uint32_t scl_array_flags(const struct scl_array *array);	/* SCOUNTER_ARRAY_... */
/* The words of all copies, as uapi/linux/scounter_array.h lays them out. */
const uint64_t *scl_array_words(const struct scl_array *array, uint64_t *count);

int scl_array_inc(struct scl_array *array, uint64_t index);
int scl_array_add(struct scl_array *array, uint64_t index, uint64_t n);
int scl_array_estimate(struct scl_array *array, uint64_t index, struct scl_estimate *estimate);
/* Unbiased values of `count` counters from `first` on. */
int scl_array_values(struct scl_array *array, uint64_t first, uint64_t count, double *values);

struct scl_total {
	double value;		/* unbiased */
	double variance;	/* an estimate, whose mean is at least the variance */
	uint32_t flags;		/* SCOUNTER_F_SATURATED, SCOUNTER_F_PARTIAL */
	uint32_t reserved0;
	uint64_t reserved[3];
};

int scl_array_sum(struct scl_array *array, uint64_t first, uint64_t count,
		  struct scl_total *total);
/* dst[i] += src[i], to cells as dst has.  -EINVAL for other lengths or groups. */
int scl_array_merge(struct scl_array *dst, const struct scl_array *src);
void scl_array_clear(struct scl_array *array);
void scl_array_mark_partial(struct scl_array *array);

/*
 * Tables of frequent items
 */

struct scl_topk;

int scl_topk_read(struct scl_topk **topk, const char *path);
int scl_topk_save(struct scl_topk *topk, const char *path);
void scl_topk_free(struct scl_topk *topk);

const struct scounter_topk_header *scl_topk_header(const struct scl_topk *topk);
/* Highest count first; NULL beyond the last. */
const struct scounter_topk_record *scl_topk_record(struct scl_topk *topk, uint32_t i);
/*
 * The hits of a key of key_size bytes: certainly lower to upper, unless the table is
 * partial or has dropped hits.  A key that is not listed has 0 to floor and pending.
 */
void scl_topk_bounds(struct scl_topk *topk, const void *key, uint64_t *lower, uint64_t *upper);
/* Floor and errors are at most the sum of all N / m. */
int scl_topk_merge(struct scl_topk *dst, struct scl_topk *src);
void scl_topk_mark_partial(struct scl_topk *topk);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* LIBSCOUNTER_H */

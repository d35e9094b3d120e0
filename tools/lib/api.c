// SPDX-License-Identifier: GPL-2.0
/* What other programs call: libscounter.h.  Objects are what the other files have. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libscounter.h"

#include "internal.h"
#include "change.h"
#include "counters.h"
#include "items.h"
#include "kind.h"
#include "repr/sum.h"

#define DEVICE	"/dev/scounter"

struct scl_source {
	FILE *file;		/* NULL: the device */
	char **patterns;
};

struct scl_snapshot {
	struct snapshot s;
	bool settled;
};

struct scl_array {
	struct array *array;
};

struct scl_topk {
	struct items *items;
};

const char *scl_error(void)
{
	return array_error();
}

const char *scl_version(void)
{
	return VERSION;
}

/* An object for what is loaded into it, or NULL and out of memory. */
static void *wrap(size_t size)
{
	void *object = calloc(1, size);

	if (!object)
		out_of_memory();
	return object;
}

static int open_file(FILE **file, const char *path)
{
	*file = fopen(path, "re");
	return *file ? 0 : array_fail(-errno, "%s: %s", path, strerror(errno));
}

/* With the file's name before what was said. */
static int fail_of(const char *path, int err)
{
	char said[200];

	snprintf(said, sizeof(said), "%s", array_error());
	return array_fail(err, "%s: %s", path, said);
}

int scl_kind_of(const char *path)
{
	FILE *file;
	int kind = open_file(&file, path);

	if (kind)
		return kind;
	kind = file_kind(file);
	fclose(file);
	if (kind < 0)
		return fail_of(path, kind);
	return kind ? kind : array_fail(-ENODATA, "%s: empty", path);
}

/*
 * A file that appears complete or not at all.
 */

struct output {
	char *temporary;
	FILE *file;
};

static int output_open(struct output *out, const char *path)
{
	struct stat there;
	int fd, err;

	/* A device would be replaced. */
	if (!stat(path, &there) && S_ISDIR(there.st_mode))
		return array_fail(-EISDIR, "%s: %s", path, strerror(EISDIR));
	if (!stat(path, &there) && !S_ISREG(there.st_mode))
		return array_fail(-ENOTSUP, "%s: not a regular file", path);
	*out = (struct output) { .temporary = calloc(1, strlen(path) + sizeof(".XXXXXX")) };
	if (!out->temporary)
		return out_of_memory();
	stpcpy(stpcpy(out->temporary, path), ".XXXXXX");
	fd = mkstemp(out->temporary);
	if (fd >= 0 && !fchmod(fd, 0644))
		out->file = fdopen(fd, "w");
	if (out->file)
		return 0;
	err = array_fail(-errno, "%s: %s", path, strerror(errno));
	if (fd >= 0) {
		unlink(out->temporary);
		close(fd);
	}
	free(out->temporary);
	return err;
}

static int output_close(struct output *out, const char *path, int err)
{
	errno = 0;
	if (!err && (fflush(out->file) || ferror(out->file) || fsync(fileno(out->file))))
		err = array_fail(errno ? -errno : -EIO, "%s", strerror(errno ? errno : EIO));
	fclose(out->file);
	if (!err && rename(out->temporary, path))
		err = array_fail(-errno, "%s", strerror(errno));
	if (err) {
		unlink(out->temporary);
		err = fail_of(path, err);
	}
	free(out->temporary);
	return err;
}

/*
 * Counters
 */

static char **copy_of_patterns(const char *const *patterns)
{
	size_t n = 0;
	char **copy;

	while (patterns && patterns[n])
		n++;
	copy = calloc(n + 1, sizeof(*copy));
	while (copy && n-- > 0) {
		copy[n] = strdup(patterns[n]);
		if (!copy[n])
			break;
	}
	return copy;
}

static void free_patterns(char **patterns)
{
	char **p;

	for (p = patterns; p && *p; p++)
		free(*p);
	free(patterns);
}

int scl_source_open(struct scl_source **source, const char *path, const char *const *patterns)
{
	int err = 0;

	*source = wrap(sizeof(**source));
	if (!*source)
		return -ENOMEM;
	(*source)->patterns = copy_of_patterns(patterns);
	if (!(*source)->patterns)
		err = out_of_memory();
	else if (path)
		err = open_file(&(*source)->file, path);
	if (err) {
		scl_source_close(*source);
		*source = NULL;
	}
	return err;
}

void scl_source_close(struct scl_source *source)
{
	if (!source)
		return;
	if (source->file)
		fclose(source->file);
	free_patterns(source->patterns);
	free(source);
}

static int no_device(int error)
{
	if (error == ENOENT || error == ENXIO)
		return array_fail(-ENODEV, DEVICE ": %s; the module scounter is not loaded, or its "
				  "device is not passed in", strerror(error));
	return array_fail(-error, DEVICE ": %s", strerror(error));
}

/* As snapshot_load(). */
static int load_device(struct snapshot *snapshot, char **patterns)
{
	FILE *file = fopen(DEVICE, "re");
	int got;

	if (!file)
		return no_device(errno);
	filter_device(file, patterns);
	errno = 0;
	got = snapshot_load(snapshot, file);
	if (!got || got == -EIO)
		got = no_device(errno ? errno : EIO);
	fclose(file);
	return got;
}

int scl_source_next(struct scl_source *source, struct scl_snapshot **snapshot)
{
	struct scl_snapshot *next = wrap(sizeof(*next));
	int got, err;

	*snapshot = NULL;
	if (!next)
		return -ENOMEM;
	got = source->file ? snapshot_load(&next->s, source->file) :
	      load_device(&next->s, source->patterns);
	if (got > 0) {
		err = snapshot_keep(&next->s, source->patterns, NULL);
		/* That a pattern matches nothing may change. */
		got = err && err != -ENOENT ? err : 1;
	}
	if (got > 0)
		*snapshot = next;
	else
		scl_snapshot_free(next);
	return got;
}

int scl_snapshot_read(struct scl_snapshot **snapshot, const char *path,
		      const char *const *patterns)
{
	struct scl_source *source;
	int err = scl_source_open(&source, path, patterns), got;

	*snapshot = NULL;
	if (err)
		return err;
	got = scl_source_next(source, snapshot);
	scl_source_close(source);
	if (!got)
		got = array_fail(-ENODATA, "empty");
	return got > 0 ? 0 : path ? fail_of(path, got) : got;
}

int scl_snapshot_create(struct scl_snapshot **snapshot)
{
	*snapshot = wrap(sizeof(**snapshot));
	if (!*snapshot)
		return -ENOMEM;
	snapshot_empty(&(*snapshot)->s);
	return 0;
}

void scl_snapshot_free(struct scl_snapshot *snapshot)
{
	if (!snapshot)
		return;
	snapshot_free(&snapshot->s);
	free(snapshot);
}

static void settle(struct scl_snapshot *snapshot)
{
	if (!snapshot->settled)
		snapshot_settle(&snapshot->s);
	snapshot->settled = true;
}

int scl_snapshot_save(struct scl_snapshot *snapshot, const char *path)
{
	struct output out;
	int err = output_open(&out, path);

	if (err)
		return err;
	settle(snapshot);
	snapshot_write(&snapshot->s, out.file);
	return output_close(&out, path, 0);
}

const struct scounter_snapshot_header *scl_snapshot_header(const struct scl_snapshot *snapshot)
{
	return &snapshot->s.header;
}

uint64_t scl_snapshot_count(const struct scl_snapshot *snapshot)
{
	return snapshot->s.header.count;
}

const struct scounter_snapshot_record *scl_snapshot_record(struct scl_snapshot *snapshot,
							   uint64_t i)
{
	settle(snapshot);
	return i < snapshot->s.header.count ? &snapshot->s.records[i] : NULL;
}

static bool put_name(__u8 *to, const char *name)
{
	size_t length = name ? strlen(name) : 0;

	if (length > SCOUNTER_NAME_MAX)
		return false;
	memcpy(to, name ? name : "", length);
	return true;
}

const struct scounter_snapshot_record *scl_snapshot_find(struct scl_snapshot *snapshot,
							 const char *group, const char *object,
							 const char *name)
{
	record_t like = { 0 };

	settle(snapshot);
	if (!put_name(like.group, group) || !put_name(like.object, object) ||
	    !put_name(like.name, name))
		return NULL;
	return snapshot_find(&snapshot->s, &like);
}

const char *scl_snapshot_unit(const struct scl_snapshot *snapshot,
			      const struct scounter_snapshot_record *record)
{
	return unit_of(&snapshot->s, record);
}

const char *scl_snapshot_help(const struct scl_snapshot *snapshot,
			      const struct scounter_snapshot_record *record)
{
	return help_of(&snapshot->s, record);
}

const char *scl_snapshot_label(const struct scl_snapshot *snapshot,
			       const struct scounter_snapshot_record *record)
{
	return *record->object ? label_of(&snapshot->s, record) : "";
}

int scl_snapshot_filter(struct scl_snapshot *snapshot, const char *const *patterns)
{
	char **copy;
	int err;

	if (snapshot->s.sums)
		return array_fail(-EINVAL, "a sum is filtered after it was saved and read");
	copy = copy_of_patterns(patterns);
	if (!copy)
		return out_of_memory();
	err = snapshot_keep(&snapshot->s, copy, NULL);
	free_patterns(copy);
	return err;
}

static double square(double x)
{
	return x * x;
}

void scl_record_estimate(const struct scounter_snapshot_record *record,
			 struct scl_estimate *estimate)
{
	struct scounter_estimate of;

	estimate_of(record, &of);
	*estimate = (struct scl_estimate) {
		.value = of.value,
		.lower = of.lower,
		.upper = of.upper,
		.variance = square(deviation_of(record)),
		.error_ppm = of.error_ppm,
		.flags = of.flags,
	};
}

uint32_t scl_record_machines(const struct scounter_snapshot_record *record)
{
	return machines_of(record);
}

int scl_snapshot_estimate(struct scl_snapshot *snapshot, const char *group, const char *object,
			  const char *name, struct scl_estimate *estimate)
{
	const record_t *record = scl_snapshot_find(snapshot, group, object, name);

	if (!record)
		return array_fail(-ENOENT, "no counter %s/%s%s%s", group, object ? object : "",
				  object ? "/" : "", name);
	scl_record_estimate(record, estimate);
	return 0;
}

void scl_snapshot_sum(struct scl_snapshot *snapshot, struct scl_estimate *estimate)
{
	struct scounter_estimate one;
	struct scounter_sum sum = { 0 };
	record_t total = { 0 };
	uint64_t i;

	settle(snapshot);
	for (i = 0; i < snapshot->s.header.count; i++) {
		estimate_of(&snapshot->s.records[i], &one);
		scounter_sum_put(&sum, &one);
	}
	scounter_sum_get(&sum, &one);
	total.value = one.value;
	total.lower = one.lower;
	total.upper = one.upper;
	total.error_ppm = one.error_ppm;
	total.flags = one.flags;
	scl_record_estimate(&total, estimate);
}

int scl_snapshot_merge(struct scl_snapshot *dst, struct scl_snapshot *src, unsigned int flags)
{
	if (flags & ~SCL_CLONES)
		return array_fail(-EINVAL, "flags %#x are not known", flags);
	if (dst == src)
		return array_fail(-EINVAL, "a snapshot is not merged with itself");
	/* A sum that is a part has its values. */
	settle(src);
	dst->settled = false;
	return snapshot_merge(&dst->s, &src->s, flags & SCL_CLONES, NULL);
}

void scl_snapshot_mark_partial(struct scl_snapshot *snapshot)
{
	settle(snapshot);
	snapshot_mark_partial(&snapshot->s);
}

void scl_change_between(struct scl_snapshot *before, struct scl_snapshot *after,
			const struct scounter_snapshot_record *record, struct scl_change *change)
{
	struct change c;

	settle(before);
	settle(after);
	c = change_between(&before->s, &after->s, record);
	*change = (struct scl_change) {
		.events = c.events,
		.deviation = c.deviation,
		.bar = c.bar,
		.seconds = c.seconds,
		.is_new = !c.before,
		.restarted = c.restarted,
	};
}

/*
 * Arrays
 */

int scl_array_type_for(struct scounter_array_type *type, uint32_t bits, uint64_t max_count)
{
	return array_type_for(type, bits, max_count);
}

int scl_array_type_for_error(struct scounter_array_type *type, uint64_t max_count,
			     uint32_t error_ppm)
{
	return array_type_for_error(type, max_count, error_ppm);
}

int scl_array_create(struct scl_array **array, const struct scounter_array_type *type,
		     uint64_t length)
{
	int err;

	*array = wrap(sizeof(**array));
	if (!*array)
		return -ENOMEM;
	err = array_create(&(*array)->array, type, length);
	if (err) {
		free(*array);
		*array = NULL;
	}
	return err;
}

int scl_array_read(struct scl_array **array, const char *path)
{
	FILE *file;
	int err = open_file(&file, path);

	*array = NULL;
	if (err)
		return err;
	*array = wrap(sizeof(**array));
	err = *array ? array_load(&(*array)->array, file) : -ENOMEM;
	fclose(file);
	if (!err)
		return 0;
	free(*array);
	*array = NULL;
	return fail_of(path, err);
}

int scl_array_save(const struct scl_array *array, const char *path)
{
	struct output out;
	int err = output_open(&out, path);

	return err ? err : output_close(&out, path, array_save(array->array, out.file));
}

void scl_array_free(struct scl_array *array)
{
	if (!array)
		return;
	array_free(array->array);
	free(array);
}

uint64_t scl_array_length(const struct scl_array *array)
{
	return array->array->length;
}

void scl_array_type(const struct scl_array *array, struct scounter_array_type *type)
{
	*type = array->array->cells.repr.type;
}

uint32_t scl_array_flags(const struct scl_array *array)
{
	return array->array->placement |
	       (array_saturated(array->array) ? SCOUNTER_ARRAY_SATURATED : 0) |
	       (array->array->partial ? SCOUNTER_ARRAY_PARTIAL : 0);
}

const uint64_t *scl_array_words(const struct scl_array *array, uint64_t *count)
{
	*count = array->array->cells.words * array->array->copies;
	return (const uint64_t *)array->array->words;
}

int scl_array_inc(struct scl_array *array, uint64_t index)
{
	return array_inc(array->array, index);
}

int scl_array_add(struct scl_array *array, uint64_t index, uint64_t n)
{
	return array_add(array->array, index, n);
}

int scl_array_estimate(struct scl_array *array, uint64_t index, struct scl_estimate *estimate)
{
	struct scounter_array_estimate of;
	double deviation;
	int err = array_estimate(array->array, index, &of);

	if (err)
		return err;
	deviation = of.additive ? of.additive : (double)of.value * of.error_ppm / SCOUNTER_PPM;
	*estimate = (struct scl_estimate) {
		.value = of.value,
		.lower = of.lower,
		.upper = of.upper,
		.variance = of.flags & SCOUNTER_F_UNSURE ? INFINITY : square(deviation),
		.error_ppm = of.error_ppm,
		.flags = of.flags,
	};
	return 0;
}

int scl_array_values(struct scl_array *array, uint64_t first, uint64_t count, double *values)
{
	return array_values(array->array, first, count, values);
}

int scl_array_sum(struct scl_array *array, uint64_t first, uint64_t count,
		  struct scl_total *total)
{
	struct array_total sum;
	int err = array_sum(array->array, first, count, &sum);

	if (!err)
		*total = (struct scl_total) {
			.value = sum.value, .variance = sum.variance, .flags = sum.flags
		};
	return err;
}

int scl_array_merge(struct scl_array *dst, const struct scl_array *src)
{
	return array_merge(dst->array, src->array);
}

void scl_array_clear(struct scl_array *array)
{
	array_clear(array->array);
}

void scl_array_mark_partial(struct scl_array *array)
{
	array->array->partial = true;
}

/*
 * Tables of frequent items
 */

int scl_topk_read(struct scl_topk **topk, const char *path)
{
	FILE *file;
	int err = open_file(&file, path);

	*topk = NULL;
	if (err)
		return err;
	*topk = wrap(sizeof(**topk));
	err = *topk ? items_load(&(*topk)->items, file) : -ENOMEM;
	fclose(file);
	if (!err)
		return 0;
	free(*topk);
	*topk = NULL;
	return fail_of(path, err);
}

int scl_topk_save(struct scl_topk *topk, const char *path)
{
	struct output out;
	int err = output_open(&out, path);

	return err ? err : output_close(&out, path, items_save(topk->items, out.file));
}

void scl_topk_free(struct scl_topk *topk)
{
	if (!topk)
		return;
	items_free(topk->items);
	free(topk);
}

const struct scounter_topk_header *scl_topk_header(const struct scl_topk *topk)
{
	return &topk->items->header;
}

const struct scounter_topk_record *scl_topk_record(struct scl_topk *topk, uint32_t i)
{
	items_settle(topk->items);
	return i < topk->items->header.records ? items_record(topk->items, i) : NULL;
}

void scl_topk_bounds(struct scl_topk *topk, const void *key, uint64_t *lower, uint64_t *upper)
{
	const struct scounter_topk_header *header = &topk->items->header;
	const struct scounter_topk_record *record;
	u64 most = header->floor;
	uint32_t i;

	*lower = 0;
	items_settle(topk->items);
	for (i = 0; i < header->records; i++) {
		record = items_record(topk->items, i);
		if (memcmp(record->key, key, header->key_size))
			continue;
		*lower = record->count - record->error;
		most = record->count;
		break;
	}
	*upper = most > UINT64_MAX - header->pending ? UINT64_MAX : most + header->pending;
}

int scl_topk_merge(struct scl_topk *dst, struct scl_topk *src)
{
	return items_merge(dst->items, src->items);
}

void scl_topk_mark_partial(struct scl_topk *topk)
{
	topk->items->header.flags |= SCOUNTER_TOPK_F_PARTIAL;
}

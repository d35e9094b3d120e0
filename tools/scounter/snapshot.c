// SPDX-License-Identifier: GPL-2.0
/*
 * Reading, checking and writing snapshots.  Records and headers of other
 * versions are longer or shorter: the part that both know is taken, and the
 * rest is zero.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scounter.h"
#include "snapshot.h"

#define DEVICE		"/dev/scounter"
#define SIZE_MAX_SANE	65536U		/* of a header or a record */
#define COUNT_MAX_SANE	(1ULL << 26)

static void no_device(int error)
{
	const char *root = sysfs_root();

	if (error == EAGAIN)
		fail(FAILED, "%s: too many snapshots are held open; try again", DEVICE);
	if (access(root, F_OK) == 0)
		fail(FAILED, "%s: %s; the module is loaded, but its device is not to be read "
		     "here (a container needs it passed in)", DEVICE, strerror(error));
	fail(NOT_LOADED, "the module scounter is not loaded; to load it, as root: modprobe scounter");
}

void source_open(struct source *source, const char *path)
{
	*source = (struct source) { .path = path };
	if (!path) {
		source->path = DEVICE;
		source->is_device = true;
		return;
	}
	source->file = !strcmp(path, "-") ? stdin : fopen(path, "re");
	if (!source->file)
		fail(FAILED, "%s: %s", path, strerror(errno));
}

void source_close(struct source *source)
{
	if (source->file && source->file != stdin)
		fclose(source->file);
	source->file = NULL;
}

static void want(struct source *source, void *to, size_t size)
{
	if (fread(to, 1, size, source->file) == size)
		return;
	if (ferror(source->file))
		fail(FAILED, "%s: %s", source->path, strerror(errno));
	fail(FAILED, "%s: truncated: it ends in the middle of a snapshot", source->path);
}

/* Read `size` bytes and keep what fits. */
static void want_prefix(struct source *source, void *to, size_t room, size_t size)
{
	char rest[4096];
	size_t part = size < room ? size : room;

	memset(to, 0, room);
	want(source, to, part);
	for (size -= part; size; size -= part) {
		part = size < sizeof(rest) ? size : sizeof(rest);
		want(source, rest, part);
	}
}

static void check(const struct source *source, const header_t *header)
{
	if (memcmp(header->magic, SCOUNTER_SNAPSHOT_MAGIC, sizeof(header->magic)))
		fail(FAILED, "%s: not a snapshot of scounter", source->path);
	if (header->byte_order != SCOUNTER_SNAPSHOT_BYTE_ORDER)
		fail(FAILED, "%s: from a machine of the other byte order", source->path);
	if (header->oldest_reader > SCOUNTER_SNAPSHOT_VERSION)
		fail(FAILED, "%s: version %u; this program is too old for it, it knows version %u",
		     source->path, header->version, SCOUNTER_SNAPSHOT_VERSION);
}

/* What the kernel gives as a name: it ends, and is no path. */
static bool is_name(const __u8 *name)
{
	const char *text = (const char *)name;

	return memchr(name, 0, SCOUNTER_NAME_MAX + 1) && *text && !strchr(text, '/') &&
	       strcmp(text, ".") && strcmp(text, "..");
}

static void check_record(const struct source *source, record_t *record)
{
	size_t i;

	if (!is_name(record->group) || !is_name(record->name))
		fail(FAILED, "%s: damaged: a name that cannot be", source->path);
	record->kind_name[sizeof(record->kind_name) - 1] = 0;
	for (i = 0; record->kind_name[i]; i++)
		if (record->kind_name[i] <= ' ' || record->kind_name[i] > '~' ||
		    strchr(",\"\\", record->kind_name[i]))
			fail(FAILED, "%s: damaged: a kind that cannot be", source->path);
}

static int by_name(const void *a, const void *b)
{
	const record_t *x = a, *y = b;
	int order = strcmp((const char *)x->group, (const char *)y->group);

	return order ? order : strcmp((const char *)x->name, (const char *)y->name);
}

bool source_next(struct source *source, struct snapshot *snapshot)
{
	const size_t fixed = offsetof(header_t, monotonic_ns);
	header_t *header = &snapshot->header;
	uint64_t room = 0, i;
	int first;

	memset(snapshot, 0, sizeof(*snapshot));
	if (source->is_device) {
		source_close(source);
		source->file = fopen(DEVICE, "re");
		if (!source->file)
			no_device(errno);
	}
	first = fgetc(source->file);
	if (first == EOF) {
		if (source->is_device)
			no_device(errno);
		return false;
	}
	ungetc(first, source->file);
	want(source, header->magic, sizeof(header->magic));
	if (memcmp(header->magic, SCOUNTER_SNAPSHOT_MAGIC, sizeof(header->magic)))
		check(source, header);
	want(source, header->magic + 8, fixed - 8);
	check(source, header);
	if (header->header_size < fixed || header->header_size > SIZE_MAX_SANE ||
	    header->record_size < offsetof(record_t, lower) ||
	    header->record_size > SIZE_MAX_SANE || header->count > COUNT_MAX_SANE)
		fail(FAILED, "%s: damaged: sizes that cannot be", source->path);
	want_prefix(source, &header->monotonic_ns, sizeof(*header) - fixed,
		    header->header_size - fixed);
	/* Room as it comes: a damaged count must not take all memory. */
	for (i = 0; i < header->count; i++) {
		if (i == room) {
			room = room ? 2 * room : 1024;
			snapshot->records = realloc(snapshot->records,
						    room * sizeof(record_t));
			if (!snapshot->records)
				fail(FAILED, "out of memory");
		}
		want_prefix(source, &snapshot->records[i], sizeof(record_t),
			    header->record_size);
		check_record(source, &snapshot->records[i]);
	}
	header->header_size = sizeof(*header);
	header->record_size = sizeof(record_t);
	header->version = SCOUNTER_SNAPSHOT_VERSION;
	if (header->count)
		qsort(snapshot->records, header->count, sizeof(record_t), by_name);
	return true;
}

void snapshot_read(const char *path, struct snapshot *snapshot)
{
	struct source source;

	source_open(&source, path);
	if (!source_next(&source, snapshot))
		fail(FAILED, "%s: empty", source.path);
	source_close(&source);
}

void snapshot_write(const struct snapshot *snapshot, FILE *file)
{
	fwrite(&snapshot->header, sizeof(header_t), 1, file);
	fwrite(snapshot->records, sizeof(record_t), snapshot->header.count, file);
}

void snapshot_free(struct snapshot *snapshot)
{
	free(snapshot->records);
	memset(snapshot, 0, sizeof(*snapshot));
}

const record_t *snapshot_find(const struct snapshot *snapshot, const record_t *like)
{
	if (!snapshot->header.count)
		return NULL;
	return bsearch(like, snapshot->records, snapshot->header.count, sizeof(record_t), by_name);
}

bool snapshot_select(struct snapshot *snapshot, char **patterns, bool complain)
{
	uint64_t i, kept = 0;
	bool complete = true;
	char path[160], shown[NAME_ROOM];
	bool *keep;
	char **p;

	if (!patterns || !*patterns)
		return true;
	keep = calloc(snapshot->header.count + 1, sizeof(*keep));
	for (p = patterns; *p; p++) {
		bool found = false;

		for (i = 0; i < snapshot->header.count; i++) {
			record_t *r = &snapshot->records[i];

			snprintf(path, sizeof(path), "%s/%s", r->group, r->name);
			full_name(r, shown);
			if (!strcmp(*p, path) || !strcmp(*p, shown) ||
			    !fnmatch(*p, path, FNM_PATHNAME))
				keep[i] = found = true;
		}
		if (!found) {
			complete = false;
			if (complain)
				warn("no counter %s", *p);
		}
	}
	for (i = 0; i < snapshot->header.count; i++)
		if (keep[i])
			snapshot->records[kept++] = snapshot->records[i];
	snapshot->header.count = kept;
	free(keep);
	return complete;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Reading, checking and writing snapshots.  Records and headers of other
 * versions are longer or shorter: the part that both know is taken, and the
 * rest is zero.
 */
#include <errno.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scounter.h"
#include "snapshot.h"

#define DEVICE		"/dev/scounter"
#define SIZE_MAX_SANE	65536U		/* of a header or a record */
#define MAGIC_SIZE	sizeof(((header_t *)NULL)->magic)
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

void source_open(struct source *source, const char *path, char **patterns)
{
	*source = (struct source) { .path = path, .patterns = patterns };
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

/* What is read is no snapshot: the end, or where the source has that the reader goes on. */
static void __attribute__((format(printf, 2, 3), noreturn))
damaged(const struct source *source, const char *format, ...)
{
	char why[DAMAGE_ROOM];
	va_list list;

	va_start(list, format);
	vsnprintf(why, sizeof(why), format, list);
	va_end(list);
	if (!source->damage)
		fail(FAILED, "%s: %s", source->path, why);
	strcpy(source->damage, why);
	longjmp(*source->go_on, 1);
}

static void want(struct source *source, void *to, size_t size)
{
	if (fread(to, 1, size, source->file) == size)
		return;
	if (ferror(source->file))
		fail(FAILED, "%s: %s", source->path, strerror(errno));
	damaged(source, "truncated: it ends in the middle of a snapshot");
}

/* A short file of another kind is not a snapshot that was cut off. */
static void want_magic(struct source *source, __u8 *magic)
{
	size_t got = fread(magic, 1, MAGIC_SIZE, source->file);

	if (memcmp(magic, SCOUNTER_SNAPSHOT_MAGIC, got))
		damaged(source, "not a snapshot of scounter, as scounter record makes them");
	want(source, magic + got, MAGIC_SIZE - got);
}

/* Read `size` bytes and keep what fits. */
static void want_prefix(struct source *source, void *to, size_t room, size_t size)
{
	char rest[SIZE_MAX_SANE];
	size_t part = size < room ? size : room;

	memset((char *)to + part, 0, room - part);
	want(source, to, part);
	want(source, rest, size - part);
}

static void check(const struct source *source, const header_t *header)
{
	if (header->byte_order != SCOUNTER_SNAPSHOT_BYTE_ORDER)
		damaged(source, "from a machine of the other byte order");
	if (header->oldest_reader > SCOUNTER_SNAPSHOT_VERSION)
		damaged(source, "version %u; this program is too old for it, it knows version %u",
			header->version, SCOUNTER_SNAPSHOT_VERSION);
}

/* What the kernel gives as a name: it ends, and is no path. */
static bool is_name(const __u8 *name)
{
	const char *text = (const char *)name;

	return memchr(name, 0, SCOUNTER_NAME_MAX + 1) && *text && !strchr(text, '/') &&
	       (*text != '.' || (strcmp(text, ".") && strcmp(text, "..")));
}

#define LETTERS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* Parts of names in OpenMetrics. */
static bool is_unit(const char *text)
{
	return !text[strspn(text, LETTERS ":")];
}

static bool is_label(const char *text)
{
	return *text && (*text < '0' || *text > '9') && strncmp(text, "__", 2) &&
	       !text[strspn(text, LETTERS)];
}

static const char *text_at(const struct snapshot *snapshot, uint32_t at)
{
	return at ? snapshot->texts + at : "";
}

const char *unit_of(const struct snapshot *snapshot, const record_t *record)
{
	return text_at(snapshot, record->unit);
}

const char *help_of(const struct snapshot *snapshot, const record_t *record)
{
	return text_at(snapshot, record->help);
}

const char *label_of(const struct snapshot *snapshot, const record_t *record)
{
	return record->label ? text_at(snapshot, record->label) : "object";
}

static void check_texts(const struct source *source, const struct snapshot *snapshot,
			const record_t *r)
{
	uint32_t size = snapshot->header.texts_size;

	if ((r->unit && r->unit >= size) || (r->help && r->help >= size) ||
	    (r->label && r->label >= size))
		damaged(source, "damaged: a text that is not there");
	if (!is_unit(unit_of(snapshot, r)) || !is_label(label_of(snapshot, r)))
		damaged(source, "damaged: a unit or a label that cannot be");
}

static void check_kind(const struct source *source, record_t *record)
{
	size_t i;

	record->kind_name[sizeof(record->kind_name) - 1] = 0;
	for (i = 0; record->kind_name[i]; i++)
		if (record->kind_name[i] <= ' ' || record->kind_name[i] > '~' ||
		    strchr(",\"\\", record->kind_name[i]))
			damaged(source, "damaged: a kind that cannot be");
}

/* @before: a record that is right, or NULL; much of the next one is the same. */
static void check_record(const struct source *source, const struct snapshot *snapshot,
			 record_t *record, const record_t *before)
{
	bool same = before && !memcmp(before->group, record->group, sizeof(record->group));

	if ((!same && !is_name(record->group)) || !is_name(record->name) ||
	    (*record->object && !is_name(record->object)))
		damaged(source, "damaged: a name that cannot be");
	if (!before || memcmp(before->kind_name, record->kind_name, sizeof(record->kind_name)))
		check_kind(source, record);
	if (record->unit | record->help | record->label)
		check_texts(source, snapshot, record);
}

static int by_name(const void *a, const void *b)
{
	const record_t *x = a, *y = b;
	int order = strcmp((const char *)x->group, (const char *)y->group);

	order = order ? order : strcmp((const char *)x->object, (const char *)y->object);
	return order ? order : strcmp((const char *)x->name, (const char *)y->name);
}

/*
 * A record's place in the order of names.  Records of a group come together, and many
 * names differ in their first bytes.
 */
struct place {
	uint64_t prefix;	/* of the object, or of the name where there is none */
	uint32_t run;		/* records of one group, all of objects or all of none */
	uint32_t at;
};

/* The first bytes, so that they compare as the texts do. */
static uint64_t prefix_of(const __u8 *text)
{
	uint64_t bytes = bytes_at(text);

	return __builtin_bswap64(bytes & before_nul(bytes));
}

static bool comes_after(const record_t *records, const struct place *x, const struct place *y)
{
	if (x->run == y->run && x->prefix != y->prefix)
		return x->prefix > y->prefix;
	return by_name(&records[x->at], &records[y->at]) > 0;
}

/*
 * By merging.  A group's records come as they were made, which is often in order, and what
 * is in order stays where it is.  @room: for half of them
 */
static void sort_places(const record_t *records, struct place *places, struct place *room,
			uint64_t count)
{
	uint64_t half = count / 2, i = 0, j = half, to = 0;

	if (count < 2)
		return;
	sort_places(records, places, room, half);
	sort_places(records, places + half, room, count - half);
	if (!comes_after(records, &places[half - 1], &places[half]))
		return;
	memcpy(room, places, half * sizeof(*room));
	while (i < half) {
		bool right = j < count && comes_after(records, &room[i], &places[j]);

		places[to++] = right ? places[j++] : room[i++];
	}
}

/* Each record to its place, in the memory that they have. */
static void move_records(record_t *records, struct place *places, uint64_t count)
{
	uint64_t i, to, of;
	record_t first;

	for (i = 0; i < count; i++) {
		if (places[i].at == i)
			continue;
		first = records[i];
		for (to = i; places[to].at != i; to = of) {
			of = places[to].at;
			records[to] = records[of];
			places[to].at = to;
		}
		records[to] = first;
		places[to].at = to;
	}
}

static void sort_records(record_t *records, uint64_t count)
{
	struct place *places = calloc(count + count / 2 + 1, sizeof(*places));
	uint32_t run = 0;
	uint64_t i;

	if (!places)
		fail(FAILED, "out of memory");
	for (i = 0; i < count; i++) {
		const record_t *r = &records[i];
		bool has_object = *r->object;

		if (i && strcmp((const char *)r->group, (const char *)r[-1].group))
			run += 2;
		places[i] = (struct place) {
			prefix_of(has_object ? r->object : r->name), run + has_object, i
		};
	}
	sort_places(records, places, places + count, count);
	move_records(records, places, count);
	free(places);
}

/* The texts, from what follows the header's fixed part. */
static void take_texts(const struct source *source, struct snapshot *snapshot,
		       const char *rest, size_t fixed)
{
	header_t *header = &snapshot->header;
	uint32_t at = header->texts_offset, size = header->texts_size;

	if (!size)
		return;
	if (at < sizeof(*header) || at > header->header_size ||
	    size > header->header_size - at || rest[at - fixed] || rest[at - fixed + size - 1])
		damaged(source, "damaged: texts that cannot be");
	snapshot->texts = realloc(NULL, size);
	if (!snapshot->texts)
		fail(FAILED, "out of memory");
	memcpy(snapshot->texts, rest + at - fixed, size);
}

static void take_header(struct source *source, struct snapshot *snapshot)
{
	const size_t fixed = offsetof(header_t, monotonic_ns);
	header_t *header = &snapshot->header;
	char rest[SIZE_MAX_SANE];
	size_t size;

	want_magic(source, header->magic);
	want(source, header->magic + 8, fixed - 8);
	check(source, header);
	if (header->header_size < fixed || header->header_size > SIZE_MAX_SANE ||
	    header->record_size < offsetof(record_t, lower) ||
	    header->record_size > SIZE_MAX_SANE || header->count > COUNT_MAX_SANE)
		damaged(source, "damaged: sizes that cannot be");
	size = header->header_size - fixed;
	want(source, rest, size);
	memcpy(&header->monotonic_ns, rest,
	       size < sizeof(*header) - fixed ? size : sizeof(*header) - fixed);
	take_texts(source, snapshot, rest, fixed);
}

/* All at once to the end of their room, and from there each to its place before. */
static void want_short_records(struct source *source, record_t *records, uint64_t n, uint32_t size)
{
	char *at = (char *)(records + n) - n * size;
	uint64_t i;

	want(source, at, n * size);
	for (i = 0; i < n; i++) {
		memmove(&records[i], at + i * size, size);
		memset((char *)&records[i] + size, 0, sizeof(*records) - size);
	}
}

static void want_records(struct source *source, record_t *records, uint64_t n, uint32_t size)
{
	uint64_t i;

	if (size <= sizeof(*records)) {
		want_short_records(source, records, n, size);
		return;
	}
	for (i = 0; i < n; i++)
		want_prefix(source, &records[i], sizeof(*records), size);
}

/* Room as it comes: a damaged count must not take all memory. */
static void take_records(struct source *source, struct snapshot *snapshot)
{
	uint64_t count = snapshot->header.count, room = 0, i = 0;
	record_t *r = NULL;

	while (i < count) {
		room = room ? 2 * room : 1024;
		room = room < count ? room : count;
		r = realloc(snapshot->records, room * sizeof(*r));
		if (!r)
			fail(FAILED, "out of memory");
		snapshot->records = r;
		want_records(source, r + i, room - i, snapshot->header.record_size);
		for (; i < room; i++)
			check_record(source, snapshot, &r[i], i ? &r[i - 1] : NULL);
	}
	sort_records(r, count);
}

bool source_next(struct source *source, struct snapshot *snapshot)
{
	int first;

	memset(snapshot, 0, sizeof(*snapshot));
	if (source->is_device) {
		source_close(source);
		source->file = fopen(DEVICE, "re");
		if (!source->file)
			no_device(errno);
		filter_device(source->file, source->patterns);
		snapshot->filtered = source->patterns && *source->patterns;
	}
	first = fgetc(source->file);
	if (first == EOF) {
		if (source->is_device)
			no_device(errno);
		if (ferror(source->file))
			fail(FAILED, "%s: %s", source->path, strerror(errno));
		return false;
	}
	ungetc(first, source->file);
	take_header(source, snapshot);
	take_records(source, snapshot);
	snapshot->header.record_size = sizeof(record_t);
	snapshot->header.version = SCOUNTER_SNAPSHOT_VERSION;
	return true;
}

void snapshot_read(const char *path, char **patterns, struct snapshot *snapshot)
{
	struct source source;

	source_open(&source, path, patterns);
	if (!source_next(&source, snapshot))
		fail(FAILED, "%s: empty", source.path);
	source_close(&source);
}

bool snapshot_try(const char *path, struct snapshot *snapshot, char *damage)
{
	struct source source;
	jmp_buf go_on;
	bool whole;

	source_open(&source, path, NULL);
	source.damage = strcpy(damage, "empty");
	source.go_on = &go_on;
	/* Both have their memory in what is passed to source_next(). */
	whole = !setjmp(go_on) && source_next(&source, snapshot);
	source_close(&source);
	if (!whole)
		snapshot_free(snapshot);
	return whole;
}

void snapshot_write(const struct snapshot *snapshot, FILE *file)
{
	uint32_t size = snapshot->header.texts_size, padding = -size & 7;
	header_t header = snapshot->header;

	header.header_size = sizeof(header) + size + padding;
	header.texts_offset = size ? sizeof(header) : 0;
	fwrite(&header, sizeof(header), 1, file);
	if (size) {
		fwrite(snapshot->texts, 1, size, file);
		fwrite("\0\0\0\0\0\0\0", 1, padding, file);
	}
	fwrite(snapshot->records, sizeof(record_t), header.count, file);
}

void snapshot_free(struct snapshot *snapshot)
{
	free(snapshot->records);
	free(snapshot->texts);
	memset(snapshot, 0, sizeof(*snapshot));
}

const record_t *snapshot_find(const struct snapshot *snapshot, const record_t *like)
{
	if (!snapshot->header.count)
		return NULL;
	return bsearch(like, snapshot->records, snapshot->header.count, sizeof(record_t), by_name);
}

/* Mark a text, or the part of it that is not marked yet. */
static void mark(const struct snapshot *snapshot, uint32_t *kept, uint32_t at)
{
	for (; at && !kept[at]; at++) {
		kept[at] = 1;
		if (!snapshot->texts[at])
			break;
	}
}

/* Drop the texts that no record has. */
static void select_texts(struct snapshot *snapshot)
{
	uint32_t size = snapshot->header.texts_size, at, n = 1;
	uint32_t *kept;
	uint64_t i;

	if (!size)
		return;
	kept = calloc(size, sizeof(*kept));
	if (!kept)
		fail(FAILED, "out of memory");
	for (i = 0; i < snapshot->header.count; i++) {
		mark(snapshot, kept, snapshot->records[i].unit);
		mark(snapshot, kept, snapshot->records[i].help);
		mark(snapshot, kept, snapshot->records[i].label);
	}
	for (at = 1; at < size; at++) {
		if (!kept[at])
			continue;
		kept[at] = n;
		snapshot->texts[n++] = snapshot->texts[at];
	}
	for (i = 0; i < snapshot->header.count; i++) {
		snapshot->records[i].unit = kept[snapshot->records[i].unit];
		snapshot->records[i].help = kept[snapshot->records[i].help];
		snapshot->records[i].label = kept[snapshot->records[i].label];
	}
	snapshot->header.texts_size = n > 1 ? n : 0;
	free(kept);
}

/* A text itself, or its beginning up to a '/'. */
static bool begins_with(const char *text, const char *start)
{
	size_t length = strlen(start);

	return !strncmp(text, start, length) && (!text[length] || text[length] == '/');
}

bool pattern_matches(const char *pattern, const record_t *r)
{
	char path[sizeof(r->group) + sizeof(r->object) + sizeof(r->name)], shown[NAME_ROOM];

	/* All of a group is not asked for by accident. */
	if (!strchr(pattern, '/'))
		return !strcmp(pattern, "*");
	snprintf(path, sizeof(path), "%s/%s%s%s", r->group, r->object, *r->object ? "/" : "",
		 r->name);
	full_name(r, shown);
	return begins_with(path, pattern) || begins_with(shown, pattern) ||
		!fnmatch(pattern, path, FNM_PATHNAME | FNM_LEADING_DIR);
}

static bool keep_matches(const struct snapshot *snapshot, const char *pattern, bool *keep)
{
	bool found = false;
	uint64_t i;

	for (i = 0; i < snapshot->header.count; i++)
		if (pattern_matches(pattern, &snapshot->records[i]))
			keep[i] = found = true;
	return found;
}

bool snapshot_select(struct snapshot *snapshot, char **patterns, bool complain)
{
	uint64_t i, kept = 0;
	bool complete = true;
	bool *keep;
	char **p;

	if (!patterns || !*patterns)
		return true;
	keep = calloc(snapshot->header.count + 1, sizeof(*keep));
	if (!keep)
		fail(FAILED, "out of memory");
	for (p = patterns; *p; p++) {
		if (keep_matches(snapshot, *p, keep))
			continue;
		complete = false;
		if (complain)
			no_counter(snapshot, *p);
	}
	for (i = 0; i < snapshot->header.count; i++)
		if (keep[i])
			snapshot->records[kept++] = snapshot->records[i];
	snapshot->header.count = kept;
	free(keep);
	select_texts(snapshot);
	return complete;
}

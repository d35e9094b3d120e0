// SPDX-License-Identifier: GPL-2.0
/*
 * Reading, checking and writing snapshots of counters.  Records and headers of other
 * versions are longer or shorter: the part that both know is taken, and the
 * rest is zero.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "counters.h"
#include "names.h"

#define SIZE_MAX_SANE	65536U		/* of a header or a record */
#define MAGIC_SIZE	sizeof(((header_t *)NULL)->magic)
#define COUNT_MAX_SANE	(1ULL << 26)

#define DAMAGED(...)	array_fail(-EINVAL, "damaged: " __VA_ARGS__)

/* 0, or a negative errno as everything here that reads. */
static int want_part(FILE *from, void *to, size_t size)
{
	return want(from, to, size, "snapshot");
}

/* A short file of another kind is not a snapshot that was cut off. */
static int want_magic(FILE *from, __u8 *magic)
{
	size_t got = fread(magic, 1, MAGIC_SIZE, from);

	if (memcmp(magic, SCOUNTER_SNAPSHOT_MAGIC, got))
		return array_fail(-EINVAL,
				  "not a snapshot of scounter, as scounter record makes them");
	return want_part(from, magic + got, MAGIC_SIZE - got);
}

/* Read `size` bytes and keep what fits. */
static int want_prefix(FILE *from, void *to, size_t room, size_t size)
{
	char rest[SIZE_MAX_SANE];
	size_t part = size < room ? size : room;
	int err = want_part(from, to, part);

	memset((char *)to + part, 0, room - part);
	return err ? err : want_part(from, rest, size - part);
}

static int check(const header_t *header)
{
	if (header->byte_order != SCOUNTER_SNAPSHOT_BYTE_ORDER)
		return array_fail(-EPROTO, "from a machine of the other byte order");
	if (header->oldest_reader > SCOUNTER_SNAPSHOT_VERSION)
		return array_fail(-EPROTO, "version %u; this program is too old for it, "
				  "it knows version %u", header->version, SCOUNTER_SNAPSHOT_VERSION);
	return 0;
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

static int check_texts(const struct snapshot *snapshot, const record_t *r)
{
	uint32_t size = snapshot->header.texts_size;

	if ((r->unit && r->unit >= size) || (r->help && r->help >= size) ||
	    (r->label && r->label >= size))
		return DAMAGED("a text that is not there");
	if (!is_unit(unit_of(snapshot, r)) || !is_label(label_of(snapshot, r)))
		return DAMAGED("a unit or a label that cannot be");
	return 0;
}

static int check_kind(record_t *record)
{
	size_t i;

	record->kind_name[sizeof(record->kind_name) - 1] = 0;
	for (i = 0; record->kind_name[i]; i++)
		if (record->kind_name[i] <= ' ' || record->kind_name[i] > '~' ||
		    strchr(",\"\\", record->kind_name[i]))
			return DAMAGED("a kind that cannot be");
	return 0;
}

/* @before: a record that is right, or NULL; much of the next one is the same. */
static int check_record(const struct snapshot *snapshot, record_t *record, const record_t *before)
{
	bool same = before && !memcmp(before->group, record->group, sizeof(record->group));
	int err = 0;

	if ((!same && !is_name(record->group)) || !is_name(record->name) ||
	    (*record->object && !is_name(record->object)))
		return DAMAGED("a name that cannot be");
	if (!before || memcmp(before->kind_name, record->kind_name, sizeof(record->kind_name)))
		err = check_kind(record);
	if (!err && record->unit | record->help | record->label)
		err = check_texts(snapshot, record);
	return err;
}

int record_order(const record_t *x, const record_t *y)
{
	int order = strcmp((const char *)x->group, (const char *)y->group);

	order = order ? order : strcmp((const char *)x->object, (const char *)y->object);
	return order ? order : strcmp((const char *)x->name, (const char *)y->name);
}

static int by_name(const void *a, const void *b)
{
	return record_order(a, b);
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
	return record_order(&records[x->at], &records[y->at]) > 0;
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

static int sort_records(record_t *records, uint64_t count)
{
	struct place *places = calloc(count + count / 2 + 1, sizeof(*places));
	uint32_t run = 0;
	uint64_t i;

	if (!places)
		return out_of_memory();
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
	return 0;
}

/* The texts, from what follows the header's fixed part. */
static int take_texts(struct snapshot *snapshot, const char *rest, size_t fixed)
{
	header_t *header = &snapshot->header;
	uint32_t at = header->texts_offset, size = header->texts_size;

	if (!size)
		return 0;
	if (at < sizeof(*header) || at > header->header_size ||
	    size > header->header_size - at || rest[at - fixed] || rest[at - fixed + size - 1])
		return DAMAGED("texts that cannot be");
	snapshot->texts = realloc(NULL, size);
	if (!snapshot->texts)
		return out_of_memory();
	memcpy(snapshot->texts, rest + at - fixed, size);
	return 0;
}

/* 1, or a negative errno. */
static int pass_over(const header_t *header, size_t fixed, FILE *from)
{
	uint64_t rest = header->count, size;
	char buffer[SIZE_MAX_SANE];
	int err;

	if (header->byte_order != SCOUNTER_SNAPSHOT_BYTE_ORDER)
		return check(header);
	if (header->header_size < fixed || header->header_size > SIZE_MAX_SANE)
		return DAMAGED("sizes that cannot be");
	err = want_part(from, buffer, header->header_size - fixed);
	for (; !err && rest; rest -= size) {
		size = rest < sizeof(buffer) ? rest : sizeof(buffer);
		err = want_part(from, buffer, size);
	}
	return err ? err : 1;
}

/* 0; 1 for something else, which was passed over. */
static int take_header(struct snapshot *snapshot, FILE *from)
{
	const size_t fixed = offsetof(header_t, monotonic_ns);
	header_t *header = &snapshot->header;
	char rest[SIZE_MAX_SANE];
	size_t size;
	int err = want_magic(from, header->magic);

	if (!err)
		err = want_part(from, header->magic + MAGIC_SIZE, fixed - MAGIC_SIZE);
	if (!err && header->oldest_reader == SNAPSHOT_OTHER)
		return pass_over(header, fixed, from);
	if (!err)
		err = check(header);
	if (err)
		return err;
	if (header->header_size < fixed || header->header_size > SIZE_MAX_SANE ||
	    header->record_size < offsetof(record_t, lower) ||
	    header->record_size > SIZE_MAX_SANE || header->count > COUNT_MAX_SANE)
		return DAMAGED("sizes that cannot be");
	size = header->header_size - fixed;
	err = want_part(from, rest, size);
	if (err)
		return err;
	memcpy(&header->monotonic_ns, rest,
	       size < sizeof(*header) - fixed ? size : sizeof(*header) - fixed);
	return take_texts(snapshot, rest, fixed);
}

/* All at once to the end of their room, and from there each to its place before. */
static int want_short_records(FILE *from, record_t *records, uint64_t n, uint32_t size)
{
	char *at = (char *)(records + n) - n * size;
	int err = want_part(from, at, n * size);
	uint64_t i;

	for (i = 0; !err && i < n; i++) {
		memmove(&records[i], at + i * size, size);
		memset((char *)&records[i] + size, 0, sizeof(*records) - size);
	}
	return err;
}

static int want_records(FILE *from, record_t *records, uint64_t n, uint32_t size)
{
	uint64_t i;
	int err = 0;

	if (size <= sizeof(*records))
		return want_short_records(from, records, n, size);
	for (i = 0; !err && i < n; i++)
		err = want_prefix(from, &records[i], sizeof(*records), size);
	return err;
}

/* Room as it comes: a damaged count must not take all memory. */
static int take_records(struct snapshot *snapshot, FILE *from)
{
	uint64_t count = snapshot->header.count, room = 0, i = 0;
	record_t *r = NULL;
	int err = 0;

	while (i < count) {
		room = room ? 2 * room : 1024;
		room = room < count ? room : count;
		r = realloc(snapshot->records, room * sizeof(*r));
		if (!r)
			return out_of_memory();
		snapshot->records = r;
		err = want_records(from, r + i, room - i, snapshot->header.record_size);
		for (; !err && i < room; i++)
			err = check_record(snapshot, &r[i], i ? &r[i - 1] : NULL);
		if (err)
			return err;
	}
	return sort_records(r, count);
}

static int load(struct snapshot *snapshot, FILE *from)
{
	int err = take_header(snapshot, from);

	if (!err)
		err = take_records(snapshot, from);
	if (err)
		return err;
	snapshot->header.header_size = sizeof(header_t);
	snapshot->header.record_size = sizeof(record_t);
	snapshot->version = snapshot->header.version;
	snapshot->header.version = SCOUNTER_SNAPSHOT_VERSION;
	return 0;
}

int snapshot_load(struct snapshot *snapshot, FILE *from)
{
	int first, err;

	do {
		memset(snapshot, 0, sizeof(*snapshot));
		first = fgetc(from);
		if (first == EOF)
			return ferror(from) ? array_fail(-EIO, "%s", strerror(errno)) : 0;
		ungetc(first, from);
		err = load(snapshot, from);
	} while (err > 0);
	if (err)
		snapshot_free(snapshot);
	return err ? err : 1;
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
	sums_free(snapshot->sums);
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
static int select_texts(struct snapshot *snapshot)
{
	uint32_t size = snapshot->header.texts_size, at, n = 1;
	uint32_t *kept;
	uint64_t i;

	if (!size)
		return 0;
	kept = calloc(size, sizeof(*kept));
	if (!kept)
		return out_of_memory();
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
	return 0;
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

/* Whether each pattern has matched, or what @missing says of those that have not. */
static bool match_all(const struct snapshot *snapshot, char **patterns, missing_t missing,
		      bool *keep)
{
	bool complete = true;

	for (; *patterns; patterns++) {
		if (keep_matches(snapshot, *patterns, keep))
			continue;
		complete = false;
		if (missing)
			missing(snapshot, *patterns);
	}
	return complete;
}

int snapshot_keep(struct snapshot *snapshot, char **patterns, missing_t missing)
{
	uint64_t i, kept = 0;
	bool complete;
	bool *keep;
	int err;

	if (!patterns || !*patterns)
		return 0;
	keep = calloc(snapshot->header.count + 1, sizeof(*keep));
	if (!keep)
		return out_of_memory();
	complete = match_all(snapshot, patterns, missing, keep);
	for (i = 0; i < snapshot->header.count; i++)
		if (keep[i])
			snapshot->records[kept++] = snapshot->records[i];
	snapshot->header.count = kept;
	free(keep);
	err = select_texts(snapshot);
	if (!err && !complete)
		err = array_fail(-ENOENT, "a pattern matches no counter");
	return err;
}

// SPDX-License-Identifier: GPL-2.0
/* Arrays and tables in recordings: see struct snapshot_other of tools/lib/counters.h. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "recorded.h"

#define SIZE_MAX_SANE	65536U		/* of a header */

static uint32_t what_of(const struct folder *folder)
{
	return folder == &topk_folder ? SNAPSHOT_TOPK : SNAPSHOT_ARRAY;
}

static char *read_all(FILE *file, size_t *size)
{
	char *all = NULL, buffer[65536];
	FILE *to = open_memstream(&all, size);
	size_t got;

	while (to && (got = fread(buffer, 1, sizeof(buffer), file)) > 0)
		fwrite(buffer, 1, got, to);
	if (!to || fclose(to))
		fail(FAILED, "out of memory");
	return all;
}

static void write_one(const struct folder *folder, const char *path, const header_t *now, FILE *to)
{
	struct snapshot_other other = { .header = *now, .what = what_of(folder) };
	FILE *file = folder_try(folder, path);
	const char *slash = strchr(path, '/');
	size_t size;
	char *all;

	/* It has gone meanwhile. */
	if (!file)
		return;
	all = read_all(file, &size);
	fclose(file);
	other.header.version = other.header.oldest_reader = SNAPSHOT_OTHER;
	other.header.header_size = sizeof(other);
	other.header.record_size = 1;
	other.header.count = size;
	other.header.texts_offset = other.header.texts_size = 0;
	snprintf((char *)other.group, sizeof(other.group), "%.*s", (int)(slash - path), path);
	snprintf((char *)other.name, sizeof(other.name), "%s", slash + 1);
	fwrite(&other, sizeof(other), 1, to);
	fwrite(all, 1, size, to);
	free(all);
}

static void free_names(char **names)
{
	char **name;

	for (name = names; *name; name++)
		free(*name);
	free(names);
}

static void write_folder(const struct folder *folder, const header_t *now, FILE *to)
{
	char **names = folder_names(folder), **name;

	for (name = names; *name; name++)
		write_one(folder, *name, now, to);
	free_names(names);
}

void recorded_check(void)
{
	free_names(folder_names(&topk_folder));
	free_names(folder_names(&array_folder));
}

void recorded_write_all(const header_t *now, FILE *to)
{
	write_folder(&topk_folder, now, to);
	write_folder(&array_folder, now, to);
}

static FILE *open_from(void)
{
	FILE *file = strcmp(from, "-") ? fopen(from, "re") : stdin;

	if (!file)
		fail(FAILED, "%s: %s", from, strerror(errno));
	return file;
}

static void __attribute__((noreturn)) truncated(void)
{
	fail(FAILED, "%s: truncated, or damaged: it ends in the middle of a snapshot", from);
}

static void skip(FILE *file, uint64_t size)
{
	char buffer[65536];
	size_t part;

	for (; size; size -= part) {
		part = size < sizeof(buffer) ? size : sizeof(buffer);
		if (fread(buffer, 1, part, file) != part)
			truncated();
	}
}

/* The next thing of what is looked for, up to its bytes; false at the end. */
static bool next_other(FILE *file, uint32_t what, struct snapshot_other *other)
{
	const size_t fixed = offsetof(header_t, monotonic_ns);
	header_t *header = &other->header;
	size_t got;

	for (;;) {
		memset(other, 0, sizeof(*other));
		got = fread(other, 1, fixed, file);
		if (!got)
			return false;
		if (got != fixed)
			truncated();
		if (memcmp(header->magic, SCOUNTER_SNAPSHOT_MAGIC, sizeof(header->magic)) ||
		    header->byte_order != SCOUNTER_SNAPSHOT_BYTE_ORDER ||
		    header->header_size < fixed || header->header_size > SIZE_MAX_SANE ||
		    header->record_size > SIZE_MAX_SANE || header->count >> 40)
			fail(FAILED, "%s: not a recording of this machine's byte order, or damaged", from);
		got = sizeof(*other) < header->header_size ? sizeof(*other) : header->header_size;
		if (fread((char *)other + fixed, 1, got - fixed, file) != got - fixed)
			truncated();
		skip(file, header->header_size - got);
		if (header->oldest_reader == SNAPSHOT_OTHER && other->what == what)
			return true;
		skip(file, header->count * header->record_size);
	}
}

/* Group and name, as they are shown in debugfs. */
static void name_of(const struct snapshot_other *other, char *name)
{
	sprintf(name, "%.63s/%.63s", (const char *)other->group, (const char *)other->name);
}

/* A snapshot of an array begins with the same letter. */
static bool is_recording(FILE *file)
{
	int first = fgetc(file), second = fgetc(file);

	ungetc(second, file);
	ungetc(first, file);
	return first == SCOUNTER_SNAPSHOT_MAGIC[0] && second == SCOUNTER_SNAPSHOT_MAGIC[1];
}

FILE *recorded_open(const struct folder *folder, const char *name)
{
	char there[2 * 64 + 2], *all = NULL;
	struct snapshot_other other;
	FILE *file = open_from(), *found;
	size_t size = 0;

	if (!name && is_recording(file))
		usage_error("a recording may have many: which GROUP/NAME?");
	if (!name)
		return file;
	if (!is_recording(file))
		fail(FAILED, "%s: not a recording, so that %s is not in it", from, name);
	while (next_other(file, what_of(folder), &other)) {
		name_of(&other, there);
		if (strcmp(there, name)) {
			skip(file, other.header.count);
			continue;
		}
		free(all);
		size = other.header.count;
		all = malloc(size + 1);
		if (!all)
			fail(FAILED, "out of memory");
		if (fread(all, 1, size, file) != size)
			truncated();
	}
	if (file != stdin)
		fclose(file);
	if (!all || !size)
		fail(FAILED, "%s: no %s %s; record --tables puts them there", from, folder->what, name);
	/* In memory that goes with the file. */
	found = fmemopen(NULL, size, "w+");
	if (!found || fwrite(all, 1, size, found) != size || fflush(found))
		fail(FAILED, "out of memory");
	free(all);
	rewind(found);
	return found;
}

char **recorded_names(const struct folder *folder)
{
	struct snapshot_other other;
	char there[2 * 64 + 2], **names = calloc(1, sizeof(char *));
	FILE *file = open_from();
	size_t count = 0, i;

	if (!is_recording(file))
		fail(FAILED, "%s: not a recording", from);
	while (names && next_other(file, what_of(folder), &other)) {
		name_of(&other, there);
		skip(file, other.header.count);
		for (i = 0; i < count && strcmp(names[i], there); i++)
			;
		if (i < count)
			continue;
		names = realloc(names, (count + 2) * sizeof(char *));
		if (names) {
			names[count++] = text_dup(there);
			names[count] = NULL;
		}
	}
	if (!names)
		fail(FAILED, "out of memory");
	if (file != stdin)
		fclose(file);
	return names;
}

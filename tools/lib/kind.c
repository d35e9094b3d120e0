// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "uapi/linux/scounter.h"
#include "uapi/linux/scounter_array.h"
#include "uapi/linux/scounter_topk.h"

#include "internal.h"
#include "kind.h"

#define TEXT_OF_A_TABLE	"# design"

static bool is(uint32_t magic, uint32_t of)
{
	return magic == of || magic == __builtin_bswap32(of);
}

int file_kind(FILE *file)
{
	char first[8] = { 0 };
	uint32_t magic;
	size_t got = fread(first, 1, sizeof(first), file);

	if (ferror(file) || fseek(file, 0, SEEK_SET))
		return array_fail(-EIO, "%s", strerror(errno));
	if (!got)
		return FILE_EMPTY;
	memcpy(&magic, first, sizeof(magic));
	if (is(magic, SCOUNTER_ARRAY_MAGIC))
		return FILE_ARRAY;
	if (is(magic, SCOUNTER_TOPK_MAGIC))
		return FILE_ITEMS;
	if (!memcmp(first, SCOUNTER_SNAPSHOT_MAGIC, got))
		return FILE_COUNTERS;
	if (!memcmp(first, TEXT_OF_A_TABLE, sizeof(first)))
		return array_fail(-EINVAL, "a table as text, and not the file beside it that ends in .bin");
	return array_fail(-EINVAL, "not a snapshot of scounter: of counters, an array or a table");
}

static FILE *copy_of(FILE *from)
{
	FILE *copy = tmpfile();
	char buffer[65536];
	size_t got;

	while (copy && (got = fread(buffer, 1, sizeof(buffer), from)))
		if (fwrite(buffer, 1, got, copy) != got)
			break;
	if (copy && !ferror(from) && !ferror(copy) && !fseek(copy, 0, SEEK_SET))
		return copy;
	array_fail(-EIO, "%s", strerror(errno));
	if (copy)
		fclose(copy);
	return NULL;
}

FILE *file_from(const char *path)
{
	bool standard = !strcmp(path, "-");
	FILE *file = standard ? stdin : fopen(path, "re"), *copy;

	if (!file) {
		array_fail(-EIO, "%s", strerror(errno));
		return NULL;
	}
	if (!standard && !fseek(file, 0, SEEK_SET))
		return file;
	copy = copy_of(file);
	if (!standard)
		fclose(file);
	return copy;
}

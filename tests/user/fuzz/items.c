// SPDX-License-Identifier: GPL-2.0
/* Tables of frequent items, and what they are merged to: tools/lib. */
#include <string.h>

#include "array.h"
#include "fuzz.h"
#include "items.h"

/* The library's memory: none for what no input can fill. */
#define MEMORY_MAX	(1 << 20)

#include "memory.h"

static const struct scounter_topk_record *find(const struct items *items, const void *key)
{
	u32 i;

	for (i = 0; i < items->header.records; i++)
		if (!memcmp(items_record(items, i)->key, key, items->header.key_size))
			return items_record(items, i);
	return NULL;
}

static void look(const struct items *items)
{
	u32 i;

	for (i = 0; i < items->header.records; i++) {
		const struct scounter_topk_record *record = items_record(items, i);

		require(record->error <= record->count);
		require(!i || record->count <= items_record(items, i - 1)->count);
		require(find(items, record->key) == record);
	}
}

/* Merged with itself as another: what is certain is certain twice. */
static void merge(const struct items *before, struct items *dst, struct items *src)
{
	u32 i;

	if (items_merge(dst, src)) {
		require(*array_error());
		return;
	}
	items_settle(dst);
	look(dst);
	require(dst->header.floor >= before->header.floor);
	for (i = 0; i < before->header.records; i++) {
		const struct scounter_topk_record *old = items_record(before, i);
		const struct scounter_topk_record *new = find(dst, old->key);
		u64 least = old->count - old->error;

		if (!new) {
			require(dst->header.floor >= least);
			continue;
		}
		require(new->count >= old->count);
		require(new->count - new->error >= least || new->count == U64_MAX);
	}
}

static void save_and_load(struct items *items)
{
	static char buffer[1 << 16];
	struct items *again;
	FILE *file;
	long bytes;

	if (sizeof(items->header) + (size_t)items->header.records * items->header.record_size >=
	    sizeof(buffer))
		return;
	file = fmemopen(buffer, sizeof(buffer), "wb");
	require(file && !items_save(items, file));
	bytes = ftell(file);
	fclose(file);
	file = fuzz_file((uint8_t *)buffer, bytes);
	/* Saturated sums alone may have a floor that no table has. */
	require(!items_load(&again, file));
	fclose(file);
	require(!memcmp(&again->header, &items->header, sizeof(items->header)));
	items_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *file = fuzz_file(data, size);
	struct items *items, *other, *third;

	if (items_load(&items, file)) {
		require(*array_error() && !items);
		fclose(file);
		return 0;
	}
	rewind(file);
	require(!items_load(&other, file));
	rewind(file);
	require(!items_load(&third, file));
	fclose(file);
	look(items);
	save_and_load(items);
	merge(third, items, other);
	save_and_load(items);
	merge(third, items, other);
	items_free(items);
	items_free(other);
	items_free(third);
	return 0;
}

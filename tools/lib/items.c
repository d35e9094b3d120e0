// SPDX-License-Identifier: GPL-2.0
/*
 * Merging tables of frequent items one after the other, in bounded memory.
 *
 * While tables are being merged, a record has what its key was counted beyond the floor,
 * and what it was hit for certain, as in topk_merge() of the kernel: a count of 9 with an
 * error of 2 and a floor of 4 becomes 5 and 7.  Both add up, and so do floors.
 *
 * When there are too many keys, g is the count, beyond the floor, of the highest that is
 * left out.  The floor rises by g, and all counts beyond it fall by g.  Each of k keys that
 * are kept loses g, and so does the one that is left out.  Beyond their floors, the
 * tables have at most the sum of all N - m * floor.  With k at least the largest m, all
 * these g come to at most the sum of (N - m * floor) / m.  So floor and errors are at most
 * the sum of all N / m.  (Agarwal et al. 2012; Cafaro, Pulimeno & Tempesta 2016.)
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "items.h"

#define RECORDS_SANE	(1U << 27)
#define SIZE_SANE	4096U
/* Keys that are kept for each entry of the widest table when there are too many. */
#define KEPT_AT_LEAST	(ITEMS_KEPT / 2)

static struct scounter_topk_record *record_at(struct items *items, u32 i)
{
	return (void *)items_record(items, i);
}

static u64 sum(u64 a, u64 b)
{
	return a > U64_MAX - b ? U64_MAX : a + b;
}

static u64 less(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

static u32 padded(u32 key_size)
{
	return (key_size + 7) & ~7U;
}

static int check_header(const struct scounter_topk_header *header)
{
	if (header->magic == __builtin_bswap32(SCOUNTER_TOPK_MAGIC))
		return array_fail(-EPROTO, "from a machine of the other byte order");
	if (header->magic != SCOUNTER_TOPK_MAGIC)
		return array_fail(-EINVAL, "not a table of frequent items");
	if (header->version != SCOUNTER_TOPK_VERSION)
		return array_fail(-EPROTO, "version %u; this program knows version %u",
				  header->version, SCOUNTER_TOPK_VERSION);
	if (header->header_size < sizeof(*header) || header->header_size > SIZE_SANE ||
	    header->key_size < SCOUNTER_TOPK_KEY_MIN || header->key_size > SCOUNTER_TOPK_KEY_MAX ||
	    header->record_size < sizeof(struct scounter_topk_record) + padded(header->key_size) ||
	    header->record_size > SIZE_SANE || header->records > RECORDS_SANE ||
	    !header->capacity || header->capacity > SCOUNTER_TOPK_CAPACITY_MAX)
		return array_fail(-EINVAL, "damaged: sizes that cannot be");
	if (!(header->flags & SCOUNTER_TOPK_F_SATURATED) &&
	    header->floor > header->total / header->capacity)
		return array_fail(-EINVAL, "damaged: a floor that cannot be");
	return 0;
}

/* What is no table is said to be none, however short it is. */
static int read_header(struct scounter_topk_header *header, FILE *from)
{
	const size_t first = offsetof(struct scounter_topk_header, record_size);
	char rest[SIZE_SANE];
	int err = want(from, header, first, "table");

	if (!err && (header->magic != SCOUNTER_TOPK_MAGIC ||
		     header->version != SCOUNTER_TOPK_VERSION))
		return check_header(header);
	if (!err)
		err = want(from, (char *)header + first, sizeof(*header) - first, "table");
	if (!err)
		err = check_header(header);
	return err ? err : want(from, rest, header->header_size - sizeof(*header), "table");
}

static int check_record(const struct items *items, u32 i)
{
	const struct scounter_topk_record *record = items_record(items, i);
	u32 size = items->header.key_size, at;

	if (record->error > record->count || (i && record->count > items_record(items, i - 1)->count))
		return array_fail(-EINVAL, "damaged: counts that cannot be");
	for (at = size; at < padded(size); at++)
		if (record->key[at])
			return array_fail(-EINVAL, "damaged: a key that cannot be");
	return 0;
}

static int make_room(struct items *items, u32 room)
{
	unsigned char *records;

	if (room <= items->room)
		return 0;
	records = realloc(items->records, (size_t)room * items->header.record_size);
	if (!records)
		return out_of_memory();
	items->records = records;
	items->room = room;
	return 0;
}

/* Room as it comes: a damaged number must not take all memory. */
static int read_records(struct items *items, FILE *from, u32 size)
{
	u32 n = items->header.records, own = items->header.record_size, i;
	char rest[SIZE_SANE];
	int err = 0;

	for (i = 0; !err && i < n; i++) {
		if (i == items->room)
			err = make_room(items, i + (i < 1024 ? 1024 : i));
		if (!err)
			err = want(from, record_at(items, i), own, "table");
		if (!err)
			err = want(from, rest, size - own, "table");
		if (!err)
			err = check_record(items, i);
	}
	if (!err && getc(from) != EOF)
		err = array_fail(-EINVAL, "damaged: the table goes on after its last record");
	return err;
}

/* An index with room for so many records; -EEXIST for a key that comes twice. */
static int index_records(struct items *items, u32 room)
{
	const unsigned char *keys;
	u32 i, *slot;
	int err;

	index_free(&items->index);
	err = index_create(&items->index, room, padded(items->header.key_size),
			   items->header.record_size);
	for (i = 0; !err && i < items->header.records; i++) {
		keys = items->records + sizeof(struct scounter_topk_record);
		slot = index_find(&items->index, keys, items_record(items, i)->key);
		if (*slot)
			return array_fail(-EINVAL, "damaged: a key that comes twice");
		*slot = i + 1;
	}
	return err;
}

static int load(struct items *items, FILE *from)
{
	struct scounter_topk_header *header = &items->header;
	u32 size;
	int err = read_header(header, from);

	if (err)
		return err;
	size = header->record_size;
	header->header_size = sizeof(*header);
	header->record_size = sizeof(struct scounter_topk_record) + padded(header->key_size);
	items->widest = header->capacity;
	err = read_records(items, from, size);
	return err ? err : index_records(items, header->records);
}

int items_load(struct items **items, FILE *from)
{
	int err;

	*items = calloc(1, sizeof(**items));
	if (!*items)
		return out_of_memory();
	err = load(*items, from);
	if (err) {
		items_free(*items);
		*items = NULL;
	}
	return err;
}

void items_free(struct items *items)
{
	if (!items)
		return;
	index_free(&items->index);
	free(items->records);
	free(items);
}

int items_save(struct items *items, FILE *to)
{
	size_t n = items->header.records;

	items_settle(items);
	if (fwrite(&items->header, sizeof(items->header), 1, to) != 1 ||
	    fwrite(items->records, items->header.record_size, n, to) != n || fflush(to))
		return array_fail(-EIO, "the table cannot be written: %s", strerror(errno));
	return 0;
}

/* Between counts and errors, and what is beyond the floor and for certain. */
static void set_merging(struct items *items, bool merging)
{
	u64 floor = items->header.floor;
	u32 i;

	if (items->merging == merging)
		return;
	items->merging = merging;
	for (i = 0; i < items->header.records; i++) {
		struct scounter_topk_record *record = record_at(items, i);

		if (merging) {
			record->error = record->count - record->error;
			record->count = less(record->count, floor);
			continue;
		}
		record->count = sum(record->count, floor);
		record->error = less(record->count, record->error);
		if (record->count == U64_MAX)
			items->header.flags |= SCOUNTER_TOPK_F_SATURATED;
	}
}

/* The @n-th highest number, of which 0 is the highest (Hoare's FIND, 1961). */
static u64 highest(u64 *numbers, u32 all, u32 n)
{
	u32 first = 0, last = all - 1;

	while (first < last) {
		u64 pivot = numbers[first + (last - first) / 2], swapped;
		u32 i = first, j = last;

		for (;;) {
			while (numbers[i] > pivot)
				i++;
			while (numbers[j] < pivot)
				j--;
			if (i >= j)
				break;
			swapped = numbers[i];
			numbers[i++] = numbers[j];
			numbers[j--] = swapped;
		}
		if (n <= j)
			last = j;
		else
			first = j + 1;
	}
	return numbers[n];
}

/* The count that comes after the @n highest, and how many are higher. */
static int count_after(struct items *items, u32 n, u64 *count, u32 *higher)
{
	u32 all = items->header.records, i;
	u64 *counts = calloc(all, sizeof(*counts));

	*count = *higher = 0;
	if (!counts)
		return out_of_memory();
	for (i = 0; i < all; i++)
		counts[i] = items_record(items, i)->count;
	*count = highest(counts, all, n);
	free(counts);
	for (i = 0; i < all; i++)
		*higher += items_record(items, i)->count > *count;
	return 0;
}

/* Leave out all but the @n highest: what is left out has at most the count after them. */
static void keep_highest(struct items *items, u32 n)
{
	u32 i, kept = 0, higher, alike;
	u64 count;

	if (count_after(items, n, &count, &higher))
		return;
	alike = n - higher;
	items->header.floor = sum(items->header.floor, count);
	for (i = 0; i < items->header.records; i++) {
		struct scounter_topk_record *record = record_at(items, i);

		if (record->count < count || (record->count == count && !alike))
			continue;
		alike -= record->count == count;
		record->count -= count;
		memmove(record_at(items, kept++), record, items->header.record_size);
	}
	items->header.records = kept;
	/* Where it fails, prepare() tries again. */
	index_records(items, items->room);
}

static void add_header(struct scounter_topk_header *dst, const struct scounter_topk_header *src)
{
	dst->floor = sum(dst->floor, src->floor);
	dst->total = sum(dst->total, src->total);
	dst->pending = sum(dst->pending, src->pending);
	dst->evictions = sum(dst->evictions, src->evictions);
	dst->dropped = sum(dst->dropped, src->dropped);
	dst->flags |= src->flags;
	if (dst->total == U64_MAX)
		dst->flags |= SCOUNTER_TOPK_F_SATURATED;
	if (dst->capacity > src->capacity)
		dst->capacity = src->capacity;
	if (dst->design != src->design)
		dst->design = SCOUNTER_TOPK_DEFAULT;
}

static void add_record(struct items *dst, const struct scounter_topk_record *record)
{
	const unsigned char *keys = dst->records + sizeof(*record);
	u32 *slot = index_find(&dst->index, keys, record->key);
	struct scounter_topk_record *to;

	if (*slot) {
		to = record_at(dst, *slot - 1);
		to->count = sum(to->count, record->count);
		to->error = sum(to->error, record->error);
		return;
	}
	memcpy(record_at(dst, dst->header.records++), record, dst->header.record_size);
	*slot = dst->header.records;
}

/* Room for all records of src, before what is too many is left out. */
static int prepare(struct items *dst, const struct items *src)
{
	u64 need = (u64)dst->header.records + src->header.records, room = 2 * need;
	int err = 0;

	if (room > RECORDS_SANE)
		return array_fail(-ENOMEM, "tables of so many records are not merged");
	if (need > dst->room || !dst->merging)
		err = make_room(dst, room);
	if (!err && dst->index.mask < 2 * need)
		err = index_records(dst, room);
	return err;
}

int items_merge(struct items *dst, struct items *src)
{
	u32 i;
	int err;

	if (dst == src)
		return array_fail(-EINVAL, "a table is not merged with itself");
	if (dst->header.key_size != src->header.key_size)
		return array_fail(-EINVAL, "the tables have keys of %u and %u bytes",
				  dst->header.key_size, src->header.key_size);
	err = prepare(dst, src);
	if (err)
		return err;
	set_merging(dst, true);
	set_merging(src, true);
	for (i = 0; i < src->header.records; i++)
		add_record(dst, items_record(src, i));
	add_header(&dst->header, &src->header);
	set_merging(src, false);
	if (dst->widest < src->widest)
		dst->widest = src->widest;
	/* Without the memory that this takes, all are kept. */
	if (dst->header.records > (u64)ITEMS_KEPT * dst->widest)
		keep_highest(dst, KEPT_AT_LEAST * dst->widest);
	return 0;
}

static int by_count(const void *a, const void *b, void *size)
{
	const struct scounter_topk_record *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return memcmp(x->key, y->key, *(const u32 *)size);
}

/* Places in the index change: whoever merges on indexes anew. */
void items_settle(struct items *items)
{
	if (!items->merging)
		return;
	set_merging(items, false);
	if (items->header.records)
		qsort_r(items->records, items->header.records, items->header.record_size,
			by_count, &items->header.key_size);
	items->index.mask = 0;
}

// SPDX-License-Identifier: GPL-2.0
/* How places are read; the idea is in reading.h. */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "topk/reading.h"
#include "topk/table.h"

/* A pick has the size of a record and begins with the count: topk_offer() takes both. */
static struct topk_pick *reading_pick(struct scounter_topk_header *picks, u32 i)
{
	return (struct topk_pick *)topk_record(picks, i);
}

/* Pick the places of the highest counts.  The total is the sum of the counts of all. */
static void reading_pick_places(struct topk_table *table, const struct topk_reader *reader,
				u32 most,
				struct scounter_topk_header *picks)
{
	struct topk_pick *spare = reading_pick(picks, most);
	u32 place;
	u64 count;

	for (place = 0; place < table->capacity; place++, topk_breathe(place)) {
		if (!reader->count(table, place, &count))
			continue;
		picks->total = topk_add_saturating(picks->total, count);
		if (!topk_wants(picks, most, count)) {
			topk_leave_out(picks, count);
			continue;
		}
		*spare = (struct topk_pick) { .count = count, .place = place };
		topk_offer(picks, most, topk_record(picks, most));
	}
}

static void reading_read_picks(struct topk_table *table, const struct topk_reader *reader,
			       struct scounter_topk_header *picks,
			       struct scounter_topk_header *header)
{
	u32 i;

	for (i = 0; i < picks->records; i++, topk_breathe(i)) {
		struct scounter_topk_record *record = topk_record(header, i);
		struct topk_pick *pick = reading_pick(picks, i);

		reader->read(table, pick, record);
		picks->total = topk_add_saturating(picks->total, record->count - pick->count);
		if (record->count == U64_MAX)
			header->flags |= SCOUNTER_TOPK_F_SATURATED;
	}
	header->records = picks->records;
	header->capacity = picks->capacity;
	header->total = picks->total;
	header->floor = picks->floor;
}

/*
 * Do not list keys that were evicted meanwhile.  A key may have been evicted from place 3
 * and have come in again at place 8, and have been read in both.  It is listed where it
 * still is.
 */
static void reading_drop_evicted(struct topk_table *table, const struct topk_reader *reader,
				 struct scounter_topk_header *picks,
				 struct scounter_topk_header *header)
{
	u32 i, n = 0;

	for (i = 0; i < header->records; i++, topk_breathe(i)) {
		if (!reader->is_there(table, reading_pick(picks, i)))
			continue;
		if (n != i)
			memcpy(topk_record(header, n), topk_record(header, i),
			       header->record_size);
		n++;
	}
	header->records = n;
}

/*
 * The floor must hold for keys that are not listed because they were evicted: none of them
 * had more than @floor.  No place has less than @floor by now, even if it had less when it
 * was read.  So all places are taken to have @floor at least: a count of 3 with the floor 5
 * becomes 5, with an error that is 2 more.  Then the floor is at most the total divided by
 * the number of places.
 */
static void reading_raise_floor(struct topk_table *table, u64 floor,
				struct scounter_topk_header *header)
{
	u32 i, others = table->capacity - header->records;

	if (floor <= header->floor)
		return;
	header->floor = floor;
	header->total = others && floor > div_u64(U64_MAX, others) ? U64_MAX : others * floor;
	for (i = 0; i < header->records; i++, topk_breathe(i)) {
		struct scounter_topk_record *record = topk_record(header, i);

		if (record->count < floor) {
			record->error += floor - record->count;
			record->count = floor;
		}
		header->total = topk_add_saturating(header->total, record->count);
	}
}

/* Fill in the records, and the header but for what is pending.  0, or -ENOMEM. */
int topk_read_places(struct topk_table *table, const struct topk_reader *reader, u32 most,
		     struct scounter_topk_header *header)
{
	struct scounter_topk_header *picks = topk_snapshot_alloc(sizeof(u64), most);

	BUILD_BUG_ON(sizeof(struct topk_pick) !=
		     sizeof(struct scounter_topk_record) + sizeof(u64));
	if (!picks)
		return -ENOMEM;
	picks->capacity = table->capacity;
	reading_pick_places(table, reader, most, picks);
	reading_read_picks(table, reader, picks, header);
	reading_drop_evicted(table, reader, picks, header);
	reading_raise_floor(table, reader->floor(table), header);
	if (header->total == U64_MAX)
		header->flags |= SCOUNTER_TOPK_F_SATURATED;
	topk_snapshot_free(picks);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/* What snapshots say of the counters of a set. */
#include <linux/string.h>

#include "counter/counter.h"
#include "kinds/history.h"
#include "set/named.h"

u32 scounter_set_rows(const struct scounter_item *item)
{
	return container_of(item, struct scounter_named_set, item)->set.desc->count;
}

static void rows_fill(const struct scounter_named_set *named, u32 i,
		      struct scounter_snapshot_record *record)
{
	const struct scounter_ref ref = scounter_set_ref(&named->set, i);

	record->bytes = scounter_set_word_bytes(named->set.desc) + scounter_word_spread_bytes(&ref);
	scounter_class_show(ref.class, record);
	scounter_word_show(&ref, record);
	record->created_ns = named->created_ns;
	record->created_real_ns = named->created_real_ns;
}

static void rows_show(struct scounter_row *row, struct scounter_snapshot_record *record)
{
	rows_fill(row->of, row->i, record);
}

bool scounter_set_row(struct scounter_item *item, u32 i, struct scounter_row *row)
{
	struct scounter_named_set *named = scounter_set_of(item);
	const struct scounter_set_desc *desc = named->set.desc;

	if (!scounter_set_shows(named, i))
		return false;
	/* One by one: an initializer would zero all of it first. */
	row->group = item->spot.group->name;
	row->object = item->name;
	row->name = desc->rows[i].name;
	row->unit = desc->rows[i].unit;
	row->help = desc->rows[i].help;
	row->label = desc->label ?: "object";
	row->class = &desc->rows[i].class;
	row->full_since = NULL;
	row->show = rows_show;
	row->of = named;
	row->i = i;
	return true;
}

/* Records of some of the rows, in the order of these; @seen of them in this pass. */
struct rows_records {
	const struct scounter_named_set *named;
	struct scounter_snapshot_record *records;
	u32 n, seen;
};

/* By their names, which no two rows share, as other rows may be shown meanwhile. */
static const u64 *rows_value(const struct scounter_set_readings *readings, u32 row)
{
	struct rows_records *of = readings->of;

	if (!row)
		of->seen = 0;
	if (of->seen == of->n ||
	    strcmp((char *)of->records[of->seen].name, readings->set->desc->rows[row].name))
		return NULL;
	return &of->records[of->seen++].value;
}

static void rows_read(const struct scounter_set_readings *readings, u32 row)
{
	const struct rows_records *of = readings->of;

	rows_fill(of->named, row, &of->records[of->seen - 1]);
}

void scounter_set_settle_records(struct scounter_item *item,
				 struct scounter_snapshot_record *records, u32 n)
{
	struct scounter_named_set *named = scounter_set_of(item);
	struct rows_records of = { .named = named, .records = records, .n = n };
	const struct scounter_set_readings readings = {
		.value = rows_value, .read = rows_read, .set = &named->set, .of = &of,
		.may_sleep = true,
	};
	u32 i;

	if (n < 2 || scounter_set_settle(&readings))
		return;
	for (i = 0; i < n; i++)
		records[i].flags |= SCOUNTER_F_APART;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Descriptions of sets, each in one allocation with what it points to: readers of a set
 * may look at its names after what they were copied from has gone.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/events.h"

static void describe_free(const struct scounter_set_desc *desc)
{
	kvfree(container_of(desc, struct description, desc));
}

/* Without rows, and with room for so many, whose names have so many bytes at most. */
struct description *scounter_describe_set(const struct choice *choice, const char *label,
					  u8 flags, u32 rows, size_t names)
{
	struct description *description;

	description = kvzalloc(struct_size(description, rows, rows) + names, GFP_KERNEL);
	if (!description)
		return NULL;
	strscpy(description->group, choice->group, sizeof(description->group));
	description->variant = choice->variant;
	description->names = (char *)&description->rows[rows];
	description->end = description->names + names;
	description->desc = (struct scounter_set_desc) {
		.group = description->group,
		.label = label,
		.rows = description->rows,
		.hide = SCOUNTER_HIDE_SYSFS,
		.flags = flags | (choice->variant->error_ppm ? SCOUNTER_SET_WORDS32 : 0),
		.release = describe_free,
	};
	return description;
}

/* Adds a row of that name, and returns its number. */
u32 scounter_describe_row(struct description *description, const char *unit, const char *name, ...)
{
	struct scounter_set_row *row = &description->rows[description->desc.count];
	va_list args;

	row->name = description->names;
	row->class = description->variant->class;
	row->unit = unit;
	va_start(args, name);
	description->names += vscnprintf(description->names, description->end - description->names,
					 name, args) + 1;
	va_end(args);
	return description->desc.count++;
}

// SPDX-License-Identifier: GPL-2.0
/* /sys/kernel/debug/scounter/<group>/<object>: the counters of a set, a line each. */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "registry/counters.h"
#include "set/set.h"

/* White space in a name would split it into columns: shown as \040 and so on. */
static void files_show_row(struct seq_file *seq, const struct scounter_set *set, u32 n)
{
	const struct scounter_set_row *row = &set->desc->rows[n];

	seq_escape(seq, row->name, " \t\n\\");
	seq_printf(seq, " %llu", scounter_set_read(set, n));
	if (row->unit)
		seq_printf(seq, " %s", row->unit);
	seq_putc(seq, '\n');
}

static int set_show(struct seq_file *seq, void *unused)
{
	const struct scounter_named_set *named = seq->private;
	u32 n;

	for (n = 0; n < named->set.desc->count && !seq_has_overflowed(seq); n++)
		if (scounter_set_shows(named, n))
			files_show_row(seq, &named->set, n);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(set);

static int files_add_to_debugfs(struct scounter_named_set *named)
{
	struct scounter_group *group = named->item.spot.group;
	int err = scounter_add_group_to(SCOUNTER_VIEW_DEBUGFS, group);

	if (err)
		return err;
	named->file = debugfs_create_file(named->item.name, 0444,
					  group->view[SCOUNTER_VIEW_DEBUGFS], named, &set_fops);
	return 0;
}

int scounter_set_files_add(struct scounter_item *item)
{
	struct scounter_named_set *named = scounter_set_of(item);
	u8 hide = named->set.desc->hide;

	return hide & SCOUNTER_HIDE_DEBUGFS ? 0 : files_add_to_debugfs(named);
}

void scounter_set_files_remove(struct scounter_item *item)
{
	debugfs_remove(scounter_set_of(item)->file);
}

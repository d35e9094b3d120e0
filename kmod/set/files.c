// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/scounter/<group>/<object>: the counters of a set, a line each.
 * /sys/kernel/scounter/<group>/<object>/: the same, a file each.
 */
#include <linux/debugfs.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "compat.h"
#include "registry/access.h"
#include "registry/counters.h"
#include "registry/sysfs.h"
#include "set/named.h"

/* White space in a name would split it into columns: shown as \040 and so on. */
static void files_show_row(struct seq_file *seq, const struct scounter_set_row *row, u64 value)
{
	seq_escape(seq, row->name, " \t\n\\");
	seq_printf(seq, " %llu", value);
	if (row->unit)
		seq_printf(seq, " %s", row->unit);
	seq_putc(seq, '\n');
}

static int set_show(struct seq_file *seq, void *unused)
{
	const struct scounter_named_set *named = seq->private;
	const struct scounter_set_desc *desc = named->set.desc;
	struct scounter_estimate *all;
	u32 n;

	all = kvmalloc_array(desc->count, sizeof(*all), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	if (!scounter_set_read_moment(&named->set, all, true))
		seq_puts(seq, "# not of one moment\n");
	for (n = 0; n < desc->count; n++) {
		scounter_set_let_others_run(true, n);
		if (scounter_set_shows(named, n))
			files_show_row(seq, &desc->rows[n], all[n].value);
	}
	kvfree(all);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(set);

/* A kobject lives on as long as the driver core holds it; its files do not. */
struct set_directory {
	struct scounter_directory sysfs;
	const struct scounter_set *set;
	struct attribute values[];	/* one for each row */
};

static ssize_t value_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	struct set_directory *directory = container_of(kobj, struct set_directory, sysfs.kobj);

	return sysfs_emit(buf, "%llu\n",
			  scounter_set_read(directory->set, attr - directory->values));
}

static void directory_release(struct kobject *kobj)
{
	kvfree(container_of(kobj, struct set_directory, sysfs.kobj));
	scounter_sysfs_gone();
}

static const struct sysfs_ops value_ops = {
	.show = value_show,
};

static struct kobj_type directory_type = {
	.release = directory_release,
	.sysfs_ops = &value_ops,
	.get_ownership = scounter_sysfs_ownership,
};

static void files_remove_from_sysfs(struct scounter_named_set *named)
{
	if (!named->directory)
		return;
	scounter_sysfs_remove(&named->directory->sysfs, named->item.spot.group, named->item.name);
	named->directory = NULL;
}

static int files_add_values(struct set_directory *directory)
{
	const struct scounter_set_desc *desc = directory->set->desc;
	int err = 0;
	u32 i;

	for (i = 0; !err && i < desc->count; i++) {
		struct attribute *value = &directory->values[i];

		sysfs_attr_init(value);
		value->name = desc->rows[i].name;
		value->mode = scounter_file_mode();
		err = sysfs_create_file(&directory->sysfs.kobj, value);
	}
	return err;
}

static int files_add_to_sysfs(struct scounter_named_set *named)
{
	struct scounter_group *group = named->item.spot.group;
	struct kobject *parent = named->parent;
	struct set_directory *directory;
	int err;

	named->directory = NULL;
	err = scounter_add_group_to(SCOUNTER_VIEW_SYSFS, group);
	if (err)
		return err;
	directory = kvzalloc(struct_size(directory, values, named->set.desc->count), GFP_KERNEL);
	if (!directory)
		return -ENOMEM;
	directory->set = &named->set;
	err = scounter_sysfs_add(&directory->sysfs, &directory_type, parent, group,
				 named->item.name);
	if (err)
		return err;
	named->directory = directory;
	return files_add_values(directory);
}

static int files_add_to_debugfs(struct scounter_named_set *named)
{
	struct scounter_group *group = named->item.spot.group;
	int err = scounter_add_group_to(SCOUNTER_VIEW_DEBUGFS, group);

	if (err)
		return err;
	named->file = debugfs_create_file(named->item.name, scounter_file_mode(),
					  group->view[SCOUNTER_VIEW_DEBUGFS], named, &set_fops);
	return 0;
}

int scounter_set_files_add(struct scounter_item *item)
{
	struct scounter_named_set *named = scounter_set_of(item);
	u8 hide = named->set.desc->hide;
	int err = 0;

	if (!(hide & SCOUNTER_HIDE_SYSFS))
		err = files_add_to_sysfs(named);
	if (!err && !(hide & SCOUNTER_HIDE_DEBUGFS))
		err = files_add_to_debugfs(named);
	if (err)
		scounter_set_files_remove(item);
	return err;
}

void scounter_set_files_remove(struct scounter_item *item)
{
	struct scounter_named_set *named = scounter_set_of(item);

	debugfs_remove(named->file);
	named->file = NULL;
	files_remove_from_sysfs(named);
}

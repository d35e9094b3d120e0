// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/scounter/: `counters`, a table of all counters; `kinds`, a
 * table of the kinds; `refused`, who wanted to add a negative amount; and
 * <group>/<counter>, the value of one.  Arrays and tables
 * of frequent items have a directory each, and make it themselves.  No file can be
 * written, so that all of them are there under lockdown too.
 *
 * Without debugfs the entries in it are ERR_PTRs, which debugfs itself
 * ignores: the counters then do without these files.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "compat.h"
#include "base/refuse.h"
#include "counter/counter.h"
#include "kinds/kind.h"
#include "registry/access.h"
#include "registry/debugfs.h"
#include "registry/counters.h"

#define TABLE_FILE	"counters"
#define KINDS_FILE	"kinds"
#define REFUSED_FILE	"refused"

static struct dentry *root;

static int counter_show(struct seq_file *seq, void *unused)
{
	struct scounter_entry *entry = seq->private;

	seq_printf(seq, "%llu\n", scounter_read(entry->counter));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counter);

/* Where a reader is: at which counter of the item after the walk's place. */
struct table_reader {
	struct scounter_walk walk;
	struct scounter_item *item;
	u32 i;
	struct scounter_row row;
};

static void show_escaped(struct seq_file *seq, const char *name)
{
	/* White space in a name would split it into columns: shown as \040 and so on. */
	seq_escape(seq, name, " \t\n\\");
}

static void show_name(struct seq_file *seq, const struct scounter_row *row)
{
	size_t start = seq->count;
	int width;

	show_escaped(seq, row->group);
	seq_putc(seq, '/');
	if (row->object) {
		show_escaped(seq, row->object);
		seq_putc(seq, '/');
	}
	show_escaped(seq, row->name);
	width = 32 - (int)(seq->count - start);
	seq_printf(seq, "%*s", max(width, 1), "");
}

static u32 inflations_deferred(struct scounter_item *item)
{
	struct scounter *counter;

	if (item->type != &scounter_counters)
		return 0;
	counter = scounter_entry_of(item)->counter;
	if (counter->class.kind != SCOUNTER_MULTILINE_ADAPT)
		return 0;
	return atomic_read(&counter->deferred);
}

void scounter_show_error(struct seq_file *seq, u32 ppm)
{
	char text[16];
	int length = scnprintf(text, sizeof(text), "%u.%04u", ppm / 10000, ppm % 10000);

	while (text[length - 1] == '0')
		length--;
	if (text[length - 1] == '.')
		length--;
	seq_printf(seq, " %9.*s%%", length, text);
}

static int table_show(struct seq_file *seq, struct scounter_item *item)
{
	struct table_reader *reader = seq->private;
	struct scounter_snapshot_record record = {};
	u32 deferred = inflations_deferred(item);

	reader->row.show(&reader->row, &record);
	show_name(seq, &reader->row);
	seq_printf(seq, "%-21s %20llu", scounter_class_name(reader->row.class), record.value);
	scounter_show_error(seq, record.error_ppm);
	seq_printf(seq, " %20llu %20llu %8u %s", record.lower, record.upper, record.bytes,
		   scounter_state_name(record.flags));
	if (deferred)
		seq_printf(seq, " (inflation deferred %u times)", deferred);
	seq_putc(seq, '\n');
	return 0;
}

/* Whether there is one, at its place or after it, among those of the item. */
static bool table_find_row(struct table_reader *reader, struct scounter_item *item)
{
	u32 rows = item->type->rows ? item->type->rows(item) : 1;

	/* Another one may be in the place of an item that has gone. */
	if (item != reader->item)
		reader->i = 0;
	reader->item = item;
	for (; reader->i < rows; reader->i++)
		if (item->type->row(item, reader->i, &reader->row))
			return true;
	return false;
}

/* The item, pinned, of the counter that is the next to be shown. */
static struct scounter_item *table_peek(struct table_reader *reader)
{
	struct scounter_item *item;

	while ((item = scounter_walk_peek(&reader->walk))) {
		if (table_find_row(reader, item))
			break;
		scounter_walk_step(&reader->walk, item);
		scounter_unpin(&item, 1);
		cond_resched();
	}
	return item;
}

/* Position 0 is the header, so that it comes once, however the file is read. */
static void *table_start(struct seq_file *seq, loff_t *position)
{
	struct table_reader *reader = seq->private;

	if (*position)
		return table_peek(reader);
	scounter_walk_stop(&reader->walk);
	scounter_walk_start(&reader->walk, &scounter_counters);
	reader->item = NULL;
	return SEQ_START_TOKEN;
}

static void table_stop(struct seq_file *seq, void *at)
{
	struct scounter_item *item = at;

	if (item && at != SEQ_START_TOKEN)
		scounter_unpin(&item, 1);
}

static void *table_next(struct seq_file *seq, void *at, loff_t *position)
{
	struct table_reader *reader = seq->private;

	++*position;
	if (at != SEQ_START_TOKEN)
		reader->i++;
	table_stop(seq, at);
	return table_peek(reader);
}

static int table_show_line(struct seq_file *seq, void *at)
{
	if (at != SEQ_START_TOKEN)
		return table_show(seq, at);
	seq_printf(seq, "%-32s%-21s %20s %10s %20s %20s %8s %s\n", "# group/name",
		   "kind", "value", "error", "lower", "upper", "bytes", "state");
	return 0;
}

static const struct seq_operations table_sops = {
	.start	= table_start,
	.next	= table_next,
	.stop	= table_stop,
	.show	= table_show_line,
};

/* A reader keeps its place from one read to the next. */
static int table_open(struct inode *inode, struct file *file)
{
	struct table_reader *reader = __seq_open_private(file, &table_sops, sizeof(*reader));

	if (!reader)
		return -ENOMEM;
	scounter_walk_start(&reader->walk, &scounter_counters);
	return 0;
}

static int table_release(struct inode *inode, struct file *file)
{
	struct seq_file *seq = file->private_data;
	struct table_reader *reader = seq->private;

	scounter_walk_stop(&reader->walk);
	return seq_release_private(inode, file);
}

static const struct file_operations table_fops = {
	.owner		= THIS_MODULE,
	.open		= table_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= table_release,
};

static void show_kind(struct seq_file *seq, const struct scounter_kind_row *row,
		      const char *name, const char *summary)
{
	static const char *const embedded[] = {
		[__SCOUNTER_NO_WORD] = "-",
		[__SCOUNTER_WORD32] = "4",
		[__SCOUNTER_WORD64] = "8",
	};

	seq_printf(seq, "%-16s %8s %20llu  %-52s %s\n", name,
		   row->bare ? embedded[row->word] : "-", *row->ops->value_max, summary,
		   row->paper);
}

/* A machine may have the module and not the manual: here are the kinds. */
static int kinds_show(struct seq_file *seq, void *unused)
{
	const struct scounter_kind_row *row;

	seq_printf(seq, "%-16s %8s %20s  %-52s %s\n", "# kind", "embedded",
		   "range", "what it is", "paper, section");
	for (row = scounter_kinds; row < scounter_kinds + __SCOUNTER_KINDS; row++)
		show_kind(seq, row, row->name, row->ops->summary);
	show_kind(seq, scounter_kind_row(SCOUNTER_EXACT), "exact",
		  "multiline_adapt, with up to 4 stripes a node");
	show_kind(seq, scounter_kind_row(SCOUNTER_APPROX), "approx",
		  "bfp_csup, sampling without contention, too");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kinds);

static int refused_show(struct seq_file *seq, void *unused)
{
	struct scounter_refusal refusal;
	unsigned long listed = 0;
	u32 i;

	seq_printf(seq, "%-19s %20s %s\n", "# times", "first amount", "counter, caller");
	for (i = 0; scounter_refusal(i, &refusal); i++) {
		seq_printf(seq, "%-19lu %20lld %s %pS\n", refusal.times, refusal.amount,
			   *refusal.name ? refusal.name : "-", (void *)refusal.caller);
		listed += refusal.times;
	}
	seq_printf(seq, "%-19lu %20s - others\n", scounter_refusals() - listed, "-");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(refused);

struct dentry *scounter_debugfs_directory(struct scounter_group *group, struct dentry *parent)
{
	if (!group->view[SCOUNTER_VIEW_DEBUGFS])
		group->view[SCOUNTER_VIEW_DEBUGFS] = debugfs_create_dir(group->name, parent);
	return group->view[SCOUNTER_VIEW_DEBUGFS];
}

void scounter_debugfs_drop_directory(struct scounter_group *group)
{
	debugfs_remove(group->view[SCOUNTER_VIEW_DEBUGFS]);
	group->view[SCOUNTER_VIEW_DEBUGFS] = NULL;
}

static int debugfs_add_group(struct scounter_group *group)
{
	scounter_debugfs_directory(group, root);
	return 0;
}

static int debugfs_add(struct scounter_entry *entry)
{
	entry->view[SCOUNTER_VIEW_DEBUGFS] =
		debugfs_create_file(entry->item.name, scounter_file_mode(),
				    scounter_entry_group(entry)->view[SCOUNTER_VIEW_DEBUGFS],
				    entry, &counter_fops);
	return 0;
}

static void debugfs_remove_entry(struct scounter_entry *entry)
{
	debugfs_remove(entry->view[SCOUNTER_VIEW_DEBUGFS]);
}

/* What root has beside the groups: named, too, where scounter_create() is described. */
static const char *const reserved[] = {
	TABLE_FILE, KINDS_FILE, REFUSED_FILE, SCOUNTER_ARRAYS_DIRECTORY, SCOUNTER_TOPK_DIRECTORY,
};

static bool debugfs_reserves(const char *group)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(reserved); i++)
		if (!strcmp(group, reserved[i]))
			return true;
	return false;
}

static const struct scounter_view debugfs_view = {
	.id		= SCOUNTER_VIEW_DEBUGFS,
	.add_group	= debugfs_add_group,
	.remove_group	= scounter_debugfs_drop_directory,
	.add		= debugfs_add,
	.remove		= debugfs_remove_entry,
	.reserves	= debugfs_reserves,
};

struct dentry *scounter_debugfs_root(void)
{
	return root;
}

void scounter_debugfs_view(void)
{
	scounter_registry_view(&debugfs_view);
}

void scounter_debugfs_init(void)
{
	root = debugfs_create_dir("scounter", NULL);
	debugfs_create_file(TABLE_FILE, scounter_file_mode(), root, NULL, &table_fops);
	debugfs_create_file(KINDS_FILE, scounter_file_mode(), root, NULL, &kinds_fops);
	debugfs_create_file(REFUSED_FILE, scounter_file_mode(), root, NULL, &refused_fops);
}

void scounter_debugfs_exit(void)
{
	debugfs_remove_recursive(root);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/scounter/topk/<group>/<name>, a table as text, and
 * <name>.bin, the same in the binary form of <uapi/linux/scounter_topk.h>.
 *
 * open() takes a snapshot, and the file keeps it.  So a reader gets one consistent table
 * however slowly it reads.  When debugfs removes a file, it waits for readers, and lets
 * nobody read afterwards.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "registry/access.h"
#include "registry/debugfs.h"
#include "registry/registry.h"
#include "topk/topk.h"

#define BINARY_SUFFIX	".bin"

static struct dentry *root;

/* An open text file. */
struct topk_text {
	struct scounter_topk *topk;
	struct scounter_topk_header *snapshot;
};

static void *topk_text_item(const struct topk_text *reader, loff_t position)
{
	if (!position)
		return SEQ_START_TOKEN;
	if (position > reader->snapshot->records)
		return NULL;
	return (void *)scounter_topk_record(reader->snapshot, position - 1);
}

static void *topk_text_start(struct seq_file *seq, loff_t *position)
{
	return topk_text_item(seq->private, *position);
}

static void *topk_text_next(struct seq_file *seq, void *item, loff_t *position)
{
	return topk_text_item(seq->private, ++*position);
}

static void topk_text_stop(struct seq_file *seq, void *item)
{
}

static void topk_text_show_head(struct seq_file *seq, const struct scounter_topk_header *snapshot)
{
	seq_printf(seq, "# design %s capacity %u key_size %u\n",
		   scounter_topk_design_name(snapshot->design), snapshot->capacity,
		   snapshot->key_size);
	seq_printf(seq, "# total %llu evictions %llu dropped %llu floor %llu pending %llu state %s\n",
		   snapshot->total, snapshot->evictions, snapshot->dropped,
		   snapshot->floor, snapshot->pending,
		   snapshot->flags & SCOUNTER_TOPK_F_SATURATED ? "saturated" :
		   snapshot->flags & SCOUNTER_TOPK_F_DROPPED ? "dropped" : "complete");
	seq_printf(seq, "%-20s %20s key\n", "# count", "error");
}

static int topk_text_show(struct seq_file *seq, void *item)
{
	const struct topk_text *reader = seq->private;
	const struct scounter_topk_record *record = item;

	if (item == SEQ_START_TOKEN) {
		topk_text_show_head(seq, reader->snapshot);
		return 0;
	}
	seq_printf(seq, "%-20llu %20llu ", record->count, record->error);
	if (reader->topk->show_key_of)
		reader->topk->show_key_of(seq, record->key, reader->topk->show_data);
	else if (reader->topk->show_key)
		reader->topk->show_key(seq, record->key);
	else
		seq_printf(seq, "%*phN", (int)reader->snapshot->key_size, record->key);
	seq_putc(seq, '\n');
	return 0;
}

static const struct seq_operations topk_text_sops = {
	.start	= topk_text_start,
	.next	= topk_text_next,
	.stop	= topk_text_stop,
	.show	= topk_text_show,
};

static int topk_text_open(struct inode *inode, struct file *file)
{
	struct topk_text *reader = __seq_open_private(file, &topk_text_sops, sizeof(*reader));

	if (!reader)
		return -ENOMEM;
	reader->topk = inode->i_private;
	reader->snapshot = scounter_topk_top(reader->topk, U32_MAX);
	if (IS_ERR(reader->snapshot)) {
		int err = PTR_ERR(reader->snapshot);

		seq_release_private(inode, file);
		return err;
	}
	return 0;
}

static int topk_text_release(struct inode *inode, struct file *file)
{
	struct seq_file *seq = file->private_data;
	struct topk_text *reader = seq->private;

	scounter_topk_free(reader->snapshot);
	return seq_release_private(inode, file);
}

static const struct file_operations topk_text_fops = {
	.owner		= THIS_MODULE,
	.open		= topk_text_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= topk_text_release,
};

static int topk_binary_open(struct inode *inode, struct file *file)
{
	struct scounter_topk_header *snapshot = scounter_topk_top(inode->i_private, U32_MAX);

	if (IS_ERR(snapshot))
		return PTR_ERR(snapshot);
	file->private_data = snapshot;
	return 0;
}

static ssize_t topk_binary_read(struct file *file, char __user *buf, size_t size, loff_t *position)
{
	const struct scounter_topk_header *snapshot = file->private_data;

	return simple_read_from_buffer(buf, size, position, snapshot,
				       snapshot->header_size +
				       (size_t)snapshot->records * snapshot->record_size);
}

static int topk_binary_release(struct inode *inode, struct file *file)
{
	scounter_topk_free(file->private_data);
	return 0;
}

static const struct file_operations topk_binary_fops = {
	.owner		= THIS_MODULE,
	.open		= topk_binary_open,
	.read		= topk_binary_read,
	.llseek		= default_llseek,
	.release	= topk_binary_release,
};

static struct scounter_topk *topk_of(struct scounter_item *item)
{
	return container_of(item, struct scounter_topk, item);
}

static int topk_files_add(struct scounter_item *item)
{
	struct dentry *directory = scounter_debugfs_directory(item->spot.group, root);
	char binary[SCOUNTER_NAME_MAX + sizeof(BINARY_SUFFIX)];
	struct scounter_topk *topk = topk_of(item);

	snprintf(binary, sizeof(binary), "%s" BINARY_SUFFIX, item->name);
	topk->text = debugfs_create_file(item->name, scounter_file_mode(), directory, topk,
					 &topk_text_fops);
	topk->binary = debugfs_create_file(binary, scounter_file_mode(), directory, topk,
					   &topk_binary_fops);
	return 0;
}

static void topk_files_remove(struct scounter_item *item)
{
	debugfs_remove(topk_of(item)->text);
	debugfs_remove(topk_of(item)->binary);
}

static void topk_free_item(struct scounter_item *item)
{
	topk_free(topk_of(item));
}

static struct scounter_item_type topk_tables = {
	.what = "table",
	.folder = SCOUNTER_TOPK_DIRECTORY "/",
	.add = topk_files_add,
	.remove = topk_files_remove,
	.remove_group = scounter_debugfs_drop_directory,
	.free = topk_free_item,
	SCOUNTER_ITEM_TYPE_INIT(topk_tables),
};

static bool topk_ends_like_a_binary(const char *name)
{
	size_t length = strlen(name), suffix = strlen(BINARY_SUFFIX);

	return length >= suffix && !strcmp(name + length - suffix, BINARY_SUFFIX);
}

/* Name and files of a table that has everything else. */
int topk_publish(struct scounter_topk *topk, const char *name, const char *group,
		 struct module *owner)
{
	int err = scounter_check_name("table", name);

	if (err)
		return err;
	if (topk_ends_like_a_binary(name))
		return -EINVAL;
	strscpy(topk->name, name, sizeof(topk->name));
	topk->item.type = &topk_tables;
	topk->item.name = topk->name;
	return scounter_item_enter(&topk->item, group, owner, GFP_KERNEL);
}

void scounter_topk_init(void)
{
	root = debugfs_create_dir(SCOUNTER_TOPK_DIRECTORY, scounter_debugfs_root());
}

/* No table is there any more, but what frees them may run still. */
void scounter_topk_exit(void)
{
	rcu_barrier();
}

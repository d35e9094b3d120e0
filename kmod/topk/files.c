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
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "registry/debugfs.h"
#include "registry/registry.h"
#include "topk/topk.h"

#define BINARY_SUFFIX	".bin"

struct topk_group {
	struct list_head node;
	struct list_head tables;
	struct dentry *directory;
	char name[SCOUNTER_NAME_MAX + 1];
};

static DEFINE_MUTEX(names_mutex);	/* all groups and their tables */
static LIST_HEAD(groups);
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
	if (reader->topk->show_key)
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

/* Names */

static struct topk_group *topk_group_find(const char *name)
{
	struct topk_group *group;

	list_for_each_entry(group, &groups, node)
		if (!strcmp(group->name, name))
			return group;
	return NULL;
}

static struct topk_group *topk_group_get(const char *name)
{
	struct topk_group *group = topk_group_find(name);

	if (group)
		return group;
	group = kzalloc(sizeof(*group), GFP_KERNEL);
	if (!group)
		return NULL;
	strscpy(group->name, name, sizeof(group->name));
	INIT_LIST_HEAD(&group->tables);
	group->directory = debugfs_create_dir(name, root);
	list_add_tail(&group->node, &groups);
	return group;
}

static void topk_group_put(struct topk_group *group)
{
	if (!list_empty(&group->tables))
		return;
	debugfs_remove(group->directory);
	list_del(&group->node);
	kfree(group);
}

static bool topk_name_is_taken(const struct topk_group *group, const char *name)
{
	struct scounter_topk *topk;

	list_for_each_entry(topk, &group->tables, node)
		if (!strcmp(topk->name, name))
			return true;
	return false;
}

static bool topk_ends_like_a_binary(const char *name)
{
	size_t length = strlen(name), suffix = strlen(BINARY_SUFFIX);

	return length >= suffix && !strcmp(name + length - suffix, BINARY_SUFFIX);
}

/* Name and files of a table that has everything else. */
int topk_files_add(struct scounter_topk *topk, const char *group_name)
{
	char binary[SCOUNTER_NAME_MAX + sizeof(BINARY_SUFFIX)];
	struct topk_group *group;
	int err = scounter_check_name("group", group_name);

	if (!err && topk_ends_like_a_binary(topk->name))
		err = -EINVAL;
	if (err)
		return err;
	mutex_lock(&names_mutex);
	group = topk_group_get(group_name);
	if (!group) {
		err = -ENOMEM;
	} else if (topk_name_is_taken(group, topk->name)) {
		pr_warn_ratelimited("topk/%s/%s: there is a table of this name\n",
				    group_name, topk->name);
		err = -EEXIST;
	} else {
		snprintf(binary, sizeof(binary), "%s" BINARY_SUFFIX, topk->name);
		topk->group = group;
		list_add_tail(&topk->node, &group->tables);
		topk->text = debugfs_create_file(topk->name, 0444, group->directory, topk,
						 &topk_text_fops);
		topk->binary = debugfs_create_file(binary, 0444, group->directory, topk,
						   &topk_binary_fops);
	}
	mutex_unlock(&names_mutex);
	return err;
}

/* The name is free again when the files are gone. */
void topk_files_remove(struct scounter_topk *topk)
{
	mutex_lock(&names_mutex);
	debugfs_remove(topk->text);
	debugfs_remove(topk->binary);
	list_del(&topk->node);
	topk_group_put(topk->group);
	mutex_unlock(&names_mutex);
}

/* Modules that go and forget tables */

static struct scounter_topk *topk_first_owned_by(const struct module *owner)
{
	struct scounter_topk *topk;
	struct topk_group *group;

	list_for_each_entry(group, &groups, node)
		list_for_each_entry(topk, &group->tables, node)
			if (topk->owner == owner)
				return topk;
	return NULL;
}

static int topk_module_notify(struct notifier_block *block, unsigned long state, void *owner)
{
	struct scounter_topk *topk;

	if (state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	for (;;) {
		mutex_lock(&names_mutex);
		topk = topk_first_owned_by(owner);
		mutex_unlock(&names_mutex);
		/* Only its owner, which is going, could destroy it meanwhile. */
		if (!topk)
			return NOTIFY_OK;
		pr_warn("%s left the table topk/%s/%s behind; it is removed\n",
			module_name((struct module *)owner), topk->group->name, topk->name);
		scounter_topk_destroy(topk);
	}
}

static struct notifier_block module_block = {
	.notifier_call = topk_module_notify,
};

int scounter_topk_init(void)
{
	root = debugfs_create_dir(SCOUNTER_TOPK_DIRECTORY, scounter_debugfs_root());
	return register_module_notifier(&module_block);
}

void scounter_topk_exit(void)
{
	unregister_module_notifier(&module_block);
	debugfs_remove(root);
}

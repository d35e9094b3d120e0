// SPDX-License-Identifier: GPL-2.0
/*
 * The files of arrays: /sys/kernel/debug/scounter/arrays/<group>/<array>, a
 * snapshot in the layout of <uapi/linux/scounter_array.h>; and what becomes of
 * arrays whose module goes and has forgotten them.
 *
 * The header of a snapshot is made when the file is opened, the words are read as
 * they are then: each is consistent in itself, and a cell never straddles two.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "array/array.h"
#include "registry/debugfs.h"
#include "registry/registry.h"

struct scounter_array_dir {
	struct list_head node;
	struct dentry *dentry;
	u32 users;
	char name[SCOUNTER_NAME_MAX + 1];
};

static DEFINE_MUTEX(arrays_mutex);	/* all that follows */
static LIST_HEAD(arrays);
static LIST_HEAD(dirs);
static struct dentry *root;

#define CHUNK_WORDS	512

struct reader {
	struct scounter_array_header header;
	u64 words[CHUNK_WORDS];
};

static int snapshot_open(struct inode *inode, struct file *file)
{
	struct reader *reader = kmalloc(sizeof(*reader), GFP_KERNEL);

	if (!reader)
		return -ENOMEM;
	scounter_array_header(inode->i_private, &reader->header);
	file->private_data = reader;
	return 0;
}

static int snapshot_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

/* At most a chunk at once; readers come again for the rest. */
static ssize_t read_words(const struct scounter_array *array, struct reader *reader,
			  char __user *to, size_t count, loff_t *position)
{
	u64 all = reader->header.words * reader->header.copies;
	loff_t offset = *position - sizeof(reader->header);
	u64 first = offset >> 3;
	u32 skip = offset & 7;
	u32 i;

	if (first >= all)
		return 0;
	for (i = 0; i < CHUNK_WORDS && first + i < all; i++)
		reader->words[i] = scounter_array_word(array, first + i);
	count = min_t(size_t, count, i * sizeof(u64) - skip);
	if (copy_to_user(to, (char *)reader->words + skip, count))
		return -EFAULT;
	*position += count;
	return count;
}

static ssize_t snapshot_read(struct file *file, char __user *to, size_t count, loff_t *position)
{
	struct reader *reader = file->private_data;

	if (*position < (loff_t)sizeof(reader->header))
		return simple_read_from_buffer(to, count, position, &reader->header,
					       sizeof(reader->header));
	return read_words(file_inode(file)->i_private, reader, to, count, position);
}

static const struct file_operations snapshot_fops = {
	.owner		= THIS_MODULE,
	.open		= snapshot_open,
	.release	= snapshot_release,
	.read		= snapshot_read,
	.llseek		= default_llseek,
};

static struct scounter_array_dir *find_dir(const char *name)
{
	struct scounter_array_dir *dir;

	list_for_each_entry(dir, &dirs, node)
		if (!strcmp(dir->name, name))
			return dir;
	dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	if (!dir)
		return NULL;
	strscpy(dir->name, name, sizeof(dir->name));
	dir->dentry = debugfs_create_dir(name, root);
	list_add(&dir->node, &dirs);
	return dir;
}

static void put_dir(struct scounter_array_dir *dir)
{
	if (dir->users)
		return;
	debugfs_remove(dir->dentry);
	list_del(&dir->node);
	kfree(dir);
}

static bool name_is_taken(const struct scounter_array_dir *dir, const char *name)
{
	struct scounter_array *array;

	list_for_each_entry(array, &arrays, entry.node)
		if (array->entry.dir == dir && !strcmp(array->entry.name, name))
			return true;
	return false;
}

static int make_file(struct scounter_array *array, const char *name, const char *group)
{
	struct scounter_array_dir *dir = find_dir(group);

	if (!dir)
		return -ENOMEM;
	if (name_is_taken(dir, name)) {
		pr_warn_ratelimited("%s/%s: there is an array of this name\n", group, name);
		return -EEXIST;
	}
	dir->users++;
	array->entry.dir = dir;
	strscpy(array->entry.name, name, sizeof(array->entry.name));
	array->entry.file = debugfs_create_file(name, 0444, dir->dentry, array, &snapshot_fops);
	return 0;
}

/* Nobody reads the file when this returns. */
static void take_back(struct scounter_array *array)
{
	lockdep_assert_held(&arrays_mutex);
	list_del(&array->entry.node);
	if (!array->entry.dir)
		return;
	debugfs_remove(array->entry.file);
	array->entry.dir->users--;
	put_dir(array->entry.dir);
}

int scounter_array_publish(struct scounter_array *array, const char *name,
			   const char *group, struct module *owner)
{
	int err = 0;

	if (!group)
		group = module_name(owner);
	if (name)
		err = scounter_check_name("array", name) ?: scounter_check_name("group", group);
	if (err)
		return err;
	mutex_lock(&arrays_mutex);
	array->entry.owner = owner;
	if (name)
		err = make_file(array, name, group);
	if (!err)
		list_add_tail(&array->entry.node, &arrays);
	mutex_unlock(&arrays_mutex);
	return err;
}

void scounter_array_unpublish(struct scounter_array *array)
{
	mutex_lock(&arrays_mutex);
	take_back(array);
	mutex_unlock(&arrays_mutex);
}

static int module_notify(struct notifier_block *block, unsigned long state, void *owner)
{
	struct scounter_array *array, *next;

	if (state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&arrays_mutex);
	list_for_each_entry_safe(array, next, &arrays, entry.node) {
		if (array->entry.owner != owner)
			continue;
		pr_warn("%s left the array '%s' behind; it is removed\n",
			module_name((struct module *)owner), array->entry.name);
		take_back(array);
		scounter_array_free(array);
	}
	mutex_unlock(&arrays_mutex);
	return NOTIFY_OK;
}

static struct notifier_block module_block = {
	.notifier_call = module_notify,
};

int scounter_arrays_init(void)
{
	root = debugfs_create_dir(SCOUNTER_ARRAYS_DIRECTORY, scounter_debugfs_root());
	return register_module_notifier(&module_block);
}

/* Every client is gone, and with it its arrays. */
void scounter_arrays_exit(void)
{
	unregister_module_notifier(&module_block);
	WARN_ON(!list_empty(&arrays));
}

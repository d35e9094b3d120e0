// SPDX-License-Identifier: GPL-2.0
/*
 * The files of arrays: /sys/kernel/debug/scounter/arrays/<group>/<array>, a
 * snapshot in the layout of <uapi/linux/scounter_array.h>.
 *
 * The header of a snapshot is made when the file is opened, the words are read as
 * they are then: each is consistent in itself, and a cell never straddles two.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "array/array.h"
#include "registry/access.h"
#include "registry/debugfs.h"
#include "registry/registry.h"

static struct dentry *root;

#define CHUNK_WORDS	512

struct reader {
	struct scounter_array_header header;
	u64 words[CHUNK_WORDS];
};

static int array_files_open(struct inode *inode, struct file *file)
{
	struct reader *reader = kmalloc(sizeof(*reader), GFP_KERNEL);

	if (!reader)
		return -ENOMEM;
	scounter_array_header(inode->i_private, &reader->header);
	file->private_data = reader;
	return 0;
}

static int array_files_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

/* At most a chunk at once; readers come again for the rest. */
static ssize_t array_files_read_words(const struct scounter_array *array, struct reader *reader,
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

static ssize_t array_files_read(struct file *file, char __user *to, size_t count, loff_t *position)
{
	struct reader *reader = file->private_data;

	if (*position < (loff_t)sizeof(reader->header))
		return simple_read_from_buffer(to, count, position, &reader->header,
					       sizeof(reader->header));
	return array_files_read_words(file_inode(file)->i_private, reader, to, count, position);
}

static const struct file_operations snapshot_fops = {
	.owner		= THIS_MODULE,
	.open		= array_files_open,
	.release	= array_files_release,
	.read		= array_files_read,
	.llseek		= default_llseek,
};

static struct scounter_array *array_files_of(struct scounter_item *item)
{
	return container_of(item, struct scounter_array, entry);
}

static int array_files_add(struct scounter_item *item)
{
	struct scounter_array *array = array_files_of(item);

	array->file = debugfs_create_file(item->name, scounter_file_mode(),
					  scounter_debugfs_directory(item->spot.group, root),
					  array, &snapshot_fops);
	return 0;
}

static void array_files_remove(struct scounter_item *item)
{
	debugfs_remove(array_files_of(item)->file);
}

static void array_files_free(struct scounter_item *item)
{
	scounter_array_free(array_files_of(item));
}

static struct scounter_item_type arrays = {
	.what = "array",
	.folder = SCOUNTER_ARRAYS_DIRECTORY "/",
	.add = array_files_add,
	.remove = array_files_remove,
	.remove_group = scounter_debugfs_drop_directory,
	.free = array_files_free,
	SCOUNTER_ITEM_TYPE_INIT(arrays),
};

int scounter_array_publish(struct scounter_array *array, const char *name,
			   const char *group, struct module *owner)
{
	int err = name ? scounter_check_name("array", name) : 0;

	if (err)
		return err;
	array->entry.type = &arrays;
	if (name) {
		strscpy(array->name, name, sizeof(array->name));
		array->entry.name = array->name;
	}
	return scounter_item_enter(&array->entry, group, owner, GFP_KERNEL);
}

/* And free it, when nobody reads its file any more. */
void scounter_array_unpublish(struct scounter_array *array)
{
	scounter_item_withdraw(&array->entry);
}

void scounter_arrays_init(void)
{
	root = debugfs_create_dir(SCOUNTER_ARRAYS_DIRECTORY, scounter_debugfs_root());
}

// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/scounter: all counters in one binary snapshot, for everybody.
 *
 * The snapshot is taken by the first read or seek of an open file and kept for
 * it, so that however it is read, its parts belong together; who wants a newer
 * one opens again.  Nothing that an increment reads is written, and no address
 * is in it.
 *
 * Everybody may hold snapshots, so that their memory is charged to who reads and
 * bounded for all together; only CAP_SYS_RESOURCE goes beyond.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uuid.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "counter/counter.h"
#include "kinds/kind.h"
#include "registry/registry.h"
#include "registry/snapshot.h"

/* All snapshots together, but for one: that one may be as large as it is. */
#define HELD_MAX	(64L << 20)

struct open_snapshot {
	struct mutex lock;
	struct scounter_snapshot snapshot;
};

static atomic_long_t held = ATOMIC_LONG_INIT(0);
static u8 boot_id[UUID_SIZE];

static void show(struct scounter_snapshot_record *record, struct scounter_entry *entry, u64 now)
{
	struct scounter_history *history = &entry->history;
	struct scounter *counter = entry->counter;

	/* The memory was zeroed: behind the names are NULs. */
	strscpy(record->group, entry->group->name, sizeof(record->group));
	strscpy(record->name, entry->name, sizeof(record->name));
	strscpy(record->kind_name, scounter_kind_name(counter->class.kind),
		sizeof(record->kind_name));
	record->kind = counter->class.kind;
	record->bytes = scounter_bytes(counter);
	record->parameters[0] = counter->class.limit;
	/* Unions: whichever member the kind means. */
	record->parameters[1] = counter->class.theta;
	record->parameters[2] = counter->class.threshold_log2;
	record->parameters[3] = counter->class.flags;
	scounter_history_show(counter, history, record);
	record->created_ns = history->created_ns;
	record->created_real_ns = history->created_real_ns;
	if (!(record->flags & SCOUNTER_F_SATURATED))
		history->saturated_ns = 0;
	else if (!history->saturated_ns)
		history->saturated_ns = now;
	record->saturated_ns = history->saturated_ns;
}

/* Between scounter_entries_start() and _stop(), so that the number stays. */
static int take(struct scounter_snapshot *snapshot, struct scounter_entry *first)
{
	struct scounter_entry *entry;
	struct scounter_snapshot_header *header;
	struct scounter_snapshot_record *record;
	u32 count = 0;
	size_t size;

	for (entry = first; entry; entry = scounter_entries_next(entry))
		count++;
	if (count > (INT_MAX - sizeof(*header)) / sizeof(*record))
		return -EFBIG;
	size = sizeof(*header) + count * sizeof(*record);
	if (atomic_long_add_return(size, &held) > max_t(long, HELD_MAX, size) &&
	    !capable(CAP_SYS_RESOURCE)) {
		atomic_long_sub(size, &held);
		return -EAGAIN;
	}
	header = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!header) {
		atomic_long_sub(size, &held);
		return -ENOMEM;
	}
	memcpy(header->magic, SCOUNTER_SNAPSHOT_MAGIC, sizeof(header->magic));
	header->byte_order = SCOUNTER_SNAPSHOT_BYTE_ORDER;
	header->version = SCOUNTER_SNAPSHOT_VERSION;
	header->oldest_reader = 1;
	header->header_size = sizeof(*header);
	header->record_size = sizeof(*record);
	header->cpus = num_possible_cpus();
	header->count = count;
	header->monotonic_ns = ktime_get_ns();
	header->real_ns = ktime_get_real_ns();
	memcpy(header->boot_id, boot_id, sizeof(boot_id));
	record = (struct scounter_snapshot_record *)(header + 1);
	for (entry = first; entry; entry = scounter_entries_next(entry)) {
		show(record++, entry, header->monotonic_ns);
		cond_resched();
	}
	snapshot->data = header;
	snapshot->size = size;
	return 0;
}

int scounter_snapshot_take(struct scounter_snapshot *snapshot)
{
	int err = take(snapshot, scounter_entries_start(0));

	scounter_entries_stop();
	return err;
}

void scounter_snapshot_free(struct scounter_snapshot *snapshot)
{
	atomic_long_sub(snapshot->size, &held);
	kvfree(snapshot->data);
	memset(snapshot, 0, sizeof(*snapshot));
}

static int snapshot_open(struct inode *inode, struct file *file)
{
	struct open_snapshot *open;

	if (file->f_mode & FMODE_WRITE)
		return -EACCES;
	open = kzalloc(sizeof(*open), GFP_KERNEL_ACCOUNT);
	if (!open)
		return -ENOMEM;
	mutex_init(&open->lock);
	file->private_data = open;
	return 0;
}

static int snapshot_release(struct inode *inode, struct file *file)
{
	struct open_snapshot *open = file->private_data;

	scounter_snapshot_free(&open->snapshot);
	kfree(open);
	return 0;
}

static int taken(struct open_snapshot *open)
{
	int err;

	if (mutex_lock_interruptible(&open->lock))
		return -ERESTARTSYS;
	err = open->snapshot.data ? 0 : scounter_snapshot_take(&open->snapshot);
	mutex_unlock(&open->lock);
	return err;
}

static ssize_t snapshot_read(struct file *file, char __user *buffer, size_t size,
			     loff_t *position)
{
	struct open_snapshot *open = file->private_data;
	int err = taken(open);

	if (err)
		return err;
	return simple_read_from_buffer(buffer, size, position, open->snapshot.data,
				       open->snapshot.size);
}

static loff_t snapshot_llseek(struct file *file, loff_t offset, int whence)
{
	struct open_snapshot *open = file->private_data;
	int err = taken(open);

	if (err)
		return err;
	return fixed_size_llseek(file, offset, whence, open->snapshot.size);
}

static const struct file_operations snapshot_fops = {
	.owner		= THIS_MODULE,
	.open		= snapshot_open,
	.release	= snapshot_release,
	.read		= snapshot_read,
	.llseek		= snapshot_llseek,
};

static struct miscdevice snapshot_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "scounter",
	.fops	= &snapshot_fops,
	.mode	= 0444,
};

/* The kernel keeps its boot id to itself; /proc says it, where it is mounted. */
static void read_boot_id(void)
{
	struct file *file = filp_open("/proc/sys/kernel/random/boot_id", O_RDONLY, 0);
	char text[UUID_STRING_LEN + 1] = "";
	loff_t position = 0;
	uuid_t uuid;

	if (IS_ERR(file))
		return;
	if (kernel_read(file, text, UUID_STRING_LEN, &position) == UUID_STRING_LEN &&
	    !uuid_parse(text, &uuid))
		export_uuid(boot_id, &uuid);
	filp_close(file, NULL);
}

int scounter_snapshot_init(void)
{
	BUILD_BUG_ON(sizeof(struct scounter_snapshot_header) != 72);
	BUILD_BUG_ON(sizeof(struct scounter_snapshot_record) != 304);
	read_boot_id();
	return misc_register(&snapshot_device);
}

void scounter_snapshot_exit(void)
{
	misc_deregister(&snapshot_device);
}

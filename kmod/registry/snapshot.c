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
 * bounded for each user; only CAP_SYS_RESOURCE goes beyond.
 */
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uuid.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "counter/counter.h"
#include "kinds/kind.h"
#include "registry/counters.h"
#include "registry/share.h"
#include "registry/snapshot.h"

/* Counters that nobody can unregister meanwhile. */
#define PINNED		16U
/* For counters that come while a snapshot is taken. */
#define ROOM		8

struct open_snapshot {
	struct mutex lock;
	struct scounter_snapshot snapshot;
};

static DEFINE_SPINLOCK(stamping);	/* when counters became full */
static u8 boot_id[UUID_SIZE];

/* When a snapshot first finds it full since the last reset: nothing else empties it. */
static u64 snapshot_saturated_since(struct scounter_history *history, u64 reset_ns, u64 now)
{
	u64 since;

	spin_lock(&stamping);
	if (!history->saturated_ns || history->saturated_ns < reset_ns)
		history->saturated_ns = max(now, reset_ns);
	since = history->saturated_ns;
	spin_unlock(&stamping);
	return since;
}

static void snapshot_show(struct scounter_snapshot_record *record, struct scounter_entry *entry, u64 now)
{
	struct scounter_history *history = &entry->history;
	struct scounter *counter = entry->counter;

	/* The memory was zeroed: behind the names are NULs. */
	strscpy(record->group, scounter_entry_group(entry)->name, sizeof(record->group));
	strscpy(record->name, entry->item.name, sizeof(record->name));
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
	if (record->flags & SCOUNTER_F_SATURATED)
		record->saturated_ns = snapshot_saturated_since(history, record->reset_ns, now);
}

static size_t snapshot_size_for(u32 count)
{
	return sizeof(struct scounter_snapshot_header) +
		count * sizeof(struct scounter_snapshot_record);
}

/* Some counters at once, so that nobody waits for who reads them. */
static int snapshot_fill(struct scounter_snapshot_header *header, u32 room)
{
	struct scounter_snapshot_record *record = (void *)(header + 1);
	struct scounter_item *items[PINNED];
	struct scounter_walk walk;
	u32 i = 0, n, count = 0;

	scounter_walk_start(&walk, &scounter_counters);
	while ((n = scounter_walk_some(&walk, items, min(PINNED, room + 1 - count)))) {
		for (i = 0; i < n && count < room; i++, count++)
			snapshot_show(record++, scounter_entry_of(items[i]), header->monotonic_ns);
		scounter_unpin(items, n);
		if (i < n || fatal_signal_pending(current))
			break;
		cond_resched();
	}
	scounter_walk_stop(&walk);
	header->count = count;
	if (!n)
		return 0;
	return i < n ? -ENOSPC : -EINTR;
}

static void snapshot_begin(struct scounter_snapshot_header *header)
{
	memcpy(header->magic, SCOUNTER_SNAPSHOT_MAGIC, sizeof(header->magic));
	header->byte_order = SCOUNTER_SNAPSHOT_BYTE_ORDER;
	header->version = SCOUNTER_SNAPSHOT_VERSION;
	header->oldest_reader = 1;
	header->header_size = sizeof(*header);
	header->record_size = sizeof(struct scounter_snapshot_record);
	header->cpus = num_possible_cpus();
	header->monotonic_ns = ktime_get_ns();
	header->real_ns = ktime_get_real_ns();
	memcpy(header->boot_id, boot_id, sizeof(boot_id));
}

/* -ENOSPC if there are more counters. */
static int snapshot_take(struct scounter_snapshot *snapshot, u32 room)
{
	struct scounter_snapshot_header *header;
	int err;

	header = kvzalloc(snapshot_size_for(room), GFP_KERNEL_ACCOUNT);
	if (!header)
		return -ENOMEM;
	snapshot_begin(header);
	err = snapshot_fill(header, room);
	if (err) {
		kvfree(header);
		return err;
	}
	snapshot->data = header;
	snapshot->size = snapshot_size_for(header->count);
	snapshot->held = snapshot_size_for(room);
	return 0;
}

static int snapshot_take_within_share(struct scounter_snapshot *snapshot, u32 room)
{
	int err = 0;

	if (snapshot->share)
		err = scounter_share_take(snapshot->share, snapshot_size_for(room));
	if (err)
		return err;
	err = snapshot_take(snapshot, room);
	if (snapshot->share)
		scounter_share_give(snapshot->share, snapshot_size_for(room) - snapshot->held);
	return err;
}

/* With some room, as counters may come meanwhile; and once more if that did not do. */
int scounter_snapshot_take(struct scounter_snapshot *snapshot)
{
	u32 more = ROOM;
	u64 room;
	int err;

	do {
		room = (u64)READ_ONCE(scounter_counters.count) + more;
		if (room > (INT_MAX - sizeof(struct scounter_snapshot_header)) /
			   sizeof(struct scounter_snapshot_record))
			return -EFBIG;
		err = snapshot_take_within_share(snapshot, room);
		more *= 4;
	} while (err == -ENOSPC);
	return err;
}

void scounter_snapshot_free(struct scounter_snapshot *snapshot)
{
	if (snapshot->share)
		scounter_share_give(snapshot->share, snapshot->held);
	kvfree(snapshot->data);
	snapshot->data = NULL;
	snapshot->size = 0;
	snapshot->held = 0;
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
	if (open->snapshot.share)
		scounter_share_put(open->snapshot.share);
	kfree(open);
	return 0;
}

/* Who reads first holds it, whoever has opened the file. */
static int snapshot_take_for_reader(struct scounter_snapshot *snapshot)
{
	int err;

	snapshot->share = scounter_share_get(current_uid());
	if (!snapshot->share)
		return -ENOMEM;
	err = scounter_snapshot_take(snapshot);
	if (!err)
		return 0;
	scounter_share_put(snapshot->share);
	snapshot->share = NULL;
	return err;
}

static int snapshot_taken(struct open_snapshot *open)
{
	int err;

	if (mutex_lock_interruptible(&open->lock))
		return -ERESTARTSYS;
	err = open->snapshot.data ? 0 : snapshot_take_for_reader(&open->snapshot);
	mutex_unlock(&open->lock);
	return err;
}

static ssize_t snapshot_read(struct file *file, char __user *buffer, size_t size,
			     loff_t *position)
{
	struct open_snapshot *open = file->private_data;
	int err = snapshot_taken(open);

	if (err)
		return err;
	return simple_read_from_buffer(buffer, size, position, open->snapshot.data,
				       open->snapshot.size);
}

static loff_t snapshot_llseek(struct file *file, loff_t offset, int whence)
{
	struct open_snapshot *open = file->private_data;
	int err = snapshot_taken(open);

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
static void snapshot_read_boot_id(void)
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
	snapshot_read_boot_id();
	return misc_register(&snapshot_device);
}

void scounter_snapshot_exit(void)
{
	misc_deregister(&snapshot_device);
}

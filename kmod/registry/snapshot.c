// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/scounter: all counters in one binary snapshot, for everybody.
 *
 * The snapshot is taken by the first read or seek of an open file and kept for
 * it, so that however it is read, its parts belong together; who wants a newer
 * one opens again.  Nothing that an increment reads is written, and no address
 * is in it.
 *
 * Its records are of items that the registry names: a walk goes from item to item, and an
 * item has a row for each of its counters.
 *
 * Everybody may hold snapshots, so that their memory is charged to who reads and
 * bounded for each user; only CAP_SYS_RESOURCE goes beyond.
 */
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/uuid.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "kinds/kind.h"
#include "registry/counters.h"
#include "registry/device.h"
#include "registry/share.h"
#include "registry/snapshot.h"
#include "registry/texts.h"

/* Items that nobody can unregister meanwhile. */
#define PINNED		16U
/* Counters of one item, before another task may run. */
#define MANY		64U
/* For counters and bytes of texts that come while a snapshot is taken. */
#define ROOM		8
#define ROOM_OF_TEXTS	512U
/* kvmalloc() gives INT_MAX bytes at most. */
#define RECORDS_MAX	(INT_MAX / sizeof(struct scounter_snapshot_record) - 1)
#define TEXTS_MAX	(SCOUNTER_SNAPSHOT_HEADER_MAX - sizeof(struct scounter_snapshot_header))
/* Of a counter that was never reset, full or begun again at 0, and has neither text nor object. */
#define RECORD_LEAST	offsetof(struct scounter_snapshot_record, reset_ns)

struct open_snapshot {
	struct mutex lock;
	bool filtered;
	struct scounter_filter filter;
	struct scounter_snapshot snapshot;
};

/*
 * @records, @bytes_of_texts: there is room for so many
 * @record_size: of each, as far as it is kept
 * @seen: so many records would be in it
 * @kind_name: of the last record
 * @needed: the record size beyond which all of them have zeros only
 */
struct snapshot_making {
	struct scounter_snapshot *snapshot;
	const struct scounter_filter *filter;
	struct scounter_texts texts;
	u64 records, seen;
	const char *kind_name;
	u32 record_size, needed;
	u32 bytes_of_texts;
};

static DEFINE_SPINLOCK(stamping);	/* when counters became full */
static u8 boot_id[UUID_SIZE];
/*
 * Records, their size, and bytes of texts of the last one: sets have more records than there
 * are items.
 */
static u32 usual_records, usual_size = RECORD_LEAST, usual_texts;

/* When a snapshot first finds it full since the last reset: nothing else empties it. */
static u64 snapshot_full_since(u64 *full_since, u64 reset_ns, u64 now)
{
	u64 since;

	spin_lock(&stamping);
	if (!*full_since || *full_since < reset_ns)
		*full_since = max(now, reset_ns);
	since = *full_since;
	spin_unlock(&stamping);
	return since;
}

/* Names are short and many, and their lengths were checked.  Behind them are NULs. */
static void snapshot_name(u8 *to, const char *name)
{
	u32 i;

	for (i = 0; i < SCOUNTER_NAME_MAX && name[i]; i++)
		to[i] = name[i];
}

/* Most counters have the kind of the one before. */
static void snapshot_kind(struct snapshot_making *making, struct scounter_snapshot_record *record,
			  const struct scounter_class *class,
			  const struct scounter_snapshot_record *before)
{
	const char *name = scounter_class_name(class);

	record->kind = class->kind;
	if (before && making->kind_name == name)
		memcpy(record->kind_name, before->kind_name, sizeof(record->kind_name));
	else
		strscpy(record->kind_name, name, sizeof(record->kind_name));
	making->kind_name = name;
}

static void snapshot_texts(struct scounter_snapshot_record *record, struct scounter_texts *texts,
			   const struct scounter_row *row)
{
	if (row->unit)
		record->unit = scounter_texts_add(texts, row->unit);
	if (row->help)
		record->help = scounter_texts_add(texts, row->help);
	if (row->label)
		record->label = scounter_texts_add(texts, row->label);
}

/* How much of the record is not only zeros. */
static u32 snapshot_needs(const struct scounter_snapshot_record *record)
{
	if (record->object[0])
		return sizeof(*record);
	if (record->unit | record->help | record->label)
		return offsetof(struct scounter_snapshot_record, object);
	if (record->reset_ns | record->reset_real_ns | record->saturated_ns | record->wraps |
	    record->wrapped_ns | record->wrapped_real_ns)
		return offsetof(struct scounter_snapshot_record, unit);
	return RECORD_LEAST;
}

/*
 * What is beyond the size of a record goes where the next one will be, and makes room for
 * itself at the next attempt.
 */
static void snapshot_add(struct snapshot_making *making, struct scounter_row *row)
{
	struct scounter_snapshot_header *header = making->snapshot->header;
	const struct scounter_snapshot_record *before = NULL;
	struct scounter_snapshot_record *record;

	if (making->seen++ >= making->records)
		return;
	if (header->count)
		before = scounter_snapshot_at(making->snapshot, header->count - 1);
	record = scounter_snapshot_at(making->snapshot, header->count++);
	/* Here and not when allocated: it is in the cache, and not all of it is kept. */
	memset(record, 0, sizeof(*record));
	snapshot_kind(making, record, row->class, before);
	memcpy(record->group, row->group, sizeof(record->group));
	if (row->object)
		snapshot_name(record->object, row->object);
	snapshot_name(record->name, row->name);
	snapshot_texts(record, &making->texts, row);
	row->show(row, record);
	if (row->full_since && record->flags & SCOUNTER_F_SATURATED)
		record->saturated_ns = snapshot_full_since(row->full_since, record->reset_ns,
							   header->monotonic_ns);
	making->needed = max(making->needed, snapshot_needs(record));
}

/* Of a pattern that is a text. */
static bool snapshot_matches(const u8 *pattern, const struct scounter_row *row)
{
	char path[3 * (SCOUNTER_NAME_MAX + 1)];

	snprintf(path, sizeof(path), "%s/%s%s%s", row->group, row->object ?: "",
		 row->object ? "/" : "", row->name);
	return scounter_glob_match((const char *)pattern, path);
}

static bool snapshot_wants(const struct scounter_filter *filter, const struct scounter_row *row)
{
	return !filter || !filter->pattern[0] || snapshot_matches(filter->pattern, row);
}

static void snapshot_add_all_of(struct snapshot_making *making, struct scounter_item *item)
{
	struct scounter_snapshot_header *header = making->snapshot->header;
	const struct scounter_item_type *type = item->type;
	u32 rows = type->rows ? type->rows(item) : 1, i;
	u64 before = header->count;
	struct scounter_row row;

	for (i = 0; i < rows; i++) {
		if (type->row(item, i, &row) && snapshot_wants(making->filter, &row))
			snapshot_add(making, &row);
		if (i % MANY == MANY - 1)
			cond_resched();
	}
	/* Only counters of objects are settled, whose records are whole or made once more. */
	if (type->settle && making->record_size == sizeof(struct scounter_snapshot_record))
		type->settle(item, scounter_snapshot_at(making->snapshot, before),
			     header->count - before);
}

static void snapshot_add_some(struct snapshot_making *making, struct scounter_item **items, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		snapshot_add_all_of(making, items[i]);
	scounter_unpin(items, n);
}

/*
 * A few items are pinned at a time, so that none waits long to be unregistered.  Nothing is
 * allocated while they are pinned: that may take long where memory is short.
 */
static int snapshot_fill(struct snapshot_making *making)
{
	struct scounter_item *items[PINNED];
	struct scounter_walk walk;
	u32 quick, n;

	scounter_walk_start(&walk, &scounter_counters);
	if (making->filter && making->filter->group[0])
		walk.group = (const char *)making->filter->group;
	while ((n = scounter_walk_some(&walk, items, PINNED))) {
		quick = n - items[n - 1]->type->slow;
		snapshot_add_some(making, items, quick);
		snapshot_add_some(making, items + quick, n - quick);
		if (fatal_signal_pending(current))
			break;
		cond_resched();
	}
	scounter_walk_stop(&walk);
	return n ? -EINTR : 0;
}

static void snapshot_begin(struct scounter_snapshot_header *header, u32 record_size)
{
	memcpy(header->magic, SCOUNTER_SNAPSHOT_MAGIC, sizeof(header->magic));
	header->byte_order = SCOUNTER_SNAPSHOT_BYTE_ORDER;
	header->version = SCOUNTER_SNAPSHOT_VERSION;
	header->oldest_reader = 1;
	header->record_size = record_size;
	header->cpus = num_possible_cpus();
	header->monotonic_ns = ktime_get_ns();
	header->real_ns = ktime_get_real_ns();
	memcpy(header->boot_id, boot_id, sizeof(boot_id));
}

/* Behind the texts, too, are zeros. */
static void snapshot_finish(struct snapshot_making *making)
{
	struct scounter_snapshot_header *header = making->snapshot->header;
	u32 size = making->texts.size;

	header->header_size = sizeof(*header);
	if (!making->filter) {
		WRITE_ONCE(usual_texts, size);
		WRITE_ONCE(usual_records, header->count);
		WRITE_ONCE(usual_size, making->needed);
	}
	if (size == 1)
		return;
	header->texts_offset = sizeof(*header);
	header->texts_size = size;
	header->header_size += round_up(size, 8);
}

/*
 * kvmalloc() would round up to a power of 2, as long as there is such a block, and many
 * kernels zero all of it.
 */
static void *snapshot_memory(size_t size)
{
	if (size <= PAGE_SIZE << PAGE_ALLOC_COSTLY_ORDER)
		return kmalloc(size, GFP_KERNEL_ACCOUNT);
	return __vmalloc(size, GFP_KERNEL_ACCOUNT);
}

static int snapshot_allocate(struct snapshot_making *making)
{
	struct scounter_snapshot *snapshot = making->snapshot;
	size_t header_size = sizeof(*snapshot->header) + making->bytes_of_texts;
	/* The last one, too, is filled as a whole. */
	size_t size = making->records * making->record_size + sizeof(*snapshot->records);
	int err = 0;

	if (snapshot->share)
		err = scounter_share_take(snapshot->share, header_size + size);
	if (err)
		return err;
	snapshot->held = header_size + size;
	snapshot->header = kvzalloc(header_size, GFP_KERNEL_ACCOUNT);
	snapshot->records = snapshot_memory(size);
	if (!snapshot->header || !snapshot->records)
		return -ENOMEM;
	return scounter_texts_begin(&making->texts, (char *)(snapshot->header + 1),
				    making->bytes_of_texts);
}

static bool snapshot_was_short_of_room(const struct snapshot_making *making)
{
	return making->seen > making->records || making->needed > making->record_size ||
		(making->texts.short_of_room && making->bytes_of_texts < TEXTS_MAX);
}

/* -ENOSPC if there is more than there is room for. */
static int snapshot_make(struct snapshot_making *making)
{
	int err = snapshot_allocate(making);

	if (!err) {
		snapshot_begin(making->snapshot->header, making->record_size);
		err = snapshot_fill(making);
	}
	if (!err && snapshot_was_short_of_room(making))
		err = -ENOSPC;
	if (!err)
		snapshot_finish(making);
	scounter_texts_end(&making->texts);
	if (err)
		scounter_snapshot_free(making->snapshot);
	return err;
}

/* With some room, as counters may come meanwhile; and once more if that did not do. */
int scounter_snapshot_take_some(struct scounter_snapshot *snapshot,
				const struct scounter_filter *filter)
{
	u32 texts = ROOM_OF_TEXTS, more = ROOM, size = READ_ONCE(usual_size);
	struct snapshot_making making;
	u64 count = MANY;
	int err;

	if (!filter) {
		count = max(READ_ONCE(scounter_counters.count), READ_ONCE(usual_records));
		texts += READ_ONCE(usual_texts);
	}
	do {
		if (count + more > RECORDS_MAX)
			return -EFBIG;
		making = (struct snapshot_making) {
			.snapshot = snapshot,
			.filter = filter,
			.records = count + more,
			.record_size = size,
			.needed = RECORD_LEAST,
			.bytes_of_texts = min_t(u32, round_up(texts, 8), TEXTS_MAX),
		};
		err = snapshot_make(&making);
		count = making.seen;
		more *= 4;
		size = max(size, making.needed);
		if (making.texts.short_of_room)
			texts = min_t(u32, 4 * texts, TEXTS_MAX);
	} while (err == -ENOSPC);
	return err;
}

int scounter_snapshot_take(struct scounter_snapshot *snapshot)
{
	return scounter_snapshot_take_some(snapshot, NULL);
}

void scounter_snapshot_free(struct scounter_snapshot *snapshot)
{
	if (snapshot->share)
		scounter_share_give(snapshot->share, snapshot->held);
	kvfree(snapshot->header);
	kvfree(snapshot->records);
	snapshot->header = NULL;
	snapshot->records = NULL;
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
static int snapshot_take_for_reader(struct open_snapshot *open)
{
	struct scounter_snapshot *snapshot = &open->snapshot;
	int err;

	snapshot->share = scounter_share_get(current_uid());
	if (!snapshot->share)
		return -ENOMEM;
	err = scounter_snapshot_take_some(snapshot, open->filtered ? &open->filter : NULL);
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
	err = open->snapshot.header ? 0 : snapshot_take_for_reader(open);
	mutex_unlock(&open->lock);
	return err;
}

static loff_t snapshot_size(const struct scounter_snapshot *snapshot)
{
	return snapshot->header->header_size +
		snapshot->header->count * snapshot->header->record_size;
}

static ssize_t snapshot_copy(const struct scounter_snapshot *snapshot, char __user *buffer,
			     size_t size, loff_t *position)
{
	const struct scounter_snapshot_header *header = snapshot->header;
	loff_t of_records = max_t(loff_t, *position - header->header_size, 0);
	ssize_t got = 0, more;

	if (*position < header->header_size)
		got = simple_read_from_buffer(buffer, size, position, header, header->header_size);
	if (got < 0 || *position < header->header_size)
		return got;
	more = simple_read_from_buffer(buffer + got, size - got, &of_records, snapshot->records,
				       header->count * header->record_size);
	if (more < 0)
		return got ?: more;
	*position = header->header_size + of_records;
	return got + more;
}

static ssize_t snapshot_read(struct file *file, char __user *buffer, size_t size,
			     loff_t *position)
{
	struct open_snapshot *open = file->private_data;
	int err = snapshot_taken(open);

	return err ?: snapshot_copy(&open->snapshot, buffer, size, position);
}

static loff_t snapshot_llseek(struct file *file, loff_t offset, int whence)
{
	struct open_snapshot *open = file->private_data;
	int err = snapshot_taken(open);

	if (err)
		return err;
	return fixed_size_llseek(file, offset, whence, snapshot_size(&open->snapshot));
}

static int snapshot_filter(struct open_snapshot *open, const struct scounter_filter *filter)
{
	int err = 0;

	if (mutex_lock_interruptible(&open->lock))
		return -ERESTARTSYS;
	if (open->snapshot.header) {
		err = -EBUSY;
	} else {
		open->filter = *filter;
		open->filtered = true;
	}
	mutex_unlock(&open->lock);
	return err;
}

static long snapshot_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct scounter_filter filter;

	if (command != SCOUNTER_IOC_FILTER)
		return -ENOTTY;
	if (copy_from_user(&filter, (const void __user *)argument, sizeof(filter)))
		return -EFAULT;
	if (!memchr(filter.group, 0, sizeof(filter.group)) ||
	    !memchr(filter.pattern, 0, sizeof(filter.pattern)))
		return -EINVAL;
	if (filter.pattern[0] && !SCOUNTER_HAS_PATTERNS)
		return -EOPNOTSUPP;
	return snapshot_filter(file->private_data, &filter);
}

static const struct file_operations snapshot_fops = {
	.owner		= THIS_MODULE,
	.open		= snapshot_open,
	.release	= snapshot_release,
	.read		= snapshot_read,
	.llseek		= snapshot_llseek,
	.unlocked_ioctl	= snapshot_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

/* The kernel keeps its boot id to itself; /proc says it, where it is mounted. */
static bool snapshot_read_boot_id(uuid_t *uuid)
{
	struct file *file = filp_open("/proc/sys/kernel/random/boot_id", O_RDONLY, 0);
	char text[UUID_STRING_LEN + 1] = "";
	loff_t position = 0;
	bool is_known;

	if (IS_ERR(file))
		return false;
	is_known = kernel_read(file, text, UUID_STRING_LEN, &position) == UUID_STRING_LEN &&
		!uuid_parse(text, uuid);
	filp_close(file, NULL);
	return is_known;
}

/* Elsewhere one of our own serves: all counters are gone with it. */
static void snapshot_init_boot_id(void)
{
	uuid_t uuid;

	if (!snapshot_read_boot_id(&uuid))
		uuid_gen(&uuid);
	export_uuid(boot_id, &uuid);
}

int scounter_snapshot_init(void)
{
	BUILD_BUG_ON(sizeof(struct scounter_snapshot_header) != 80);
	BUILD_BUG_ON(sizeof(struct scounter_snapshot_record) != 384);
	snapshot_init_boot_id();
	return scounter_device_init(&snapshot_fops);
}

void scounter_snapshot_exit(void)
{
	scounter_device_exit();
}

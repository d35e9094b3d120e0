/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names and lifetime of all that is published: counters, arrays and tables of frequent
 * items each embed an item.  An item has a name in a group, belongs to a module, and has
 * files that its type makes.  What is said of locks and contexts is in registry.c.
 */
#ifndef _SCOUNTER_REGISTRY_H
#define _SCOUNTER_REGISTRY_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/scounter.h>

#include "registry/hash.h"

struct dentry;
struct scounter_group;
struct scounter_item;
struct scounter_owner;
struct scounter_snapshot_record;

enum scounter_view_id { SCOUNTER_VIEW_SYSFS, SCOUNTER_VIEW_DEBUGFS, SCOUNTER_VIEWS };

/*
 * What a snapshot says of a counter, but for what it has counted.  An item whose type has
 * a function `row` fills one in for each of its counters.
 *
 * @group: in an array of SCOUNTER_NAME_MAX + 1 bytes, all NULs behind its end
 * @object: NULL for a counter that is of none
 * @class: what it counts as
 * @unit, @help, @label: or NULL
 * @full_since: when a snapshot first found it full since its last reset, kept here; or
 *	NULL
 * @show: fills in what follows `kind` in the record, up to `unit`, where that is not 0;
 *	@of and @i are for it
 * @found, @is_found: for a type whose rows are found together; they stay from one row of an
 *	item to the next, and the rest does not
 */
#define SCOUNTER_ROWS_FOUND	7

struct scounter_row {
	const char *group;
	const char *object;
	const char *name;
	const char *unit;
	const char *help;
	const char *label;
	const struct scounter_class *class;
	u64 *full_since;
	void (*show)(struct scounter_row *row, struct scounter_snapshot_record *record);
	void *of;
	u32 i;
	bool is_found;
	struct scounter_estimate found[SCOUNTER_ROWS_FOUND];
};

/*
 * Functions of files are called in task context, one call at a time.  A remove returns
 * when nobody reads the item through its files any more.
 *
 * @what: a counter, an array, ...; for messages, as is @folder
 * @reserves: whether no group may have this name; may be NULL
 * @add: makes the files of an item, and those of its group before
 * @free: of an item that was withdrawn and that nobody knows any more
 * @among: the type whose groups, names and readers it shares, or NULL
 * @slow: its rows take long to be found: no other item waits for that
 * @rows: how many counters an item has; NULL: one
 * @row: says of one of them what snapshots say; false if it is not to be seen
 * @settle: lets the records of an item, @n in the order of its rows, be of one moment, or
 *	say that they are not; may be NULL
 * @spots: its items, those of a group together, and readers among them
 */
struct scounter_item_type {
	const char *what;
	const char *folder;
	bool (*reserves)(const char *group);
	int (*add)(struct scounter_item *item);
	void (*remove)(struct scounter_item *item);
	void (*remove_group)(struct scounter_group *group);
	void (*free)(struct scounter_item *item);
	struct scounter_item_type *among;
	bool slow;
	u32 (*rows)(const struct scounter_item *item);
	bool (*row)(struct scounter_item *item, u32 i, struct scounter_row *row);
	void (*settle)(struct scounter_item *item, struct scounter_snapshot_record *records,
		       u32 n);
	struct list_head spots;
	u32 count;
};

#define SCOUNTER_ITEM_TYPE_INIT(name)	.spots = LIST_HEAD_INIT((name).spots)

/* A spot among the items of a type: that of an item, or without a group that of others. */
struct scounter_spot {
	struct list_head list;
	struct scounter_group *group;
};

struct scounter_group {
	struct scounter_hashed hashed;
	struct scounter_spot end;	/* the group's items are before it */
	struct scounter_item_type *type;
	u32 users;			/* items, dead ones too */
	void *view[SCOUNTER_VIEWS];
	char name[SCOUNTER_NAME_MAX + 1];
};

enum scounter_files { SCOUNTER_NO_FILES, SCOUNTER_FILES_WANTED, SCOUNTER_FILES_THERE };

/*
 * Who makes an item sets these before scounter_item_enter():
 *
 * @type: and all else zero
 * @name: NULL for an item without a name, a group and files, which is nothing but its
 *	module's; else it stays as long as the item
 * @without_files, @hidden: it has no files; it is not among its type's items
 *
 * and before scounter_item_take_down():
 *
 * @keep: its memory stays until its module goes, and is freed then
 */
struct scounter_item {
	struct scounter_spot spot;
	struct scounter_item_type *type;
	struct scounter_owner *owner;
	struct scounter_hashed hashed;
	struct list_head owned;
	union {
		struct list_head work;	/* waiting for files, or dead */
		struct rcu_head rcu;	/* for its type, which frees it */
	};
	const char *name;
	u32 pins;
	u8 files;		/* enum scounter_files */
	bool gone;		/* for who takes it down */
	u8 without_files:1;
	u8 hidden:1;
	u8 alive:1;
	u8 keep:1;
	u8 kept:1;
	u8 waited_for:1;
};

/* 0, or why not; said in the log.  @what is a counter, a group, ... */
int scounter_check_name(const char *what, const char *name);

/* The same of a unit, or what an object is; and of what @of is described as. */
int scounter_check_word(const char *what, const char *word);
int scounter_check_description(const char *of, const struct scounter_description *description);

/*
 * Give the item its name and its module, and its files: at once where @gfp and the
 * context allow all that makes files, else a moment later.  @group may be NULL for the
 * name of the module.  If it fails, the item is as it was.
 */
int scounter_item_enter(struct scounter_item *item, const char *group,
			struct module *owner, gfp_t gfp);

/*
 * Its name and its place are given up at once, in any context but NMI.  When its
 * files are gone and nobody looks at it, its type frees it.
 */
void scounter_item_withdraw(struct scounter_item *item);

/* The same, waiting for that; the caller frees it, unless it is kept. */
void scounter_item_take_down(struct scounter_item *item);

/* Whether an item that is entered with @gfp gets its files before the call returns. */
bool scounter_item_gets_files_now(gfp_t gfp);

/* Whether nobody has wanted it to go so far. */
bool scounter_item_is_alive(struct scounter_item *item);

struct module *scounter_item_module(const struct scounter_item *item);

/*
 * Whether an item can be made here: kmalloc() may be called at all, whose locks sleep on
 * PREEMPT_RT; and, where scounter is built in, the kernel is not before the early
 * initcalls.  If not, the log says so.
 */
bool scounter_item_may_be_made(const char *what, const char *group, const char *name,
			       struct module *owner);

/*
 * A reader among the items of a type.  Nobody waits for it but who takes down an item
 * that it has pinned: so it does nothing long with that.
 *
 * @group: the name of the only group to look at; NULL, as a walk starts, for all
 */
struct scounter_walk {
	struct scounter_spot spot;
	struct scounter_item_type *type;
	const char *group;
};

void scounter_walk_start(struct scounter_walk *walk, struct scounter_item_type *type);
void scounter_walk_stop(struct scounter_walk *walk);

/* Pins the next items, some of at most @most; 0 at the end.  A slow one is the last of them. */
u32 scounter_walk_some(struct scounter_walk *walk, struct scounter_item **items, u32 most);
void scounter_unpin(struct scounter_item **items, u32 n);

/* The next item, pinned, without a step; and the step after the item. */
struct scounter_item *scounter_walk_peek(struct scounter_walk *walk);
void scounter_walk_step(struct scounter_walk *walk, struct scounter_item *item);

/* Items can be named from the first call on, and have files from the second. */
void scounter_registry_open(void);
void scounter_registry_show(void);

int scounter_registry_init(void);
void scounter_registry_exit(void);

#endif /* _SCOUNTER_REGISTRY_H */

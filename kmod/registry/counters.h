/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters with names.  What user space reads of them is made by views, which are told
 * of every counter that comes and goes.
 */
#ifndef _SCOUNTER_COUNTERS_H
#define _SCOUNTER_COUNTERS_H

#include "kinds/history.h"
#include "registry/registry.h"

/*
 * A static counter keeps its entry, and with it its history, when it is unregistered,
 * as it may go on counting and be registered again.
 */
struct scounter_entry {
	struct scounter *counter;
	void *view[SCOUNTER_VIEWS];	/* of sysfs at first the client's own parent */
	struct scounter_history history;
	struct scounter_item item;
	const struct scounter_description *description;	/* or NULL */
	u8 hide:7;
	u8 allocated:1;			/* the counter is ours to free */
	char name[];
};

static inline struct scounter_entry *scounter_entry_of(struct scounter_item *item)
{
	return container_of(item, struct scounter_entry, item);
}

static inline struct scounter_group *scounter_entry_group(const struct scounter_entry *entry)
{
	return entry->item.spot.group;
}

/* Called as the functions of a struct scounter_item_type. */
struct scounter_view {
	enum scounter_view_id id;
	int (*add_group)(struct scounter_group *group);
	void (*remove_group)(struct scounter_group *group);
	int (*add)(struct scounter_entry *entry);
	void (*remove)(struct scounter_entry *entry);
	bool (*reserves)(const char *group);
};

void scounter_registry_view(const struct scounter_view *view);

/* Makes what the view has of a group before its items, once.  As a function of files. */
int scounter_add_group_to(enum scounter_view_id id, struct scounter_group *group);

/* 0, or why nothing can have a directory below the client's @parent; said in the log. */
int scounter_check_parent(const struct kobject *parent, const char *name, u8 hide, gfp_t gfp);

/* All that is in snapshots: other types are among these. */
extern struct scounter_item_type scounter_counters;

#endif /* _SCOUNTER_COUNTERS_H */

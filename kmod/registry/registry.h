/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names and lifetime: a registered counter is an entry in a group.  What user
 * space reads of them is made by views, which the registry tells of every
 * entry that comes and goes.
 */
#ifndef _SCOUNTER_REGISTRY_H
#define _SCOUNTER_REGISTRY_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/scounter.h>

#include "kinds/history.h"

enum scounter_view_id { SCOUNTER_VIEW_SYSFS, SCOUNTER_VIEW_DEBUGFS, SCOUNTER_VIEWS };

struct scounter_group {
	struct list_head node;		/* all groups */
	struct list_head entries;	/* the published ones */
	u32 users;			/* entries, published or not */
	bool published;
	void *view[SCOUNTER_VIEWS];
	char name[SCOUNTER_NAME_MAX + 1];
};

/*
 * A static counter keeps its entry, and with it its history, when it is unregistered,
 * as it may go on counting and be registered again.
 */
struct scounter_entry {
	struct scounter *counter;
	struct scounter_history history;
	struct scounter_group *group;
	struct module *owner;
	struct list_head all;		/* the registered ones, or those that are kept */
	struct list_head node;		/* in the group's entries, or waiting */
	struct hlist_node hash;
	bool registered;		/* has its name */
	bool published;
	bool allocated;			/* the counter is ours to free */
	void *view[SCOUNTER_VIEWS];
	char name[SCOUNTER_NAME_MAX + 1];
	struct rcu_head rcu;		/* resets look at an entry under RCU */
};

/*
 * Called in task context, one call at a time.  A remove returns when nobody
 * reads the entry through the view any more.
 */
struct scounter_view {
	enum scounter_view_id id;
	int (*add_group)(struct scounter_group *group);
	void (*remove_group)(struct scounter_group *group);
	int (*add)(struct scounter_entry *entry);
	void (*remove)(struct scounter_entry *entry);
	bool (*reserves)(const char *group);
};

/* 0, or why not; said in the log.  @what is a counter, a group, ... */
int scounter_check_name(const char *what, const char *name);

int scounter_registry_init(void);
void scounter_registry_exit(void);

void scounter_registry_view(const struct scounter_view *view);

/* Walk the published entries; between start and stop they stay. */
struct scounter_entry *scounter_entries_start(loff_t position);
struct scounter_entry *scounter_entries_first(void);
struct scounter_entry *scounter_entries_next(struct scounter_entry *entry);
void scounter_entries_stop(void);

#endif /* _SCOUNTER_REGISTRY_H */

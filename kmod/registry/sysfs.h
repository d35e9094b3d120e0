/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_SYSFS_H
#define _SCOUNTER_SYSFS_H

#include <linux/kobject.h>
#include <linux/llist.h>
#include <linux/uidgid.h>

#include "compat.h"

struct scounter_group;

/*
 * A directory.  Its memory begins as zeros and belongs to the driver core once it was added,
 * also if that fails.  The type's release() frees it and calls scounter_sysfs_gone(): the
 * module waits for that before it goes.
 *
 * @parent: what the client has given, or NULL
 */
struct scounter_directory {
	struct kobject kobj;
	struct kobject *parent;
	struct llist_node left;
};

/*
 * A directory in that of the group, which is there; with @parent there is a link, and the
 * directory is below @parent.  As functions of files.
 */
int scounter_sysfs_add(struct scounter_directory *directory, struct kobj_type *type,
		       struct kobject *parent, const struct scounter_group *group,
		       const char *name);
void scounter_sysfs_remove(struct scounter_directory *directory,
			   const struct scounter_group *group, const char *name);
void scounter_sysfs_gone(void);

/* Of such a type, who may read its files. */
void scounter_sysfs_ownership(SCOUNTER_CONST_IN_6_2 struct kobject *kobj, kuid_t *uid,
			      kgid_t *gid);

/* Before there is an item: it knows names that no group may have. */
void scounter_sysfs_view(void);
int scounter_sysfs_init(void);
void scounter_sysfs_exit(void);

#endif /* _SCOUNTER_SYSFS_H */

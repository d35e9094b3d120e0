/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_SYSFS_H
#define _SCOUNTER_SYSFS_H

#include <linux/uidgid.h>

#include "compat.h"

struct kobj_type;
struct kobject;
struct scounter_group;

/*
 * A directory in that of the group, which is there.  The type's release() calls
 * scounter_sysfs_gone(), also if this fails: the module waits for that before it goes.
 */
int scounter_sysfs_add(struct kobject *kobj, struct kobj_type *type,
		       const struct scounter_group *group, const char *name);
void scounter_sysfs_gone(void);

/* Of such a type, who may read its files. */
void scounter_sysfs_ownership(SCOUNTER_CONST_IN_6_2 struct kobject *kobj, kuid_t *uid,
			      kgid_t *gid);

int scounter_sysfs_init(void);
void scounter_sysfs_exit(void);

#endif /* _SCOUNTER_SYSFS_H */

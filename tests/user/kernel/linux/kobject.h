/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name; the program has the functions. */
#ifndef _SHIM_LINUX_KOBJECT_H
#define _SHIM_LINUX_KOBJECT_H

#include <linux/sysfs.h>
#include <linux/uidgid.h>

struct kernfs_node;

struct kobject {
	struct kobj_type *type;
	struct kernfs_node *sd;
	int references;
};

struct kobj_type {
	void (*release)(struct kobject *kobj);
	const struct sysfs_ops *sysfs_ops;
	const struct attribute_group **default_groups;
	void (*get_ownership)(const struct kobject *kobj, kuid_t *uid, kgid_t *gid);
};

#define kernel_kobj	((struct kobject *)NULL)

static inline void kobject_init(struct kobject *kobj, struct kobj_type *type)
{
	kobj->type = type;
	kobj->references = 1;
}

static inline struct kobject *kobject_get(struct kobject *kobj)
{
	kobj->references++;
	return kobj;
}

static inline const char *kobject_name(const struct kobject *kobj)
{
	(void)kobj;
	return "";
}

int kobject_add(struct kobject *kobj, struct kobject *parent, const char *format, ...);
struct kobject *kobject_create_and_add(const char *name, struct kobject *parent);
void kobject_del(struct kobject *kobj);
void kobject_put(struct kobject *kobj);

#endif /* _SHIM_LINUX_KOBJECT_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name; the program has the functions. */
#ifndef _SHIM_LINUX_SYSFS_H
#define _SHIM_LINUX_SYSFS_H

#include <stdbool.h>
#include <sys/types.h>

#include <linux/types.h>

struct kobject;

struct attribute {
	const char *name;
	int mode;
};

struct attribute_group {
	struct attribute **attrs;
	umode_t (*is_visible)(struct kobject *kobj, struct attribute *attr, int i);
};

struct sysfs_ops {
	ssize_t (*show)(struct kobject *kobj, struct attribute *attr, char *buf);
	ssize_t (*store)(struct kobject *kobj, struct attribute *attr, const char *buf, size_t size);
};

static inline int sysfs_create_link(struct kobject *from, struct kobject *to, const char *name)
{
	(void)from, (void)to, (void)name;
	return 0;
}

static inline void sysfs_remove_link(struct kobject *from, const char *name)
{
	(void)from, (void)name;
}

int sysfs_emit(char *buf, const char *format, ...);
bool sysfs_streq(const char *a, const char *b);

#endif /* _SHIM_LINUX_SYSFS_H */

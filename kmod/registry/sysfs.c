// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/scounter/<group>/<counter>/: one value a file, for everybody.
 *
 * A file is gone for its readers when kobject_del() returns, so that the
 * counter may be freed then; the kobject itself lives on as long as the driver
 * core holds it, and is waited for before the module goes.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "compat.h"
#include "kinds/kind.h"
#include "registry/access.h"
#include "registry/counters.h"
#include "registry/sysfs.h"

struct scounter_object {
	struct kobject kobj;
	struct scounter *counter;	/* NULL for a group */
};

struct scounter_attribute {
	struct attribute attr;
	ssize_t (*show)(struct scounter *counter, char *buf);
	ssize_t (*store)(struct scounter *counter, const char *buf, size_t size);
};

static struct kobject *root;
static atomic_t objects;	/* and one more until the module goes */
static struct completion no_objects;

static struct scounter_estimate estimate_of(struct scounter *counter)
{
	struct scounter_estimate estimate;

	scounter_read_est(counter, &estimate);
	return estimate;
}

static ssize_t value_show(struct scounter *counter, char *buf)
{
	return sysfs_emit(buf, "%llu\n", scounter_read(counter));
}

static ssize_t kind_show(struct scounter *counter, char *buf)
{
	return sysfs_emit(buf, "%s\n", scounter_kind_name(counter->class.kind));
}

static ssize_t error_show(struct scounter *counter, char *buf)
{
	return sysfs_emit(buf, "%u\n", estimate_of(counter).error_ppm);
}

static ssize_t lower_show(struct scounter *counter, char *buf)
{
	return sysfs_emit(buf, "%llu\n", estimate_of(counter).lower);
}

static ssize_t upper_show(struct scounter *counter, char *buf)
{
	return sysfs_emit(buf, "%llu\n", estimate_of(counter).upper);
}

static ssize_t state_show(struct scounter *counter, char *buf)
{
	return sysfs_emit(buf, "%s\n",
			  scounter_state_name(estimate_of(counter).flags));
}

static ssize_t reset_store(struct scounter *counter, const char *buf, size_t size)
{
	/* Nothing else: who writes anything but 1 expects something else. */
	if (!sysfs_streq(buf, "1"))
		return -EINVAL;
	scounter_fetch_reset(counter);
	return size;
}

#define READ_ONLY(file)							\
	static struct scounter_attribute file##_attribute = {		\
		.attr = { .name = #file },				\
		.show = file##_show,					\
	}

READ_ONLY(value);
READ_ONLY(kind);
READ_ONLY(error);
READ_ONLY(lower);
READ_ONLY(upper);
READ_ONLY(state);

static struct scounter_attribute reset_attribute = {
	.attr = { .name = "reset", .mode = 0200 },
	.store = reset_store,
};

/* The modes of what is shown are a parameter of the module. */
static struct attribute *counter_attrs[] = {
	&value_attribute.attr,
	&kind_attribute.attr,
	&error_attribute.attr,
	&lower_attribute.attr,
	&upper_attribute.attr,
	&state_attribute.attr,
	&reset_attribute.attr,
	NULL,
};

static umode_t counter_mode(struct kobject *kobj, struct attribute *attr, int i)
{
	return attr->mode ?: scounter_file_mode();
}

static const struct attribute_group counter_group = {
	.attrs = counter_attrs,
	.is_visible = counter_mode,
};

static const struct attribute_group *counter_groups[] = {
	&counter_group,
	NULL,
};

static ssize_t object_show(struct kobject *kobj, struct attribute *attr, char *buf)
{
	struct scounter_object *object = container_of(kobj, struct scounter_object, kobj);
	struct scounter_attribute *attribute =
		container_of(attr, struct scounter_attribute, attr);

	return attribute->show ? attribute->show(object->counter, buf) : -EIO;
}

static ssize_t object_store(struct kobject *kobj, struct attribute *attr,
			    const char *buf, size_t size)
{
	struct scounter_object *object = container_of(kobj, struct scounter_object, kobj);
	struct scounter_attribute *attribute =
		container_of(attr, struct scounter_attribute, attr);

	return attribute->store ? attribute->store(object->counter, buf, size) : -EIO;
}

static const struct sysfs_ops object_sysfs_ops = {
	.show = object_show,
	.store = object_store,
};

static int object_init(struct kobject *kobj, struct kobj_type *type, struct kobject *parent,
		       const char *name)
{
	int err;

	atomic_inc(&objects);
	err = kobject_init_and_add(kobj, type, parent, "%s", name);
	if (err)
		kobject_put(kobj);
	return err;
}

int scounter_sysfs_add(struct kobject *kobj, struct kobj_type *type,
		       const struct scounter_group *group, const char *name)
{
	struct scounter_object *parent = group->view[SCOUNTER_VIEW_SYSFS];

	return object_init(kobj, type, &parent->kobj, name);
}

/*
 * A completion and not a wait for no objects: who waited until the number is 0 would
 * let the module go before wake_up() has looked at the queue in it.
 */
void scounter_sysfs_gone(void)
{
	if (atomic_dec_and_test(&objects))
		complete(&no_objects);
}

static void object_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct scounter_object, kobj));
	scounter_sysfs_gone();
}

void scounter_sysfs_ownership(SCOUNTER_CONST_IN_6_2 struct kobject *kobj, kuid_t *uid, kgid_t *gid)
{
	*gid = scounter_access_gid();
}

static struct kobj_type group_type = {
	.release = object_release,
	.sysfs_ops = &object_sysfs_ops,
};

static struct kobj_type counter_type = {
	.release = object_release,
	.sysfs_ops = &object_sysfs_ops,
	.default_groups = counter_groups,
	.get_ownership = scounter_sysfs_ownership,
};

static struct scounter_object *object_add(struct kobj_type *type,
					  struct kobject *parent,
					  const char *name,
					  struct scounter *counter)
{
	struct scounter_object *object = kzalloc(sizeof(*object), GFP_KERNEL);
	int err;

	if (!object)
		return ERR_PTR(-ENOMEM);
	object->counter = counter;
	err = object_init(&object->kobj, type, parent, name);
	return err ? ERR_PTR(err) : object;
}

static void object_remove(struct scounter_object *object)
{
	kobject_del(&object->kobj);
	kobject_put(&object->kobj);
}

static int sysfs_make_group(struct scounter_group *group)
{
	struct scounter_object *object =
		object_add(&group_type, root, group->name, NULL);

	if (IS_ERR(object))
		return PTR_ERR(object);
	group->view[SCOUNTER_VIEW_SYSFS] = object;
	return 0;
}

static void sysfs_drop_group(struct scounter_group *group)
{
	object_remove(group->view[SCOUNTER_VIEW_SYSFS]);
}

static int sysfs_add(struct scounter_entry *entry)
{
	struct scounter_object *group = scounter_entry_group(entry)->view[SCOUNTER_VIEW_SYSFS];
	struct scounter_object *object =
		object_add(&counter_type, &group->kobj, entry->item.name, entry->counter);

	if (IS_ERR(object))
		return PTR_ERR(object);
	entry->view[SCOUNTER_VIEW_SYSFS] = object;
	return 0;
}

static void sysfs_remove(struct scounter_entry *entry)
{
	object_remove(entry->view[SCOUNTER_VIEW_SYSFS]);
}

static const struct scounter_view sysfs_view = {
	.id		= SCOUNTER_VIEW_SYSFS,
	.add_group	= sysfs_make_group,
	.remove_group	= sysfs_drop_group,
	.add		= sysfs_add,
	.remove		= sysfs_remove,
};

int scounter_sysfs_init(void)
{
	root = kobject_create_and_add("scounter", kernel_kobj);
	if (!root)
		return -ENOMEM;
	atomic_set(&objects, 1);
	init_completion(&no_objects);
	scounter_registry_view(&sysfs_view);
	return 0;
}

void scounter_sysfs_exit(void)
{
	scounter_sysfs_gone();
	wait_for_completion(&no_objects);
	kobject_put(root);
}

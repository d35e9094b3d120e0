// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/scounter/<group>/<counter>/: one value a file.  A client may have the
 * directory below a kobject of its own: then that is a link.
 *
 * A file is gone for its readers when kobject_del() returns, so that the
 * counter may be freed then; the kobject itself lives on as long as the driver
 * core holds it, and is waited for before the module goes.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kernfs.h>
#include <linux/kobject.h>
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "kinds/kind.h"
#include "registry/access.h"
#include "registry/counters.h"
#include "registry/sysfs.h"

struct scounter_object {
	struct scounter_directory directory;
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

/* Directories that are gone, with the parents that are held for them. */
static LLIST_HEAD(left);
static void sysfs_put_left(struct work_struct *unused);
static DECLARE_WORK(left_work, sysfs_put_left);

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
	return sysfs_emit(buf, "%s\n", scounter_class_name(&counter->class));
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
	struct scounter_object *object = container_of(kobj, struct scounter_object, directory.kobj);
	struct scounter_attribute *attribute =
		container_of(attr, struct scounter_attribute, attr);

	return attribute->show ? attribute->show(object->counter, buf) : -EIO;
}

static ssize_t object_store(struct kobject *kobj, struct attribute *attr,
			    const char *buf, size_t size)
{
	struct scounter_object *object = container_of(kobj, struct scounter_object, directory.kobj);
	struct scounter_attribute *attribute =
		container_of(attr, struct scounter_attribute, attr);

	return attribute->store ? attribute->store(object->counter, buf, size) : -EIO;
}

static const struct sysfs_ops object_sysfs_ops = {
	.show = object_show,
	.store = object_store,
};

/* Else sysfs shows a stack for a name that is there. */
static bool directory_is_taken(const struct kobject *parent, const char *name)
{
	struct kernfs_node *other = kernfs_find_and_get(parent->sd, name);

	if (!other)
		return false;
	kernfs_put(other);
	pr_warn_ratelimited("%s/%s: sysfs has something of this name\n", kobject_name(parent),
			    name);
	return true;
}

static struct kobject *directory_of(const struct scounter_group *group)
{
	struct scounter_directory *directory = group->view[SCOUNTER_VIEW_SYSFS];

	return &directory->kobj;
}

static int directory_add_below(struct scounter_directory *directory, struct kobject *parent,
			       const struct scounter_group *group, const char *name)
{
	int err;

	if (directory_is_taken(parent, name))
		return -EEXIST;
	err = kobject_add(&directory->kobj, parent, "%s", name);
	if (err)
		return err;
	err = sysfs_create_link(directory_of(group), &directory->kobj, name);
	if (!err)
		directory->parent = kobject_get(parent);
	return err;
}

int scounter_sysfs_add(struct scounter_directory *directory, struct kobj_type *type,
		       struct kobject *parent, const struct scounter_group *group,
		       const char *name)
{
	int err;

	atomic_inc(&objects);
	kobject_init(&directory->kobj, type);
	if (parent)
		err = directory_add_below(directory, parent, group, name);
	else
		err = kobject_add(&directory->kobj, group ? directory_of(group) : root, "%s", name);
	if (err)
		kobject_put(&directory->kobj);
	return err;
}

/*
 * A parent that left sysfs may be held by nobody else any more.  Its release() is the
 * client's, which may make or unregister a counter there: so no mutex is held.
 */
static void sysfs_put_left(struct work_struct *unused)
{
	struct scounter_directory *directory, *next;

	llist_for_each_entry_safe(directory, next, llist_del_all(&left), left) {
		kobject_put(directory->parent);
		kobject_put(&directory->kobj);
	}
}

void scounter_sysfs_remove(struct scounter_directory *directory,
			   const struct scounter_group *group, const char *name)
{
	if (directory->parent)
		sysfs_remove_link(directory_of(group), name);
	kobject_del(&directory->kobj);
	if (!directory->parent) {
		kobject_put(&directory->kobj);
		return;
	}
	llist_add(&directory->left, &left);
	queue_work(scounter_unbound_wq, &left_work);
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
	kfree(container_of(kobj, struct scounter_object, directory.kobj));
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

static int object_add(void **view, struct kobj_type *type, struct kobject *parent,
		      const struct scounter_group *group, const char *name,
		      struct scounter *counter)
{
	struct scounter_object *object = kzalloc(sizeof(*object), GFP_KERNEL);
	int err;

	*view = NULL;
	if (!object)
		return -ENOMEM;
	object->counter = counter;
	err = scounter_sysfs_add(&object->directory, type, parent, group, name);
	if (!err)
		*view = &object->directory;
	return err;
}

static int sysfs_make_group(struct scounter_group *group)
{
	return object_add(&group->view[SCOUNTER_VIEW_SYSFS], &group_type, NULL, NULL, group->name,
			  NULL);
}

static void sysfs_drop_group(struct scounter_group *group)
{
	scounter_sysfs_remove(group->view[SCOUNTER_VIEW_SYSFS], NULL, NULL);
}

static int sysfs_add(struct scounter_entry *entry)
{
	return object_add(&entry->view[SCOUNTER_VIEW_SYSFS], &counter_type,
			  entry->view[SCOUNTER_VIEW_SYSFS], scounter_entry_group(entry),
			  entry->item.name, entry->counter);
}

static void sysfs_remove(struct scounter_entry *entry)
{
	scounter_sysfs_remove(entry->view[SCOUNTER_VIEW_SYSFS], scounter_entry_group(entry),
			      entry->item.name);
}

static const struct scounter_view sysfs_view = {
	.id		= SCOUNTER_VIEW_SYSFS,
	.add_group	= sysfs_make_group,
	.remove_group	= sysfs_drop_group,
	.add		= sysfs_add,
	.remove		= sysfs_remove,
};

/* The code of a parent's release() may be the module's. */
static int sysfs_module_notify(struct notifier_block *block, unsigned long state, void *module)
{
	if (state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	flush_work(&left_work);
	return NOTIFY_OK;
}

/* After that of the registry, which waits until the module's items are gone. */
static struct notifier_block module_block = {
	.notifier_call = sysfs_module_notify,
	.priority = -1,
};

void scounter_sysfs_view(void)
{
	scounter_registry_view(&sysfs_view);
}

int scounter_sysfs_init(void)
{
	int err;

	root = kobject_create_and_add("scounter", kernel_kobj);
	if (!root)
		return -ENOMEM;
	err = register_module_notifier(&module_block);
	if (err) {
		kobject_put(root);
		return err;
	}
	atomic_set(&objects, 1);
	init_completion(&no_objects);
	return 0;
}

void scounter_sysfs_exit(void)
{
	scounter_sysfs_gone();
	unregister_module_notifier(&module_block);
	wait_for_completion(&no_objects);
	flush_work(&left_work);
	kobject_put(root);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * kmod/registry/sysfs.c, over a driver core that keeps an object for as long as it likes.  The
 * module goes when its end has returned, and then nobody may look at it any more.
 */
#include <string.h>

#include <linux/kobject.h>
#include <linux/scounter.h>

#include "kernel.h"
#include "memory.h"
#include "objects.h"
#include "registry/access.h"
#include "registry/counters.h"
#include "registry/sysfs.h"
#include "script.h"

/* In memory that is restored. */
struct books {
	struct scounter_group groups[SCRIPT_LENGTH_MAX];
	struct kobject *kept[SCRIPT_LENGTH_MAX];	/* by the driver core */
	int count;
};

static struct books *books;
static struct kobject root;
static const struct scounter_view *view;
static int objects;

void scounter_registry_view(const struct scounter_view *new_view)
{
	view = new_view;
}

umode_t scounter_file_mode(void)
{
	return 0444;
}

kgid_t scounter_access_gid(void)
{
	return (kgid_t) { 0 };
}

int kobject_add(struct kobject *kobj, struct kobject *parent, const char *format, ...)
{
	(void)kobj, (void)parent, (void)format;
	return 0;
}

struct kobject *kobject_create_and_add(const char *name, struct kobject *parent)
{
	(void)name, (void)parent;
	return &root;
}

void kobject_del(struct kobject *kobj)
{
	(void)kobj;
}

void kobject_put(struct kobject *kobj)
{
	if (kobj != &root)
		books->kept[books->count++] = kobj;
}

int sysfs_emit(char *buf, const char *format, ...)
{
	(void)buf, (void)format;
	return 0;
}

bool sysfs_streq(const char *a, const char *b)
{
	return !strcmp(a, b);
}

static void operate(char operation)
{
	struct kobject *kobj;

	if (operation == 'r') {
		kobj = books->kept[--books->count];
		kobj->type->release(kobj);
		return;
	}
	scounter_sysfs_exit();
	memory_unload();
}

static void check(void)
{
	if (books->count)
		explore_fail("%d objects are kept", books->count);
}

static bool setup(void)
{
	int i;

	if (!shim_init(SCRIPT_CPUS, SCRIPT_NODES) || !kernel_init())
		return false;
	books = shim_zalloc(sizeof(*books));
	scounter_sysfs_view();
	if (scounter_sysfs_init())
		return false;
	for (i = 0; i < objects; i++) {
		if (view->add_group(&books->groups[i]))
			return false;
		view->remove_group(&books->groups[i]);
	}
	return true;
}

const struct explore_program *objects_program(const char *script)
{
	const struct script what = { .text = script, .letters = "re", .operate = operate };
	const struct explore_program like = { .setup = setup, .check = check };
	const char *c;

	for (objects = 0, c = script; *c; c++)
		objects += *c == 'r';
	return script_program(&what, &like);
}

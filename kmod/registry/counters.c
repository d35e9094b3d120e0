// SPDX-License-Identifier: GPL-2.0
/* Counters with names: their making and their end. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat.h"
#include "counter/counter.h"
#include "kinds/kind.h"
#include "registry/counters.h"

static const struct scounter_view *views[SCOUNTER_VIEWS];

void scounter_registry_view(const struct scounter_view *view)
{
	views[view->id] = view;
}

static struct scounter_entry *counters_entry_of(const struct scounter *counter)
{
	return counter->history ?
		container_of(counter->history, struct scounter_entry, history) : NULL;
}

/* Only then is it known when the counter's memory goes: with that of the module. */
static bool counters_outlives_its_name(const struct scounter_entry *entry)
{
	struct module *owner = scounter_item_module(&entry->item);

	if (entry->allocated)
		return false;
	return owner ? within_module((unsigned long)entry->counter, owner) :
		       scounter_within_kernel(entry->counter);
}

/* Files */

static bool counters_reserves(const char *group)
{
	u32 i;

	for (i = 0; i < SCOUNTER_VIEWS; i++)
		if (views[i]->reserves && views[i]->reserves(group))
			return true;
	return false;
}

static void counters_remove_group(struct scounter_group *group)
{
	u32 i;

	for (i = SCOUNTER_VIEWS; i-- > 0; ) {
		if (group->view[i])
			views[i]->remove_group(group);
		group->view[i] = NULL;
	}
}

int scounter_add_group_to(enum scounter_view_id id, struct scounter_group *group)
{
	return group->view[id] ? 0 : views[id]->add_group(group);
}

static int counters_add_to(const struct scounter_view *view, struct scounter_entry *entry)
{
	int err = scounter_add_group_to(view->id, scounter_entry_group(entry));

	if (!err)
		return view->add(entry);
	entry->view[view->id] = NULL;
	return err;
}

static void counters_remove(struct scounter_item *item)
{
	struct scounter_entry *entry = scounter_entry_of(item);
	u32 i;

	for (i = SCOUNTER_VIEWS; i-- > 0; ) {
		if (entry->view[i])
			views[i]->remove(entry);
		entry->view[i] = NULL;
	}
}

static int counters_add(struct scounter_item *item)
{
	struct scounter_entry *entry = scounter_entry_of(item);
	int err = 0;
	u32 i;

	BUILD_BUG_ON(SCOUNTER_HIDE_SYSFS != BIT(SCOUNTER_VIEW_SYSFS) ||
		     SCOUNTER_HIDE_DEBUGFS != BIT(SCOUNTER_VIEW_DEBUGFS));

	for (i = 0; !err && i < SCOUNTER_VIEWS; i++)
		if (!(entry->hide & BIT(i)))
			err = counters_add_to(views[i], entry);
	if (err)
		counters_remove(item);
	return err;
}

/* Snapshots */

static void counters_show(struct scounter_row *row, struct scounter_snapshot_record *record)
{
	struct scounter_entry *entry = row->of;
	struct scounter_history *history = &entry->history;
	struct scounter *counter = entry->counter;

	record->bytes = scounter_bytes(counter);
	scounter_class_show(&counter->class, record);
	scounter_history_show(counter, history, record);
	record->created_ns = history->created_ns;
	record->created_real_ns = history->created_real_ns;
}

static bool counters_row(struct scounter_item *item, u32 i, struct scounter_row *row)
{
	static const struct scounter_description none;
	struct scounter_entry *entry = scounter_entry_of(item);
	const struct scounter_description *description = READ_ONCE(entry->description) ?: &none;

	/* One by one: an initializer would zero all of it first. */
	row->group = scounter_entry_group(entry)->name;
	row->object = NULL;
	row->name = item->name;
	row->unit = description->unit;
	row->help = description->help;
	row->label = NULL;
	row->class = &entry->counter->class;
	row->full_since = &entry->history.saturated_ns;
	row->show = counters_show;
	row->of = entry;
	return true;
}

/**
 * scounter_set_description - say the unit of a counter, and what it counts
 * @counter: a counter with a name: created, or registered once
 * @description: unit and help text; NULL for none.  It and its texts stay as they are until
 *	the counter's module goes, or for longer.
 *
 * They are in /dev/scounter, and with it in what scounter(8) lists and exports.
 *
 * Context: Any context.
 * Return: 0; -ENOENT for a counter that never had a name, but for a dummy of
 * scounter_or_dummy(); -EINVAL or -ENAMETOOLONG for a unit or a help text that is not as
 * struct scounter_description has them.
 */
int scounter_set_description(struct scounter *counter,
			     const struct scounter_description *description)
{
	struct scounter_entry *entry = counters_entry_of(counter);
	int err = 0;

	if (!entry && !scounter_is_dummy(counter))
		return -ENOENT;
	if (description)
		err = scounter_check_description(entry ? entry->name : "a dummy", description);
	if (!err && entry)
		WRITE_ONCE(entry->description, description);
	return err;
}
EXPORT_SYMBOL_GPL(scounter_set_description);

/* The end */

static void counters_free(struct scounter *counter)
{
	scounter_collapse(counter);
	kfree(counter);
}

/* Nobody counts any more, or the counter is about to vanish with its module. */
static void counters_free_entry(struct scounter_entry *entry)
{
	if (entry->allocated)
		counters_free(entry->counter);
	else if (!entry->item.kept)
		scounter_collapse(entry->counter);
	kfree_rcu(entry, item.rcu);
}

static void counters_free_item(struct scounter_item *item)
{
	counters_free_entry(scounter_entry_of(item));
}

struct scounter_item_type scounter_counters = {
	.what = "counter",
	.folder = "",
	.reserves = counters_reserves,
	.add = counters_add,
	.remove = counters_remove,
	.remove_group = counters_remove_group,
	.free = counters_free_item,
	.row = counters_row,
	SCOUNTER_ITEM_TYPE_INIT(scounter_counters),
};

/**
 * scounter_destroy - free a counter that scounter_create() made
 * @counter: the counter; nothing happens if it is NULL, an ERR_PTR or a dummy of
 *	scounter_or_dummy()
 *
 * Never waits.  Its name is free at once.  Its files go a moment later, and its memory
 * when nobody reads it through one any more; when the module that made it has gone, so
 * have they.
 *
 * Context: Any context but NMI: also where memory is reclaimed, with locks that
 * reclaiming takes, and in callbacks of RCU.
 */
void scounter_destroy(struct scounter *counter)
{
	struct scounter_entry *entry;

	if (IS_ERR_OR_NULL(counter) || scounter_is_dummy(counter))
		return;
	entry = counters_entry_of(counter);
	if (WARN_ON(!entry || !entry->allocated))
		return;
	scounter_item_withdraw(&entry->item);
}
EXPORT_SYMBOL_GPL(scounter_destroy);

/* It is freed a grace period after that: lookup-destroy.litmus. */
static void counters_forget(struct scounter_entry *entry)
{
	WRITE_ONCE(entry->counter->history, NULL);
	kfree_rcu(entry, item.rcu);
}

static void counters_unregister(struct scounter_entry *entry)
{
	bool keep = counters_outlives_its_name(entry);

	entry->item.keep = keep;
	scounter_item_take_down(&entry->item);
	scounter_collapse(entry->counter);
	if (!keep)
		counters_forget(entry);
}

/**
 * scounter_unregister - take back scounter_register()
 * @counter: the counter; nothing happens if it is not registered, NULL or an ERR_PTR
 *
 * The counter goes on counting, keeps its value, and can be registered again: then
 * snapshots say of it what they said before, when it was created, how often it was
 * reset and how often it has wrapped, meanwhile too.
 *
 * Waits for those who read it, as its memory may go afterwards.
 *
 * Context: Task context; may sleep.  Not where memory is reclaimed, nor with locks that
 * reclaiming takes: as an allocation with GFP_KERNEL.
 */
void scounter_unregister(struct scounter *counter)
{
	struct scounter_entry *entry;

	might_sleep();
	if (IS_ERR_OR_NULL(counter))
		return;
	entry = counters_entry_of(counter);
	if (!entry || !entry->item.alive || WARN_ON(entry->allocated))
		return;
	counters_unregister(entry);
}
EXPORT_SYMBOL_GPL(scounter_unregister);

/* The making */

/* With room for any name if it may get another one. */
static struct scounter_entry *counters_entry_alloc(struct scounter *counter,
						   size_t name_size, gfp_t gfp)
{
	/* The name begins in what would be padding. */
	size_t size = offsetof(struct scounter_entry, name) + name_size;
	struct scounter_entry *entry = kzalloc(max(size, sizeof(*entry)), gfp);

	/* Documentation/choosing.rst says so. */
	BUILD_BUG_ON(offsetof(struct scounter_entry, name) + 22 + 1 > 256);
	if (!entry)
		return NULL;
	entry->counter = counter;
	entry->item.type = &scounter_counters;
	entry->item.name = entry->name;
	scounter_history_create(&entry->history, entry->name);
	return entry;
}

/* Before it has its name. */
static void counters_hide(struct scounter_entry *entry, u8 what)
{
	entry->hide = what;
	entry->item.without_files = !(~what & SCOUNTER_HIDE_FILES);
	entry->item.hidden = !!(what & SCOUNTER_HIDE_SNAPSHOT);
}

static int counters_check_hide(const char *name, u8 hide)
{
	if (!(hide & ~SCOUNTER_HIDE_ALL))
		return 0;
	pr_warn_ratelimited("counter '%*pE': hide %#x has bits beyond %#lx\n",
			    (int)strnlen(name, SCOUNTER_NAME_MAX), name, hide,
			    SCOUNTER_HIDE_ALL);
	return -EINVAL;
}

static struct scounter *counters_alloc(const char *name, const struct scounter_params *params,
				       gfp_t gfp)
{
	struct scounter_params of_class = *params;
	struct scounter *counter;
	int err;

	err = counters_check_hide(name ?: "", params->hide);
	if (err)
		return ERR_PTR(err);
	of_class.hide = 0;
	of_class.parent = NULL;
	counter = kmalloc(sizeof(*counter), gfp);
	if (!counter)
		return ERR_PTR(-ENOMEM);
	err = scounter_init_named(counter, &of_class, name ?: "");
	if (!err)
		err = scounter_spread(counter, gfp);
	if (err) {
		kfree(counter);
		return ERR_PTR(err);
	}
	return counter;
}

int scounter_check_parent(const struct kobject *parent, const char *name, u8 hide, gfp_t gfp)
{
	if (hide & SCOUNTER_HIDE_SYSFS) {
		pr_warn_ratelimited("%s: what is hidden from sysfs has no parent there\n", name);
		return -EINVAL;
	}
	/* The parent is the caller's, who knows that it is there now. */
	if (!scounter_item_gets_files_now(gfp)) {
		pr_warn_ratelimited("%s: what has a parent is made with GFP_KERNEL\n", name);
		return -EINVAL;
	}
	if (!parent->state_in_sysfs) {
		pr_warn_ratelimited("%s: its parent is not in sysfs\n", name);
		return -ENOENT;
	}
	return 0;
}

static int counters_name_allocated(struct scounter *counter, const char *name, const char *group,
				   const struct scounter_params *params, struct module *owner,
				   gfp_t gfp)
{
	struct scounter_entry *entry;
	int err = scounter_check_name("counter", name);

	if (!err && params->parent)
		err = scounter_check_parent(params->parent, name, params->hide, gfp);
	if (err)
		return err;
	entry = counters_entry_alloc(counter, strlen(name) + 1, gfp);
	if (!entry)
		return -ENOMEM;
	strscpy(entry->name, name, strlen(name) + 1);
	entry->allocated = true;
	counters_hide(entry, params->hide);
	entry->view[SCOUNTER_VIEW_SYSFS] = params->parent;
	/* For resets; pairs with scounter_fetch_reset(): lookup-destroy.litmus. */
	smp_store_release(&counter->history, &entry->history);
	err = scounter_item_enter(&entry->item, group, owner, gfp);
	/* A file of it may have been open for a moment, and with it a reset. */
	if (err)
		kfree_rcu(entry, item.rcu);
	return err;
}

/* See scounter_create(). */
struct scounter *__scounter_create(const char *name, const char *group,
				   const struct scounter_params *params,
				   gfp_t gfp, struct module *owner)
{
	struct scounter *counter;
	int err;

	if (!scounter_item_may_be_made("counter", group, name, owner))
		return ERR_PTR(-EWOULDBLOCK);
	counter = counters_alloc(name, params, gfp);
	if (IS_ERR(counter))
		return counter;
	err = counters_name_allocated(counter, name, group, params, owner, gfp);
	if (err) {
		counters_free(counter);
		return ERR_PTR(err);
	}
	return counter;
}
EXPORT_SYMBOL_GPL(__scounter_create);

/* A static counter has its history before it has its name. */
static int counters_name_static(struct scounter_entry *entry, const char *name, const char *group,
				struct module *owner)
{
	int err;

	strscpy(entry->name, name, SCOUNTER_NAME_MAX + 1);
	/* For resets; pairs with scounter_fetch_reset(): lookup-destroy.litmus. */
	smp_store_release(&entry->counter->history, &entry->history);
	err = scounter_item_enter(&entry->item, group, owner, GFP_KERNEL);
	if (err)
		return err;
	/* Last: it may be counting, and cannot collapse if this fails. */
	err = scounter_spread(entry->counter, GFP_KERNEL);
	if (err)
		scounter_item_take_down(&entry->item);
	return err;
}

/* See scounter_register(). */
int __scounter_register(struct scounter *counter, const char *name,
			const char *group, u8 hidden, struct module *owner)
{
	struct scounter_entry *entry = counters_entry_of(counter);
	int err;

	might_sleep();
	if (!scounter_item_may_be_made("counter", group, name, owner))
		return -EWOULDBLOCK;
	if (scounter_is_dummy(counter)) {
		pr_warn_ratelimited("a dummy, which counts nowhere, cannot be registered\n");
		return -EINVAL;
	}
	if (entry && entry->item.alive) {
		pr_warn_ratelimited("counter '%s' is registered already\n", entry->name);
		return -EBUSY;
	}
	err = scounter_check_name("counter", name);
	if (!err)
		err = counters_check_hide(name, hidden);
	if (err)
		return err;
	if (!entry)
		entry = counters_entry_alloc(counter, SCOUNTER_NAME_MAX + 1, GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	counters_hide(entry, hidden);
	err = counters_name_static(entry, name, group, owner);
	if (err && !entry->item.kept)
		counters_forget(entry);
	return err;
}
EXPORT_SYMBOL_GPL(__scounter_register);

// SPDX-License-Identifier: GPL-2.0
/*
 * The registry: which counters have a name, and which modules they belong to.
 *
 * A name is reserved under a spinlock, so that a counter can be created in
 * atomic context.  Publishing it, which makes files, needs task context: it is
 * done at once where the caller may sleep, and by a work item where not.
 * Publishing and its reverse run one at a time under a mutex, and a name is
 * given back only after its files are gone; so a name that is free has no
 * files.
 *
 * Lock order: publish_mutex, then names_lock.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/stringhash.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "counter/counter.h"
#include "kinds/kind.h"
#include "registry/registry.h"

static DEFINE_MUTEX(publish_mutex);	/* group->entries, published, views */
static DEFINE_SPINLOCK(names_lock);	/* all that follows, and group->users */
static DEFINE_HASHTABLE(names, 10);
static LIST_HEAD(groups);
static LIST_HEAD(entries);
static LIST_HEAD(kept);
static LIST_HEAD(waiting);

static const struct scounter_view *views[SCOUNTER_VIEWS];

static struct scounter_entry *entry_of(const struct scounter *counter)
{
	return counter->history ?
		container_of(counter->history, struct scounter_entry, history) : NULL;
}

/* Only then is it known when the counter's memory goes: with that of the module. */
static bool outlives_its_name(const struct scounter_entry *entry)
{
	return !entry->allocated && entry->owner &&
		within_module((unsigned long)entry->counter, entry->owner);
}

static int check_group(const char *name)
{
	int err = scounter_check_name("group", name);
	u32 i;

	for (i = 0; !err && i < SCOUNTER_VIEWS; i++) {
		if (views[i]->reserves && views[i]->reserves(name)) {
			pr_warn_ratelimited("a group cannot be named '%s'\n", name);
			err = -EINVAL;
		}
	}
	return err;
}

static u32 hash_of(const struct scounter_group *group, const char *name)
{
	return full_name_hash(group, name, strlen(name));
}

static struct scounter_group *find_group(const char *name)
{
	struct scounter_group *group;

	lockdep_assert_held(&names_lock);
	list_for_each_entry(group, &groups, node)
		if (!strcmp(group->name, name))
			return group;
	return NULL;
}

static bool name_is_taken(const struct scounter_group *group, const char *name,
			  u32 hash)
{
	struct scounter_entry *entry;

	lockdep_assert_held(&names_lock);
	hash_for_each_possible(names, entry, hash, hash)
		if (entry->group == group && !strcmp(entry->name, name))
			return true;
	return false;
}

/*
 * Take the name, and with the first name of a group the group.  @fresh is the
 * group to add if there is none; what is not needed of it stays with the
 * caller.
 */
static int reserve(struct scounter_entry *entry, struct scounter_group **fresh)
{
	struct scounter_group *group;
	unsigned long flags;
	int err = 0;
	u32 hash;

	spin_lock_irqsave(&names_lock, flags);
	group = find_group((*fresh)->name);
	if (!group) {
		group = *fresh;
		*fresh = NULL;
		list_add_tail(&group->node, &groups);
	}
	hash = hash_of(group, entry->name);
	if (name_is_taken(group, entry->name, hash)) {
		err = -EEXIST;
	} else {
		entry->group = group;
		group->users++;
		hash_add(names, &entry->hash, hash);
		list_move_tail(&entry->all, &entries);
		entry->registered = true;
	}
	spin_unlock_irqrestore(&names_lock, flags);
	return err;
}

static void unpublish_group(struct scounter_group *group)
{
	u32 i;

	for (i = SCOUNTER_VIEWS; i-- > 0; )
		if (group->published && views[i]->remove_group)
			views[i]->remove_group(group);
	kfree(group);
}

/* The files are gone, or never were: give the name back. */
static void release(struct scounter_entry *entry)
{
	struct scounter_group *group = entry->group;
	bool keep = outlives_its_name(entry);
	unsigned long flags;
	bool last;

	lockdep_assert_held(&publish_mutex);
	spin_lock_irqsave(&names_lock, flags);
	hash_del(&entry->hash);
	entry->registered = false;
	if (keep)
		list_move(&entry->all, &kept);
	else
		list_del(&entry->all);
	last = --group->users == 0;
	if (last)
		list_del(&group->node);
	spin_unlock_irqrestore(&names_lock, flags);
	if (last)
		unpublish_group(group);
	if (!keep)
		kfree_rcu(entry, rcu);
}

static int publish_group(struct scounter_group *group)
{
	int err = 0;
	u32 i;

	if (group->published)
		return 0;
	for (i = 0; i < SCOUNTER_VIEWS; i++) {
		err = views[i]->add_group(group);
		if (err)
			break;
	}
	if (!err) {
		group->published = true;
		return 0;
	}
	while (i-- > 0)
		views[i]->remove_group(group);
	return err;
}

static int publish(struct scounter_entry *entry)
{
	int err;
	u32 i;

	lockdep_assert_held(&publish_mutex);
	err = publish_group(entry->group);
	if (err)
		return err;
	for (i = 0; i < SCOUNTER_VIEWS; i++) {
		err = views[i]->add(entry);
		if (err)
			break;
	}
	if (!err) {
		list_add_tail(&entry->node, &entry->group->entries);
		entry->published = true;
		return 0;
	}
	while (i-- > 0)
		views[i]->remove(entry);
	return err;
}

static void unpublish(struct scounter_entry *entry)
{
	unsigned long flags;
	u32 i;

	lockdep_assert_held(&publish_mutex);
	if (entry->published) {
		entry->published = false;
		list_del(&entry->node);
		for (i = SCOUNTER_VIEWS; i-- > 0; )
			views[i]->remove(entry);
		return;
	}
	/* Created in atomic context, and perhaps still waiting for the work. */
	spin_lock_irqsave(&names_lock, flags);
	list_del_init(&entry->node);
	spin_unlock_irqrestore(&names_lock, flags);
}

/* No files, no name: the entry goes when those who are resetting have ended, or is kept. */
static void withdraw(struct scounter_entry *entry)
{
	/* It is freed a grace period after that: lookup-destroy.litmus. */
	if (!outlives_its_name(entry))
		WRITE_ONCE(entry->counter->history, NULL);
	unpublish(entry);
	release(entry);
}

static struct scounter_entry *first_waiting(void)
{
	struct scounter_entry *entry;
	unsigned long flags;

	spin_lock_irqsave(&names_lock, flags);
	entry = list_first_entry_or_null(&waiting, struct scounter_entry, node);
	if (entry)
		list_del_init(&entry->node);
	spin_unlock_irqrestore(&names_lock, flags);
	return entry;
}

static void publish_waiting(struct work_struct *work)
{
	struct scounter_entry *entry;
	int err;

	mutex_lock(&publish_mutex);
	while ((entry = first_waiting())) {
		err = publish(entry);
		if (err)
			pr_warn("%s/%s counts, but has no files: error %d\n",
				entry->group->name, entry->name, err);
	}
	mutex_unlock(&publish_mutex);
}

static DECLARE_WORK(publish_work, publish_waiting);

static struct scounter_entry *entry_alloc(struct scounter *counter, gfp_t gfp)
{
	struct scounter_entry *entry = kzalloc(sizeof(*entry), gfp);

	if (!entry)
		return NULL;
	entry->counter = counter;
	INIT_LIST_HEAD(&entry->all);
	scounter_history_create(&entry->history, entry->name);
	return entry;
}

/* An entry for the counter with a reserved name, not published yet. */
static struct scounter_entry *enter(struct scounter *counter, const char *name,
				    const char *group_name,
				    struct module *owner, gfp_t gfp)
{
	struct scounter_group *group;
	struct scounter_entry *entry;
	int err;

	if (!group_name)
		group_name = module_name(owner);
	err = scounter_check_name("counter", name);
	if (!err)
		err = check_group(group_name);
	if (err)
		return ERR_PTR(err);

	entry = entry_of(counter) ?: entry_alloc(counter, gfp);
	group = kzalloc(sizeof(*group), gfp);
	if (!entry || !group) {
		err = -ENOMEM;
		goto out;
	}
	entry->owner = owner;
	INIT_LIST_HEAD(&entry->node);
	strscpy(entry->name, name, sizeof(entry->name));
	INIT_LIST_HEAD(&group->entries);
	strscpy(group->name, group_name, sizeof(group->name));
	err = reserve(entry, &group);
	if (err)
		pr_warn_ratelimited("%s/%s: there is a counter of this name\n",
				    group_name, name);
out:
	kfree(group);
	if (err) {
		if (!counter->history)
			kfree(entry);
		return ERR_PTR(err);
	}
	return entry;
}

static int publish_or_leave(struct scounter_entry *entry)
{
	int err;

	mutex_lock(&publish_mutex);
	err = publish(entry);
	if (err)
		withdraw(entry);
	mutex_unlock(&publish_mutex);
	return err;
}

static void publish_later(struct scounter_entry *entry)
{
	unsigned long flags;

	spin_lock_irqsave(&names_lock, flags);
	list_add_tail(&entry->node, &waiting);
	spin_unlock_irqrestore(&names_lock, flags);
	schedule_work(&publish_work);
}

static void counter_free(struct scounter *counter)
{
	scounter_collapse(counter);
	kfree(counter);
}

static struct scounter *counter_alloc(const struct scounter_params *params,
				      gfp_t gfp)
{
	struct scounter *counter;
	int err;

	counter = kmalloc(sizeof(*counter), gfp);
	if (!counter)
		return ERR_PTR(-ENOMEM);
	err = scounter_init(counter, params);
	if (!err)
		err = scounter_spread(counter, gfp);
	if (err) {
		kfree(counter);
		return ERR_PTR(err);
	}
	return counter;
}

/* Where kmalloc() may be called at all: its locks sleep on PREEMPT_RT. */
static bool may_allocate(void)
{
	return !in_nmi() && (!IS_ENABLED(CONFIG_PREEMPT_RT) || preemptible());
}

/* See scounter_create(). */
struct scounter *__scounter_create(const char *name, const char *group,
				   const struct scounter_params *params,
				   gfp_t gfp, struct module *owner)
{
	struct scounter_entry *entry;
	struct scounter *counter;
	int err = 0;

	if (!may_allocate()) {
		pr_warn_ratelimited("%s/%s: no counter can be created in this context\n",
				    group ?: module_name(owner), name);
		return ERR_PTR(-EWOULDBLOCK);
	}
	counter = counter_alloc(params, gfp);
	if (IS_ERR(counter))
		return counter;
	entry = enter(counter, name, group, owner, gfp);
	if (IS_ERR(entry)) {
		counter_free(counter);
		return ERR_CAST(entry);
	}
	entry->allocated = true;
	/* For resets; pairs with scounter_fetch_reset(): lookup-destroy.litmus. */
	smp_store_release(&counter->history, &entry->history);
	if (gfpflags_allow_blocking(gfp))
		err = publish_or_leave(entry);
	else
		publish_later(entry);
	if (err) {
		counter_free(counter);
		return ERR_PTR(err);
	}
	return counter;
}
EXPORT_SYMBOL_GPL(__scounter_create);

/* See scounter_register(). */
int __scounter_register(struct scounter *counter, const char *name,
			const char *group, struct module *owner)
{
	struct scounter_entry *entry;
	int err;

	might_sleep();
	entry = entry_of(counter);
	if (entry && entry->registered)
		return -EBUSY;
	entry = enter(counter, name, group, owner, GFP_KERNEL);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	/* For resets; pairs with scounter_fetch_reset(): lookup-destroy.litmus. */
	smp_store_release(&counter->history, &entry->history);
	err = publish_or_leave(entry);
	if (err)
		return err;
	/* Last: it may be counting, and cannot be gathered if this fails. */
	err = scounter_spread(counter, GFP_KERNEL);
	if (err) {
		mutex_lock(&publish_mutex);
		withdraw(entry);
		mutex_unlock(&publish_mutex);
	}
	return err;
}
EXPORT_SYMBOL_GPL(__scounter_register);

static void remove(struct scounter_entry *entry)
{
	struct scounter *counter = entry->counter;
	bool allocated = entry->allocated;

	lockdep_assert_held(&publish_mutex);
	withdraw(entry);
	if (allocated)
		counter_free(counter);
	else
		scounter_collapse(counter);
}

/**
 * scounter_destroy - free a counter that scounter_create() made
 * @counter: the counter; nothing happens if it is NULL or an ERR_PTR
 *
 * Waits for those who read it through a file.  Its name is free afterwards.
 *
 * Context: Task context; may sleep.
 */
void scounter_destroy(struct scounter *counter)
{
	struct scounter_entry *entry;

	might_sleep();
	if (IS_ERR_OR_NULL(counter))
		return;
	entry = entry_of(counter);
	if (WARN_ON(!entry || !entry->allocated))
		return;
	mutex_lock(&publish_mutex);
	remove(entry);
	mutex_unlock(&publish_mutex);
}
EXPORT_SYMBOL_GPL(scounter_destroy);

/**
 * scounter_unregister - take back scounter_register()
 * @counter: the counter; nothing happens if it is not registered
 *
 * The counter goes on counting, keeps its value, and can be registered again: then
 * snapshots say of it what they said before, when it was created, how often it was
 * reset and how often it has wrapped, meanwhile too.
 *
 * Context: Task context; may sleep.
 */
void scounter_unregister(struct scounter *counter)
{
	struct scounter_entry *entry = entry_of(counter);

	might_sleep();
	if (!entry || !entry->registered || WARN_ON(entry->allocated))
		return;
	mutex_lock(&publish_mutex);
	remove(entry);
	mutex_unlock(&publish_mutex);
}
EXPORT_SYMBOL_GPL(scounter_unregister);

/* NULL owns all. */
static struct scounter_entry *first_owned_by(struct list_head *list, struct module *owner)
{
	struct scounter_entry *entry, *found = NULL;
	unsigned long flags;

	spin_lock_irqsave(&names_lock, flags);
	list_for_each_entry(entry, list, all) {
		if (!owner || entry->owner == owner) {
			found = entry;
			break;
		}
	}
	spin_unlock_irqrestore(&names_lock, flags);
	return found;
}

/* The memory of these counters goes. */
static void free_kept(struct module *owner)
{
	struct scounter_entry *entry;
	unsigned long flags;

	lockdep_assert_held(&publish_mutex);
	while ((entry = first_owned_by(&kept, owner))) {
		spin_lock_irqsave(&names_lock, flags);
		list_del(&entry->all);
		spin_unlock_irqrestore(&names_lock, flags);
		kfree_rcu(entry, rcu);
	}
}

/*
 * A module that goes, or failed to come, and forgot counters: a static one is
 * about to vanish with its memory, so that none may stay.
 */
static int module_notify(struct notifier_block *block, unsigned long state,
			 void *owner)
{
	struct scounter_entry *entry;

	if (state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&publish_mutex);
	while ((entry = first_owned_by(&entries, owner))) {
		pr_warn("%s left the counter %s/%s behind; it is removed\n",
			module_name((struct module *)owner), entry->group->name,
			entry->name);
		remove(entry);
	}
	free_kept(owner);
	mutex_unlock(&publish_mutex);
	return NOTIFY_OK;
}

static struct notifier_block module_block = {
	.notifier_call = module_notify,
};

/* Groups come and go under names_lock, but not those with published entries. */
static struct scounter_entry *first_published_after(struct scounter_group *group)
{
	struct scounter_entry *entry = NULL;
	unsigned long flags;

	lockdep_assert_held(&publish_mutex);
	spin_lock_irqsave(&names_lock, flags);
	group = list_prepare_entry(group, &groups, node);
	list_for_each_entry_continue(group, &groups, node) {
		entry = list_first_entry_or_null(&group->entries,
						 struct scounter_entry, node);
		if (entry)
			break;
	}
	spin_unlock_irqrestore(&names_lock, flags);
	return entry;
}

struct scounter_entry *scounter_entries_next(struct scounter_entry *entry)
{
	struct scounter_group *group = entry->group;

	if (!list_is_last(&entry->node, &group->entries))
		return list_next_entry(entry, node);
	return first_published_after(group);
}

struct scounter_entry *scounter_entries_first(void)
{
	return first_published_after(NULL);
}

struct scounter_entry *scounter_entries_start(loff_t position)
{
	struct scounter_entry *entry;

	mutex_lock(&publish_mutex);
	entry = scounter_entries_first();
	while (entry && position--)
		entry = scounter_entries_next(entry);
	return entry;
}

void scounter_entries_stop(void)
{
	mutex_unlock(&publish_mutex);
}

void scounter_registry_view(const struct scounter_view *view)
{
	views[view->id] = view;
}

int scounter_registry_init(void)
{
	return register_module_notifier(&module_block);
}

/* Every client is gone, and with it its counters. */
void scounter_registry_exit(void)
{
	unregister_module_notifier(&module_block);
	cancel_work_sync(&publish_work);
	mutex_lock(&publish_mutex);
	free_kept(NULL);
	mutex_unlock(&publish_mutex);
	WARN_ON(!list_empty(&entries));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The registry: which items have a name, and which modules they belong to.
 *
 * names_lock guards names, lists and states.  Nothing is allocated with it and no
 * walk is long with it, so that an item can be named, and withdrawn, in any context but
 * NMI: by reclaim, in a callback of RCU, in an interrupt.
 *
 * Files are made and removed with files_mutex, which allocates and waits for readers.
 * Therefore no withdrawal takes it: who withdraws an item leaves its files to a work
 * item.  Its name is free at once, and who takes the name removes the old files first.
 * Who takes an item down waits, and must not do so where an allocation could wait for
 * it: lockdep is told.
 *
 * Items are freed with no lock and by a work item of their own, as a client that is told
 * of it may name, withdraw and take down others.
 *
 * Lock order: files_mutex, then names_lock.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/stringhash.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "registry/registry.h"

/* Steps of a walk for which interrupts are off. */
#define LOOKS		32
/* As many forgotten items of a module are named in the log. */
#define NAMED		10

/* A module, or NULL for the kernel, that has items. */
struct scounter_owner {
	struct scounter_hashed hashed;
	struct module *module;
	struct list_head items;		/* alive */
	struct list_head kept;
	u32 users;			/* items, dead ones too, and who waits for these */
};

static DEFINE_MUTEX(files_mutex);
static DEFINE_MUTEX(resize_mutex);
static DEFINE_RAW_SPINLOCK(names_lock);
static struct scounter_hash names = SCOUNTER_HASH_INIT(names);
static struct scounter_hash groups = SCOUNTER_HASH_INIT(groups);
static struct scounter_hash owners = SCOUNTER_HASH_INIT(owners);
static LIST_HEAD(waiting);	/* for their files */
static LIST_HEAD(dead);		/* not seen to yet */
static LIST_HEAD(buried);	/* to be freed */
static DECLARE_WAIT_QUEUE_HEAD(gone);
static bool is_open;	/* items can be named */
static bool is_shown;	/* there is where their files go */

static void registry_see_to_all(struct work_struct *work);
static DECLARE_WORK(files_work, registry_see_to_all);
static void registry_free_all(struct work_struct *work);
static DECLARE_WORK(free_work, registry_free_all);

static void registry_see_to_all_soon(void)
{
	queue_work(scounter_unbound_wq, &files_work);
}

/* Names */

static u32 registry_hash_of(const void *scope, const char *name)
{
	return full_name_hash(scope, name, strlen(name));
}

static u32 registry_hash_of_module(const struct module *module)
{
	return full_name_hash(module, "", 0);
}

static struct scounter_item_type *registry_names_of(const struct scounter_item *item)
{
	return item->type->among ?: item->type;
}

static struct scounter_group *registry_find_group(const struct scounter_item_type *type,
						  const char *name)
{
	u32 hash = registry_hash_of(type, name);
	struct scounter_group *group;

	hlist_for_each_entry(group, scounter_hash_list(&groups, hash), hashed.node)
		if (group->hashed.hash == hash && group->type == type &&
		    !strcmp(group->name, name))
			return group;
	return NULL;
}

static struct scounter_owner *registry_find_owner(const struct module *module)
{
	u32 hash = registry_hash_of_module(module);
	struct scounter_owner *owner;

	hlist_for_each_entry(owner, scounter_hash_list(&owners, hash), hashed.node)
		if (owner->module == module)
			return owner;
	return NULL;
}

/* An item that is alive, or a dead one whose files are still there. */
static struct scounter_item *registry_find_item(const struct scounter_group *group,
						const char *name, u32 hash, bool alive)
{
	struct scounter_item *item;

	hlist_for_each_entry(item, scounter_hash_list(&names, hash), hashed.node)
		if (item->hashed.hash == hash && item->spot.group == group &&
		    item->alive == alive && !strcmp(item->name, name))
			return item;
	return NULL;
}

/* What may have to be there before an item can be named. */
struct registry_fresh {
	struct scounter_group *group;
	struct scounter_owner *owner;
};

static int registry_allocate(struct registry_fresh *fresh, gfp_t gfp)
{
	if (!fresh->group)
		fresh->group = kzalloc(sizeof(*fresh->group), gfp);
	if (!fresh->owner)
		fresh->owner = kzalloc(sizeof(*fresh->owner), gfp);
	return fresh->group && fresh->owner ? 0 : -ENOMEM;
}

static struct scounter_group *registry_add_group(struct registry_fresh *fresh,
						 struct scounter_item_type *type, const char *name)
{
	struct scounter_group *group = fresh->group;

	fresh->group = NULL;
	group->type = type;
	strscpy(group->name, name, sizeof(group->name));
	list_add_tail(&group->end.list, &type->spots);
	scounter_hash_add(&groups, &group->hashed, registry_hash_of(type, name));
	return group;
}

static struct scounter_owner *registry_add_owner(struct registry_fresh *fresh,
						 struct module *module)
{
	struct scounter_owner *owner = fresh->owner;

	fresh->owner = NULL;
	owner->module = module;
	INIT_LIST_HEAD(&owner->items);
	INIT_LIST_HEAD(&owner->kept);
	scounter_hash_add(&owners, &owner->hashed, registry_hash_of_module(module));
	return owner;
}

/* What nobody uses any more is returned, to be freed without the lock. */
static struct scounter_owner *registry_drop_if_unused(struct scounter_owner *owner)
{
	if (owner->users || !list_empty(&owner->kept))
		return NULL;
	scounter_hash_del(&owners, &owner->hashed);
	return owner;
}

static void registry_count(const struct scounter_item *item, u32 more)
{
	struct scounter_item_type *type = registry_names_of(item);

	lockdep_assert_held(&names_lock);
	WRITE_ONCE(type->count, type->count + more);
}

static void registry_place(struct scounter_item *item, struct scounter_group *group, u32 hash)
{
	item->spot.group = group;
	if (!group)
		return;
	group->users++;
	scounter_hash_add(&names, &item->hashed, hash);
	if (item->hidden)
		return;
	list_add_tail(&item->spot.list, &group->end.list);
	registry_count(item, 1);
}

/* -EAGAIN if something has to be there before. */
static int registry_reserve(struct scounter_item *item, const char *group_name,
			    struct module *module, struct registry_fresh *fresh, bool now)
{
	struct scounter_owner *owner = registry_find_owner(module);
	struct scounter_item_type *names_of = registry_names_of(item);
	struct scounter_group *group = NULL;
	u32 hash = 0;

	lockdep_assert_held(&names_lock);
	if (!owner && !fresh->owner)
		return -EAGAIN;
	if (item->name) {
		group = registry_find_group(names_of, group_name);
		if (!group && !fresh->group)
			return -EAGAIN;
		group = group ?: registry_add_group(fresh, names_of, group_name);
		hash = registry_hash_of(group, item->name);
		if (registry_find_item(group, item->name, hash, true))
			return -EEXIST;
	}
	owner = owner ?: registry_add_owner(fresh, module);
	owner->users++;
	if (item->kept)
		list_del(&item->owned);
	item->kept = false;
	item->owner = owner;
	list_add_tail(&item->owned, &owner->items);
	registry_place(item, group, hash);
	item->alive = true;
	if (!item->name || item->without_files)
		return 0;
	item->files = now ? SCOUNTER_FILES_THERE : SCOUNTER_FILES_WANTED;
	if (!now)
		list_add_tail(&item->work, &waiting);
	return 0;
}

static bool registry_tables_misfit(void)
{
	lockdep_assert_held(&names_lock);
	return scounter_hash_misfits(&names) || scounter_hash_misfits(&groups) ||
		scounter_hash_misfits(&owners);
}

/* A name that is taken in a group that is there: so no group is left without items. */
static int registry_enter(struct scounter_item *item, const char *group, struct module *module,
			  gfp_t gfp, bool now, bool *misfit)
{
	struct registry_fresh fresh = {};
	unsigned long flags;
	int err;

	INIT_LIST_HEAD(&item->spot.list);
	INIT_HLIST_NODE(&item->hashed.node);
	INIT_LIST_HEAD(&item->work);
	item->waited_for = false;
	item->gone = false;
	for (;;) {
		raw_spin_lock_irqsave(&names_lock, flags);
		err = registry_reserve(item, group, module, &fresh, now);
		*misfit = registry_tables_misfit();
		raw_spin_unlock_irqrestore(&names_lock, flags);
		if (err != -EAGAIN)
			break;
		err = registry_allocate(&fresh, gfp);
		if (err)
			break;
	}
	kfree(fresh.group);
	kfree(fresh.owner);
	return err;
}

/* Files */

static void registry_remove_group_if_unused(struct scounter_group *group)
{
	unsigned long flags;
	bool unused;

	lockdep_assert_held(&files_mutex);
	raw_spin_lock_irqsave(&names_lock, flags);
	unused = !group->users;
	raw_spin_unlock_irqrestore(&names_lock, flags);
	if (!unused)
		return;
	group->type->remove_group(group);
	/* A name in it may have been taken meanwhile: its files come after this. */
	raw_spin_lock_irqsave(&names_lock, flags);
	unused = !group->users;
	if (unused) {
		scounter_hash_del(&groups, &group->hashed);
		list_del(&group->end.list);
	}
	raw_spin_unlock_irqrestore(&names_lock, flags);
	if (unused)
		kfree(group);
}

/* Who waits for an item gets it back. */
static void registry_hand_back(struct scounter_item *item, struct scounter_owner *owner)
{
	lockdep_assert_held(&names_lock);
	if (item->keep) {
		item->kept = true;
		list_add(&item->owned, &owner->kept);
	}
	item->gone = true;
}

/* What an item was in, which is freed, or is @waited_for. */
static void registry_leave(struct scounter_group *group, struct scounter_owner *owner,
			   struct scounter_item *waited_for)
{
	struct scounter_owner *unused;
	unsigned long flags;
	bool tell;

	lockdep_assert_held(&files_mutex);
	raw_spin_lock_irqsave(&names_lock, flags);
	if (waited_for)
		registry_hand_back(waited_for, owner);
	if (group)
		group->users--;
	owner->users--;
	/* Its module, which goes, may be all that is left. */
	tell = waited_for || owner->users == 1;
	unused = registry_drop_if_unused(owner);
	raw_spin_unlock_irqrestore(&names_lock, flags);
	if (tell)
		wake_up_all(&gone);
	kfree(unused);
	if (group)
		registry_remove_group_if_unused(group);
}

/* A dead item, not in the list of those any more, or about to be. */
static void registry_bury(struct scounter_item *item)
{
	bool waited_for, pinned;
	unsigned long flags;

	lockdep_assert_held(&files_mutex);
	if (item->files)
		item->type->remove(item);
	raw_spin_lock_irqsave(&names_lock, flags);
	if (item->files)
		scounter_hash_del(&names, &item->hashed);
	item->files = SCOUNTER_NO_FILES;
	list_del_init(&item->work);
	waited_for = item->waited_for;
	pinned = item->pins;
	if (!pinned && !waited_for)
		list_add_tail(&item->work, &buried);
	raw_spin_unlock_irqrestore(&names_lock, flags);
	/* It comes again when the last reader has unpinned it. */
	if (pinned)
		return;
	if (waited_for)
		registry_leave(item->spot.group, item->owner, item);
	else
		queue_work(scounter_unbound_wq, &free_work);
}

/* False if there is none. */
static bool registry_free_one(void)
{
	struct scounter_group *group;
	struct scounter_owner *owner;
	struct scounter_item *item;
	unsigned long flags;

	raw_spin_lock_irqsave(&names_lock, flags);
	item = list_first_entry_or_null(&buried, struct scounter_item, work);
	if (item)
		list_del_init(&item->work);
	raw_spin_unlock_irqrestore(&names_lock, flags);
	if (!item)
		return false;
	group = item->spot.group;
	owner = item->owner;
	item->type->free(item);
	mutex_lock(&files_mutex);
	registry_leave(group, owner, NULL);
	mutex_unlock(&files_mutex);
	return true;
}

static void registry_free_all(struct work_struct *work)
{
	while (registry_free_one())
		cond_resched();
}

static int registry_without_files(struct scounter_item *item, int err)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&names_lock, flags);
	item->files = SCOUNTER_NO_FILES;
	if (!item->alive)
		scounter_hash_del(&names, &item->hashed);
	raw_spin_unlock_irqrestore(&names_lock, flags);
	return err;
}

static int registry_make_files(struct scounter_item *item)
{
	struct scounter_item *before;
	unsigned long flags;
	int err;

	lockdep_assert_held(&files_mutex);
	raw_spin_lock_irqsave(&names_lock, flags);
	before = item;
	if (item->alive)
		before = registry_find_item(item->spot.group, item->name, item->hashed.hash, false);
	raw_spin_unlock_irqrestore(&names_lock, flags);
	if (before == item)
		return registry_without_files(item, 0);
	if (before)
		registry_bury(before);
	err = item->type->add(item);
	return err ? registry_without_files(item, err) : 0;
}

static void registry_make_files_late(struct scounter_item *item)
{
	int err = registry_make_files(item);

	/* Its name stays as long as the item, which nobody buries without this mutex. */
	if (err)
		pr_warn("%s%s/%s counts, but has no files: error %d\n", item->type->folder,
			item->spot.group->name, item->name, err);
}

/* False if there is nothing to do. */
static bool registry_see_to_one(void)
{
	struct scounter_item *item, *new;
	unsigned long flags;

	mutex_lock(&files_mutex);
	raw_spin_lock_irqsave(&names_lock, flags);
	item = list_first_entry_or_null(&dead, struct scounter_item, work);
	new = is_shown ? list_first_entry_or_null(&waiting, struct scounter_item, work) : NULL;
	if (!item && new) {
		list_del_init(&new->work);
		new->files = SCOUNTER_FILES_THERE;
	}
	raw_spin_unlock_irqrestore(&names_lock, flags);
	if (item)
		registry_bury(item);
	else if (new)
		registry_make_files_late(new);
	mutex_unlock(&files_mutex);
	return item || new;
}

static void registry_resize(void)
{
	if (!mutex_trylock(&resize_mutex))
		return;
	scounter_hash_resize(&names, &names_lock);
	scounter_hash_resize(&groups, &names_lock);
	scounter_hash_resize(&owners, &names_lock);
	mutex_unlock(&resize_mutex);
}

static void registry_see_to_all(struct work_struct *work)
{
	u32 n = 0;

	/* Now and then: to look whether the tables fit takes the lock for each. */
	do {
		if (n++ % LOOKS == 0)
			registry_resize();
		cond_resched();
	} while (registry_see_to_one());
	registry_resize();
}

/* All that making files does: it allocates in ways that no @gfp reaches. */
bool scounter_item_gets_files_now(gfp_t gfp)
{
	return READ_ONCE(is_shown) && (current_gfp_context(gfp) & GFP_KERNEL) == GFP_KERNEL;
}

static int registry_check(const struct scounter_item *item, const char *group)
{
	const struct scounter_item_type *names_of = registry_names_of(item);
	int err = scounter_check_name("group", group);

	if (!err && names_of->reserves && names_of->reserves(group)) {
		pr_warn_ratelimited("a group cannot be named '%s'\n", group);
		err = -EINVAL;
	}
	return err;
}

int scounter_item_enter(struct scounter_item *item, const char *group,
			struct module *owner, gfp_t gfp)
{
	bool now = scounter_item_gets_files_now(gfp), misfit;
	int err = 0;

	if (!group)
		group = module_name(owner);
	if (item->name)
		err = registry_check(item, group);
	if (!err)
		err = registry_enter(item, group, owner, gfp, now, &misfit);
	if (err == -EEXIST)
		pr_warn_ratelimited("%s%s/%s: the name of the %s is taken\n",
				    item->type->folder, group, item->name, item->type->what);
	if (err)
		return err;
	if (now && misfit)
		registry_resize();
	if (!now)
		registry_see_to_all_soon();
	if (!now || !item->files)
		return 0;
	mutex_lock(&files_mutex);
	err = registry_make_files(item);
	mutex_unlock(&files_mutex);
	if (err)
		scounter_item_take_down(item);
	return err;
}

/* The end of items */

static void registry_withdraw(struct scounter_item *item, bool waited_for)
{
	lockdep_assert_held(&names_lock);
	item->alive = false;
	item->waited_for = waited_for;
	if (!list_empty(&item->spot.list))
		registry_count(item, -1);
	list_del_init(&item->spot.list);
	list_del(&item->owned);
	if (item->files == SCOUNTER_FILES_WANTED) {
		list_del(&item->work);
		item->files = SCOUNTER_NO_FILES;
	}
	if (!item->files && item->spot.group)
		scounter_hash_del(&names, &item->hashed);
	list_add_tail(&item->work, &dead);
}

void scounter_item_withdraw(struct scounter_item *item)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&names_lock, flags);
	registry_withdraw(item, false);
	raw_spin_unlock_irqrestore(&names_lock, flags);
	registry_see_to_all_soon();
}

static bool registry_is_gone(struct scounter_item *item)
{
	unsigned long flags;
	bool is;

	raw_spin_lock_irqsave(&names_lock, flags);
	is = item->gone;
	raw_spin_unlock_irqrestore(&names_lock, flags);
	return is;
}

static bool registry_is_dead_and_left(struct scounter_item *item)
{
	unsigned long flags;
	bool left;

	raw_spin_lock_irqsave(&names_lock, flags);
	left = !list_empty(&item->work);
	raw_spin_unlock_irqrestore(&names_lock, flags);
	return left;
}

void scounter_item_take_down(struct scounter_item *item)
{
	unsigned long flags;

	might_sleep();
	/* An allocation may wait for files_mutex from here on. */
	fs_reclaim_acquire(GFP_KERNEL);
	fs_reclaim_release(GFP_KERNEL);
	raw_spin_lock_irqsave(&names_lock, flags);
	registry_withdraw(item, true);
	raw_spin_unlock_irqrestore(&names_lock, flags);
	/* Before all others that are dead. */
	mutex_lock(&files_mutex);
	if (registry_is_dead_and_left(item))
		registry_bury(item);
	mutex_unlock(&files_mutex);
	wait_event(gone, registry_is_gone(item));
}

bool scounter_item_is_alive(struct scounter_item *item)
{
	unsigned long flags;
	bool alive;

	raw_spin_lock_irqsave(&names_lock, flags);
	alive = item->alive;
	raw_spin_unlock_irqrestore(&names_lock, flags);
	return alive;
}

struct module *scounter_item_module(const struct scounter_item *item)
{
	return item->owner->module;
}

bool scounter_item_may_be_made(const char *what, const char *group, const char *name,
			       struct module *owner)
{
	if (READ_ONCE(is_open) && !in_nmi() && (!IS_ENABLED(CONFIG_PREEMPT_RT) || preemptible()))
		return true;
	pr_warn_ratelimited("%s/%s: no %s can be created in this context\n",
			    group ?: module_name(owner), name, what);
	return false;
}

/* Modules that go */

static struct scounter_owner *registry_get_owner(struct module *module)
{
	struct scounter_owner *owner;
	unsigned long flags;

	raw_spin_lock_irqsave(&names_lock, flags);
	owner = registry_find_owner(module);
	if (owner)
		owner->users++;
	raw_spin_unlock_irqrestore(&names_lock, flags);
	return owner;
}

static void registry_put_owner(struct scounter_owner *owner)
{
	struct scounter_owner *unused;
	unsigned long flags;

	raw_spin_lock_irqsave(&names_lock, flags);
	owner->users--;
	unused = registry_drop_if_unused(owner);
	raw_spin_unlock_irqrestore(&names_lock, flags);
	kfree(unused);
}

/* Nobody else destroys an item of a module that goes. */
static struct scounter_item *registry_first_of(struct list_head *list)
{
	struct scounter_item *item;
	unsigned long flags;

	raw_spin_lock_irqsave(&names_lock, flags);
	item = list_first_entry_or_null(list, struct scounter_item, owned);
	raw_spin_unlock_irqrestore(&names_lock, flags);
	return item;
}

static void registry_say_left_behind(const struct scounter_item *item, struct module *module)
{
	if (item->name)
		pr_warn("%s left the %s %s%s/%s behind; it is removed\n", module_name(module),
			item->type->what, item->type->folder, item->spot.group->name, item->name);
	else
		pr_warn("%s left the %s without a name behind; it is removed\n",
			module_name(module), item->type->what);
}

static void registry_withdraw_all_of(struct scounter_owner *owner)
{
	struct scounter_item *item;
	u32 n;

	for (n = 0; (item = registry_first_of(&owner->items)); n++) {
		if (n < NAMED)
			registry_say_left_behind(item, owner->module);
		scounter_item_withdraw(item);
		cond_resched();
	}
	if (n > NAMED)
		pr_warn("%s left %u more behind; they are removed\n",
			module_name(owner->module), n - NAMED);
}

static void registry_free_kept(struct scounter_owner *owner)
{
	struct scounter_item *item;
	unsigned long flags;

	while ((item = registry_first_of(&owner->kept))) {
		raw_spin_lock_irqsave(&names_lock, flags);
		list_del(&item->owned);
		item->keep = false;
		raw_spin_unlock_irqrestore(&names_lock, flags);
		item->type->free(item);
		cond_resched();
	}
}

static bool registry_is_alone(struct scounter_owner *owner)
{
	unsigned long flags;
	bool is;

	raw_spin_lock_irqsave(&names_lock, flags);
	is = owner->users == 1;
	raw_spin_unlock_irqrestore(&names_lock, flags);
	return is;
}

/*
 * A module that goes, or failed to come.  What it forgot is removed, as static counters
 * vanish with its memory; and of all that it had there is no file any more when it is
 * gone.
 */
static int registry_module_notify(struct notifier_block *block, unsigned long state, void *module)
{
	struct scounter_owner *owner;

	if (state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	owner = registry_get_owner(module);
	if (!owner)
		return NOTIFY_DONE;
	registry_withdraw_all_of(owner);
	wait_event(gone, registry_is_alone(owner));
	registry_free_kept(owner);
	registry_put_owner(owner);
	return NOTIFY_OK;
}

static struct notifier_block module_block = {
	.notifier_call = registry_module_notify,
};

/* Readers */

void scounter_walk_start(struct scounter_walk *walk, struct scounter_item_type *type)
{
	unsigned long flags;

	walk->type = type;
	walk->spot.group = NULL;
	walk->group = NULL;
	raw_spin_lock_irqsave(&names_lock, flags);
	list_add(&walk->spot.list, &type->spots);
	raw_spin_unlock_irqrestore(&names_lock, flags);
}

void scounter_walk_stop(struct scounter_walk *walk)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&names_lock, flags);
	list_del(&walk->spot.list);
	raw_spin_unlock_irqrestore(&names_lock, flags);
}

/* The first spots after @at that are items; @at becomes the last spot looked at. */
static u32 registry_pin_some(struct scounter_walk *walk, struct scounter_spot **at,
			     struct scounter_item **items, u32 most, bool *end)
{
	u32 looks, n = 0;

	for (looks = 0; looks < LOOKS && n < most; looks++) {
		*end = list_is_last(&(*at)->list, &walk->type->spots);
		if (*end)
			break;
		*at = list_next_entry(*at, list);
		if (!(*at)->group)
			continue;
		if (walk->group && strcmp((*at)->group->name, walk->group)) {
			*at = &(*at)->group->end;
			continue;
		}
		items[n] = container_of(*at, struct scounter_item, spot);
		items[n]->pins++;
		if (items[n++]->type->slow)
			break;
	}
	return n;
}

u32 scounter_walk_some(struct scounter_walk *walk, struct scounter_item **items, u32 most)
{
	struct scounter_spot *at;
	unsigned long flags;
	bool end = false;
	u32 n = 0;

	while (!n && !end) {
		raw_spin_lock_irqsave(&names_lock, flags);
		at = &walk->spot;
		n = registry_pin_some(walk, &at, items, most, &end);
		if (at != &walk->spot)
			list_move(&walk->spot.list, &at->list);
		raw_spin_unlock_irqrestore(&names_lock, flags);
		/* There may be any number of groups with hidden counters only. */
		cond_resched();
	}
	return n;
}

struct scounter_item *scounter_walk_peek(struct scounter_walk *walk)
{
	struct scounter_item *item = NULL;
	struct scounter_spot *at;
	unsigned long flags;
	bool end = false;

	while (!item && !end) {
		raw_spin_lock_irqsave(&names_lock, flags);
		at = &walk->spot;
		registry_pin_some(walk, &at, &item, 1, &end);
		/* Before the item, or after what is none. */
		if (item)
			list_move_tail(&walk->spot.list, &at->list);
		else if (at != &walk->spot)
			list_move(&walk->spot.list, &at->list);
		raw_spin_unlock_irqrestore(&names_lock, flags);
		cond_resched();
	}
	return item;
}

void scounter_walk_step(struct scounter_walk *walk, struct scounter_item *item)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&names_lock, flags);
	/* If it has gone, the next one is in its place. */
	if (!list_empty(&item->spot.list))
		list_move(&walk->spot.list, &item->spot.list);
	raw_spin_unlock_irqrestore(&names_lock, flags);
}

void scounter_unpin(struct scounter_item **items, u32 n)
{
	unsigned long flags;
	bool last = false;
	u32 i;

	raw_spin_lock_irqsave(&names_lock, flags);
	for (i = 0; i < n; i++) {
		if (--items[i]->pins || items[i]->alive || !list_empty(&items[i]->work))
			continue;
		list_add_tail(&items[i]->work, &dead);
		last = true;
	}
	raw_spin_unlock_irqrestore(&names_lock, flags);
	if (last)
		registry_see_to_all_soon();
}

/* Stripes have their places: a counter of any kind can be made. */
void scounter_registry_open(void)
{
	WRITE_ONCE(is_open, true);
}

/* What was named before has waited for its files. */
void scounter_registry_show(void)
{
	WRITE_ONCE(is_shown, true);
	registry_see_to_all_soon();
}

int scounter_registry_init(void)
{
	return register_module_notifier(&module_block);
}

/* Every client is gone, and with it its items. */
void scounter_registry_exit(void)
{
	struct scounter_owner *own;

	unregister_module_notifier(&module_block);
	flush_work(&files_work);
	flush_work(&free_work);
	own = registry_get_owner(THIS_MODULE);
	if (own) {
		registry_free_kept(own);
		registry_put_owner(own);
	}
	WARN_ON(names.count || groups.count || owners.count);
	scounter_hash_free(&names);
	scounter_hash_free(&groups);
	scounter_hash_free(&owners);
}

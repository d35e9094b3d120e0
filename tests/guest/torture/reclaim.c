// SPDX-License-Identifier: GPL-2.0
/*
 * A cache of counters, and of sets of them, that reclaim evicts: a shrinker destroys
 * them.  Who tortures makes the kernel reclaim, by /proc/sys/vm/drop_caches.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/sched/mm.h>
#include <linux/scounter_set.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/version.h>

#include "torture.h"

#define CACHED_MAX	300

struct cached {
	struct list_head list;
	struct scounter *counter;	/* or: */
	struct scounter_set *set;
};

static const struct scounter_set_row rows[] = {
	SCOUNTER_SET_ROW("hits", SCOUNTER_EXACT, 0, "", "Hits."),
	SCOUNTER_SET_ROW("misses", SCOUNTER_APPROX, 0, "", "Misses."),
};

static const struct scounter_set_desc desc = {
	.group = "cached", .rows = rows, .count = ARRAY_SIZE(rows),
};

static LIST_HEAD(cache);
static DEFINE_SPINLOCK(cache_lock);
static u32 cached;
static u64 evicted;
static struct task_struct *filler;

static struct cached *take(void)
{
	struct cached *one;

	spin_lock(&cache_lock);
	one = list_first_entry_or_null(&cache, struct cached, list);
	if (one) {
		list_del(&one->list);
		WRITE_ONCE(cached, cached - 1);
		WRITE_ONCE(evicted, evicted + 1);
	}
	spin_unlock(&cache_lock);
	return one;
}

static void put(struct cached *one)
{
	spin_lock(&cache_lock);
	list_add_tail(&one->list, &cache);
	WRITE_ONCE(cached, cached + 1);
	spin_unlock(&cache_lock);
}

static unsigned long count(struct shrinker *shrinker, struct shrink_control *control)
{
	return READ_ONCE(cached) ?: SHRINK_EMPTY;
}

/* Drop_caches calls it, too, and tells lockdep nothing. */
static unsigned long evict(struct shrinker *shrinker, struct shrink_control *control)
{
	unsigned long n = 0;
	struct cached *one;

	fs_reclaim_acquire(GFP_KERNEL);
	while (n < control->nr_to_scan && (one = take())) {
		scounter_destroy(one->counter);
		scounter_set_destroy(one->set);
		kfree(one);
		n++;
	}
	fs_reclaim_release(GFP_KERNEL);
	return n ?: SHRINK_STOP;
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
static struct shrinker *shrinker;

static int shrinker_start(void)
{
	shrinker = shrinker_alloc(0, "scounter_torture");
	if (!shrinker)
		return -ENOMEM;
	shrinker->count_objects = count;
	shrinker->scan_objects = evict;
	shrinker->seeks = DEFAULT_SEEKS;
	shrinker_register(shrinker);
	return 0;
}

static void shrinker_stop(void)
{
	shrinker_free(shrinker);
}
#else
static struct shrinker shrinker = {
	.count_objects	= count,
	.scan_objects	= evict,
	.seeks		= DEFAULT_SEEKS,
};

static int shrinker_start(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 0, 0)
	return register_shrinker(&shrinker, "scounter_torture");
#else
	return register_shrinker(&shrinker);
#endif
}

static void shrinker_stop(void)
{
	unregister_shrinker(&shrinker);
}
#endif

/* Nothing, if there is no memory. */
static void fill_one(u32 number)
{
	const struct scounter_params params = {
		.kind = SCOUNTER_EXACT, .hide = number % (SCOUNTER_HIDE_ALL + 1),
	};
	struct cached *one = kzalloc(sizeof(*one), GFP_KERNEL);
	char name[16];

	if (!one)
		return;
	snprintf(name, sizeof(name), "%u", number);
	if (number % 4)
		one->counter = scounter_create_params(name, "cached", &params, GFP_KERNEL);
	else
		one->set = scounter_set_create(&desc, name, GFP_KERNEL);
	if (IS_ERR(one->counter) || IS_ERR(one->set)) {
		kfree(one);
		return;
	}
	if (one->counter)
		scounter_inc(one->counter);
	put(one);
}

static int fill(void *unused)
{
	u32 number;

	for (number = 0; !kthread_should_stop(); number++) {
		if (READ_ONCE(cached) < CACHED_MAX)
			fill_one(number);
		schedule_timeout_interruptible(1);
	}
	return 0;
}

u64 torture_evicted(void)
{
	return READ_ONCE(evicted);
}

int torture_reclaim_start(void)
{
	int err = shrinker_start();

	if (err)
		return err;
	filler = kthread_run(fill, NULL, "scounter_cache");
	if (!IS_ERR(filler))
		return 0;
	shrinker_stop();
	return PTR_ERR(filler);
}

/* Does nothing the second time. */
void torture_reclaim_stop(void)
{
	struct shrink_control all = { .nr_to_scan = CACHED_MAX };

	if (IS_ERR_OR_NULL(filler))
		return;
	kthread_stop(filler);
	filler = NULL;
	shrinker_stop();
	evict(NULL, &all);
}

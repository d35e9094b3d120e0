// SPDX-License-Identifier: GPL-2.0
/* Names, groups and lifetime, and every allocation failing once. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/debug_locks.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/namei.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/scounter.h>
#include <linux/scounter_array.h>
#include <linux/scounter_topk.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "kinds/kind.h"
#include "registry/counters.h"
#include "tests/faults.h"

#define GROUP	"kunit"

static struct scounter *create(const char *name, const char *group)
{
	return scounter_create(name, group, SCOUNTER_EXACT, 0, GFP_KERNEL);
}

/* How many counters there are, as readers find them. */
static u32 count_entries(void)
{
	struct scounter_item *items[7];
	struct scounter_walk walk;
	u32 n, sum = 0;

	scounter_walk_start(&walk, &scounter_counters);
	while ((n = scounter_walk_some(&walk, items, ARRAY_SIZE(items)))) {
		sum += n;
		scounter_unpin(items, n);
	}
	scounter_walk_stop(&walk);
	return sum;
}

static void names_are_checked(struct kunit *test)
{
	static const struct {
		const char *name;
		long error;
	} bad[] = {
		{ "", -EINVAL },
		{ NULL, -EINVAL },
		{ ".", -EINVAL },
		{ "..", -EINVAL },
		{ "a/b", -EINVAL },
		{ "/", -EINVAL },
		{ "a\nb", -EINVAL },
		{ "\x01", -EINVAL },
		{ "tab\there", -EINVAL },
		{ "del\x7f", -EINVAL },
		{ "0123456789012345678901234567890123456789012345678901234567890123",
		  -ENAMETOOLONG },
	};
	static const char *const reserved[] = {
		"counters", "kinds", "refused", "arrays", "topk",
	};
	u32 before = count_entries();
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_EQ(test, PTR_ERR(create(bad[i].name, GROUP)), bad[i].error);
		/* NULL is the module's own group. */
		if (bad[i].name)
			KUNIT_EXPECT_EQ(test, PTR_ERR(create("name", bad[i].name)),
					bad[i].error);
	}
	for (i = 0; i < ARRAY_SIZE(reserved); i++)
		KUNIT_EXPECT_EQ(test, PTR_ERR(create("name", reserved[i])), (long)-EINVAL);
	KUNIT_EXPECT_EQ(test, count_entries(), before);
}

static void unusual_names_are_accepted(struct kunit *test)
{
	static const char *const good[] = {
		"a", "with space", "\xc3\xbc", "%s", "...", "counters", "a:b*?",
		"012345678901234567890123456789012345678901234567890123456789012",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		struct scounter *counter = create(good[i], GROUP);

		KUNIT_EXPECT_FALSE(test, IS_ERR(counter));
		scounter_destroy(counter);
	}
}

static void name_is_taken_once_a_group(struct kunit *test)
{
	struct scounter *first = create("same", GROUP);
	struct scounter *other = create("same", "kunit_other");

	KUNIT_EXPECT_FALSE(test, IS_ERR(first));
	KUNIT_EXPECT_FALSE(test, IS_ERR(other));
	KUNIT_EXPECT_EQ(test, PTR_ERR(create("same", GROUP)), (long)-EEXIST);
	scounter_destroy(first);
	first = create("same", GROUP);
	KUNIT_EXPECT_FALSE(test, IS_ERR(first));
	scounter_destroy(other);
	scounter_destroy(first);
}

static void kinds_and_errors_are_checked(struct kunit *test)
{
	static const struct {
		u32 kind, ppm;
		long error;
	} bad[] = {
		{ 0, 0, -EINVAL },
		{ __SCOUNTER_KINDS + 1, 0, -EINVAL },
		{ 255, 0, -EINVAL },
		{ 258, 0, -EINVAL },
		{ ~0U, 0, -EINVAL },
		{ SCOUNTER_BFP_DUP, 4999, -ERANGE },
		{ SCOUNTER_BFP_CSUP, 200001, -ERANGE },
		{ SCOUNTER_APPROX, ~0U, -ERANGE },
		{ SCOUNTER_ATOMIC, 10000, -ERANGE },
	};
	u32 before = count_entries();
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, bad[i].error,
				    PTR_ERR(scounter_create("bad", GROUP, bad[i].kind,
							    bad[i].ppm, GFP_KERNEL)),
				    "case %u", i);
	KUNIT_EXPECT_EQ(test, count_entries(), before);
}

static void destroying_nothing_is_fine(struct kunit *test)
{
	scounter_destroy(NULL);
	scounter_destroy(ERR_PTR(-ENOMEM));
}

static bool has_files(const struct scounter *counter, enum scounter_view_id view)
{
	struct scounter_entry *entry =
		container_of(counter->history, struct scounter_entry, history);

	/* A work may be making them: not yet or already. */
	return data_race(entry->view[view]);
}

static DEFINE_SPINLOCK(atomic_context);
static DEFINE_RAW_SPINLOCK(raw_context);

/* In atomic context the counter works at once; its files come soon. */
static void creation_in_atomic_context(struct kunit *test)
{
	u32 before = count_entries();
	struct scounter *counter, *twin;
	u32 i;

	spin_lock_irq(&atomic_context);
	counter = scounter_create("atomic", GROUP, SCOUNTER_EXACT, 0, GFP_ATOMIC);
	twin = scounter_create("atomic", GROUP, SCOUNTER_EXACT, 0, GFP_ATOMIC);
	spin_unlock_irq(&atomic_context);
	KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
	KUNIT_EXPECT_EQ(test, PTR_ERR(twin), (long)-EEXIST);
	scounter_inc(counter);
	KUNIT_EXPECT_EQ(test, scounter_read(counter), 1ULL);
	KUNIT_EXPECT_EQ(test, count_entries(), before + 1);
	for (i = 0; i < 1000 && !has_files(counter, SCOUNTER_VIEW_SYSFS); i++)
		usleep_range(1000, 2000);
	KUNIT_EXPECT_LT(test, i, 1000U);
	/* As in a hard interrupt: lockdep wants raw locks alone. */
	raw_spin_lock_irq(&raw_context);
	scounter_destroy(counter);
	raw_spin_unlock_irq(&raw_context);
	KUNIT_EXPECT_EQ(test, count_entries(), before);
}

static void destruction_overtakes_publication(struct kunit *test)
{
	u32 before = count_entries();
	u32 i;

	for (i = 0; i < 200; i++) {
		struct scounter *counter;

		spin_lock_irq(&atomic_context);
		counter = scounter_create("brief", GROUP, SCOUNTER_APPROX, 0, GFP_ATOMIC);
		spin_unlock_irq(&atomic_context);
		KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
		scounter_destroy(counter);
	}
	KUNIT_EXPECT_EQ(test, count_entries(), before);
}

/*
 * Reclaim calls its shrinkers while the caller of kmalloc() has what it has.  If a
 * creation allocates with a lock that destroying takes, lockdep says so, and is off
 * from then on.
 */
static void evict_all(struct kunit *test)
{
	struct scounter *counter = create("evicted", GROUP);
	struct scounter *other = create("other", GROUP);
	const struct scounter_array_type type = { .kind = SCOUNTER_REPR_MORRIS2, .bits = 6 };
	struct scounter_array *array = scounter_array_create("evicted", GROUP, &type, 1, 0);
	const struct scounter_topk_spec spec = { .capacity = 2, .key_size = 8 };
	struct scounter_topk *topk = scounter_topk_create("evicted", GROUP, &spec);

	KUNIT_ASSERT_FALSE(test, IS_ERR(counter) || IS_ERR(other) || IS_ERR(array) ||
				 IS_ERR(topk));
	fs_reclaim_acquire(GFP_KERNEL);
	scounter_destroy(counter);
	scounter_array_destroy(array);
	scounter_topk_destroy(topk);
	fs_reclaim_release(GFP_KERNEL);
	scounter_destroy(other);
	KUNIT_EXPECT_TRUE(test, debug_locks);
}

static void reclaim_destroys(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_PROVE_LOCKING) || !debug_locks)
		kunit_skip(test, "no lockdep");
	evict_all(test);
}

/* Also while the files of the one before are still there. */
static void a_name_is_free_at_once(struct kunit *test)
{
	u32 before = count_entries();
	struct scounter *counter;
	u32 i;

	for (i = 0; i < 200; i++) {
		counter = create("again", GROUP);
		KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
		spin_lock_irq(&atomic_context);
		scounter_destroy(counter);
		counter = i % 2 ? NULL : scounter_create("again", GROUP, SCOUNTER_EXACT, 0,
							 GFP_ATOMIC);
		spin_unlock_irq(&atomic_context);
		KUNIT_EXPECT_FALSE(test, IS_ERR(counter));
		scounter_destroy(counter);
	}
	KUNIT_EXPECT_EQ(test, count_entries(), before);
}

struct evicted {
	struct rcu_head rcu;
	struct scounter *counter;
	struct completion done;
};

static void evict(struct rcu_head *rcu)
{
	struct evicted *evicted = container_of(rcu, struct evicted, rcu);

	scounter_destroy(evicted->counter);
	complete(&evicted->done);
}

static void a_callback_of_rcu_destroys(struct kunit *test)
{
	struct evicted evicted = { .counter = create("object", GROUP) };
	u32 before = count_entries();

	KUNIT_ASSERT_FALSE(test, IS_ERR(evicted.counter));
	init_completion(&evicted.done);
	init_rcu_head_on_stack(&evicted.rcu);
	call_rcu(&evicted.rcu, evict);
	wait_for_completion(&evicted.done);
	destroy_rcu_head_on_stack(&evicted.rcu);
	KUNIT_EXPECT_EQ(test, count_entries(), before - 1);
}

/* Of a group of their own, by a reader that began before. */
static u32 count_rest(struct scounter_walk *walk, const struct scounter_group *group)
{
	struct scounter_item *item;
	u32 n = 0;

	while ((item = scounter_walk_peek(walk))) {
		n += item->spot.group == group;
		scounter_walk_step(walk, item);
		scounter_unpin(&item, 1);
	}
	return n;
}

/* Nobody waits for it, and it finds what is there when it comes by. */
static void a_reader_goes_on_among_destroyers(struct kunit *test)
{
	struct scounter *counters[5], *late;
	struct scounter_group *group;
	struct scounter_item *item;
	struct scounter_walk walk;
	char name[2] = "0";
	u32 i;

	for (i = 0; i < ARRAY_SIZE(counters); i++, name[0]++) {
		counters[i] = create(name, "kunit_walked");
		KUNIT_ASSERT_FALSE(test, IS_ERR(counters[i]));
	}
	scounter_walk_start(&walk, &scounter_counters);
	while ((item = scounter_walk_peek(&walk)) &&
	       strcmp(item->spot.group->name, "kunit_walked")) {
		scounter_walk_step(&walk, item);
		scounter_unpin(&item, 1);
	}
	KUNIT_ASSERT_NOT_NULL(test, item);
	group = item->spot.group;
	KUNIT_EXPECT_STREQ(test, item->name, "0");
	scounter_inc(counters[0]);
	scounter_destroy(counters[0]);
	scounter_destroy(counters[1]);
	late = create("late", "kunit_walked");
	/* It is pinned. */
	KUNIT_EXPECT_STREQ(test, item->name, "0");
	KUNIT_EXPECT_EQ(test, scounter_read(scounter_entry_of(item)->counter), 1ULL);
	scounter_walk_step(&walk, item);
	scounter_unpin(&item, 1);
	KUNIT_EXPECT_EQ(test, count_rest(&walk, group), 4U);
	scounter_walk_stop(&walk);
	for (i = 2; i < ARRAY_SIZE(counters); i++)
		scounter_destroy(counters[i]);
	scounter_destroy(late);
}

static void a_scope_destroys(struct kunit *test)
{
#ifdef DEFINE_FREE
	u32 before = count_entries();

	{
		struct scounter *counter __free(scounter) = create("scope", GROUP);
		struct scounter *twin __free(scounter) = create("scope", GROUP);

		KUNIT_EXPECT_FALSE(test, IS_ERR(counter));
		KUNIT_EXPECT_TRUE(test, IS_ERR(twin));
		KUNIT_EXPECT_EQ(test, count_entries(), before + 1);
	}
	KUNIT_EXPECT_EQ(test, count_entries(), before);
#else
	kunit_skip(test, "the kernel has no __free()");
#endif
}

static void counters_are_where_they_are_to_be(struct kunit *test)
{
	u32 before = count_entries();
	struct scounter *counter;
	u8 hide;

	for (hide = 0; hide <= SCOUNTER_HIDE_ALL; hide++) {
		const struct scounter_params params = { .kind = SCOUNTER_APPROX, .hide = hide };

		counter = scounter_create_params("shy", GROUP, &params, GFP_KERNEL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
		KUNIT_EXPECT_EQ(test, PTR_ERR(create("shy", GROUP)), (long)-EEXIST);
		KUNIT_EXPECT_EQ(test, has_files(counter, SCOUNTER_VIEW_SYSFS),
				!(hide & SCOUNTER_HIDE_SYSFS));
		KUNIT_EXPECT_EQ(test, has_files(counter, SCOUNTER_VIEW_DEBUGFS),
				!(hide & SCOUNTER_HIDE_DEBUGFS));
		KUNIT_EXPECT_EQ(test, count_entries(),
				before + !(hide & SCOUNTER_HIDE_SNAPSHOT));
		scounter_destroy(counter);
		KUNIT_EXPECT_EQ(test, count_entries(), before);
	}
}

static void what_cannot_be_hidden_is_refused(struct kunit *test)
{
	static DEFINE_SCOUNTER(shy, SCOUNTER_ATOMIC, 0);
	const struct scounter_params params = {
		.kind = SCOUNTER_APPROX, .hide = SCOUNTER_HIDE_ALL + 1,
	};
	const struct scounter_params word = {
		.kind = SCOUNTER_APPROX, .hide = SCOUNTER_HIDE_FILES,
	};
	struct scounter_class class;

	KUNIT_EXPECT_EQ(test, PTR_ERR(scounter_create_params("shy", GROUP, &params, GFP_KERNEL)),
			(long)-EINVAL);
	KUNIT_EXPECT_EQ(test, scounter_register_hidden(&shy, "shy", GROUP, 8), -EINVAL);
	KUNIT_EXPECT_EQ(test, scounter_class_init(&class, &word), -EINVAL);
	KUNIT_EXPECT_EQ(test, scounter_register_hidden(&shy, "shy", GROUP, SCOUNTER_HIDE_ALL), 0);
	KUNIT_EXPECT_FALSE(test, has_files(&shy, SCOUNTER_VIEW_SYSFS));
	scounter_unregister(&shy);
}

static bool is_in(struct scounter_hash *table, const struct scounter_hashed *item)
{
	struct scounter_hashed *other;

	hlist_for_each_entry(other, scounter_hash_list(table, item->hash), node)
		if (other == item)
			return true;
	return false;
}

static DEFINE_RAW_SPINLOCK(hash_lock);
static struct scounter_hash hash = SCOUNTER_HASH_INIT(hash);

static void a_hash_table_grows_and_shrinks(struct kunit *test)
{
	const u32 n = 3000;
	struct scounter_hashed *items = kunit_kcalloc(test, n, sizeof(*items), GFP_KERNEL);
	u32 i, found = 0;

	KUNIT_ASSERT_NOT_NULL(test, items);
	for (i = 0; i < n; i++) {
		scounter_hash_add(&hash, &items[i], i * 0x9e3779b9);
		if (i % 100 == 0)
			scounter_hash_resize(&hash, &hash_lock);
	}
	scounter_hash_resize(&hash, &hash_lock);
	KUNIT_EXPECT_GE(test, hash.now.size, n);
	for (i = 0; i < n; i++)
		found += is_in(&hash, &items[i]);
	KUNIT_EXPECT_EQ(test, found, n);
	for (i = n; i-- > 0; ) {
		KUNIT_EXPECT_TRUE(test, is_in(&hash, &items[i]));
		scounter_hash_del(&hash, &items[i]);
		KUNIT_EXPECT_FALSE(test, is_in(&hash, &items[i]));
		if (i % 100 == 0)
			scounter_hash_resize(&hash, &hash_lock);
	}
	KUNIT_EXPECT_EQ(test, hash.now.size, (u32)SCOUNTER_HASH_LEAST);
	scounter_hash_free(&hash);
}

static void many_counters(struct kunit *test)
{
	const u32 n = 500;
	struct scounter **counters = kunit_kcalloc(test, n, sizeof(*counters), GFP_KERNEL);
	u32 before = count_entries();
	char name[16];
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, counters);
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "many%u", i);
		counters[i] = scounter_create(name, i % 2 ? "kunit_odd" : GROUP,
					      SCOUNTER_APPROX, 0, GFP_KERNEL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(counters[i]));
	}
	KUNIT_EXPECT_EQ(test, count_entries(), before + n);
	for (i = 0; i < n; i++)
		scounter_destroy(counters[i]);
	KUNIT_EXPECT_EQ(test, count_entries(), before);
}

#ifdef CONFIG_FAULT_INJECTION
/*
 * Let the first allocation of a creation fail, then the second, and so on,
 * until one succeeds because it makes fewer.  Nothing may stay behind, and the
 * name must be free for the next try.
 */
static void allocations_fail(struct kunit *test, enum scounter_kind kind, gfp_t gfp)
{
	u32 before = count_entries();
	struct scounter *counter;
	u32 nth;

	for (nth = 1; nth < 1000; nth++) {
		bool failed;

		current->fail_nth = nth;
		counter = scounter_create("failing", "kunit_failing", kind, 0, gfp);
		failed = !current->fail_nth;
		current->fail_nth = 0;
		if (!IS_ERR(counter)) {
			scounter_destroy(counter);
			KUNIT_EXPECT_EQ(test, count_entries(), before);
			if (!failed)
				break;
			/* Something failed that a counter can do without. */
			continue;
		}
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(counter), (long)-ENOMEM,
				    "allocation %u", nth);
		KUNIT_EXPECT_EQ(test, count_entries(), before);
	}
	KUNIT_EXPECT_GT(test, nth, 3U);
	KUNIT_EXPECT_LT(test, nth, 1000U);
}

static void every_allocation_fails_once(struct kunit *test)
{
	enum scounter_kind kind;

	skip_while_booting(test);
	for (kind = SCOUNTER_ATOMIC; scounter_kind_name(kind); kind++)
		allocations_fail(test, kind, GFP_KERNEL);
	allocations_fail(test, SCOUNTER_MULTILINE, GFP_ATOMIC);
}

static DEFINE_SCOUNTER(failing, SCOUNTER_MULTILINE, 0);

static void registration_fails_and_the_counter_counts_on(struct kunit *test)
{
	u64 counted = scounter_read(&failing);
	u32 nth;

	for (nth = 1; nth < 1000; nth++) {
		bool failed;
		int err;

		current->fail_nth = nth;
		err = scounter_register(&failing, "failing", GROUP);
		failed = !current->fail_nth;
		current->fail_nth = 0;
		scounter_inc(&failing);
		KUNIT_EXPECT_EQ(test, scounter_read(&failing), counted + nth);
		/* It may have done without what failed. */
		if (!err)
			scounter_unregister(&failing);
		else
			KUNIT_EXPECT_EQ_MSG(test, err, -ENOMEM, "allocation %u", nth);
		if (!failed)
			break;
	}
	KUNIT_EXPECT_LT(test, nth, 1000U);
	KUNIT_EXPECT_EQ(test, scounter_register(&failing, "failing", GROUP), 0);
	scounter_unregister(&failing);
}
#else
static void every_allocation_fails_once(struct kunit *test)
{
	kunit_skip(test, "the kernel has no fault injection");
}

static void registration_fails_and_the_counter_counts_on(struct kunit *test)
{
	kunit_skip(test, "the kernel has no fault injection");
}
#endif

static struct kunit_case registry_cases[] = {
	KUNIT_CASE(names_are_checked),
	KUNIT_CASE(unusual_names_are_accepted),
	KUNIT_CASE(name_is_taken_once_a_group),
	KUNIT_CASE(kinds_and_errors_are_checked),
	KUNIT_CASE(destroying_nothing_is_fine),
	KUNIT_CASE(creation_in_atomic_context),
	KUNIT_CASE(destruction_overtakes_publication),
	KUNIT_CASE(reclaim_destroys),
	KUNIT_CASE(a_name_is_free_at_once),
	KUNIT_CASE(a_callback_of_rcu_destroys),
	KUNIT_CASE(a_reader_goes_on_among_destroyers),
	KUNIT_CASE(a_scope_destroys),
	KUNIT_CASE(counters_are_where_they_are_to_be),
	KUNIT_CASE(what_cannot_be_hidden_is_refused),
	KUNIT_CASE(a_hash_table_grows_and_shrinks),
	KUNIT_CASE(many_counters),
	KUNIT_CASE(every_allocation_fails_once),
	KUNIT_CASE(registration_fails_and_the_counter_counts_on),
	{}
};

static struct kunit_suite registry_suite = {
	.name = "scounter_registry",
	.test_cases = registry_cases,
};
kunit_test_suites(&registry_suite);

// SPDX-License-Identifier: GPL-2.0
/* Sets: what they count, what is refused, names and lifetime. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/debug_locks.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/scounter_set.h>
#include <linux/string.h>

#include "registry/snapshot.h"
#include "set/named.h"
#include "tests/faults.h"

#define GROUP	"kunit_set"

enum { EXACT, APPROX, SCALABLE32, MORRIS, ROWS };

static const struct scounter_set_row mixed_rows[ROWS] = {
	[EXACT] = SCOUNTER_SET_ROW("exact", SCOUNTER_EXACT, 0, "packets", "What is exact."),
	[APPROX] = SCOUNTER_SET_ROW("approx", SCOUNTER_APPROX, 0, NULL, NULL),
	[SCALABLE32] = SCOUNTER_SET_ROW("scalable32", SCOUNTER_SCALABLE32, 0, NULL, NULL),
	[MORRIS] = SCOUNTER_SET_ROW("morris", SCOUNTER_MORRIS, 0, "bytes", NULL),
};

static const struct scounter_set_desc mixed = {
	.group = GROUP, .label = "link", .rows = mixed_rows, .count = ROWS,
};

static const struct scounter_set_row small_rows[] = {
	SCOUNTER_SET_ROW("a", SCOUNTER_APPROX, 0, NULL, NULL),
	SCOUNTER_SET_ROW("b", SCOUNTER_BFP_DUP, 20000, NULL, NULL),
	SCOUNTER_SET_ROW("c", SCOUNTER_SCALABLE32, 0, NULL, NULL),
};

static const struct scounter_set_desc small = {
	.group = GROUP, .rows = small_rows, .count = ARRAY_SIZE(small_rows),
	.flags = SCOUNTER_SET_WORDS32,
};

static struct scounter_set *create(const struct scounter_set_desc *desc, const char *object)
{
	return scounter_set_create(desc, object, GFP_KERNEL);
}

/* Few enough to be exact in all kinds; each row another number. */
static void count(struct kunit *test, struct scounter_set *set)
{
	const u32 rows = set->desc->count;
	struct scounter_estimate estimate;
	u32 i, n;

	for (i = 0; i < rows; i++) {
		for (n = 0; n < 10 * i + 1; n++)
			scounter_set_inc(set, i);
		scounter_set_add(set, i, 5);
		scounter_set_add(set, i, 0);
		scounter_set_add(set, i, 1ULL << 63);
	}
	for (i = 0; i < rows; i++) {
		KUNIT_EXPECT_EQ(test, scounter_set_read(set, i), 10ULL * i + 6);
		scounter_set_read_est(set, i, &estimate);
		KUNIT_EXPECT_EQ(test, estimate.value, 10ULL * i + 6);
		KUNIT_EXPECT_EQ(test, estimate.error_ppm, 0U);
	}
}

static void counters_of_a_set_count_alone(struct kunit *test)
{
	struct scounter_set *set = create(&mixed, "eth0"), *other = create(&small, "eth1");

	KUNIT_ASSERT_FALSE(test, IS_ERR(set) || IS_ERR(other));
	count(test, set);
	count(test, other);
	scounter_set_destroy(set);
	scounter_set_destroy(other);
}

static void a_known_description_counts_as_an_unknown_one(struct kunit *test)
{
	struct scounter_set *set = create(&mixed, "eth0"), *other = create(&small, "eth1");

	KUNIT_ASSERT_FALSE(test, IS_ERR(set) || IS_ERR(other));
	scounter_set_inc_of(set, &mixed, EXACT);
	scounter_set_inc_of(set, &mixed, MORRIS);
	scounter_set_inc_of(set, &mixed, APPROX);
	scounter_set_inc_of(set, &mixed, APPROX);
	scounter_set_inc_of(other, &small, 1);
	scounter_set_inc(other, 1);
	scounter_word32_inc(scounter_set_word32(other, 1), &small_rows[1].class);
	KUNIT_EXPECT_EQ(test, scounter_set_read(set, EXACT), 1ULL);
	KUNIT_EXPECT_EQ(test, scounter_set_read(set, MORRIS), 1ULL);
	KUNIT_EXPECT_EQ(test, scounter_set_read(set, APPROX), 2ULL);
	KUNIT_EXPECT_EQ(test, scounter_set_read(set, SCALABLE32), 0ULL);
	KUNIT_EXPECT_EQ(test, scounter_set_read(other, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, scounter_set_read(other, 1), 3ULL);
	scounter_set_destroy(set);
	scounter_set_destroy(other);
}

/* On another CPU or in between: first the packet, then its byte. */
struct links {
	struct scounter_set *set;
	struct completion done;
	bool stop;
};

static int count_pairs(void *data)
{
	struct links *links = data;

	while (!READ_ONCE(links->stop)) {
		scounter_set_inc(links->set, EXACT);
		/* Pairs with moment_pass(): set-moment.litmus. */
		smp_wmb();
		scounter_set_inc(links->set, MORRIS);
		cond_resched();
	}
	complete(&links->done);
	return 0;
}

static void all_of_a_set_is_read_at_one_moment(struct kunit *test)
{
	static struct links links;
	struct scounter_estimate all[ROWS];
	u32 i, moments = 0;

	links.set = create(&mixed, "eth0");
	KUNIT_ASSERT_FALSE(test, IS_ERR(links.set));
	init_completion(&links.done);
	count(test, links.set);
	KUNIT_EXPECT_TRUE(test, scounter_set_read_all(links.set, all));
	for (i = 0; i < ROWS; i++)
		KUNIT_EXPECT_EQ(test, all[i].value, 10ULL * i + 6);
	/* Morris counts each event one by one until there are 11384 at 1 %. */
	scounter_set_add(links.set, EXACT, 10 * MORRIS);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(count_pairs, &links, "pairs")));
	for (i = 0; i < 1000; i++) {
		if (!scounter_set_read_all(links.set, all) || all[MORRIS].value > 10000)
			continue;
		moments++;
		KUNIT_EXPECT_LE(test, all[MORRIS].value, all[EXACT].value);
		KUNIT_EXPECT_LE(test, all[EXACT].value, all[MORRIS].value + 1);
	}
	WRITE_ONCE(links.stop, true);
	wait_for_completion(&links.done);
	kunit_info(test, "%u of 1000 reads were of one moment\n", moments);
	scounter_set_destroy(links.set);
}

static void a_set_without_a_name_counts(struct kunit *test)
{
	struct {
		SCOUNTER_SET_OF(ROWS) stats;
		SCOUNTER_SET32_OF(ARRAY_SIZE(small_rows)) few;
		u64 behind;
	} object;

	memset(&object, 0xff, sizeof(object));
	KUNIT_EXPECT_EQ(test, sizeof(object.few), 8 + sizeof(u32) * ARRAY_SIZE(small_rows) + 4);
	KUNIT_ASSERT_EQ(test, scounter_set_init(&object.stats, &mixed), 0);
	KUNIT_ASSERT_EQ(test, scounter_set_init(&object.few, &small), 0);
	count(test, &object.stats.set);
	count(test, &object.few.set);
	scounter_set_exit(&object.stats.set);
	scounter_set_exit(&object.few.set);
	KUNIT_EXPECT_EQ(test, object.behind, U64_MAX);
	KUNIT_EXPECT_EQ(test, scounter_set_init(&object.few, &mixed), -EINVAL);
	KUNIT_EXPECT_EQ(test, scounter_set_init(&object.stats, &small), -EINVAL);
	KUNIT_EXPECT_EQ(test, scounter_set_init(&object.stats, (struct scounter_set_desc *)NULL),
			-EINVAL);
}

/* A description that is right but for one thing. */
struct fault {
	const char *what;
	struct scounter_set_desc desc;
	struct scounter_set_row rows[2];
	const char *object;
	long error;
};

#define ROW(text)	SCOUNTER_SET_ROW(text, SCOUNTER_APPROX, 0, NULL, NULL)
#define TWO		{ ROW("one"), ROW("two") }
#define FAULT(text, ...)	{ .what = text, .desc = { .count = 2 }, .rows = TWO,	\
				  .object = "eth0", .error = -EINVAL, __VA_ARGS__ }

#define TOO_LONG	"0123456789012345678901234567890123456789012345678901234567890123"

static struct fault faults[] = {
	FAULT("no rows", .desc.count = 0),
	FAULT("too many rows", .desc.count = SCOUNTER_SET_ROWS_MAX + 1),
	FAULT("flags", .desc.flags = 4),
	FAULT("hiding", .desc.hide = 8),
	FAULT("a sparse set in sysfs", .desc.flags = SCOUNTER_SET_SPARSE),
	FAULT("twins", .rows[1].name = "one"),
	FAULT("a row without a name", .rows[1].name = NULL),
	FAULT("an empty name", .rows[1].name = ""),
	FAULT("a path", .rows[1].name = "a/b"),
	FAULT("a long name", .rows[1].name = TOO_LONG, .error = -ENAMETOOLONG),
	FAULT("no object", .object = NULL),
	FAULT("an object that is a path", .object = "a/b"),
	FAULT("a long object", .object = TOO_LONG, .error = -ENAMETOOLONG),
	FAULT("a reserved group", .desc.group = "topk"),
	FAULT("a group that is a path", .desc.group = "a/b"),
	FAULT("an empty label", .desc.label = ""),
	FAULT("a label of two words", .desc.label = "a b"),
	FAULT("a number as a label", .desc.label = "0a"),
	FAULT("an internal label", .desc.label = "__a"),
	FAULT("another label", .desc.label = "group"),
	FAULT("a long label", .desc.label = TOO_LONG, .error = -ENAMETOOLONG),
	FAULT("an empty unit", .rows[1].unit = ""),
	FAULT("a unit of two words", .rows[1].unit = "per second"),
	FAULT("a long unit", .rows[1].unit = TOO_LONG, .error = -ENAMETOOLONG),
	FAULT("a help of two lines", .rows[1].help = "one\ntwo"),
	FAULT("no kind", .rows[1].class.kind = 0),
	FAULT("a choice as a kind", .rows[1].class.kind = __SCOUNTER_KINDS + 1),
	FAULT("percpu", .rows[1].class.kind = SCOUNTER_PERCPU),
	FAULT("multiline", .rows[1].class.kind = SCOUNTER_MULTILINE),
	FAULT("atomic", .rows[1].class.kind = SCOUNTER_ATOMIC),
	FAULT("cohort", .rows[1].class.kind = SCOUNTER_COHORT),
	FAULT("racing", .rows[1].class.kind = SCOUNTER_RACING),
	FAULT("a long help", .rows[1].help = TOO_LONG TOO_LONG TOO_LONG TOO_LONG,
	      .error = -ENAMETOOLONG),
	FAULT("wraps", .rows[1].class.flags = SCOUNTER_CLASS_WRAP),
	FAULT("resets", .rows[1].class.flags = SCOUNTER_CLASS_RESETS),
	FAULT("a wide word", .rows[1].class.kind = SCOUNTER_CAS,
	      .desc.flags = SCOUNTER_SET_WORDS32),
};

static void what_cannot_be_is_refused(struct kunit *test)
{
	struct scounter_set *set;
	u32 i;

	KUNIT_EXPECT_EQ(test, PTR_ERR(create(NULL, "eth0")), (long)-EINVAL);
	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		struct fault *fault = &faults[i];

		fault->desc.group = fault->desc.group ?: GROUP;
		fault->desc.rows = fault->rows;
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(create(&fault->desc, fault->object)),
				    fault->error, "%s", fault->what);
	}
	/* And the rest of it is right. */
	faults[0].desc.count = 2;
	set = create(&faults[0].desc, "eth0");
	KUNIT_EXPECT_FALSE(test, IS_ERR(set));
	scounter_set_destroy(set);
}

static void a_name_is_that_of_one_set_or_counter(struct kunit *test)
{
	struct scounter_set *set = create(&mixed, "eth0");
	struct scounter *counter;

	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	KUNIT_EXPECT_EQ(test, PTR_ERR(create(&small, "eth0")), (long)-EEXIST);
	counter = scounter_create("eth0", GROUP, SCOUNTER_EXACT, 0, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(counter), (long)-EEXIST);
	scounter_set_destroy(set);
	counter = scounter_create("eth0", GROUP, SCOUNTER_EXACT, 0, GFP_KERNEL);
	KUNIT_EXPECT_FALSE(test, IS_ERR(counter));
	KUNIT_EXPECT_EQ(test, PTR_ERR(create(&mixed, "eth0")), (long)-EEXIST);
	scounter_destroy(counter);
	set = create(&mixed, "eth0");
	KUNIT_EXPECT_FALSE(test, IS_ERR(set));
	scounter_set_destroy(set);
	scounter_set_destroy(NULL);
	scounter_set_destroy(ERR_PTR(-ENOMEM));
}

struct released {
	struct scounter_set_desc desc;
	struct completion done;
};

static void release(const struct scounter_set_desc *desc)
{
	complete(&container_of(desc, struct released, desc)->done);
}

static void wait_for_release(struct kunit *test, struct released *released)
{
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&released->done, 60 * HZ), 0UL);
}

static void many_rows_have_names_of_their_own(struct kunit *test)
{
	const u32 n = 3000;
	struct scounter_set_row *rows = kunit_kcalloc(test, n, sizeof(*rows), GFP_KERNEL);
	static struct released released;
	struct scounter_set *set;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, rows);
	released.desc = (struct scounter_set_desc) {
		.group = GROUP, .rows = rows, .count = n,
		.hide = SCOUNTER_HIDE_SYSFS, .release = release,
		.flags = SCOUNTER_SET_WORDS32 | SCOUNTER_SET_SPARSE,
	};
	init_completion(&released.done);
	for (i = 0; i < n; i++) {
		rows[i] = (struct scounter_set_row)ROW(kunit_kmalloc(test, 8, GFP_KERNEL));
		KUNIT_ASSERT_NOT_NULL(test, rows[i].name);
		snprintf((char *)rows[i].name, 8, "r%u", i);
	}
	set = create(&released.desc, "many");
	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_EQ(test, scounter_set_read(set, i), 0ULL);
	scounter_set_inc(set, n - 1);
	KUNIT_EXPECT_EQ(test, scounter_set_read(set, n - 1), 1ULL);
	scounter_set_destroy(set);
	wait_for_release(test, &released);
	rows[17].name = rows[n - 1].name;
	KUNIT_EXPECT_EQ(test, PTR_ERR(create(&released.desc, "many")), (long)-EINVAL);
}

static void a_description_is_released(struct kunit *test)
{
	static struct released released;
	struct scounter_set *set;

	released.desc = mixed;
	released.desc.release = release;
	init_completion(&released.done);
	set = create(&released.desc, "eth0");
	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	/* None of a set that could not be made. */
	KUNIT_EXPECT_EQ(test, PTR_ERR(create(&released.desc, "eth0")), (long)-EEXIST);
	KUNIT_EXPECT_FALSE(test, completion_done(&released.done));
	scounter_set_destroy(set);
	wait_for_release(test, &released);
}

/* All that waits for files, and for the end of an item, as in any other task. */
static void release_with_others(const struct scounter_set_desc *desc)
{
	static DEFINE_SCOUNTER(counter, SCOUNTER_ATOMIC, 0);
	struct scounter_set *set = create(&mixed, "made_by_release");

	if (IS_ERR(set) || scounter_register(&counter, "made_by_release_too", GROUP))
		return;
	scounter_unregister(&counter);
	scounter_set_destroy(set);
	release(desc);
}

static void a_release_may_make_others(struct kunit *test)
{
	static struct released released;
	struct scounter_set *set;

	released.desc = mixed;
	released.desc.release = release_with_others;
	init_completion(&released.done);
	set = create(&released.desc, "eth0");
	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	scounter_set_destroy(set);
	wait_for_release(test, &released);
}

static const struct scounter_snapshot_record *
find_record(const struct scounter_snapshot *snapshot, const char *object, const char *name)
{
	const struct scounter_snapshot_record *record;
	u64 i;

	/* Else no counter is of an object. */
	if (snapshot->header->record_size < sizeof(*record))
		return NULL;
	for (i = 0; i < snapshot->header->count; i++) {
		record = scounter_snapshot_at(snapshot, i);
		if (!strcmp(record->group, GROUP) && !strcmp(record->object, object) &&
		    !strcmp(record->name, name))
			return record;
	}
	return NULL;
}

static const char *text_of(const struct scounter_snapshot *snapshot, u32 offset)
{
	const struct scounter_snapshot_header *header = snapshot->header;

	return (const char *)header + header->texts_offset + offset;
}

static void a_snapshot_has_each_counter_of_a_set(struct kunit *test)
{
	const struct scounter_snapshot_record *record;
	struct scounter_snapshot snapshot = {};
	struct scounter_set *set = create(&mixed, "eth0");
	u32 i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	count(test, set);
	KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&snapshot), 0);
	for (i = 0; i < ROWS; i++) {
		record = find_record(&snapshot, "eth0", mixed_rows[i].name);
		KUNIT_ASSERT_NOT_NULL(test, record);
		KUNIT_EXPECT_EQ(test, record->value, 10ULL * i + 6);
		KUNIT_EXPECT_EQ(test, record->kind, (u32)mixed_rows[i].class.kind);
		KUNIT_EXPECT_EQ(test, record->parameters[0], mixed_rows[i].class.limit);
		KUNIT_EXPECT_EQ(test, record->bytes, 8U);
		KUNIT_EXPECT_EQ(test, record->flags, 0U);
		KUNIT_EXPECT_GT(test, record->created_ns, 0ULL);
		KUNIT_EXPECT_STREQ(test, text_of(&snapshot, record->label), "link");
		KUNIT_EXPECT_STREQ(test, text_of(&snapshot, record->unit),
				   mixed_rows[i].unit ?: "");
		KUNIT_EXPECT_STREQ(test, text_of(&snapshot, record->help),
				   mixed_rows[i].help ?: "");
	}
	scounter_snapshot_free(&snapshot);
	scounter_set_destroy(set);
	KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&snapshot), 0);
	KUNIT_EXPECT_NULL(test, find_record(&snapshot, "eth0", "exact"));
	scounter_snapshot_free(&snapshot);
}

static void sets_are_where_they_are_to_be(struct kunit *test)
{
	static struct scounter_set_desc shy[SCOUNTER_HIDE_ALL + 1];
	struct scounter_snapshot snapshot = {};
	struct scounter_named_set *named;
	struct scounter_set *set;
	u8 hide;

	for (hide = 0; hide <= SCOUNTER_HIDE_ALL; hide++) {
		shy[hide] = mixed;
		shy[hide].hide = hide;
		set = create(&shy[hide], "shy");
		KUNIT_ASSERT_FALSE(test, IS_ERR(set));
		named = container_of(set, struct scounter_named_set, set);
		KUNIT_EXPECT_EQ(test, PTR_ERR(create(&mixed, "shy")), (long)-EEXIST);
		KUNIT_EXPECT_EQ(test, !named->directory, !!(hide & SCOUNTER_HIDE_SYSFS));
		KUNIT_EXPECT_EQ(test, !named->file, !!(hide & SCOUNTER_HIDE_DEBUGFS));
		KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&snapshot), 0);
		KUNIT_EXPECT_EQ(test, !find_record(&snapshot, "shy", "exact"),
				!!(hide & SCOUNTER_HIDE_SNAPSHOT));
		scounter_snapshot_free(&snapshot);
		scounter_set_destroy(set);
	}
}

static const struct scounter_set_desc sparse = {
	.group = GROUP, .rows = small_rows, .count = ARRAY_SIZE(small_rows),
	.hide = SCOUNTER_HIDE_SYSFS, .flags = SCOUNTER_SET_WORDS32 | SCOUNTER_SET_SPARSE,
};

static void a_sparse_set_shows_what_is_to_be_seen(struct kunit *test)
{
	struct scounter_set *set = create(&sparse, "shown");
	u32 i, seen;

	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	count(test, set);
	for (seen = 0; seen < 8; seen++) {
		struct scounter_snapshot snapshot = {};

		for (i = 0; i < 3; i++)
			scounter_set_show_row(set, i, seen & BIT(i));
		KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&snapshot), 0);
		for (i = 0; i < 3; i++) {
			const struct scounter_snapshot_record *record =
				find_record(&snapshot, "shown", small_rows[i].name);

			KUNIT_EXPECT_EQ(test, !!record, !!(seen & BIT(i)));
			if (record)
				KUNIT_EXPECT_EQ(test, record->value, 10ULL * i + 6);
		}
		scounter_snapshot_free(&snapshot);
	}
	scounter_set_destroy(set);
}

static DEFINE_SPINLOCK(atomic_context);

static void atomic_contexts_make_and_destroy(struct kunit *test)
{
	struct scounter_set *set, *twin;
	u32 i;

	for (i = 0; i < 100; i++) {
		spin_lock_irq(&atomic_context);
		set = scounter_set_create(&mixed, "atomic", GFP_ATOMIC);
		twin = scounter_set_create(&mixed, "atomic", GFP_ATOMIC);
		spin_unlock_irq(&atomic_context);
		KUNIT_ASSERT_FALSE(test, IS_ERR(set));
		KUNIT_EXPECT_EQ(test, PTR_ERR(twin), (long)-EEXIST);
		scounter_set_inc(set, EXACT);
		KUNIT_EXPECT_EQ(test, scounter_set_read(set, EXACT), 1ULL);
		spin_lock_irq(&atomic_context);
		scounter_set_destroy(set);
		spin_unlock_irq(&atomic_context);
	}
}

/* If a creation allocates with a lock that destroying takes, lockdep says so. */
static void reclaim_destroys_sets(struct kunit *test)
{
	struct scounter_set *set, *other;

	if (!IS_ENABLED(CONFIG_PROVE_LOCKING) || !debug_locks)
		kunit_skip(test, "no lockdep");
	set = create(&mixed, "evicted");
	other = create(&mixed, "other");
	KUNIT_ASSERT_FALSE(test, IS_ERR(set) || IS_ERR(other));
	fs_reclaim_acquire(GFP_KERNEL);
	scounter_set_destroy(set);
	fs_reclaim_release(GFP_KERNEL);
	scounter_set_destroy(other);
	KUNIT_EXPECT_TRUE(test, debug_locks);
}

static void a_scope_destroys_a_set(struct kunit *test)
{
#ifdef DEFINE_FREE
	{
		struct scounter_set *set __free(scounter_set) = create(&mixed, "scope");
		struct scounter_set *twin __free(scounter_set) = create(&mixed, "scope");

		KUNIT_EXPECT_FALSE(test, IS_ERR(set));
		KUNIT_EXPECT_TRUE(test, IS_ERR(twin));
	}
	scounter_set_destroy(create(&mixed, "scope"));
#else
	kunit_skip(test, "the kernel has no __free()");
#endif
}

#ifdef CONFIG_FAULT_INJECTION
/* The first allocation fails, then the second, and so on, until one succeeds. */
static void allocations_of_a_set_fail(struct kunit *test, gfp_t gfp)
{
	struct scounter_set *set;
	u32 nth, refused = 0;
	bool failed = true;

	for (nth = 1; failed && nth < 1000; nth++) {
		current->fail_nth = nth;
		set = scounter_set_create(&mixed, "failing", gfp);
		failed = !current->fail_nth;
		current->fail_nth = 0;
		if (!IS_ERR(set)) {
			scounter_set_destroy(set);
			continue;
		}
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(set), (long)-ENOMEM, "allocation %u", nth);
		refused++;
	}
	KUNIT_EXPECT_GE(test, refused, 1U);
	KUNIT_EXPECT_FALSE(test, failed);
}

static void every_allocation_of_a_set_fails_once(struct kunit *test)
{
	skip_while_booting(test);
	allocations_of_a_set_fail(test, GFP_KERNEL);
	allocations_of_a_set_fail(test, GFP_ATOMIC);
}
#else
static void every_allocation_of_a_set_fails_once(struct kunit *test)
{
	kunit_skip(test, "needs CONFIG_FAULT_INJECTION");
}
#endif

static struct kunit_case set_cases[] = {
	KUNIT_CASE(counters_of_a_set_count_alone),
	KUNIT_CASE(a_known_description_counts_as_an_unknown_one),
	KUNIT_CASE(all_of_a_set_is_read_at_one_moment),
	KUNIT_CASE(a_set_without_a_name_counts),
	KUNIT_CASE(what_cannot_be_is_refused),
	KUNIT_CASE(a_name_is_that_of_one_set_or_counter),
	KUNIT_CASE(many_rows_have_names_of_their_own),
	KUNIT_CASE(a_description_is_released),
	KUNIT_CASE(a_release_may_make_others),
	KUNIT_CASE(sets_are_where_they_are_to_be),
	KUNIT_CASE(a_snapshot_has_each_counter_of_a_set),
	KUNIT_CASE(a_sparse_set_shows_what_is_to_be_seen),
	KUNIT_CASE(atomic_contexts_make_and_destroy),
	KUNIT_CASE(reclaim_destroys_sets),
	KUNIT_CASE(a_scope_destroys_a_set),
	KUNIT_CASE(every_allocation_of_a_set_fails_once),
	{}
};

static struct kunit_suite set_suite = {
	.name = "scounter_set",
	.test_cases = set_cases,
};
kunit_test_suites(&set_suite);

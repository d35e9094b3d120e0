// SPDX-License-Identifier: GPL-2.0
/* Families: what snapshots say of words without a name, what is refused, and the end. */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/scounter_family.h>
#include <linux/string.h>

#include "family/family.h"
#include "registry/snapshot.h"

#define GROUP	"kunit_family"
#define WORDS	300

static const struct scounter_class exact_class = SCOUNTER_CLASS(SCOUNTER_EXACT, 0);
static const struct scounter_class approx_class = SCOUNTER_CLASS(SCOUNTER_APPROX, 0);

static struct scounter_word32 words[WORDS];
static struct scounter_word64 wide[2];

static bool walk_words(struct scounter_family_walk *walk, void *context)
{
	bool on = true;

	while (on && walk->at < WORDS)
		on = scounter_family_visit32(walk, &words[walk->at++]);
	return !on;
}

static bool walk_wide(struct scounter_family_walk *walk, void *context)
{
	scounter_family_visit64(walk, &wide[0]);
	scounter_family_visit64(walk, &wide[1]);
	return false;
}

static const struct scounter_family_desc small = {
	.class = &approx_class, .walk = walk_words, .unit = "hits", .help = "Hits of a word.",
};

static const struct scounter_family_desc large = { .class = &exact_class, .walk = walk_wide };

/* 0 to 299, few enough to be exact. */
static void count(void)
{
	u32 i;

	for (i = 0; i < WORDS; i++) {
		scounter_word32_init(&words[i]);
		scounter_word32_add(&words[i], &approx_class, i);
	}
}

static void expect(struct kunit *test, const struct scounter_estimate *estimates,
		   enum scounter_family_row row, u64 value)
{
	KUNIT_EXPECT_EQ(test, estimates[row].value, value);
}

static void all_words_are_seen(struct kunit *test)
{
	struct scounter_estimate said[SCOUNTER_FAMILY_ROWS];
	struct scounter_family *family;

	count();
	family = scounter_family_register("seen", GROUP, &small, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(family));
	KUNIT_ASSERT_EQ(test, scounter_family_read(family, said), 0);
	expect(test, said, SCOUNTER_FAMILY_WORDS, WORDS);
	expect(test, said, SCOUNTER_FAMILY_SUM, WORDS * (WORDS - 1) / 2);
	expect(test, said, SCOUNTER_FAMILY_LARGEST, WORDS - 1);
	expect(test, said, SCOUNTER_FAMILY_BYTES, 4 * WORDS);
	/* The 150th of them is 149, in the bucket of 144 to 151. */
	expect(test, said, SCOUNTER_FAMILY_P50, 147);
	KUNIT_EXPECT_EQ(test, said[SCOUNTER_FAMILY_P50].lower, 144ULL);
	KUNIT_EXPECT_EQ(test, said[SCOUNTER_FAMILY_P50].upper, 151ULL);
	KUNIT_EXPECT_EQ(test, said[SCOUNTER_FAMILY_SUM].error_ppm, 0U);
	scounter_family_unregister(family);
}

static const struct scounter_snapshot_record *record_of(const struct scounter_snapshot *snapshot,
							const char *object, const char *name)
{
	const struct scounter_snapshot_record *record;
	u64 i;

	for (i = 0; i < snapshot->header->count; i++) {
		record = scounter_snapshot_at(snapshot, i);
		if (!strcmp((const char *)record->group, GROUP) &&
		    !strcmp((const char *)record->object, object) &&
		    !strcmp((const char *)record->name, name))
			return record;
	}
	return NULL;
}

static void snapshots_have_all_rows(struct kunit *test)
{
	const struct scounter_snapshot_record *record;
	struct scounter_snapshot snapshot = {};
	struct scounter_family *first, *second;
	u32 i;

	count();
	memset(wide, 0, sizeof(wide));
	scounter_word64_add(&wide[1], &exact_class, 1ULL << 40);
	first = scounter_family_register("first", GROUP, &small, NULL);
	second = scounter_family_register("second", GROUP, &large, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(first) || IS_ERR(second));
	KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&snapshot), 0);
	for (i = 0; i < SCOUNTER_FAMILY_ROWS; i++) {
		record = record_of(&snapshot, "first", scounter_family_row_names[i]);
		KUNIT_ASSERT_NOT_NULL(test, record);
		KUNIT_EXPECT_EQ(test, record->kind, 0U);
		KUNIT_EXPECT_EQ(test, record->parameters[0],
				(u32)!!(BIT(i) & (BIT(SCOUNTER_FAMILY_WORDS) |
						  BIT(SCOUNTER_FAMILY_SUM) |
						  BIT(SCOUNTER_FAMILY_BYTES))));
		KUNIT_EXPECT_STREQ(test, (const char *)record->kind_name, "approx:bfp_csup");
		KUNIT_EXPECT_EQ(test, record->flags, SCOUNTER_F_GAUGE);
		KUNIT_EXPECT_GT(test, record->created_ns, 0ULL);
	}
	record = record_of(&snapshot, "first", "sum");
	KUNIT_EXPECT_EQ(test, record->value, (u64)WORDS * (WORDS - 1) / 2);
	KUNIT_EXPECT_EQ(test, record->bytes, 4U * WORDS);
	/* What was found of the first is not said of the second. */
	record = record_of(&snapshot, "second", "words");
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, record->value, 2ULL);
	record = record_of(&snapshot, "second", "largest");
	KUNIT_EXPECT_EQ(test, record->value, 1ULL << 40);
	scounter_snapshot_free(&snapshot);
	scounter_family_unregister(first);
	scounter_family_unregister(second);
	KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&snapshot), 0);
	KUNIT_EXPECT_NULL(test, record_of(&snapshot, "first", "sum"));
	scounter_snapshot_free(&snapshot);
}

static const struct scounter_set_row rows[] = {
	SCOUNTER_SET_ROW("a", SCOUNTER_EXACT, 0, NULL, NULL),
	SCOUNTER_SET_ROW("b", SCOUNTER_APPROX, 0, NULL, NULL),
};

static const struct scounter_set_desc set_desc = { .rows = rows, .count = ARRAY_SIZE(rows) };
static SCOUNTER_SET_OF(2) sets[3];

static bool walk_sets(struct scounter_family_walk *walk, void *context)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sets); i++)
		scounter_family_visit_row(walk, &sets[i].set, 1);
	return false;
}

static void counters_of_embedded_sets_are_words(struct kunit *test)
{
	static const struct scounter_family_desc desc = {
		.class = &rows[1].class, .walk = walk_sets, .hide = SCOUNTER_HIDE_ALL,
	};
	struct scounter_estimate said[SCOUNTER_FAMILY_ROWS];
	struct scounter_family *family;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		KUNIT_ASSERT_EQ(test, scounter_set_init(&sets[i], &set_desc), 0);
		scounter_set_add(&sets[i].set, 0, 1000);
		scounter_set_add(&sets[i].set, 1, 10 * i);
	}
	family = scounter_family_register("rows", GROUP, &desc, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(family));
	KUNIT_EXPECT_NULL(test, family->file);
	KUNIT_ASSERT_EQ(test, scounter_family_read(family, said), 0);
	expect(test, said, SCOUNTER_FAMILY_WORDS, 3);
	expect(test, said, SCOUNTER_FAMILY_SUM, 30);
	expect(test, said, SCOUNTER_FAMILY_BYTES, 24);
	scounter_family_unregister(family);
}

static long refused(const char *name, const struct scounter_family_desc *desc)
{
	return PTR_ERR(scounter_family_register(name, GROUP, desc, NULL));
}

static void what_cannot_be_is_refused(struct kunit *test)
{
	static const struct scounter_class none, atomic = { .kind = SCOUNTER_ATOMIC };
	struct scounter_family_desc desc = small;
	struct scounter_family *family;

	KUNIT_EXPECT_EQ(test, refused("", &small), (long)-EINVAL);
	KUNIT_EXPECT_EQ(test, refused("a/b", &small), (long)-EINVAL);
	KUNIT_EXPECT_EQ(test, refused("bad", NULL), (long)-EINVAL);
	desc.walk = NULL;
	KUNIT_EXPECT_EQ(test, refused("bad", &desc), (long)-EINVAL);
	desc = small;
	desc.class = &none;
	KUNIT_EXPECT_EQ(test, refused("bad", &desc), (long)-EINVAL);
	desc.class = &atomic;
	KUNIT_EXPECT_EQ(test, refused("bad", &desc), (long)-EINVAL);
	desc = small;
	desc.hide = 0x80;
	KUNIT_EXPECT_EQ(test, refused("bad", &desc), (long)-EINVAL);
	desc = small;
	desc.unit = "two words";
	KUNIT_EXPECT_EQ(test, refused("bad", &desc), (long)-EINVAL);
	family = scounter_family_register("once", GROUP, &small, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(family));
	KUNIT_EXPECT_EQ(test, refused("once", &small), (long)-EEXIST);
	scounter_family_unregister(family);
	scounter_family_unregister(NULL);
	scounter_family_unregister(ERR_PTR(-ENOMEM));
}

/* A client without an end, so that only who unregisters the family ends its readers. */
static struct {
	atomic_t calls;
	struct completion inside;
	bool over;
} endless;

static bool walk_endless(struct scounter_family_walk *walk, void *context)
{
	WARN_ON(READ_ONCE(endless.over));
	scounter_family_visit32(walk, &words[0]);
	if (atomic_inc_return(&endless.calls) == 10)
		complete(&endless.inside);
	return true;
}

static int read_endless(void *unused)
{
	struct scounter_snapshot snapshot = {};
	int err = scounter_snapshot_take(&snapshot);

	if (!err)
		scounter_snapshot_free(&snapshot);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return err;
}

static void who_unregisters_ends_readers(struct kunit *test)
{
	static const struct scounter_family_desc desc = {
		.class = &approx_class, .walk = walk_endless,
	};
	struct scounter_family *family;
	struct task_struct *reader;

	endless.over = false;
	atomic_set(&endless.calls, 0);
	init_completion(&endless.inside);
	family = scounter_family_register("endless", GROUP, &desc, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(family));
	reader = kthread_run(read_endless, NULL, "endless");
	KUNIT_ASSERT_FALSE(test, IS_ERR(reader));
	wait_for_completion(&endless.inside);
	scounter_family_unregister(family);
	WRITE_ONCE(endless.over, true);
	KUNIT_EXPECT_EQ(test, kthread_stop(reader), 0);
}

static struct kunit_case family_cases[] = {
	KUNIT_CASE(all_words_are_seen),
	KUNIT_CASE(snapshots_have_all_rows),
	KUNIT_CASE(counters_of_embedded_sets_are_words),
	KUNIT_CASE(what_cannot_be_is_refused),
	KUNIT_CASE(who_unregisters_ends_readers),
	{}
};

static struct kunit_suite family_suite = {
	.name = "scounter_family",
	.test_cases = family_cases,
};
kunit_test_suites(&family_suite);

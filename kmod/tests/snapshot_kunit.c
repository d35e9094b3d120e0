// SPDX-License-Identifier: GPL-2.0
/* The binary snapshot: what is in it, and what a reset and an end of range do. */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/scounter.h>
#include <linux/string.h>

#include "compat.h"
#include "registry/snapshot.h"
#include "registry/texts.h"
#include "tests/faults.h"

/* A copy of a record as a reader makes it: fields beyond its size are zero. */
static const struct scounter_snapshot_record *
copy(struct kunit *test, const struct scounter_snapshot *snapshot, u64 i)
{
	struct scounter_snapshot_record *record = kunit_kzalloc(test, sizeof(*record), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_ASSERT_LE(test, (size_t)snapshot->header->record_size, sizeof(*record));
	memcpy(record, scounter_snapshot_at(snapshot, i), snapshot->header->record_size);
	return record;
}

static const struct scounter_snapshot_record *
find(struct kunit *test, const struct scounter_snapshot *snapshot, const char *name)
{
	const struct scounter_snapshot_record *record;
	u64 i;

	for (i = 0; i < snapshot->header->count; i++) {
		record = scounter_snapshot_at(snapshot, i);
		if (!strcmp(record->group, "kunit_snap") && !strcmp(record->name, name))
			return copy(test, snapshot, i);
	}
	return NULL;
}

static void every_kind_agrees_with_its_estimate(struct kunit *test)
{
	const struct scounter_snapshot_record *record;
	struct scounter_snapshot snapshot = {};
	struct scounter_estimate estimate;
	struct scounter *counter;
	enum scounter_kind kind;

	for (kind = SCOUNTER_ATOMIC; scounter_kind_name(kind); kind++) {
		counter = scounter_create("one", "kunit_snap", kind, 0, GFP_KERNEL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
		scounter_add(counter, 123456789);
		scounter_read_est(counter, &estimate);
		KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&snapshot), 0);
		record = find(test, &snapshot, "one");
		KUNIT_ASSERT_NOT_NULL(test, record);
		KUNIT_EXPECT_EQ(test, record->kind, (u32)kind);
		KUNIT_EXPECT_STREQ(test, (const char *)record->kind_name,
				   scounter_kind_name(kind));
		KUNIT_EXPECT_EQ(test, record->value, estimate.value);
		KUNIT_EXPECT_EQ(test, record->lower, estimate.lower);
		KUNIT_EXPECT_EQ(test, record->upper, estimate.upper);
		KUNIT_EXPECT_EQ(test, record->error_ppm, estimate.error_ppm);
		KUNIT_EXPECT_EQ(test, record->flags, estimate.flags);
		KUNIT_EXPECT_EQ(test, record->resets, 0ULL);
		KUNIT_EXPECT_GT(test, record->created_ns, 0ULL);
		scounter_snapshot_free(&snapshot);
		scounter_destroy(counter);
	}
}

/* One after the other, of one kind. */
static void records_name_what_was_chosen(struct kunit *test)
{
	static const struct { enum scounter_kind kind; const char *name; } all[] = {
		{ SCOUNTER_BFP_CSUP, "bfp_csup" }, { SCOUNTER_APPROX, "approx:bfp_csup" },
		{ SCOUNTER_EXACT, "exact:multiline_adapt" },
	};
	const struct scounter_snapshot_record *record;
	struct scounter *counters[ARRAY_SIZE(all)];
	struct scounter_snapshot snapshot = {};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		counters[i] = scounter_create(all[i].name, "kunit_snap", all[i].kind, 0,
					      GFP_KERNEL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(counters[i]));
	}
	KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&snapshot), 0);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		record = find(test, &snapshot, all[i].name);
		KUNIT_ASSERT_NOT_NULL(test, record);
		KUNIT_EXPECT_STREQ(test, (const char *)record->kind_name, all[i].name);
		scounter_destroy(counters[i]);
	}
	scounter_snapshot_free(&snapshot);
}

static void a_snapshot_is_kept_and_a_reset_is_stamped(struct kunit *test)
{
	struct scounter *counter = scounter_create("reset", "kunit_snap", SCOUNTER_ATOMIC,
						   0, GFP_KERNEL);
	const struct scounter_snapshot_record *before, *after;
	struct scounter_snapshot first = {}, second = {};

	KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
	scounter_add(counter, 7);
	KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&first), 0);
	KUNIT_EXPECT_EQ(test, scounter_fetch_reset(counter), 7ULL);
	scounter_add(counter, 2);
	KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&second), 0);
	scounter_destroy(counter);
	before = find(test, &first, "reset");
	after = find(test, &second, "reset");
	KUNIT_ASSERT_NOT_NULL(test, before);
	KUNIT_ASSERT_NOT_NULL(test, after);
	KUNIT_EXPECT_EQ(test, before->value, 7ULL);
	KUNIT_EXPECT_EQ(test, before->reset_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, after->value, 2ULL);
	KUNIT_EXPECT_EQ(test, after->resets, 1ULL);
	KUNIT_EXPECT_GE(test, after->reset_ns, before->created_ns);
	KUNIT_EXPECT_EQ(test, after->raw[0], 9ULL);
	KUNIT_EXPECT_EQ(test, after->raw[1], 7ULL);
	scounter_snapshot_free(&first);
	scounter_snapshot_free(&second);
}

static void saturation_is_dated(struct kunit *test)
{
	struct scounter *counter = scounter_create("full", "kunit_snap", SCOUNTER_BFP_DUP,
						   0, GFP_KERNEL);
	const struct scounter_snapshot_record *record;
	struct scounter_snapshot snapshot = {};
	u64 seen;

	KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
	scounter_add(counter, 1ULL << 62);
	KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&snapshot), 0);
	record = find(test, &snapshot, "full");
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, record->upper, U64_MAX);
	KUNIT_EXPECT_EQ(test, record->raw[0], (u64)SCOUNTER_BFP_WORD_MAX);
	seen = record->saturated_ns;
	KUNIT_EXPECT_GT(test, seen, 0ULL);
	scounter_snapshot_free(&snapshot);
	KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&snapshot), 0);
	KUNIT_EXPECT_EQ(test, find(test, &snapshot, "full")->saturated_ns, seen);
	scounter_snapshot_free(&snapshot);
	scounter_fetch_reset(counter);
	KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&snapshot), 0);
	KUNIT_EXPECT_EQ(test, find(test, &snapshot, "full")->saturated_ns, 0ULL);
	scounter_snapshot_free(&snapshot);
	scounter_destroy(counter);
}

static struct scounter_snapshot_record record_of(struct kunit *test, const char *name)
{
	const struct scounter_snapshot_record *found;
	struct scounter_snapshot_record record = {};
	struct scounter_snapshot snapshot = {};

	KUNIT_EXPECT_EQ(test, scounter_snapshot_take(&snapshot), 0);
	found = find(test, &snapshot, name);
	KUNIT_EXPECT_NOT_NULL(test, found);
	if (found)
		record = *found;
	scounter_snapshot_free(&snapshot);
	return record;
}

static DEFINE_SCOUNTER(again, SCOUNTER_ATOMIC, 0);

static void a_static_counter_registered_again_goes_on(struct kunit *test)
{
	struct scounter_snapshot_record before, after;

	KUNIT_EXPECT_EQ(test, scounter_register(&again, "again", "kunit_snap"), 0);
	KUNIT_EXPECT_EQ(test, scounter_register(&again, "twice", "kunit_snap"), -EBUSY);
	scounter_add(&again, 1000);
	before = record_of(test, "again");
	scounter_unregister(&again);
	scounter_unregister(&again);
	scounter_add(&again, 5);
	/* Under another name, too. */
	KUNIT_EXPECT_EQ(test, scounter_register(&again, "other", "kunit_snap"), 0);
	after = record_of(test, "other");
	KUNIT_EXPECT_EQ(test, before.value, 1000ULL);
	KUNIT_EXPECT_EQ(test, after.value, 1005ULL);
	KUNIT_EXPECT_EQ(test, after.created_ns, before.created_ns);
	KUNIT_EXPECT_EQ(test, after.created_real_ns, before.created_real_ns);
	KUNIT_EXPECT_EQ(test, after.resets, before.resets);
	KUNIT_EXPECT_EQ(test, after.reset_ns, before.reset_ns);

	/* What happens to it while it has no name is not forgotten. */
	scounter_unregister(&again);
	KUNIT_EXPECT_EQ(test, scounter_fetch_reset(&again), 1005ULL);
	scounter_add(&again, 2000);
	KUNIT_EXPECT_EQ(test, scounter_register(&again, "again", "kunit_snap"), 0);
	after = record_of(test, "again");
	KUNIT_EXPECT_EQ(test, after.value, 2000ULL);
	KUNIT_EXPECT_EQ(test, after.created_ns, before.created_ns);
	KUNIT_EXPECT_EQ(test, after.resets, before.resets + 1);
	KUNIT_EXPECT_GE(test, after.reset_ns, before.created_ns);
	scounter_unregister(&again);
}

static void a_wrap_is_counted_and_dated(struct kunit *test)
{
	static const enum scounter_kind kinds[] = {
		SCOUNTER_CAS, SCOUNTER_RBO, SCOUNTER_COHORT, SCOUNTER_RBO_NUMA,
		SCOUNTER_RBO_NUMA_ADAPT, SCOUNTER_MULTILINE_ADAPT, SCOUNTER_MORRIS,
		SCOUNTER_MORRIS_ADAPT, SCOUNTER_BFP_DUP, SCOUNTER_BFP_CSUP,
		SCOUNTER_SCALABLE32,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct scounter_params params = {
			.kind = kinds[i], .flags = SCOUNTER_CLASS_WRAP,
		};
		struct scounter *counter = scounter_create_params("lap", "kunit_snap",
								  &params, GFP_KERNEL);
		struct scounter_snapshot_record full, wrapped;

		KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
		scounter_add(counter, S64_MAX);
		full = record_of(test, "lap");
		scounter_add(counter, S64_MAX);
		wrapped = record_of(test, "lap");
		scounter_destroy(counter);
		KUNIT_EXPECT_EQ(test, full.wraps, 0ULL);
		KUNIT_EXPECT_EQ(test, full.wrapped_ns, 0ULL);
		KUNIT_EXPECT_EQ(test, wrapped.value, 0ULL);
		KUNIT_EXPECT_EQ(test, wrapped.wraps, 1ULL);
		KUNIT_EXPECT_EQ(test, wrapped.resets, 0ULL);
		KUNIT_EXPECT_GE(test, wrapped.wrapped_ns, full.created_ns);
		KUNIT_EXPECT_GE(test, wrapped.wrapped_real_ns, full.created_real_ns);
		KUNIT_EXPECT_TRUE(test, wrapped.flags & SCOUNTER_F_WRAPPED);
	}
}

/* The text of a record, "" if it has none. */
static const char *text_of(struct kunit *test, const struct scounter_snapshot *snapshot, u32 at)
{
	const struct scounter_snapshot_header *header = snapshot->header;
	const char *texts = (const char *)header + header->texts_offset;

	KUNIT_EXPECT_EQ(test, header->header_size % 8, 0U);
	KUNIT_EXPECT_LE(test, header->texts_offset + header->texts_size, header->header_size);
	if (!at)
		return "";
	KUNIT_ASSERT_LT(test, at, header->texts_size);
	KUNIT_EXPECT_EQ(test, texts[0], '\0');
	KUNIT_EXPECT_EQ(test, texts[header->texts_size - 1], '\0');
	return texts + at;
}

static void expect_described(struct kunit *test, const char *name, const char *unit,
			     const char *help)
{
	const struct scounter_snapshot_record *record;
	struct scounter_snapshot snapshot = {};

	KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&snapshot), 0);
	record = find(test, &snapshot, name);
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_STREQ(test, text_of(test, &snapshot, record->unit), unit);
	KUNIT_EXPECT_STREQ(test, text_of(test, &snapshot, record->help), help);
	KUNIT_EXPECT_EQ(test, record->label, 0U);
	KUNIT_EXPECT_EQ(test, record->object[0], (u8)0);
	scounter_snapshot_free(&snapshot);
}

static void a_description_is_in_snapshots(struct kunit *test)
{
	struct scounter *counter = scounter_create("one", "kunit_snap", SCOUNTER_ATOMIC,
						   0, GFP_KERNEL);
	static DEFINE_SCOUNTER(nameless, SCOUNTER_ATOMIC, 0);

	KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
	expect_described(test, "one", "", "");
	KUNIT_EXPECT_EQ(test, scounter_describe(counter, "bytes", "Bytes received."), 0);
	expect_described(test, "one", "bytes", "Bytes received.");
	KUNIT_EXPECT_EQ(test, scounter_describe(counter, NULL, "Ü"), 0);
	expect_described(test, "one", "", "Ü");
	KUNIT_EXPECT_EQ(test, scounter_describe(counter, "a b", NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, scounter_describe(counter, "", NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, scounter_describe(counter, "2s", NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, scounter_describe(counter, "\xe4", NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, scounter_describe(counter, "bytes", "two\nlines"), -EINVAL);
	expect_described(test, "one", "", "Ü");
	KUNIT_EXPECT_EQ(test, scounter_set_description(counter, NULL), 0);
	expect_described(test, "one", "", "");
	scounter_destroy(counter);
	KUNIT_EXPECT_EQ(test, scounter_describe(&nameless, "bytes", NULL), -ENOENT);
	counter = scounter_or_dummy(ERR_PTR(-ENOMEM), SCOUNTER_APPROX);
	KUNIT_EXPECT_EQ(test, scounter_describe(counter, "bytes", NULL), 0);
	KUNIT_EXPECT_EQ(test, scounter_describe(counter, "a b", NULL), -EINVAL);
}

/* Whether some record is not only zeros from @from on. */
static bool any_has(struct kunit *test, const struct scounter_snapshot *snapshot, size_t from)
{
	const u8 *record;
	u64 i;

	for (i = 0; i < snapshot->header->count; i++) {
		record = (void *)scounter_snapshot_at(snapshot, i);
		if (memchr_inv(record + from, 0, snapshot->header->record_size - from))
			return true;
	}
	return false;
}

/* A snapshot has all that records have, and the next one no more than that. */
static void expect_size(struct kunit *test, size_t least, size_t before)
{
	struct scounter_snapshot snapshot = {};

	KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&snapshot), 0);
	KUNIT_EXPECT_GE(test, (size_t)snapshot.header->record_size, least);
	scounter_snapshot_free(&snapshot);
	KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&snapshot), 0);
	KUNIT_EXPECT_GE(test, (size_t)snapshot.header->record_size, least);
	if (snapshot.header->record_size > before)
		KUNIT_EXPECT_TRUE(test, any_has(test, &snapshot, before));
	scounter_snapshot_free(&snapshot);
}

static void records_are_as_long_as_they_must_be(struct kunit *test)
{
	const size_t least = offsetof(struct scounter_snapshot_record, reset_ns),
		     times = offsetof(struct scounter_snapshot_record, unit),
		     texts = offsetof(struct scounter_snapshot_record, object);
	struct scounter *counter = scounter_create("one", "kunit_snap", SCOUNTER_ATOMIC,
						   0, GFP_KERNEL);

	KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
	expect_size(test, least, least);
	scounter_fetch_reset(counter);
	expect_size(test, times, least);
	KUNIT_EXPECT_EQ(test, scounter_describe(counter, "bytes", NULL), 0);
	expect_size(test, texts, times);
	KUNIT_EXPECT_EQ(test, scounter_set_description(counter, NULL), 0);
	expect_size(test, times, times);
	scounter_destroy(counter);
}

static void expect_zeros_behind(struct kunit *test, const u8 *name, size_t size)
{
	size_t length = strnlen((const char *)name, size);

	KUNIT_EXPECT_LT(test, length, size);
	KUNIT_EXPECT_NULL(test, memchr_inv(name + length, 0, size - length));
}

/* Nothing of the memory that records are in is left, poison in kernels with slab_debug. */
static void a_record_has_nothing_but_its_counter(struct kunit *test)
{
	struct scounter *counter = scounter_create("one", "kunit_snap", SCOUNTER_APPROX,
						   0, GFP_KERNEL);
	const struct scounter_snapshot_record *record;
	struct scounter_snapshot snapshot = {};

	KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
	KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&snapshot), 0);
	record = find(test, &snapshot, "one");
	KUNIT_ASSERT_NOT_NULL(test, record);
	expect_zeros_behind(test, record->group, sizeof(record->group));
	expect_zeros_behind(test, record->name, sizeof(record->name));
	expect_zeros_behind(test, record->kind_name, sizeof(record->kind_name));
	KUNIT_EXPECT_EQ(test, record->flags, 0U);
	KUNIT_EXPECT_EQ(test, record->error_ppm, 0U);
	KUNIT_EXPECT_EQ(test, record->raw[0] | record->raw[1] | record->value, 0ULL);
	KUNIT_EXPECT_EQ(test, record->lower | record->upper | record->resets, 0ULL);
	KUNIT_EXPECT_NULL(test, memchr_inv(&record->reset_ns, 0, sizeof(*record) -
					   offsetof(struct scounter_snapshot_record, reset_ns)));
	scounter_snapshot_free(&snapshot);
	scounter_destroy(counter);
}

/* How many of the test's counters a snapshot has; all others are an error. */
static u64 filtered(struct kunit *test, const char *group, const char *pattern)
{
	struct scounter_snapshot snapshot = {};
	struct scounter_filter filter = {};
	u64 i, count;

	strscpy((char *)filter.group, group, sizeof(filter.group));
	strscpy((char *)filter.pattern, pattern, sizeof(filter.pattern));
	KUNIT_EXPECT_EQ(test, scounter_snapshot_take_some(&snapshot, &filter), 0);
	if (!snapshot.header)
		return U64_MAX;
	count = snapshot.header->count;
	for (i = 0; i < count; i++)
		KUNIT_EXPECT_EQ(test, strncmp((char *)scounter_snapshot_at(&snapshot, i)->group,
					      "kunit_", 6), 0);
	scounter_snapshot_free(&snapshot);
	return count;
}

static void a_filter_leaves_counters_out(struct kunit *test)
{
	static const char *const groups[] = { "kunit_a", "kunit_b", "kunit_c" };
	static struct scounter *counters[300];
	char name[8];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		snprintf(name, sizeof(name), "n%u", i / 3);
		counters[i] = scounter_create(name, groups[i % 3], SCOUNTER_ATOMIC, 0, GFP_KERNEL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(counters[i]));
	}
	KUNIT_EXPECT_EQ(test, filtered(test, "kunit_b", ""), 100ULL);
	KUNIT_EXPECT_EQ(test, filtered(test, "kunit_c", ""), 100ULL);
	KUNIT_EXPECT_EQ(test, filtered(test, "kunit_", ""), 0ULL);
	KUNIT_EXPECT_EQ(test, filtered(test, "kunit_bb", ""), 0ULL);
	if (SCOUNTER_HAS_PATTERNS) {
		KUNIT_EXPECT_EQ(test, filtered(test, "", "kunit_?/n1*"), 33ULL);
		KUNIT_EXPECT_EQ(test, filtered(test, "kunit_a", "*/n7"), 1ULL);
		KUNIT_EXPECT_EQ(test, filtered(test, "kunit_a", "kunit_b*"), 0ULL);
		KUNIT_EXPECT_EQ(test, filtered(test, "", "kunit_[a-b]/*"), 200ULL);
	}
	for (i = 0; i < ARRAY_SIZE(counters); i++)
		scounter_destroy(counters[i]);
}

static void a_text_has_an_end(struct kunit *test)
{
	struct scounter *counter = scounter_create("one", "kunit_snap", SCOUNTER_ATOMIC,
						   0, GFP_KERNEL);
	static char text[SCOUNTER_HELP_MAX + 2];
	static const struct scounter_description unit = { .unit = text }, help = { .help = text };

	KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
	memset(text, 'a', SCOUNTER_HELP_MAX + 1);
	KUNIT_EXPECT_EQ(test, scounter_set_description(counter, &help), -ENAMETOOLONG);
	text[SCOUNTER_HELP_MAX] = 0;
	KUNIT_EXPECT_EQ(test, scounter_set_description(counter, &help), 0);
	expect_described(test, "one", "", text);
	text[SCOUNTER_NAME_MAX + 1] = 0;
	KUNIT_EXPECT_EQ(test, scounter_set_description(counter, &unit), -ENAMETOOLONG);
	text[SCOUNTER_NAME_MAX] = 0;
	KUNIT_EXPECT_EQ(test, scounter_set_description(counter, &unit), 0);
	expect_described(test, "one", text, "");
	scounter_destroy(counter);
}

static void a_text_is_there_once(struct kunit *test)
{
	char bytes[64], changing[] = "abc", copy[] = "abc";
	struct scounter_texts texts;
	u32 abc, next;

	KUNIT_ASSERT_EQ(test, scounter_texts_begin(&texts, bytes, sizeof(bytes)), 0);
	KUNIT_EXPECT_EQ(test, scounter_texts_add(&texts, NULL), 0U);
	KUNIT_EXPECT_EQ(test, scounter_texts_add(&texts, ""), 0U);
	KUNIT_EXPECT_EQ(test, texts.size, 1U);
	abc = scounter_texts_add(&texts, changing);
	KUNIT_EXPECT_EQ(test, abc, 1U);
	KUNIT_EXPECT_EQ(test, scounter_texts_add(&texts, changing), abc);
	KUNIT_EXPECT_EQ(test, scounter_texts_add(&texts, copy), abc);
	KUNIT_EXPECT_EQ(test, scounter_texts_add(&texts, copy), abc);
	KUNIT_EXPECT_EQ(test, texts.size, 5U);
	/* Another text in the place of one that is gone. */
	changing[2] = 'd';
	next = scounter_texts_add(&texts, changing);
	KUNIT_EXPECT_STREQ(test, bytes + next, "abd");
	KUNIT_EXPECT_STREQ(test, bytes + abc, "abc");
	KUNIT_EXPECT_EQ(test, scounter_texts_add(&texts, changing), next);
	KUNIT_EXPECT_FALSE(test, texts.short_of_room);
	scounter_texts_end(&texts);
}

static void texts_that_do_not_fit_are_left_out(struct kunit *test)
{
	static const char many[] = "abcdefghijklmnopqrstuvwxyz";
	struct scounter_texts texts;
	char bytes[32];
	u32 i;

	memset(bytes, 'x', sizeof(bytes));
	KUNIT_ASSERT_EQ(test, scounter_texts_begin(&texts, bytes, 16), 0);
	KUNIT_EXPECT_EQ(test, scounter_texts_add(&texts, many), 0U);
	KUNIT_EXPECT_TRUE(test, texts.short_of_room);
	/* 14 bytes and a NUL are what there is room for. */
	KUNIT_EXPECT_EQ(test, scounter_texts_add(&texts, many + 12), 1U);
	KUNIT_EXPECT_EQ(test, scounter_texts_add(&texts, many + 25), 0U);
	KUNIT_EXPECT_EQ(test, texts.size, 16U);
	KUNIT_EXPECT_EQ(test, bytes[16], 'x');
	scounter_texts_end(&texts);

	/* More texts than there are places for. */
	KUNIT_ASSERT_EQ(test, scounter_texts_begin(&texts, bytes, sizeof(bytes)), 0);
	for (i = 0; i < sizeof(many) - 1; i++)
		scounter_texts_add(&texts, many + i);
	KUNIT_EXPECT_TRUE(test, texts.short_of_room);
	KUNIT_EXPECT_LE(test, texts.size, (u32)sizeof(bytes));
	scounter_texts_end(&texts);
}

/* A snapshot takes as much room for texts as they need. */
static void many_texts(struct kunit *test)
{
	static struct scounter_description descriptions[200];
	static struct scounter *counters[200];
	static char texts[200][8];
	const u32 n = ARRAY_SIZE(counters);
	const struct scounter_snapshot_record *record;
	struct scounter_snapshot snapshot = {};
	u32 i;

	for (i = 0; i < n; i++) {
		snprintf(texts[i], sizeof(texts[i]), "n%u", i);
		counters[i] = scounter_create(texts[i], "kunit_snap", SCOUNTER_ATOMIC, 0, GFP_KERNEL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(counters[i]));
		descriptions[i] = (struct scounter_description) { "bytes", texts[i] };
		KUNIT_EXPECT_EQ(test, scounter_set_description(counters[i], &descriptions[i]), 0);
	}
	KUNIT_ASSERT_EQ(test, scounter_snapshot_take(&snapshot), 0);
	for (i = 0; i < n; i++) {
		record = find(test, &snapshot, texts[i]);
		KUNIT_ASSERT_NOT_NULL(test, record);
		KUNIT_EXPECT_STREQ(test, text_of(test, &snapshot, record->unit), "bytes");
		KUNIT_EXPECT_STREQ(test, text_of(test, &snapshot, record->help), texts[i]);
	}
	/* The unit is there once. */
	KUNIT_EXPECT_LE(test, snapshot.header->texts_size, n * 5 + 16);
	scounter_snapshot_free(&snapshot);
	for (i = 0; i < n; i++)
		scounter_destroy(counters[i]);
}

/* More would take minutes to make and unmake under kmemleak. */
static void many_counters(struct kunit *test)
{
	const u32 n = 500;
	struct scounter **counters = kvcalloc(n, sizeof(*counters), GFP_KERNEL);
	struct scounter_snapshot snapshot = {};
	char name[16];
	u64 start;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, counters);
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		counters[i] = scounter_create(name, "kunit_snap", SCOUNTER_APPROX, 0,
					      GFP_KERNEL);
		if (IS_ERR(counters[i]))
			break;
	}
	KUNIT_EXPECT_EQ(test, i, n);
	start = ktime_get_ns();
	KUNIT_EXPECT_EQ(test, scounter_snapshot_take(&snapshot), 0);
	kunit_info(test, "%u counters in %llu us", n,
		   div_u64(ktime_get_ns() - start, NSEC_PER_USEC));
	if (snapshot.header)
		KUNIT_EXPECT_GE(test, snapshot.header->count, (u64)n);
	scounter_snapshot_free(&snapshot);
	while (i-- > 0)
		scounter_destroy(counters[i]);
	kvfree(counters);
}

#ifdef CONFIG_FAULT_INJECTION
static void a_snapshot_without_memory_is_none(struct kunit *test)
{
	struct scounter_snapshot snapshot = {};
	struct scounter *counter;
	int err;

	skip_while_booting(test);
	counter = scounter_create("one", "kunit_snap", SCOUNTER_ATOMIC, 0, GFP_KERNEL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
	current->fail_nth = 1;
	err = scounter_snapshot_take(&snapshot);
	current->fail_nth = 0;
	KUNIT_EXPECT_EQ(test, err, -ENOMEM);
	KUNIT_EXPECT_NULL(test, snapshot.header);
	KUNIT_EXPECT_NULL(test, snapshot.records);
	scounter_snapshot_free(&snapshot);

	KUNIT_EXPECT_EQ(test, scounter_snapshot_take(&snapshot), 0);
	KUNIT_EXPECT_NOT_NULL(test, find(test, &snapshot, "one"));
	scounter_snapshot_free(&snapshot);
	scounter_destroy(counter);
}
#else
static void a_snapshot_without_memory_is_none(struct kunit *test)
{
	kunit_skip(test, "the kernel has no fault injection");
}
#endif

static struct kunit_case snapshot_cases[] = {
	KUNIT_CASE(every_kind_agrees_with_its_estimate),
	KUNIT_CASE(records_name_what_was_chosen),
	KUNIT_CASE(a_snapshot_is_kept_and_a_reset_is_stamped),
	KUNIT_CASE(saturation_is_dated),
	KUNIT_CASE(a_static_counter_registered_again_goes_on),
	KUNIT_CASE(a_wrap_is_counted_and_dated),
	KUNIT_CASE(a_description_is_in_snapshots),
	KUNIT_CASE(records_are_as_long_as_they_must_be),
	KUNIT_CASE(a_record_has_nothing_but_its_counter),
	KUNIT_CASE(a_filter_leaves_counters_out),
	KUNIT_CASE(a_text_has_an_end),
	KUNIT_CASE(a_text_is_there_once),
	KUNIT_CASE(texts_that_do_not_fit_are_left_out),
	KUNIT_CASE(many_texts),
	KUNIT_CASE(many_counters),
	KUNIT_CASE(a_snapshot_without_memory_is_none),
	{}
};

static struct kunit_suite snapshot_suite = {
	.name = "scounter_snapshot",
	.test_cases = snapshot_cases,
};
kunit_test_suite(snapshot_suite);

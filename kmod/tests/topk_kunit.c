// SPDX-License-Identifier: GPL-2.0
/* Tables of frequent items, of all designs, and every allocation failing once. */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/scounter_topk.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "topk/topk.h"
#include "tests/faults.h"

#define GROUP	"kunit"
#define DESIGNS	SCOUNTER_TOPK_INDEPENDENT

static struct scounter_topk *create(u32 design, u32 capacity, u32 key_size)
{
	const struct scounter_topk_spec spec = {
		.capacity = capacity, .key_size = key_size, .design = design,
	};

	return scounter_topk_create("table", GROUP, &spec);
}

static void hit(struct scounter_topk *topk, u64 key)
{
	scounter_topk_hit(topk, &key);
}

static u64 key_of(const struct scounter_topk_record *record)
{
	u64 key;

	memcpy(&key, record->key, sizeof(key));
	return key;
}

static void specifications_are_checked(struct kunit *test)
{
	static const struct {
		struct scounter_topk_spec spec;
		long error;
	} bad[] = {
		{ { .capacity = 0, .key_size = 8 }, -ERANGE },
		{ { .capacity = SCOUNTER_TOPK_CAPACITY_MAX + 1, .key_size = 8 }, -ERANGE },
		{ { .capacity = U32_MAX, .key_size = 8 }, -ERANGE },
		{ { .epsilon_ppb = 1, .key_size = 8 }, -ERANGE },
		{ { .epsilon_ppb = 1000000001, .key_size = 8 }, -ERANGE },
		{ { .epsilon_ppb = U32_MAX, .key_size = 8 }, -ERANGE },
		{ { .capacity = 10, .key_size = 0 }, -ERANGE },
		{ { .capacity = 10, .key_size = 3 }, -ERANGE },
		{ { .capacity = 10, .key_size = 65 }, -ERANGE },
		{ { .capacity = 10, .epsilon_ppb = 10, .key_size = 8 }, -EINVAL },
		{ { .capacity = 10, .key_size = 8, .design = DESIGNS + 1 }, -EINVAL },
	};
	const struct scounter_topk_spec good = { .capacity = 1, .key_size = 4 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(scounter_topk_create("bad", GROUP, &bad[i].spec)),
				    bad[i].error, "case %u", i);
	KUNIT_EXPECT_EQ(test, PTR_ERR(scounter_topk_create("a.bin", GROUP, &good)),
			(long)-EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(scounter_topk_create("a/b", GROUP, &good)),
			(long)-EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(scounter_topk_create("a", "", &good)), (long)-EINVAL);
	scounter_topk_destroy(NULL);
	scounter_topk_destroy(ERR_PTR(-ENOMEM));
	scounter_topk_free(NULL);
}

static void epsilon_is_rounded_up(struct kunit *test)
{
	static const struct {
		u32 epsilon_ppb, capacity;
	} cases[] = {
		{ 1000000000, 1 }, { 999999999, 2 }, { 100000, 10000 }, { 300000, 3334 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct scounter_topk_spec spec = {
			.epsilon_ppb = cases[i].epsilon_ppb, .key_size = 8,
		};
		struct scounter_topk *topk = scounter_topk_create("table", GROUP, &spec);
		struct scounter_topk_header *snapshot;

		KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
		snapshot = scounter_topk_top(topk, 1);
		KUNIT_ASSERT_FALSE(test, IS_ERR(snapshot));
		KUNIT_EXPECT_EQ(test, snapshot->capacity, cases[i].capacity);
		scounter_topk_free(snapshot);
		scounter_topk_destroy(topk);
	}
}

/* A table that is not full is exact; ties come in a fixed order. */
static void what_fits_is_exact(struct kunit *test)
{
	u32 design, i, j;

	for (design = 1; design <= DESIGNS; design++) {
		struct scounter_topk *topk = create(design, 20, 8);
		struct scounter_topk_header *snapshot;

		KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
		for (i = 0; i < 20; i++)
			for (j = 0; j <= i; j++)
				hit(topk, i);
		snapshot = scounter_topk_top(topk, 5);
		KUNIT_ASSERT_FALSE(test, IS_ERR(snapshot));
		KUNIT_EXPECT_EQ(test, snapshot->records, 5U);
		KUNIT_EXPECT_EQ(test, snapshot->total, 210ULL);
		KUNIT_EXPECT_EQ(test, snapshot->evictions, 0ULL);
		KUNIT_EXPECT_EQ(test, snapshot->floor, 15ULL);
		for (i = 0; i < 5; i++) {
			const struct scounter_topk_record *record =
				scounter_topk_record(snapshot, i);

			KUNIT_EXPECT_EQ(test, key_of(record), 19ULL - i);
			KUNIT_EXPECT_EQ(test, record->count, 20ULL - i);
			KUNIT_EXPECT_EQ(test, record->error, 0ULL);
		}
		scounter_topk_free(snapshot);
		scounter_topk_destroy(topk);
	}
}

#define KEYS	300

/* All that the contract says of a snapshot, for known true counts. */
static void check_bounds(struct kunit *test, const struct scounter_topk_header *snapshot,
			 const u64 *exact, u64 total, bool sums_up)
{
	static bool listed[KEYS];
	u64 sum = 0, least = U64_MAX;
	u32 i;

	memset(listed, 0, sizeof(listed));
	for (i = 0; i < snapshot->records; i++) {
		const struct scounter_topk_record *record = scounter_topk_record(snapshot, i);
		u64 key = key_of(record);

		KUNIT_ASSERT_LT(test, key, (u64)KEYS);
		KUNIT_EXPECT_FALSE(test, listed[key]);
		listed[key] = true;
		KUNIT_EXPECT_LE(test, record->count, least);
		KUNIT_EXPECT_GE(test, record->count, exact[key]);
		KUNIT_EXPECT_LE(test, record->count - record->error, exact[key]);
		least = record->count;
		sum += record->count;
	}
	KUNIT_EXPECT_EQ(test, snapshot->total, total);
	KUNIT_EXPECT_EQ(test, snapshot->pending, 0ULL);
	KUNIT_EXPECT_LE(test, snapshot->floor, div_u64(total, snapshot->capacity));
	if (sums_up)
		KUNIT_EXPECT_EQ(test, sum, total);
	for (i = 0; i < KEYS; i++)
		if (!listed[i])
			KUNIT_EXPECT_LE(test, exact[i], snapshot->floor);
}

static void more_than_fits_keeps_its_bounds(struct kunit *test)
{
	static const u32 capacities[] = { 1, 2, 63, 64, 65, 130 };
	static u64 exact[KEYS];
	struct rnd_state rnd;
	u32 design, c, i;

	for (design = 1; design <= DESIGNS; design++) {
		for (c = 0; c < ARRAY_SIZE(capacities); c++) {
			struct scounter_topk *topk = create(design, capacities[c], 8);
			struct scounter_topk_header *snapshot;
			u64 total = 0;

			KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
			memset(exact, 0, sizeof(exact));
			prandom_seed_state(&rnd, 4711);
			for (i = 0; i < 5000; i++) {
				u64 key = prandom_u32_state(&rnd) % KEYS >>
					  prandom_u32_state(&rnd) % 6;
				u64 n = 1 + prandom_u32_state(&rnd) % 3;

				scounter_topk_add(topk, &key, n);
				exact[key] += n;
				total += n;
			}
			snapshot = scounter_topk_top(topk, U32_MAX);
			KUNIT_ASSERT_FALSE(test, IS_ERR(snapshot));
			KUNIT_EXPECT_EQ(test, snapshot->dropped, 0ULL);
			check_bounds(test, snapshot, exact, total,
				     design != SCOUNTER_TOPK_INDEPENDENT);
			scounter_topk_free(snapshot);
			scounter_topk_destroy(topk);
		}
	}
}

static void shares_are_cut_where_they_should(struct kunit *test)
{
	struct scounter_topk *topk = create(0, 100, 8);
	struct scounter_topk_header *snapshot;
	u64 key;

	KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
	/* 500, 300, 199 and 1 of 1000. */
	key = 1;
	scounter_topk_add(topk, &key, 500);
	key = 2;
	scounter_topk_add(topk, &key, 300);
	key = 3;
	scounter_topk_add(topk, &key, 199);
	hit(topk, 4);
	snapshot = scounter_topk_above(topk, 300000000);
	KUNIT_ASSERT_FALSE(test, IS_ERR(snapshot));
	KUNIT_EXPECT_EQ(test, snapshot->records, 1U);
	scounter_topk_free(snapshot);
	snapshot = scounter_topk_above(topk, 299999999);
	KUNIT_ASSERT_FALSE(test, IS_ERR(snapshot));
	KUNIT_EXPECT_EQ(test, snapshot->records, 2U);
	scounter_topk_free(snapshot);
	snapshot = scounter_topk_above(topk, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(snapshot));
	KUNIT_EXPECT_EQ(test, snapshot->records, 4U);
	scounter_topk_free(snapshot);
	KUNIT_EXPECT_EQ(test, PTR_ERR(scounter_topk_above(topk, 1000000001)),
			(long)-ERANGE);
	scounter_topk_destroy(topk);
}

/* One of 8 bytes in a register, too. */
static void hit_bytes(struct scounter_topk *topk, const void *bytes, u32 size, bool in_register)
{
	u64 key;

	if (!in_register || size != sizeof(key)) {
		scounter_topk_hit(topk, bytes);
		return;
	}
	memcpy(&key, bytes, sizeof(key));
	scounter_topk_hit_u64(topk, key);
}

/* Keys that differ in their last byte only, of every size, unaligned. */
static void keys_of_all_sizes_are_told_apart(struct kunit *test)
{
	u8 buffer[SCOUNTER_TOPK_KEY_MAX + 1];
	u32 design, size, i;

	for (design = 1; design <= DESIGNS; design++) {
		for (size = SCOUNTER_TOPK_KEY_MIN; size <= SCOUNTER_TOPK_KEY_MAX; size++) {
			struct scounter_topk *topk = create(design, 16, size);
			struct scounter_topk_header *snapshot;

			KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
			memset(buffer, 0xa5, sizeof(buffer));
			for (i = 0; i < 16 * 3; i++) {
				buffer[size] = i % 16;
				hit_bytes(topk, buffer + 1, size, i >= 16);
			}
			snapshot = scounter_topk_top(topk, 16);
			KUNIT_ASSERT_FALSE(test, IS_ERR(snapshot));
			KUNIT_EXPECT_EQ(test, snapshot->records, 16U);
			KUNIT_EXPECT_EQ(test, snapshot->key_size, size);
			for (i = 0; i < snapshot->records; i++) {
				const struct scounter_topk_record *record =
					scounter_topk_record(snapshot, i);

				KUNIT_EXPECT_EQ(test, record->count, 3ULL);
				KUNIT_EXPECT_EQ(test, record->key[size - 1], i);
				KUNIT_EXPECT_FALSE(test, memcmp(record->key, buffer + 1, size - 1));
			}
			scounter_topk_free(snapshot);
			scounter_topk_destroy(topk);
		}
	}
}

static void a_reset_returns_each_hit_once(struct kunit *test)
{
	u32 design, i;

	for (design = 1; design <= DESIGNS; design++) {
		struct scounter_topk *topk = create(design, 4, 8);
		struct scounter_topk_header *snapshot;
		u64 returned = 0;

		KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
		for (i = 0; i < 1000; i++) {
			hit(topk, i % 7);
			if (i % 300)
				continue;
			snapshot = scounter_topk_fetch_reset(topk);
			KUNIT_ASSERT_FALSE(test, IS_ERR(snapshot));
			returned += snapshot->total;
			scounter_topk_free(snapshot);
		}
		snapshot = scounter_topk_top(topk, 1);
		KUNIT_ASSERT_FALSE(test, IS_ERR(snapshot));
		KUNIT_EXPECT_EQ(test, snapshot->total, 99ULL);
		KUNIT_EXPECT_EQ(test, returned + snapshot->total, 1000ULL);
		scounter_topk_free(snapshot);
		scounter_topk_destroy(topk);
	}
}

/*
 * As no slot has a key yet, hits of key 0 are gathered from the first one on: a query,
 * and a full slot, bring them to their count.
 */
static void gathered_hits_are_counted(struct kunit *test, u32 design)
{
	struct scounter_topk *topk = create(design, 1, 8);
	struct scounter_topk_header *snapshot;
	const u64 zero = 0;
	u32 i, round;

	KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
	for (round = 1; round <= 3; round++) {
		for (i = 0; i < 2999; i++)
			hit(topk, 0);
		scounter_topk_add(topk, &zero, 3000);
		snapshot = scounter_topk_top(topk, 1);
		KUNIT_ASSERT_FALSE(test, IS_ERR(snapshot));
		KUNIT_EXPECT_EQ(test, snapshot->total, 5999ULL * round);
		KUNIT_EXPECT_EQ(test, snapshot->pending, 0ULL);
		KUNIT_EXPECT_EQ(test, scounter_topk_record(snapshot, 0)->count, 5999ULL * round);
		scounter_topk_free(snapshot);
	}
	/* The key is evicted while hits of it are gathered. */
	hit(topk, 0);
	hit(topk, 1);
	snapshot = scounter_topk_fetch_reset(topk);
	KUNIT_ASSERT_FALSE(test, IS_ERR(snapshot));
	KUNIT_EXPECT_EQ(test, snapshot->total, 3 * 5999ULL + 2);
	KUNIT_EXPECT_EQ(test, snapshot->evictions, 2ULL);
	KUNIT_EXPECT_EQ(test, key_of(scounter_topk_record(snapshot, 0)), 0ULL);
	scounter_topk_free(snapshot);
	scounter_topk_destroy(topk);
}

static void hits_that_are_gathered_are_counted(struct kunit *test)
{
	gathered_hits_are_counted(test, SCOUNTER_TOPK_LOCKFREE);
	gathered_hits_are_counted(test, SCOUNTER_TOPK_COOPERATIVE);
}

/* ... and neither 0 nor a negative amount changes them. */
static void counts_saturate(struct kunit *test)
{
	static const u64 adds[] = { S64_MAX, 1, S64_MAX - 1, 1, 1, 1 };
	static const u64 counts[] = {
		S64_MAX, 1ULL << 63, U64_MAX - 1, U64_MAX, U64_MAX, U64_MAX,
	};
	u32 design, i;

	for (design = 1; design <= DESIGNS; design++) {
		struct scounter_topk *topk = create(design, 2, 8);
		u64 key = 7;

		KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
		for (i = 0; i < ARRAY_SIZE(adds); i++) {
			struct scounter_topk_header *snapshot;

			scounter_topk_add(topk, &key, adds[i]);
			scounter_topk_add(topk, &key, 0);
			scounter_topk_add(topk, &key, -5);
			snapshot = scounter_topk_top(topk, 1);
			KUNIT_ASSERT_FALSE(test, IS_ERR(snapshot));
			KUNIT_EXPECT_EQ(test, scounter_topk_record(snapshot, 0)->count, counts[i]);
			KUNIT_EXPECT_EQ(test, snapshot->total, counts[i]);
			KUNIT_EXPECT_EQ(test, snapshot->flags,
					counts[i] == U64_MAX ? SCOUNTER_TOPK_F_SATURATED : 0);
			scounter_topk_free(snapshot);
		}
		scounter_topk_destroy(topk);
	}
}

/* Each gets the count of one that had many, which is carried before it is too much. */
static void large_counts_are_handed_on(struct kunit *test)
{
	u32 design;
	u64 key;

	for (design = 1; design <= DESIGNS; design++) {
		struct scounter_topk *topk = create(design, 2, 8);
		struct scounter_topk_header *snapshot;

		KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
		for (key = 0; key < 512; key++)
			scounter_topk_add(topk, &key, 1ULL << 32);
		snapshot = scounter_topk_top(topk, 2);
		KUNIT_ASSERT_FALSE(test, IS_ERR(snapshot));
		KUNIT_EXPECT_EQ(test, snapshot->total, 512ULL << 32);
		KUNIT_EXPECT_EQ(test, snapshot->dropped, 0ULL);
		KUNIT_EXPECT_EQ(test, snapshot->pending, 0ULL);
		KUNIT_EXPECT_LE(test, snapshot->floor, 256ULL << 32);
		KUNIT_EXPECT_EQ(test, snapshot->records, 2U);
		scounter_topk_free(snapshot);
		scounter_topk_destroy(topk);
	}
}

/* Key 1 has more than half of what a count can be, twice, and stays first. */
static void merged_counts_saturate(struct kunit *test)
{
	struct scounter_topk *topk = create(0, 10, 8);
	struct scounter_topk_header *part, *merged;
	u64 key = 1;

	KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
	scounter_topk_add(topk, &key, S64_MAX);
	scounter_topk_add(topk, &key, 9);
	hit(topk, 2);
	part = scounter_topk_top(topk, U32_MAX);
	KUNIT_ASSERT_FALSE(test, IS_ERR(part));
	merged = scounter_topk_merge(part, part);
	KUNIT_ASSERT_FALSE(test, IS_ERR(merged));
	KUNIT_EXPECT_EQ(test, key_of(scounter_topk_record(merged, 0)), 1ULL);
	KUNIT_EXPECT_EQ(test, scounter_topk_record(merged, 0)->count, U64_MAX);
	KUNIT_EXPECT_EQ(test, scounter_topk_record(merged, 0)->error, 0ULL);
	KUNIT_EXPECT_EQ(test, merged->total, U64_MAX);
	KUNIT_EXPECT_TRUE(test, merged->flags & SCOUNTER_TOPK_F_SATURATED);
	scounter_topk_free(merged);
	scounter_topk_free(part);
	scounter_topk_destroy(topk);
}

/* What a snapshot leaves out may have the floor: it is as good as a table of what it has. */
static void cut_snapshots_are_smaller_tables(struct kunit *test)
{
	struct scounter_topk_header *parts[2], *merged;
	u32 half, most;
	u64 key;

	for (most = 1; most <= 64; most *= 4) {
		for (half = 0; half < 2; half++) {
			struct scounter_topk *topk = create(0, 100, 8);

			KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
			for (key = 0; key < 100; key++) {
				const u64 other = key + 1000 * half;

				scounter_topk_add(topk, &other, 200 - key);
			}
			parts[half] = scounter_topk_top(topk, most);
			KUNIT_ASSERT_FALSE(test, IS_ERR(parts[half]));
			KUNIT_EXPECT_EQ(test, parts[half]->capacity, most);
			KUNIT_EXPECT_EQ(test, parts[half]->floor, 200ULL - most);
			scounter_topk_destroy(topk);
		}
		merged = scounter_topk_merge(parts[0], parts[1]);
		KUNIT_ASSERT_FALSE(test, IS_ERR(merged));
		KUNIT_EXPECT_EQ(test, merged->capacity, most);
		KUNIT_EXPECT_LE(test, merged->floor, div_u64(merged->total, most));
		/* No key is in both. */
		KUNIT_EXPECT_EQ(test, scounter_topk_record(merged, 0)->error, 200ULL - most);
		scounter_topk_free(merged);
		scounter_topk_free(parts[0]);
		scounter_topk_free(parts[1]);
	}
}

/* Two tables over halves of the hits, merged, against the exact counts of all. */
static void merging_keeps_the_bounds(struct kunit *test)
{
	struct scounter_topk_header *halves[2], *merged;
	static u64 exact[KEYS];
	struct rnd_state rnd;
	u32 half, i;

	memset(exact, 0, sizeof(exact));
	prandom_seed_state(&rnd, 42);
	for (half = 0; half < 2; half++) {
		struct scounter_topk *topk = create(0, 40 + 20 * half, 8);

		KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
		for (i = 0; i < 3000; i++) {
			u64 key = prandom_u32_state(&rnd) % KEYS >> prandom_u32_state(&rnd) % 6;

			hit(topk, key);
			exact[key]++;
		}
		halves[half] = scounter_topk_top(topk, U32_MAX);
		KUNIT_ASSERT_FALSE(test, IS_ERR(halves[half]));
		scounter_topk_destroy(topk);
	}
	merged = scounter_topk_merge(halves[0], halves[1]);
	KUNIT_ASSERT_FALSE(test, IS_ERR(merged));
	KUNIT_EXPECT_EQ(test, merged->capacity, 40U);
	KUNIT_EXPECT_EQ(test, merged->records, 60U);
	check_bounds(test, merged, exact, 6000, false);
	for (i = 0; i < merged->records; i++)
		KUNIT_EXPECT_LE(test, scounter_topk_record(merged, i)->error, 6000ULL / 40);
	halves[1]->key_size = 4;
	KUNIT_EXPECT_EQ(test, PTR_ERR(scounter_topk_merge(halves[0], halves[1])),
			(long)-EINVAL);
	scounter_topk_free(merged);
	scounter_topk_free(halves[0]);
	scounter_topk_free(halves[1]);
}

/* A key and two numbers an entry at least, and four times as much for four times as many. */
static void memory_grows_with_the_capacity(struct kunit *test)
{
	struct scounter_topk *topk;
	size_t few, many;
	u32 design;

	for (design = SCOUNTER_TOPK_LOCKFREE; design <= DESIGNS; design++) {
		topk = create(design, 1000, sizeof(u64));
		KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
		few = scounter_topk_bytes(topk);
		scounter_topk_destroy(topk);
		topk = create(design, 4000, sizeof(u64));
		KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
		many = scounter_topk_bytes(topk);
		scounter_topk_destroy(topk);
		KUNIT_EXPECT_GE(test, few, 1000 * (sizeof(u64) + 2 * sizeof(u64)));
		KUNIT_EXPECT_GE(test, many, 3 * few);
		KUNIT_EXPECT_LE(test, many, 5 * few);
	}
}

/* The budget: 96 bytes an entry with keys of 8, and no more with use. */
static void memory_is_as_stated(struct kunit *test)
{
	struct scounter_topk *topk = create(0, 1 << 16, 8);
	size_t bytes;
	u32 i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
	bytes = scounter_topk_bytes(topk);
	KUNIT_EXPECT_LE(test, bytes, (size_t)96 << 16);
	for (i = 0; i < 200000; i++)
		hit(topk, i);
	KUNIT_EXPECT_EQ(test, scounter_topk_bytes(topk), bytes);
	scounter_topk_destroy(topk);
}

#ifdef CONFIG_FAULT_INJECTION
/*
 * Let the first allocation of a call fail, then the second, until it makes fewer.
 * A large one may succeed by other means; nothing may be lost when it does not.
 */
static u32 creations_fail(struct kunit *test, u32 design)
{
	bool failed = true;
	u32 nth, errors = 0;

	for (nth = 1; failed && nth < 1000; nth++) {
		struct scounter_topk *topk;

		current->fail_nth = nth;
		topk = create(design, 10, 8);
		failed = !current->fail_nth;
		current->fail_nth = 0;
		if (IS_ERR(topk)) {
			KUNIT_EXPECT_EQ(test, PTR_ERR(topk), (long)-ENOMEM);
			errors++;
		}
		scounter_topk_destroy(topk);
	}
	KUNIT_EXPECT_FALSE(test, failed);
	return errors;
}

static void resets_fail(struct kunit *test, u32 design)
{
	struct scounter_topk *topk = create(design, 10, 8);
	struct scounter_topk_header *snapshot;
	u64 hits = 0, returned = 0;
	bool failed = true;
	u32 nth;

	KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
	for (nth = 1; failed && nth < 1000; nth++) {
		hit(topk, hits++);
		current->fail_nth = nth;
		snapshot = scounter_topk_fetch_reset(topk);
		failed = !current->fail_nth;
		current->fail_nth = 0;
		if (!IS_ERR(snapshot))
			returned += snapshot->total;
		scounter_topk_free(snapshot);
	}
	KUNIT_EXPECT_FALSE(test, failed);
	/* What was kept, and what has come since. */
	for (nth = 0; nth < 2; nth++) {
		snapshot = scounter_topk_fetch_reset(topk);
		KUNIT_ASSERT_FALSE(test, IS_ERR(snapshot));
		returned += snapshot->total;
		scounter_topk_free(snapshot);
	}
	KUNIT_EXPECT_EQ(test, returned, hits);
	scounter_topk_destroy(topk);
}

/* Who reads gets a table or nothing, and the table has lost nothing. */
static void every_allocation_of_a_read_fails_once(struct kunit *test)
{
	struct scounter_topk_header *snapshot;
	u32 design, nth, i;

	skip_while_booting(test);
	for (design = SCOUNTER_TOPK_LOCKFREE; design <= DESIGNS; design++) {
		struct scounter_topk *topk = create(design, 10, 8);
		bool failed = true;

		KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
		for (i = 0; i < 30; i++)
			hit(topk, i % 3);
		for (nth = 1; failed && nth < 1000; nth++) {
			current->fail_nth = nth;
			snapshot = scounter_topk_top(topk, U32_MAX);
			failed = !current->fail_nth;
			current->fail_nth = 0;
			if (IS_ERR(snapshot)) {
				KUNIT_EXPECT_EQ(test, PTR_ERR(snapshot), (long)-ENOMEM);
				continue;
			}
			KUNIT_EXPECT_EQ(test, snapshot->total, 30ULL);
			KUNIT_EXPECT_EQ(test, snapshot->records, 3U);
			scounter_topk_free(snapshot);
		}
		KUNIT_EXPECT_GT(test, nth, 3U);
		KUNIT_EXPECT_LT(test, nth, 1000U);
		scounter_topk_destroy(topk);
	}
}

static void every_allocation_fails_once_in_topk(struct kunit *test)
{
	u32 design;

	skip_while_booting(test);
	for (design = 1; design <= DESIGNS; design++) {
		KUNIT_EXPECT_GT(test, creations_fail(test, design), 0U);
		resets_fail(test, design);
	}
}
#else
static void every_allocation_of_a_read_fails_once(struct kunit *test)
{
	kunit_skip(test, "the kernel has no fault injection");
}

static void every_allocation_fails_once_in_topk(struct kunit *test)
{
	kunit_skip(test, "the kernel has no fault injection");
}
#endif

static DEFINE_SPINLOCK(atomic_context);

/* Its name is free at once, also while its files are still there. */
static void a_table_is_destroyed_in_atomic_context(struct kunit *test)
{
	u32 design;

	for (design = 1; design <= DESIGNS; design++) {
		struct scounter_topk *topk = create(design, 20, 8);

		KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
		hit(topk, design);
		spin_lock_irq(&atomic_context);
		scounter_topk_destroy(topk);
		spin_unlock_irq(&atomic_context);
	}
}

static void a_scope_destroys_a_table(struct kunit *test)
{
#ifdef DEFINE_FREE
	struct scounter_topk *other;

	{
		struct scounter_topk *topk __free(scounter_topk) = create(0, 1, 4);
		struct scounter_topk *twin __free(scounter_topk) = create(0, 1, 4);

		KUNIT_EXPECT_FALSE(test, IS_ERR(topk));
		KUNIT_EXPECT_EQ(test, PTR_ERR(twin), (long)-EEXIST);
	}
	other = create(0, 1, 4);
	KUNIT_EXPECT_FALSE(test, IS_ERR(other));
	scounter_topk_destroy(other);
#else
	kunit_skip(test, "the kernel has no __free()");
#endif
}

static void a_hidden_table_has_a_name_and_no_files(struct kunit *test)
{
	const struct scounter_topk_spec spec = { .capacity = 1, .key_size = 4, .hidden = true };
	struct scounter_topk *topk = scounter_topk_create("table", GROUP, &spec);

	KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
	KUNIT_EXPECT_PTR_EQ(test, topk->text, NULL);
	KUNIT_EXPECT_PTR_EQ(test, topk->binary, NULL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(create(0, 1, 4)), (long)-EEXIST);
	scounter_topk_destroy(topk);
	topk = create(0, 1, 4);
	KUNIT_ASSERT_FALSE(test, IS_ERR(topk));
	KUNIT_EXPECT_TRUE(test, topk->text && topk->binary);
	scounter_topk_destroy(topk);
}

static struct kunit_case topk_cases[] = {
	KUNIT_CASE(specifications_are_checked),
	KUNIT_CASE(epsilon_is_rounded_up),
	KUNIT_CASE(what_fits_is_exact),
	KUNIT_CASE(more_than_fits_keeps_its_bounds),
	KUNIT_CASE(shares_are_cut_where_they_should),
	KUNIT_CASE(keys_of_all_sizes_are_told_apart),
	KUNIT_CASE(a_reset_returns_each_hit_once),
	KUNIT_CASE(hits_that_are_gathered_are_counted),
	KUNIT_CASE(counts_saturate),
	KUNIT_CASE(large_counts_are_handed_on),
	KUNIT_CASE(merged_counts_saturate),
	KUNIT_CASE(cut_snapshots_are_smaller_tables),
	KUNIT_CASE(merging_keeps_the_bounds),
	KUNIT_CASE(memory_grows_with_the_capacity),
	KUNIT_CASE(memory_is_as_stated),
	KUNIT_CASE(a_table_is_destroyed_in_atomic_context),
	KUNIT_CASE(a_scope_destroys_a_table),
	KUNIT_CASE(a_hidden_table_has_a_name_and_no_files),
	KUNIT_CASE(every_allocation_fails_once_in_topk),
	KUNIT_CASE(every_allocation_of_a_read_fails_once),
	{}
};

static struct kunit_suite topk_suite = {
	.name = "scounter_topk",
	.test_cases = topk_cases,
};
kunit_test_suites(&topk_suite);

// SPDX-License-Identifier: GPL-2.0
/*
 * One thread, and what no stream of hits comes to in a short time.  Each test is a
 * process of its own, which is ended if it does not end by itself.
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/smp.h>

#include "edges.h"
#include "streams.h"
#include "tap.h"
#include "topk/designs.h"

#define SECONDS	60	/* some hundred times what the longest takes */

static const struct topk_query all = { .most = ~0U };

static struct topk_table *make_for(const struct topk_ops *ops, u32 capacity, u32 key_size)
{
	u64 seed = 0x5eed;
	struct topk_secret secret = random_secret(&seed);
	struct topk_table *table = ops->create(capacity, key_size, &secret);

	if (!table)
		abort();
	return table;
}

static struct topk_table *make(const struct topk_ops *ops, u32 capacity)
{
	return make_for(ops, capacity, sizeof(u64));
}

static void add(struct topk_table *table, u64 key, u64 n)
{
	topk_add(table, &key, n);
}

/* False, and says so, if it is not what it should be. */
static bool is(const char *what, u64 value, u64 expected)
{
	if (value != expected)
		printf("# %s: %llu, not %llu\n", what, (unsigned long long)value,
		       (unsigned long long)expected);
	return value == expected;
}

static bool at_most(const char *what, u64 value, u64 bound)
{
	if (value > bound)
		printf("# %s: %llu, beyond %llu\n", what, (unsigned long long)value,
		       (unsigned long long)bound);
	return value <= bound;
}

/* Of a table that was hit @hits times and at rest: the sums, and the floor. */
static bool sums_up(struct topk_table *table, u64 hits)
{
	struct scounter_topk_header *header = topk_snapshot(table, &all);
	u64 counts = 0;
	bool good;
	u32 i;

	for (i = 0; i < header->records; i++)
		counts += topk_record(header, i)->count;
	good = is("total", header->total, hits) & is("the counts' sum", counts, hits) &
	       is("dropped", header->dropped, 0) & is("pending", header->pending, 0) &
	       at_most("the floor", header->floor, hits / header->capacity);
	topk_snapshot_free(header);
	return good;
}

/* Those whose counts sum up to what was hit: not what is merged. */
static const struct topk_ops *const summing[] = {
	&topk_lockfree_ops, &topk_cooperative_ops, &topk_shared_ops,
};

/* A count gets all that a key had before it, and no part of a word may overflow. */
static bool large_adds_of_new_keys(void)
{
	bool good = true;
	u32 design;
	u64 i;

	for (design = 0; design < ARRAY_SIZE(summing); design++) {
		struct topk_table *table = make(summing[design], 2);

		for (i = 1; i <= 2048; i++)
			add(table, i, 1ULL << 32);
		good &= sums_up(table, 2048ULL << 32);
	}
	return good;
}

/* Where counts are narrow, all of that comes with single hits. */
static bool many_new_keys(void)
{
	const u64 hits = TOPK_FOLD < (1 << 16) ? 16 * TOPK_FOLD : 1 << 16;
	struct topk_table *table = make(&topk_lockfree_ops, 1);
	u64 i;

	for (i = 1; i <= hits; i++)
		add(table, i, 1);
	return sums_up(table, hits);
}

/* Single hits up to where they are carried, and across. */
static bool carries_of_present_keys(void)
{
	struct topk_table *table = make(&topk_lockfree_ops, 3);
	u64 n, hits = 0, key;

	for (n = 1; n <= 1ULL << 42; n *= 2) {
		for (key = 1; key <= 3; key++) {
			add(table, key, n - 1);
			add(table, key, 1);
			add(table, key, 1);
			hits += n + 1;
		}
	}
	return sums_up(table, hits);
}

/* On a CPU, and in the sum over all of them. */
static bool dropped_hits_saturate(void)
{
	struct topk_table *table = make(&topk_lockfree_ops, 1);
	struct scounter_topk_header *header;

	topk_drop(&table->cpus[0], U64_MAX - 1);
	topk_drop(&table->cpus[0], 1);
	topk_drop(&table->cpus[0], 1);
	topk_drop(&table->cpus[1], 1);
	header = topk_snapshot(table, &all);
	return is("dropped", header->dropped, U64_MAX);
}

static struct scounter_topk_header *snapshot_of(u32 capacity, const u64 (*keys)[2], u32 n,
						u32 most)
{
	const struct topk_query query = { .most = most };
	struct topk_table *table = make(&topk_lockfree_ops, capacity);
	struct scounter_topk_header *header;
	u32 i;

	for (i = 0; i < n; i++)
		add(table, keys[i][0], keys[i][1]);
	header = topk_snapshot(table, &query);
	table->ops->destroy(table);
	return header;
}

static struct scounter_topk_header *merge(struct scounter_topk_header *a,
					  struct scounter_topk_header *b)
{
	const struct scounter_topk_header *const parts[] = { a, b };

	return topk_merge(parts, 2, ~0U);
}

static bool is_record(const struct scounter_topk_header *header, u32 i, u64 key, u64 count,
		      u64 error)
{
	const struct scounter_topk_record *record = topk_record(header, i);

	return is("key", *(const u64 *)record->key, key) & is("count", record->count, count) &
	       is("error", record->error, error);
}

/* The heaviest key is first, and stays at the greatest number. */
static bool merged_counts_saturate(void)
{
	static const u64 keys[][2] = { { 1, (1ULL << 63) + 8 }, { 2, 1000 } };
	struct scounter_topk_header *part = snapshot_of(10, keys, 2, ~0U);
	struct scounter_topk_header *merged = merge(part, part);

	return is("records", merged->records, 2) & is_record(merged, 0, 1, U64_MAX, 0) &
	       is_record(merged, 1, 2, 2000, 0) & is("total", merged->total, U64_MAX) &
	       is("flags", merged->flags, SCOUNTER_TOPK_F_SATURATED);
}

static bool is_flagged(struct scounter_topk_header *header, u32 flags)
{
	bool good = is("flags", header->flags, flags);

	topk_snapshot_free(header);
	return good;
}

/* What a query lists is no more than was hit, and no less, of keys that all have @hits. */
static bool is_certain(struct topk_table *table, u32 keys, u64 hits, u32 phi_ppb, u32 flags)
{
	const struct topk_query query = { .most = ~0U, .phi_ppb = phi_ppb };
	struct scounter_topk_header *header = topk_snapshot(table, &query);
	bool good = is("records", header->records, keys) & is("flags", header->flags, flags);
	u32 i;

	for (i = 0; i < header->records; i++) {
		const struct scounter_topk_record *record = topk_record(header, i);

		good &= at_most("what is certain", record->count - record->error, hits) &
			at_most("what was hit", hits, record->count);
	}
	topk_snapshot_free(header);
	return good;
}

/*
 * A total of 2^64 - 2 is one like any other.  Beyond that no share of it is known, and
 * each query says so.  The bounds of each key hold all the same.
 */
static bool totals_saturate(void)
{
	static const struct topk_ops *const designs[] = {
		&topk_lockfree_ops, &topk_cooperative_ops, &topk_shared_ops, &topk_independent_ops,
	};
	const u64 hits = 2 * (u64)S64_MAX;
	bool good = true;
	u32 design;
	u64 key;

	for (design = 0; design < ARRAY_SIZE(designs); design++) {
		struct topk_table *table = make(designs[design], 4);
		struct scounter_topk_header *a, *b;

		add(table, 0, S64_MAX);
		add(table, 0, S64_MAX);
		good &= is_certain(table, 1, hits, 0, 0) & is_certain(table, 1, hits, 600000000, 0);
		for (key = 1; key < 4; key++) {
			add(table, key, S64_MAX);
			add(table, key, S64_MAX);
		}
		good &= is_certain(table, 4, hits, 0, SCOUNTER_TOPK_F_SATURATED) &
			is_certain(table, 4, hits, 600000000, SCOUNTER_TOPK_F_SATURATED);
		a = topk_snapshot(table, &all);
		b = topk_snapshot(make(designs[design], 4), &all);
		good &= is_flagged(merge(a, b), SCOUNTER_TOPK_F_SATURATED) &
			is_flagged(merge(b, a), SCOUNTER_TOPK_F_SATURATED);
		topk_snapshot_free(a);
		topk_snapshot_free(b);
		/* The floor is that of a count, and not a fourth of the total. */
		add(table, 4, 1);
		a = topk_snapshot(table, &all);
		good &= at_most("total / m", a->total / 4, a->floor) &
			is_flagged(a, SCOUNTER_TOPK_F_SATURATED);
		table->ops->destroy(table);
	}
	return good;
}

/* Of two tables of one entry each, all counts may be the floor's: 2^63 + 2^63. */
static bool merged_floors_saturate(void)
{
	static const u64 a[][2] = { { 1, 1ULL << 63 }, { 2, 5 } };
	static const u64 b[][2] = { { 3, 1ULL << 63 }, { 4, 7 } };
	struct scounter_topk_header *merged = merge(snapshot_of(1, a, 2, ~0U),
						    snapshot_of(1, b, 2, ~0U));

	/* Certain are 7 of key 4, and 5 of key 2. */
	return is("floor", merged->floor, U64_MAX) &
	       is_record(merged, 0, 4, U64_MAX, U64_MAX - 7);
}

/* Keys 1 to n with 3 n, 3 n - 1, ... hits. */
static struct scounter_topk_header *steps(u32 n, u32 capacity, u32 most)
{
	u64 (*keys)[2] = calloc(n, sizeof(*keys));
	struct scounter_topk_header *header;
	u32 i;

	for (i = 0; i < n; i++) {
		keys[i][0] = i + 1;
		keys[i][1] = 3 * n - i;
	}
	header = snapshot_of(capacity, keys, n, most);
	free(keys);
	return header;
}

/*
 * What is said of a snapshot is true of one that leaves keys out, whose capacity is the
 * number that it lists; and so of what is merged from such.
 */
static bool cut_snapshots_say_so(void)
{
	static const u32 most[] = { 0, 1, 2, 9, 10, 11, 999, 1000, ~0U };
	bool good = true;
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(most); i++) {
		struct scounter_topk_header *one = steps(1000, 1000, most[i]);
		u32 kept = min(most[i], 1000U);

		good &= is("records", one->records, kept) &
			is("capacity", one->capacity, max(kept, 1U)) &
			(kept == 1000 || is("floor", one->floor, 3000 - kept)) &
			at_most("the floor", one->floor, one->total / one->capacity);
		for (j = 0; j < ARRAY_SIZE(most); j++) {
			struct scounter_topk_header *other = steps(1000, 1000, most[j]);
			struct scounter_topk_header *merged = merge(one, other);
			u64 bound = (one->total + other->total) /
				    min(one->capacity, other->capacity);
			u32 k;

			good &= at_most("the merged floor", merged->floor, bound) &
				is("the merged capacity", merged->capacity,
				   min(one->capacity, other->capacity));
			for (k = 0; k < merged->records; k++)
				good &= at_most("a merged error",
						topk_record(merged, k)->error, bound);
		}
	}
	return good;
}

/* Nor does one of those with more than a share. */
static bool shares_say_so(void)
{
	static const u32 shares[] = { 1, 1000000, 1100000, 1500000, 500000000 };
	struct topk_table *table = make(&topk_lockfree_ops, 1000);
	bool good = true;
	u32 i;

	for (i = 0; i < 1000; i++)
		add(table, i + 1, 3000 - i);
	for (i = 0; i < ARRAY_SIZE(shares); i++) {
		const struct topk_query query = { .most = ~0U, .phi_ppb = shares[i] };
		struct scounter_topk_header *header = topk_snapshot(table, &query);

		good &= is("capacity", header->capacity, max(header->records, 1U)) &
			at_most("the floor", header->floor, header->total / header->capacity);
		topk_snapshot_free(header);
	}
	return good;
}

/* The first of all are the first of the whole table, in the same order. */
static bool the_highest_are_picked(void)
{
	u64 seed = 7;
	u32 design, k, i;
	bool good = true;

	for (design = 1; topk_ops_of(design); design++) {
		struct topk_table *table = make(topk_ops_of(design), 500);
		struct scounter_topk_header *whole;

		for (i = 0; i < 500; i++)
			add(table, key_of(i), 1 + random_below(&seed, 1000000));
		whole = topk_snapshot(table, &all);
		for (k = 0; k <= 500; k = 2 * k + 1) {
			const struct topk_query top = { .most = k };
			struct scounter_topk_header *header = topk_snapshot(table, &top);

			good &= is("records", header->records, k) &
				is("floor", header->floor, topk_record(whole, k)->count) &
				is("another order", memcmp(header + 1, whole + 1,
							   k * header->record_size), 0);
			topk_snapshot_free(header);
		}
	}
	return good;
}

/* Each 1024 steps, of the walk over the cells and of each level of the heap. */
static bool queries_let_others_run(void)
{
	const u32 capacity = 1 << 16;
	u32 design, i;
	bool good = true;

	for (design = 1; topk_ops_of(design); design++) {
		struct topk_table *table = make(topk_ops_of(design), capacity);
		struct scounter_topk_header *header;
		unsigned long before;

		for (i = 0; i < capacity; i++)
			add(table, key_of(i), 1 + i % 77);
		before = shim_this.rescheds;
		header = topk_snapshot(table, &all);
		good &= is("records", header->records, capacity) &
			at_most("steps without a chance for others",
				2 * capacity / (shim_this.rescheds - before + 1), 1024);
		before = shim_this.rescheds;
		merge(header, header);
		good &= at_most("steps of a merge without a chance for others",
				6 * capacity / (shim_this.rescheds - before + 1), 1024);
	}
	return good;
}

/* All that was asked for, and nothing else. */
static bool bytes_are_all_told(void)
{
	u32 design;
	bool good = true;

	for (design = 1; topk_ops_of(design); design++) {
		const struct topk_ops *ops = topk_ops_of(design);
		size_t before = shim_zalloced;
		struct topk_table *table = make(ops, 1000);

		if (!is("bytes", ops->bytes(table), shim_zalloced - before)) {
			printf("# in %s\n", ops->name);
			good = false;
		}
	}
	return good;
}

/* A table that no query could merge is refused: more than 2^31 - 1 bytes. */
static bool tables_fit_a_query(void)
{
	const struct topk_ops *ops = &topk_independent_ops;
	u32 most;

	shim_cpus = 64;
	most = (INT_MAX - sizeof(struct scounter_topk_header)) / 24 / 64;
	return is("as large as fits", ops->check(most, 8), 0) &
	       is("larger", ops->check(most + 1, 8), (u64)-E2BIG) &
	       is("2^20 entries", ops->check(1 << 20, 8), 0) &
	       is("2^20 entries with longer keys", ops->check(1 << 20, 16), (u64)-E2BIG) &
	       is("a small one", ops->check(1000, 64), 0);
}

/* Hits have raised all counts, so that no bound tells where the smallest is. */
static struct topk_table *raised(u32 capacity)
{
	struct topk_table *table = make(&topk_lockfree_ops, capacity);
	u32 i;

	for (i = 0; i < 2 * capacity; i++)
		add(table, key_of(i % capacity), 1);
	return table;
}

/* Nobody looks at all blocks at once: keys wait, and soon all are there. */
static bool victims_are_sought_in_steps(void)
{
	const u32 capacity = 1 << 17, keys = 16;
	struct topk_table *table = raised(capacity);
	u64 waited = 0;
	u32 i;

	for (i = 0; i < keys; i++) {
		add(table, key_of(capacity + i), 1);
		waited = max(waited, topk_pending(table));
	}
	return is("that wait in the end", topk_pending(table), 0) &
	       at_most("that waited at once", waited, capacity / 64 / 256 + 1) &
	       at_most("none at first", 1, waited) & sums_up(table, 2 * capacity + keys);
}

/* Or until there is a query. */
static bool queries_bring_who_waits(void)
{
	const u32 capacity = 1 << 17;
	struct topk_table *table = raised(capacity);

	add(table, key_of(capacity), 5);
	return is("that wait", topk_pending(table), 5) & sums_up(table, 2 * capacity + 5);
}

/* As if so many contexts were just adding much to the only cell. */
static void pin(struct topk_table *table, s64 contexts)
{
	atomic64_add(contexts * TOPK_PIN, &topk_lockfree_of(table)->cells[0].word);
}

/* More than what fits the lower part is dropped, and said so; the rest is counted. */
static bool pins_are_all_taken(void)
{
	struct topk_table *table = make(&topk_lockfree_ops, 1);
	struct scounter_topk_header *header;
	bool good;

	add(table, 1, 5);
	pin(table, 7);
	add(table, 1, TOPK_SMALL + 1);
	add(table, 1, TOPK_FOLD);
	add(table, 1, TOPK_FOLD + 1);
	pin(table, -7);
	header = topk_snapshot(table, &all);
	good = is("total", header->total, 5 + TOPK_SMALL + 1 + TOPK_FOLD) &
	       is("dropped", header->dropped, TOPK_FOLD + 1) &
	       is("flags", header->flags, SCOUNTER_TOPK_F_DROPPED);
	pin(table, 6);
	add(table, 1, TOPK_FOLD + 1);
	pin(table, -6);
	header = topk_snapshot(table, &all);
	return good & is("total with a pin left", header->total,
			 5 + TOPK_SMALL + 1 + TOPK_FOLD + TOPK_FOLD + 1);
}

/* New keys wait while their victim is pinned, as many as there are nodes for. */
static bool pinned_cells_are_not_evicted(void)
{
	struct topk_table *table = make(&topk_lockfree_ops, 1);
	struct scounter_topk_header *header;
	const u32 keys = 100;
	u64 pending;
	u32 i;

	add(table, 1, 5);
	pin(table, 1);
	for (i = 0; i < keys; i++)
		add(table, 2 + i, 1);
	/* Of a key that waits no more than fits its node. */
	add(table, 2, TOPK_PENDING_MASK);
	pending = topk_pending(table);
	pin(table, -1);
	header = topk_snapshot(table, &all);
	return at_most("too few that wait", 8 * shim_cpus + 16, pending) &
	       is("that wait in the end", header->pending, 0) &
	       is("total", header->total, 5 + pending) &
	       is("dropped", header->dropped, keys - pending + TOPK_PENDING_MASK) &
	       is("records", header->records, 1);
}

/* Of 2^18 hashes of 32 bits some are equal: of the keys { 7, i }, two with one hash. */
#define KEYS		(1 << 18)

static int compare_hashes(const void *a, const void *b)
{
	const struct topk_key *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

static bool equal_hashes(const struct topk_table *table, u64 one[2], u64 other[2])
{
	struct topk_key *keys = calloc(KEYS, sizeof(*keys));
	u64 i, key[2] = { 7 };

	for (i = 0; i < KEYS; i++) {
		key[1] = i;
		topk_key_load(&keys[i], key, sizeof(key), &table->secret);
	}
	qsort(keys, KEYS, sizeof(*keys), compare_hashes);
	for (i = 1; i < KEYS && keys[i - 1].hash != keys[i].hash; i++)
		;
	if (i < KEYS) {
		memcpy(one, keys[i - 1].word, sizeof(key));
		memcpy(other, keys[i].word, sizeof(key));
	}
	free(keys);
	return i < KEYS;
}

static bool equal_hashes_are_told_apart(void)
{
	static const struct topk_ops *const designs[] = {
		&topk_lockfree_ops, &topk_cooperative_ops, &topk_shared_ops,
	};
	struct scounter_topk_header *header;
	struct topk_table *table;
	u64 one[2], other[2];
	bool good = true;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(designs); i++) {
		table = make_for(designs[i], 4, sizeof(one));
		if (!equal_hashes(table, one, other))
			return false;
		topk_add(table, one, 5);
		topk_add(table, other, 3);
		header = topk_snapshot(table, &all);
		good &= is("records", header->records, 2) &&
			is("the count of one", topk_record(header, 0)->count, 5) &
			is("of the other", topk_record(header, 1)->count, 3);
		topk_snapshot_free(header);
	}
	return good;
}

/* What is in memory behind a key is no part of it. */
static bool keys_are_padded_with_zeros(void)
{
	const u8 bytes[SCOUNTER_TOPK_KEY_MAX + 1] = { 1 };
	u64 seed = 0x5eed;
	struct topk_secret secret = random_secret(&seed);
	struct topk_key key;
	bool good = true;
	u32 size;

	for (size = SCOUNTER_TOPK_KEY_MIN; size <= SCOUNTER_TOPK_KEY_MAX; size++) {
		memset(&key, 0xff, sizeof(key));
		topk_key_load(&key, bytes, size, &secret);
		good &= is("words", key.words, (size + 7) / 8) &
			is("the last word", le64toh(key.word[key.words - 1]), key.words == 1);
	}
	return good;
}

static const struct tap_test tests[] = {
	{ "keys are padded with zeros", keys_are_padded_with_zeros },
	{ "two keys with one hash and one first word are told apart", equal_hashes_are_told_apart },
	{ "2048 adds of 2^32, each of a new key, to two entries", large_adds_of_new_keys },
	{ "as many keys as one entry can count, and more", many_new_keys },
	{ "counts across all that is carried", carries_of_present_keys },
	{ "dropped hits saturate", dropped_hits_saturate },
	{ "merged counts saturate", merged_counts_saturate },
	{ "merged floors saturate", merged_floors_saturate },
	{ "a total that saturates is said, and no share of it is", totals_saturate },
	{ "the capacity of a cut snapshot is what it lists", cut_snapshots_say_so },
	{ "and of one of shares, too", shares_say_so },
	{ "the highest counts are picked", the_highest_are_picked },
	{ "queries and merges let others run", queries_let_others_run },
	{ "all designs say how many bytes they take", bytes_are_all_told },
	{ "what no query could merge is refused", tables_fit_a_query },
	{ "a victim is not sought in the whole table at once", victims_are_sought_in_steps },
	{ "a query brings keys that wait for one", queries_bring_who_waits },
	{ "more large adds at once than there are pins", pins_are_all_taken },
	{ "new keys wait while their victim is pinned", pinned_cells_are_not_evicted },
};

int edges_check(void)
{
	shim_cpus = 2;
	return tap_processes(tests, ARRAY_SIZE(tests), NULL, SECONDS);
}

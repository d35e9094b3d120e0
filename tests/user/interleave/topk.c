// SPDX-License-Identifier: GPL-2.0
/*
 * What must be true, whatever the order:
 *
 * - In the end the total is what was hit and not dropped.
 * - In the end the count of a key that is listed, less its error, is at most what
 *   was hit, and the count at least that; a key that is not listed was hit at most
 *   as often as the floor says.
 * - A snapshot meanwhile never has more than had begun, nor less, with what it says
 *   is pending, than had returned before it.  It lists no more than the total, and says of
 *   no key that it may have more than its share.  (A merged one lists more.)
 * - Hits that were left to another context have been counted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "kernel.h"
#include "script.h"
#include "topk.h"
#include "topk/designs.h"
#include "topk/lockfree.h"
#include "topk/table.h"

#define KEYS		10

/* More than fits the lower part of a count where that is small, or can be left to an owner. */
#define LARGE		6
#define LARGER		(TOPK_PENDING_MASK + 1)

#define QUEUE_LIMIT	4	/* of the cooperative design: few nodes to look at */
#define REQUESTS	64

/* In memory that is restored. */
struct books {
	struct topk_table *table;
	u64 begun[KEYS];
	u64 returned[KEYS];
};

static struct topk_play now;
static const struct topk_ops *ops;
static struct books *books;

bool topk_throttle(void)
{
	return false;
}

/* No key's place is a matter of chance: the secret is fixed. */
static struct topk_table *create(void)
{
	static const struct topk_secret secret = { .a0 = 1, .a1 = 3, .b = 5, .seed = 7 };

	return ops->create(now.capacity, sizeof(u64), &secret);
}

static u64 all_begun(void)
{
	u64 sum = 0;
	int key;

	for (key = 0; key < KEYS; key++)
		sum += books->begun[key];
	return sum;
}

static u64 key_of(const struct scounter_topk_record *record)
{
	u64 key;

	memcpy(&key, record->key, sizeof(key));
	return key;
}

static struct scounter_topk_header *snapshot(void)
{
	const struct topk_query query = { .most = now.capacity };
	struct scounter_topk_header *header = topk_snapshot(books->table, &query);

	if (!header)
		abort();
	return header;
}

static void judge_record(const struct scounter_topk_record *record)
{
	u64 key = key_of(record);

	if (key >= KEYS)
		explore_fail("a key that nobody hit: %#llx", (unsigned long long)key);
	if (record->error > record->count ||
	    record->count - record->error > books->begun[key])
		explore_fail("key %llu: count %llu, error %llu, but %llu hits",
			     (unsigned long long)key, (unsigned long long)record->count,
			     (unsigned long long)record->error,
			     (unsigned long long)books->begun[key]);
}

/* Of a key that has @count, or is not listed and has the floor at most. */
static void judge_late(const struct scounter_topk_header *header, u32 key, u64 count,
		       u64 returned)
{
	if (returned > count + header->pending + header->dropped)
		explore_fail("key %u: %llu hits have returned, but count %llu, pending %llu",
			     key, (unsigned long long)returned, (unsigned long long)count,
			     (unsigned long long)header->pending);
}

/*
 * The letters of a key: 1 as the design counts, A as a call of the module does, J the
 * same with two hits, a for many hits at once.
 */
static u64 key_of_letter(char letter)
{
	char first = letter < 'A' ? '1' : letter < 'J' ? 'A' : letter < 'a' ? 'J' : 'a';

	return letter - first + 1;
}

static u64 hits_of_letter(char letter)
{
	if (letter < 'J')
		return 1;
	if (letter < 'a')
		return 2;
	return ops == &topk_cooperative_ops ? LARGER : LARGE;
}

static bool is_hit(u32 key)
{
	const char letters[] = {
		'0' + key, 'A' + key - 1, 'J' + key - 1, 'a' + key - 1, 0
	};

	return key && strpbrk(now.script, letters);
}

/* Threads meet in these numbers, too, if somebody looks at them. */
static void touch(u32 key, enum shim_kind_of_access access)
{
	if (strchr(now.script, 'r') && is_hit(key))
		explore_touch(&books->returned[key], access);
}

/* What is listed, and what is said of keys that are not.  Returns the sum. */
static u64 judge_shares(const struct scounter_topk_header *header)
{
	u64 counts = 0;
	u32 i;

	for (i = 0; i < header->records; i++)
		counts += topk_record(header, i)->count;
	if (ops != &topk_independent_ops && counts > header->total)
		explore_fail("the counts' sum is %llu, the total %llu",
			     (unsigned long long)counts, (unsigned long long)header->total);
	if (header->floor * header->capacity > header->total)
		explore_fail("a floor of %llu in a table of %u, and a total of %llu",
			     (unsigned long long)header->floor, header->capacity,
			     (unsigned long long)header->total);
	return counts;
}

static void look(void)
{
	struct scounter_topk_header *header;
	u64 returned[KEYS], all_returned = 0;
	bool listed[KEYS] = { false };
	u32 i, key;

	for (key = 0; key < KEYS; key++) {
		touch(key, SHIM_LOAD);
		all_returned += returned[key] = books->returned[key];
	}
	header = snapshot();
	judge_shares(header);
	if (header->total + header->pending + header->dropped < all_returned)
		explore_fail("%llu hits have returned, but total %llu, pending %llu",
			     (unsigned long long)all_returned,
			     (unsigned long long)header->total,
			     (unsigned long long)header->pending);
	if (header->total > all_begun())
		explore_fail("a total of %llu, but %llu hits",
			     (unsigned long long)header->total, (unsigned long long)all_begun());
	for (i = 0; i < header->records; i++) {
		const struct scounter_topk_record *record = topk_record(header, i);

		judge_record(record);
		key = key_of(record);
		if (listed[key])
			explore_fail("key %u is listed twice", key);
		listed[key] = true;
		judge_late(header, key, record->count, returned[key]);
	}
	for (key = 0; key < KEYS; key++)
		if (!listed[key])
			judge_late(header, key, header->floor, returned[key]);
	topk_snapshot_free(header);
}

static void operate(char operation)
{
	u64 key = key_of_letter(operation), n = hits_of_letter(operation);

	if (operation == 'r') {
		look();
		return;
	}
	books->begun[key] += n;
	if (operation < 'A' && ops->count)
		ops->count(books->table, &key, n);
	else
		topk_add(books->table, &key, n);
	touch(key, SHIM_STORE);
	books->returned[key] += n;
}

static bool setup(void)
{
	topk_queue_limit = QUEUE_LIMIT;
	topk_requests = now.requests ?: REQUESTS;
	if (!shim_init(SCRIPT_CPUS, SCRIPT_NODES) || !kernel_init())
		return false;
	books = shim_zalloc(sizeof(*books));
	books->table = create();
	if (!books->table)
		return false;
	script_run(now.before);
	return true;
}

static void judge_all(const struct scounter_topk_header *header)
{
	bool listed[KEYS] = { false };
	u32 i, key;

	for (i = 0; i < header->records; i++) {
		const struct scounter_topk_record *record = topk_record(header, i);

		judge_record(record);
		key = key_of(record);
		if (listed[key])
			explore_fail("key %u is listed twice", key);
		listed[key] = true;
		if (record->count + header->dropped < books->begun[key])
			explore_fail("key %u: count %llu of %llu hits", key,
				     (unsigned long long)record->count,
				     (unsigned long long)books->begun[key]);
	}
	for (key = 0; key < KEYS; key++)
		if (!listed[key] && books->begun[key] > header->floor + header->dropped)
			explore_fail("key %u: not listed with %llu hits, floor %llu", key,
				     (unsigned long long)books->begun[key],
				     (unsigned long long)header->floor);
}

/*
 * At rest a node is in a cell, in the pool, or spare on a CPU, and in one of these only.
 * A node that is lost has no other effect until the last one is.
 */
static void judge_nodes(struct topk_lockfree *t)
{
	u32 i, n = 0, left = t->index.count;

	for (i = 0; i < t->table.capacity; i++)
		n += !!topk_cell_node(atomic64_read(&t->cells[i].word));
	for (i = 0; i < nr_cpu_ids; i++)
		n += !!atomic64_read(&t->table.cpus[i].spare);
	i = topk_link_node(atomic64_read(&t->index.pool));
	for (; i && left; left--, n++)
		i = topk_link_node(atomic64_read(&topk_node(&t->index, i)->link));
	if (i || n != t->index.count)
		explore_fail("%u of %u nodes are there", n, t->index.count);
}

static void check(void)
{
	struct scounter_topk_header *header = snapshot();
	u64 counts = judge_shares(header);
	struct topk_sums sums;

	if (header->total + header->dropped != all_begun())
		explore_fail("%llu hits, of which %llu are there and %llu dropped",
			     (unsigned long long)all_begun(),
			     (unsigned long long)header->total,
			     (unsigned long long)header->dropped);
	if (ops != &topk_independent_ops && counts != header->total)
		explore_fail("the counts' sum is %llu at rest, the total %llu",
			     (unsigned long long)counts, (unsigned long long)header->total);
	/* More than can be left in an element waits in a slot. */
	if (ops == &topk_cooperative_ops && header->dropped)
		explore_fail("%llu hits were dropped", (unsigned long long)header->dropped);
	judge_all(header);
	topk_table_sums(books->table, &sums);
	if (sums.delegated != sums.applied)
		explore_fail("%llu hits were left to others, who counted %llu",
			     (unsigned long long)sums.delegated,
			     (unsigned long long)sums.applied);
	if (header->pending)
		explore_fail("%llu hits are still pending",
			     (unsigned long long)header->pending);
	if (ops == &topk_lockfree_ops)
		judge_nodes(topk_lockfree_of(books->table));
	topk_snapshot_free(header);
}

static const struct topk_ops *ops_by_name(const char *name)
{
	static const struct topk_ops *const designs[] = {
		&topk_lockfree_ops, &topk_cooperative_ops, &topk_shared_ops,
		&topk_independent_ops,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(designs); i++)
		if (!strcmp(designs[i]->name, name))
			return designs[i];
	return NULL;
}

const struct explore_program *topk_program(const struct topk_play *play)
{
	const struct script script = {
		.text = play->script,
		.letters = "123456789ABCDEFGHIJKLMNOPQRabcdefghir",
		.operate = operate,
	};
	const struct explore_program like = { .setup = setup, .check = check };

	now = *play;
	ops = ops_by_name(now.design);
	return ops && now.capacity ? script_program(&script, &like) : NULL;
}

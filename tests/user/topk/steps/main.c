// SPDX-License-Identifier: GPL-2.0
/*
 * How much a hit of the designs with owners does at most, while preemption or interrupts
 * are off, and a query without a chance for other tasks: in accesses to memory that
 * contexts share, which are counted.  That must not grow with the table.  The tables are
 * such that whoever walks through all entries, or all of a bucket, does so here; and a
 * context is interrupted while others leave it as much work as they can.
 */
#include <stdio.h>

#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/smp.h>

#include "streams.h"
#include "tap.h"
#include "topk/designs.h"
#include "topk/table.h"

/*
 * The places of two blocks, of which one has no victim and one gets a new witness, five
 * accesses each; the bounds of three levels; and what every hit does.
 */
#define OF_A_HIT	(2 * 64 * 5 + 3 * 64 + 168)

/*
 * Those of so many requests, each of which has no more than a hit.  How many it takes
 * depends on the secret: with 25 of them, and m = 100, it was 9000 to 21000 at most.
 */
#define OF_REQUESTS	(64 * OF_A_HIT)

/* So many places, each of which is looked at twice. */
#define OF_A_QUERY	(1024 * 16)

/* Of what is under way: accesses since it began, and the most that anything had. */
static u64 steps, most_steps;

/* How often other tasks had been let run when it began. */
static unsigned long rescheds;

/* After so many accesses CPU 1 runs, and hits so many keys. */
static struct {
	struct topk_table *table;
	u64 after;
	u32 hits, keys;
	u64 key;
} interruption;

/* Nobody sleeps in the middle of a hit. */
bool topk_throttle(void)
{
	return false;
}

static void interrupt(void)
{
	u64 before = steps;
	u32 i;

	interruption.after = 0;
	shim_be(1);
	for (i = 0; i < interruption.hits; i++) {
		u64 key = key_of(interruption.key++ % interruption.keys);

		interruption.table->ops->add(interruption.table, &key, 1);
	}
	shim_be(0);
	steps = before;
}

static void begin_again(void)
{
	most_steps = max(most_steps, steps);
	steps = 0;
}

void shim_access(const volatile void *address, size_t bytes, enum shim_kind_of_access access)
{
	(void)address;
	(void)bytes;
	(void)access;
	if (shim_this.rescheds != rescheds) {
		rescheds = shim_this.rescheds;
		begin_again();
	}
	if (interruption.after && steps == interruption.after)
		interrupt();
	steps++;
}

void shim_fence(void)
{
}

void shim_private(const volatile void *address)
{
	(void)address;
}

void shim_relax(void)
{
}

void shim_draw(void)
{
}

void shim_failed(void)
{
}

bool shim_no_fetch_op(void)
{
	return false;
}

static void hit(struct topk_table *table, u32 element, u64 n)
{
	u64 key = key_of(element);

	steps = 0;
	topk_add(table, &key, n);
	begin_again();
}

static struct topk_table *create(const struct topk_ops *ops, u32 capacity)
{
	u64 seed = 0x5eed;
	struct topk_secret secret = random_secret(&seed);
	struct topk_table *table = ops->create(capacity, sizeof(u64), &secret);

	most_steps = 0;
	return table;
}

static void judge(const char *design, const char *what, u32 capacity, u64 bound)
{
	ok(most_steps <= bound, "%s, m %u: %s", design, capacity, what);
	comment("%llu accesses, of at most %llu", most_steps, bound);
}

/* Each entry is hit once, then again. */
static void fill_evenly(struct topk_table *table, u32 capacity)
{
	u32 i;

	for (i = 0; i < 2 * capacity; i++)
		hit(table, i % capacity, 1);
}

/* Counts that nobody else has. */
static void fill_apart(struct topk_table *table, u32 capacity)
{
	u32 i;

	for (i = 0; i < capacity; i++)
		hit(table, i, 1 + 3ULL * i);
}

/* All counts are 1 modulo the number of buckets, the least first. */
static void fill_one_bucket(struct topk_table *table, u32 capacity)
{
	u32 i;

	for (i = 0; i < capacity; i++)
		hit(table, i, 1 + (u64)i * roundup_pow_of_two(capacity));
}

static const struct {
	const char *name;
	void (*fill)(struct topk_table *table, u32 capacity);
} fillings[] = {
	{ "hits of a table that was filled evenly", fill_evenly },
	{ "hits of a table whose counts are far apart", fill_apart },
	{ "hits of a table whose counts share a bucket", fill_one_bucket },
};

/* New keys, and in between those that are the first to be evicted. */
static void hit_a_full_table(const struct topk_ops *ops, u32 capacity)
{
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(fillings); i++) {
		struct topk_table *table = create(ops, capacity);

		fillings[i].fill(table, capacity);
		for (j = 0; j < 1000; j++) {
			hit(table, capacity + j, 1);
			hit(table, j + 3, 1);
		}
		judge(ops->name, fillings[i].name, capacity, OF_A_HIT);
		ops->destroy(table);
	}
}

/*
 * A hit is interrupted at each of its accesses, while others hit keys that are there, and
 * are not; then it goes on.
 */
static void hit_while_others_leave_work(const struct topk_ops *ops, u32 capacity)
{
	struct topk_table *table = create(ops, capacity);
	u32 after, i;

	for (i = 0; i < 2 * capacity; i++)
		hit(table, i % capacity, 1);
	most_steps = 0;
	interruption.table = table;
	interruption.keys = capacity + capacity / 2;
	for (after = 1; after < 300; after++) {
		interruption.hits = 2 * capacity;
		interruption.after = after;
		hit(table, after % 2 ? after : capacity + after, 1);
		interruption.after = 0;
	}
	judge(ops->name, "a hit to which others leave their work", capacity, OF_REQUESTS);
	ops->destroy(table);
}

static void query(const struct topk_ops *ops, u32 capacity)
{
	const struct topk_query all = { .most = ~0U }, few = { .most = 10 };
	struct topk_table *table = create(ops, capacity);
	u32 i;

	for (i = 0; i < capacity; i++)
		hit(table, i, 1 + 3ULL * i);
	most_steps = 0;
	steps = 0;
	topk_snapshot_free(topk_snapshot(table, &all));
	topk_snapshot_free(topk_snapshot(table, &few));
	begin_again();
	judge(ops->name, "queries, from one chance for others to the next", capacity, OF_A_QUERY);
	ops->destroy(table);
}

int main(void)
{
	static const u32 capacities[] = { 1, 100, 1 << 12, 1 << 17 };
	u32 i;

	if (!shim_init(2, 1)) {
		fputs("topk-steps: no memory\n", stderr);
		return 3;
	}
	shim_be(0);
	tap_plan(35);
	for (i = 0; i < ARRAY_SIZE(capacities); i++) {
		hit_a_full_table(&topk_cooperative_ops, capacities[i]);
		hit_a_full_table(&topk_shared_ops, capacities[i]);
		query(&topk_cooperative_ops, capacities[i]);
		query(&topk_shared_ops, capacities[i]);
	}
	/* Who waits for locks cannot be interrupted. */
	for (i = 0; i < 3; i++)
		hit_while_others_leave_work(&topk_cooperative_ops, capacities[i]);
	return tap_status();
}

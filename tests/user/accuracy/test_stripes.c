// SPDX-License-Identifier: GPL-2.0
/* Counters that spread: all their words are in the sum, however many there are. */
#include <linux/cache.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <limits.h>

#include "../kernel/counters.h"
#include "counter/counter.h"
#include "kinds/kind.h"
#include "named.h"
#include "suites.h"

static const u8 components[] = { 0, 2, 4, 8 };

/* Another number on each CPU; all of them. */
static u64 count_on_all(struct scounter *counter, u64 n)
{
	u64 all = 0;
	u32 cpu, i;

	for (cpu = 0; cpu < CPUS; cpu++) {
		shim_be(cpu);
		for (i = 0; i <= cpu; i++)
			scounter_inc(counter);
		scounter_add(counter, n << cpu);
		all += cpu + 1 + (n << cpu);
	}
	shim_be(0);
	return all;
}

static bool is(struct scounter *counter, u64 count, u32 flags)
{
	struct scounter_estimate got = named_estimate(counter);

	if (scounter_read(counter) == count && got.value == count && got.lower == count &&
	    got.upper == count && !got.error_ppm && got.flags == flags)
		return true;
	comment("value %llu of %llu, flags %#x", got.value, count, got.flags);
	return false;
}

/* Counted, reset, counted again, and collapsed. */
static bool sums_up(struct scounter *counter, u64 before, u32 flags)
{
	u64 count = before + count_on_all(counter, 1000);
	bool good = is(counter, count, flags);

	good &= scounter_fetch_reset(counter) == count && is(counter, 0, flags);
	count = count_on_all(counter, 7);
	good &= is(counter, count, flags);
	scounter_collapse(counter);
	good &= is(counter, count, 0);
	return good && is(counter, count, 0);
}

static bool test_multiline(u32 which)
{
	struct scounter *counter;
	bool good;

	named_machine(1);
	describe("multiline of %u a node", components[which] ?: 1);
	counter = named_make(&(struct scounter_params) {
		.kind = SCOUNTER_MULTILINE, .components = components[which],
	});
	good = sums_up(counter, 0, 0);
	named_free(counter);
	return good;
}

/* A second passes in which every stripe was contended. */
static void grow(void)
{
	shim_jiffies += HZ;
	counters_settle();
}

static bool test_adapt(u32 which)
{
	struct scounter *counter;
	size_t bytes;
	u64 count;
	bool good;

	named_machine(1);
	describe("multiline_adapt of %u a node, before and after it takes them",
		 components[which] ?: 1);
	counter = named_make(&(struct scounter_params) {
		.kind = SCOUNTER_MULTILINE_ADAPT, .components = components[which],
	});
	scounter_add(counter, 3);
	good = is(counter, 3, 0);
	shim_param("adapt_tries", 0);
	shim_param("grow_rate", 1);
	count = 3 + count_on_all(counter, 20);
	good &= is(counter, count, SCOUNTER_F_INFLATED);
	bytes = scounter_bytes(counter);
	counters_settle();
	grow();
	good &= is(counter, count, SCOUNTER_F_INFLATED) &&
		(scounter_bytes(counter) > bytes) == (components[which] > 1);
	shim_param("adapt_tries", UINT_MAX);
	good &= sums_up(counter, count, SCOUNTER_F_INFLATED);
	named_free(counter);
	counters_settle();
	return good;
}

/* Which the shim has been asked for meanwhile. */
static bool test_bytes(u32 which)
{
	struct scounter *counter;
	size_t asked, bytes;

	named_machine(1);
	asked = shim_zalloced;
	describe("multiline of %u a node", components[which] ?: 1);
	counter = named_make(&(struct scounter_params) {
		.kind = SCOUNTER_MULTILINE, .components = components[which],
	});
	asked = shim_zalloced - asked;
	bytes = scounter_bytes(counter);
	comment("%zu bytes said, %zu asked for", bytes, asked);
	named_free(counter);
	return bytes == asked && bytes >= sizeof(*counter) +
	       NODES * (components[which] ?: 1) * L1_CACHE_BYTES;
}

const struct test stripes_tests[] = {
	{ "all words are in the sum", ARRAY_SIZE(components), test_multiline },
	{ "all words are in the sum", ARRAY_SIZE(components), test_adapt },
	{ "bytes of a counter", ARRAY_SIZE(components), test_bytes },
	{ }
};

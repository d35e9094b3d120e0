// SPDX-License-Identifier: GPL-2.0
/*
 * What counters say at the end of their range and beyond, one call after the other:
 * kmod's own functions.
 */
#include <linux/kernel.h>
#include <linux/scounter.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel/counters.h"
#include "counter/counter.h"
#include "kinds/history.h"
#include "kinds/kind.h"
#include "named.h"
#include "suites.h"

#define LAST		((u64)S64_MAX)
#define QUARTER		(1ULL << 62)	/* of 2^64 */

static const enum scounter_kind kinds[] = {
#define KIND(symbol, ...)	SCOUNTER_##symbol,
	SCOUNTER_KIND_TABLE(KIND)
	SCOUNTER_CHOICE_TABLE(KIND)
#undef KIND
};

static bool is(struct scounter *counter, u64 value, u64 upper, u32 flags)
{
	struct scounter_estimate got = named_estimate(counter);

	if (got.value == value && got.lower == value && got.upper == upper &&
	    got.flags == flags)
		return true;
	comment("value %llu, lower %llu, upper %llu, flags %#x; not %llu, %llu, flags %#x",
		got.value, got.lower, got.upper, got.flags, value, upper, flags);
	return false;
}

static bool is_exactly(struct scounter *counter, u64 value)
{
	return is(counter, value, value, 0);
}

static bool has_overflown(struct scounter *counter, u64 value)
{
	return is(counter, value, U64_MAX, SCOUNTER_F_OVERFLOW);
}

/* Each of these CPUs adds so much. */
static void add_on(struct scounter *counter, u32 first, u32 last, u64 n)
{
	u32 cpu;

	for (cpu = first; cpu <= last; cpu++) {
		shim_be(cpu);
		scounter_add(counter, n);
	}
	shim_be(0);
}

/* To the end of its range, if it has one. */
static void fill(struct scounter *counter)
{
	while (!(named_estimate(counter).flags & (SCOUNTER_F_SATURATED | SCOUNTER_F_OVERFLOW)))
		scounter_add(counter, LAST);
}

static bool nothing_is_nothing(enum scounter_kind kind, u8 flags, bool full)
{
	struct scounter *counter = named_make(&(struct scounter_params) { .kind = kind, .flags = flags });
	struct scounter_estimate before, after;
	u32 i;

	if (full)
		fill(counter);
	else
		scounter_add(counter, 5);
	before = named_estimate(counter);
	for (i = 0; i < 3; i++)
		scounter_add(counter, 0);
	after = named_estimate(counter);
	named_free(counter);
	return !memcmp(&before, &after, sizeof(before));
}

static bool nothing_is_nothing_bare(enum scounter_kind kind, u8 flags)
{
	struct scounter_params params = { .kind = kind, .flags = flags };
	struct scounter_word64 word64, full64 = { .word = { S64_MAX } };
	struct scounter_word32 word32, full32 = { .word = { -1 } };
	struct scounter_class class;

	if (scounter_class_init(&class, &params))
		abort();
	if (scounter_kind_row(kind)->word == __SCOUNTER_WORD32) {
		word32 = full32;
		scounter_word32_add(&word32, &class, 0);
		return !memcmp(&word32, &full32, sizeof(word32));
	}
	if (class.kind == SCOUNTER_MULTILINE_ADAPT)
		atomic64_set(&full64.word, SCOUNTER_ADAPT_MAX);
	word64 = full64;
	scounter_word64_add(&word64, &class, 0);
	return !memcmp(&word64, &full64, sizeof(word64));
}

static bool test_zero(u32 which)
{
	const struct scounter_kind_row *row = scounter_kind_row(kinds[which]);
	bool wraps = row->options & SCOUNTER_OPTION_WRAP;
	bool good;

	named_machine(1);
	describe("%s", which < __SCOUNTER_KINDS ? row->name :
		 kinds[which] == SCOUNTER_EXACT ? "exact" : "approx");
	good = nothing_is_nothing(kinds[which], 0, false) &&
	       nothing_is_nothing(kinds[which], 0, true);
	if (wraps)
		good &= nothing_is_nothing(kinds[which], SCOUNTER_CLASS_WRAP, true);
	if (row->bare)
		good &= nothing_is_nothing_bare(kinds[which], 0);
	if (row->bare && wraps)
		good &= nothing_is_nothing_bare(kinds[which], SCOUNTER_CLASS_WRAP);
	return good;
}

/* What is said to be exact is the count, from the first event to beyond the end. */
static bool is_exact_if_said(enum scounter_kind kind, u8 flags)
{
	static const u64 amounts[] = { 1, 2000, U32_MAX, QUARTER, QUARTER - 5, 2, LAST, LAST, 9 };
	struct scounter *counter = named_make(&(struct scounter_params) { .kind = kind, .flags = flags });
	unsigned __int128 events = 0;
	bool good = true, unsure = false;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(amounts); i++) {
		struct scounter_estimate got;

		scounter_add(counter, amounts[i]);
		events += amounts[i];
		got = named_estimate(counter);
		unsure |= !!(got.flags & SCOUNTER_F_UNSURE);
		if (!got.error_ppm && !(got.flags & SCOUNTER_F_UNSURE))
			good &= got.value == events && got.lower == events && got.upper == events;
		if (got.flags & SCOUNTER_F_UNSURE && !(got.flags & SCOUNTER_F_LOSSY))
			good &= got.upper == U64_MAX && got.lower <= events;
	}
	named_free(counter);
	return good && unsure;
}

static bool test_exact_if_said(u32 which)
{
	named_machine(1);
	describe("%s", scounter_kind_name(kinds[which]));
	return is_exact_if_said(kinds[which], 0) &&
	       (!(scounter_kind_row(kinds[which])->options & SCOUNTER_OPTION_WRAP) ||
		is_exact_if_said(kinds[which], SCOUNTER_CLASS_WRAP));
}

/* The kinds that count modulo 2^64. */
static const struct scounter_params unchecked[] = {
	{ .kind = SCOUNTER_ATOMIC }, { .kind = SCOUNTER_PERCPU }, { .kind = SCOUNTER_MULTILINE },
	{ .kind = SCOUNTER_MULTILINE, .components = 4 },
};

static void describe_unchecked(u32 which, const char *what)
{
	named_machine(1);
	describe("%s%s, %s", scounter_kind_name(unchecked[which].kind),
		 unchecked[which].components ? " of 4 components" : "", what);
}

/* 2^64 in all, a quarter of it by each CPU. */
static bool test_passing(u32 which)
{
	struct scounter *counter;
	bool good;

	describe_unchecked(which / 2, which % 2 ? "after a reset" : "from the beginning");
	counter = named_make(&unchecked[which / 2]);
	if (which % 2) {
		scounter_inc(counter);
		scounter_fetch_reset(counter);
	}
	add_on(counter, 0, 1, QUARTER - 1);
	good = is_exactly(counter, 2 * (QUARTER - 1));
	scounter_inc(counter);
	good &= is_exactly(counter, LAST);
	scounter_inc(counter);
	good &= has_overflown(counter, 1ULL << 63);
	add_on(counter, 2, 3, QUARTER);
	good &= has_overflown(counter, 0);
	scounter_add(counter, 5);
	good &= has_overflown(counter, 5);
	named_free(counter);
	return good;
}

/* By additions of which none is large. */
static bool test_passing_slowly(u32 which)
{
	struct scounter *counter;
	bool good;
	u32 i;

	describe_unchecked(which, "2^24 times 2^40 - 1 and more");
	counter = named_make(&unchecked[which]);
	for (i = 0; i < 1 << 22; i++)
		add_on(counter, 0, CPUS - 1, (1ULL << 40) - 1);
	add_on(counter, 0, CPUS - 1, 1 << 22);
	good = has_overflown(counter, 0);
	scounter_fetch_reset(counter);
	good &= is_exactly(counter, 0);
	named_free(counter);
	return good;
}

static bool test_after_reset(u32 which)
{
	struct scounter *counter;
	bool good;
	u32 i;

	describe_unchecked(which, "resets of what was beyond");
	counter = named_make(&unchecked[which]);
	add_on(counter, 0, CPUS - 1, QUARTER);
	good = !scounter_fetch_reset(counter) && is_exactly(counter, 0);
	for (i = 0; i < 3; i++) {
		scounter_add(counter, LAST);
		good &= is_exactly(counter, LAST) && scounter_fetch_reset(counter) == LAST &&
			is_exactly(counter, 0);
		scounter_add(counter, 2);
		scounter_inc(counter);
		good &= is_exactly(counter, 3) && scounter_fetch_reset(counter) == 3;
	}
	scounter_add(counter, LAST);
	scounter_add(counter, 10);
	good &= has_overflown(counter, LAST + 10);
	scounter_fetch_reset(counter);
	scounter_add(counter, 0);
	good &= is_exactly(counter, 0);
	named_free(counter);
	return good;
}

/* Collapsed to one word, as when a static counter is unregistered. */
static bool test_collapsed(u32 which)
{
	struct scounter *counter;
	bool good;

	describe_unchecked(which / 2, which % 2 ? "after a reset" : "from the beginning");
	counter = named_make(&unchecked[which / 2]);
	if (which % 2) {
		add_on(counter, 0, CPUS - 1, 3);
		scounter_fetch_reset(counter);
	}
	add_on(counter, 0, CPUS - 1, QUARTER);
	scounter_add(counter, 7);
	good = has_overflown(counter, 7);
	scounter_collapse(counter);
	good &= has_overflown(counter, 7);
	scounter_add(counter, 1);
	good &= has_overflown(counter, 8) && scounter_fetch_reset(counter) == 8;
	scounter_add(counter, 1);
	good &= is_exactly(counter, 1);
	named_free(counter);
	return good;
}

/* Increments go on from there, additions do not, and neither goes back. */
static bool test_racing(u32 which)
{
	const u32 flags = SCOUNTER_F_LOSSY | SCOUNTER_F_SATURATED;
	struct scounter *counter;
	bool good;

	(void)which;
	named_machine(1);
	counter = named_make(&(struct scounter_params) { .kind = SCOUNTER_RACING });
	scounter_add(counter, LAST);
	good = is(counter, LAST, U64_MAX, flags);
	scounter_inc(counter);
	good &= is(counter, LAST, U64_MAX, flags) && scounter_read(counter) == LAST;
	scounter_add(counter, 1);
	good &= is(counter, LAST, U64_MAX, flags);
	scounter_inc(counter);
	scounter_inc(counter);
	good &= scounter_fetch_reset(counter) == LAST && !scounter_read(counter);
	named_free(counter);
	return good;
}

/* How often a counter has begun again, beyond what 32 bits hold. */
static bool test_times(u32 which)
{
	const struct scounter_params params = { .kind = SCOUNTER_CAS,
						.flags = SCOUNTER_CLASS_WRAP };
	struct scounter_history history = {
		.resets = { U32_MAX }, .wraps = { U32_MAX },
	};
	struct scounter_snapshot_record record = { 0 };
	struct scounter *counter;

	(void)which;
	named_machine(1);
	counter = named_make(&params);
	counter->history = &history;
	scounter_fetch_reset(counter);
	scounter_add(counter, LAST);
	scounter_inc(counter);
	scounter_history_show(counter, &history, &record);
	named_free(counter);
	comment("%llu resets, %llu wraps", record.resets, record.wraps);
	return record.resets == 1ULL << 32 && record.wraps == 1ULL << 32;
}

static bool is_unchecked(enum scounter_kind kind)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(unchecked); i++)
		if (unchecked[i].kind == kind)
			return true;
	return false;
}

/* As the file `kinds` says it, for counters without options. */
static bool test_value_max(u32 which)
{
	const struct scounter_kind_row *row = &scounter_kinds[which];
	struct scounter *counter;
	u64 last;
	u32 i;

	describe("%s", row->name);
	named_machine(1);
	counter = named_make(&(struct scounter_params) { .kind = row->kind });
	/* morris_adapt has a half for these. */
	scounter_add(counter, U32_MAX);
	for (i = 0; i < 4; i++) {
		if (scounter_read(counter) < *row->ops->value_max || !is_unchecked(row->kind))
			scounter_add(counter, LAST - U32_MAX);
	}
	last = scounter_read(counter);
	comment("%llu, said to be %llu", last, *row->ops->value_max);
	named_free(counter);
	return last == *row->ops->value_max;
}

/* rbo_numa marks its word with the node of each CPU, rbo_numa_adapt when it must wait. */
static bool test_node(u32 which)
{
	enum scounter_kind kind = which ? SCOUNTER_RBO_NUMA : SCOUNTER_RBO_NUMA_ADAPT;
	struct scounter *counter;
	bool good = true;
	u64 word;
	int cpu;

	named_machine(1);
	describe("%s", which ? "rbo_numa: at once" : "rbo_numa_adapt: not alone");
	counter = named_make(&(struct scounter_params) { .kind = kind });
	for (cpu = 0; cpu < CPUS; cpu++) {
		shim_be(cpu);
		scounter_add(counter, 5);
		scounter_inc(counter);
		word = atomic64_read(&counter->word64.word);
		good &= scounter_read(counter) == 6 * (cpu + 1ULL);
		good &= (word == scounter_read(counter)) == !which;
	}
	shim_be(0);
	named_free(counter);
	return good;
}

/* The number of a node takes bits from the count: none of one node, two of four. */
static bool test_nodes_end(u32 which)
{
	enum scounter_kind kind = which % 2 ? SCOUNTER_RBO_NUMA : SCOUNTER_RBO_NUMA_ADAPT;
	u32 nodes = which / 2 ? 4 : 1;
	u64 end = which / 2 ? (1ULL << 61) - 1 : (1ULL << 63) - 1;
	struct scounter *counter;
	u64 last;

	named_machine_of(nodes, 1);
	counter = named_make(&(struct scounter_params) { .kind = kind });
	scounter_add(counter, end - 1);
	scounter_inc(counter);
	last = scounter_read(counter);
	named_free(counter);
	describe("%s, nodes: %u: %llu", which % 2 ? "rbo_numa" : "rbo_numa_adapt", nodes, last);
	return last == end && *scounter_rbo_numa_ops.value_max == end;
}

const struct test range_tests[] = {
	{ "an addition of 0 changes nothing", ARRAY_SIZE(kinds), test_zero },
	{ "beyond 2^63 - 1 and 2^64", 2 * ARRAY_SIZE(unchecked), test_passing },
	{ "beyond 2^64 in small steps", ARRAY_SIZE(unchecked), test_passing_slowly },
	{ "an overflow ends with a reset", ARRAY_SIZE(unchecked), test_after_reset },
	{ "an overflow outlives the stripes", 2 * ARRAY_SIZE(unchecked), test_collapsed },
	{ "an error of 0 is exact, or unsure", __SCOUNTER_KINDS, test_exact_if_said },
	{ "racing stays at the end of its range", 1, test_racing },
	{ "resets and wraps beyond 2^32", 1, test_times },
	{ "a kind ends where it says", __SCOUNTER_KINDS, test_value_max },
	{ "a word takes a node", 2, test_node },
	{ "nodes take bits from the range", 4, test_nodes_end },
	{ }
};

// SPDX-License-Identifier: GPL-2.0
/* Tracepoints: what passes them and how often, and probes that count. */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <limits.h>
#include <string.h>

#include "../kernel/counters.h"
#include "base/trace.h"
#include "kinds/history.h"
#include "kinds/kind.h"
#include "named.h"
#include "suites.h"

/* What the probes have seen. */
static struct {
	u32 times;
	const char *name;
	const void *word;
	u32 kind;
	u64 value;
} seen;

/* What they count in. */
static struct scounter *probed;

static void see_word(const char *name, const void *word, u32 kind, u64 value)
{
	seen.times++;
	seen.name = name;
	seen.word = word;
	seen.kind = kind;
	seen.value = value;
	if (probed)
		scounter_add(probed, S64_MAX);
}

static void see_refused(const char *name, s64 amount, unsigned long caller)
{
	seen.times++;
	seen.name = name;
	seen.word = (void *)caller;
	seen.value = amount;
	if (probed)
		__scounter_add(probed, -1);
}

static bool was_seen(u32 times, const char *name, const void *word, u32 kind, u64 value)
{
	if (seen.times == times && !strcmp(seen.name, name) && (!word || seen.word == word) &&
	    seen.kind == kind && seen.value == value)
		return true;
	comment("%u times, the last of '%s', kind %u, value %llu; not %u, '%s', %u, %llu",
		seen.times, seen.name, seen.kind, seen.value, times, name, kind, value);
	return false;
}

/* Those with an end, which they reach in one large addition or by the last event. */
static bool ends(const struct scounter_kind_row *row)
{
	return BIT(row->kind) & (__SCOUNTER_WORD32_KINDS | __SCOUNTER_WORD64_KINDS |
				 BIT(SCOUNTER_COHORT)) && row->kind != SCOUNTER_RACING;
}

static const void *word_in(const struct scounter *counter, const struct scounter_kind_row *row)
{
	return (const void *)counter + row->ops->word_offset;
}

static bool test_saturate(u32 which)
{
	const struct scounter_kind_row *row = &scounter_kinds[which];
	struct scounter_history history = { .name = "full" };
	struct scounter *counter;
	bool passed = true;
	u32 round, i;
	u64 value;

	describe("%s saturates once, until a reset", row->name);
	named_machine(test_seed());
	counter = named_make(&(struct scounter_params) { .kind = row->kind });
	counter->history = &history;
	memset(&seen, 0, sizeof(seen));
	shim_scounter_saturate = see_word;
	for (round = 1; round <= 2; round++) {
		scounter_add(counter, 1000);
		passed &= seen.times == (ends(row) ? round - 1 : 0);
		for (i = 0; i < 4; i++)
			scounter_add(counter, S64_MAX);
		scounter_inc(counter);
		/* morris_adapt has a half that counts one by one, beside the one that ends. */
		value = row->kind == SCOUNTER_MORRIS_ADAPT ? U32_MAX - counter->class.morris_a :
							     named_estimate(counter).value;
		if (ends(row))
			passed &= was_seen(round, "full", word_in(counter, row), row->kind, value);
		else
			passed &= !seen.times;
		scounter_fetch_reset(counter);
	}
	shim_scounter_saturate = NULL;
	counter->history = NULL;
	named_free(counter);
	return passed;
}

/* A success of an increment adds the last 1 to the word. */
static bool test_last(u32 which)
{
	struct scounter *counter;
	u32 i;

	describe("the last of %s", which ? "bfp_csup" : "bfp_dup");
	named_machine(test_seed());
	counter = named_make(&(struct scounter_params) {
		.kind = which ? SCOUNTER_BFP_CSUP : SCOUNTER_BFP_DUP });
	atomic_set(&counter->word32.word, SCOUNTER_BFP_WORD_MAX - 1);
	memset(&seen, 0, sizeof(seen));
	shim_scounter_saturate = see_word;
	for (i = 0; i < 10000000 && !seen.times; i++)
		scounter_inc(counter);
	shim_scounter_saturate = NULL;
	named_free(counter);
	return was_seen(1, "", NULL, which ? SCOUNTER_BFP_CSUP : SCOUNTER_BFP_DUP,
			(u64)SCOUNTER_BFP_MANTISSA_MAX << SCOUNTER_BFP_EXPONENT_MAX);
}

/* The second time it saturates as stripes. */
static bool test_inflate(u32 which)
{
	struct scounter_history history = { .name = "hot" };
	struct scounter *counter;
	bool passed;

	(void)which;
	describe("a word that inflates, saturates and deflates is told of");
	named_machine(test_seed());
	counter = named_make(&(struct scounter_params) { .kind = SCOUNTER_EXACT });
	counter->history = &history;
	scounter_add(counter, 3);
	memset(&seen, 0, sizeof(seen));
	shim_scounter_inflate = see_word;
	shim_scounter_deflate = see_word;
	shim_param("adapt_tries", 0);
	scounter_add(counter, 4);
	passed = was_seen(1, "hot", &counter->spread, SCOUNTER_MULTILINE_ADAPT, 3);
	shim_scounter_saturate = see_word;
	scounter_add(counter, S64_MAX);
	scounter_add(counter, S64_MAX);
	passed &= was_seen(2, "hot", &counter->spread, SCOUNTER_MULTILINE_ADAPT,
			   SCOUNTER_ADAPT_MAX);
	shim_scounter_saturate = NULL;
	passed &= scounter_fetch_reset(counter) == SCOUNTER_ADAPT_MAX;
	scounter_add(counter, 5);
	shim_param("adapt_tries", UINT_MAX);
	shim_param("deflate_after", 0);
	counters_settle();
	shim_jiffies += HZ;
	counters_settle();
	passed &= was_seen(3, "hot", &counter->spread, SCOUNTER_MULTILINE_ADAPT, 5) &&
		  scounter_read(counter) == 5;
	shim_param("deflate_after", 5);
	shim_scounter_inflate = NULL;
	shim_scounter_deflate = NULL;
	counter->history = NULL;
	named_free(counter);
	counters_settle();
	return passed;
}

static bool test_refused(u32 which)
{
	struct scounter *counter;
	struct scounter_word32 word = SCOUNTER_WORD_INIT;
	struct scounter_class class;
	bool passed;

	(void)which;
	describe("each negative amount is told of");
	named_machine(test_seed());
	counter = named_make(&(struct scounter_params) { .kind = SCOUNTER_APPROX });
	class = counter->class;
	memset(&seen, 0, sizeof(seen));
	shim_scounter_refused = see_refused;
	__scounter_add(counter, -7);
	passed = was_seen(1, "", NULL, 0, -7) && seen.word;
	scounter_word32_add(&word, &class, (u64)-8);
	passed &= was_seen(2, "", NULL, 0, -8);
	shim_scounter_refused = NULL;
	named_free(counter);
	return passed;
}

/* Without a guard they would not end. */
static bool test_recursion(u32 which)
{
	const struct scounter_params params = { .kind = SCOUNTER_CAS,
						.flags = SCOUNTER_CLASS_WRAP };
	struct scounter *counter;
	bool passed;

	describe("a probe of %s that causes the same", which ? "scounter_refused" :
							       "scounter_saturate");
	named_machine(test_seed());
	counter = named_make(&params);
	probed = named_make(&params);
	memset(&seen, 0, sizeof(seen));
	shim_scounter_saturate = see_word;
	shim_scounter_refused = see_refused;
	if (which)
		__scounter_add(counter, -1);
	else
		scounter_add(counter, S64_MAX);
	passed = seen.times == 1 && scounter_read(probed) == (which ? 0 : S64_MAX);
	/* It is over: the next one is told of. */
	__scounter_add(counter, -1);
	passed &= seen.times == 2;
	shim_scounter_saturate = NULL;
	shim_scounter_refused = NULL;
	named_free(probed);
	probed = NULL;
	named_free(counter);
	return passed;
}

const struct test trace_tests[] = {
	{ "tracepoints", __SCOUNTER_KINDS, test_saturate },
	{ "tracepoints", 2, test_last },
	{ "tracepoints", 1, test_inflate },
	{ "tracepoints", 1, test_refused },
	{ "tracepoints", 2, test_recursion },
	{ }
};

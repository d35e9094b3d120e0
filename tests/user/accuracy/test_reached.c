// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a count has reached a limit: "certainly" is wrong as seldom as stated, and is
 * said wherever the bounds allow.
 */
#include <linux/kernel.h>
#include <math.h>
#include <stdlib.h>

#include "classes.h"
#include "cover.h"
#include "kinds/kind.h"
#include "named.h"
#include "suites.h"
#include "util.h"

#define COARSEST	200000
#define LAST		100000

/* Of each number of events: a limit that is just reached, and one that is just not. */
static bool test_rate(u32 which)
{
	double wrong_yes = 0, wrong_no = 0;
	u64 last = which == COVER_SENSITIVE ? 1500000 : LAST;
	struct cover cover;
	u64 n, i;

	describe("seldom wrong: %s of 20 %%", cover_names[which]);
	cover_init(&cover, which, COARSEST, last);
	for (n = max(cover.least, 1ULL); n <= last; n = cover_next(n)) {
		double yes = 0, no = 0;

		law_count(&cover.law, n);
		for (i = cover.law.first; i < cover.law.end; i++) {
			if (cover_reached(&cover, i, n + 1) == SCOUNTER_YES)
				yes += cover.law.mass[i];
			if (cover_reached(&cover, i, n) == SCOUNTER_NO)
				no += cover.law.mass[i];
		}
		wrong_yes = fmax(wrong_yes, yes);
		wrong_no = fmax(wrong_no, no);
	}
	cover_free(&cover);
	comment("wrong: yes %.3f of what is stated, no %.3f", wrong_yes / STATED_MISSES,
		wrong_no / STATED_MISSES);
	return wrong_yes <= STATED_MISSES && wrong_no <= STATED_MISSES;
}

/* A word of any kind with any bits in it, as it may be after contention and resets. */
static struct cover bits_of(const struct scounter_params *params, u64 *word)
{
	struct cover bits = { .word = word };

	if (scounter_class_init(&bits.class, params))
		abort();
	bits.narrow = BIT(bits.class.kind) & __SCOUNTER_WORD32_KINDS;
	/* The upper half of morris_adapt is 0 or a + n. */
	if (bits.class.kind == SCOUNTER_MORRIS_ADAPT && *word >> 32 < bits.class.morris_a)
		*word = (u32)*word;
	/* Words of multiline_adapt with the highest bits set are addresses. */
	if (bits.class.kind == SCOUNTER_MULTILINE_ADAPT)
		*word &= SCOUNTER_ADAPT_MAX;
	return bits;
}

static bool answers_by_bounds(const struct cover *bits, u64 limit)
{
	struct scounter_estimate estimate = cover_estimate(bits, 0);
	enum scounter_answer wanted, got = cover_reached(bits, 0, limit);

	wanted = scounter_bounds_reached(estimate.lower, estimate.upper, estimate.flags, limit);
	if (bits->class.flags & SCOUNTER_CLASS_WRAP && wanted == SCOUNTER_NO)
		wanted = SCOUNTER_CANNOT_SAY;
	if (got == wanted)
		return true;
	comment("kind %u, word %#llx, limit %llu, bounds %llu to %llu: %d, not %d",
		bits->class.kind, *bits->word, limit, estimate.lower, estimate.upper, got, wanted);
	return false;
}

static bool answers_about(const struct cover *bits)
{
	struct scounter_estimate estimate = cover_estimate(bits, 0);
	const u64 around[] = { 1, estimate.lower, estimate.value / 2, estimate.value,
			       estimate.value * 2, estimate.upper, U64_MAX };
	bool passed = cover_reached(bits, 0, 0) == SCOUNTER_YES;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(around) && passed; i++)
		passed = answers_by_bounds(bits, around[i] - 1) &&
			 answers_by_bounds(bits, around[i]) &&
			 answers_by_bounds(bits, around[i] + 1);
	return passed;
}

/* Of all sizes alike. */
static u64 any_word(u64 *seed)
{
	u64 size = next_seed(seed) % 64;

	return next_seed(seed) >> size;
}

#define WORDS	20000

static bool test_bare(u32 which)
{
	const struct scounter_kind_row *row = &scounter_kinds[which];
	struct scounter_params params = { .kind = row->kind };
	u64 seed = test_seed(), word;
	struct cover bits;
	bool passed = true;
	u32 i;

	describe("by the bounds of any word: %s", row->name);
	for (i = 0; i < WORDS && row->bare && passed; i++) {
		bool approx = BIT(row->kind) & __SCOUNTER_APPROX_KINDS;
		u64 options = next_seed(&seed);

		params.flags = options & row->options & SCOUNTER_OPTION_WRAP ? SCOUNTER_CLASS_WRAP : 0;
		params.flags |= approx && options & 8 ? SCOUNTER_CLASS_RESETS : 0;
		params.error_ppm = approx ? options & 16 ? 5000 : COARSEST : 0;
		params.granularity_log2 = row->options & SCOUNTER_OPTION_AYERS && options & 32 ? 10 : 0;
		word = any_word(&seed);
		bits = bits_of(&params, &word);
		passed = answers_about(&bits);
	}
	return passed;
}

#define RUNS	2000
#define EVENTS	6000

/* Of counters with names, however they count. */
static bool test_named(u32 which)
{
	const struct scounter_kind_row *row = &scounter_kinds[which];
	bool approx = BIT(row->kind) & __SCOUNTER_APPROX_KINDS;
	struct scounter_params params = { .kind = row->kind, .error_ppm = approx ? COARSEST : 0 };
	u32 run, i, yes = 0, no = 0, known = 0;
	struct scounter *counter;

	describe("seldom wrong: %s with a name", row->name);
	named_machine(test_seed());
	counter = named_make(&params);
	for (run = 0; run < RUNS; run++) {
		for (i = 0; i < EVENTS; i++)
			scounter_inc(counter);
		yes += scounter_reached(counter, EVENTS + 1) == SCOUNTER_YES;
		no += scounter_reached(counter, EVENTS) == SCOUNTER_NO;
		known += scounter_reached(counter, EVENTS / 4) == SCOUNTER_YES &&
			 scounter_reached(counter, EVENTS * 4) == SCOUNTER_NO;
		scounter_fetch_reset(counter);
	}
	named_free(counter);
	comment("wrong of %u: yes %u, no %u; certain far from the limit: %u", RUNS, yes, no, known);
	if (row->kind == SCOUNTER_RACING)
		return !yes && !no && !known;
	if (!approx)
		return !yes && !no && known == RUNS;
	return known >= RUNS * 9 / 10 &&
	       (yes <= RUNS * STATED_MISSES ||
		binomial_tail(yes, RUNS, STATED_MISSES) > TAIL_LIMIT) &&
	       (no <= RUNS * STATED_MISSES || binomial_tail(no, RUNS, STATED_MISSES) > TAIL_LIMIT);
}

static bool is_answer(struct scounter *counter, u64 limit, enum scounter_answer wanted)
{
	enum scounter_answer got = scounter_reached(counter, limit);

	if (got == wanted)
		return true;
	comment("limit %llu: %d, not %d", limit, got, wanted);
	return false;
}

/* At the end of the range, beyond it and begun again. */
static bool test_states(u32 which)
{
	const struct scounter_kind_row *row = &scounter_kinds[which / 2];
	u8 flags = which % 2 ? SCOUNTER_CLASS_WRAP : 0;
	struct scounter *counter;
	struct scounter_estimate estimate;
	bool passed;
	u32 i;

	describe("at the end of the range: %s%s", row->name, flags ? ", which begins again" : "");
	if (flags && !(row->options & SCOUNTER_OPTION_WRAP))
		return true;
	named_machine(test_seed());
	counter = named_make(&(struct scounter_params) { .kind = row->kind, .flags = flags });
	for (i = 0; i < 5; i++)
		scounter_add(counter, S64_MAX);
	estimate = named_estimate(counter);
	passed = estimate.flags & SCOUNTER_F_UNSURE &&
		 is_answer(counter, 0, SCOUNTER_YES) &&
		 is_answer(counter, U64_MAX, SCOUNTER_CANNOT_SAY);
	if (row->kind == SCOUNTER_RACING)
		passed &= is_answer(counter, 1, SCOUNTER_CANNOT_SAY);
	else if (estimate.lower < U64_MAX)
		passed &= is_answer(counter, estimate.lower, SCOUNTER_YES) &&
			  is_answer(counter, estimate.lower + 1, SCOUNTER_CANNOT_SAY);
	scounter_fetch_reset(counter);
	passed &= is_answer(counter, 1, row->kind == SCOUNTER_RACING ? SCOUNTER_CANNOT_SAY :
								       SCOUNTER_NO);
	named_free(counter);
	return passed;
}

const struct test reached_tests[] = {
	{ "reached", COVERED_WORDS, test_rate },
	{ "reached", __SCOUNTER_KINDS, test_bare },
	{ "reached", __SCOUNTER_KINDS, test_named },
	{ "reached", 2 * __SCOUNTER_KINDS, test_states },
	{ }
};

// SPDX-License-Identifier: GPL-2.0
/*
 * What an estimate says must be true, whatever the order: a value with an error of 0
 * is the number of events, and otherwise that number is within the bounds, or the
 * estimate says that its counter has wrapped or overflowed.  It says so only if the
 * counter has.
 *
 * An event that is counted beside a reset may be before or after it, so that the number
 * is one of several.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/scounter.h>

#include "../kernel/counters.h"
#include "base/random.h"
#include "counter/counter.h"
#include "estimates.h"
#include "kernel.h"
#include "kinds/history.h"
#include "kinds/kind.h"
#include "script.h"

#define SEED	1
#define LOST	(SCOUNTER_F_WRAPPED | SCOUNTER_F_OVERFLOW | SCOUNTER_F_SATURATED)

/* More than any counter holds. */
typedef unsigned __int128 events;

/* In memory that is restored. */
struct books {
	struct scounter counter;
	struct scounter_history history;
	events begun, done;
	events peak;		/* no value was ever above it */
	u64 most;		/* the greatest value that was seen, of `atomic` */
	/* Of resets that have ended: what had been counted before one began, and after. */
	events done_before, begun_after;
	u32 resetting, resets;	/* those that go on, and have ended */
};

static struct estimate_play now;
static const struct counter_type *type;
static struct books *books;

static struct scounter_ref word_ref(void)
{
	return (struct scounter_ref) {
		.word64 = &books->counter.word64,
		.class = &books->counter.class,
	};
}

static void count_bare(u64 n)
{
	const struct scounter_class *class = &books->counter.class;
	bool small = scounter_kind_row(class->kind)->word == __SCOUNTER_WORD32;

	if (n > 1 && small)
		scounter_word32_add(&books->counter.word32, class, n);
	else if (n > 1)
		scounter_word64_add(&books->counter.word64, class, n);
	else if (small)
		scounter_word32_inc(&books->counter.word32, class);
	else
		scounter_word64_inc(&books->counter.word64, class);
}

static void count(u64 n)
{
	books->begun += n;
	books->peak = max(books->peak, books->begun - books->done_before);
	if (now.bare)
		count_bare(n);
	else if (n == 1)
		type->inc(&books->counter);
	else
		scounter_add(&books->counter, n);
	books->done += n;
}

static u64 fetch_reset_now(void)
{
	struct scounter_ref ref = word_ref();

	if (now.bare)
		return scounter_kind_row(books->counter.class.kind)->ops->fetch_reset(&ref);
	return scounter_fetch_reset(&books->counter);
}

static void fetch_reset(void)
{
	events done = books->done;

	books->resetting++;
	fetch_reset_now();
	books->done_before = max(books->done_before, done);
	books->begun_after = books->begun;
	books->resetting--;
	books->resets++;
}

static struct scounter_estimate estimate_now(void)
{
	struct scounter_ref ref = word_ref();
	struct scounter_estimate estimate = { 0 };

	if (now.bare)
		scounter_kind_row(books->counter.class.kind)->ops->read_est(&ref, &estimate);
	else
		scounter_read_est(&books->counter, &estimate);
	return estimate;
}

static void judge_flags(const struct scounter_estimate *estimate)
{
	u64 end = *scounter_kind_row(type->kind)->ops->value_max;

	if (estimate->flags & SCOUNTER_F_OVERFLOW && books->peak <= S64_MAX)
		explore_fail("value %llu, which has overflowed; it was never above %llu",
			     (unsigned long long)estimate->value,
			     (unsigned long long)books->peak);
	if (type->exact && estimate->flags & SCOUNTER_F_SATURATED && books->peak < end)
		explore_fail("value %llu, which is saturated; it was never above %llu",
			     (unsigned long long)estimate->value,
			     (unsigned long long)books->peak);
}

static void judge(const struct scounter_estimate *estimate, events least, events most)
{
	judge_flags(estimate);
	if (estimate->lower <= most && (estimate->upper >= least || estimate->upper == U64_MAX))
		return;
	/* The value is what came since. */
	if (estimate->flags & LOST)
		return;
	explore_fail("value %llu, error %u, bounds %llu to %llu, but %llu to %llu events",
		     (unsigned long long)estimate->value, estimate->error_ppm,
		     (unsigned long long)estimate->lower, (unsigned long long)estimate->upper,
		     (unsigned long long)least, (unsigned long long)most);
}

static void read_estimate(void)
{
	events done = books->done, before = books->done_before, after = books->begun_after;
	u32 resets = books->resets;
	bool resetting = books->resetting;
	struct scounter_estimate estimate = estimate_now();

	/* One that went on meanwhile may have taken all. */
	if (resetting || books->resetting || books->resets != resets)
		after = done;
	judge(&estimate, done > after ? done - after : 0, books->begun - before);
}

static void operate(char operation)
{
	switch (operation) {
	case 'i':
		count(1);
		break;
	case 'a':
		count(3);
		break;
	case 'c':
		count((1ULL << 40) - 1);
		break;
	case 'l':
		count(1ULL << 40);
		break;
	case 'b':
		count(1ULL << 62);
		break;
	case 'm':
		count(S64_MAX);
		break;
	case 'f':
		fetch_reset();
		break;
	case 'e':
		read_estimate();
		break;
	}
}

/* The first trial of each exponent succeeds, on each CPU. */
static void let_trials_win(void)
{
	int cpu, i;

	for (cpu = 0; cpu < SCRIPT_CPUS; cpu++)
		for (i = 0; i < SCOUNTER_TRIAL_EXPONENTS; i++)
			per_cpu_ptr(&scounter_gaps, cpu)->left[i] = 0;
}

/* No addition is so large, and no increment looks at what the words become. */
static void preload(void)
{
	uint64_t n = now.preload;

	scounter_add(&books->counter, min_t(u64, n, S64_MAX));
	for (; n > S64_MAX; n--)
		scounter_inc(&books->counter);
}

static bool setup(void)
{
	const u8 options = (now.full ? SCOUNTER_CLASS_WRAP : 0) |
			   (now.bare ? SCOUNTER_CLASS_RESETS : 0);
	const struct scounter_params params = { .kind = type->kind, .flags = options };
	struct scounter_estimate estimate = { 0 };

	if (!shim_init(SCRIPT_CPUS, SCRIPT_NODES) || !kernel_init())
		return false;
	shim_param("adapt_tries", now.tries);
	counters_init(SEED);
	books = shim_zalloc(sizeof(*books));
	if (scounter_init(&books->counter, &params) ||
	    (!now.bare && scounter_spread(&books->counter, GFP_KERNEL)))
		return false;
	while (now.full && !(estimate.flags & SCOUNTER_F_SATURATED)) {
		scounter_add(&books->counter, S64_MAX);
		estimate = estimate_now();
	}
	preload();
	books->begun = books->done = books->peak = scounter_read(&books->counter);
	if (!now.bare)
		books->counter.history = &books->history;
	let_trials_win();
	return true;
}

/* The draws of a run that is random are its own. */
static void begin(uint64_t seed)
{
	if (!seed)
		return;
	scounter_random_init(seed);
	let_trials_win();
}

/* The words of `atomic`, without an access that others may come before. */
static void watch(void)
{
	const struct scounter *counter = &books->counter;

	books->most = max(books->most, (u64)(counter->count.counter - counter->fetched.counter));
}

static bool has_overflowed(void)
{
	return type->kind == SCOUNTER_ATOMIC ? books->most > S64_MAX : books->peak > S64_MAX;
}

static void judge_marks(const struct scounter_estimate *estimate)
{
	if (estimate->flags & SCOUNTER_F_OVERFLOW && !has_overflowed())
		explore_fail("value %llu, which has overflowed; it never did",
			     (unsigned long long)estimate->value);
	if (estimate->flags & SCOUNTER_F_WRAPPED && !atomic_long_read(&books->history.wraps))
		explore_fail("value %llu, which has wrapped; it never did",
			     (unsigned long long)estimate->value);
}

/* When nobody counts, the bounds hold, and a reset leaves nothing to be said. */
static void check(void)
{
	struct scounter_estimate estimate;

	read_estimate();
	estimate = estimate_now();
	judge_marks(&estimate);
	fetch_reset();
	estimate = estimate_now();
	if (estimate.value || estimate.error_ppm || estimate.upper || estimate.flags & LOST)
		explore_fail("value %llu, upper %llu, error %u, flags %#x after the last reset",
			     (unsigned long long)estimate.value,
			     (unsigned long long)estimate.upper, estimate.error_ppm,
			     estimate.flags);
	if (!now.bare)
		scounter_collapse(&books->counter);
	kernel_settle();
}

const struct explore_program *estimates_program(const struct estimate_play *play)
{
	const struct script script = {
		.text = play->script, .letters = "iaclbmfeIAFE", .operate = operate, .contexts = true,
	};
	const struct explore_program like = {
		.setup = setup, .begin = begin, .check = check, .watch = watch,
	};

	now = *play;
	type = counter_type(now.kind);
	return type && type->kind && (!now.bare || counter_has_words(type)) ?
		script_program(&script, &like) : NULL;
}

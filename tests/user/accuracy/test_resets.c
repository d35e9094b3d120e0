// SPDX-License-Identifier: GPL-2.0
/*
 * Words that are reset while others count.  Each run counts until an increment wins,
 * resets, lets that increment land with the weight that it won, and counts on.
 */
#include <linux/kernel.h>
#include <math.h>
#include <string.h>

#include "kinds/kind.h"
#include "named.h"
#include "stats.h"
#include "suites.h"

#define RUNS		4000
#define EVENTS		3000	/* before the increment that wins */
#define STATED_MISSES	0.00135	/* of each bound */

static const enum scounter_kind kinds[] = {
	SCOUNTER_BFP_DUP, SCOUNTER_APPROX, SCOUNTER_MORRIS, SCOUNTER_SCALABLE,
	SCOUNTER_SCALABLE32,
};

enum form { NAMED, BARE, BARE_WITHOUT };

/* A counter, or its word alone, of a class that allows for resets or does not. */
struct subject {
	struct scounter *counter;
	bool bare, is_word32;
};

static bool is_word32(const struct subject *subject)
{
	return subject->is_word32;
}

/* An increment up to where it has won; 0 if it is over. */
static u32 try(struct subject *subject)
{
	struct scounter *counter = subject->counter;
	const struct scounter_class *class = &counter->class;

	return is_word32(subject) ?
		__scounter_word32_try_inc(&counter->word32, class, class->kind) :
		__scounter_word64_try_inc(&counter->word64, class, class->kind);
}

static void finish(struct subject *subject, u32 outcome)
{
	struct scounter *counter = subject->counter;

	if (!subject->bare)
		__scounter_finish(counter, outcome);
	else if (is_word32(subject))
		__scounter_word32_finish(&counter->word32, &counter->class, outcome);
	else
		__scounter_word64_finish(&counter->word64, &counter->class, outcome);
}

static void count(struct subject *subject, u64 events)
{
	u32 outcome;

	while (events--) {
		outcome = try(subject);
		if (outcome)
			finish(subject, outcome);
	}
}

/* Its outcome; @events it took. */
static u32 count_to_winner(struct subject *subject, u64 *events)
{
	u32 outcome;

	for (;; finish(subject, outcome)) {
		do {
			outcome = try(subject);
			++*events;
		} while (!outcome);
		if ((outcome & ((1 << SCOUNTER_OUTCOME_BITS) - 1)) == SCOUNTER_SUCCESS)
			return outcome;
	}
}

static struct scounter_estimate estimate_of(struct subject *subject)
{
	struct scounter *counter = subject->counter;
	struct scounter_estimate estimate;

	if (!subject->bare)
		scounter_read_est(counter, &estimate);
	else if (is_word32(subject))
		scounter_word32_read_est(&counter->word32, &counter->class, &estimate);
	else
		scounter_word64_read_est(&counter->word64, &counter->class, &estimate);
	return estimate;
}

static u64 fetch_reset(struct subject *subject)
{
	struct scounter *counter = subject->counter;

	if (!subject->bare)
		return scounter_fetch_reset(counter);
	return is_word32(subject) ?
		scounter_word32_fetch_reset(&counter->word32, &counter->class) :
		scounter_word64_fetch_reset(&counter->word64, &counter->class);
}

struct sums {
	struct moments error;	/* of all that was returned and is left */
	double stated;		/* the variances that the reads state */
	u64 below, above;	/* misses of the bounds after the reset */
};

static double variance_of(const struct scounter_estimate *estimate)
{
	return pow((double)estimate->value * estimate->error_ppm / SCOUNTER_PPM, 2);
}

static void run(struct subject *subject, u64 after, struct sums *sums)
{
	struct scounter_estimate first, last;
	u64 events = EVENTS;
	u32 outcome;

	fetch_reset(subject);
	count(subject, EVENTS);
	outcome = count_to_winner(subject, &events);
	first = estimate_of(subject);
	fetch_reset(subject);
	finish(subject, outcome);
	count(subject, after);
	last = estimate_of(subject);
	moments_add(&sums->error, (double)first.value + last.value - events - after);
	sums->stated += variance_of(&first) + variance_of(&last);
	/* The increment that won is before the reset or after it. */
	sums->below += last.lower > after + 1;
	sums->above += last.upper < after;
}

static bool seldom_enough(u64 misses)
{
	return misses <= RUNS * STATED_MISSES ||
	       binomial_tail(misses, RUNS, STATED_MISSES) > TAIL_LIMIT;
}

static bool resets_are_allowed_for(enum scounter_kind kind, enum form form, u64 seed)
{
	const struct scounter_params params = {
		.kind = kind, .error_ppm = 50000,
		.flags = form == BARE ? SCOUNTER_CLASS_RESETS : 0,
	};
	struct subject subject = {
		.bare = form != NAMED,
		.is_word32 = scounter_kind_row(kind)->word == __SCOUNTER_WORD32,
	};
	struct sums sums = { };
	struct summary summary;
	u32 i;

	named_machine(seed);
	subject.counter = named_make(&params);
	for (i = 0; i < RUNS; i++)
		run(&subject, i, &sums);
	named_free(subject.counter);
	summary = summarize(&sums.error);
	comment("mean %+.2f standard errors; RSD %.3f of what is stated; of %u bounds %llu above the truth, %llu below",
		summary.mean_z, sqrt(summary.variance / (sums.stated / RUNS)), RUNS,
		sums.below, sums.above);
	return fabs(summary.mean_z) < Z_LIMIT &&
	       summary.variance * (1 - Z_LIMIT * summary.variance_error) <= sums.stated / RUNS &&
	       seldom_enough(sums.below) && seldom_enough(sums.above);
}

static bool test_resets(u32 which)
{
	const enum scounter_kind kind = kinds[which / 2];
	enum form form = which % 2 ? BARE : NAMED;

	describe("%s, %s", kind == SCOUNTER_APPROX ? "approx" : scounter_kind_name(kind),
		 form == NAMED ? "with a name" : "bare");
	return resets_are_allowed_for(kind, form, test_seed());
}

static bool test_resets_busted(u32 which)
{
	describe("catches a class that does not allow for them: %s",
		 scounter_kind_name(kinds[2 + which]));
	return !resets_are_allowed_for(kinds[2 + which], BARE_WITHOUT, test_seed());
}

/* What the option costs words that were never reset: Documentation/accuracy.rst. */
static bool costs(enum scounter_kind kind, u8 cap, u64 events, u64 least, u64 most,
		  double error)
{
	struct subject subject = { .bare = true };
	struct scounter_estimate got;

	named_machine(1);
	subject.counter = named_make(&(struct scounter_params) {
		.kind = kind, .granularity_log2 = cap, .flags = SCOUNTER_CLASS_RESETS,
	});
	count(&subject, events);
	got = estimate_of(&subject);
	named_free(subject.counter);
	comment("%llu events: value %llu, %llu to %llu, %u ppm", events, got.value, got.lower,
		got.upper, got.error_ppm);
	return got.lower >= least && got.lower <= most && got.upper >= events &&
	       fabs(got.error_ppm / 1e6 - error) < 0.03 * error;
}

static bool test_costs(u32 which)
{
	describe(which ? "scalable, at most 2^10 at once" : "morris");
	if (!which)
		return costs(SCOUNTER_MORRIS, 0, 10, 0, 0, sqrt(9. / 10)) &&
		       costs(SCOUNTER_MORRIS, 0, 200000, 0, 0, 1);
	return costs(SCOUNTER_SCALABLE, 10, 10, 0, 0, sqrt(9. / 10)) &&
	       costs(SCOUNTER_SCALABLE, 10, 200000, 150000, 170000, sqrt(1023. / 200000)) &&
	       costs(SCOUNTER_SCALABLE, 10, 10000000, 9600000, 9900000, sqrt(1023. / 10000000));
}

const struct test resets_tests[] = {
	{ "increments that land after a reset", 2 * ARRAY_SIZE(kinds), test_resets },
	{ "increments that land after a reset", 3, test_resets_busted },
	{ "what allowing for resets costs", 2, test_costs },
	{ }
};

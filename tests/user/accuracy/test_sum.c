// SPDX-License-Identifier: GPL-2.0
/*
 * Sums of counters: what is certain of them, and how often the truth is outside of their
 * bounds.  The states of what is summed are drawn from their exact distributions.
 */
#include <linux/kernel.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "cover.h"
#include "named.h"
#include "suites.h"
#include "util.h"

#define COARSEST	200000

/* The state of one counter after @events: draws from its distribution. */
struct die {
	u64 events, first, states;
	double *below;		/* probability of a state before this one */
	struct scounter_estimate *estimate;
};

static void die_init(struct die *die, enum covered_word word, u32 error_ppm, u64 events)
{
	struct cover cover;
	double sum = 0;
	u64 i;

	cover_init(&cover, word, error_ppm, events);
	law_count(&cover.law, max(events, cover.least));
	die->events = cover.law.events;
	die->first = cover.law.first;
	die->states = cover.law.end - cover.law.first;
	die->below = allocate(die->states, sizeof(double));
	die->estimate = allocate(die->states, sizeof(*die->estimate));
	for (i = 0; i < die->states; i++) {
		die->below[i] = sum;
		sum += cover.law.mass[die->first + i];
		die->estimate[i] = cover_estimate(&cover, die->first + i);
	}
	cover_free(&cover);
}

static void die_free(struct die *die)
{
	free(die->below);
	free(die->estimate);
}

static const struct scounter_estimate *die_throw(const struct die *die, u64 *seed)
{
	double x = ldexp(next_seed(seed) >> 11, -53);
	u64 low = 0, high = die->states;

	while (high - low > 1) {
		u64 middle = (low + high) / 2;

		if (die->below[middle] <= x)
			low = middle;
		else
			high = middle;
	}
	return &die->estimate[low];
}

/* So many of each of several dice are summed. */
struct part {
	enum covered_word word;
	u32 error_ppm;
	u64 events;
	u32 count;
};

#define PARTS	4
#define EXACT	COVERED_WORDS	/* the word of a part that is exact */

struct mix {
	const char *name;
	struct part parts[PARTS];
};

static const struct mix mixes[] = {
	{ "1 bfp_dup of 20 %", { { COVER_DUP, COARSEST, 1000, 1 } } },
	{ "2 bfp_dup of 20 %", { { COVER_DUP, COARSEST, 1000, 2 } } },
	{ "5 bfp_dup of 20 %", { { COVER_DUP, COARSEST, 1000, 5 } } },
	{ "20 bfp_dup of 20 %", { { COVER_DUP, COARSEST, 1000, 20 } } },
	{ "100 bfp_dup of 20 %", { { COVER_DUP, COARSEST, 1000, 100 } } },
	{ "20 bfp_dup of 20 %, of 30", { { COVER_DUP, COARSEST, 30, 20 } } },
	{ "50 bfp_dup of 1 %", { { COVER_DUP, 10000, 100000, 50 } } },
	{ "2 morris of 20 %", { { COVER_MORRIS, COARSEST, 5000, 2 } } },
	{ "10 morris of 20 %", { { COVER_MORRIS, COARSEST, 5000, 10 } } },
	{ "100 morris of 20 %", { { COVER_MORRIS, COARSEST, 5000, 100 } } },
	{ "10 approx of 20 %", { { COVER_APPROX, COARSEST, 3000, 10 } } },
	{ "10 approx of 20 %, contended", { { COVER_APPROX_CONTENDED, COARSEST, 3000, 10 } } },
	{ "10 bfp_csup of 20 %, contended", { { COVER_CSUP, COARSEST, 3000, 10 } } },
	{ "10 bfp_csup of 20 %, contended to 2^-3", { { COVER_CSUP_BRIEF, COARSEST, 500, 10 } } },
	{ "100 bfp_csup of 20 %, contended to 2^-3", { { COVER_CSUP_BRIEF, COARSEST, 500, 100 } } },
	{ "10 scalable", { { COVER_SCALABLE, COARSEST, 100000, 10 } } },
	{ "10 scalable32", { { COVER_SCALABLE32, COARSEST, 100000, 10 } } },
	{ "10 capped", { { COVER_CAPPED, COARSEST, 1000000, 10 } } },
	{ "10 morris_adapt, contended after 10^4",
	  { { COVER_MORRIS_LATE, COARSEST, 20000, 10 } } },
	{ "one large and 1 exact",
	  { { COVER_DUP, COARSEST, 1000, 1 }, { EXACT, 0, 1000000, 1 } } },
	{ "one large and 50 small",
	  { { COVER_DUP, COARSEST, 100000, 1 }, { COVER_DUP, COARSEST, 100, 50 } } },
	{ "3 large and 20 small",
	  { { COVER_MORRIS, COARSEST, 100000, 3 }, { COVER_DUP, COARSEST, 5000, 20 } } },
	{ "a fine one and 10 coarse ones as uncertain",
	  { { COVER_DUP, 10000, 300000, 1 }, { COVER_MORRIS, COARSEST, 5000, 10 } } },
	{ "of each kind",
	  { { COVER_DUP, 50000, 20000, 3 }, { COVER_MORRIS, COARSEST, 5000, 3 },
	    { COVER_SCALABLE32, COARSEST, 20000, 3 }, { EXACT, 0, 100000, 3 } } },
};

typedef void (*add_fn)(struct scounter_sum *sum, const struct scounter_estimate *estimate);

#define SUMS	40000

/* Of a normal sum its bounds are six standard deviations apart. */
#define WIDTH	7.2

struct missed {
	u64 lower, upper;	/* how often the truth is beyond */
	struct moments off;	/* the value less the truth */
	double stated;		/* mean of the stated variance */
	double width;		/* of the bounds, in stated standard deviations: the mean */
};

static void see_sum(struct missed *missed, const struct scounter_sum *sum, u64 truth)
{
	struct scounter_estimate all;
	double deviation;

	scounter_sum_estimate(sum, &all);
	deviation = (double)all.value * all.error_ppm / SCOUNTER_PPM;
	missed->lower += all.lower > truth;
	missed->upper += all.upper < truth;
	moments_add(&missed->off, (double)all.value - (double)truth);
	missed->stated += deviation * deviation / SUMS;
	missed->width += ((double)all.upper - (double)all.lower) / deviation / SUMS;
}

static void throw_sum(const struct mix *mix, const struct die *dice, u64 *seed, add_fn add,
		      struct scounter_sum *sum)
{
	u32 p, k;

	scounter_sum_begin(sum);
	for (p = 0; p < PARTS; p++) {
		u64 exact = mix->parts[p].events;
		struct scounter_estimate certain = { exact, exact, exact, 0, 0 };

		for (k = 0; k < mix->parts[p].count; k++)
			add(sum, mix->parts[p].word == EXACT ? &certain :
				 die_throw(&dice[p], seed));
	}
}

static struct missed throw_sums(const struct mix *mix, u64 seed, add_fn add)
{
	struct die dice[PARTS] = { 0 };
	struct missed missed = { 0 };
	struct scounter_sum sum;
	u64 truth = 0, i;
	u32 p;

	for (p = 0; p < PARTS; p++) {
		const struct part *part = &mix->parts[p];

		if (part->count && part->word != EXACT)
			die_init(&dice[p], part->word, part->error_ppm, part->events);
		truth += part->count * (part->word == EXACT ? part->events : dice[p].events);
	}
	for (i = 0; i < SUMS; i++) {
		throw_sum(mix, dice, &seed, add, &sum);
		see_sum(&missed, &sum, truth);
	}
	for (p = 0; p < PARTS; p++)
		die_free(&dice[p]);
	return missed;
}

static bool seldom(u64 misses)
{
	return misses <= SUMS * STATED_MISSES ||
	       binomial_tail(misses, SUMS, STATED_MISSES) > TAIL_LIMIT;
}

static bool bounds_miss_seldom(const struct missed *missed)
{
	comment("lower bound: %.3f of the stated misses, upper %.3f, %.2f apart",
		missed->lower / (STATED_MISSES * SUMS), missed->upper / (STATED_MISSES * SUMS),
		missed->width);
	return seldom(missed->lower) && seldom(missed->upper);
}

static bool test_coverage(u32 which)
{
	struct missed missed = throw_sums(&mixes[which], test_seed(), scounter_sum_add);
	struct summary off = summarize(&missed.off);

	describe("%s", mixes[which].name);
	comment("mean off by %.2f standard errors; variance %.3f of the stated one", off.mean_z,
		off.variance / missed.stated);
	return bounds_miss_seldom(&missed) && missed.width < WIDTH && fabs(off.mean_z) < Z_LIMIT &&
	       off.variance <= missed.stated * (1 + Z_LIMIT * off.variance_error);
}

static void add_nearer(struct scounter_sum *sum, const struct scounter_estimate *estimate)
{
	struct scounter_estimate nearer = *estimate;

	nearer.lower += (estimate->value - estimate->lower) / 3;
	nearer.upper -= (estimate->upper - estimate->value) / 3;
	nearer.error_ppm -= estimate->error_ppm / 3;
	scounter_sum_add(sum, &nearer);
}

/* As if what lies above the value were as far as what lies below. */
static void add_mirrored(struct scounter_sum *sum, const struct scounter_estimate *estimate)
{
	struct scounter_estimate mirrored = *estimate;

	mirrored.upper = 2 * estimate->value - estimate->lower;
	scounter_sum_add(sum, &mirrored);
}

static bool test_coverage_busted(u32 which)
{
	static const struct mix mix = {
		"", { { COVER_MORRIS, COARSEST, 5000, 3 } },
	};
	struct missed missed = throw_sums(&mix, test_seed(), which ? add_mirrored : add_nearer);

	describe("catches %s", which ? "upper bounds without their skewness" :
				       "bounds of two standard deviations");
	return !bounds_miss_seldom(&missed);
}

static bool same(const struct scounter_estimate *a, const struct scounter_estimate *b)
{
	return a->value == b->value && a->lower == b->lower && a->upper == b->upper &&
	       a->error_ppm == b->error_ppm && a->flags == b->flags;
}

static bool is_said(const struct scounter_sum *sum, struct scounter_estimate wanted)
{
	struct scounter_estimate got;

	scounter_sum_estimate(sum, &got);
	if (same(&got, &wanted))
		return true;
	comment("value %llu, %llu to %llu, %u ppm, flags %#x; not %llu, %llu to %llu, %u ppm, flags %#x",
		got.value, got.lower, got.upper, got.error_ppm, got.flags, wanted.value,
		wanted.lower, wanted.upper, wanted.error_ppm, wanted.flags);
	return false;
}

static void add(struct scounter_sum *sum, u64 value, u64 lower, u64 upper, u32 error_ppm,
		u32 flags)
{
	scounter_sum_add(sum, &(struct scounter_estimate) { value, lower, upper, error_ppm, flags });
}

/* With and without what is exact beside it. */
static bool test_one(u32 which)
{
	struct scounter_estimate one, shifted;
	struct scounter_sum sum;
	struct cover cover;
	bool passed = true;
	u64 i;

	describe("of one alone are its own: %s", cover_names[which]);
	cover_init(&cover, which, COARSEST, which == COVER_SENSITIVE ? 1500000 : 100000);
	for (i = 0; i < cover.law.states && passed; i++) {
		one = cover_estimate(&cover, i);
		scounter_sum_begin(&sum);
		scounter_sum_add(&sum, &one);
		passed &= is_said(&sum, one);
		add(&sum, 1000, 1000, 1000, 0, 0);
		scounter_sum_estimate(&sum, &shifted);
		passed &= shifted.lower == one.lower + 1000 &&
			  (shifted.upper == U64_MAX || shifted.upper == one.upper + 1000) &&
			  !shifted.error_ppm == !one.error_ppm;
	}
	cover_free(&cover);
	return passed;
}

static bool test_ends(u32 which)
{
	struct scounter_sum sum;
	bool passed;

	(void)which;
	describe("at their ends");
	scounter_sum_begin(&sum);
	passed = is_said(&sum, (struct scounter_estimate) { 0 });
	add(&sum, 5, 5, 5, 0, SCOUNTER_F_INFLATED);
	add(&sum, U64_MAX - 5, U64_MAX - 5, U64_MAX - 5, 0, 0);
	passed &= is_said(&sum, (struct scounter_estimate) { U64_MAX, U64_MAX, U64_MAX, 0,
							     SCOUNTER_F_INFLATED });
	add(&sum, 1, 1, 1, 0, 0);
	passed &= is_said(&sum, (struct scounter_estimate) { U64_MAX, U64_MAX, U64_MAX, 0,
				SCOUNTER_F_INFLATED | SCOUNTER_F_SATURATED });
	/* Where one has no upper bound, the sum has none. */
	scounter_sum_begin(&sum);
	add(&sum, 7, 7, U64_MAX, 0, SCOUNTER_F_WRAPPED);
	add(&sum, 9, 9, U64_MAX, 0, SCOUNTER_F_OVERFLOW);
	add(&sum, 100, 100, 100, 0, 0);
	passed &= is_said(&sum, (struct scounter_estimate) { 116, 116, U64_MAX, 0,
				SCOUNTER_F_WRAPPED | SCOUNTER_F_OVERFLOW });
	/* The least error is 1 ppm: 0 is exact. */
	scounter_sum_begin(&sum);
	add(&sum, 3000, 2990, 3010, 1000, SCOUNTER_F_SAMPLING);
	add(&sum, 1ULL << 60, 1ULL << 60, 1ULL << 60, 0, 0);
	passed &= is_said(&sum, (struct scounter_estimate) { 3000 + (1ULL << 60),
				2990 + (1ULL << 60), 3010 + (1ULL << 60), 1,
				SCOUNTER_F_SAMPLING });
	return passed;
}

/* One counter of each kind. */
static bool test_counters(u32 which)
{
	struct scounter *counters[__SCOUNTER_KINDS];
	struct scounter_estimate all, one;
	struct scounter_sum sum;
	bool passed;
	u32 i;

	(void)which;
	describe("of counters of all kinds are those of their estimates");
	named_machine(test_seed());
	scounter_sum_begin(&sum);
	for (i = 0; i < __SCOUNTER_KINDS; i++) {
		counters[i] = named_make(&(struct scounter_params) { .kind = i + 1 });
		scounter_add(counters[i], 1000000 + i);
		one = named_estimate(counters[i]);
		scounter_sum_add(&sum, &one);
	}
	scounter_sum_est(counters, __SCOUNTER_KINDS, &all);
	passed = is_said(&sum, all) && all.error_ppm && all.flags & SCOUNTER_F_LOSSY;
	scounter_sum_est(counters, 3, &all);
	passed &= all.value == 3000003 && !all.error_ppm && all.upper == 3000003;
	scounter_sum_est(NULL, 0, &all);
	passed &= !all.value && !all.upper && !all.flags;
	for (i = 0; i < __SCOUNTER_KINDS; i++)
		named_free(counters[i]);
	return passed;
}

const struct test sum_tests[] = {
	{ "bounds of a sum", ARRAY_SIZE(mixes), test_coverage },
	{ "bounds of a sum", 2, test_coverage_busted },
	{ "bounds of a sum", COVERED_WORDS, test_one },
	{ "bounds of a sum", 1, test_ends },
	{ "bounds of a sum", 1, test_counters },
	{ }
};

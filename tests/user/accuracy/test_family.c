// SPDX-License-Identifier: GPL-2.0
/*
 * Families: what a reader says of many words, against the words themselves.  Their true
 * counts are known, as they were added.
 */
#include <errno.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "family/family.h"
#include "named.h"
#include "suites.h"
#include "util.h"

#define WORDS	10000
#define AT_ONCE	128	/* of kmod/family/walk.c */

static const struct scounter_class classes[] = {
	SCOUNTER_CLASS(SCOUNTER_APPROX, 0), SCOUNTER_CLASS(SCOUNTER_BFP_DUP, 200000),
	SCOUNTER_CLASS(SCOUNTER_CAS, 0), SCOUNTER_CLASS(SCOUNTER_MORRIS, 50000),
};

/* Of the client: a fifth of its places has no word. */
static struct {
	union {
		struct scounter_word32 word32;
		struct scounter_word64 word64;
	} words[WORDS];
	u64 counts[WORDS];
	u32 calls, most;
	u32 alive_for;		/* calls, before somebody wants the family to go */
	bool small;
} client;

bool scounter_item_is_alive(struct scounter_item *item)
{
	(void)item;
	return client.calls < client.alive_for;
}

static bool client_walk(struct scounter_family_walk *walk, void *context)
{
	bool on = true;
	u32 n = 0;

	client.calls += context == &client;
	while (on && walk->at < WORDS) {
		u32 i = walk->at++;

		if (i % 5 == 4)
			continue;
		n++;
		on = client.small ? scounter_family_visit32(walk, &client.words[i].word32) :
				    scounter_family_visit64(walk, &client.words[i].word64);
	}
	client.most = max(client.most, n);
	return !on;
}

static u64 read_word(const struct scounter_class *class, u32 i, struct scounter_estimate *estimate)
{
	if (client.small)
		scounter_word32_read_est(&client.words[i].word32, class, estimate);
	else
		scounter_word64_read_est(&client.words[i].word64, class, estimate);
	return estimate->value;
}

static int by_count(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* All alike, or from 0 to 2^30 or so.  In @counts those that have a word, sorted. */
static u32 fill(const struct scounter_class *class, bool alike, u64 *counts)
{
	u64 seed = test_seed();
	u32 i, n = 0;

	named_machine(seed);
	memset(&client, 0, sizeof(client));
	client.small = BIT(class->kind) & __SCOUNTER_WORD32_KINDS;
	client.alive_for = ~0U;
	for (i = 0; i < WORDS; i++) {
		u64 count = alike ? 1000000 : next_seed(&seed) % (1ULL << next_seed(&seed) % 31);

		if (client.small)
			scounter_word32_add(&client.words[i].word32, class, count);
		else
			scounter_word64_add(&client.words[i].word64, class, count);
		if (i % 5 != 4)
			counts[n++] = count;
	}
	qsort(counts, n, sizeof(*counts), by_count);
	return n;
}

static bool holds(const struct scounter_estimate *e, u64 truth)
{
	return e->lower <= e->value && e->value <= e->upper && e->lower <= truth &&
	       truth <= e->upper;
}

static bool sum_is_that_of_the_words(const struct scounter_class *class,
				     const struct scounter_estimate *said)
{
	struct scounter_estimate one, all;
	struct scounter_sum sum;
	u64 largest = 0;
	u32 i;

	scounter_sum_begin(&sum);
	for (i = 0; i < WORDS; i++) {
		if (i % 5 == 4)
			continue;
		largest = max(largest, read_word(class, i, &one));
		scounter_sum_add(&sum, &one);
	}
	scounter_sum_estimate(&sum, &all);
	return !memcmp(&all, &said[SCOUNTER_FAMILY_SUM], sizeof(all)) &&
	       largest == said[SCOUNTER_FAMILY_LARGEST].value;
}

/*
 * Wrong by chance if more than 80 of 8000 words are beyond a bound of theirs, which each
 * is with 0.00135 at most: 10.8 of them in the mean, so less than 1e-40.  A value is off by
 * half a bucket, and the words' own error.
 */
static bool quantiles_hold(const struct scounter_estimate *said, const u64 *counts, u32 n)
{
	static const struct { u32 row, percent; } all[] = {
		{ SCOUNTER_FAMILY_P50, 50 }, { SCOUNTER_FAMILY_P90, 90 },
		{ SCOUNTER_FAMILY_P99, 99 },
	};
	bool passed = true;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		passed &= holds(&said[all[i].row], counts[(n * all[i].percent + 99) / 100 - 1]);
	return passed && holds(&said[SCOUNTER_FAMILY_LARGEST], counts[n - 1]);
}

static bool test_said(u32 which)
{
	const struct scounter_class *class = &classes[which / 2];
	const struct scounter_family_desc desc = { .class = class, .walk = client_walk };
	struct scounter_family family = { .desc = &desc, .context = &client };
	struct scounter_estimate said[SCOUNTER_FAMILY_ROWS];
	static u64 counts[WORDS];
	bool passed, exact = class->kind == SCOUNTER_CAS;
	u32 n;

	describe("kind %u, %s: what is said of words holds", class->kind,
		 which % 2 ? "all alike" : "few of them large");
	n = fill(class, which % 2, counts);
	passed = !scounter_family_read(&family, said) && quantiles_hold(said, counts, n) &&
		 sum_is_that_of_the_words(class, said);
	/* 1/16 wide, the value in the middle. */
	if (exact)
		passed &= said[SCOUNTER_FAMILY_P90].error_ppm <= 31250 &&
			  !said[SCOUNTER_FAMILY_SUM].error_ppm &&
			  !said[SCOUNTER_FAMILY_LARGEST].error_ppm;
	else if (which % 2)
		passed &= said[SCOUNTER_FAMILY_P90].error_ppm > 31250;
	passed &= said[SCOUNTER_FAMILY_P99].value <= said[SCOUNTER_FAMILY_LARGEST].value;
	return passed && said[SCOUNTER_FAMILY_WORDS].value == n &&
	       said[SCOUNTER_FAMILY_BYTES].value == n * (client.small ? 4 : 8) &&
	       client.most == AT_ONCE && client.calls == DIV_ROUND_UP(n, AT_ONCE);
}

static bool test_none(u32 which)
{
	static const struct scounter_estimate zero;
	const struct scounter_family_desc desc = { .class = &classes[2], .walk = client_walk };
	struct scounter_family family = { .desc = &desc };
	struct scounter_estimate said[SCOUNTER_FAMILY_ROWS];
	struct scounter_family_pass *pass = calloc(1, sizeof(*pass));
	bool passed = pass;
	u32 i;

	(void)which;
	describe("of no words all is 0, and a reader leaves when the family is to go");
	scounter_sum_begin(&pass->sum);
	scounter_family_say(pass, said);
	for (i = 0; i < SCOUNTER_FAMILY_ROWS; i++)
		passed &= !memcmp(&said[i], &zero, sizeof(zero));
	free(pass);
	memset(&client, 0, sizeof(client));
	family.context = &client;
	client.alive_for = 3;
	return passed && scounter_family_read(&family, said) == -EINTR && client.calls == 3;
}

/* The ends of all buckets: no value is between two, and none is wider than 1/16. */
static bool test_buckets(u32 which)
{
	bool passed = true;
	u32 i;

	(void)which;
	describe("hold every value once, each as it says");
	for (i = 0; i < SCOUNTER_SPREAD_BUCKETS; i++) {
		u64 low = scounter_spread_low(i), high = scounter_spread_high(i);

		passed &= scounter_spread_bucket(low) == i && scounter_spread_bucket(high) == i &&
			  low <= high && (high - low) <= (low >> 4) &&
			  low == (i ? scounter_spread_high(i - 1) + 1 : 0);
	}
	return passed && scounter_spread_high(i - 1) == U64_MAX;
}

const struct test family_tests[] = {
	{ "family", 2 * ARRAY_SIZE(classes), test_said },
	{ "family", 1, test_none },
	{ "family: buckets", 1, test_buckets },
	{ }
};

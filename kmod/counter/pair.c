// SPDX-License-Identifier: GPL-2.0
/*
 * Pairs: events and the sum of their amounts in one word, which only ever is added to.
 * The word is (events << 40) + sum modulo 2^64.  What is carried out of the lower 40 bits
 * is in the upper 24, and what is carried out of these is gone:
 *
 *	upper	events + (sum >> 40), modulo 2^24
 *	lower	sum, modulo 2^40
 *
 * The mark says what the word has no room for.  It counts quarters of both ranges: of
 * 2^22 in the upper part, of 2^38 in the lower.  A part whose quarter is at most three
 * behind that of the word is found from the two bits of the word that are its quarter.
 * Example: with mark 5 of the sum, the word's quarter is 2 (modulo 4), so that the sum is
 * in its quarter 6.  An addition that finds the mark behind advances it before it
 * returns.
 *
 * Why the mark is never four behind: what is beyond its quarter was added by additions
 * that have not returned.  There are fewer than 2^22 + 2^16 of these: a kernel has at most
 * 2^22 threads, and some contexts of each CPU.  Each adds one event and 2^16 at most, or is
 * one that found the mark not behind and adds half a quarter at most.  So the word is ahead
 * of the end of the mark's quarter by less than 1.6 quarters in either part.
 *
 * Nobody waits, and nothing is moved: a reader needs a word and the mark of the moment at
 * which it had that value.  The mark only grows.  If it is the same before the word is
 * read and after, it was so meanwhile:
 *
 *	CPU 0: reads the mark		CPU 1: adds four quarters, and advances the mark
 *	CPU 0: reads the word		the quarter that it was in, four further
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/scounter_pair.h>

#include "compat.h"
#include "base/refuse.h"

#define SUM_BITS		40
#define SUM_QUARTER_BITS	38
#define UPPER_QUARTER_BITS	22

/* One step of a large addition: half a quarter of each part. */
#define STEP_EVENTS		(1ULL << (UPPER_QUARTER_BITS - 1))
#define STEP_SUM		(1ULL << (SUM_QUARTER_BITS - 1))

/*
 * A mark has two bits of each quarter where a word has them: bits 38 to 61 are the
 * quarters of the sum, bits 62 and 63 the lower two of the upper part's quarters, and bits
 * 0 to 37 the rest of these.
 */
#define SUM_QUARTERS_BITS	24
#define UPPER_REST_BITS		38

static notrace u64 pair_low(u64 value, u32 bits)
{
	return value & ((1ULL << bits) - 1);
}

static notrace u64 pair_sum_quarter(u64 mark)
{
	return pair_low(mark >> SUM_QUARTER_BITS, SUM_QUARTERS_BITS);
}

static notrace u64 pair_upper_quarter(u64 mark)
{
	return pair_low(mark, UPPER_REST_BITS) << 2 | mark >> 62;
}

/* The quarter of which the lower two bits are those of @bits, at most three after @from. */
static notrace u64 pair_quarter_after(u64 from, u64 bits)
{
	return from + ((bits - from) & 3);
}

/* What the mark should be beside this word. */
static notrace u64 pair_mark_of(u64 mark, u64 word)
{
	u64 sum = pair_quarter_after(pair_sum_quarter(mark), word >> SUM_QUARTER_BITS);
	u64 upper = pair_quarter_after(pair_upper_quarter(mark), word >> 62);

	return upper << 62 | pair_low(sum, SUM_QUARTERS_BITS) << SUM_QUARTER_BITS |
		pair_low(upper >> 2, UPPER_REST_BITS);
}

/* A word, and the mark that there was at the same moment. */
static notrace u64 pair_look(const struct scounter_pair *pair, u64 *mark)
{
	u64 word;

	do {
		/*
		 * The word is not older than this mark, as its quarter is in it; and not
		 * younger than the next: pair-mark.litmus.
		 */
		*mark = atomic64_read_acquire(&pair->mark);
		word = atomic64_read_acquire(&pair->word);
	} while (*mark != (u64)atomic64_read(&pair->mark));
	return word;
}

/* See scounter_pair_add(): the mark is behind, or was. */
notrace void __scounter_pair_advance(struct scounter_pair *pair)
{
	u64 mark, next, word;

	do {
		word = pair_look(pair, &mark);
		next = pair_mark_of(mark, word);
		/* After the word was read: pair-mark.litmus. */
	} while (next != mark &&
		 atomic64_cmpxchg(&pair->mark, mark, next) != (s64)mark);
}
EXPORT_SYMBOL_GPL(__scounter_pair_advance);

static notrace void pair_add_step(struct scounter_pair *pair, u64 events, u64 sum)
{
	u64 mark, word, next;

	for (;;) {
		word = pair_look(pair, &mark);
		next = word + (events << SUM_BITS) + sum;
		/* So that at most one such addition is beyond the mark's quarter. */
		if (pair_mark_of(mark, word) != mark)
			__scounter_pair_advance(pair);
		else if (atomic64_cmpxchg(&pair->word, word, next) == (s64)word)
			break;
	}
	__scounter_pair_advance(pair);
}

/**
 * scounter_pair_add_many - count several events and the sum of their amounts
 * @pair: the pair
 * @events: how many; may be 0
 * @sum: of their amounts; 2^63 and above is refused, as by scounter_add()
 *
 * Together for up to 2^21 events and a sum of 2^37.  What is more is added in steps, which
 * a reader may come between: 2^40 events take 2^19 of them, some milliseconds.
 *
 * Context: Any context; on 32-bit machines without a 64-bit compare-and-swap not NMI.
 */
notrace void scounter_pair_add_many(struct scounter_pair *pair, u64 events, u64 sum)
{
	if (scounter_refuses(events, NULL) || scounter_refuses(sum, NULL))
		return;
	while (events || sum) {
		u64 some = min_t(u64, events, STEP_EVENTS), part = min_t(u64, sum, STEP_SUM);

		pair_add_step(pair, some, part);
		events -= some;
		sum -= part;
	}
}
EXPORT_SYMBOL_GPL(scounter_pair_add_many);

/**
 * scounter_pair_read - events and sum of one moment
 * @pair: the pair
 * @values: both
 *
 * Context: Any context; on 32-bit machines without a 64-bit compare-and-swap not NMI.
 */
notrace void scounter_pair_read(const struct scounter_pair *pair, struct scounter_pair_values *values)
{
	u64 mark, word = pair_look(pair, &mark), upper;

	mark = pair_mark_of(mark, word);
	upper = pair_upper_quarter(mark) << UPPER_QUARTER_BITS |
		pair_low(word >> SUM_BITS, UPPER_QUARTER_BITS);
	values->sum = pair_sum_quarter(mark) << SUM_QUARTER_BITS | pair_low(word, SUM_QUARTER_BITS);
	values->events = upper - (values->sum >> SUM_BITS);
}
EXPORT_SYMBOL_GPL(scounter_pair_read);

// SPDX-License-Identifier: GPL-2.0
/*
 * A table of frequent items, of each design: in order, with errors within their
 * counts, and with a total that is what was hit, less what was dropped.
 */
#include <linux/err.h>

#include "torture.h"

#define CAPACITY	64

static int create(struct subject *subject)
{
	const struct scounter_topk_spec spec = {
		.capacity = CAPACITY,
		.key_size = sizeof(u64),
		.design = subject->variant,
	};

	subject->topk = scounter_topk_create(subject->name, NULL, &spec);
	return PTR_ERR_OR_ZERO(subject->topk);
}

static void destroy(struct subject *subject)
{
	if (!torture_is_busted(BUSTED_LEAK))
		scounter_topk_destroy(subject->topk);
}

/* Of four times as many keys as there are entries, the half of the hits on a few. */
static u64 some_key(u64 n)
{
	u64 mixed = (n + 1) * 0x9e3779b97f4a7c15ULL;

	return mixed >> 63 ? (mixed >> 32) % 8 : (mixed >> 32) % (4 * CAPACITY);
}

static void count(struct subject *subject, u32 events)
{
	u64 first = atomic64_read(&raw_cpu_ptr(subject->ledger)->begun), key;
	u32 i;

	if (torture_is_busted(BUSTED_LOST))
		return;
	for (i = 0; i < events - 5; i++) {
		key = some_key(first + i);
		scounter_topk_hit(subject->topk, &key);
	}
	key = some_key(first + i);
	scounter_topk_add(subject->topk, &key, 5);
}

/* What holds within one snapshot.  Returns the sum of its counts. */
static u64 check_snapshot(struct subject *subject,
			  const struct scounter_topk_header *snapshot)
{
	u64 sum = 0, least = U64_MAX;
	u32 i;

	for (i = 0; i < snapshot->records; i++) {
		const struct scounter_topk_record *record = scounter_topk_record(snapshot, i);

		torture_expect(subject, record->count <= least, "%llu after %llu: not in order",
			       record->count, least);
		torture_expect(subject, record->error <= record->count,
			       "error %llu of a count of %llu", record->error, record->count);
		least = record->count;
		sum += record->count;
	}
	return sum;
}

/* Only lockfree has a total, while hits run, that is the sum of its counts. */
static bool sums_up(const struct subject *subject)
{
	return subject->variant == SCOUNTER_TOPK_LOCKFREE;
}

static void check(struct subject *subject)
{
	struct scounter_topk_header *snapshot;
	s64 done = torture_done(subject), begun;
	u64 known;

	smp_mb();	/* what was done, then what it says */
	snapshot = scounter_topk_top(subject->topk, U32_MAX);
	if (IS_ERR(snapshot))
		return;
	smp_mb();	/* what it says, then what was begun */
	begun = torture_begun(subject);
	check_snapshot(subject, snapshot);
	if (sums_up(subject)) {
		known = snapshot->total + snapshot->dropped +
			atomic64_read(&subject->returned);
		torture_expect(subject, known + snapshot->pending >= done,
			       "knows of %llu, and %llu pending, but %lld were hit", known,
			       snapshot->pending, done);
		torture_expect(subject, known <= begun, "knows of %llu, but only %lld were",
			       known, begun);
	}
	subject->looks++;
	scounter_topk_free(snapshot);
}

static void reset(struct subject *subject)
{
	struct scounter_topk_header *snapshot = scounter_topk_fetch_reset(subject->topk);

	if (IS_ERR(snapshot))
		return;
	atomic64_add(snapshot->total + snapshot->dropped, &subject->returned);
	if (torture_is_busted(BUSTED_RETURNED_TWICE))
		atomic64_add(snapshot->total, &subject->returned);
	scounter_topk_free(snapshot);
}

static void check_end(struct subject *subject)
{
	struct scounter_topk_header *snapshot = scounter_topk_top(subject->topk, U32_MAX);
	u64 sum, all;

	torture_expect(subject, !IS_ERR(snapshot), "no memory for the last look");
	if (IS_ERR(snapshot))
		return;
	sum = check_snapshot(subject, snapshot);
	torture_expect(subject, !snapshot->pending, "%llu are pending in the end",
		       snapshot->pending);
	torture_expect(subject, sum == snapshot->total || !sums_up(subject),
		       "counts of %llu, a total of %llu", sum, snapshot->total);
	all = snapshot->total + snapshot->dropped + atomic64_read(&subject->returned);
	torture_expect(subject, all == torture_done(subject),
		       "knows of %llu in the end, but %lld were hit", all,
		       torture_done(subject));
	scounter_topk_free(snapshot);
}

const struct subject_ops torture_topk_ops = {
	.create		= create,
	.destroy	= destroy,
	.count		= count,
	.check		= check,
	.reset		= reset,
	.check_end	= check_end,
};

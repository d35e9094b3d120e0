// SPDX-License-Identifier: GPL-2.0
/*
 * An array: all its counters together are what was counted.  Merged into a fresh
 * one, it must say as much; and it refuses what is outside, and counts that.
 */
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/random.h>

#include "torture.h"

#define COUNTERS	256

/*
 * Of each counter at most sqrt(1 / 2m), 3.1 %; of the sum of all that are hit alike
 * less by the root of their number.
 */
static const struct scounter_array_type type = {
	.kind = SCOUNTER_REPR_CSUROS2, .bits = 16, .m = 512,
};
#define SUM_PPM		1954U

static int create(struct subject *subject)
{
	subject->array = scounter_array_create(subject->name, NULL, &type, COUNTERS,
					       subject->variant);
	return PTR_ERR_OR_ZERO(subject->array);
}

static void destroy(struct subject *subject)
{
	if (!torture_is_busted(BUSTED_LEAK))
		scounter_array_destroy(subject->array);
}

static void count(struct subject *subject, u32 events)
{
	u32 first = div_u64(atomic64_read(&raw_cpu_ptr(subject->ledger)->begun), EVENTS);
	u32 i;

	if (torture_is_busted(BUSTED_LOST) || torture_is_busted(BUSTED_BOUNDS))
		return;
	for (i = 0; i < events; i++)
		scounter_array_inc(subject->array, (first * EVENTS + i) % COUNTERS);
	if (first % 64 == 0) {
		scounter_array_inc(subject->array, COUNTERS + first);
		atomic64_inc(&subject->refused);
	}
}

static u64 sum_of(const struct scounter_array *array)
{
	struct scounter_array_total sum;

	scounter_array_sum(array, 0, COUNTERS, &sum);
	return sum.value.whole;
}

static void judge(struct subject *subject, s64 done, u64 sum, u32 ppm)
{
	smp_mb();	/* what it says, then what was begun */
	torture_judge(subject, done, sum,
		      mul_u64_u32_div(sum, MARGIN * ppm, 1000000) + COUNTERS,
		      torture_begun(subject));
}

static void check_merged(struct subject *subject)
{
	struct scounter_array *merged = scounter_array_create(NULL, NULL, &type, COUNTERS, 0);
	s64 done = torture_done(subject);
	int err;

	if (IS_ERR(merged))
		return;
	smp_mb();	/* what was done, then what it says */
	err = scounter_array_merge(merged, subject->array);
	torture_expect(subject, !err, "does not merge: error %d", err);
	/* As good as counting, and counted twice by now: the root of two. */
	judge(subject, done, sum_of(merged), SUM_PPM * 1414 / 1000);
	scounter_array_destroy(merged);
}

static void check(struct subject *subject)
{
	s64 done = torture_done(subject);

	smp_mb();	/* what was done, then what it says */
	judge(subject, done, sum_of(subject->array), SUM_PPM);
	if (subject->looks % 4 == 0)
		check_merged(subject);
	torture_expect(subject, !scounter_array_saturated(subject->array), "saturated");
}

static void reset(struct subject *subject)
{
	s64 done = torture_done(subject);
	u64 sum = sum_of(subject->array);

	smp_mb();	/* what was done before, then the reset */
	scounter_array_clear(subject->array);
	torture_reset_done(subject, done, div_u64(sum, COUNTERS * 256));
}

static void check_end(struct subject *subject)
{
	u64 refused = scounter_array_refused(subject->array);

	check(subject);
	torture_expect(subject, refused == atomic64_read(&subject->refused),
		       "refused %llu of %lld calls from outside", refused,
		       (s64)atomic64_read(&subject->refused));
}

const struct subject_ops torture_array_ops = {
	.create		= create,
	.destroy	= destroy,
	.count		= count,
	.check		= check,
	.reset		= reset,
	.check_end	= check_end,
	.is_quick	= true,
};

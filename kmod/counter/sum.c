// SPDX-License-Identifier: GPL-2.0
/*
 * Sums of counters, words and other estimates: the public calls.
 *
 * Example: the total of a driver's queues, one approximate counter each, for a line of
 * ethtool.  1 % of each is 0.1 % of the sum of a hundred.
 */
#include <linux/export.h>

#include <linux/scounter.h>

#include "repr/sum.h"

/**
 * scounter_sum_begin - begin a sum
 * @sum: becomes that of nothing, which is exactly 0
 *
 * Context: Any context.
 */
void scounter_sum_begin(struct scounter_sum *sum)
{
	*sum = (struct scounter_sum) {};
}
EXPORT_SYMBOL_GPL(scounter_sum_begin);

/**
 * scounter_sum_add - add an estimate to a sum
 * @sum: the sum
 * @estimate: that of a counter, a word or another sum, read here or elsewhere
 *
 * Errors are taken to be independent, as those of different counters are, even if they
 * count the same events.  Those of one counter that is read twice are not: what
 * scounter_sum_estimate() says of its bounds and error is too good then.
 *
 * Context: Any context.
 */
void scounter_sum_add(struct scounter_sum *sum, const struct scounter_estimate *estimate)
{
	scounter_sum_put(sum, estimate);
}
EXPORT_SYMBOL_GPL(scounter_sum_add);

/**
 * scounter_sum_estimate - the sum, and how far it can be trusted
 * @sum: the sum
 * @estimate: value, bounds, relative error and state
 *
 * The variance is the sum of the variances, and each bound is as seldom on the wrong
 * side of the truth as that of one counter: kmod/repr/sum.h.  The value stops at U64_MAX,
 * and is SCOUNTER_F_SATURATED then.  The state is that of all that was added, or'ed.  An
 * error of 0 means that all of it was exact.  Where one has no upper bound, the sum has none.
 *
 * Context: Any context.
 */
void scounter_sum_estimate(const struct scounter_sum *sum, struct scounter_estimate *estimate)
{
	scounter_sum_get(sum, estimate);
}
EXPORT_SYMBOL_GPL(scounter_sum_estimate);

/**
 * scounter_sum_est - the sum of counters, and how far it can be trusted
 * @counters: pointers to @count counters of any kinds, each counter once
 * @count: how many; the sum of none is 0
 * @estimate: value, bounds, relative error and state, as scounter_sum_estimate() has
 *	them
 *
 * The counters are read one after the other.
 *
 * Context: As scounter_read_est() of each.
 */
void scounter_sum_est(struct scounter *const *counters, size_t count,
		      struct scounter_estimate *estimate)
{
	struct scounter_estimate one;
	struct scounter_sum sum;

	scounter_sum_begin(&sum);
	while (count--) {
		scounter_read_est(*counters++, &one);
		scounter_sum_put(&sum, &one);
	}
	scounter_sum_get(&sum, estimate);
}
EXPORT_SYMBOL_GPL(scounter_sum_est);

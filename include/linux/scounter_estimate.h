/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a read of a counter promises, whether a count has reached a limit, and sums of
 * counters with what they promise.
 *
 *	struct scounter_sum sum;
 *	struct scounter_estimate one, all;
 *
 *	scounter_sum_begin(&sum);
 *	list_for_each_entry(flow, &flows, list) {
 *		scounter_word32_read_est(&flow->hits, &hits_class, &one);
 *		scounter_sum_add(&sum, &one);
 *	}
 *	scounter_sum_estimate(&sum, &all);
 *
 * Clients include <linux/scounter.h> or <linux/scounter_word.h>.
 */
#ifndef _LINUX_SCOUNTER_ESTIMATE_H
#define _LINUX_SCOUNTER_ESTIMATE_H

#include <linux/types.h>
#include <uapi/linux/scounter.h>

/**
 * struct scounter_estimate - what a read promises
 * @value: the count; for approximate kinds an unbiased estimate of it
 * @lower: the count is below it in at most 0.135 % of all cases, as a normal
 *	variable is below three standard deviations
 * @upper: the same above it; U64_MAX: there is no such bound
 * @error_ppm: relative standard deviation of the value, at most, in parts per
 *	million; 0 means that the value is exact
 * @flags: SCOUNTER_F_SATURATED and others, see <uapi/linux/scounter.h>
 *
 * For an exact value @lower and @upper equal @value.  In the states of
 * SCOUNTER_F_UNSURE the error leaves out the counts that the value lacks, so an error
 * of 0 does not mean exact, and there is no upper bound.  With SCOUNTER_F_LOSSY @upper
 * is a number, but promises nothing.
 */
struct scounter_estimate {
	u64 value;
	u64 lower;
	u64 upper;
	u32 error_ppm;
	u32 flags;
};

/**
 * enum scounter_answer - whether a count has reached a limit
 * @SCOUNTER_NO: certainly not
 * @SCOUNTER_YES: certainly
 * @SCOUNTER_CANNOT_SAY: the limit is between the bounds, or the state of the counter
 *	lets nobody know
 *
 * "Certainly" is wrong in at most 0.135 % of all cases, and never for exact counters.
 */
enum scounter_answer {
	SCOUNTER_NO,
	SCOUNTER_YES,
	SCOUNTER_CANNOT_SAY,
};

/**
 * scounter_bounds_reached - whether a count within these bounds has reached a limit
 * @lower: as in struct scounter_estimate
 * @upper: the same
 * @flags: the same
 * @limit: the limit
 *
 * Context: Any context.
 * Return: SCOUNTER_YES if @limit is 0, or at most @lower; SCOUNTER_NO if it is above
 * @upper.  With SCOUNTER_F_LOSSY neither bound promises anything, and the answer for
 * other limits than 0 is SCOUNTER_CANNOT_SAY.
 */
static inline enum scounter_answer scounter_bounds_reached(u64 lower, u64 upper, u32 flags,
							   u64 limit)
{
	if (!limit)
		return SCOUNTER_YES;
	if (flags & SCOUNTER_F_LOSSY)
		return SCOUNTER_CANNOT_SAY;
	if (lower >= limit)
		return SCOUNTER_YES;
	return upper < limit && !(flags & SCOUNTER_F_UNSURE) ? SCOUNTER_NO : SCOUNTER_CANNOT_SAY;
}

/* A number m * 2^e: see kmod/repr/scaled.h. */
struct scounter_scaled {
	/* private: */
	u64 m;		/* its highest bit is set, unless the number is 0 */
	int e;
};

/* One side of a sum's bounds: see kmod/repr/sum.h. */
struct scounter_sum_side {
	/* private: */
	u64 bounds;			/* the sum of all bounds on this side */
	struct scounter_scaled variance;
	struct scounter_scaled skew;
};

/**
 * struct scounter_sum - estimates that are added up
 *
 * Made by scounter_sum_begin().
 */
struct scounter_sum {
	/* private: */
	u64 value;
	u32 error_ppm;			/* the largest */
	u32 flags;
	struct scounter_scaled variance;
	struct scounter_sum_side below, above;
};

struct scounter;

void scounter_sum_begin(struct scounter_sum *sum);
void scounter_sum_add(struct scounter_sum *sum, const struct scounter_estimate *estimate);
void scounter_sum_estimate(const struct scounter_sum *sum, struct scounter_estimate *estimate);
void scounter_sum_est(struct scounter *const *counters, size_t count,
		      struct scounter_estimate *estimate);

#endif /* _LINUX_SCOUNTER_ESTIMATE_H */

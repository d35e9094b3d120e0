/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How unequal many values are: how many lie in each of 976 buckets.  A value below 16 has a
 * bucket of its own, and each power of 2 from there on has 16.  So a bucket is at most 1/16
 * of its values wide.  Example: 1000 is in the bucket of 992 to 1023, and the 500th of 999
 * values that is in there is known as that.
 *
 * Pure: the same source in user space.
 */
#ifndef _SCOUNTER_FAMILY_SPREAD_H
#define _SCOUNTER_FAMILY_SPREAD_H

#include <linux/bitops.h>
#include <linux/types.h>

#define SCOUNTER_SPREAD_LOG2	4
#define SCOUNTER_SPREAD_WIDTH	(1U << SCOUNTER_SPREAD_LOG2)
#define SCOUNTER_SPREAD_BUCKETS	((64 - SCOUNTER_SPREAD_LOG2 + 1) * SCOUNTER_SPREAD_WIDTH)

struct scounter_spread {
	u64 in[SCOUNTER_SPREAD_BUCKETS];
};

static inline u32 scounter_spread_bucket(u64 value)
{
	u32 shift;

	if (value < SCOUNTER_SPREAD_WIDTH)
		return value;
	shift = fls64(value) - 1 - SCOUNTER_SPREAD_LOG2;
	return shift * SCOUNTER_SPREAD_WIDTH + (u32)(value >> shift);
}

/* The least value of a bucket, and the largest. */
static inline u64 scounter_spread_low(u32 bucket)
{
	u32 shift;

	if (bucket < 2 * SCOUNTER_SPREAD_WIDTH)
		return bucket;
	shift = bucket / SCOUNTER_SPREAD_WIDTH - 1;
	return (u64)(bucket - shift * SCOUNTER_SPREAD_WIDTH) << shift;
}

static inline u64 scounter_spread_high(u32 bucket)
{
	return bucket == SCOUNTER_SPREAD_BUCKETS - 1 ? ~0ULL : scounter_spread_low(bucket + 1) - 1;
}

static inline void scounter_spread_add(struct scounter_spread *spread, u64 value)
{
	spread->in[scounter_spread_bucket(value)]++;
}

/* The bucket of the value that is the @rank-th, from 1, when all are sorted. */
static inline u32 scounter_spread_find(const struct scounter_spread *spread, u64 rank)
{
	u64 seen = 0;
	u32 i;

	for (i = 0; i < SCOUNTER_SPREAD_BUCKETS - 1; i++) {
		seen += spread->in[i];
		if (seen >= rank)
			break;
	}
	return i;
}

#endif /* _SCOUNTER_FAMILY_SPREAD_H */

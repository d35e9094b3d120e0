/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays of approximate counters in user space: snapshots of those in the kernel,
 * and arrays of a program's own.  They mean what they mean in the kernel, as the
 * same headers (kmod/repr/) decode them.
 *
 *	struct array *sum, *part;
 *
 *	if (array_load(&sum, first) || array_load(&part, second) ||
 *	    array_merge(sum, part))
 *		errx(1, "%s", array_error());
 *	printf("%llu\n", array_value(sum, 0));
 *
 * What can fail returns 0 or a negative errno, and says why in array_error();
 * nothing has changed then.  An array is used by one thread at a time.
 *
 * There is no decrement and no subtraction: the difference of two approximate counts
 * has an error without bound, and may be negative, which no cell can hold (Steele &
 * Tristan 2017, section 14).
 */
#ifndef _LIB_ARRAY_H
#define _LIB_ARRAY_H

#include <stdio.h>

#include "repr/total.h"

struct array {
	struct scounter_cells cells;
	u64 length;
	u32 copies;
	u32 level;		/* SCOUNTER_REPR_SHARED */
	u32 mixed_ppm;
	u32 roundings;		/* see struct scounter_known */
	u32 placement;
	bool partial;		/* a sum that lacks an array */
	u64 lost_from;		/* see array_saturated() */
	u64 unit;		/* see struct scounter_known */
	u64 refused;		/* calls */
	u64 *words;		/* of all copies */
	struct scounter_rung *rungs;
	struct rnd_state rnd;
	u64 bulk[4];		/* state of the generator for whole words */
};

/*
 * The type for counts up to max_count in so many bits; that of the fewest bits for an
 * error.  As scounter_array_type_for() and scounter_array_type_for_error() in the kernel.
 * -ERANGE, and *type is as it was.
 */
int array_type_for(struct scounter_array_type *type, u32 bits, u64 max_count);
int array_type_for_error(struct scounter_array_type *type, u64 max_count, u32 error_ppm);

/* Random numbers come from the system's entropy; array_seed() makes them repeat. */
int array_create(struct array **array, const struct scounter_array_type *type, u64 length);
void array_free(struct array *array);
void array_seed(struct array *array, u64 seed);

/*
 * From and to a snapshot.  -EINVAL for what is none, or contradicts itself; -ERANGE
 * for a number out of its range; -ENODATA for a truncated one; -EPROTO for one of a
 * newer version or of the other byte order; -ENOMEM; -EIO.
 */
int array_load(struct array **array, FILE *from);
int array_save(const struct array *array, FILE *to);

/*
 * -ERANGE for an index outside, and for an amount of 2^63 or more, which looks like a
 * negative number; both are also counted in array->refused.
 */
int array_inc(struct array *array, u64 index);
int array_add(struct array *array, u64 index, u64 n);
int array_estimate(struct array *array, u64 index, struct scounter_array_estimate *estimate);

/*
 * The value alone, rounded to the nearest; 0 outside.  What is rounded off does not
 * average out over many counters, in those kinds whose cells do not stand for whole
 * numbers: to add them up, take array_values() or array_sum(), which are unbiased.
 */
u64 array_value(struct array *array, u64 index);

/* Of `count` counters from `first` on.  -ERANGE if there are not so many. */
int array_values(struct array *array, u64 first, u64 count, double *values);

struct array_total {
	double value;
	/* An estimate whose expected value is at least the variance. */
	double variance;
	u32 flags;		/* SCOUNTER_F_SATURATED if a counter may lack counts */
};

int array_sum(struct array *array, u64 first, u64 count, struct array_total *sum);

/*
 * Whether counts were lost, here or in what was merged into it: then the counters that
 * have SCOUNTER_F_SATURATED may lack some.
 */
bool array_saturated(const struct array *array);

/*
 * dst[i] += src[i].  -EINVAL for arrays of different length or group, for an array
 * and itself, and for relative and additive errors in one.
 */
int array_merge(struct array *dst, const struct array *src);

/*
 * dst[i] = a[i] + b[i], of any three types: what dst had is gone.  Each sum is rounded
 * once, to a state of dst, where two merges into a cleared dst of another type round it
 * twice.  Errors as of array_merge(), of each pair, and for a and b one array.
 * Steele & Tristan 2017, section 9.
 */
int array_put_sum(struct array *dst, const struct array *a, const struct array *b);
void array_clear(struct array *array);

/* Bytes of cells, tables and the rest. */
size_t array_bytes(const struct array *array);

/* Why the last call of this thread failed. */
const char *array_error(void);

#endif /* _LIB_ARRAY_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scounter_array: approximate counters by the million, in 4 to 16 bits each.
 *
 *	static const struct scounter_array_type morris = {
 *		.kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1080000,
 *	};
 *	struct scounter_array *hits;
 *
 *	hits = scounter_array_create("hits", NULL, &morris, 1000000, 0);
 *	if (IS_ERR(hits))
 *		return PTR_ERR(hits);
 *	scounter_array_inc(hits, page);			any context, any CPU
 *	pr_info("%llu\n", scounter_array_read(hits, page));
 *	scounter_array_sum(hits, 0, 1000000, &sum);	of all pages, with its error
 *	scounter_array_merge(all_hits, hits);		all_hits[i] += hits[i]
 *	scounter_array_destroy(hits);
 *
 * The contract:
 *
 * 1. Increment, add and read may be called from task, softirq, hardirq and NMI
 *    context.  They take no lock, allocate nothing, never sleep and never mask
 *    interrupts.  On 32-bit machines without a 64-bit compare-and-swap they must
 *    not be used in NMI context.
 * 2. The expected value of a counter is the exact count, whatever contexts, CPUs,
 *    additions and merges it came from, until a count is lost at its largest value.
 *    A counter that may lack counts says so in every read, also after it was merged
 *    into a type that counts further; no other counter does.  Reads of one value
 *    round it to a whole number; reads in fixed point and sums do not.
 * 3. An index outside of the array is never written: the call is refused, and
 *    counted.
 * 4. There is no decrement and no subtraction of arrays.  The sum of two
 *    approximate counts is as good as each of them.  Their difference is not: its
 *    relative error has no bound, and it can be negative, which no cell can hold
 *    (Steele & Tristan 2017, section 14).  To know what was counted since some
 *    time, clear the array then, or count in a second one and merge it.
 * 5. Arrays that are merged must have been counted independently of each other:
 *    merging the same events twice keeps the mean, but not the stated error.
 *    An array is not merged with itself.
 */
#ifndef _LINUX_SCOUNTER_ARRAY_H
#define _LINUX_SCOUNTER_ARRAY_H

#include <linux/err.h>
#include <linux/scounter_class.h>
#include <linux/scounter_estimate.h>
#include <linux/types.h>
#include <uapi/linux/scounter_array.h>
#if __has_include("linux/cleanup.h")
#include <linux/cleanup.h>
#endif

struct module;
struct scounter_array;

int scounter_array_type_for(struct scounter_array_type *type, u32 bits, u64 max_count);
int scounter_array_type_for_error(struct scounter_array_type *type, u64 max_count, u32 error_ppm);

/* An array that has its name, but no file. */
#define SCOUNTER_ARRAY_HIDDEN		(1U << 8)

struct scounter_array *__scounter_array_create(const char *name, const char *group,
					       const struct scounter_array_type *type,
					       u64 length, u32 flags, struct module *owner);

/**
 * scounter_array_create - allocate an array of approximate counters
 * @name: that of the file with its snapshot; NULL for an array without one
 * @group: that of the directory of the file, or NULL for the name of the calling
 *	module.  Both: 1 to SCOUNTER_NAME_MAX bytes, without '/' and control
 *	characters, not "." and not ".."
 * @type: what its cells are; copied
 * @length: how many counters, at least 1
 * @flags: 0; SCOUNTER_ARRAY_PER_NODE or SCOUNTER_ARRAY_PER_CPU for a copy on
 *	each of them, which are summed when a counter is read; with either or
 *	alone SCOUNTER_ARRAY_HIDDEN, for a name without a file
 *
 * All counters are zero.  The memory is not contiguous: no high-order allocation
 * is needed, whatever the length.  On 32-bit machines a copy has less than 4 GiB.
 *
 * Context: Task context; may sleep.
 * Return: the array, or an ERR_PTR: -EINVAL for an unknown kind or flag or an
 * unacceptable name, -ENAMETOOLONG, -ERANGE for a number in @type out of its range
 * or a length of 0, -EEXIST for a name that the group already has, -ENOMEM.  The
 * log says why, but for -ENOMEM where memory is short.
 */
#define scounter_array_create(name, group, type, length, flags)		\
	__scounter_array_create(name, group, type, length, flags, THIS_MODULE)

void scounter_array_destroy(struct scounter_array *array);

#ifdef DEFINE_FREE
DEFINE_FREE(scounter_array, struct scounter_array *, scounter_array_destroy(_T))
#endif

void scounter_array_inc(struct scounter_array *array, u64 index);
void __scounter_array_add(struct scounter_array *array, u64 index, u64 n);

/**
 * scounter_array_add - count n events at once
 * @array: the array
 * @index: which counter, as for scounter_array_inc()
 * @n: how many; 0 changes nothing, 2^63 and above is taken for a negative number,
 *	and refused
 *
 * In one step for any n.  The sum is rounded at random to one of the two nearest
 * states, so that its expected value is exact.  A negative constant does not
 * compile: there is no subtraction, as the error of a difference has no bound.
 * An unsigned int that was taken below 0 arrives as about 2^32, and is counted.
 *
 * Steele & Tristan 2017, section 3, with an exact second number.
 *
 * Context: Any context, NMI included.
 */
#define scounter_array_add(array, index, n) ({				\
	__SCOUNTER_REFUSE_NEGATIVE(n);					\
	__scounter_array_add(array, index, n);				\
})

u64 scounter_array_read(const struct scounter_array *array, u64 index);
int scounter_array_read_est(const struct scounter_array *array, u64 index,
			    struct scounter_array_estimate *estimate);
enum scounter_answer scounter_array_reached(const struct scounter_array *array, u64 index,
					    u64 limit);
int scounter_array_read_range(const struct scounter_array *array, u64 first, u64 count,
			      struct scounter_array_value *values);
int scounter_array_sum(const struct scounter_array *array, u64 first, u64 count,
		       struct scounter_array_total *sum);

/**
 * scounter_array_read_fixed - a counter's value in fixed point
 * @array: the array
 * @index: which counter
 * @value: an unbiased estimate of the number of events
 *
 * Context: Any context, NMI included.
 * Return: 0, or -ERANGE if there is no such counter.
 */
static inline int scounter_array_read_fixed(const struct scounter_array *array, u64 index,
					    struct scounter_array_value *value)
{
	return scounter_array_read_range(array, index, 1, value);
}

void scounter_array_clear(struct scounter_array *array);
int scounter_array_merge(struct scounter_array *dst, const struct scounter_array *src);

u64 scounter_array_length(const struct scounter_array *array);
u64 scounter_array_refused(const struct scounter_array *array);
bool scounter_array_saturated(const struct scounter_array *array);
size_t scounter_array_bytes(const struct scounter_array *array);

#endif /* _LINUX_SCOUNTER_ARRAY_H */

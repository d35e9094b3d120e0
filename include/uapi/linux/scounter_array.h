/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Arrays of approximate counters: how their cells are packed and what they mean.
 * This file is the specification of the snapshots that the kernel gives out and
 * user space keeps: a number or a layout in it never changes its meaning.
 *
 * A snapshot is a struct scounter_array_header, and after its header_bytes the
 * 64-bit words of each copy, one copy after the other, all in the byte order of
 * the machine that wrote it.
 *
 * Cell c is in word c / per_word, at bit c % per_word * bits, where per_word is
 * 64 / bits, or 58 / bits for SCOUNTER_REPR_SHARED; no cell straddles two words.
 * Counter i has the cells i * group to i * group + group - 1, and its value is
 * the mean of theirs; with several copies, the sum over the copies.
 *
 * The last state of a cell is a count like any other.  A count is lost when a sum
 * is beyond it, and when a cell in it is incremented.  The array then is
 * SCOUNTER_ARRAY_SATURATED, and so is each array that a cell is merged into which
 * may lack counts.  lost_from in the header is the least count of a cell that may:
 * that of the last state, or less where the cell came by a merge from a type that
 * ends earlier.  A counter has SCOUNTER_F_SATURATED, its value is "at least", if
 * the array is saturated and f of one of its cells, without what is after the
 * point, is lost_from or more.  It also has it, without anything being lost, if its
 * copies add up to 2^64 or more, which no value can say.  All other counters lack nothing.
 */
#ifndef _UAPI_LINUX_SCOUNTER_ARRAY_H
#define _UAPI_LINUX_SCOUNTER_ARRAY_H

#include <linux/types.h>

/*
 * Representations: what count f(x) a cell x stands for, and with which
 * probability Q(x) an increment changes it.  mu is m / (q - 1).
 */
enum scounter_repr_kind {
	/* f = (q^x - 1) / (q - 1), Q = q^-x */
	SCOUNTER_REPR_MORRIS		= 1,
	/* f = 2^x - 1, Q = 2^-x */
	SCOUNTER_REPR_MORRIS2		= 2,
	/* f = (m + x % m) * 2^(x / m) - m, Q = 2^-(x / m), m a power of 2 */
	SCOUNTER_REPR_CSUROS2		= 3,
	/* f = (mu + x % m) * q^(x / m) - mu, Q = q^-(x / m) */
	SCOUNTER_REPR_CSUROS		= 4,
	/* p = 1 - x / 2^bits: f = (1 / p - 1) / (q - 1), Q = p */
	SCOUNTER_REPR_DLM_PROBABILITY	= 5,
	/* f = x % m * 2^(x / m), Q = 2^-(x / m), m a power of 2, see theta */
	SCOUNTER_REPR_DLM_FLOAT		= 6,
	/* f = x * 2^level, Q = 2^-level, level in the upper 6 bits of the word */
	SCOUNTER_REPR_SHARED		= 7,
};

#define SCOUNTER_REPR_Q_PPM_MAX		2000000U
#define SCOUNTER_SHARED_LEVEL_SHIFT	58

/**
 * struct scounter_array_type - what the cells of an array are
 * @kind: an enum scounter_repr_kind
 * @bits: bits of a cell: 4 to 8, 10, 12 or 16
 * @q_ppm: q in millionths, more than 1000000 and at most 2000000; 0 for the
 *	kinds that have no q, where it counts as 2000000
 * @m: the number of states between two steps of the exponent: 1 to 2^bits for
 *	the Csuros kinds; 2 to 2^bits for DLM floating point; else 0 or 1
 * @theta: DLM floating point: mantissas stay below it; even, 2 to @m; 0 means
 *	@m.  Else 0
 * @group: cells of a counter, each counting for itself: 1 to 1024; 0 means 1
 */
struct scounter_array_type {
	__u32 kind;
	__u32 bits;
	__u32 q_ppm;
	__u32 m;
	__u32 theta;
	__u32 group;
};

#define SCOUNTER_ARRAY_GROUP_MAX	1024U

/* Where an array lives: one copy, or as many as nodes or CPUs. */
#define SCOUNTER_ARRAY_PER_NODE		(1U << 0)
#define SCOUNTER_ARRAY_PER_CPU		(1U << 1)
/* What has happened to it. */
#define SCOUNTER_ARRAY_SATURATED	(1U << 16) /* counts were lost, see above */
#define SCOUNTER_ARRAY_PARTIAL		(1U << 17) /* a sum that lacks an array: all "at least" */

/**
 * struct scounter_array_estimate - what a read of a counter promises
 * @value: estimate of the count, rounded to the nearest whole number.  Where f is
 *	no whole number, what is rounded off is a bias of at most 1 / 2, always the
 *	same for the same state: use struct scounter_array_value for what is added
 *	up, or struct scounter_array_total
 * @lower: the count is below it in at most 0.135 % of all cases, as a normal
 *	variable is below three standard deviations
 * @upper: the same above it; U64_MAX: there is no such bound
 * @additive: SCOUNTER_REPR_SHARED: the largest standard deviation that this
 *	counter can have now, whatever its value; else 0
 * @error_ppm: relative standard deviation, at most, in parts per million; 0
 *	means that the value is exact, unless it is SCOUNTER_F_SATURATED.
 *	SCOUNTER_REPR_SHARED: that of the value, which is very large where little
 *	or nothing was counted
 * @flags: SCOUNTER_F_SATURATED, SCOUNTER_F_SAMPLING
 */
struct scounter_array_estimate {
	__u64 value;
	__u64 lower;
	__u64 upper;
	__u64 additive;
	__u32 error_ppm;
	__u32 flags;
};

/**
 * struct scounter_array_value - a count that need not be a whole number
 * @whole: what is before the point
 * @part: what is after it, in units of 2^-32, cut off
 *
 * An unbiased estimate, but for less than 2^-32.  The largest number stands for 2^64 or
 * more; struct scounter_array_estimate says SCOUNTER_F_SATURATED then.
 */
struct scounter_array_value {
	__u64 whole;
	__u32 part;
};

/**
 * struct scounter_array_total - the sum of many counters
 * @value: unbiased estimate of all their counts; the largest number, and saturated,
 *	for a sum of 2^64 or more
 * @deviation: an estimate of the standard deviation of @value, rounded up.  It is
 *	made of the cells that are read.  Over many sums of the same counts, the mean
 *	of its square is at least the variance of @value.  It is 0 only if @value is
 *	exact: where a counter that reads 0 may hide events, it is at least what one
 *	more of these would have added
 * @lower: @value less three deviations, but not below 0.  Where counters may hide
 *	events, it is at most the lower bound of one counter that reads @value
 * @upper: @value and three deviations, and at least that counter's upper bound;
 *	U64_MAX when saturated
 * @flags: SCOUNTER_F_SATURATED if one of the counters has it
 */
struct scounter_array_total {
	struct scounter_array_value value;
	__u64 deviation;
	__u64 lower;
	__u64 upper;
	__u32 flags;
};

#define SCOUNTER_ARRAY_MAGIC		0x52416353U	/* "ScAR" */
#define SCOUNTER_ARRAY_VERSION		1U

/*
 * Of the moment in which the file was opened.  Words that are read later may have
 * counts that were merged or lost since then: of an array that is being merged into, the
 * header of a second file, opened after the words were read, tells their error.
 */
struct scounter_array_header {
	__u32 magic;
	__u32 version;
	__u32 header_bytes;	/* may grow: the words begin here */
	__u32 flags;
	struct scounter_array_type type;
	__u32 copies;
	__u32 error_ppm;	/* of what has been merged into it, at most; 0: see type */
	__u64 length;		/* counters */
	__u64 words;		/* of a copy */
	__u64 refused;		/* calls with an index outside */
	/*
	 * Not in headers of 72 bytes: there it is the count of the last state, if
	 * SCOUNTER_ARRAY_SATURATED.
	 */
	__u64 lost_from;	/* all bits set: nothing was lost */
	/*
	 * Not in headers of 80 bytes: there it is 0.  Some events of this array may
	 * have been counted with a probability of no more than 1 / unit, in units of
	 * so many.  A cell of 0 may stand for some of these.  2^level, at least, for
	 * SCOUNTER_REPR_SHARED; for others, what merges have brought from types whose
	 * first step is wide.  0 and 1: none.
	 */
	__u64 unit;
	/*
	 * From type to type, by merges one after the other, its counts were rounded
	 * this often, at most.
	 */
	__u32 roundings;
	__u32 reserved;		/* 0 */
};

#endif /* _UAPI_LINUX_SCOUNTER_ARRAY_H */

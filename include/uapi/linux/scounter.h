/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * What user space may know of scounter: the numbers of the kinds, the limits
 * of names, and how a counter word is laid out.  This file is the
 * specification: a number or a layout in it never changes its meaning.
 */
#ifndef _UAPI_LINUX_SCOUNTER_H
#define _UAPI_LINUX_SCOUNTER_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include "scounter_kinds.h"

/* Bytes in the name of a counter or of a group, without the final NUL. */
#define SCOUNTER_NAME_MAX		63

/* The same of a help text; a unit and a label have as many as a name. */
#define SCOUNTER_HELP_MAX		255

/*
 * The kinds, from the table in scounter_kinds.h: SCOUNTER_ATOMIC = 1 and so on;
 * and the choices, SCOUNTER_EXACT and SCOUNTER_APPROX.
 */
#define __SCOUNTER_ENUMERATOR(symbol, number, ...)	SCOUNTER_##symbol = number,
enum scounter_kind {
	SCOUNTER_KIND_TABLE(__SCOUNTER_ENUMERATOR)
	SCOUNTER_CHOICE_TABLE(__SCOUNTER_ENUMERATOR)
};
#undef __SCOUNTER_ENUMERATOR

/* How many kinds there are; their numbers begin at 1 and have no gap. */
#define __SCOUNTER_ONE(...)	+ 1
enum { __SCOUNTER_KINDS = 0 SCOUNTER_KIND_TABLE(__SCOUNTER_ONE) };
#undef __SCOUNTER_ONE

/*
 * States of a counter, or'ed together.
 *
 * SATURATED: the value is the largest that its kind has, and the count may be
 * larger.  The word of a counter that has just come there is that of one that has
 * lost events since.  A counter is SATURATED if and only if it has this value:
 *
 *	cas, rbo, cohort, racing, morris	2^63 - 1
 *	rbo_numa, rbo_numa_adapt		2^(63 - b) - 1, see below
 *	multiline_adapt				SCOUNTER_ADAPT_MAX, word or stripes
 *	bfp_dup, bfp_csup			SCOUNTER_BFP_WORD_MAX
 *	morris_adapt				n at 2^32 - 1 - a, whatever the other half
 *	scalable, scalable32			SCOUNTER_SCALABLE_MAX, ..._SCALABLE32_MAX
 *	those, exact until contended		2^63 - 1, 2^31 - 1
 *
 * An addition that leads beyond the end stops there.  A counter that was made to begin
 * again goes from there to 0 with the next event.
 *
 * WRAPPED: a counter with a name has begun again at 0 since it was last reset.  A word
 * without a name cannot say so.
 *
 * OVERFLOW: an atomic, percpu or multiline counter may have counted more than 2^63 - 1
 * events since it was last reset.  These three kinds count modulo 2^64: after
 * 2^64 + 5 events the value is 5, in OVERFLOW.
 *
 * APART: the records of an object with this flag were read at several moments, as CPUs
 * counted all the time.  Without it, all of the object are of one moment.
 *
 * PARTIAL: never of a counter, but of the sum of those of several machines, if one of
 * them could not be read or added.
 *
 * GAUGE: what is said of the words of a family: how many there are, their sum, and so on.
 * It is of now, and may go down.  Such a record has no kind (0), in kind_name that of the
 * words, and in parameters[0] whether several can be added up: 1, or 0 of quantiles.
 *
 * A reset ends WRAPPED and OVERFLOW.  A reset that meets an event beyond the end leaves
 * them to the next reset.
 *
 * In each of these states but APART and GAUGE there is no upper bound, and the error leaves out what
 * the value lacks: a saturated cas counter has an error of 0, whatever it has lost.
 */
#define SCOUNTER_F_SATURATED	(1U << 0) /* at its largest value: "at least" */
#define SCOUNTER_F_OVERFLOW	(1U << 1) /* beyond 2^63 - 1: right modulo 2^64 */
#define SCOUNTER_F_SAMPLING	(1U << 2) /* counts a random sample of the events */
#define SCOUNTER_F_LOSSY	(1U << 3) /* loses counts: the value is no estimate */
#define SCOUNTER_F_INFLATED	(1U << 4) /* one word that has become stripes */
#define SCOUNTER_F_WRAPPED	(1U << 5) /* began again at 0 at the end of its range */
#define SCOUNTER_F_APART	(1U << 6) /* not of one moment with others of its object */
#define SCOUNTER_F_PARTIAL	(1U << 7) /* a sum that lacks what it should have */
#define SCOUNTER_F_GAUGE	(1U << 8) /* of now, and may go down */

/* In any of these states the value may lack events that the error leaves out. */
#define SCOUNTER_F_UNSURE	(SCOUNTER_F_SATURATED | SCOUNTER_F_OVERFLOW |	\
				 SCOUNTER_F_LOSSY | SCOUNTER_F_WRAPPED |	\
				 SCOUNTER_F_PARTIAL)

/*
 * Relative errors are one relative standard deviation (the standard deviation
 * divided by the count) in parts per million.
 */
#define SCOUNTER_PPM			1000000U
#define SCOUNTER_ERROR_PPM_MIN		5000U	/* 0.5 % */
#define SCOUNTER_ERROR_PPM_MAX		200000U	/* 20 % */
#define SCOUNTER_ERROR_PPM_DEFAULT	10000U	/* 1 % */

/*
 * A bfp word (binary floating point; Dice, Lev & Moir 2013, section 4.1): the
 * exponent e in the upper 4 bits, the mantissa m in the lower 28.  The word
 * stands for the count m * 2^e, and an increment changes it with probability
 * 2^-e; that of a counter made as approx, where e is at its end and the mantissa
 * has d bits more than its class's bound_log2, by 2^d with probability 2^-(e + d).
 * The word with all bits set is the saturated state.
 */
#define SCOUNTER_BFP_MANTISSA_BITS	28
#define SCOUNTER_BFP_EXPONENT_BITS	4
#define SCOUNTER_BFP_MANTISSA_MAX	((1U << SCOUNTER_BFP_MANTISSA_BITS) - 1)
#define SCOUNTER_BFP_EXPONENT_MAX	((1U << SCOUNTER_BFP_EXPONENT_BITS) - 1)
#define SCOUNTER_BFP_WORD_MAX		0xffffffffU

/*
 * The words of eight bytes.
 *
 * cas, rbo, cohort, racing: the count, at most 2^63 - 1.
 *
 * rbo_numa, rbo_numa_adapt (section 2.1): with b = ceil(log2(nodes)), the count
 * in the lower 63 - b bits, above it the node that counted last, and bit 63 set
 * if there is such a node.  Nodes are those that there can be, numbered from 0
 * without gaps.
 *
 * multiline_adapt (section 2.2): bits 63 and 62 clear, the count; both set, or
 * only bit 62, the address of the stripes that the count has moved to.
 *
 * morris (section 3.2): the projected value n, which determines the paper's
 * threshold, p = a / (a + n).
 *
 * morris_adapt: a plain count in the lower 32 bits; in the upper 0, or a + n
 * with n as in morris, once it has been contended.  The count is the sum.
 *
 * scalable, scalable32 (Ayers 2023): the count.  With the option of counting by
 * one until contended, the highest bit says that it has been contended.
 *
 * morris and scalable words may be a little above the end of the range: a plain
 * increment that saw a small count adds 1 to whatever is there then.  A racing word
 * may be anywhere above: its increments do not look.  They stand for the end of
 * the range.
 */
#define SCOUNTER_EXACT_MAX		0x7fffffffffffffffULL
#define SCOUNTER_ADAPT_MAX		0x3fffffffffffffffULL
/* 2^23 less than the word holds: there are fewer threads and contexts in a kernel. */
#define SCOUNTER_SCALABLE_MAX		0xffffffffff7fffffULL
#define SCOUNTER_SCALABLE32_MAX		0xff7fffffU

/* Stripes a node of multiline and multiline_adapt: a power of two. */
#define SCOUNTER_COMPONENTS_MAX		8

/* log2 of the value at which scalable begins to sample. */
#define SCOUNTER_THRESHOLD_LOG2_MIN	10
#define SCOUNTER_THRESHOLD_LOG2_MAX	15

/*
 * A snapshot: what /dev/scounter reads as, and what `scounter record` writes,
 * one after the other.  A header, then `count` records, in the byte order of the
 * machine, which `byte_order` shows.
 *
 * Later versions append fields to the header and to the record.  A reader goes
 * by `header_size` and `record_size`: it ignores what it does not know, and
 * takes fields beyond the size as 0.  Fields at the end that are 0 in all records
 * are left out of these.  Only if an old reader would go wrong is `oldest_reader`
 * raised; who knows a smaller version must then refuse.
 *
 * Monotonic times are nanoseconds of CLOCK_MONOTONIC of the initial time
 * namespace, real ones of CLOCK_REALTIME; 0 is "never".
 *
 * The sum of snapshots of several machines has the kind 0 in its records, of how many
 * machines each is in `parameters[0]`, and 0 in `raw`.  Its monotonic times are real
 * ones, each the latest of all machines; its boot_id is the sum of theirs, as two
 * little-endian numbers of 64 bits.
 */
#define SCOUNTER_SNAPSHOT_MAGIC		"SCOUNTER"	/* 8 bytes, no NUL */
#define SCOUNTER_SNAPSHOT_BYTE_ORDER	0x01020304U
#define SCOUNTER_SNAPSHOT_VERSION	2U

/*
 * Bytes of a header with its texts.  What does not fit is left out: records that would
 * have it have none.
 */
#define SCOUNTER_SNAPSHOT_HEADER_MAX	65536U

struct scounter_snapshot_header {
	__u8 magic[8];
	__u32 byte_order;
	__u32 version;		/* of the writer */
	__u32 oldest_reader;
	__u32 header_size;	/* from here to the first record, a multiple of 8 */
	__u32 record_size;	/* from record to record, a multiple of 8 */
	__u32 cpus;		/* possible ones */
	__u64 count;		/* of records */
	__u64 monotonic_ns;	/* when the snapshot was begun */
	__u64 real_ns;
	__u8 boot_id[16];	/* /proc/sys/kernel/random/boot_id; if not known, of its like */
	/*
	 * Texts of records, from the start of the header: within header_size.  Each
	 * ends with a NUL, and so do all together.  The first is empty.
	 */
	__u32 texts_offset;
	__u32 texts_size;	/* 0: there are none */
};

struct scounter_snapshot_record {
	__u8 group[64];		/* ends with a NUL; any bytes but '/' and controls */
	__u8 name[64];
	__u8 kind_name[32];	/* "bfp_csup"; "approx:bfp_csup" if made so */
	__u32 kind;		/* enum scounter_kind; 0: a sum, or SCOUNTER_F_GAUGE */
	__u32 flags;		/* SCOUNTER_F_... */
	__u32 error_ppm;	/* relative standard deviation, at most; 0, and not
				 * SCOUNTER_F_UNSURE: exact
				 */
	__u32 bytes;		/* memory that counts */
	/* How it was made: struct scounter_class, its limit, unions and flags. */
	__u32 parameters[4];
	/*
	 * Kinds with one word: the word.  atomic, percpu and multiline: the sum
	 * of all words, and what of it resets have taken.  multiline_adapt: 0.
	 */
	__u64 raw[2];
	__u64 value;
	__u64 lower;		/* the count is below it in at most 0.135 % of all cases */
	__u64 upper;		/* the same above; all bits set: no upper bound */
	__u64 resets;		/* how many there have been; in 32-bit kernels modulo 2^32 */
	__u64 created_ns;	/* monotonic */
	__u64 created_real_ns;
	__u64 reset_ns;		/* of the last reset, monotonic */
	__u64 reset_real_ns;
	__u64 saturated_ns;	/* when a snapshot first found it so, monotonic */
	/* How often it began again at 0 at the end of its range; as resets. */
	__u64 wraps;
	__u64 wrapped_ns;	/* the last time, monotonic */
	__u64 wrapped_real_ns;
	/* Where in the texts the record's are; 0: it has none. */
	__u32 unit;		/* of the value, as "bytes": letters, digits and '_' */
	__u32 help;		/* what is counted, in UTF-8 */
	__u32 label;		/* what the object is, as "device"; as a unit */
	__u32 reserved;		/* 0 */
	__u8 object[64];	/* whose counter it is, as group; empty: of no object */
};

/*
 * What a snapshot of /dev/scounter is to have: ioctl(fd, SCOUNTER_IOC_FILTER, &filter),
 * before the first read or seek of this open file.  A later one replaces an earlier one.
 * Both texts end with a NUL; an empty one is for all.
 *
 * The pattern is for GROUP/NAME, or GROUP/OBJECT/NAME for a counter of an object.  '*'
 * matches any bytes, '/' too, '?' one byte, '[a-z]' one of a class and '[!a-z]' one of no
 * class; '\' makes the next byte an ordinary one.
 *
 * EBUSY: the snapshot has been taken.  EINVAL: a text has no end.  EOPNOTSUPP: this
 * kernel's configuration has no patterns, groups only.
 */
struct scounter_filter {
	__u8 group[64];
	__u8 pattern[256];
};

#define SCOUNTER_IOC_FILTER	_IOW(0xEF, 0x01, struct scounter_filter)

#endif /* _UAPI_LINUX_SCOUNTER_H */

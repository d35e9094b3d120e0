/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * What user space may know of scounter's frequent-item tables: their limits,
 * and the binary form of a table.  This file is the specification: a number or
 * a layout in it never changes its meaning.
 */
#ifndef _UAPI_LINUX_SCOUNTER_TOPK_H
#define _UAPI_LINUX_SCOUNTER_TOPK_H

#include <linux/types.h>

#define SCOUNTER_TOPK_CAPACITY_MAX	(1U << 20)	/* entries of a table */
#define SCOUNTER_TOPK_KEY_MIN		4U		/* bytes of a key */
#define SCOUNTER_TOPK_KEY_MAX		64U

/* How CPUs share a table; the last three after Das et al. 2009. */
enum scounter_topk_design {
	SCOUNTER_TOPK_DEFAULT		= 0,	/* the best: lockfree */
	SCOUNTER_TOPK_LOCKFREE		= 1,	/* a compare-and-swap a hit, no ownership */
	SCOUNTER_TOPK_COOPERATIVE	= 2,	/* delegation, section 4 */
	SCOUNTER_TOPK_SHARED		= 3,	/* locks, section 3.2 */
	SCOUNTER_TOPK_INDEPENDENT	= 4,	/* a table a CPU, section 3.1 */
};

/* States of a table, or'ed together. */
#define SCOUNTER_TOPK_F_SATURATED	(1U << 0) /* a count or the total reached 2^64 - 1 */
#define SCOUNTER_TOPK_F_DROPPED		(1U << 1) /* hits were dropped */
#define SCOUNTER_TOPK_F_PARTIAL		(1U << 2) /* lacks a table that was to be merged */

/*
 * The binary form: a header, then `records` records of `record_size` bytes,
 * highest count first, in the byte order of the machine.  A reader skips what
 * it does not know by `header_size` and `record_size`.
 */
#define SCOUNTER_TOPK_MAGIC	0x6b706f74U	/* "topk" on a little-endian machine */
#define SCOUNTER_TOPK_VERSION	1

struct scounter_topk_header {
	__u32 magic;
	__u16 version;
	__u16 header_size;
	__u32 record_size;
	__u32 key_size;
	__u32 capacity;		/* m, see below */
	__u32 records;
	__u32 design;		/* enum scounter_topk_design */
	__u32 flags;
	__u64 total;		/* N: all hits that were counted */
	__u64 evictions;	/* keys that lost their entry to another */
	__u64 dropped;		/* hits that could not be counted, not in total */
	__u64 floor;		/* a key that is not listed has at most this count */
	__u64 pending;		/* hits on their way to a count, at most */
};

/*
 * m is the number of entries of the table; or, in a snapshot that leaves keys out, of
 * those that it was to list, at least 1; or the least m of those that were merged.  Keys
 * that were evicted while it was made are in m, but not listed.  Errors and floor are at
 * most total / m, and the counts of one table sum up to at most the total.
 *
 * Numbers stay at 2^64 - 1 when they get there.  SCOUNTER_TOPK_F_SATURATED says that the
 * total or a count has.  The two promises about the total do not hold then, and keys with
 * more than 1 / m of all hits may not be listed; those about each key's true count do.
 *
 * count - error <= true count <= count + pending, and true count <= floor + pending
 * of a key that is not listed: hits of the past, those dropped aside, are all in, but
 * for `pending` at most.  What is SCOUNTER_TOPK_F_PARTIAL promises so of the tables that
 * are in it.  The key is padded with zeros to a multiple of 8 bytes.
 */
struct scounter_topk_record {
	__u64 count;
	__u64 error;
	__u8 key[];
};

#endif /* _UAPI_LINUX_SCOUNTER_TOPK_H */

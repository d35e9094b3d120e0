/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scounter_topk: which keys are hit most, and how often, in bounded memory.
 *
 * A table has m entries, allocated when it is created.  Any number of keys may
 * be hit.  Of N hits, fewer than 2^64 - 1, the keys that were hit more than N / m
 * times are in the table for certain.  Each has a count, and by how much that may
 * be too large.
 * (Space-Saving: Metwally, Agrawal & El Abbadi 2006; shared by many CPUs: Das,
 * Antony, Agrawal & El Abbadi 2009.)
 *
 *	static const struct scounter_topk_spec spec = {
 *		.capacity = 1000, .key_size = sizeof(u64),
 *	};
 *	struct scounter_topk *ports = scounter_topk_create("ports", NULL, &spec);
 *
 *	if (IS_ERR(ports))
 *		return PTR_ERR(ports);
 *	scounter_topk_hit(ports, &key);			any context, any CPU
 *	cat /sys/kernel/debug/scounter/topk/<module>/ports
 *	scounter_topk_destroy(ports);
 *
 * The contract, for the default design:
 *
 * 1. scounter_topk_hit() and scounter_topk_add() may be called from task, softirq,
 *    hardirq and NMI context where RCU is watching.  They allocate nothing, wait
 *    for no lock and no other context, and do not mask interrupts.
 * 2. Every snapshot of one table promises, also beside hits:
 *    - A listed key was hit at least count - error and at most count + pending times.
 *    - A key that is not listed was hit at most floor + pending times.
 *    - `total`, N, is what was counted at some moment of the query.  The listed
 *      counts sum up to N at most.
 *    - Floor and errors are at most N / m.  m is the `capacity`: the entries of the
 *      table.  In a snapshot that leaves keys out, m is the number of keys listed
 *      and of those evicted meanwhile, at least 1.
 *    - At most `pending` hits, of all keys together, have returned without being
 *      counted yet: another context was just bringing them to their count.  When no
 *      call is under way, and after a reset, `pending` is 0, and the counts of the
 *      whole table sum up to N.
 * 3. Hits that could not be counted are in `dropped`, and not in N.  In the
 *    default design there are none but
 *    - of a key that is being added to, 2^16 and more at once, by seven others, if
 *      these are more than 2^38;
 *    - of a key that is just coming in, if 2^38 hits of it are pending;
 *    - of new keys, if more are just coming in than there are spare nodes: eight a
 *      CPU, and 16 for the table.
 * 4. All snapshots that scounter_topk_fetch_reset() returned and what is left
 *    have each hit once.
 * 5. All numbers of a snapshot, merged or not, stay at 2^64 - 1 when they get there.
 *    The counts of a merged one may sum up to more than N.  If counts or total
 *    came there, its flags have SCOUNTER_TOPK_F_SATURATED.  The promises
 *    of N, of its sum and of N / m hold while N is below 2^64 - 1.  The bounds of
 *    each key hold always.
 * 6. A table belongs to the module that made it.  Nobody may use it after
 *    scounter_topk_destroy() has begun.
 * 7. On 32-bit machines without a 64-bit compare-and-swap, not in NMI context.
 *
 * The other designs are there to be compared; Documentation/topk.rst says what
 * they do otherwise.
 */
#ifndef _LINUX_SCOUNTER_TOPK_H
#define _LINUX_SCOUNTER_TOPK_H

#include <linux/err.h>
#include <linux/seq_file.h>
#include <linux/types.h>
#include <uapi/linux/scounter_topk.h>
#if __has_include("linux/cleanup.h")
#include <linux/cleanup.h>
#endif

struct module;
struct scounter_topk;

/**
 * struct scounter_topk_spec - what table to create
 * @capacity: entries, 1 to SCOUNTER_TOPK_CAPACITY_MAX; 0 to use @epsilon_ppb
 * @epsilon_ppb: the greatest error of a count as a share of all hits, in parts
 *	per billion: the capacity is 10^9 / epsilon_ppb, rounded up.  0 to use @capacity
 * @key_size: bytes of a key, SCOUNTER_TOPK_KEY_MIN to SCOUNTER_TOPK_KEY_MAX; all
 *	of them are compared, the padding of a struct, too
 * @design: an enum scounter_topk_design; 0 for the best
 * @show_key: writes a key to the text file; NULL for hexadecimal digits, in the
 *	order of the bytes.  A reader may be in it a moment after the table was
 *	destroyed, though not when the module has gone: what it looks at beside
 *	the key has to stay as long as that
 * @show_key_of: in the place of @show_key, to be given a copy of @show_data, too
 * @show_data: @show_data_size bytes, which the table copies
 * @show_data_size: 0 for none
 * @hidden: the table has its name, but no files
 */
struct scounter_topk_spec {
	u32 capacity;
	u32 epsilon_ppb;
	u32 key_size;
	u32 design;
	void (*show_key)(struct seq_file *seq, const void *key);
	void (*show_key_of)(struct seq_file *seq, const void *key, const void *data);
	const void *show_data;
	u32 show_data_size;
	bool hidden;
};

struct scounter_topk *__scounter_topk_create(const char *name, const char *group,
					     const struct scounter_topk_spec *spec,
					     struct module *owner);

/**
 * scounter_topk_create - create a table of frequent items
 * @name: 1 to SCOUNTER_NAME_MAX bytes, no '/' and no control character, not "."
 *	or "..", and not ending in ".bin"
 * @group: the same, or NULL for the name of the calling module
 * @spec: what table
 *
 * Context: Task context; may sleep.
 * Return: the table, or an ERR_PTR: -EINVAL for an unacceptable name, a design
 * that does not exist, or both a capacity and an epsilon; -ERANGE for neither of
 * them, a capacity, an epsilon or a key size out of range, or an epsilon for which
 * the capacity is; -E2BIG for a table of the independent design that no query could
 * merge, as it would take more than 2^31 - 1 bytes; -ENAMETOOLONG; -EEXIST for a
 * name that the group already has; -ENOMEM.
 */
#define scounter_topk_create(name, group, spec)				\
	__scounter_topk_create(name, group, spec, THIS_MODULE)

void scounter_topk_destroy(struct scounter_topk *topk);

#ifdef DEFINE_FREE
DEFINE_FREE(scounter_topk, struct scounter_topk *, scounter_topk_destroy(_T))
#endif

void scounter_topk_add(struct scounter_topk *topk, const void *key, u64 n);
void scounter_topk_hit(struct scounter_topk *topk, const void *key);
void scounter_topk_hit_u64(struct scounter_topk *topk, u64 key);

struct scounter_topk_header *scounter_topk_top(struct scounter_topk *topk, u32 k);
struct scounter_topk_header *scounter_topk_above(struct scounter_topk *topk, u32 phi_ppb);
struct scounter_topk_header *scounter_topk_fetch_reset(struct scounter_topk *topk);
struct scounter_topk_header *
scounter_topk_merge(const struct scounter_topk_header *a,
		    const struct scounter_topk_header *b);
void scounter_topk_free(struct scounter_topk_header *snapshot);
size_t scounter_topk_bytes(struct scounter_topk *topk);
const char *scounter_topk_design_name(u32 design);
int scounter_topk_design_by_name(const char *name);

/**
 * scounter_topk_record - a record of a snapshot
 * @snapshot: the snapshot
 * @i: which one, from 0, the highest count, to below snapshot->records
 */
static inline const struct scounter_topk_record *
scounter_topk_record(const struct scounter_topk_header *snapshot, u32 i)
{
	return (const void *)((const u8 *)snapshot + snapshot->header_size +
			      (size_t)i * snapshot->record_size);
}

#endif /* _LINUX_SCOUNTER_TOPK_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_SNAPSHOT_H
#define _SCOUNTER_SNAPSHOT_H

#include <linux/types.h>
#include <uapi/linux/scounter.h>

struct scounter_share;

/*
 * What a file that is open holds: a header with texts, and records, as in the uapi.
 *
 * @held: memory, more than the sizes if counters went meanwhile
 * @share: that holds it, or NULL
 */
struct scounter_snapshot {
	struct scounter_snapshot_header *header;
	struct scounter_snapshot_record *records;
	size_t held;
	struct scounter_share *share;
};

/* Valid up to the header's record_size. */
static inline struct scounter_snapshot_record *
scounter_snapshot_at(const struct scounter_snapshot *snapshot, u64 i)
{
	return (void *)snapshot->records + i * snapshot->header->record_size;
}

int scounter_snapshot_take(struct scounter_snapshot *snapshot);
/* @filter: which counters; NULL for all. */
int scounter_snapshot_take_some(struct scounter_snapshot *snapshot,
				const struct scounter_filter *filter);
void scounter_snapshot_free(struct scounter_snapshot *snapshot);

int scounter_snapshot_init(void);
void scounter_snapshot_exit(void);

#endif /* _SCOUNTER_SNAPSHOT_H */

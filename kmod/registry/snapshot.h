/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_SNAPSHOT_H
#define _SCOUNTER_SNAPSHOT_H

#include <linux/types.h>

struct scounter_share;

/* What a file that is open holds: a header and records, as in the uapi. */
struct scounter_snapshot {
	size_t size;
	size_t held;	/* memory, more than the size if counters went meanwhile */
	void *data;
	struct scounter_share *share;	/* that holds it, or NULL */
};

int scounter_snapshot_take(struct scounter_snapshot *snapshot);
void scounter_snapshot_free(struct scounter_snapshot *snapshot);

int scounter_snapshot_init(void);
void scounter_snapshot_exit(void);

#endif /* _SCOUNTER_SNAPSHOT_H */

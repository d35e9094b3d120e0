/* SPDX-License-Identifier: GPL-2.0 */
/* A set with a name. */
#ifndef _SCOUNTER_SET_NAMED_H
#define _SCOUNTER_SET_NAMED_H

#include <linux/bitops.h>

#include "registry/registry.h"
#include "set/set.h"

struct dentry;
struct set_directory;

/*
 * Behind it are the words; where @shown is not NULL, the bits that it points to; and the
 * name.
 *
 * @shown: a bit for each row that is to be seen, or NULL: all are
 * @set: last, as its words follow
 */
struct scounter_named_set {
	struct scounter_item item;
	u64 created_ns, created_real_ns;
	unsigned long *shown;
	struct dentry *file;
	union {
		struct set_directory *directory;
		struct kobject *parent;		/* at first: the client's own, or NULL */
	};
	struct scounter_set set;
};

static inline bool scounter_set_shows(const struct scounter_named_set *named, u32 row)
{
	return !named->shown || test_bit(row, named->shown);
}

static inline struct scounter_named_set *scounter_set_of(struct scounter_item *item)
{
	return container_of(item, struct scounter_named_set, item);
}

/* As the functions of a struct scounter_item_type. */
u32 scounter_set_rows(const struct scounter_item *item);
bool scounter_set_row(struct scounter_item *item, u32 i, struct scounter_row *row);
void scounter_set_settle_records(struct scounter_item *item,
				 struct scounter_snapshot_record *records, u32 n);
int scounter_set_files_add(struct scounter_item *item);
void scounter_set_files_remove(struct scounter_item *item);

#endif /* _SCOUNTER_SET_NAMED_H */

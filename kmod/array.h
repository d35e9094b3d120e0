/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_ARRAY_H
#define _SCOUNTER_ARRAY_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/scounter.h>
#include <linux/scounter_array.h>

#include "repr/estimate.h"

struct dentry;
struct scounter_array_dir;

/* What the files know of an array. */
struct scounter_array_entry {
	struct list_head node;
	struct module *owner;
	struct scounter_array_dir *dir;	/* NULL without a name */
	struct dentry *file;
	char name[SCOUNTER_NAME_MAX + 1];
};

struct scounter_array {
	struct scounter_cells cells;
	u64 length;
	u32 placement;			/* SCOUNTER_ARRAY_PER_NODE, _PER_CPU or 0 */
	u32 slots;			/* of copies[]; some may be NULL */
	u32 copy_count;			/* those that are not */
	atomic_t level;			/* SCOUNTER_REPR_SHARED: of new samples */
	atomic_t saturated;
	atomic_t mixed_ppm;		/* error of what was merged from other types */
	atomic64_t refused;
	const struct scounter_rung *rungs;	/* ours to free, or NULL */
	size_t bytes;
	struct scounter_array_entry entry;
	atomic64_t *copies[];
};

void scounter_array_header(const struct scounter_array *array,
			   struct scounter_array_header *header);
u64 scounter_array_word(const struct scounter_array *array, u64 position);
void scounter_array_free(struct scounter_array *array);

int scounter_array_publish(struct scounter_array *array, const char *name,
			   const char *group, struct module *owner);
void scounter_array_unpublish(struct scounter_array *array);

int scounter_arrays_init(void);
void scounter_arrays_exit(void);

#endif /* _SCOUNTER_ARRAY_H */

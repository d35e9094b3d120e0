/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_ARRAY_H
#define _SCOUNTER_ARRAY_H

#include <linux/atomic.h>
#include <linux/scounter.h>
#include <linux/scounter_array.h>

#include "registry/registry.h"
#include "repr/total.h"

struct dentry;

struct scounter_array {
	struct scounter_cells cells;
	u64 length;
	u32 placement;			/* SCOUNTER_ARRAY_PER_NODE, _PER_CPU or 0 */
	u32 slots;			/* of copies[]; some may be NULL */
	u32 copy_count;			/* those that are not */
	/*
	 * SCOUNTER_REPR_SHARED: the level of new samples in the lower bits; above
	 * them, how often the array was cleared.
	 */
	atomic_t level;
	atomic_t mixed_ppm;		/* error of what was merged from other types */
	/* Of counts that a clear has not come to yet: what the three were before it. */
	atomic_t cleared_ppm, cleared_roundings;
	atomic64_t cleared_unit;
	atomic_t roundings;		/* see struct scounter_known */
	atomic64_t unit;		/* see struct scounter_known */
	atomic64_t lost_from;		/* see scounter_may_lack() */
	atomic64_t refused;
	const struct scounter_rung *rungs;	/* ours to free, or NULL */
	size_t bytes;
	struct scounter_item entry;
	struct dentry *file;
	char name[SCOUNTER_NAME_MAX + 1];
	atomic64_t *copies[];
};

static inline u32 scounter_array_level(const struct scounter_array *array)
{
	return atomic_read(&array->level) & 63;
}

void scounter_array_header(const struct scounter_array *array,
			   struct scounter_array_header *header);
u64 scounter_array_word(const struct scounter_array *array, u64 position);
void scounter_array_free(struct scounter_array *array);

int scounter_array_publish(struct scounter_array *array, const char *name,
			   const char *group, struct module *owner);
void scounter_array_unpublish(struct scounter_array *array);

void scounter_arrays_init(void);

#endif /* _SCOUNTER_ARRAY_H */

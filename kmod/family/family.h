/* SPDX-License-Identifier: GPL-2.0 */
/* Families of words. */
#ifndef _SCOUNTER_FAMILY_FAMILY_H
#define _SCOUNTER_FAMILY_FAMILY_H

#include <linux/scounter_family.h>

#include "family/spread.h"
#include "registry/registry.h"

struct dentry;

struct scounter_family {
	struct scounter_item item;
	const struct scounter_family_desc *desc;
	void *context;
	struct dentry *file;
	u64 created_ns, created_real_ns;
	char name[];
};

static inline struct scounter_family *scounter_family_of(struct scounter_item *item)
{
	return container_of(item, struct scounter_family, item);
}

/*
 * What one reader finds.  The quantiles of all lower bounds are at or below those of the
 * true counts, as each bound is at or below its count, and those of upper bounds above.
 */
struct scounter_family_pass {
	u64 words, bytes;
	struct scounter_sum sum;
	struct scounter_estimate largest;
	struct scounter_spread values, lowers, uppers;
};

/*
 * A pass over all words, for the caller to free with kvfree().  ERR_PTR(-ENOMEM), or
 * ERR_PTR(-EINTR) if the family is about to go or the task about to die.
 */
struct scounter_family_pass *scounter_family_pass(struct scounter_family *family);

/* What is said of it: of all of enum scounter_family_row. */
void scounter_family_say(const struct scounter_family_pass *pass,
			 struct scounter_estimate *estimates);

/* Tells lockdep that the caller waits for readers. */
void scounter_family_may_wait(void);

/* "words", "sum", ... */
extern const char *const scounter_family_row_names[SCOUNTER_FAMILY_ROWS];

/* As the functions of a struct scounter_item_type. */
int scounter_family_files_add(struct scounter_item *item);
void scounter_family_files_remove(struct scounter_item *item);

#endif /* _SCOUNTER_FAMILY_FAMILY_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Sets: their words, and what a set with a name has beside them. */
#ifndef _SCOUNTER_SET_SET_H
#define _SCOUNTER_SET_SET_H

#include <linux/bitops.h>
#include <linux/scounter_set.h>

#include "kinds/kind.h"
#include "registry/registry.h"

static inline u32 scounter_set_word_bytes(const struct scounter_set_desc *desc)
{
	return desc->flags & SCOUNTER_SET_WORDS32 ? sizeof(struct scounter_word32) :
						    sizeof(struct scounter_word64);
}

static inline size_t scounter_set_words_bytes(const struct scounter_set_desc *desc)
{
	return (size_t)desc->count * scounter_set_word_bytes(desc);
}

/* A counter of a set as the functions of its kind take it. */
static inline struct scounter_ref scounter_set_ref(const struct scounter_set *set, u32 row)
{
	return (struct scounter_ref) {
		.word64 = __scounter_set_word(set, set->desc, row),
		.class = &set->desc->rows[row].class,
	};
}

static inline const struct scounter_kind_ops *scounter_set_ops(const struct scounter_set *set,
							       u32 row)
{
	return scounter_kinds[set->desc->rows[row].class.kind - 1].ops;
}

/*
 * 0, or -EINVAL and, in the log, why not: what its rows count in, and what is written of
 * them and of the objects.
 */
int scounter_set_check_words(const struct scounter_set_desc *desc, const char *object);
int scounter_set_check_texts(const struct scounter_set_desc *desc, const char *object);

/* The same for no two rows of one name.  @scratch has a number for each row. */
int scounter_set_check_twins(const struct scounter_set_desc *desc, const char *object,
			     u32 *scratch);

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
	struct set_directory *directory;
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
int scounter_set_files_add(struct scounter_item *item);
void scounter_set_files_remove(struct scounter_item *item);

#endif /* _SCOUNTER_SET_SET_H */

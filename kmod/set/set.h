/* SPDX-License-Identifier: GPL-2.0 */
/* The words of a set, and what a description of sets may say. */
#ifndef _SCOUNTER_SET_SET_H
#define _SCOUNTER_SET_SET_H

#include <linux/sched.h>
#include <linux/scounter_set.h>

#include "kinds/kind.h"

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

static inline u64 scounter_set_value(const struct scounter_set *set, u32 row)
{
	struct scounter_ref ref = scounter_set_ref(set, row);

	return scounter_set_ops(set, row)->read(&ref);
}

/*
 * What was read of a set, wherever it is.
 *
 * @value: of the row, as it was read, or NULL if that row was not; called in the order of
 *	the rows
 * @read: reads the row again
 * @may_sleep: other tasks may run in between, as a set may have many rows
 */
struct scounter_set_readings {
	const u64 *(*value)(const struct scounter_set_readings *readings, u32 row);
	void (*read)(const struct scounter_set_readings *readings, u32 row);
	const struct scounter_set *set;
	void *of;
	bool may_sleep;
};

/* So many rows are read before another task may run. */
#define SCOUNTER_SET_ROWS_AT_ONCE	64U

static inline void scounter_set_let_others_run(bool may_sleep, u32 row)
{
	if (may_sleep && row % SCOUNTER_SET_ROWS_AT_ONCE == SCOUNTER_SET_ROWS_AT_ONCE - 1)
		cond_resched();
}

/* Reads again what has changed, until all of it is of one moment; or false. */
bool scounter_set_settle(const struct scounter_set_readings *readings);

/* scounter_set_read_all(), and whether it may sleep. */
bool scounter_set_read_moment(const struct scounter_set *set,
			      struct scounter_estimate *estimates, bool may_sleep);

/*
 * 0, or -EINVAL and, in the log, why not: what its rows count in, and what is written of
 * them and of the objects.
 */
int scounter_set_check_words(const struct scounter_set_desc *desc, const char *object);
int scounter_set_check_texts(const struct scounter_set_desc *desc, const char *object);

/* The same for no two rows of one name.  @scratch has a number for each row. */
int scounter_set_check_twins(const struct scounter_set_desc *desc, const char *object,
			     u32 *scratch);

#endif /* _SCOUNTER_SET_SET_H */

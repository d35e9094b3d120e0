// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of counters, with a name or without: each counter is a bare word, and its class
 * is in the description.  Example: of a set with SCOUNTER_SET_WORDS32 the fifth counter
 * is the four bytes that begin sixteen bytes behind struct scounter_set.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bug.h>
#include <linux/export.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "compat.h"
#include "base/refuse.h"
#include "set/set.h"

/* A row that there is not would be beyond the words. */
static notrace bool set_has(const struct scounter_set *set, u32 row)
{
	return !WARN_ONCE(row >= set->desc->count,
			  "scounter: row %u of a set of %u\n", row, set->desc->count);
}

/* See scounter_set_inc(): the rest of it, and kinds that it does not inline. */
notrace void __scounter_set_inc(struct scounter_set *set, u32 row)
{
	const struct scounter_set_desc *desc = set->desc;
	const struct scounter_class *class;
	struct scounter_ref ref;
	u32 outcome;

	if (!set_has(set, row))
		return;
	ref = scounter_set_ref(set, row);
	class = ref.class;
	if (__scounter_set_row_has_word32(desc, row))
		outcome = __scounter_word32_try_inc(ref.word32, class, class->kind);
	else
		outcome = __scounter_word64_try_inc(ref.word64, class, class->kind);
	if (unlikely(outcome))
		scounter_set_ops(set, row)->finish(&ref, outcome);
}
EXPORT_SYMBOL_GPL(__scounter_set_inc);

/* See scounter_set_add(). */
notrace void __scounter_set_add(struct scounter_set *set, u32 row, u64 n)
{
	struct scounter_ref ref;

	if (!set_has(set, row) || !n || scounter_refuses(n, set->desc->rows[row].name))
		return;
	ref = scounter_set_ref(set, row);
	scounter_set_ops(set, row)->add(&ref, n);
}
EXPORT_SYMBOL_GPL(__scounter_set_add);

/**
 * scounter_set_read - the value of a counter of a set
 * @set: the set
 * @row: which counter
 *
 * Context: Any context, NMI included; of multiline_adapt where RCU is watching.
 * Return: the number of events; for approximate kinds an unbiased estimate of it; 0, with a
 * warning, if there is no such row.
 */
u64 scounter_set_read(const struct scounter_set *set, u32 row)
{
	return set_has(set, row) ? scounter_set_value(set, row) : 0;
}
EXPORT_SYMBOL_GPL(scounter_set_read);

/**
 * scounter_set_read_est - the value of a counter of a set, and how far to trust it
 * @set: the set
 * @row: which counter
 * @estimate: value, bounds, relative error and state
 *
 * Context: Any context, NMI included; of multiline_adapt where RCU is watching.
 */
void scounter_set_read_est(const struct scounter_set *set, u32 row,
			   struct scounter_estimate *estimate)
{
	struct scounter_ref ref;

	*estimate = (struct scounter_estimate) {};
	if (!set_has(set, row))
		return;
	ref = scounter_set_ref(set, row);
	scounter_set_ops(set, row)->read_est(&ref, estimate);
}
EXPORT_SYMBOL_GPL(scounter_set_read_est);

/**
 * scounter_set_word32 - the word of a counter, for a hot path of one's own
 * @set: the set
 * @row: which counter; of a kind with words of four bytes
 *
 * scounter_word32_inc() takes it, with the class of the row.
 *
 * Return: the word, which stays as long as the set; NULL, and a warning, if there is
 * no such row or its word has eight bytes.
 */
struct scounter_word32 *scounter_set_word32(struct scounter_set *set, u32 row)
{
	if (!set_has(set, row) ||
	    WARN_ONCE(!__scounter_set_row_has_word32(set->desc, row),
		      "scounter: row %u of a set has no word of four bytes\n", row))
		return NULL;
	return __scounter_set_word(set, set->desc, row);
}
EXPORT_SYMBOL_GPL(scounter_set_word32);

/* See scounter_set_init(). */
int __scounter_set_init(struct scounter_set *set, const struct scounter_set_desc *desc,
			size_t size)
{
	int err = scounter_set_check_words(desc, NULL);

	if (err)
		return err;
	if (desc->flags & SCOUNTER_SET_SPARSE || size != scounter_set_words_bytes(desc)) {
		pr_warn_ratelimited("a set of %u rows of %u bytes wants room for %zu bytes in its object, which has %zu%s\n",
				    desc->count, scounter_set_word_bytes(desc),
				    scounter_set_words_bytes(desc), size,
				    desc->flags & SCOUNTER_SET_SPARSE ?
				    ", and cannot be sparse there" : "");
		return -EINVAL;
	}
	set->desc = desc;
	memset(set + 1, 0, size);
	return 0;
}
EXPORT_SYMBOL_GPL(__scounter_set_init);

/**
 * scounter_set_exit - give back what the counters of a set without a name have taken
 * @set: the set
 *
 * Call it before its memory is freed.  Only SCOUNTER_EXACT counters take anything.
 * Nobody may use the set any more.
 *
 * Context: Any context but NMI.
 */
void scounter_set_exit(struct scounter_set *set)
{
	u32 row;

	for (row = 0; row < set->desc->count; row++) {
		const struct scounter_kind_ops *ops = scounter_set_ops(set, row);
		struct scounter_ref ref = scounter_set_ref(set, row);

		if (ops->collapse)
			ops->collapse(&ref);
	}
}
EXPORT_SYMBOL_GPL(scounter_set_exit);

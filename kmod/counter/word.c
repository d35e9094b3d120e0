// SPDX-License-Identifier: GPL-2.0
/*
 * Counters without a name: the public calls on a bare word and its class.  The functions
 * of a kind take a struct scounter_ref, which stands for a bare word and for a counter
 * with a name alike.
 */
#include <linux/bug.h>
#include <linux/export.h>

#include "compat.h"
#include "base/refuse.h"
#include "kinds/kind.h"

static notrace struct scounter_ref word_ref32(const struct scounter_word32 *counter,
					      const struct scounter_class *class)
{
	return (struct scounter_ref) {
		.word32 = (struct scounter_word32 *)counter,
		.class = class,
	};
}

static notrace struct scounter_ref word_ref64(const struct scounter_word64 *counter,
					      const struct scounter_class *class)
{
	return (struct scounter_ref) {
		.word64 = (struct scounter_word64 *)counter,
		.class = class,
	};
}

/*
 * The functions of the class's kind, or NULL if its words have another size.  They would
 * write beyond the end of a smaller word.
 */
static notrace const struct scounter_kind_ops *word_ops_of(const struct scounter_class *class,
							   enum __scounter_word_size word)
{
	const struct scounter_kind_row *row = scounter_kind_row(class->kind);

	if (WARN_ONCE(!row || row->word != word || !row->bare,
		      "scounter: a class of kind %u, %s, with a word of %u bytes\n",
		      class->kind, row ? scounter_class_name(class) : "which there is not",
		      word == __SCOUNTER_WORD32 ? 4 : 8))
		return NULL;
	return row->ops;
}

notrace void __scounter_word32_finish(struct scounter_word32 *counter,
				      const struct scounter_class *class,
				      u32 outcome)
{
	const struct scounter_kind_ops *ops = word_ops_of(class, __SCOUNTER_WORD32);
	struct scounter_ref ref = word_ref32(counter, class);

	if (ops)
		ops->finish(&ref, outcome);
}
EXPORT_SYMBOL_GPL(__scounter_word32_finish);

notrace void __scounter_word64_finish(struct scounter_word64 *counter,
				      const struct scounter_class *class,
				      u32 outcome)
{
	const struct scounter_kind_ops *ops = word_ops_of(class, __SCOUNTER_WORD64);
	struct scounter_ref ref = word_ref64(counter, class);

	if (!ops)
		return;
	/* The class was not a constant where the increment was compiled. */
	if (outcome == SCOUNTER_UNTRIED)
		outcome = __scounter_word64_try_inc(counter, class, class->kind);
	if (outcome)
		ops->finish(&ref, outcome);
}
EXPORT_SYMBOL_GPL(__scounter_word64_finish);

/* See scounter_word32_add(). */
notrace void __scounter_word32_add(struct scounter_word32 *counter,
				   const struct scounter_class *class, u64 n)
{
	const struct scounter_kind_ops *ops = word_ops_of(class, __SCOUNTER_WORD32);
	struct scounter_ref ref = word_ref32(counter, class);

	if (ops && n && !scounter_refuses(n, NULL))
		ops->add(&ref, n);
}
EXPORT_SYMBOL_GPL(__scounter_word32_add);

/* See scounter_word64_add(). */
notrace void __scounter_word64_add(struct scounter_word64 *counter,
				   const struct scounter_class *class, u64 n)
{
	const struct scounter_kind_ops *ops = word_ops_of(class, __SCOUNTER_WORD64);
	struct scounter_ref ref = word_ref64(counter, class);

	if (ops && n && !scounter_refuses(n, NULL))
		ops->add(&ref, n);
}
EXPORT_SYMBOL_GPL(__scounter_word64_add);

/**
 * scounter_word32_read - the value of a word of four bytes
 * @counter: the word
 * @class: its kind, accuracy and policy
 *
 * Context: Any context, NMI included.
 * Return: an unbiased estimate of the number of events.
 */
u64 scounter_word32_read(const struct scounter_word32 *counter,
			 const struct scounter_class *class)
{
	const struct scounter_kind_ops *ops = word_ops_of(class, __SCOUNTER_WORD32);
	struct scounter_ref ref = word_ref32(counter, class);

	return ops ? ops->read(&ref) : 0;
}
EXPORT_SYMBOL_GPL(scounter_word32_read);

/**
 * scounter_word64_read - the value of a word of eight bytes
 * @counter: the word
 * @class: its kind, accuracy and policy
 *
 * Context: Any context, NMI included.
 * Return: the number of events, for approximate kinds an unbiased estimate.
 */
u64 scounter_word64_read(const struct scounter_word64 *counter,
			 const struct scounter_class *class)
{
	const struct scounter_kind_ops *ops = word_ops_of(class, __SCOUNTER_WORD64);
	struct scounter_ref ref = word_ref64(counter, class);

	return ops ? ops->read(&ref) : 0;
}
EXPORT_SYMBOL_GPL(scounter_word64_read);

/**
 * scounter_word32_read_est - the value of a word of four bytes, and its error
 * @counter: the word
 * @class: its kind, accuracy and policy
 * @estimate: value, bounds, relative error and state
 *
 * The error is the least of two bounds: the variance of a value n that is
 * changed with probability 2^-k is at most n (2^k - 1); and that of the kind in
 * the limit of large n (Documentation/accuracy.rst).
 *
 * Context: Any context, NMI included.
 */
void scounter_word32_read_est(const struct scounter_word32 *counter,
			      const struct scounter_class *class,
			      struct scounter_estimate *estimate)
{
	const struct scounter_kind_ops *ops = word_ops_of(class, __SCOUNTER_WORD32);
	struct scounter_ref ref = word_ref32(counter, class);

	*estimate = (struct scounter_estimate) {};
	if (ops)
		ops->read_est(&ref, estimate);
}
EXPORT_SYMBOL_GPL(scounter_word32_read_est);

/**
 * scounter_word64_read_est - the value of a word of eight bytes, and its error
 * @counter: the word
 * @class: its kind, accuracy and policy
 * @estimate: value, bounds, relative error and state
 *
 * As scounter_word32_read_est(); for exact kinds the error is 0.
 *
 * Context: Any context, NMI included.
 */
void scounter_word64_read_est(const struct scounter_word64 *counter,
			      const struct scounter_class *class,
			      struct scounter_estimate *estimate)
{
	const struct scounter_kind_ops *ops = word_ops_of(class, __SCOUNTER_WORD64);
	struct scounter_ref ref = word_ref64(counter, class);

	*estimate = (struct scounter_estimate) {};
	if (ops)
		ops->read_est(&ref, estimate);
}
EXPORT_SYMBOL_GPL(scounter_word64_read_est);

/**
 * scounter_word32_reached - has a word of four bytes counted so many events?
 * @counter: the word
 * @class: its kind, accuracy and policy
 * @limit: how many
 *
 * As scounter_reached().  A word of a class with SCOUNTER_CLASS_WRAP may have begun again
 * at 0 and cannot say so: it never has "certainly not" reached a limit.
 *
 * Context: Any context, NMI included.
 * Return: SCOUNTER_NO, SCOUNTER_YES or SCOUNTER_CANNOT_SAY.
 */
enum scounter_answer scounter_word32_reached(const struct scounter_word32 *counter,
					     const struct scounter_class *class, u64 limit)
{
	const struct scounter_kind_ops *ops = word_ops_of(class, __SCOUNTER_WORD32);
	struct scounter_ref ref = word_ref32(counter, class);

	return ops ? scounter_ref_reached(ops, &ref, 0, limit) : SCOUNTER_CANNOT_SAY;
}
EXPORT_SYMBOL_GPL(scounter_word32_reached);

/**
 * scounter_word32_fetch_reset - read a word of four bytes and set it to zero
 * @counter: the word
 * @class: its kind, accuracy and policy
 *
 * An increment that won at 2^-k before the reset may land after it, as 2^k.  The
 * expected value holds; the error of the next read holds only with
 * SCOUNTER_CLASS_RESETS in the class, or if nobody counts meanwhile.  A counter with
 * a name says so by itself.
 * In scalable32 words that option costs the lower bound of every read, unless the class
 * has a granularity: after 200000 events lower is 0, and error_ppm 999998.
 *
 * Context: Any context, NMI included.
 * Return: the value that it had; what is counted at the same time is in this
 * value or stays in the counter.
 */
u64 scounter_word32_fetch_reset(struct scounter_word32 *counter,
				const struct scounter_class *class)
{
	const struct scounter_kind_ops *ops = word_ops_of(class, __SCOUNTER_WORD32);
	struct scounter_ref ref = word_ref32(counter, class);

	return ops ? ops->fetch_reset(&ref) : 0;
}
EXPORT_SYMBOL_GPL(scounter_word32_fetch_reset);

/**
 * scounter_word64_reached - has a word of eight bytes counted so many events?
 * @counter: the word
 * @class: its kind, accuracy and policy
 * @limit: how many
 *
 * As scounter_reached().  A word of a class with SCOUNTER_CLASS_WRAP may have begun again
 * at 0 and cannot say so: it never has "certainly not" reached a limit.
 *
 * Context: Any context, NMI included.
 * Return: SCOUNTER_NO, SCOUNTER_YES or SCOUNTER_CANNOT_SAY.
 */
enum scounter_answer scounter_word64_reached(const struct scounter_word64 *counter,
					     const struct scounter_class *class, u64 limit)
{
	const struct scounter_kind_ops *ops = word_ops_of(class, __SCOUNTER_WORD64);
	struct scounter_ref ref = word_ref64(counter, class);

	return ops ? scounter_ref_reached(ops, &ref, 0, limit) : SCOUNTER_CANNOT_SAY;
}
EXPORT_SYMBOL_GPL(scounter_word64_reached);

/**
 * scounter_word64_fetch_reset - read a word of eight bytes and set it to zero
 * @counter: the word
 * @class: its kind, accuracy and policy
 *
 * A word of SCOUNTER_MULTILINE_ADAPT keeps its stripes while it is counted in.
 *
 * An increment that won at 2^-k before the reset may land after it, as 2^k.  The
 * expected value holds; the error of the next read holds only with
 * SCOUNTER_CLASS_RESETS in the class, or if nobody counts meanwhile.  A counter with
 * a name says so by itself.
 * In morris and scalable words that option costs the lower bound of every read, unless
 * the class has a granularity: after 200000 events lower is 0, and error_ppm 999998.
 *
 * Context: Any context, NMI included.
 * Return: the value that it had; what is counted at the same time is in this
 * value or stays in the counter.
 */
u64 scounter_word64_fetch_reset(struct scounter_word64 *counter,
				const struct scounter_class *class)
{
	const struct scounter_kind_ops *ops = word_ops_of(class, __SCOUNTER_WORD64);
	struct scounter_ref ref = word_ref64(counter, class);

	return ops ? ops->fetch_reset(&ref) : 0;
}
EXPORT_SYMBOL_GPL(scounter_word64_fetch_reset);

/**
 * scounter_word64_destroy - give back what a word has taken
 * @counter: the word
 * @class: its kind, accuracy and policy
 *
 * Call it before the memory of a word of SCOUNTER_MULTILINE_ADAPT is freed.  Words of
 * other kinds need no such call.  Nobody may use the word any more.  It keeps its
 * value.
 *
 * Context: Any context but NMI.
 */
void scounter_word64_destroy(struct scounter_word64 *counter,
			     const struct scounter_class *class)
{
	const struct scounter_kind_ops *ops = word_ops_of(class, __SCOUNTER_WORD64);
	struct scounter_ref ref = word_ref64(counter, class);

	if (ops && ops->collapse)
		ops->collapse(&ref);
}
EXPORT_SYMBOL_GPL(scounter_word64_destroy);

// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of any kind: the public calls, which go through the functions of the
 * counter's kind.
 */
#include <linux/export.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "compat.h"
#include "base/refuse.h"
#include "counter/counter.h"
#include "kinds/history.h"
#include "kinds/kind.h"
#include "kinds/marks.h"

static __always_inline const struct scounter_kind_ops *counter_ops_of(const struct scounter *counter)
{
	return scounter_kinds[counter->class.kind - 1].ops;
}

/* A counter as the functions of its kind take it. */
static __always_inline struct scounter_ref
counter_ref_of(struct scounter *counter, const struct scounter_kind_ops *ops)
{
	return (struct scounter_ref) {
		.word64 = (void *)counter + ops->word_offset,
		.class = &counter->class,
		.counter = counter,
	};
}

/* Sets a counter to zero, without a spread part.  Needs no undoing. */
int scounter_init_named(struct scounter *counter, const struct scounter_params *params,
			const char *name)
{
	memset(counter, 0, sizeof(*counter));
	counter->is_bfp = __SCOUNTER_IS_BFP(__SCOUNTER_KIND(params->kind));
	counter->is_other = __SCOUNTER_IS_OTHER(__SCOUNTER_KIND(params->kind));
	return scounter_class_make(&counter->class, params, name,
				   (unsigned long)__builtin_return_address(0));
}

int scounter_init(struct scounter *counter, const struct scounter_params *params)
{
	return scounter_init_named(counter, params, NULL);
}

int scounter_spread(struct scounter *counter, gfp_t gfp)
{
	const struct scounter_kind_ops *ops = counter_ops_of(counter);

	return ops->spread ? ops->spread(counter, gfp) : 0;
}

void scounter_collapse(struct scounter *counter)
{
	const struct scounter_kind_ops *ops = counter_ops_of(counter);
	struct scounter_ref ref = counter_ref_of(counter, ops);

	if (ops->collapse)
		ops->collapse(&ref);
}

size_t scounter_bytes(const struct scounter *counter)
{
	const struct scounter_kind_ops *ops = counter_ops_of(counter);

	return sizeof(*counter) + (ops->spread_bytes ? ops->spread_bytes(counter) : 0);
}

size_t scounter_word_spread_bytes(const struct scounter_ref *ref)
{
	struct scounter counter = { .class = *ref->class };

	if (ref->class->kind != SCOUNTER_MULTILINE_ADAPT)
		return 0;
	counter.spread = *ref->word64;
	return scounter_bytes(&counter) - sizeof(counter);
}

/* The rest of an increment, for kinds that have a word. */
noinline notrace void __scounter_finish(struct scounter *counter, u32 outcome)
{
	const struct scounter_kind_ops *ops = counter_ops_of(counter);
	struct scounter_ref ref = counter_ref_of(counter, ops);

	ops->finish(&ref, outcome);
}
EXPORT_SYMBOL_GPL(__scounter_finish);

/* An increment of the kinds that scounter_inc() does not inline. */
notrace void __scounter_inc_other(struct scounter *counter)
{
	const u32 kind = counter->class.kind;
	u32 outcome;

	if (kind == SCOUNTER_MULTILINE_ADAPT)
		outcome = __scounter_adapt_try_inc(&counter->spread);
	else if (kind == SCOUNTER_SCALABLE32)
		outcome = __scounter_word32_try_inc(&counter->word32, &counter->class,
						    SCOUNTER_SCALABLE32);
	else
		outcome = __scounter_word64_try_inc(&counter->word64, &counter->class,
						    kind);
	if (unlikely(outcome))
		__scounter_finish(counter, outcome);
}
EXPORT_SYMBOL_GPL(__scounter_inc_other);

static noinline notrace void counter_refuse(struct scounter *counter, u64 n, unsigned long caller)
{
	struct scounter_history *history;

	rcu_read_lock();
	/* Pairs with the release in registry.c: lookup-destroy.litmus. */
	history = READ_ONCE(counter->history);
	scounter_refuse(n, caller, history ? history->name : NULL);
	rcu_read_unlock();
}

/* See scounter_add(). */
notrace void __scounter_add(struct scounter *counter, u64 n)
{
	const struct scounter_kind_ops *ops = counter_ops_of(counter);
	struct scounter_ref ref = counter_ref_of(counter, ops);

	if (likely((s64)n > 0))
		ops->add(&ref, n);
	else if (n)
		counter_refuse(counter, n, (unsigned long)__builtin_return_address(0));
}
EXPORT_SYMBOL_GPL(__scounter_add);

/**
 * scounter_read_est - the value of a counter, and how far it can be trusted
 * @counter: the counter
 * @estimate: value, bounds, relative error and state
 *
 * Context: Any context, NMI included; of multiline_adapt where RCU is watching.
 */
void scounter_read_est(struct scounter *counter,
		       struct scounter_estimate *estimate)
{
	const struct scounter_kind_ops *ops = counter_ops_of(counter);
	struct scounter_ref ref = counter_ref_of(counter, ops);
	unsigned long marks;

	if (unlikely(scounter_is_dummy(counter))) {
		*estimate = (struct scounter_estimate) { .flags = SCOUNTER_F_LOSSY };
		return;
	}
	do {
		marks = scounter_marks_read(counter);
		ref.late = scounter_marks_late(marks);
		ops->read_est(&ref, estimate);
	} while (scounter_marks_changed(counter, marks));
	scounter_marks_say(marks, estimate);
}
EXPORT_SYMBOL_GPL(scounter_read_est);

/**
 * scounter_read - the value of a counter
 * @counter: the counter
 *
 * Context: Any context, NMI included; of multiline_adapt where RCU is watching.
 * Return: the number of events since the beginning or the last reset; for
 * approximate kinds an unbiased estimate of it.
 */
u64 scounter_read(struct scounter *counter)
{
	const struct scounter_kind_ops *ops = counter_ops_of(counter);
	struct scounter_ref ref = counter_ref_of(counter, ops);

	return likely(!scounter_is_dummy(counter)) ? ops->read(&ref) : 0;
}
EXPORT_SYMBOL_GPL(scounter_read);

/**
 * scounter_reached - has a counter counted so many events?
 * @counter: the counter
 * @limit: how many
 *
 * By the bounds of scounter_read_est(), at most one of which is computed, and that only
 * where the value is within a factor of two of @limit.  A counter that is saturated, has
 * overflown or has begun again at 0 has certainly counted what its lower bound says, and
 * never "certainly not" what is above it.  Of one that loses counts nothing is certain.
 * 0 events are always reached.
 *
 * Compare the answer with what it is to be: SCOUNTER_CANNOT_SAY is not 0 either.
 *
 * Context: Any context, NMI included; of multiline_adapt where RCU is watching.
 * Return: SCOUNTER_NO, SCOUNTER_YES or SCOUNTER_CANNOT_SAY.
 */
enum scounter_answer scounter_reached(struct scounter *counter, u64 limit)
{
	const struct scounter_kind_ops *ops = counter_ops_of(counter);
	struct scounter_ref ref = counter_ref_of(counter, ops);
	enum scounter_answer answer;
	unsigned long marks;

	if (unlikely(scounter_is_dummy(counter)))
		return scounter_bounds_reached(0, 0, SCOUNTER_F_LOSSY, limit);
	do {
		marks = scounter_marks_read(counter);
		ref.late = scounter_marks_late(marks);
		answer = scounter_ref_reached(ops, &ref, scounter_marks_flags(marks), limit);
	} while (scounter_marks_changed(counter, marks));
	return answer;
}
EXPORT_SYMBOL_GPL(scounter_reached);

/**
 * scounter_fetch_reset - read a counter and start again from zero
 * @counter: the counter
 *
 * Nothing is lost or returned twice: an event that is counted meanwhile is in
 * this value or in what is read later.  The stripes of a multiline_adapt counter
 * stay, while a rbo_numa_adapt one forgets its node.
 *
 * Context: Any context where RCU is watching, NMI included.
 * Return: the value that was reset.
 */
u64 scounter_fetch_reset(struct scounter *counter)
{
	const struct scounter_kind_ops *ops = counter_ops_of(counter);
	struct scounter_ref ref = counter_ref_of(counter, ops);
	struct scounter_history *history;
	bool begun;
	u64 value;

	if (unlikely(scounter_is_dummy(counter)))
		return 0;
	rcu_read_lock();
	/* Pairs with the release in registry.c: lookup-destroy.litmus. */
	history = READ_ONCE(counter->history);
	if (history)
		scounter_reset_begin(history);
	begun = scounter_marks_reset_begin(counter);
	value = ops->fetch_reset(&ref);
	scounter_marks_reset_end(counter, begun);
	if (history)
		scounter_reset_done(history);
	rcu_read_unlock();
	return value;
}
EXPORT_SYMBOL_GPL(scounter_fetch_reset);

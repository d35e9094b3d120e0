// SPDX-License-Identifier: GPL-2.0
/*
 * Resets and wraps of a counter with a name: how many, and when.
 *
 * A CPU that sets a counter to 0 says so before the word changes and after.  A reader
 * that finds one of these between its two looks reads again:
 *
 *	CPU 0: begins, the word becomes 0	CPU 1: reads the word, 0
 *						reads how many wraps: none
 *	CPU 0: counts the wrap			a value that fell, and no wrap
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/processor.h>

#include "compat.h"
#include "kinds/history.h"
#include "kinds/kind.h"
#include "kinds/marks.h"

/*
 * A reader gives up after LOOKS, if the counter is reset all the time, and after PAUSES,
 * if a CPU stalls in the middle of a reset.
 */
#define LOOKS	4
#define PAUSES	1000

void scounter_history_create(struct scounter_history *history, const char *name)
{
	history->name = name;
	history->created_ns = ktime_get_ns();
	history->created_real_ns = ktime_get_real_ns();
}

/* Any context, NMI included.  Only scounter_history_show() is for task context. */
static notrace void history_begin(struct scounter_history *history)
{
	atomic_inc(&history->begun);
	/*
	 * `begun` before the time and the value of 0.  Pairs with the second fence in
	 * scounter_history_show(): reset-snapshot.litmus.
	 */
	smp_mb__after_atomic();
}

static notrace void history_done(struct scounter_history *history)
{
	/*
	 * The time and the value of 0 before `done`.  Pairs with the first fence in
	 * scounter_history_show(): reset-snapshot.litmus.
	 */
	smp_mb__before_atomic();
	atomic_inc(&history->done);
}

notrace void scounter_reset_begin(struct scounter_history *history)
{
	history_begin(history);
	WRITE_ONCE(history->reset_ns, ktime_get_mono_fast_ns());
	WRITE_ONCE(history->reset_real_ns, ktime_get_real_fast_ns());
	atomic_long_inc(&history->resets);
}

notrace void scounter_reset_done(struct scounter_history *history)
{
	history_done(history);
}

/*
 * Preemption stays off until history_wrap_done(), which keeps the history allocated as
 * rcu_read_lock() would.  An increment may run where RCU is not watching.
 */
static notrace struct scounter_history *history_wrap_begin(const struct scounter_ref *ref)
{
	struct scounter_history *history;

	preempt_disable_notrace();
	history = ref->counter ? READ_ONCE(ref->counter->history) : NULL;
	if (history)
		history_begin(history);
	scounter_marks_enter(ref, 0, SCOUNTER_F_WRAPPED);
	return history;
}

static notrace bool history_wrap_done(const struct scounter_ref *ref,
				      struct scounter_history *history, bool wrapped)
{
	scounter_marks_leave(ref, wrapped);
	if (history) {
		if (wrapped) {
			WRITE_ONCE(history->wrapped_ns, ktime_get_mono_fast_ns());
			WRITE_ONCE(history->wrapped_real_ns, ktime_get_real_fast_ns());
			atomic_long_inc(&history->wraps);
		}
		history_done(history);
	}
	preempt_enable_notrace();
	return wrapped;
}

notrace noinline bool scounter_wrap32(const struct scounter_ref *ref, int *full, u32 next)
{
	struct scounter_history *history = history_wrap_begin(ref);

	return history_wrap_done(ref, history, atomic_try_cmpxchg(&ref->word32->word, full, next));
}

notrace noinline bool scounter_wrap64(const struct scounter_ref *ref, s64 *full, u64 next)
{
	struct scounter_history *history = history_wrap_begin(ref);

	return history_wrap_done(ref, history, atomic64_try_cmpxchg(&ref->word64->word, full, next));
}

/*
 * The estimate is made from a copy of the word, so that the record's word and value agree.
 * The word of multiline_adapt may be an address: show 0.
 */
static void history_read_words(struct scounter_ref ref, struct scounter_estimate *estimate,
			       u64 words[2])
{
	const struct scounter_kind_row *row = scounter_kind_row(ref.class->kind);
	struct scounter_word64 word64 = SCOUNTER_WORD_INIT;
	struct scounter_word32 word32 = SCOUNTER_WORD_INIT;

	words[0] = 0;
	words[1] = 0;
	if (row->kind == SCOUNTER_MULTILINE_ADAPT) {
		row->ops->read_est(&ref, estimate);
	} else if (row->word == __SCOUNTER_WORD32) {
		atomic_set(&word32.word, atomic_read(&ref.word32->word));
		words[0] = (u32)atomic_read(&word32.word);
		ref.word32 = &word32;
		row->ops->read_est(&ref, estimate);
	} else if (row->word == __SCOUNTER_WORD64) {
		atomic64_set(&word64.word, atomic64_read(&ref.word64->word));
		words[0] = atomic64_read(&word64.word);
		ref.word64 = &word64;
		row->ops->read_est(&ref, estimate);
	} else {
		scounter_exact_estimate(ref.counter, words, estimate);
	}
}

static void history_fill(struct scounter_snapshot_record *record,
			 const struct scounter_estimate *estimate, const u64 words[2])
{
	record->raw[0] = words[0];
	record->raw[1] = words[1];
	record->value = estimate->value;
	record->lower = estimate->lower;
	record->upper = estimate->upper;
	record->error_ppm = estimate->error_ppm;
	record->flags = estimate->flags;
}

void scounter_word_show(const struct scounter_ref *ref, struct scounter_snapshot_record *record)
{
	struct scounter_estimate estimate;
	u64 words[2];

	history_read_words(*ref, &estimate, words);
	history_fill(record, &estimate, words);
}

void scounter_class_show(const struct scounter_class *class,
			 struct scounter_snapshot_record *record)
{
	record->parameters[0] = class->limit;
	/* Unions: whichever member the kind means. */
	record->parameters[1] = class->theta;
	record->parameters[2] = class->threshold_log2;
	record->parameters[3] = class->flags;
}

/* Wait until all that has begun is done.  Returns how many have begun. */
static int history_wait_for_all(const struct scounter_history *history)
{
	int begun = atomic_read(&history->begun);
	int i;

	for (i = 0; i < PAUSES && atomic_read(&history->done) - begun < 0; i++)
		cpu_relax();
	return begun;
}

void scounter_history_show(struct scounter *counter, struct scounter_history *history,
			   struct scounter_snapshot_record *record)
{
	const u32 kind = counter->class.kind;
	struct scounter_ref ref = {
		.word64 = (void *)counter + scounter_kinds[kind - 1].ops->word_offset,
		.class = &counter->class,
		.counter = counter,
	};
	struct scounter_estimate estimate;
	unsigned long marks;
	u64 words[2];
	int i, begun;

	for (i = 1; ; i++) {
		begun = history_wait_for_all(history);
		/*
		 * `done` before the value and the times, and these before `begun`.
		 * Pairs with history_begin() and history_done():
		 * reset-snapshot.litmus.
		 */
		smp_rmb();
		marks = scounter_marks_read(counter);
		ref.late = scounter_marks_late(marks);
		history_read_words(ref, &estimate, words);
		record->resets = (unsigned long)atomic_long_read(&history->resets);
		record->reset_ns = READ_ONCE(history->reset_ns);
		record->reset_real_ns = READ_ONCE(history->reset_real_ns);
		record->wraps = (unsigned long)atomic_long_read(&history->wraps);
		record->wrapped_ns = READ_ONCE(history->wrapped_ns);
		record->wrapped_real_ns = READ_ONCE(history->wrapped_real_ns);
		smp_rmb(); /* as said above */
		if (!scounter_marks_changed(counter, marks) &&
		    (begun == atomic_read(&history->begun) || i >= LOOKS))
			break;
	}
	if (marks)
		scounter_marks_say(marks, &estimate);
	history_fill(record, &estimate, words);
}

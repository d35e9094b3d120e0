// SPDX-License-Identifier: GPL-2.0
/*
 * Marks of a counter, while other CPUs change, read and reset its words.
 *
 * A CPU marks the counter before it changes the word, so a reader that sees the changed
 * word finds the mark.  The mark must go when a reset has taken that value, and not when
 * one has taken the value before it:
 *
 *	CPU 0: reset, the word is 0
 *						CPU 1: marks, changes the word
 *	CPU 0: clears the marks			CPU 1's is lost
 *
 * It may not go either while its CPU is about to change the word, as a compare-and-swap
 * does not always notice a reset:
 *
 *	CPU 0: reads 0, marks
 *						CPU 1: reset of 0, clears the marks
 *	CPU 0: the word is still 0: swaps it	without its mark
 *
 * So a reset clears the marks only if no CPU was about to change the word when it began,
 * and none has marked since.  Otherwise all marks stay until the next reset: too many
 * marks are safe.  Of resets that meet, the first clears the marks.
 *
 * A reset may come between, so that a CPU marks and its word does not change.  Such a mark
 * means nothing.  It is cleared when no CPU is about to change the word and all marks that
 * there are mean nothing.
 *
 * A reader looks at the marks before the word and after it.  If neither the marks nor the
 * number of times that they were cleared has changed, none was cleared in between, and
 * all that the word needs were there before the word was read.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/cpumask.h>
#include <linux/preempt.h>

#include "compat.h"
#include "kinds/marks.h"

/* The bits of struct scounter's `marks`, in their order. */
#define LATE		0x3fUL		/* the greatest k of a late success */
#define OVERFLOW	BIT(6)
#define WRAPPED		BIT(7)
#define RESETTING	BIT(8)		/* a reset is going to clear the marks */
#define MARKED		BIT(9)		/* since that reset began */
#define NEEDED		BIT(10)		/* a word was changed with one of the marks */
#define CHANGING	BIT(11)		/* a number: CPUs about to change the word */
#define CHANGING_BITS	(BITS_PER_LONG == 64 ? 22 : 10)
#define CLEARED		(CHANGING << CHANGING_BITS)	/* how often, modulo what fits */

#define MARKS		(LATE | OVERFLOW | WRAPPED)
#define ANY_CHANGING	(CLEARED - CHANGING)

static notrace unsigned long marks_with(unsigned long marks, u32 late, u32 flags)
{
	if ((marks & LATE) < late)
		marks = (marks & ~LATE) | late;
	if (flags & SCOUNTER_F_OVERFLOW)
		marks |= OVERFLOW;
	if (flags & SCOUNTER_F_WRAPPED)
		marks |= WRAPPED;
	if (marks & RESETTING)
		marks |= MARKED;
	return marks + CHANGING;
}

/* Preemption stays off until scounter_marks_leave(): that bounds the number in CHANGING. */
notrace void scounter_marks_enter(const struct scounter_ref *ref, u32 late, u32 flags)
{
	struct scounter *counter = ref->counter;
	long old;

	/* Task, softirq, hardirq and NMI context of each CPU. */
	BUILD_BUG_ON(NR_CPUS > (1 << CHANGING_BITS) / 4 - 1);
	if (!counter)
		return;
	preempt_disable_notrace();
	old = atomic_long_read(&counter->marks);
	/* Fully ordered: the mark before the word, for readers; marks.litmus. */
	while (!atomic_long_try_cmpxchg(&counter->marks, &old, marks_with(old, late, flags)))
		;
}

static notrace unsigned long marks_without(unsigned long marks)
{
	return (marks & ~(MARKS | NEEDED)) + CLEARED;
}

notrace void scounter_marks_leave(const struct scounter_ref *ref, bool needed)
{
	struct scounter *counter = ref->counter;
	long old, new;

	if (!counter)
		return;
	old = atomic_long_read(&counter->marks);
	do {
		new = (old | (needed ? NEEDED : 0)) - CHANGING;
		if (!(new & (NEEDED | ANY_CHANGING)))
			new = marks_without(new);
		/* The word before this, for resets: marks.litmus. */
	} while (!atomic_long_try_cmpxchg_release(&counter->marks, &old, new));
	preempt_enable_notrace();
}

notrace bool scounter_marks_reset_begin(struct scounter *counter)
{
	long old = atomic_long_read(&counter->marks);

	if (!(old & MARKS) || old & (RESETTING | ANY_CHANGING))
		return false;
	/* Fully ordered, as in scounter_marks_reset_end(): the value is taken in between. */
	return atomic_long_try_cmpxchg(&counter->marks, &old, old | RESETTING);
}

notrace void scounter_marks_reset_end(struct scounter *counter, bool begun)
{
	long old, new;

	if (!begun)
		return;
	old = atomic_long_read(&counter->marks);
	do {
		new = old & ~(RESETTING | MARKED);
		if (!(old & MARKED))
			new = marks_without(new);
	} while (!atomic_long_try_cmpxchg(&counter->marks, &old, new));
}

unsigned long scounter_marks_read(const struct scounter *counter)
{
	return atomic_long_read_acquire(&counter->marks);
}

bool scounter_marks_changed(const struct scounter *counter, unsigned long marks)
{
	/* The words before this; pairs with scounter_marks_enter(): marks.litmus. */
	smp_rmb();
	marks ^= atomic_long_read(&counter->marks);
	return marks & ~(RESETTING | MARKED | NEEDED | ANY_CHANGING);
}

u32 scounter_marks_late(unsigned long marks)
{
	return marks & LATE;
}

u32 scounter_marks_flags(unsigned long marks)
{
	return (marks & OVERFLOW ? SCOUNTER_F_OVERFLOW : 0) |
	       (marks & WRAPPED ? SCOUNTER_F_WRAPPED : 0);
}

/* Add the flags that the words do not show: the value is the rest of a larger one. */
void scounter_marks_say(unsigned long marks, struct scounter_estimate *estimate)
{
	u32 flags = scounter_marks_flags(marks);

	estimate->flags |= flags;
	if (flags)
		estimate->upper = U64_MAX;
}

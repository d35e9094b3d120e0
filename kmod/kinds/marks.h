/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is true of a counter's value and not to be seen in its word: that it began
 * again at 0, that it overflowed, and that an increment landed after a reset with the
 * weight that it had won before.  A reset takes them away together with the value.
 */
#ifndef _SCOUNTER_MARKS_H
#define _SCOUNTER_MARKS_H

#include "kinds/kind.h"

/*
 * Around the change of a word: SCOUNTER_F_OVERFLOW or SCOUNTER_F_WRAPPED in @flags;
 * @late is the k of a success at 2^-k, or 0.  Nothing happens to a word that has no
 * counter around it.
 */
void scounter_marks_enter(const struct scounter_ref *ref, u32 late, u32 flags);
void scounter_marks_leave(const struct scounter_ref *ref);
/* After it. */
void scounter_marks_note(const struct scounter_ref *ref, u32 flags);

/* Around the exchange of the value for 0. */
bool scounter_marks_reset_begin(struct scounter *counter);
void scounter_marks_reset_end(struct scounter *counter, bool begun);

/*
 * The marks of a counter, and, after its words have been read, whether they still
 * are the same: then they are all that these values need.
 */
unsigned long scounter_marks_read(const struct scounter *counter);
bool scounter_marks_changed(const struct scounter *counter, unsigned long marks);
u32 scounter_marks_late(unsigned long marks);
void scounter_marks_say(unsigned long marks, struct scounter_estimate *estimate);

#endif /* _SCOUNTER_MARKS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks: what is true of a counter's value and does not show in its word.  The word began
 * again at 0.  The value overflowed.  An increment landed after a reset with the weight
 * that it had won before: 2^10, say, in a word that reads 1024 and seems exact.  A reset
 * takes the marks away together with the value.
 */
#ifndef _SCOUNTER_MARKS_H
#define _SCOUNTER_MARKS_H

#include "kinds/kind.h"

/*
 * Call these around the change of a word.  @flags is SCOUNTER_F_OVERFLOW or
 * SCOUNTER_F_WRAPPED or 0, and @late the k of a success at 2^-k or 0.  If the mark turns
 * out not to be @needed, as the word was not changed, it goes again.  They do nothing for a
 * bare word.
 */
void scounter_marks_enter(const struct scounter_ref *ref, u32 late, u32 flags);
void scounter_marks_leave(const struct scounter_ref *ref, bool needed);

/* Call these around the reset of a value. */
bool scounter_marks_reset_begin(struct scounter *counter);
void scounter_marks_reset_end(struct scounter *counter, bool begun);

/*
 * Read the marks before the words of a counter, and read again if they have changed
 * afterwards.  If they have not, they are all that belong to these words.
 */
unsigned long scounter_marks_read(const struct scounter *counter);
bool scounter_marks_changed(const struct scounter *counter, unsigned long marks);
u32 scounter_marks_late(unsigned long marks);
u32 scounter_marks_flags(unsigned long marks);
void scounter_marks_say(unsigned long marks, struct scounter_estimate *estimate);

#endif /* _SCOUNTER_MARKS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* Who looks on is told of a word.  Where nobody does, that is a jump that is not taken. */
#ifndef _SCOUNTER_KINDS_TRACE_H
#define _SCOUNTER_KINDS_TRACE_H

#include "base/trace.h"
#include "kinds/kind.h"

enum scounter_event { SCOUNTER_INFLATE, SCOUNTER_DEFLATE, SCOUNTER_SATURATE };

/* @counter: that of the word, or NULL for a bare one. */
void scounter_trace_word(enum scounter_event event, const struct scounter *counter,
			 const void *word, u32 kind, u64 value);

/* A word went from the value @old to @new: is that the end of its range? */
static inline void scounter_trace_end_of_range(const struct scounter_ref *ref, u64 old, u64 new,
					       u64 max)
{
	if (trace_scounter_saturate_enabled() && new == max && old != max)
		scounter_trace_word(SCOUNTER_SATURATE, ref->counter, ref->word64,
				    ref->class->kind, max);
}

/* The same of an addition to an exact word. */
static inline void scounter_trace_exact(const struct scounter_ref *ref, u64 old, u64 n, u64 max)
{
	scounter_trace_end_of_range(ref, old, scounter_exact_sum(old, n, max), max);
}

#endif /* _SCOUNTER_KINDS_TRACE_H */

// SPDX-License-Identifier: GPL-2.0
/* Tracepoints of words, with the names of their counters. */
#include "kinds/history.h"
#include "kinds/trace.h"

notrace noinline void scounter_trace_word(enum scounter_event event,
					  const struct scounter *counter, const void *word,
					  u32 kind, u64 value)
{
	struct scounter_history *history;
	const char *name;

	if (!scounter_trace_begin())
		return;
	/* Preemption is off, which keeps the history allocated. */
	history = counter ? READ_ONCE(counter->history) : NULL;
	name = history ? history->name : "";
	if (event == SCOUNTER_INFLATE)
		trace_scounter_inflate(name, word, kind, value);
	else if (event == SCOUNTER_DEFLATE)
		trace_scounter_deflate(name, word, kind, value);
	else
		trace_scounter_saturate(name, word, kind, value);
	scounter_trace_end();
}

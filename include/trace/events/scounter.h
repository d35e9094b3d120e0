/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints tell of what is rare in the life of a counter.  trace-cmd, perf, BPF programs
 * and a client's own probe attach to them.  Example, of /sys/kernel/tracing/trace:
 *
 *	scounter_inflate: name=rx_packets word=000000004c61ee0e kind=multiline_adapt value=1840
 *
 * Increments reach these only out of line, in any context, NMI included.  The name of a
 * bare word is "".  A probe may count: events of scounter that its counting causes in the
 * same context are left out, so that none causes itself.  It must not destroy a counter.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM scounter

#if !defined(_TRACE_SCOUNTER_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_SCOUNTER_H

#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/types.h>
#include <uapi/linux/scounter.h>

#ifndef __SCOUNTER_KIND_SYMBOL
#define __SCOUNTER_KIND_SYMBOL(symbol, number, name, ...)	{ number, #name },
#endif

/* A field of fixed size: that of strings is declared differently from 6.10 on. */
DECLARE_EVENT_CLASS(scounter_word,

	TP_PROTO(const char *name, const void *word, u32 kind, u64 value),

	TP_ARGS(name, word, kind, value),

	TP_STRUCT__entry(
		__array(char, name, SCOUNTER_NAME_MAX + 1)
		__field(const void *, word)
		__field(u64, value)
		__field(u32, kind)
	),

	TP_fast_assign(
		strscpy(__entry->name, name, sizeof(__entry->name));
		__entry->word = word;
		__entry->value = value;
		__entry->kind = kind;
	),

	TP_printk("name=%s word=%p kind=%s value=%llu", __entry->name, __entry->word,
		  __print_symbolic(__entry->kind,
				   SCOUNTER_KIND_TABLE(__SCOUNTER_KIND_SYMBOL)
				   { 0, "none" }),
		  __entry->value)
);

/* A contended word of multiline_adapt became stripes; its value then. */
DEFINE_EVENT(scounter_word, scounter_inflate,
	TP_PROTO(const char *name, const void *word, u32 kind, u64 value),
	TP_ARGS(name, word, kind, value)
);

/* Idle stripes became one word again; its value then. */
DEFINE_EVENT(scounter_word, scounter_deflate,
	TP_PROTO(const char *name, const void *word, u32 kind, u64 value),
	TP_ARGS(name, word, kind, value)
);

/*
 * A word came to the end of its range, its value; from here on it is SCOUNTER_F_SATURATED.
 * Not where an inlined increment of an exact word adds the very last 1.
 */
DEFINE_EVENT(scounter_word, scounter_saturate,
	TP_PROTO(const char *name, const void *word, u32 kind, u64 value),
	TP_ARGS(name, word, kind, value)
);

/* An amount looked negative and was not added; a return address in the caller. */
TRACE_EVENT(scounter_refused,

	TP_PROTO(const char *name, s64 amount, unsigned long caller),

	TP_ARGS(name, amount, caller),

	TP_STRUCT__entry(
		__array(char, name, SCOUNTER_NAME_MAX + 1)
		__field(s64, amount)
		__field(unsigned long, caller)
	),

	TP_fast_assign(
		strscpy(__entry->name, name, sizeof(__entry->name));
		__entry->amount = amount;
		__entry->caller = caller;
	),

	TP_printk("name=%s amount=%lld caller=%pS", __entry->name, __entry->amount,
		  (void *)__entry->caller)
);

#endif /* _TRACE_SCOUNTER_H */

#include <trace/define_trace.h>

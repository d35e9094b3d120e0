/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM scounter_traced

#if !defined(_SCOUNTER_TRACED_H) || defined(TRACE_HEADER_MULTI_READ)
#define _SCOUNTER_TRACED_H

#include <linux/tracepoint.h>

TRACE_EVENT(scounter_traced_hit,
	TP_PROTO(unsigned long key, u32 bytes),
	TP_ARGS(key, bytes),
	TP_STRUCT__entry(
		__field(unsigned long,	key)
		__field(u32,		bytes)
	),
	TP_fast_assign(
		__entry->key	= key;
		__entry->bytes	= bytes;
	),
	TP_printk("key=%lu bytes=%u", __entry->key, __entry->bytes)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE scounter_traced
#include <trace/define_trace.h>

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-space stand-in for the kernel header of this name.  A test that sets the function
 * pointer shim_scounter_inflate, say, is the probe of trace_scounter_inflate().
 */
#ifndef _SHIM_LINUX_TRACEPOINT_H
#define _SHIM_LINUX_TRACEPOINT_H

#include <linux/compiler.h>
#include <linux/types.h>

#define TP_PROTO(...)	__VA_ARGS__
#define TP_ARGS(...)	__VA_ARGS__

#define SHIM_TRACE(event, proto, args)					\
	__weak void (*shim_##event)(proto);		\
	static inline bool trace_##event##_enabled(void)		\
	{								\
		return shim_##event;					\
	}								\
	static inline void trace_##event(proto)				\
	{								\
		if (shim_##event)					\
			shim_##event(args);				\
	}

#define DECLARE_EVENT_CLASS(class, proto, args, ...)
#define DEFINE_EVENT(class, event, proto, args)	\
	SHIM_TRACE(event, SHIM_LIST(proto), SHIM_LIST(args))
#define TRACE_EVENT(event, proto, args, ...)	\
	SHIM_TRACE(event, SHIM_LIST(proto), SHIM_LIST(args))
#define SHIM_LIST(...)	__VA_ARGS__

#define EXPORT_TRACEPOINT_SYMBOL_GPL(event)	extern int shim_exported_##event

#endif /* _SHIM_LINUX_TRACEPOINT_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints, whose probes may count.  Example: a probe of scounter_refused adds -1, which
 * is refused: without a guard that would call the probe again, and so on.
 */
#ifndef _SCOUNTER_TRACE_H
#define _SCOUNTER_TRACE_H

#include <linux/types.h>
#include <trace/events/scounter.h>

/* True if a tracepoint may be passed: then preemption is off until scounter_trace_end(). */
bool scounter_trace_begin(void);
void scounter_trace_end(void);

#endif /* _SCOUNTER_TRACE_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints, and the guard around them: on each CPU a bit for each context that is in
 * a probe.  A context finds the bits of those that it interrupts, and leaves them as they
 * were.
 */
#include <linux/bits.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "base/context.h"

#define CREATE_TRACE_POINTS
#include "base/trace.h"

EXPORT_TRACEPOINT_SYMBOL_GPL(scounter_inflate);
EXPORT_TRACEPOINT_SYMBOL_GPL(scounter_deflate);
EXPORT_TRACEPOINT_SYMBOL_GPL(scounter_saturate);
EXPORT_TRACEPOINT_SYMBOL_GPL(scounter_refused);

static DEFINE_PER_CPU(u32, scounter_tracing);

/* Where RCU is not watching, as deep in the idle loop, tracepoints must not be passed. */
notrace bool scounter_trace_begin(void)
{
	u32 tracing, bit;

	preempt_disable_notrace();
	tracing = raw_cpu_read(scounter_tracing);
	bit = BIT(scounter_context());
	if (rcu_is_watching() && !(tracing & bit)) {
		raw_cpu_write(scounter_tracing, tracing | bit);
		return true;
	}
	preempt_enable_notrace();
	return false;
}

notrace void scounter_trace_end(void)
{
	raw_cpu_write(scounter_tracing, raw_cpu_read(scounter_tracing) & ~BIT(scounter_context()));
	preempt_enable_notrace();
}

/* SPDX-License-Identifier: GPL-2.0 */
/* The kinds of context that interrupt each other on one CPU, each only those before it. */
#ifndef _SCOUNTER_CONTEXT_H
#define _SCOUNTER_CONTEXT_H

#include <linux/compiler.h>
#include <linux/preempt.h>
#include <linux/types.h>

#include "compat.h"

enum { CONTEXT_TASK, CONTEXT_SOFTIRQ, CONTEXT_HARDIRQ, CONTEXT_NMI, CONTEXTS };

/* That of the caller.  Preemption is off. */
static __always_inline u32 scounter_context(void)
{
	if (in_nmi())
		return CONTEXT_NMI;
	if (in_hardirq())
		return CONTEXT_HARDIRQ;
	return in_serving_softirq() ? CONTEXT_SOFTIRQ : CONTEXT_TASK;
}

#endif /* _SCOUNTER_CONTEXT_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The only place that knows kernel versions and optional features. */
#ifndef _SCOUNTER_COMPAT_H
#define _SCOUNTER_COMPAT_H

#include <linux/preempt.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 10, 0)
#error "scounter needs Linux 5.10 or newer"
#endif

/* 5.11 renamed in_irq(). */
#ifndef in_hardirq
#define in_hardirq()	in_irq()
#endif

#endif /* _SCOUNTER_COMPAT_H */

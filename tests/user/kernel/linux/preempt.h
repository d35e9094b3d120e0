/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_PREEMPT_H
#define _SHIM_LINUX_PREEMPT_H

#include <linux/irqflags.h>
#include "../shim.h"

#define preempt_disable_notrace()	shim_read_lock()
#define preempt_enable_notrace()	shim_read_unlock()
#define preempt_disable()		shim_read_lock()
#define preempt_enable()		shim_read_unlock()

#define in_nmi()		(shim_this.context == SHIM_NMI)
#define in_hardirq()		(shim_this.context == SHIM_HARDIRQ)
#define in_irq()		in_hardirq()
#define in_serving_softirq()	(shim_this.context == SHIM_SOFTIRQ)
#define in_task()		(shim_this.context == SHIM_TASK)

#endif /* _SHIM_LINUX_PREEMPT_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_IRQ_WORK_H
#define _SHIM_LINUX_IRQ_WORK_H

/* Runs at once, where it is queued. */
struct irq_work {
	void (*function)(struct irq_work *work);
};

#define DEFINE_IRQ_WORK(name, function_) \
	struct irq_work name = { .function = function_ }
#define irq_work_queue(work)	((work)->function(work))
#define irq_work_sync(work)	((void)(work))

#endif /* _SHIM_LINUX_IRQ_WORK_H */

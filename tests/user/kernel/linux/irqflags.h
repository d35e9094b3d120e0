/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_IRQFLAGS_H
#define _SHIM_LINUX_IRQFLAGS_H

#include "../shim.h"

#define local_irq_save(flags)		((flags) = 0)
#define local_irq_restore(flags)	((void)(flags))
#define irqs_disabled()		(shim_this.context >= SHIM_HARDIRQ)

#endif /* _SHIM_LINUX_IRQFLAGS_H */

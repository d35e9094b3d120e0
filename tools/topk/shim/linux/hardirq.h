/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _TOPK_SHIM_HARDIRQ_H
#define _TOPK_SHIM_HARDIRQ_H

#define in_nmi()	false

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_PROCESSOR_H
#define _SHIM_LINUX_PROCESSOR_H

#include "../shim.h"

#define cpu_relax()	shim_relax()

#endif /* _SHIM_LINUX_PROCESSOR_H */

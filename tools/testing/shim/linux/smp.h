/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_SMP_H
#define _SHIM_LINUX_SMP_H

#include <linux/cpumask.h>
#include <linux/topology.h>

#endif /* _SHIM_LINUX_SMP_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_CAPABILITY_H
#define _SHIM_LINUX_CAPABILITY_H

#include <stdbool.h>

#define CAP_SYS_RESOURCE	24

/* The program says. */
bool capable(int capability);

#endif /* _SHIM_LINUX_CAPABILITY_H */

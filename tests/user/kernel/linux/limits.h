/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_LIMITS_H
#define _SHIM_LINUX_LIMITS_H

#include <limits.h>
#include <stdint.h>

#ifdef SHIM_KMOD
#include "../shim.h"

/* What a size_t of the machine holds that is stood in for. */
#undef SIZE_MAX
#define SIZE_MAX	shim_size_max
#else
/* Who is no part of the module has this machine's: <limits.h> includes it. */
#include_next <linux/limits.h>
#endif

#endif /* _SHIM_LINUX_LIMITS_H */

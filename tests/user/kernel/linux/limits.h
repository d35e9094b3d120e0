/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_LIMITS_H
#define _SHIM_LINUX_LIMITS_H

#include <limits.h>
#include <stdint.h>

#include "../shim.h"

/* What a size_t of the machine holds that is stood in for. */
#undef SIZE_MAX
#define SIZE_MAX	shim_size_max

#endif /* _SHIM_LINUX_LIMITS_H */

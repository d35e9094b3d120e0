/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _TOPK_SHIM_LIMITS_H
#define _TOPK_SHIM_LIMITS_H

#include <linux/types.h>

#endif

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TOPK_SPEED_H
#define _TOPK_SPEED_H

#include <linux/types.h>

int speed(u32 length, u64 seed);

#endif /* _TOPK_SPEED_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TOPK_TUNING_H
#define _TOPK_TUNING_H

#include <linux/types.h>

/* Prints a table. */
int tuning(u64 seed);

#endif /* _TOPK_TUNING_H */

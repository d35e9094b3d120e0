/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TOPK_BENCH_TUNING_H
#define _TOPK_BENCH_TUNING_H

#include <linux/types.h>

/* Prints a table. */
int measure_tuning(u64 seed);

#endif /* _TOPK_BENCH_TUNING_H */

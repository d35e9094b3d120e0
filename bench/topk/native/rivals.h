/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TOPK_BENCH_RIVALS_H
#define _TOPK_BENCH_RIVALS_H

#include <linux/types.h>

int measure_rivals(u32 length, u64 seed);

#endif /* _TOPK_BENCH_RIVALS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The code whose basic blocks scounter_blocks counts. */
#ifndef _SCOUNTER_BLOCKS_H
#define _SCOUNTER_BLOCKS_H

#include <linux/compiler.h>
#include <linux/types.h>

u32 blocks_work(u32 seed, u32 rounds);

/* Called at the start of each basic block. */
void blocks_hit(void);

#endif /* _SCOUNTER_BLOCKS_H */

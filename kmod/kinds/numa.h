/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_NUMA_H
#define _SCOUNTER_NUMA_H

#include <linux/types.h>

struct scounter_word64;

/* After scounter_places_init(). */
void scounter_numa_init(void);
/* 1 + the node for which CPUs of others hold off from this word, and its like, or 0. */
u32 *scounter_numa_starving(const struct scounter_word64 *word);

#endif /* _SCOUNTER_NUMA_H */

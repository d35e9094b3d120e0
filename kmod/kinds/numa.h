/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_NUMA_H
#define _SCOUNTER_NUMA_H

#include <linux/types.h>

struct scounter_word64;

/* After scounter_places_init(). */
void scounter_numa_init(void);
/* The word's slot: 1 + a node that has waited for too long, or 0.  Words share slots. */
u32 *scounter_numa_starving(const struct scounter_word64 *word);

#endif /* _SCOUNTER_NUMA_H */

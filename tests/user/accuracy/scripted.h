/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's functions with random numbers that the caller chooses: what
 * they make of each can be seen exactly.
 */
#ifndef _ACCURACY_SCRIPTED_H
#define _ACCURACY_SCRIPTED_H

#include <linux/types.h>

struct scounter_bfp_policy;

/*
 * The 32-bit numbers that are drawn next, in this order; the last one is drawn
 * again and again.
 */
void script(const u32 *words, u32 count);

/* How many were drawn since. */
u32 script_drawn(void);

u64 scripted_exponential(void);
u32 scripted_gap(u32 k);
u64 scripted_thin(u64 n, u32 word);
u32 scripted_sum(u32 word, u64 n, const struct scounter_bfp_policy *policy);

#endif /* _ACCURACY_SCRIPTED_H */

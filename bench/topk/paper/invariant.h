/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What Das et al. 2009 claim of the Concurrent Stream Summary: Principle 4.2 and Invariants
 * 4.1, 4.5, 4.6 and 4.7 to 4.11.  Nothing here is an access that a model sees.
 */
#ifndef _PAPER_INVARIANT_H
#define _PAPER_INVARIANT_H

#include "summary.h"

/* When no thread counts, after so many hits: NULL, or what is wrong. */
const char *invariant_at_rest(const struct summary *summary, u64 hits);

/*
 * For small summaries, of which one after the other is watched: between any two accesses,
 * the last of which @thread made.  NULL, or what is wrong.
 */
#define WATCH_BUCKETS	64

void invariant_begin(const struct summary *summary);
const char *invariant_watch(const struct summary *summary, int thread);

#endif /* _PAPER_INVARIANT_H */

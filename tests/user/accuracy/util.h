/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ACCURACY_UTIL_H
#define _ACCURACY_UTIL_H

#include <linux/types.h>
#include <stddef.h>

/* Zeroed memory, or the end of the program. */
void *allocate(size_t count, size_t size);

/* The next number of the stream that a seed starts: SplitMix64. */
u64 next_seed(u64 *seed);

/* A seed for what is called `label`, number `which`, of the master seed. */
u64 derive_seed(u64 master, const char *label, u64 which);

/*
 * Say on standard error how far something is, when that has not been said for
 * some seconds.
 */
void progress(const char *what, u64 done, u64 all);

#endif /* _ACCURACY_UTIL_H */

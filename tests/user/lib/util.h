/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LIB_UTIL_H
#define _LIB_UTIL_H

#include <linux/types.h>
#include <stddef.h>

/* Zeroed memory, or the end of the program. */
void *allocate(size_t count, size_t size);

/*
 * The next number of the stream that a seed starts: SplitMix64 (Steele, Lea & Flood
 * 2014), the same as in kmod/base/random.c.
 */
static inline u64 next_seed(u64 *seed)
{
	u64 z = *seed += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* A seed for what is called `label`, number `which`, of the master seed. */
u64 derive_seed(u64 master, const char *label, u64 which);

/* The decimal number of an option, from least to most; or the end of the program. */
u64 number_option(const char *option, const char *text, u64 least, u64 most);

/*
 * Say on standard error how far something is, when that has not been said for
 * some seconds.
 */
void progress(const char *what, u64 done, u64 all);

#endif /* _LIB_UTIL_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* What is counted: streams of elements, made from a seed or read from a file. */
#ifndef _LIB_STREAMS_H
#define _LIB_STREAMS_H

#include <linux/types.h>

#include "topk/key.h"

enum shape { ZIPF, UNIFORM, SAME, DISTINCT, ROTATION, TOKENS };

/*
 * An element is a number below `alphabet`; the smaller, the more frequent in a
 * Zipf stream.  Each stream is for a thread of its own.
 */
struct streams {
	char name[32];
	u32 **element;
	u32 streams;
	u32 length;
	u32 alphabet;
};

struct streams *streams_make(enum shape shape, double alpha, u32 alphabet, u32 streams,
			     u32 length, u64 seed);
/* A line a word: its frequency.  The tokens, shuffled and dealt out. */
struct streams *streams_read(const char *path, u32 streams, u64 seed);
void streams_free(struct streams *streams);

u32 random_below(u64 *state, u32 n);
struct topk_secret random_secret(u64 *state);

/* Keys that say nothing of how frequent they are; and back. */
u64 key_of(u32 element);
u32 element_of(u64 key);

#endif /* _LIB_STREAMS_H */

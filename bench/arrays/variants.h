/* SPDX-License-Identifier: GPL-2.0 */
/* All ways to add two 8-bit cells of Steele & Tristan 2017, section 13. */
#ifndef _ARRAYS_BENCH_VARIANTS_H
#define _ARRAYS_BENCH_VARIANTS_H

#include <linux/types.h>

/* The columns of the paper's table 2, and Morris counters of other q after them. */
enum { PAPER_COLUMNS = 8, COLUMNS = 12 };

struct column {
	const char *name;	/* "csuros M=32" */
	const char *types;	/* of estimates and of random numbers */
	u32 q_ppm, m;
};

extern const struct column columns[COLUMNS];

/* S, K, V and G as the paper's figures 14 to 18 name their macros. */
struct variant {
	u32 column;
	const char *s, *k, *v, *g;
	u8 (*add)(u8 x, u8 y, u64 random);
	void (*loop)(u8 *dst, const u8 *src, u32 count);
};

extern const struct variant variants[];
extern const u32 variant_count;

/* The standard operators of the paper's table 3, on bytes. */
struct operator {
	const char *name;
	void (*loop)(u8 *dst, const u8 *src, u32 count);
	u32 paper;		/* milliseconds */
};

enum { OPERATORS = 10, SUM = 2 };

extern const struct operator operators[OPERATORS];

void variants_init(u64 seed);

/* The paper's table 2, in milliseconds; 0: it has no such entry, or it is not legible. */
u32 paper_time(const struct variant *variant);

#endif /* _ARRAYS_BENCH_VARIANTS_H */

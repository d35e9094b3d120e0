/* SPDX-License-Identifier: GPL-2.0 */
/* Programs so small that it is known what they can do: tests of explore.c itself. */
#ifndef _INTERLEAVE_TOYS_H
#define _INTERLEAVE_TOYS_H

#include <stdbool.h>
#include <stdint.h>

#include "explore.h"

struct toy {
	const char *name;
	int threads;
	void (*body)(int thread);
	/* What is in the words at the end, as one number; none above 63. */
	uint64_t (*outcome)(void);
	uint64_t outcomes;	/* those that can be, as bits */
	uint64_t orders;	/* of all accesses; 0: they are not counted */
	const char *fails;	/* how each exploration of it must fail, or NULL */
};

/* Ends with an entry that has no name. */
extern const struct toy toys[];
/* One of the small programs that there can be. */
const struct toy *toy_draw(uint32_t seed);

const struct explore_program *toy_program(const struct toy *toy);
/* Of all runs since toy_program(). */
uint64_t toy_outcomes(void);

#endif /* _INTERLEAVE_TOYS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that count in a pair, of which all amounts are 2^16.  A letter of the script is
 *
 *	p	count an event; P, in an interrupt handler
 *	b	count 2^21 at once, half a quarter of what the word has room for; B
 *	r	read both; R
 */
#ifndef _INTERLEAVE_PAIRS_H
#define _INTERLEAVE_PAIRS_H

#include <stdint.h>

#include "explore.h"

/* NULL if the script is not right. */
const struct explore_program *pairs_program(const char *script, uint64_t preload);

#endif /* _INTERLEAVE_PAIRS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that count, reset and ask how far the value can be trusted.  A letter of the
 * script is
 *
 *	i	count one event; a trial that has not been made before succeeds
 *	a	add three
 *	c	add 2^40 - 1, the most that an exact kind adds without a look at the value
 *	l	add 2^40
 *	b	add 2^62
 *	m	add 2^63 - 1, the most that there can be at once
 *	f	fetch and reset
 *	e	read the estimate
 *
 * I, A, F and E are the same in an interrupt handler.
 */
#ifndef _INTERLEAVE_ESTIMATES_H
#define _INTERLEAVE_ESTIMATES_H

#include <stdint.h>

#include "explore.h"

struct estimate_play {
	const char *kind;	/* as in tests/user/kernel/counters.c */
	const char *script;
	uint64_t preload;
	unsigned int tries;	/* the module's adapt_tries */
	bool full;		/* at the end of its range, and begins again at 0 */
	bool bare;		/* a word without a name, of a class that allows for resets */
};

/* NULL if script or kind are not right. */
const struct explore_program *estimates_program(const struct estimate_play *play);

#endif /* _INTERLEAVE_ESTIMATES_H */

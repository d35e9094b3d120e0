/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that count: what each does is a word of a script, one letter an
 * operation.  "ii,ia,rr" is three threads, of which the first counts two events,
 * the second one and then three at once, and the third reads twice.
 *
 *	i	count one event
 *	a	add three
 *	b	add nearly as much as multiline_adapt can hold: three times that is, but for
 *		the range, a small value again
 *	r	read
 *	f	fetch and reset
 *	d	destroy the counter (no other thread may use it then)
 *	t	a second passes, and work that waited for that is done
 *
 * Before all threads only:
 *
 *	w	work that waits for nothing is done
 *	n	no word inflates any more
 *
 * I, A, R and F are the same in an interrupt handler: a grace period of RCU waits
 * for it, one of Tasks RCU does not.
 */
#ifndef _INTERLEAVE_COUNTING_H
#define _INTERLEAVE_COUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "explore.h"

struct counting {
	/* As in tests/user/kernel/counters.c; topk-DESIGN, array-TYPE, record-KIND, objects. */
	const char *kind;
	const char *script;
	const char *before;	/* operations, one after the other, or NULL */
	uint64_t preload;	/* added before that */
	unsigned int tries;	/* the module's adapt_tries */
	unsigned int grow_rate;	/* 0: as it is */
	bool deflates;		/* the module's deflate_after is 0 */
	/* Approximate kinds are past the end of what they count exactly. */
	bool samples;
	unsigned int capacity;	/* of a table */
	bool full;		/* of a record or an estimate */
	bool one_cpu;		/* has all threads: what interrupts each other */
	unsigned int requests;	/* the module's topk_requests; 0: as it is */
};

/* The program in which threads do so; NULL if script or kind are not right. */
const struct explore_program *counting_program(const struct counting *counting);

/* Over the runs: what was counted too much, or too little. */
struct counting_sums {
	uint64_t runs;
	double errors, squares;
};

const struct counting_sums *counting_sums(void);

#endif /* _INTERLEAVE_COUNTING_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that count in a counter with a history, and one that takes its record, as
 * snapshots do.  A letter of the script is
 *
 *	i	count one event
 *	w	add so much that a counter that is full begins again, and another is full
 *	f	fetch and reset
 *	s	take the record; in one thread only
 */
#ifndef _INTERLEAVE_RECORDS_H
#define _INTERLEAVE_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "explore.h"

struct record_play {
	const char *kind;	/* as in tests/user/kernel/counters.c */
	const char *script;
	uint64_t preload;	/* added before */
	bool full;		/* begins again at 0 at the end of its range, and is there */
};

/* NULL if script or kind are not right. */
const struct explore_program *records_program(const struct record_play *play);

#endif /* _INTERLEAVE_RECORDS_H */

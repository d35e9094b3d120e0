/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that count in an array with two counters in one word.  A letter of the
 * script is
 *
 *	i, j	count one event in counter 0, or 1
 *	a, e	add three, or eight, to counter 0
 *	r	read both
 *	m	merge an array into it that has two events in counter 0
 *	x	add a hundred to counter 0
 *	c	clear the array
 */
#ifndef _INTERLEAVE_CELLS_H
#define _INTERLEAVE_CELLS_H

#include "explore.h"

/* What array: a name of cells.c; NULL if name or script are not right. */
const struct explore_program *cells_program(const char *name, const char *script);

#endif /* _INTERLEAVE_CELLS_H */

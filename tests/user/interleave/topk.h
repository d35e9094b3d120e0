/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that hit keys of a table of frequent items.  A letter of the script is a
 * key, from 1 to 9, that is hit, A to I the same through the call of the module, J to R
 * the same with two hits, a to i with many hits at once; or
 *
 *	r	takes a snapshot
 */
#ifndef _INTERLEAVE_TOPK_H
#define _INTERLEAVE_TOPK_H

#include "explore.h"

struct topk_play {
	const char *design;
	const char *script;
	const char *before;	/* hits, one after the other, or NULL */
	unsigned int capacity;
	unsigned int requests;	/* 0: as the module */
};

/* NULL if script or design are not right. */
const struct explore_program *topk_program(const struct topk_play *play);

#endif /* _INTERLEAVE_TOPK_H */

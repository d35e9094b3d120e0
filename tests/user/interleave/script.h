/* SPDX-License-Identifier: GPL-2.0 */
/* What threads do: a word of letters each, separated by commas. */
#ifndef _INTERLEAVE_SCRIPT_H
#define _INTERLEAVE_SCRIPT_H

#include <stdbool.h>

#include "explore.h"

#define SCRIPT_THREADS_MAX	3
#define SCRIPT_LENGTH_MAX	16

#define SCRIPT_CPUS		4
#define SCRIPT_NODES		2

struct script {
	const char *text;
	const char *letters;	/* all that there are */
	void (*operate)(char operation);
	/*
	 * The kernel's threads run beside.  An operation is one of a task that does not
	 * sleep in it; a capital letter is the same operation in an interrupt handler.
	 */
	bool contexts;
	bool one_cpu;		/* has all threads: what interrupts each other */
};

/*
 * The program in which threads do so, with setup(), begin() and check() of @like.  Two
 * threads are on CPUs of two nodes, the third on another of the first.  NULL if there
 * are other letters, or too many.
 */
const struct explore_program *script_program(const struct script *script,
					     const struct explore_program *like);

/* In setup(): operations of that script, one after the other.  NULL is none. */
void script_run(const char *operations);

#endif /* _INTERLEAVE_SCRIPT_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fibers: each simulated CPU runs the real code on a stack of its own.
 * swapcontext() makes a system call in every switch; with ten million operations
 * in a run that is what all the time would go into.  So the switch is written by
 * hand where it is known how, and ucontext serves elsewhere.
 */
#ifndef _LIB_FIBER_H
#define _LIB_FIBER_H

#include <stddef.h>

struct fiber {
	void *stack_pointer;	/* or a ucontext_t, where there is no other way */
};

/* On a stack of so many bytes; the first switch to it calls entry(), once. */
void fiber_init(struct fiber *fiber, void *stack, size_t bytes, void (*entry)(void));
void fiber_exit(struct fiber *fiber);
void fiber_switch(struct fiber *from, struct fiber *to);

#endif /* _LIB_FIBER_H */

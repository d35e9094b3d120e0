/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name: the program counts from here. */
#ifndef _STEPS_SHIM_SCHED_H
#define _STEPS_SHIM_SCHED_H

void steps_begin_again(void);

#define might_sleep()	do { } while (0)
#define cond_resched()	steps_begin_again()

#endif /* _STEPS_SHIM_SCHED_H */

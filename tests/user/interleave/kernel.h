/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _INTERLEAVE_KERNEL_H
#define _INTERLEAVE_KERNEL_H

#include <stdbool.h>

#include "explore.h"

#define KERNEL_THREADS	3

/* In a program's setup. */
bool kernel_init(void);
/* The body of a thread, from 0 to KERNEL_THREADS - 1: never returns. */
void kernel_thread(int which);

/* Around an operation of a task, which does not sleep in it. */
void kernel_task_runs(void);
void kernel_task_sleeps(void);

/* The time of delayed work has come. */
void kernel_work_again(void);

/* When nothing runs: all that is still to be done later. */
void kernel_settle(void);

#endif /* _INTERLEAVE_KERNEL_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* What threads run on: those of this machine (threads.c), or CPUs of a model (fibers.c). */
#ifndef _PAPER_ENGINE_H
#define _PAPER_ENGINE_H

#include <linux/types.h>

/* An option that only this engine has: a file for -m.  False, and said why: not right. */
bool engine_option(const char *argument);
/* False, and said why, if it cannot run so many threads. */
bool engine_ready(u32 threads);
/* "measured on ..." or "modelled: ..." */
const char *engine_name(void);
bool engine_is_model(void);

/* Before a table is made for so many threads; and when it is gone. */
bool engine_begin(u32 threads);
void engine_end(void);
/* Seconds from the first thread's beginning to the last one's end. */
double engine_run(u32 threads, void (*body)(u32 thread));
/* In a body: between two hits; and all threads of the run meet. */
void engine_step(void);
void engine_meet(void);

#endif /* _PAPER_ENGINE_H */

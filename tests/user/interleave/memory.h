/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All memory that a run may change, so that the next run finds it as it was: the
 * module's variables, what is per CPU, and what was allocated.
 *
 * Memory is allocated in a row and not used twice in a run, at the same addresses
 * in each.  So whoever uses it after it was freed is found, and a schedule means
 * the same each time.
 */
#ifndef _INTERLEAVE_MEMORY_H
#define _INTERLEAVE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Before shim_init(): the arena is empty. */
bool memory_init(void);
void memory_remember(void);
void memory_restore(void);
void memory_forget(void);

/* NULL, or what is wrong with an access to this address. */
const char *memory_judge(const volatile void *address);
/* From now on, to the end of the run, the module's variables are not there. */
void memory_unload(void);
/* Blocks that were allocated and not freed. */
unsigned int memory_live(void);
/* A name for an address, the same in each run. */
const char *memory_name(const volatile void *address);

#endif /* _INTERLEAVE_MEMORY_H */

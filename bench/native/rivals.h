/* SPDX-License-Identifier: GPL-2.0 */
/* What the module's counters are compared with, natively. */
#ifndef _BENCH_RIVALS_H
#define _BENCH_RIVALS_H

#include <stddef.h>
#include <stdint.h>

struct rival {
	const char *name;
	void (*inc)(void *counter);
	uint64_t (*read)(void *counter);
	size_t bytes;
};

/* Each counter is zeroed memory of so many bytes; ends without a name. */
extern const struct rival rivals[];

/* The calling thread's number, below RIVAL_THREADS, for what is split by thread. */
#define RIVAL_THREADS	64
extern __thread unsigned int rival_thread;

#endif /* _BENCH_RIVALS_H */

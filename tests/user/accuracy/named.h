/* SPDX-License-Identifier: GPL-2.0 */
/* Counters as those with a name are, on four CPUs of two nodes: kmod's own functions. */
#ifndef _ACCURACY_NAMED_H
#define _ACCURACY_NAMED_H

#include <linux/scounter.h>

#define CPUS	4
#define NODES	2

/* This thread is CPU 0 then, and its streams are those of the seed. */
void named_machine(u64 seed);

/* The same with so many nodes. */
void named_machine_of(u32 nodes, u64 seed);

struct scounter *named_make(const struct scounter_params *params);
void named_free(struct scounter *counter);
struct scounter_estimate named_estimate(struct scounter *counter);

#endif /* _ACCURACY_NAMED_H */

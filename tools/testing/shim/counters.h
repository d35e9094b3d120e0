/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of all kinds by name, without the module's registry, and beside them
 * what they are compared with.
 */
#ifndef _SHIM_COUNTERS_H
#define _SHIM_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counter_type {
	const char *name;
	void *(*make)(const struct counter_type *type);
	void (*free)(void *counter);
	void (*inc)(void *counter);
	void (*add)(void *counter, uint64_t n);
	uint64_t (*read)(void *counter);
	uint64_t (*fetch_reset)(void *counter);	/* or NULL */
	size_t (*bytes)(void *counter);
	bool exact;
	/* Of the module's own: */
	int kind;
	unsigned int components;
	unsigned int threshold_log2;
};

/* Ends with an entry that has no name. */
extern const struct counter_type counter_types[];

const struct counter_type *counter_type(const char *name);
/* All names, a line each. */
void counter_types_print(void);

/*
 * As the module when it is loaded, after shim_init(); the same streams for the
 * same seed, which is not 0.  May be called again, with the same number of nodes.
 */
void counters_init(uint64_t seed);
/* When nothing counts: do what the kernel would do later. */
void counters_settle(void);

#endif /* _SHIM_COUNTERS_H */

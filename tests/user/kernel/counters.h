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

#include <linux/scounter_word.h>

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

/* Counters without a name, side by side in their memory. */
struct counter_words {
	struct scounter_class class;
	size_t size;		/* of one */
	int count;
	char *memory;
};

/* Whether the type has words of four or eight bytes. */
bool counter_has_words(const struct counter_type *type);
/* False if there is no memory. */
bool counter_words_make(struct counter_words *words, const struct counter_type *type,
			int count);
void counter_words_free(struct counter_words *words);
void counter_word_inc(struct counter_words *words, int i);
void counter_word_add(struct counter_words *words, int i, uint64_t n);
uint64_t counter_word_read(struct counter_words *words, int i);
/* Its stripes included. */
size_t counter_word_bytes(struct counter_words *words, int i);

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

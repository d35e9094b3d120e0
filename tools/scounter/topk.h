/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of frequent items, as debugfs has them. */
#ifndef SCOUNTER_TOPK_H
#define SCOUNTER_TOPK_H

#include <stdint.h>

#include "folder.h"

struct topk_row {
	uint64_t count, error;
	double hits;		/* since another table, see topk_compare() */
	char *key;
};

/* @total: all hits; a key that is not listed has at most @floor + @pending of them */
struct topk {
	char *group, *name;
	uint64_t total, floor, pending, dropped;
	char state[32];
	unsigned int capacity;
	struct topk_row *rows;
	size_t count;
};

/* For each table. */
void topk_walk(void (*take)(const char *group, const char *name, void *argument), void *argument);
/* False if there is no such table; to topk_free(). */
bool topk_read(const char *group, const char *name, struct topk *table);
/* The same of a text; false where it is none. */
bool topk_take(struct topk *table, FILE *file);
void topk_free(struct topk *table);
/* Hits of each row since before: at least so many. */
void topk_compare(struct topk *now, const struct topk *before);
/* Hits of what is not among the first rows. */
uint64_t topk_rest(const struct topk *table, size_t rows);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of frequent items, as debugfs has them. */
#ifndef SCOUNTER_TOPK_H
#define SCOUNTER_TOPK_H

#include <stdint.h>

struct topk_row {
	uint64_t count, error;
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

const char *debugfs_root(void);
/* Why a file of it cannot be read. */
void no_file(const char *path, int error) __attribute__((noreturn));
/* GROUP/NAME, and nothing that leads out of the directory. */
int is_table_name(const char *name);
/* For each table. */
void topk_walk(void (*take)(const char *group, const char *name, void *argument), void *argument);
/* False if there is no such table; to topk_free(). */
bool topk_read(const char *group, const char *name, struct topk *table);
void topk_free(struct topk *table);
/* Hits of what is not among the first rows. */
uint64_t topk_rest(const struct topk *table, size_t rows);

#endif

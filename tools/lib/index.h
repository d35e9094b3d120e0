/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding rows of an array by their bytes: open addressing, with a seed that nobody who
 * chooses the bytes knows.
 */
#ifndef _LIB_INDEX_H
#define _LIB_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct index {
	uint32_t *slots;	/* number of the row and 1; 0: free */
	uint32_t mask;		/* slots less one; 0: it cannot be used */
	uint64_t seed;
	size_t size;		/* bytes of a key, a multiple of 8 */
	size_t stride;		/* from key to key */
};

/* Room for so many rows; 0, -ENOMEM or -EIO.  index_free() of it is right either way. */
int index_create(struct index *index, uint32_t rows, size_t size, size_t stride);
void index_free(struct index *index);

/*
 * The slot of a key, of which the first row has its key at @keys: it holds the number of
 * the row and 1, or 0 where the row is to be.
 */
uint32_t *index_find(const struct index *index, const void *keys, const void *key);

#endif /* _LIB_INDEX_H */

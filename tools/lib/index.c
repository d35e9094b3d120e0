// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "internal.h"
#include "index.h"

int index_create(struct index *index, uint32_t rows, size_t size, size_t stride)
{
	uint64_t slots = 16;

	*index = (struct index) { .size = size, .stride = stride };
	while (slots < 2ULL * rows)
		slots *= 2;
	if (slots > 1ULL << 31)
		return array_fail(-ENOMEM, "%u rows are too many", rows);
	index->slots = calloc(slots, sizeof(*index->slots));
	if (!index->slots)
		return out_of_memory();
	if (getrandom(&index->seed, sizeof(index->seed), 0) != sizeof(index->seed))
		return array_fail(-EIO, "no random seed: %s", strerror(errno));
	index->mask = slots - 1;
	return 0;
}

void index_free(struct index *index)
{
	free(index->slots);
	index->slots = NULL;
	index->mask = 0;
}

/* Each word through a multiplication of 64 by 64 bits, both halves of the product. */
static uint64_t hash_of(const struct index *index, const unsigned char *key)
{
	uint64_t hash = index->seed, word;
	unsigned __int128 product;
	size_t i;

	for (i = 0; i < index->size; i += 8) {
		memcpy(&word, key + i, 8);
		product = (unsigned __int128)(hash ^ word) * 0x9e3779b97f4a7c15ULL;
		hash = (uint64_t)product ^ (uint64_t)(product >> 64) ^ index->seed;
	}
	return hash ^ hash >> 32;
}

uint32_t *index_find(const struct index *index, const void *keys, const void *key)
{
	uint32_t at = hash_of(index, key);

	for (;; at++) {
		uint32_t *slot = &index->slots[at & index->mask];

		if (!*slot || !memcmp((const char *)keys + (*slot - 1) * index->stride, key,
				      index->size))
			return slot;
	}
}

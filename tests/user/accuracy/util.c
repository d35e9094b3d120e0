// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "util.h"

#define PROGRESS_SECONDS	3

void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory) {
		perror("accuracy");
		exit(2);
	}
	return memory;
}

/* Steele, Lea & Flood 2014, the same as in kmod/base/random.c. */
u64 next_seed(u64 *seed)
{
	u64 z = *seed += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

u64 derive_seed(u64 master, const char *label, u64 which)
{
	u64 seed = master;

	while (*label)
		seed = next_seed(&seed) ^ (unsigned char)*label++;
	seed = next_seed(&seed) ^ which;
	return next_seed(&seed);
}

void progress(const char *what, u64 done, u64 all)
{
	static time_t said;
	time_t now = time(NULL);

	if (!said)
		said = now;
	if (now - said < PROGRESS_SECONDS)
		return;
	said = now;
	fprintf(stderr, "accuracy: %s: %llu of %llu\n", what, done, all);
}

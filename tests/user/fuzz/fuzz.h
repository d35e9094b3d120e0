/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fuzzing with libFuzzer: each program gives what is to be read to one reader, and
 * then uses what came out of it as the programs do.  Sanitizers judge, and require()
 * says what must be true beyond that.
 */
#ifndef _FUZZ_H
#define _FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define require(condition) do {						\
	if (!(condition)) {						\
		fprintf(stderr, "%s:%d: not true: %s\n", __FILE__,	\
			__LINE__, #condition);				\
		abort();						\
	}								\
} while (0)

/* The bytes as an open file. */
static inline FILE *fuzz_file(const uint8_t *data, size_t size)
{
	FILE *file = size ? fmemopen((void *)data, size, "rb") : fopen("/dev/null", "rb");

	require(file);
	return file;
}

#endif /* _FUZZ_H */

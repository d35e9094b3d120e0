/* SPDX-License-Identifier: GPL-2.0 */
/* The library's memory: none for what no input can fill, MEMORY_MAX bytes at once. */
#include <stdlib.h>

void *fuzz_calloc(size_t n, size_t size);
void *fuzz_realloc(void *memory, size_t size);

void *fuzz_calloc(size_t n, size_t size)
{
	return n <= MEMORY_MAX / size ? calloc(n, size) : NULL;
}

void *fuzz_realloc(void *memory, size_t size)
{
	return size <= MEMORY_MAX ? realloc(memory, size) : NULL;
}

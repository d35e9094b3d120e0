/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ACCURACY_UTIL_H
#define _ACCURACY_UTIL_H
#include <stdio.h>
#include <stdlib.h>
static inline void *allocate(size_t n, size_t size)
{
	void *memory = calloc(n, size);

	if (!memory) {
		perror("accuracy");
		exit(1);
	}
	return memory;
}
#endif

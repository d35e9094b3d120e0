/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_SORT_H
#define _SHIM_LINUX_SORT_H

#ifndef _GNU_SOURCE
#error "sort_r() wants _GNU_SOURCE"
#endif
#include <stdlib.h>

static inline void sort_r(void *base, size_t n, size_t size,
			  int (*compare)(const void *a, const void *b, const void *extra),
			  void *swap, const void *extra)
{
	(void)swap;
	qsort_r(base, n, size, (__compar_d_fn_t)compare, (void *)extra);
}

#endif /* _SHIM_LINUX_SORT_H */

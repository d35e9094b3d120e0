/* SPDX-License-Identifier: GPL-2.0 */
/* What a file holds, by its first bytes. */
#ifndef _LIB_KIND_H
#define _LIB_KIND_H

#include <stdio.h>

enum file_kind {
	FILE_EMPTY	= 0,
	FILE_COUNTERS	= 1,
	FILE_ARRAY	= 2,
	FILE_ITEMS	= 3,
};

/* Of a file at its beginning, where it stays.  -EINVAL for none of these; -EIO. */
int file_kind(FILE *file);

/* The file itself, or a copy of one that cannot be sought in: to be closed.  NULL: -EIO. */
FILE *file_from(const char *path);

#endif /* _LIB_KIND_H */

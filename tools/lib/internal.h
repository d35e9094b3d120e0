/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the library share. */
#ifndef _LIB_INTERNAL_H
#define _LIB_INTERNAL_H

#include "array.h"

/* Set array_error(), and return err. */
int array_fail(int err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* -ENOMEM */
int out_of_memory(void);

/* So many bytes of a file of what it should be: 0, -ENODATA or -EIO. */
int want(FILE *from, void *to, size_t size, const char *what);

/* An array with words for so many copies; a type that has been checked or not. */
int array_create_copies(struct array **array, const struct scounter_array_type *type,
			u64 length, u32 copies);

struct scounter_known array_known(const struct array *array);
bool array_same_type(const struct array *a, const struct array *b);

/* A cell that stands for so much may lack counts. */
void array_note_lost(struct array *array, u64 lost_from);

/*
 * Bulk merging of byte cells, merge8.c: whether it applies; what can fail of it, beforehand;
 * and doing it.
 */
bool array_merge8_applies(const struct array *dst, const struct array *src);
int array_merge8_prepare(const struct array *dst);
int array_merge8(struct array *dst, const struct array *src);

#endif /* _LIB_INTERNAL_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays of the kernel, kmod/array/array.c itself, and of the library behind the same
 * functions, so that a test is of both.
 */
#ifndef _ARRAYS_SUBJECT_H
#define _ARRAYS_SUBJECT_H

#include "arrays.h"

struct subject {
	const char *name;
	/* 0 or a negative errno */
	int (*create)(void **array, const struct scounter_array_type *type, u64 length);
	void (*free)(void *array);
	void (*seed)(void *array, u64 seed);
	void (*inc)(void *array, u64 index);
	void (*add)(void *array, u64 index, u64 n);
	int (*estimate)(void *array, u64 index, struct scounter_array_estimate *estimate);
	int (*values)(void *array, u64 first, u64 count, double *values);
	/* Of the kernel, the variance is the square of its deviation. */
	int (*sum)(void *array, u64 first, u64 count, struct array_total *sum);
	int (*merge)(void *dst, const void *src);
	void (*clear)(void *array);
	bool (*saturated)(const void *array);
	u64 (*refused)(const void *array);
	/* A word of the first copy; and to give it what a snapshot may hold. */
	u64 (*word)(const void *array, u64 position);
	void (*set_word)(void *array, u64 position, u64 word);
	/* As if a full cell had been incremented. */
	void (*lose)(void *array);
	const struct scounter_cells *(*cells)(const void *array);
	u32 (*mixed_ppm)(const void *array);
	FILE *(*snapshot)(const void *array);
};

enum { KERNEL, LIBRARY, SUBJECTS };

extern const struct subject subjects[SUBJECTS];

/* Or the end of the program. */
void *create(const struct subject *subject, const struct scounter_array_type *type,
	     u64 length, u64 seed);

/* The same with so many increments of each counter. */
void *counted(const struct subject *subject, const struct scounter_array_type *type,
	      u64 length, u32 events, u64 seed);

/* How many counters, of one cell each, are in each state. */
void count_states(const struct subject *subject, const void *array, u64 length, u64 *counts);

/* The state of a cell of the first copy. */
u32 state_of(const struct subject *subject, const void *array, u64 cell);

/* The value of one counter. */
double value_of(const struct subject *subject, void *array, u64 index);

bool may_lack(const struct subject *subject, void *array, u64 index);

#endif /* _ARRAYS_SUBJECT_H */

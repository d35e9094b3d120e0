/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The exact distribution of a cell after increments, additions and merges, by
 * recurrence over its states; and what the library says of a counter whose cells are
 * set to given states.
 */
#ifndef _ARRAYS_DISTRIBUTION_H
#define _ARRAYS_DISTRIBUTION_H

#include "arrays.h"
#include "law.h"

/* 0.135 %: a normal variable is three standard deviations above its mean or more. */
#define STATED_MISSES	0.0013498980316301

/* State i of the law is the i-th that increments pass. */
struct distribution {
	const struct scounter_repr *repr;
	u32 *x;
	double *f;
	struct law law;
};

void distribution_init(struct distribution *d, const struct scounter_repr *repr);
void distribution_free(struct distribution *d);

/* Count on, until there have been so many events in all; n at once; another's. */
void distribution_count(struct distribution *d, u64 events);
void distribution_add(struct distribution *d, u64 n);
void distribution_merge(struct distribution *d, const struct distribution *other);

/* An array of one counter, zero, with so many cells in each of so many copies. */
struct array *probe_create(const struct scounter_array_type *type, u32 group, u32 copies);
void probe_set(struct array *probe, u32 copy, u32 cell, u32 x);
struct scounter_array_estimate probe_estimate(struct array *probe);

/* The bounds of each state of a single cell; to be freed. */
struct bounds {
	u64 *lower, *upper;
};

/* @mixed_ppm, @unit, @roundings: what merges have brought, see struct scounter_known. */
struct bounds bounds_of(const struct distribution *d, u32 mixed_ppm, u64 unit, u32 roundings);
void bounds_free(struct bounds *bounds);

#endif /* _ARRAYS_DISTRIBUTION_H */

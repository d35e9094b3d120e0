/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ACCURACY_TABLE_H
#define _ACCURACY_TABLE_H

#include <linux/types.h>

/* The tables of Documentation/accuracy.rst, on standard output. */
void print_tables(u64 seed);

/* Relative standard deviations against n, as columns for gnuplot. */
void print_curve(u64 seed);

/* How many times in a million each bound misses the truth, at any n of each decade. */
void print_bounds(void);

#endif /* _ACCURACY_TABLE_H */

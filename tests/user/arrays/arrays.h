/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of this program share. */
#ifndef _ARRAYS_ARRAYS_H
#define _ARRAYS_ARRAYS_H

#include <stdio.h>

#include "array.h"
#include "stats.h"
#include "tap.h"

/* A representation with tables that last as long as the program. */
const struct scounter_repr *repr_of(u32 kind, u32 bits, u32 q_ppm, u32 m, u32 theta);

/* "csuros" */
const char *kind_name(u32 kind);

/* "csuros 12 bits q 1.4 m 64": one of a few static texts. */
const char *type_name(const struct scounter_array_type *type);

void seed_rnd(struct rnd_state *rnd, u64 seed);

/* f as a floating-point number. */
double f_of(const struct scounter_repr *repr, u32 x);
double real_of(struct scounter_real real);

/* The variance of a count of n is at most xi n (n - 1) + 1 / 4. */
double xi_of(const struct scounter_repr *repr);

/* An array, or the end of the program. */
struct array *new_array(u32 kind, u32 bits, u32 q_ppm, u32 m, u64 length, u64 seed);

/*
 * Whether so many counts of each state of `runs` fit its probability, by chi-square
 * over so many bins.  Both are pooled in place.
 */
bool mass_fits(u64 *counts, double *mass, u32 states, u32 runs, u32 *bins, double *tail);

/* Seconds that this program has had the processor. */
double now(void);

int compare_doubles(const void *a, const void *b);

/* A type of each kind but the shared one. */
enum { MIXED = 6 };

extern const struct scounter_array_type mixed[MIXED];

/* The tests, each a number of ok() lines. */
void test_theorems(u64 seed);
void test_busted(u64 seed);
void test_table1(u64 seed);
void test_figures(u64 seed);
void test_dlm(u64 seed);
void test_library(u64 seed);
void test_both(u64 seed);
void test_lost(u64 seed);
void test_hidden(u64 seed);
void test_sums(u64 seed);
void test_choose(u64 seed);
void test_sizes(u64 seed);
void test_three(u64 seed);
void test_bulk(u64 seed);
void test_group(u64 seed);
void test_memory(u64 seed);
void test_cover(u64 seed);
void test_exact(u64 seed);

/* The verbs that print tables. */
int print_theorems(u64 seed);
int print_table1(void);
int print_figures(void);
int print_inside_each(void);
int print_dlm(void);
int print_memory(void);
int print_cover(void);
int print_group(u64 seed);
int print_speed(u64 seed);
int run_add_variant(const char *name, u32 rounds, const char *cells, u64 seed);
int print_npm(const char *path, u64 seed);
int print_snapshot(const char *path, u64 first, u64 count);
int print_sum(const char *path, u64 first, u64 count);

#endif /* _ARRAYS_ARRAYS_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The figures of Das et al. 2009, with their streams, on this engine. */
#ifndef _PAPER_FIGURES_H
#define _PAPER_FIGURES_H

#include <linux/types.h>

#define FIGURES_LIST	16

struct figure_options {
	double alphas[FIGURES_LIST], counts[FIGURES_LIST], failures[FIGURES_LIST];
	u32 alpha_count, count_count, failure_count;	/* 0: those of the figure */
	u32 length, capacity, repeats, queue_limit;
	u64 seed;
};

/* False if there is no such figure. */
bool figure_exists(u32 number);
/* False, and said why, if it cannot be made here.  Exit status. */
int figure_print(u32 number, struct figure_options *options);

#endif /* _PAPER_FIGURES_H */

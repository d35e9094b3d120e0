/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The designs as Das et al. 2009 have them, as tables like those of kmod/topk.  Keys are
 * words.  Contexts are threads: there are no interrupts.
 */
#ifndef _PAPER_DESIGNS_H
#define _PAPER_DESIGNS_H

#include "summary.h"
#include "topk/table.h"

#define PAPER_WAITING		(1U << 16)	/* new keys that may be queued */
#define PAPER_QUEUE_LIMIT	500		/* the paper's rho */

/* Section 4, without auto-tuning, and with it; and with Lossy Counting: section 4.4. */
extern const struct topk_ops paper_coop_ops, paper_tuned_ops, paper_lossy_ops;
/* Section 3.2 */
extern const struct topk_ops paper_shared_ops;
/* Section 3.1.  May only be read while nobody adds. */
extern const struct topk_ops paper_independent_ops;

/* NULL if there is no design of this name. */
const struct topk_ops *paper_design(const char *name);

/* A table, or an ERR_PTR: -EINVAL, -ERANGE, or -ENOMEM. */
struct topk_table *paper_coop_create(const struct topk_ops *ops,
				     const struct summary_options *options,
				     const struct topk_secret *secret);
/* The same for Lossy Counting: the error is a hit in so many. */
struct topk_table *paper_lossy_create(u32 window, const struct topk_secret *secret);
struct summary *paper_summary(const struct topk_table *table);

/* Sums over the workers. */
void paper_sums(const struct topk_table *table, struct worker *sums);

/* As all threads together: thread @i of @n merges, when all have stopped.  @i 0 gets it. */
struct scounter_topk_header *paper_merge(struct topk_table *table, u32 i, u32 n,
					 void (*meet)(void));

#endif /* _PAPER_DESIGNS_H */

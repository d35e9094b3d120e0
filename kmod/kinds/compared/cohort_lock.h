/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_COHORT_LOCK_H
#define _SCOUNTER_COHORT_LOCK_H

#include <linux/types.h>

struct scounter_cohort;

struct scounter_cohort *scounter_cohort_alloc(gfp_t gfp);
void scounter_cohort_free(struct scounter_cohort *cohort);
size_t scounter_cohort_bytes(void);

unsigned long scounter_cohort_lock(struct scounter_cohort *cohort);
void scounter_cohort_unlock(struct scounter_cohort *cohort, unsigned long flags);

#endif /* _SCOUNTER_COHORT_LOCK_H */

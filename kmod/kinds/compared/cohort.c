// SPDX-License-Identifier: GPL-2.0
/*
 * cohort: after a failed compare-and-swap the increment goes on under a NUMA
 * cohort lock.  It is here to be compared with: it is the one kind that another
 * CPU can stop.
 *
 * Dice, Lev & Moir 2013, section 2.1.
 */
#include <linux/atomic.h>
#include <linux/preempt.h>
#include <linux/slab.h>

#include "compat.h"
#include "kinds/cas.h"
#include "kinds/compared/cohort_lock.h"
#include "kinds/trace.h"

/*
 * After one failure an increment goes on under the lock, and competes only with those that
 * have not failed yet.  In NMI context the interrupted context may hold the lock: rbo.
 */
static notrace void cohort_apply(const struct scounter_ref *ref, u64 n, u32 failures)
{
	struct scounter_cohort *cohort = NULL;
	unsigned long flags;
	u64 old;

	if (failures && ref->counter && !in_nmi())
		cohort = READ_ONCE(ref->counter->cohort);
	if (!cohort) {
		old = scounter_rbo_apply(ref, n, failures);
	} else {
		flags = scounter_cohort_lock(cohort);
		old = scounter_rbo_apply(ref, n, 0);
		scounter_cohort_unlock(cohort, flags);
	}
	scounter_trace_exact(ref, old, n, S64_MAX);
}

static notrace void cohort_add(const struct scounter_ref *ref, u64 n)
{
	s64 old = atomic64_read(&ref->word64->word);

	if (scounter_exact_try_add(ref, &old, n, S64_MAX))
		scounter_trace_exact(ref, old, n, S64_MAX);
	else
		cohort_apply(ref, n, 1);
}

static notrace void cohort_finish(const struct scounter_ref *ref, u32 outcome)
{
	cohort_apply(ref, 1, outcome == SCOUNTER_CONTENDED);
}

static int cohort_spread(struct scounter *counter, gfp_t gfp)
{
	struct scounter_cohort *cohort = scounter_cohort_alloc(gfp);

	if (!cohort)
		return -ENOMEM;
	/*
	 * A static counter may be incremented meanwhile: publish an initialized lock.
	 * Pairs with the address dependency in cohort_apply(): publish-stripes.litmus.
	 */
	smp_store_release(&counter->cohort, cohort);
	return 0;
}

static void cohort_collapse(const struct scounter_ref *ref)
{
	scounter_cohort_free(ref->counter->cohort);
	ref->counter->cohort = NULL;
}

static size_t cohort_bytes(const struct scounter *counter)
{
	return scounter_cohort_bytes();
}

const struct scounter_kind_ops scounter_cohort_ops = {
	.word_offset	= offsetof(struct scounter, word64),
	.value_max	= &scounter_s64_max,
	.summary	= "exact; rbo, under a NUMA cohort lock after a failure",
	.spread		= cohort_spread,
	.collapse		= cohort_collapse,
	.spread_bytes	= cohort_bytes,
	.finish		= cohort_finish,
	.add		= cohort_add,
	.read		= scounter_cas_read,
	.read_est	= scounter_cas_read_est,
	.fetch_reset	= scounter_cas_fetch_reset,
};

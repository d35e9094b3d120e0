// SPDX-License-Identifier: GPL-2.0
/*
 * The kinds that are one word of 64 bits with the count in it, and differ in
 * what they do after a failed compare-and-swap: cas tries again at once, rbo
 * after a random time, cohort under a lock.  racing does not look: it loads,
 * adds and stores, and loses what others counted in between.  It is here to be
 * compared with, as the papers' Serial.
 *
 * Dice, Lev & Moir 2013, section 2.1; Ayers 2023 (racing).
 */
#include <linux/atomic.h>
#include <linux/preempt.h>
#include <linux/slab.h>

#include "compat.h"
#include "backoff.h"
#include "cohort.h"
#include "kind.h"
#include "random.h"

static notrace void cas_apply(const struct scounter_ref *ref, u64 n, u32 failures,
			      struct rnd_state *rnd)
{
	s64 old = atomic64_read(&ref->word64->word);

	for (;; failures++) {
		if (failures && rnd) {
			scounter_backoff(failures, rnd);
			old = atomic64_read(&ref->word64->word);
		}
		if (scounter_exact_try_add(ref, &old, n, S64_MAX))
			return;
	}
}

static notrace void cas_add(const struct scounter_ref *ref, u64 n)
{
	cas_apply(ref, n, 0, NULL);
}

static notrace void cas_finish(const struct scounter_ref *ref, u32 outcome)
{
	cas_apply(ref, 1, 0, NULL);
}

static notrace void rbo_apply(const struct scounter_ref *ref, u64 n, u32 failures)
{
	cas_apply(ref, n, failures, scounter_random_get());
	scounter_random_put();
}

static notrace void rbo_add(const struct scounter_ref *ref, u64 n)
{
	rbo_apply(ref, n, 0);
}

static notrace void rbo_finish(const struct scounter_ref *ref, u32 outcome)
{
	rbo_apply(ref, 1, outcome == SCOUNTER_CONTENDED);
}

/*
 * Who failed once goes on under the lock, against those who have not failed.  In
 * NMI context the lock may be held by what was interrupted: rbo then.
 */
static notrace void cohort_apply(const struct scounter_ref *ref, u64 n, u32 failures)
{
	struct scounter_cohort *cohort = NULL;
	unsigned long flags;

	if (failures && ref->counter && !in_nmi())
		cohort = READ_ONCE(ref->counter->cohort);
	if (!cohort) {
		rbo_apply(ref, n, failures);
		return;
	}
	flags = scounter_cohort_lock(cohort);
	rbo_apply(ref, n, 0);
	scounter_cohort_unlock(cohort, flags);
}

static notrace void cohort_add(const struct scounter_ref *ref, u64 n)
{
	s64 old = atomic64_read(&ref->word64->word);

	if (!scounter_exact_try_add(ref, &old, n, S64_MAX))
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
	 * A static counter is already counting: the lock's state before it.  The
	 * address dependency in cohort_apply() is the partner: publish-lines.litmus.
	 */
	smp_store_release(&counter->cohort, cohort);
	return 0;
}

static void cohort_gather(const struct scounter_ref *ref)
{
	scounter_cohort_free(ref->counter->cohort);
	ref->counter->cohort = NULL;
}

static size_t cohort_bytes(const struct scounter *counter)
{
	return scounter_cohort_bytes();
}

static u64 cas_read(const struct scounter_ref *ref)
{
	return atomic64_read(&ref->word64->word);
}

static void cas_read_est(const struct scounter_ref *ref,
			 struct scounter_estimate *estimate)
{
	scounter_estimate_exact(estimate, cas_read(ref), S64_MAX);
}

static u64 cas_fetch_reset(const struct scounter_ref *ref)
{
	return atomic64_xchg(&ref->word64->word, 0);
}

static notrace void racing_add(const struct scounter_ref *ref, u64 n)
{
	u64 old = atomic64_read(&ref->word64->word) & S64_MAX;

	atomic64_set(&ref->word64->word, scounter_exact_sum(old, n, S64_MAX));
}

static notrace void racing_finish(const struct scounter_ref *ref, u32 outcome)
{
	racing_add(ref, 1);
}

static void racing_read_est(const struct scounter_ref *ref,
			    struct scounter_estimate *estimate)
{
	cas_read_est(ref, estimate);
	estimate->flags |= SCOUNTER_F_LOSSY;
}

const struct scounter_kind_ops scounter_racing_ops = {
	.word_offset	= offsetof(struct scounter, word64),
	.value_max	= &scounter_s64_max,
	.summary	= "LOSES COUNTS: load, add, store; the bad example",
	.finish		= racing_finish,
	.add		= racing_add,
	.read		= cas_read,
	.read_est	= racing_read_est,
	.fetch_reset	= cas_fetch_reset,
};

const struct scounter_kind_ops scounter_cas_ops = {
	.word_offset	= offsetof(struct scounter, word64),
	.value_max	= &scounter_s64_max,
	.summary	= "exact; compare-and-swap, again until it succeeds",
	.finish		= cas_finish,
	.add		= cas_add,
	.read		= cas_read,
	.read_est	= cas_read_est,
	.fetch_reset	= cas_fetch_reset,
};

const struct scounter_kind_ops scounter_rbo_ops = {
	.word_offset	= offsetof(struct scounter, word64),
	.value_max	= &scounter_s64_max,
	.summary	= "exact; compare-and-swap with randomized backoff",
	.finish		= rbo_finish,
	.add		= rbo_add,
	.read		= cas_read,
	.read_est	= cas_read_est,
	.fetch_reset	= cas_fetch_reset,
};

const struct scounter_kind_ops scounter_cohort_ops = {
	.word_offset	= offsetof(struct scounter, word64),
	.value_max	= &scounter_s64_max,
	.summary	= "exact; rbo, under a NUMA cohort lock after a failure",
	.spread		= cohort_spread,
	.gather		= cohort_gather,
	.spread_bytes	= cohort_bytes,
	.finish		= cohort_finish,
	.add		= cohort_add,
	.read		= cas_read,
	.read_est	= cas_read_est,
	.fetch_reset	= cas_fetch_reset,
};

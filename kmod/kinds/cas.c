// SPDX-License-Identifier: GPL-2.0
/*
 * cas and rbo: the count in one word of 64 bits.  After a failed compare-and-swap cas
 * tries again at once, and rbo after a random backoff.
 *
 * Dice, Lev & Moir 2013, section 2.1.
 */
#include <linux/atomic.h>

#include "compat.h"
#include "base/backoff.h"
#include "base/random.h"
#include "kinds/cas.h"
#include "kinds/trace.h"

/* Returns the value before. */
static notrace u64 cas_apply(const struct scounter_ref *ref, u64 n, u32 failures,
			     struct rnd_state *rnd)
{
	s64 old = atomic64_read(&ref->word64->word);

	for (;; failures++) {
		if (failures && rnd) {
			scounter_backoff(failures, rnd);
			old = atomic64_read(&ref->word64->word);
		}
		if (scounter_exact_try_add(ref, &old, n, S64_MAX))
			return old;
	}
}

static notrace void cas_add(const struct scounter_ref *ref, u64 n)
{
	scounter_trace_exact(ref, cas_apply(ref, n, 0, NULL), n, S64_MAX);
}

static notrace void cas_finish(const struct scounter_ref *ref, u32 outcome)
{
	cas_add(ref, 1);
}

notrace u64 scounter_rbo_apply(const struct scounter_ref *ref, u64 n, u32 failures)
{
	u64 old = cas_apply(ref, n, failures, scounter_random_get());

	scounter_random_put();
	return old;
}

static notrace void rbo_apply(const struct scounter_ref *ref, u64 n, u32 failures)
{
	scounter_trace_exact(ref, scounter_rbo_apply(ref, n, failures), n, S64_MAX);
}

static notrace void rbo_add(const struct scounter_ref *ref, u64 n)
{
	rbo_apply(ref, n, 0);
}

static notrace void rbo_finish(const struct scounter_ref *ref, u32 outcome)
{
	rbo_apply(ref, 1, outcome == SCOUNTER_CONTENDED);
}

u64 scounter_cas_read(const struct scounter_ref *ref)
{
	return atomic64_read(&ref->word64->word);
}

void scounter_cas_read_est(const struct scounter_ref *ref,
			 struct scounter_estimate *estimate)
{
	scounter_estimate_exact(estimate, scounter_cas_read(ref), S64_MAX);
}

u64 scounter_cas_fetch_reset(const struct scounter_ref *ref)
{
	return atomic64_xchg(&ref->word64->word, 0);
}

const struct scounter_kind_ops scounter_cas_ops = {
	.word_offset	= offsetof(struct scounter, word64),
	.value_max	= &scounter_s64_max,
	.summary	= "exact; compare-and-swap, again until it succeeds",
	.finish		= cas_finish,
	.add		= cas_add,
	.read		= scounter_cas_read,
	.read_est	= scounter_cas_read_est,
	.fetch_reset	= scounter_cas_fetch_reset,
};

const struct scounter_kind_ops scounter_rbo_ops = {
	.word_offset	= offsetof(struct scounter, word64),
	.value_max	= &scounter_s64_max,
	.summary	= "exact; compare-and-swap with randomized backoff",
	.finish		= rbo_finish,
	.add		= rbo_add,
	.read		= scounter_cas_read,
	.read_est	= scounter_cas_read_est,
	.fetch_reset	= scounter_cas_fetch_reset,
};

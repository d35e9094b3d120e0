// SPDX-License-Identifier: GPL-2.0
/*
 * A kind for tests/toy/check: exact, in 32 bits, by compare-and-swap, without an
 * inline part.
 */
#include <linux/atomic.h>

#include "compat.h"
#include "kinds/kind.h"

static const u64 toy32_max = S32_MAX;

static notrace void toy32_add(const struct scounter_ref *ref, u64 n)
{
	int old = atomic_read(&ref->word32->word);

	while (!atomic_try_cmpxchg_relaxed(&ref->word32->word, &old,
					   scounter_exact_sum(old, n, toy32_max)))
		;
}

static notrace void toy32_finish(const struct scounter_ref *ref, u32 outcome)
{
	toy32_add(ref, 1);
}

static u64 toy32_read(const struct scounter_ref *ref)
{
	return atomic_read(&ref->word32->word);
}

static void toy32_read_est(const struct scounter_ref *ref,
			   struct scounter_estimate *estimate)
{
	scounter_estimate_exact(estimate, toy32_read(ref), toy32_max);
}

static u64 toy32_fetch_reset(const struct scounter_ref *ref)
{
	return atomic_xchg(&ref->word32->word, 0);
}

const struct scounter_kind_ops scounter_toy32_ops = {
	.word_offset	= offsetof(struct scounter, word32),
	.value_max	= &toy32_max,
	.summary	= "exact, in 32 bits; for tests only",
	.finish		= toy32_finish,
	.add		= toy32_add,
	.read		= toy32_read,
	.read_est	= toy32_read_est,
	.fetch_reset	= toy32_fetch_reset,
};

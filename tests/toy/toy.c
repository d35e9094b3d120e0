// SPDX-License-Identifier: GPL-2.0
/*
 * A kind for tests/toy/check: exact, by compare-and-swap, without an inline
 * part.
 */
#include <linux/atomic.h>

#include "compat.h"
#include "kinds/kind.h"

static notrace void toy_add(const struct scounter_ref *ref, u64 n)
{
	s64 old = atomic64_read(&ref->word64->word);

	while (!scounter_exact_try_add(ref, &old, n, S64_MAX))
		;
}

static notrace void toy_finish(const struct scounter_ref *ref, u32 outcome)
{
	toy_add(ref, 1);
}

static u64 toy_read(const struct scounter_ref *ref)
{
	return atomic64_read(&ref->word64->word);
}

static void toy_read_est(const struct scounter_ref *ref,
			 struct scounter_estimate *estimate)
{
	scounter_estimate_exact(estimate, toy_read(ref), S64_MAX);
}

static u64 toy_fetch_reset(const struct scounter_ref *ref)
{
	return atomic64_xchg(&ref->word64->word, 0);
}

const struct scounter_kind_ops scounter_toy_ops = {
	.word_offset	= offsetof(struct scounter, word64),
	.value_max	= &scounter_s64_max,
	.summary	= "exact; for tests only",
	.finish		= toy_finish,
	.add		= toy_add,
	.read		= toy_read,
	.read_est	= toy_read_est,
	.fetch_reset	= toy_fetch_reset,
};

// SPDX-License-Identifier: GPL-2.0
/*
 * racing: loads, adds and stores, and loses what others counted in between.  It is
 * here to be compared with, as the papers' Serial.
 *
 * Dice, Lev & Moir 2013, section 5.1; Ayers 2023.
 */
#include <linux/atomic.h>

#include "compat.h"
#include "kinds/cas.h"

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
	scounter_cas_read_est(ref, estimate);
	estimate->flags |= SCOUNTER_F_LOSSY;
}

const struct scounter_kind_ops scounter_racing_ops = {
	.word_offset	= offsetof(struct scounter, word64),
	.value_max	= &scounter_s64_max,
	.summary	= "LOSES COUNTS: load, add, store; the bad example",
	.finish		= racing_finish,
	.add		= racing_add,
	.read		= scounter_cas_read,
	.read_est	= racing_read_est,
	.fetch_reset	= scounter_cas_fetch_reset,
};

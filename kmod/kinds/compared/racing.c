// SPDX-License-Identifier: GPL-2.0
/*
 * racing: load, add, store.  It loses what other CPUs count in between, and is here to be
 * compared with, as the papers' Serial.
 *
 * Dice, Lev & Moir 2013, section 5.1; Ayers 2023.
 */
#include <linux/atomic.h>
#include <linux/minmax.h>

#include "compat.h"
#include "kinds/cas.h"

/* A plain increment does not look for the end of the range, and goes on beyond it. */
static notrace u64 racing_value(u64 word)
{
	return min_t(u64, word, S64_MAX);
}

static notrace void racing_add(const struct scounter_ref *ref, u64 n)
{
	u64 old = racing_value(atomic64_read(&ref->word64->word));

	atomic64_set(&ref->word64->word, scounter_exact_sum(old, n, S64_MAX));
}

static notrace void racing_finish(const struct scounter_ref *ref, u32 outcome)
{
	racing_add(ref, 1);
}

static u64 racing_read(const struct scounter_ref *ref)
{
	return racing_value(scounter_cas_read(ref));
}

static void racing_read_est(const struct scounter_ref *ref,
			    struct scounter_estimate *estimate)
{
	scounter_estimate_exact(estimate, racing_read(ref), S64_MAX);
	estimate->flags |= SCOUNTER_F_LOSSY;
}

static u64 racing_fetch_reset(const struct scounter_ref *ref)
{
	return racing_value(scounter_cas_fetch_reset(ref));
}

const struct scounter_kind_ops scounter_racing_ops = {
	.word_offset	= offsetof(struct scounter, word64),
	.value_max	= &scounter_s64_max,
	.summary	= "LOSES COUNTS: load, add, store; the bad example",
	.finish		= racing_finish,
	.add		= racing_add,
	.read		= racing_read,
	.read_est	= racing_read_est,
	.fetch_reset	= racing_fetch_reset,
};

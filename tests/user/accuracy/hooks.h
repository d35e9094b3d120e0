/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compiler includes this before kmod/kinds/bfp.c and value.c.  Their calls of some
 * pure functions then go through here, so that the same sources can run with a function
 * that is broken.  As long as none is hooked nothing is different.
 */
#ifndef _ACCURACY_HOOKS_H
#define _ACCURACY_HOOKS_H

#include <linux/types.h>

#include "base/backoff.h"
#include "repr/bfp.h"
#include "repr/value.h"

struct hooks {
	u32 (*sum)(u32 word, u64 n, const struct scounter_bfp_policy *policy,
		   struct rnd_state *rnd);
	/* A multiple of 2^k: n, rounded at random. */
	u64 (*thin)(u64 n, u32 k, struct rnd_state *rnd);
	/* What is left of n where an update adds a unit or more. */
	u64 (*value_thin)(u64 n, u64 unit, struct rnd_state *rnd);
	/* What of n is to be added still, after a failed compare-and-swap. */
	u64 (*retry)(u64 n, u64 unit, struct rnd_state *rnd);
};

extern struct hooks hooks;
extern bool hooks_failed;	/* a compare-and-swap has, and nothing was added since */
extern bool hooks_contended;	/* sums are as after that */

static inline u64 hooked_retry(u64 n, u64 unit, struct rnd_state *rnd)
{
	bool failed = hooks_failed;

	hooks_failed = false;
	return failed && hooks.retry ? hooks.retry(n, unit, rnd) : n;
}

static inline u64 hooked_thin(u64 n, u32 k, struct rnd_state *rnd)
{
	n = hooked_retry(n, 1ULL << k, rnd);
	return (hooks.thin ?: scounter_bfp_thin_to)(n, k, rnd);
}

static inline u64 hooked_value_thin(u64 n, u64 unit, struct rnd_state *rnd)
{
	n = hooked_retry(n, unit, rnd);
	return (hooks.value_thin ?: scounter_value_thin)(n, unit, rnd);
}

static inline u32 hooked_sum(u32 word, u64 n, const struct scounter_bfp_policy *policy,
			     struct rnd_state *rnd)
{
	struct scounter_bfp_policy now = *policy;

	now.contended |= hooks_contended;
	return (hooks.sum ?: scounter_bfp_sum)(word, n, &now, rnd);
}

#if defined(ACCURACY_HOOKED_BFP) || defined(ACCURACY_HOOKED_VALUE)
#define scounter_bfp_thin_to	hooked_thin
#define scounter_value_thin	hooked_value_thin
#define scounter_bfp_sum	hooked_sum

/* Both call it for what they have in `add`, after each failure. */
#ifdef ACCURACY_HOOKED_BFP
#define HOOKED_UNIT		(1ULL << bfp_unit_log2(ref, seen))
#else
#define HOOKED_UNIT		unit
#endif
#define scounter_backoff(failures, rnd)					\
	(add.n = hooked_retry(add.n, HOOKED_UNIT, rnd), scounter_backoff(failures, rnd))
#endif

#endif /* _ACCURACY_HOOKS_H */

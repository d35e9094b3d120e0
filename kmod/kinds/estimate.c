// SPDX-License-Identifier: GPL-2.0
/*
 * From what a kind knows of its count to a struct scounter_estimate: value, bounds,
 * relative error and state.
 *
 * Example: a bfp_dup word of 1 % that reads 1,000,000 has an error of 10,000 ppm, and
 * bounds three standard deviations away, near 970,000 and 1,030,000.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "kinds/kind.h"
#include "repr/bounds.h"

void scounter_estimate_exact(struct scounter_estimate *estimate, u64 value,
			     u64 value_max)
{
	*estimate = (struct scounter_estimate) {
		.value = value,
		.lower = value,
		.upper = value,
	};
	if (value < value_max)
		return;
	estimate->flags = SCOUNTER_F_SATURATED;
	estimate->upper = U64_MAX;
}

/* The relative variance of the value, at most, with what landed after a reset. */
static u64 known_limit(const struct scounter_known *known)
{
	u64 limit = known->limit;

	if (known->late > 1)
		limit += scounter_unit_variance(known->late, known->value);
	return min(limit, SCOUNTER_VARIANCE_MAX);
}

/*
 * An event that landed after a reset with the unit from before it can only make the value
 * larger than the count.  So the lower bound allows for that unit, and the upper one only
 * for the word's own.
 */
static u64 known_lower_unit(const struct scounter_known *known)
{
	return max(known->unit, known->late);
}

static u64 known_lower(const struct scounter_known *known)
{
	u64 unit = known_lower_unit(known), lower = known->value;

	if (unit > 1)
		lower = scounter_lower_bound(lower, unit, known_limit(known));
	return known->certain + lower;
}

static u64 known_upper(const struct scounter_known *known)
{
	u64 upper = known->value;

	if (known->full)
		return U64_MAX;
	if (known->unit > 1)
		upper = scounter_upper_bound(upper, known->unit, known_limit(known));
	return upper > U64_MAX - known->certain ? U64_MAX : upper + known->certain;
}

void scounter_estimate_approx(struct scounter_estimate *estimate,
			      const struct scounter_known *known)
{
	u64 unit = known_lower_unit(known), square;

	if (unit == 1 && !known->full) {
		scounter_estimate_exact(estimate, known->certain + known->value, U64_MAX);
		return;
	}
	square = min(known_limit(known), scounter_unit_variance(unit, known->value));
	*estimate = (struct scounter_estimate) {
		.value = known->certain + known->value,
		.lower = known_lower(known),
		.upper = known_upper(known),
		.error_ppm = scounter_root_up(square),
		.flags = (unit > 1 ? SCOUNTER_F_SAMPLING : 0) |
			 (known->full ? SCOUNTER_F_SATURATED : 0),
	};
}

/*
 * Values of so many units have a relative variance of at most 1 / FAR, and bounds within
 * a factor of two: no need to compute these where the limit is farther away.
 */
#define FAR	32

static enum scounter_answer known_reached(const struct scounter_known *known, u64 limit)
{
	u64 value = known->certain + known->value, unit = known_lower_unit(known);
	bool far = known->value / FAR >= unit;

	/* The lower bound is at most the value, and the upper one at least. */
	if (value >= limit) {
		if (far && value / 2 >= limit)
			return SCOUNTER_YES;
		return known_lower(known) >= limit ? SCOUNTER_YES : SCOUNTER_CANNOT_SAY;
	}
	if (known->full)
		return SCOUNTER_CANNOT_SAY;
	if (far && value < limit / 2 && known->unit < limit / 2 - value)
		return SCOUNTER_NO;
	return known_upper(known) < limit ? SCOUNTER_NO : SCOUNTER_CANNOT_SAY;
}

/* A bare word that begins again at 0 cannot say that it has. */
static bool may_lack(const struct scounter_ref *ref, u32 marks)
{
	return marks & SCOUNTER_F_UNSURE ||
	       (!ref->counter && ref->class->flags & SCOUNTER_CLASS_WRAP);
}

/* Only where neither the value nor one bound is enough, all of an estimate is made. */
static enum scounter_answer exact_reached(const struct scounter_kind_ops *ops,
					  const struct scounter_ref *ref, u64 limit)
{
	struct scounter_estimate estimate;
	u64 value;

	if (BIT(ref->class->kind) & __SCOUNTER_EXACT_KINDS) {
		value = ops->read(ref);
		if (value >= limit || value < *ops->value_max)
			return value >= limit ? SCOUNTER_YES : SCOUNTER_NO;
	}
	ops->read_est(ref, &estimate);
	return scounter_bounds_reached(estimate.lower, estimate.upper, estimate.flags, limit);
}

enum scounter_answer scounter_ref_reached(const struct scounter_kind_ops *ops,
					  const struct scounter_ref *ref, u32 marks, u64 limit)
{
	enum scounter_answer answer;

	if (!limit)
		return SCOUNTER_YES;
	if (ops->known) {
		struct scounter_known known = ops->known(ref);

		answer = known_reached(&known, limit);
	} else {
		answer = exact_reached(ops, ref, limit);
	}
	return answer == SCOUNTER_NO && may_lack(ref, marks) ? SCOUNTER_CANNOT_SAY : answer;
}

/* The state in one word: the gravest of the flags. */
const char *scounter_state_name(u32 flags)
{
	if (flags & SCOUNTER_F_LOSSY)
		return "LOSES-COUNTS";
	if (flags & SCOUNTER_F_OVERFLOW)
		return "overflow";
	if (flags & SCOUNTER_F_WRAPPED)
		return "wrapped";
	if (flags & SCOUNTER_F_SATURATED)
		return "saturated";
	if (flags & SCOUNTER_F_SAMPLING)
		return "sampling";
	return flags & SCOUNTER_F_INFLATED ? "inflated" : "exact";
}

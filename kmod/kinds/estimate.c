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

/*
 * An event that landed after a reset with the unit from before it can only make the value
 * larger than the count.  So the lower bound allows for that unit, and the upper one only
 * for the word's own.
 */
void scounter_estimate_approx(struct scounter_estimate *estimate,
			      const struct scounter_known *known)
{
	u64 unit = max(known->unit, known->late);
	u64 upper = known->value;
	u64 limit = known->limit;

	if (known->late > 1)
		limit += scounter_unit_variance(known->late, known->value);
	limit = min(limit, SCOUNTER_VARIANCE_MAX);
	*estimate = (struct scounter_estimate) {
		.value = known->certain + known->value,
		.lower = known->certain + known->value,
		.error_ppm = scounter_root_up(min(limit, scounter_unit_variance(unit,
										known->value))),
	};
	if (unit > 1) {
		estimate->flags = SCOUNTER_F_SAMPLING;
		estimate->lower = known->certain +
			scounter_lower_bound(known->value, unit, limit);
	}
	if (known->unit > 1)
		upper = scounter_upper_bound(known->value, known->unit, limit);
	estimate->upper = upper > U64_MAX - known->certain ? U64_MAX : upper + known->certain;
	if (!known->full)
		return;
	estimate->flags |= SCOUNTER_F_SATURATED;
	estimate->upper = U64_MAX;
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

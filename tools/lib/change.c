// SPDX-License-Identifier: GPL-2.0
/*
 * What was counted between two snapshots, and how well that is known.
 *
 * The error of an approximate counter, estimate less count, is a martingale:
 * its expected change is 0 whatever happened before.  So the difference of two
 * estimates is an unbiased estimate of the events between them, and its
 * variance is the later variance less the earlier one: at most the later.
 *
 * For bfp words more is known, because the words are.  From exponent e to f,
 * each of the D events between was counted with probability 2^-f or more, which
 * gives at most D (2^f - 1); and each step from g to g + 1 rounded the earlier
 * mantissa, which gives at most 4^g: together (4^f - 4^e) / 3.  The smaller of
 * both bounds is taken.  A word that is changed by more than 2^f, at its last
 * exponent, rounds nothing when that begins.
 *
 * A word in a known state counts on from there as if that were exact.  So the bounds
 * of its later state, less the earlier value, are bounds of the events between; and so
 * are, for bfp words, those of a count of D with the unit 2^f (kmod/repr/bounds.h).
 */
#include <math.h>
#include <string.h>

#include "change.h"
#include "repr/bounds.h"

/* Of what a lossy, full or overflown counter shows, no error is known. */
const char *unsure_of(const record_t *record)
{
	if (record->flags & SCOUNTER_F_LOSSY)
		return "LOSES-COUNTS";
	if (record->flags & SCOUNTER_F_OVERFLOW)
		return "overflow";
	if (record->flags & SCOUNTER_F_SATURATED)
		return "saturated";
	return record->flags & SCOUNTER_F_PARTIAL ? "partial" : NULL;
}

double deviation_of(const record_t *record)
{
	if (unsure_of(record))
		return INFINITY;
	return (double)record->value * record->error_ppm / SCOUNTER_PPM;
}

/* When it last was 0: times on the monotonic and on the real clock. */
struct start start_of(const record_t *record)
{
	struct start start = { record->created_ns, record->created_real_ns };

	if (record->reset_ns > start.ns)
		start = (struct start) { record->reset_ns, record->reset_real_ns };
	if (record->wrapped_ns > start.ns)
		start = (struct start) { record->wrapped_ns, record->wrapped_real_ns };
	return start;
}

bool goes_on(const record_t *before, const record_t *after)
{
	return before->created_ns == after->created_ns && before->resets == after->resets &&
	       before->wraps == after->wraps && before->kind == after->kind;
}

static int exponent(const record_t *record)
{
	if (record->kind != SCOUNTER_BFP_DUP && record->kind != SCOUNTER_BFP_CSUP)
		return -1;
	return (uint32_t)record->raw[0] >> SCOUNTER_BFP_MANTISSA_BITS;
}

/* log2 of how rarely it is changed, at exponent f. */
static int unit_log2(const record_t *record, int f)
{
	uint32_t mantissa = (uint32_t)record->raw[0] & SCOUNTER_BFP_MANTISSA_MAX;
	uint32_t bound_log2 = record->parameters[2];	/* of approx, else 0 */

	if (bound_log2 && bound_log2 < 32 && f == SCOUNTER_BFP_EXPONENT_MAX)
		for (mantissa >>= bound_log2; mantissa; mantissa >>= 1)
			f++;
	return f;
}

/* Of D events, of which one in a unit is seen, the farther bound. */
static double bar_of_unit(uint64_t events, uint64_t unit, double rounding)
{
	uint64_t next = events + unit;
	double more = rounding / ((double)next * next) * SCOUNTER_VARIANCE_ONE;
	uint64_t below = events, above;

	if (unit == 1)
		return 0;
	more = fmin(more, SCOUNTER_VARIANCE_ONE);
	above = scounter_bound_above(next, scounter_unit_variance(unit, next) + (uint64_t)more,
				     SCOUNTER_EQUAL_UPPER);
	/* As a share of D that is more, but no bound is below 0. */
	more = events ? rounding / ((double)events * events) * SCOUNTER_VARIANCE_ONE : 0;
	more = fmin(more, SCOUNTER_VARIANCE_ONE);
	below -= scounter_bound_below(events, scounter_unit_variance(unit, events) + (uint64_t)more,
				      SCOUNTER_EQUAL_LOWER);
	return fmax(below, above == UINT64_MAX ? INFINITY : (double)(above - events));
}

/* The farther bound of a value, from it. */
static double bar_of(const record_t *record)
{
	double above = record->upper == UINT64_MAX ? INFINITY :
		       (double)record->upper - (double)record->value;

	return fmax((double)record->value - (double)record->lower, above);
}

/* What is known of the events between two records of one counter. */
static void set_errors(struct change *change, const record_t *before, const record_t *after)
{
	int e = exponent(before), f = exponent(after);
	double variance, rounding;

	change->deviation = unsure_of(before) ? INFINITY : deviation_of(after);
	change->bar = unsure_of(before) || unsure_of(after) ? INFINITY : bar_of(after);
	if (e < 0 || f < e || isinf(change->deviation))
		return;
	rounding = (ldexp(1, 2 * f) - ldexp(1, 2 * e)) / 3;
	variance = (double)change->events * (ldexp(1, unit_log2(after, f)) - 1) + rounding;
	change->deviation = fmin(change->deviation, sqrt(variance));
	change->bar = fmin(change->bar, bar_of_unit(change->events, 1ULL << unit_log2(after, f),
						    rounding));
}

static bool same_boot(const struct snapshot *a, const struct snapshot *b)
{
	return !memcmp(a->header.boot_id, b->header.boot_id, sizeof(a->header.boot_id));
}

double seconds_between(const struct snapshot *a, const struct snapshot *b)
{
	if (!same_boot(a, b))
		return ((double)b->header.real_ns - (double)a->header.real_ns) / 1e9;
	return ((double)b->header.monotonic_ns - (double)a->header.monotonic_ns) / 1e9;
}

struct change change_between(const struct snapshot *before, const struct snapshot *after,
			     const record_t *record)
{
	const record_t *b = snapshot_find(before, record);
	struct change change = { .before = b };
	bool fell = b && record->value < b->value;
	uint64_t start = start_of(record).ns;

	/* What was counted between them is not known: objects come and go. */
	if (record->flags & SCOUNTER_F_GAUGE) {
		change.deviation = change.bar = INFINITY;
		return change;
	}
	/* A counter that loses counts can fall by itself, one that overflows modulo 2^64. */
	if (b && same_boot(before, after) && goes_on(b, record) && (!fell || unsure_of(record))) {
		if (!fell || !(record->flags & SCOUNTER_F_LOSSY))
			change.events = record->value - b->value;
		set_errors(&change, b, record);
		change.seconds = seconds_between(before, after);
		return change;
	}
	change.restarted = b;
	change.events = record->value;
	change.deviation = deviation_of(record);
	change.bar = unsure_of(record) ? INFINITY : bar_of(record);
	if (start)
		change.seconds = ((double)after->header.monotonic_ns - (double)start) / 1e9;
	return change;
}

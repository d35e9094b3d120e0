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
 */
#include <math.h>
#include <string.h>

#include "scounter.h"

double deviation_of(const record_t *record)
{
	return (double)record->value * record->error_ppm / SCOUNTER_PPM;
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

struct change change_of(const record_t *before, const record_t *after)
{
	struct change change = { .deviation = deviation_of(after) };
	double variance;
	int e, f;

	if (!before || before->created_ns != after->created_ns ||
	    before->resets != after->resets || before->kind != after->kind ||
	    before->value > after->value) {
		change.events = after->value;
		change.restarted = true;
		return change;
	}
	change.events = after->value - before->value;
	e = exponent(before);
	f = exponent(after);
	if (e >= 0 && f >= e) {
		variance = change.events * (ldexp(1, unit_log2(after, f)) - 1) +
			    (ldexp(1, 2 * f) - ldexp(1, 2 * e)) / 3;
		change.deviation = fmin(change.deviation, sqrt(variance));
	}
	return change;
}

double seconds_between(const struct snapshot *a, const struct snapshot *b)
{
	if (memcmp(a->header.boot_id, b->header.boot_id, sizeof(a->header.boot_id)))
		return ((double)b->header.real_ns - (double)a->header.real_ns) / 1e9;
	return ((double)b->header.monotonic_ns - (double)a->header.monotonic_ns) / 1e9;
}

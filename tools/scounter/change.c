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

/* Of what a lossy, full or overflown counter shows, no error is known. */
const char *unsure_of(const record_t *record)
{
	if (record->flags & SCOUNTER_F_LOSSY)
		return "LOSES-COUNTS";
	if (record->flags & SCOUNTER_F_OVERFLOW)
		return "overflow";
	return record->flags & SCOUNTER_F_SATURATED ? "saturated" : NULL;
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

static double deviation_between(const record_t *before, const record_t *after, uint64_t events)
{
	int e = exponent(before), f = exponent(after);
	double variance;

	if (unsure_of(before))
		return INFINITY;
	if (e < 0 || f < e)
		return deviation_of(after);
	variance = (double)events * (ldexp(1, unit_log2(after, f)) - 1) +
		   (ldexp(1, 2 * f) - ldexp(1, 2 * e)) / 3;
	return unsure_of(after) ? INFINITY : fmin(deviation_of(after), sqrt(variance));
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

	/* A counter that loses counts can fall by itself, one that overflows modulo 2^64. */
	if (b && same_boot(before, after) && goes_on(b, record) && (!fell || unsure_of(record))) {
		if (!fell || !(record->flags & SCOUNTER_F_LOSSY))
			change.events = record->value - b->value;
		change.deviation = deviation_between(b, record, change.events);
		change.seconds = seconds_between(before, after);
		return change;
	}
	change.restarted = b;
	change.events = record->value;
	change.deviation = deviation_of(record);
	if (start)
		change.seconds = ((double)after->header.monotonic_ns - (double)start) / 1e9;
	return change;
}

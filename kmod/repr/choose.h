/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A type from what is known of the counts: bits of a cell and the largest count, or that
 * and the error.  Steele & Tristan 2017, section 10: "one first chooses the necessary M
 * and then calculates the appropriate value for q".
 *
 * Counts that fit are held exactly.  Of others, m is the 256th part of the states, so
 * that tables have 256 rungs, 8 KiB, and q the least that reaches the largest count.  At
 * 8 bits and below that is a Morris counter, whose error is the least of all with this
 * range.  Above, the error is little more than that, and the first m counts are exact.
 */
#ifndef _SCOUNTER_REPR_CHOOSE_H
#define _SCOUNTER_REPR_CHOOSE_H

#include "repr/bounds.h"
#include "repr/repr.h"

/* The last state may be just below 2^64. */
#define SCOUNTER_CHOOSE_MOST	(1ULL << 63)
#define SCOUNTER_CHOOSE_RUNGS	256U

/* Whether the last state of a Csuros counter stands for @most or more. */
static inline bool scounter_csuros_reaches(u32 bits, u32 q_ppm, u32 m, u64 most)
{
	struct scounter_power power = scounter_power_one();
	struct scounter_real f = scounter_real(0);
	u32 last = (1U << bits) - 1, d;

	for (d = 0; d < last / m && f.whole < most; d++) {
		f = scounter_real_sum(f, scounter_real_times(scounter_power_real(&power), m));
		/* 2^64 is beyond all that is asked for. */
		if (!scounter_power_step(&power, q_ppm))
			return true;
	}
	f = scounter_real_sum(f, scounter_real_times(scounter_power_real(&power), last % m));
	return f.whole >= most;
}

/* The least q that reaches @most, in millionths; more than 2 if none does. */
static inline u32 scounter_csuros_q_for(u32 bits, u32 m, u64 most)
{
	u32 low = SCOUNTER_REPR_MILLION, high = SCOUNTER_REPR_Q_PPM_MAX + 1;

	while (high - low > 1) {
		u32 middle = (low + high) / 2;

		if (scounter_csuros_reaches(bits, middle, m, most))
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* The error of a type that was chosen; the variance is at most xi n (n - 1) + 1 / 4. */
static inline u32 scounter_type_error_ppm(const struct scounter_array_type *type)
{
	const struct scounter_repr repr = { .type = *type };

	return type->m >= 1U << type->bits ? 0 : scounter_root_up(scounter_repr_xi(&repr, 0));
}

/* 0, or -ERANGE and why; @type changes only if 0 is returned. */
static inline int scounter_type_for(struct scounter_array_type *type, u32 bits, u64 most,
				    const char **why)
{
	u32 m, q_ppm;

	*why = "bits are 4 to 8, 10, 12 or 16";
	if (!scounter_bits_allowed(bits))
		return -ERANGE;
	*why = "the largest count is from 1 to 2^63";
	if (!most || most > SCOUNTER_CHOOSE_MOST)
		return -ERANGE;
	if (most < 1ULL << bits) {
		*type = (struct scounter_array_type){
			.kind = SCOUNTER_REPR_CSUROS2, .bits = bits, .m = 1U << bits,
		};
	} else {
		m = max((1U << bits) / SCOUNTER_CHOOSE_RUNGS, 1U);
		q_ppm = scounter_csuros_q_for(bits, m, most);
		*why = "no counter of so few bits counts so far";
		if (q_ppm > SCOUNTER_REPR_Q_PPM_MAX)
			return -ERANGE;
		*type = (struct scounter_array_type){
			.kind = m == 1 ? SCOUNTER_REPR_MORRIS : SCOUNTER_REPR_CSUROS,
			.bits = bits, .q_ppm = q_ppm, .m = m,
		};
	}
	scounter_type_fill(type);
	return 0;
}

/* The type of the fewest bits whose error is at most @error_ppm; the same. */
static inline int scounter_type_for_error(struct scounter_array_type *type, u64 most,
					  u32 error_ppm, const char **why)
{
	static const u8 widths[] = { 4, 5, 6, 7, 8, 10, 12, 16 };
	struct scounter_array_type chosen;
	u32 i;

	*why = "the largest count is from 1 to 2^63";
	if (!most || most > SCOUNTER_CHOOSE_MOST)
		return -ERANGE;
	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		if (scounter_type_for(&chosen, widths[i], most, why) ||
		    scounter_type_error_ppm(&chosen) > error_ppm)
			continue;
		*type = chosen;
		return 0;
	}
	*why = "no counter of 16 bits or less counts so far with so small an error";
	return -ERANGE;
}

#endif /* _SCOUNTER_REPR_CHOOSE_H */

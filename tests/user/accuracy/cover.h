/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How often the truth is outside of the bounds that kmod/kinds/bfp.c and kmod/kinds/value.c state,
 * from the exact distribution of the word: no run, and nothing left to chance.
 */
#ifndef _ACCURACY_COVER_H
#define _ACCURACY_COVER_H

#include <linux/scounter_word.h>

#include "law.h"

enum covered_word {
	COVER_DUP,
	COVER_APPROX,		/* alone */
	COVER_APPROX_CONTENDED,	/* every update failed once */
	COVER_CSUP,		/* the same */
	COVER_CSUP_BRIEF,	/* only as long as the exponent was below 3 */
	COVER_MORRIS,
	COVER_MORRIS_ADAPT,	/* contended from the first event on */
	COVER_MORRIS_LATE,	/* contended after 10^4 */
	COVER_SCALABLE,
	COVER_SCALABLE32,
	COVER_CAPPED,		/* at most 2^10 at once */
	COVER_SENSITIVE,	/* contended after 10^6 */
	COVERED_WORDS,
};

extern const char *const cover_names[COVERED_WORDS];

/* What kmod says of each state that the word passes. */
struct cover {
	struct law law;
	u64 least;		/* events before the first state */
	u64 certain;		/* counted beside the value, which no bound may leave out */
	u64 *value, *lower, *upper;
	u32 *error_ppm;
	u64 *word;		/* as it is in memory */
	bool narrow;		/* a word of four bytes */
	struct scounter_class class;
};

void cover_init(struct cover *cover, enum covered_word word, u32 error_ppm, u64 events_max);
/* What kmod answers in a state. */
struct scounter_estimate cover_estimate(const struct cover *cover, u64 state);
enum scounter_answer cover_reached(const struct cover *cover, u64 state, u64 limit);

void cover_free(struct cover *cover);

/* The next number of events to look at: each at first, then sixteen a doubling. */
u64 cover_next(u64 events);

/* Units that stay small for long are many steps: as far as seconds go, at most @events. */
u64 cover_last(enum covered_word word, u32 error_ppm, u64 events);

#endif /* _ACCURACY_COVER_H */

// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/scounter_word.h>
#include <math.h>
#include <stdlib.h>

#include "cover.h"
#include "util.h"

const char *const cover_names[COVERED_WORDS] = {
	[COVER_DUP]		 = "bfp_dup",
	[COVER_APPROX]		 = "approx",
	[COVER_APPROX_CONTENDED] = "approx, contended",
	[COVER_CSUP]		 = "bfp_csup, contended",
	[COVER_CSUP_BRIEF]	 = "bfp_csup, contended to 2^-3",
	[COVER_MORRIS]		 = "morris",
	[COVER_MORRIS_ADAPT]	 = "morris_adapt, contended",
	[COVER_MORRIS_LATE]	 = "morris_adapt, contended after 10^4",
	[COVER_SCALABLE]	 = "scalable",
	[COVER_SCALABLE32]	 = "scalable32",
	[COVER_CAPPED]		 = "scalable, at most 2^10 at once",
	[COVER_SENSITIVE]	 = "scalable, contended after 10^6",
};

/*
 * What an update adds, from the papers' definitions.  Of bfp the exponent is the
 * first at which the mantissa is below its bound.
 */
struct rule {
	enum covered_word word;
	double bound, early;	/* bfp: bound * (1 - early 2^-e), made even */
	u32 theta;
	u32 last;		/* exponent that grows by contention */
	u64 a, shift;		/* morris; scalable: log2 of the threshold */
};

static u64 bfp_bound(const struct rule *rule, u32 exponent)
{
	u64 bound = 2 * (u64)ceil(rule->bound * (1 - ldexp(rule->early, -(int)exponent)) / 2);

	return exponent < rule->last ? min(bound, (u64)rule->theta) : bound;
}

static u32 bfp_exponent(const struct rule *rule, u64 value)
{
	u32 exponent = 0;

	while (exponent < 15 && value >> exponent >= bfp_bound(rule, exponent))
		exponent++;
	return exponent;
}

static u64 bfp_unit(const struct rule *rule, u64 value)
{
	u32 exponent = bfp_exponent(rule, value);

	/* Only approx goes on beyond the last exponent. */
	if (rule->early && exponent == 15)
		while (value >> exponent >= (u64)rule->bound)
			exponent++;
	return 1ULL << exponent;
}

static u64 value_unit(const struct rule *rule, u64 value)
{
	u64 unit = 1;

	if (rule->a)
		return value + rule->a < 1ULL << rule->shift ? 1 : 1 + value / rule->a;
	while (value >> rule->shift)
		value >>= 1, unit *= 2;
	return rule->word == COVER_CAPPED ? min(unit, 1024ULL) : unit;
}

static struct rule rule_of(enum covered_word word, u32 error_ppm)
{
	double error = error_ppm / 1e6, square = 3 / (error * error);
	struct rule rule = { .word = word };

	rule.theta = 2 * (u32)floor((square + 3) / 8 + 1e-9);
	rule.bound = rule.theta;
	if (word == COVER_APPROX || word == COVER_APPROX_CONTENDED) {
		rule.theta = 2 * (u32)ceil((square + 3) / 8 - 1e-9);
		rule.bound = exp2(ceil(log2(rule.theta)));
		rule.early = 2 / 3.;
	} else if (word != COVER_DUP) {
		rule.bound = 1 << 28;
	}
	rule.last = word == COVER_CSUP || word == COVER_APPROX_CONTENDED ? 15 :
		    word == COVER_CSUP_BRIEF ? 3 : 0;
	if (word >= COVER_MORRIS && word <= COVER_MORRIS_LATE) {
		rule.a = (u64)ceil(square / 6 - 1e-9);
		rule.shift = (u64)ceil(log2(rule.a)) + 1;
	} else {
		rule.shift = 10;
		while (rule.shift < 15 && 4 * exp2(rule.shift) - 3 < square)
			rule.shift++;
	}
	return rule;
}

static struct scounter_class class_of(enum covered_word word, u32 error_ppm)
{
	static const enum scounter_kind kinds[COVERED_WORDS] = {
		SCOUNTER_BFP_DUP, SCOUNTER_APPROX, SCOUNTER_APPROX, SCOUNTER_BFP_CSUP,
		SCOUNTER_BFP_CSUP, SCOUNTER_MORRIS, SCOUNTER_MORRIS_ADAPT,
		SCOUNTER_MORRIS_ADAPT, SCOUNTER_SCALABLE, SCOUNTER_SCALABLE32,
		SCOUNTER_SCALABLE, SCOUNTER_SCALABLE,
	};
	struct scounter_params params = {
		.kind = kinds[word],
		.error_ppm = error_ppm,
		.flags = word == COVER_SENSITIVE ? SCOUNTER_CLASS_SENSITIVE : 0,
		.granularity_log2 = word == COVER_CAPPED ? 10 : 0,
	};
	struct scounter_class class;

	if (scounter_class_init(&class, &params))
		abort();
	return class;
}

/* As <uapi/linux/scounter.h> lays the words out. */
static u64 word_of(const struct rule *rule, u64 value, u64 least)
{
	u32 exponent = bfp_exponent(rule, value);

	if (rule->word < COVER_MORRIS)
		return (u64)exponent << 28 | value >> exponent;
	if (rule->word == COVER_MORRIS_ADAPT || rule->word == COVER_MORRIS_LATE)
		return value ? (rule->a + value) << 32 | least : least;
	return rule->word == COVER_SENSITIVE ? value | 1ULL << 63 : value;
}

struct scounter_estimate cover_estimate(const struct cover *cover, u64 state)
{
	struct scounter_word32 word32 = { .word = { cover->word[state] } };
	struct scounter_word64 word64 = { .word = { cover->word[state] } };
	struct scounter_estimate estimate;

	if (cover->narrow)
		scounter_word32_read_est(&word32, &cover->class, &estimate);
	else
		scounter_word64_read_est(&word64, &cover->class, &estimate);
	return estimate;
}

enum scounter_answer cover_reached(const struct cover *cover, u64 state, u64 limit)
{
	struct scounter_word32 word32 = { .word = { cover->word[state] } };
	struct scounter_word64 word64 = { .word = { cover->word[state] } };

	return cover->narrow ? scounter_word32_reached(&word32, &cover->class, limit) :
			       scounter_word64_reached(&word64, &cover->class, limit);
}

/* The value at which the distribution begins, and what is counted beside it. */
static u64 begins_at(enum covered_word word, u64 *least)
{
	*least = word == COVER_MORRIS_LATE ? 10000 : 0;
	return word == COVER_SENSITIVE ? 1000000 : 0;
}

void cover_init(struct cover *cover, enum covered_word word, u32 error_ppm, u64 events_max)
{
	struct rule rule = rule_of(word, error_ppm);
	u64 states = 0, i, value, start;
	double *unit;

	cover->class = class_of(word, error_ppm);
	cover->narrow = word < COVER_MORRIS || word == COVER_SCALABLE32;
	start = begins_at(word, &cover->least);
	/* There is nothing at values four times as large, as errors are 20 % at most. */
	events_max = start + 4 * (events_max - min(events_max, start)) + 1000;
	for (value = start; value < events_max; states++)
		value += word < COVER_MORRIS ? bfp_unit(&rule, value) : value_unit(&rule, value);
	cover->value = allocate(states, sizeof(u64));
	cover->lower = allocate(states, sizeof(u64));
	cover->upper = allocate(states, sizeof(u64));
	cover->error_ppm = allocate(states, sizeof(u32));
	cover->word = allocate(states, sizeof(u64));
	unit = allocate(states, sizeof(double));
	for (value = start, i = 0; i < states; value += (u64)unit[i++]) {
		struct scounter_estimate estimate;

		cover->word[i] = word_of(&rule, value, cover->least);
		estimate = cover_estimate(cover, i);
		cover->value[i] = estimate.value;
		cover->lower[i] = estimate.lower;
		cover->upper[i] = estimate.upper;
		cover->error_ppm[i] = estimate.error_ppm;
		unit[i] = word < COVER_MORRIS ? bfp_unit(&rule, value) : value_unit(&rule, value);
	}
	law_init(&cover->law, unit, states);
	cover->certain = cover->least;
	cover->least += start;
	cover->law.events = cover->least;
	free(unit);
}

void cover_free(struct cover *cover)
{
	law_free(&cover->law);
	free(cover->value);
	free(cover->lower);
	free(cover->upper);
	free(cover->error_ppm);
	free(cover->word);
}

u64 cover_last(enum covered_word word, u32 error_ppm, u64 events)
{
	if (word == COVER_CAPPED)
		return min(events, 3000000ULL);
	if (word == COVER_CSUP_BRIEF)
		return min(events, min(200ULL * rule_of(word, error_ppm).theta, 500000ULL));
	return events;
}

u64 cover_next(u64 events)
{
	return events < 64 ? events + 1 : (u64)ceil(events * exp2(1 / 16.));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The copy of the module's loops that counts alone, and the steps over trials that fail:
 * the same words, countdowns and random states as by increments of the module, one by
 * one, from the same seeds.
 */
#include <linux/kernel.h>
#include <string.h>

#include "classes.h"
#include "base/random.h"
#include "repr/value.h"
#include "suites.h"
#include "util.h"

#define PIECES		4096
#define EXPONENTS	28
/* So many events in a row are still counted one by one. */
#define FEW		(1 << 20)

/* All that the next increment depends on. */
struct state {
	u64 word;
	struct rnd_state rnd;
	struct scounter_gaps gaps;
};

static void state_of(const struct sim *sim, struct state *state)
{
	state->word = sim_word(sim);
	state->rnd = *scounter_random_get();
	scounter_random_put();
	memcpy(&state->gaps, model_left(0, 0), sizeof(state->gaps));
}

/* What is counted in pieces of about a success each. */
struct course {
	u64 start;
	u32 exponent;
	u64 seed;
	bool busted;	/* the word of TO_SUCCESS has another class */
};

static u64 piece_of(const struct course *course, u64 *seed)
{
	u64 random = next_seed(seed);

	/* Some are long, so that one takes several successes. */
	return (random & ((2ULL << course->exponent) - 1)) << (random >> 60 ? 0 : 4);
}

static u64 run(struct sim *sim, const struct course *course, enum pace pace,
	       struct state states[PIECES])
{
	u64 stream = course->seed, sizes = course->seed + 1, events = 0;
	u32 i;

	model_seed(sim->machine, &stream);
	sim_start(sim, course->start);
	sim->pace = pace;
	if (course->busted && pace == TO_SUCCESS) {
		sim->class.theta += 2;
		sim->class.limit += 2;
	}
	for (i = 0; i < PIECES; i++) {
		u64 piece = piece_of(course, &sizes);

		events += piece;
		sim_count(sim, piece);
		state_of(sim, &states[i]);
	}
	return events;
}

static bool same(struct sim *sim, const struct course *course, u64 *successes)
{
	static struct state states[PACES][PIECES];
	u64 events = run(sim, course, ALONE, states[ALONE]);
	u32 i;

	run(sim, course, TO_SUCCESS, states[TO_SUCCESS]);
	for (i = 1; i < PIECES; i++)
		*successes += states[ALONE][i].word != states[ALONE][i - 1].word;
	if (memcmp(states[ALONE], states[TO_SUCCESS], sizeof(states[ALONE])))
		return false;
	if (events > FEW)
		return true;
	run(sim, course, ONE_BY_ONE, states[ONE_BY_ONE]);
	return !memcmp(states[ALONE], states[ONE_BY_ONE], sizeof(states[ALONE]));
}

/*
 * Where a word may begin: some units below what makes its unit grow, in the middle, and
 * in a bfp word of the last exponent also beyond that.
 */
static bool start_of(const struct sim *sim, u32 exponent, u32 place, u64 *start)
{
	const struct scounter_class *class = &sim->class;
	struct scounter_bfp_policy policy = policy_of(class);
	u64 bound;

	if (!__SCOUNTER_IS_BFP(class->kind)) {
		u64 a = class->kind == SCOUNTER_MORRIS ? class->morris_a : 0;

		bound = 1ULL << (class->threshold_log2 + exponent);
		if (class->flags & SCOUNTER_CLASS_CAPPED && exponent > class->granularity_log2)
			return false;
		*start = (place ? bound / 4 * 3 : bound - (20ULL << exponent)) - a;
		return place < 2;
	}
	if (exponent > SCOUNTER_BFP_EXPONENT_MAX)
		return false;
	bound = scounter_bfp_bound(&policy, exponent);
	if (place == 2 && exponent == SCOUNTER_BFP_EXPONENT_MAX)
		bound = min_t(u64, 5 * bound, SCOUNTER_BFP_MANTISSA_MAX);
	*start = scounter_bfp_word(place == 1 ? bound / 2 : bound - min(20ULL, bound / 4),
				   exponent);
	return place < 2 || exponent == SCOUNTER_BFP_EXPONENT_MAX;
}

static bool paces_are_same(enum counted counted, bool busted)
{
	struct course course = { .seed = test_seed(), .busted = busted };
	u64 successes = 0;
	bool equal = true;
	u32 class, place;

	for (class = 0; class < CLASSES; class++) {
		for (course.exponent = 0; course.exponent < EXPONENTS; course.exponent++) {
			for (place = 0; place < 3; place++) {
				struct sim sim;

				sim_init(&sim, &machine_kmod, counted, classes[class]);
				if (!start_of(&sim, course.exponent, place, &course.start))
					continue;
				next_seed(&course.seed);
				equal &= same(&sim, &course, &successes);
			}
		}
	}
	comment("%llu pieces that changed the word", successes);
	return equal;
}

static bool test_paces(u32 which)
{
	describe("%s", counted_names[which]);
	return paces_are_same(which, false);
}

static bool test_busted(u32 which)
{
	describe("catches a threshold that differs: %s", counted_names[which ? MORRIS : DUP]);
	return !paces_are_same(which ? MORRIS : DUP, true);
}

const struct test pace_tests[] = {
	{ "counted alone as by the module", COUNTED, test_paces },
	{ "counted alone as by the module", 2, test_busted },
	{ }
};

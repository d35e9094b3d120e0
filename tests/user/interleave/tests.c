// SPDX-License-Identifier: GPL-2.0
/*
 * The explorer with toys, then the counters.  Each test is a process of its own, as
 * the module's state is.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel/counters.h"
#include "report.h"
#include "tap.h"
#include "tests.h"
#include "toys.h"

#define DRAWN		300

static bool explored(const struct explore_program *program,
		     const struct explore_options *options, struct explore_result *result)
{
	if (program && explore(program, options, result))
		return true;
	printf("# it cannot be explored\n");
	return false;
}

/* With all orders, with those that make a difference, and with random ones. */
static bool play(const struct toy *toy, bool quiet)
{
	static const struct explore_options ways[] = {
		{ .mode = EXPLORE_ALL, .every_order = true },
		{ .mode = EXPLORE_ALL },
		{ .mode = EXPLORE_RANDOM, .runs = 2000, .seed = 1 },
	};
	struct explore_result results[3];
	uint64_t outcomes[3];
	bool good = true;
	int i;

	for (i = 0; i < 3; i++) {
		if (!explored(toy_program(toy), &ways[i], &results[i]))
			return false;
		outcomes[i] = toy_outcomes();
		if (toy->fails) {
			good &= results[i].failed && strstr(results[i].message, toy->fails);
			continue;
		}
		/* Random orders need not find all. */
		good &= !results[i].failed && (i == 2 ? !(outcomes[2] & ~outcomes[0]) :
							outcomes[i] == outcomes[0]);
		good &= !toy->outcomes || i == 2 || outcomes[i] == toy->outcomes;
	}
	if (!quiet || !good)
		printf("# %s: outcomes %#llx, %#llx; %llu orders, of which %llu make a difference%s%s\n",
		       toy->name, (unsigned long long)outcomes[0],
		       (unsigned long long)outcomes[1], (unsigned long long)results[0].runs,
		       (unsigned long long)results[1].runs, toy->fails ? "; " : "",
		       toy->fails ? results[1].message : "");
	if (toy->orders)
		good &= results[0].runs == toy->orders;
	return good && results[1].runs <= results[0].runs;
}

static bool test_toys(void)
{
	const struct toy *toy;
	bool good = true;

	for (toy = toys; toy->name; toy++) {
		if (!play(toy, false)) {
			printf("# %s\n", toy->name);
			good = false;
		}
	}
	return good;
}

static bool test_drawn_toys(void)
{
	uint32_t seed;

	for (seed = 0; seed < DRAWN; seed++) {
		if (!play(toy_draw(seed), true)) {
			printf("# the program drawn from %u\n", seed);
			return false;
		}
	}
	return true;
}

/* As it must be found, and its schedule must show it again, and again. */
static bool test_replay(void)
{
	const struct counting counting = { .kind = "racing", .script = "ii,ii,rr", .tries = 1 };
	struct explore_options options = { .mode = EXPLORE_RANDOM, .runs = 1000, .seed = 5 };
	struct explore_result first, again;

	if (!explored(counting_program(&counting), &options, &first))
		return false;
	if (!first.failed)
		return false;
	options = (struct explore_options) { .mode = EXPLORE_REPLAY, .seed = first.seed,
					     .schedule = first.schedule };
	if (!explored(counting_program(&counting), &options, &again))
		return false;
	printf("# %s\n# %s\n", first.message, again.message);
	return again.failed && !strcmp(again.message, first.message) &&
	       !strcmp(again.schedule, first.schedule);
}

static bool is_right(const struct counting *counting, const struct explore_options *options)
{
	struct explore_result result;

	if (!explored(counting_program(counting), options, &result))
		return false;
	printf("# %s %s: %llu runs%s\n", counting->kind, counting->script,
	       (unsigned long long)result.runs, result.complete ? ", which are all" : "");
	if (result.failed)
		report_replay(counting, &result);
	return !result.failed && (result.complete || options->mode == EXPLORE_RANDOM);
}

static bool for_each_kind(const char *script, const struct explore_options *options,
			  const struct counting *like)
{
	const struct counter_type *type;
	bool good = true;

	for (type = counter_types; type->name; type++) {
		struct counting counting = *like;

		if (!strcmp(type->name, "racing") || !type->fetch_reset || type->threshold_log2)
			continue;
		if (like->samples && type->exact)
			continue;
		counting.kind = type->name;
		counting.script = script;
		fflush(stdout);
		good &= is_right(&counting, options);
	}
	return good;
}

static const struct explore_options all = { .mode = EXPLORE_ALL };

static bool test_count(void)
{
	return for_each_kind("ii,ai,r", &all, &(struct counting) { .tries = 4 });
}

static bool test_read(void)
{
	return for_each_kind("i,a,rr", &all, &(struct counting) { .tries = 1 });
}

static bool test_reset(void)
{
	return for_each_kind("i,a,ff", &all, &(struct counting) { .tries = 4 });
}

static bool test_two_resets(void)
{
	return for_each_kind("ai,f,f", &all, &(struct counting) { .tries = 4 });
}

static bool test_sampling(void)
{
	return for_each_kind("ii,ia,rr", &all, &(struct counting) {
			     .tries = 1, .preload = 30000, .samples = true });
}

static bool test_random(void)
{
	const struct explore_options options = { .mode = EXPLORE_RANDOM, .runs = 3000, .seed = 1 };

	return for_each_kind("iiaiiiai,aiiiIaii,rrfrrfrF", &options,
			     &(struct counting) { .tries = 1 }) &&
	       for_each_kind("iiiiiiii,aaIiiiii,rrrRrrrr", &options,
			     &(struct counting) { .tries = 1 });
}

/*
 * Increments that win beside resets: once with every kind, then all that can become of
 * the marks.  bfp_csup samples from 2^28 on.
 */
static bool test_late(void)
{
	static const struct {
		const char *kind;
		uint64_t preload;
	} kinds[] = {
		{ "bfp_dup", 30000 }, { "bfp_csup", 1 << 29 }, { "approx", 30000 },
		{ "morris", 30000 }, { "morris_adapt", 30000 }, { "scalable", 30000 },
		{ "scalable32", 30000 }, { "scalable", 1ULL << 36 },
	};
	static const char *const scripts[] = { "i,f,e", "ia,f,e", "if,i,e" };
	struct counting counting = { .tries = 0 };
	bool good = true;
	char kind[64];
	unsigned int i, j;

	counting.kind = kind;
	for (i = 0; i < 2 * sizeof(kinds) / sizeof(kinds[0]); i++) {
		snprintf(kind, sizeof(kind), "estimate-%s%s", i % 2 ? "bare-" : "",
			 kinds[i / 2].kind);
		counting.preload = kinds[i / 2].preload;
		for (j = 0; j < sizeof(scripts) / sizeof(scripts[0]); j++) {
			counting.script = scripts[j];
			good &= is_right(&counting, &all);
		}
	}
	return good;
}

static bool test_marks(void)
{
	static const struct counting marked[] = {
		{ .kind = "estimate-morris", .script = "i,fff", .preload = 30000 },
		{ .kind = "estimate-morris", .script = "i,ff,e", .preload = 30000 },
		{ .kind = "estimate-bfp_dup", .script = "i,i,ff", .preload = 30000 },
		{ .kind = "estimate-scalable32", .script = "i,f,fe", .preload = 30000 },
	};
	const struct explore_options random = { .mode = EXPLORE_RANDOM, .runs = 20000, .seed = 1 };
	const struct counting three = { .kind = "estimate-morris", .script = "i,i,ff",
					.preload = 30000 };
	/* Two bits beyond the last exponent: a fourth of the trials there succeeds. */
	const struct counting beyond = { .kind = "estimate-approx", .script = "ii,ff,ee",
					 .preload = 1ULL << 30 };
	unsigned int i;
	bool good = true;

	for (i = 0; i < sizeof(marked) / sizeof(marked[0]); i++)
		good &= is_right(&marked[i], &all);
	return good & is_right(&three, &random) & is_right(&beyond, &random);
}

/* An event that a failed swap has rounded is still an event, in a word that is exact. */
static bool test_exact_until_contended(void)
{
	const struct explore_options random = { .mode = EXPLORE_RANDOM, .runs = 20000, .seed = 1 };
	struct counting counting = { .kind = "estimate-bfp_csup", .script = "i,ii,ii",
				     .preload = 20000 };

	return is_right(&counting, &random);
}

/* Kinds that count modulo 2^64. */
static bool is_unchecked(const struct counter_type *type)
{
	return type->kind == SCOUNTER_ATOMIC || type->kind == SCOUNTER_PERCPU ||
	       type->kind == SCOUNTER_MULTILINE;
}

/* The end of 64 bits, and beyond. */
static bool is_right_beyond(struct counting *counting, bool unchecked)
{
	static const struct {
		const char *script;
		uint64_t preload;
		bool unchecked;
	} plays[] = {
		{ "i,bb,b", 1ULL << 62, false },
		/* Words of which each is below 2^63, and all together are beyond 2^64. */
		{ "e,ba,b", ~0ULL >> 1, false },
		{ "m,m", 5, true },
		/* From 2^63 + 1 to 2^64, before the addition has returned. */
		{ "e,m", (1ULL << 63) + 1, true },
		{ "i,m,f", (1ULL << 63) + 1, true },
		/* Who looked before the increments makes 2^64. */
		{ "ii,m", S64_MAX, true },
	};
	bool good = true;
	unsigned int i;

	for (i = 0; i < sizeof(plays) / sizeof(plays[0]); i++) {
		if (plays[i].unchecked != unchecked)
			continue;
		counting->script = plays[i].script;
		counting->preload = plays[i].preload;
		good &= is_right(counting, &all);
	}
	return good;
}

/* Increments and additions that lead to the end of each range at once. */
static bool test_ends(void)
{
	static const char *const scripts[] = { "i,b", "b,b", "b,f,e" };
	const struct counter_type *type;
	bool good = true;
	unsigned int i;

	for (type = counter_types; type->name; type++) {
		char kind[64];
		struct counting counting = { .kind = kind, .tries = 1 };

		if (!type->kind || type->threshold_log2 || !strcmp(type->name, "racing"))
			continue;
		snprintf(kind, sizeof(kind), "estimate-%s", type->name);
		for (i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
			counting.script = scripts[i];
			good &= is_right(&counting, &all);
		}
		good &= is_right_beyond(&counting, is_unchecked(type));
	}
	return good;
}

/* What a reset has taken does not overflow with what comes after. */
static bool test_marks_in_vain(void)
{
	static const struct {
		const char *script;
		uint64_t preload;
	} plays[] = {
		{ "l,fb", 1ULL << 62 },
		{ "e,fb", 1ULL << 62 },
		{ "cc,fb", (1ULL << 62) - 1 },
		{ "l,f", S64_MAX - 9 },
		{ "cc,f", S64_MAX - 1 },
	};
	static const char *const unchecked[] = { "atomic", "percpu", "multiline" };
	const struct explore_options random = { .mode = EXPLORE_RANDOM, .runs = 20000, .seed = 1 };
	struct counting both = { .kind = "estimate-atomic", .script = "bbf,bfb,ebe",
				 .preload = 1ULL << 62 };
	const struct counting inflated = { .kind = "estimate-multiline_adapt", .script = "e,fii",
					   .preload = SCOUNTER_ADAPT_MAX - 2 };
	bool good = is_right(&both, &random) & is_right(&inflated, &all);
	unsigned int i, j;

	for (i = 0; i < sizeof(unchecked) / sizeof(unchecked[0]); i++) {
		char kind[64];
		struct counting counting = { .kind = kind };

		snprintf(kind, sizeof(kind), "estimate-%s", unchecked[i]);
		for (j = 0; j < sizeof(plays) / sizeof(plays[0]); j++) {
			counting.script = plays[j].script;
			counting.preload = plays[j].preload;
			good &= is_right(&counting, &all);
		}
	}
	return good;
}

/* From the end to 0, beside resets and readers. */
static bool test_estimates_of_wraps(void)
{
	const struct explore_options random = { .mode = EXPLORE_RANDOM, .runs = 20000, .seed = 1 };
	const struct counting two = { .kind = "estimate-cas", .script = "b,b,ff", .full = true };
	/* Full again, so that one wraps when the other has failed. */
	const struct counting again = { .kind = "estimate-cas", .script = "b,b,fm", .full = true };
	static const char *const scripts[] = { "b,f,e", "b,ff", "b,f", "b,b" };
	static const char *const kinds[] = {
		"cas", "rbo_numa", "bfp_dup", "morris", "morris_adapt", "scalable", "scalable32",
	};
	bool good = is_right(&two, &random) & is_right(&again, &random);
	unsigned int i, j;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		char kind[64];
		struct counting counting = { .kind = kind, .tries = 1, .full = true };

		snprintf(kind, sizeof(kind), "estimate-%s", kinds[i]);
		for (j = 0; j < sizeof(scripts) / sizeof(scripts[0]); j++) {
			counting.script = scripts[j];
			good &= is_right(&counting, &all);
		}
	}
	return good;
}

/* From a count, from stripes, from a closing word, and to and fro. */
static const struct counting adapting[] = {
	{ .script = "ii,ii", .tries = 1 },
	{ .script = "i,i,r", .tries = 1 },
	{ .script = "i,t", .before = "a", .grow_rate = 1 },
	{ .script = "f,i", .before = "aw" },
	{ .script = "i,t", .before = "aw", .deflates = true },
	{ .script = "I,t", .before = "aw", .deflates = true },
	{ .script = "r,t", .before = "aw", .deflates = true },
	{ .script = "R,t", .before = "aw", .deflates = true },
	{ .script = "f,t", .before = "aw", .deflates = true },
	{ .script = "td", .before = "aw", .deflates = true },
	{ .script = "trd", .before = "aw", .deflates = true },
	{ .script = "ii,t", .before = "awn", .deflates = true },
	{ .script = "i,r", .before = "awntw", .deflates = true },
	{ .script = "f,f", .before = "awntw", .deflates = true },
	{ .script = "f,i", .before = "awntw", .deflates = true },
	/* Three at once of nearly as much as there is room for. */
	{ .script = "b,b,b", .before = "wn", .tries = 1 },
	{ .script = "b,b,b", .before = "awn" },
};

static bool test_adapt(void)
{
	unsigned int i;
	bool good = true;

	for (i = 0; i < sizeof(adapting) / sizeof(adapting[0]); i++) {
		struct counting counting = adapting[i];

		counting.kind = counting.grow_rate ? "exact" : "multiline_adapt";
		good &= is_right(&counting, &all);
	}
	return good;
}

static bool test_adapt_randomly(void)
{
	const struct explore_options options = { .mode = EXPLORE_RANDOM, .runs = 20000, .seed = 1 };
	static const struct counting long_ones[] = {
		{ .kind = "multiline_adapt", .script = "iiaiIi,aiiIai,rfrrfF", .before = "a" },
		{ .kind = "exact", .script = "iiitiiii,aiiiitii,rfrrfrrf", .before = "a",
		  .grow_rate = 1, .deflates = true },
		{ .kind = "exact", .script = "iIaIi,aIaii,trRtRr", .before = "a", .grow_rate = 1,
		  .deflates = true },
		{ .kind = "multiline_adapt", .script = "atarafatrfd", .before = "a",
		  .deflates = true },
		{ .kind = "exact", .script = "aftarafatfd", .before = "a", .grow_rate = 1,
		  .deflates = true },
		/* Closing, contended, reopened, and closed again. */
		{ .kind = "multiline_adapt", .script = "iii,iii,rtrt", .before = "awntw",
		  .deflates = true },
		{ .kind = "multiline_adapt", .script = "IiaI,aIii,ftftF", .before = "awntw",
		  .deflates = true },
		{ .kind = "multiline_adapt", .script = "b,bi,b", .before = "awntw",
		  .deflates = true },
	};
	unsigned int i;
	bool good = true;

	for (i = 0; i < sizeof(long_ones) / sizeof(long_ones[0]); i++)
		good &= is_right(&long_ones[i], &options);
	return good;
}

/*
 * Mean and variance of the error of twelve events that three CPUs count where a
 * kind samples.  The chance of 6.2 standard errors is below 1e-9, and the seeds
 * are fixed.  Each event adds its unit less one to the variance at most; the sample
 * variance of so many runs is within a tenth of the true one by far.
 */
#define MEAN_RUNS	100000

static bool mean_is_right(const char *kind, unsigned int tries, double unit)
{
	const struct counting counting = { .kind = kind, .script = "iiii,iiii,iia", .tries = tries,
					   .preload = 30000, .samples = true };
	const struct explore_options options = { .mode = EXPLORE_RANDOM, .runs = MEAN_RUNS,
						 .seed = 1 };
	const struct counting_sums *sums;
	struct explore_result result;
	double mean, variance, error;

	if (!explored(counting_program(&counting), &options, &result) || result.failed)
		return false;
	sums = counting_sums();
	mean = sums->errors / sums->runs;
	variance = sums->squares / sums->runs - mean * mean;
	error = sqrt(variance / sums->runs);
	printf("# %s: 13 events %+.4f, standard error %.4f; variance %.2f, at most %.2f\n",
	       kind, mean, error, variance, 13 * (unit - 1));
	return fabs(mean) < 6.2 * error && variance < 1.1 * 13 * (unit - 1) && variance > 1;
}

static bool test_mean(void)
{
	/* Beyond the threshold of each for an error of 1 %, at a unit of 4 or less. */
	return mean_is_right("bfp_dup", 4, 8) & mean_is_right("bfp_csup", 4, 64) &
	       mean_is_right("morris", 4, 8) & mean_is_right("morris_adapt", 0, 8) &
	       mean_is_right("scalable", 4, 8) & mean_is_right("scalable32", 4, 8);
}

static bool test_arrays(void)
{
	static const char *const kinds[] = {
		"array-csuros", "array-float", "array-shared", "array-csuros-node",
		"array-shared-cpu",
	};
	static const char *const scripts[] = { "ij,ai,r", "ia,j,rr", "ij,m,r", "m,m,i" };
	bool good = true;
	unsigned int i;

	for (i = 0; i < 5 * 4; i++) {
		struct counting counting = { .kind = kinds[i / 4], .script = scripts[i % 4] };

		good &= is_right(&counting, &all);
	}
	return good;
}

static bool test_clearing(void)
{
	static const struct counting few[] = {
		{ .kind = "array-shared-raised", .script = "c,ei" },
		{ .kind = "array-shared-raised", .script = "c,e,j" },
		{ .kind = "array-csuros-end", .script = "x,rr" },
		{ .kind = "array-csuros-end", .script = "xi,c" },
		{ .kind = "array-csuros-end", .script = "x,cr" },
		{ .kind = "array-csuros-lost", .script = "c,xr" },
		{ .kind = "array-csuros-lost", .script = "c,i,r" },
		{ .kind = "array-csuros-lost", .script = "c,x,r" },
		{ .kind = "array-csuros-mixed", .script = "c,r" },
		{ .kind = "array-csuros-mixed", .script = "m,c" },
		{ .kind = "array-csuros-mixed", .script = "cm,r" },
	};
	unsigned int i;
	bool good = true;

	for (i = 0; i < sizeof(few) / sizeof(few[0]); i++)
		good &= is_right(&few[i], &all);
	return good;
}

static bool test_topk(void)
{
	static const struct counting few[] = {
		{ .kind = "topk-lockfree", .script = "1,1", .capacity = 1 },
		{ .kind = "topk-lockfree", .script = "1,2", .capacity = 1 },
		{ .kind = "topk-lockfree", .script = "11,1", .capacity = 2 },
		{ .kind = "topk-lockfree", .script = "2,1", .before = "1", .capacity = 1 },
		{ .kind = "topk-lockfree", .script = "12,1", .capacity = 1 },
		{ .kind = "topk-cooperative", .script = "1,1", .capacity = 1 },
		{ .kind = "topk-cooperative", .script = "1,2", .capacity = 2 },
		{ .kind = "topk-cooperative", .script = "2,1", .before = "1", .capacity = 1 },
		{ .kind = "topk-cooperative", .script = "3,4", .before = "12", .capacity = 2 },
		{ .kind = "topk-cooperative", .script = "3,1", .before = "122", .capacity = 2 },
		{ .kind = "topk-cooperative", .script = "a,1", .before = "1", .capacity = 2 },
		{ .kind = "topk-cooperative", .script = "a,3", .before = "1", .capacity = 2 },
		{ .kind = "topk-cooperative", .script = "12,1", .before = "12", .capacity = 2,
		  .requests = 1 },
		{ .kind = "topk-cooperative", .script = "3,1", .before = "12", .capacity = 2,
		  .requests = 1 },
		{ .kind = "topk-cooperative", .script = "1,1", .before = "1", .capacity = 2 },
		{ .kind = "topk-independent", .script = "12,1,2", .capacity = 1 },
		{ .kind = "topk-lockfree", .script = "1,1r", .capacity = 2 },
		{ .kind = "topk-lockfree", .script = "1,r", .before = "12", .capacity = 3 },
		{ .kind = "topk-lockfree", .script = "34,r", .before = "12", .capacity = 2 },
		{ .kind = "topk-lockfree", .script = "AAA,AA", .before = "A", .capacity = 1 },
		{ .kind = "topk-lockfree", .script = "AA,AB", .before = "A", .capacity = 1 },
		{ .kind = "topk-lockfree", .script = "AA,AA,r", .before = "A", .capacity = 2 },
		/* A node that gets its cell back for another use while it is read. */
		{ .kind = "topk-lockfree", .script = "21,r", .before = "1", .capacity = 1 },
		{ .kind = "topk-cooperative", .script = "21,r", .before = "1", .capacity = 1 },
		{ .kind = "topk-lockfree", .script = "J,A", .before = "A", .capacity = 1 },
		{ .kind = "topk-cooperative", .script = "1,1r", .before = "12", .capacity = 2 },
		{ .kind = "topk-cooperative", .script = "34,r", .before = "12", .capacity = 2 },
		{ .kind = "topk-cooperative", .script = "AA,A", .before = "A", .capacity = 1 },
		{ .kind = "topk-cooperative", .script = "AA,AA", .before = "A", .capacity = 2 },
		{ .kind = "topk-cooperative", .script = "AA,Ar", .before = "A", .capacity = 2 },
		{ .kind = "topk-cooperative", .script = "J,A", .before = "A", .capacity = 1 },
	};
	unsigned int i;
	bool good = true;

	for (i = 0; i < sizeof(few) / sizeof(few[0]); i++)
		good &= is_right(&few[i], &all);
	return good;
}

static bool test_topk_randomly(void)
{
	static const struct explore_options options = { .mode = EXPLORE_RANDOM, .runs = 5000,
							.seed = 1 };
	static const char *const kinds[] = {
		"topk-lockfree", "topk-cooperative", "topk-independent",
	};
	bool good = true;
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct counting counting = { .kind = kinds[i], .script = "1213,2131,1r2r",
					     .capacity = 2 };

		good &= is_right(&counting, &options);
		counting.script = "123r,321r,4132";
		good &= is_right(&counting, &options);
		counting.capacity = 1;
		good &= is_right(&counting, &options);
		/* What is pending for one key beside what has been counted for the other. */
		counting.capacity = 2;
		counting.script = "12,1,12r";
		good &= is_right(&counting, &options);
		counting.before = "12";
		good &= is_right(&counting, &options);
		/* Slots that change hands. */
		counting.script = "AABAABAA,ABABABAB,AAArBBBr";
		good &= is_right(&counting, &options);
		counting.script = "AJCAABKC,CAJABArA,rAACKBAB";
		good &= is_right(&counting, &options);
	}
	return good;
}

/* Words that change beside a snapshot, exact ones and ones that sample. */
static bool test_records(void)
{
	const struct counter_type *type;
	bool good = true;

	for (type = counter_types; type->name; type++) {
		char kind[64];
		struct counting counting = { .kind = kind, .script = "ii,ss", .preload = 30000 };

		if (!type->kind || type->threshold_log2)
			continue;
		snprintf(kind, sizeof(kind), "record-%s", type->name);
		good &= is_right(&counting, &all);
		counting.script = "i,f,ss";
		good &= is_right(&counting, &all);
	}
	return good;
}

/* Each way to swap a word once with all that three threads can do. */
static bool test_wraps(void)
{
	static const struct {
		const char *kind, *scripts[4];
	} kinds[] = {
		{ "record-cas", { "w,ss", "ww,s", "w,f,s" } },
		{ "record-bfp_dup", { "w,ss", "ww,s" } },
		{ "record-rbo", { "w,ss", "ww,s" } },
		{ "record-cohort", { "w,ss", "ww,s" } },
		{ "record-rbo_numa", { "w,ss", "ww,s" } },
		{ "record-rbo_numa_adapt", { "w,ss", "ww,s" } },
		{ "record-multiline_adapt", { "w,ss", "ww,s" } },
		{ "record-morris", { "w,ss", "ww,s" } },
		{ "record-morris_adapt", { "w,ss", "ww,s" } },
		{ "record-scalable32", { "w,ss", "ww,s" } },
		{ "record-approx", { "w,ss", "ww,s" } },
	};
	const struct explore_options random = { .mode = EXPLORE_RANDOM, .runs = 20000, .seed = 1 };
	const struct counting two = { .kind = "record-cas", .script = "w,w,s", .full = true };
	bool good = is_right(&two, &random);
	unsigned int i, j;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		for (j = 0; j < 4 && kinds[i].scripts[j]; j++) {
			struct counting counting = {
				.kind = kinds[i].kind, .script = kinds[i].scripts[j], .full = true,
			};

			good &= is_right(&counting, &all);
		}
	}
	return good;
}

/* Large adds, and work that is left behind. */
static bool test_topk_owners(void)
{
	static const struct explore_options options = { .mode = EXPLORE_RANDOM, .runs = 5000,
							.seed = 1 };
	static const struct counting long_ones[] = {
		{ .kind = "topk-cooperative", .script = "1,2", .capacity = 1 },
		{ .kind = "topk-cooperative", .script = "A,A,r", .before = "A", .capacity = 2 },
		{ .kind = "topk-cooperative", .script = "1a2b3r,3b2a1r,r4ra21", .before = "12",
		  .capacity = 2 },
		{ .kind = "topk-cooperative", .script = "12341r,43r211,123r4", .before = "1",
		  .capacity = 3, .requests = 1 },
		{ .kind = "topk-cooperative", .script = "12341r,43r211,123r4", .before = "1",
		  .capacity = 2, .requests = 3 },
	};
	unsigned int i;
	bool good = true;

	for (i = 0; i < sizeof(long_ones) / sizeof(long_ones[0]); i++)
		good &= is_right(&long_ones[i], &options);
	return good;
}

static bool test_objects(void)
{
	return is_right(&(struct counting) { .kind = "objects", .script = "r,e" }, &all) &&
	       is_right(&(struct counting) { .kind = "objects", .script = "r,r,e" }, &all) &&
	       is_right(&(struct counting) { .kind = "objects", .script = "rr,e" }, &all) &&
	       is_right(&(struct counting) { .kind = "objects", .script = "re" }, &all);
}

static bool test_shares(void)
{
	static const char *const scripts[] = { "l,s", "l,s,l", "h,h", "h,h,g", "l,p", "sg,l" };
	bool good = true;
	unsigned int i;

	for (i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		good &= is_right(&(struct counting) { .kind = "shares", .script = scripts[i] },
				 &all);
	return good;
}

/* From the start of the range, before the end of a quarter, and before a carry. */
static bool test_pairs(void)
{
	static const char *const scripts[] = {
		"p,p,r", "pp,rr", "pP,r,p", "b,b,r", "bp,bp", "bbb,p", "b,p,R",
	};
	static const uint64_t preloads[] = { 0, (1 << 22) - 1, (1 << 24) - 1 };
	static const struct explore_options random_ones = { .mode = EXPLORE_RANDOM, .runs = 5000,
							    .seed = 1 };
	struct counting counting = { .kind = "pair" };
	bool good = true;
	unsigned int i;

	for (i = 0; i < sizeof(scripts) / sizeof(scripts[0]) * 3; i++) {
		counting.script = scripts[i / 3];
		counting.preload = preloads[i % 3];
		good &= is_right(&counting, &all);
	}
	/* More than the word has room for, between two looks of a reader. */
	counting = (struct counting) { .kind = "pair", .script = "bbbbbbbbp,r" };
	good &= is_right(&counting, &all);
	counting.script = "bbpbPb,pbbBp,rRrpr";
	return good && is_right(&counting, &random_ones);
}

static bool test_racing(void)
{
	const struct counting counting = { .kind = "racing", .script = "i,i", .tries = 1 };
	struct explore_result result;

	if (!explored(counting_program(&counting), &all, &result))
		return false;
	printf("# %s, in run %llu\n", result.message, (unsigned long long)result.runs);
	return result.failed && strstr(result.message, "2 events, of which 1");
}

static const struct tap_test tests[] = {
	{ "what toys can do, and what they cannot", test_toys },
	{ "all that other small programs can do is found", test_drawn_toys },
	{ "a schedule shows a failure again", test_replay },
	{ "racing loses a count", test_racing },
	{ "all kinds: counting, in all orders", test_count },
	{ "all kinds: reading never goes back, in all orders", test_read },
	{ "all kinds: a reset loses nothing, in all orders", test_reset },
	{ "all kinds: nor do two at once", test_two_resets },
	{ "approximate kinds that sample never go back, in all orders", test_sampling },
	{ "all kinds: long scripts, in random orders", test_random },
	{ "approximate kinds: what lands after a reset is said, in all orders", test_late },
	{ "marks are neither lost nor kept, in all orders", test_marks },
	{ "what says that it is exact is, in random orders", test_exact_until_contended },
	{ "all kinds: the end of the range, in all orders", test_ends },
	{ "no overflow is said that was none, in all orders", test_marks_in_vain },
	{ "a wrap is said beside resets, in all orders", test_estimates_of_wraps },
	{ "inflation and deflation, in all orders", test_adapt },
	{ "inflation, growth and deflation, in random orders", test_adapt_randomly },
	{ "records: value and word are of one moment, in all orders", test_records },
	{ "records: a value falls with a reset or a wrap only, in all orders", test_wraps },
	{ "objects in sysfs are gone before the module goes, in all orders", test_objects },
	{ "snapshots that are refused keep none from its share, in all orders", test_shares },
	{ "pairs: events and amounts are of one moment, in all orders", test_pairs },
	{ "arrays: counting, additions and merges, in all orders", test_arrays },
	{ "arrays that are full and cleared, in all orders", test_clearing },
	{ "tables: hits, evictions and delegation, in all orders", test_topk },
	{ "tables: long scripts and snapshots, in random orders", test_topk_randomly },
	{ "tables: owners that leave work behind, in random orders", test_topk_owners },
	{ "approximate kinds are unbiased where CPUs meet", test_mean },
};

int tests_run(const char *only)
{
	return tap_processes(tests, sizeof(tests) / sizeof(tests[0]), only, 0);
}

// SPDX-License-Identifier: GPL-2.0
/* Words: sums exact over all outcomes, never smaller, saturated at the end. */
#include <linux/kernel.h>

#include "classes.h"
#include "model.h"
#include "scripted.h"
#include "suites.h"
#include "util.h"

#define VALUE_MAX \
	((u64)SCOUNTER_BFP_MANTISSA_MAX << SCOUNTER_BFP_EXPONENT_MAX)

typedef u32 (*sum_fn)(u32 word, u64 n, const struct scounter_bfp_policy *policy,
		      struct rnd_state *rnd);

/* A rounding that is decided by the upper `bits` bits of the first draw. */
#define OUTCOME_BITS_MAX	12

static u64 thin_sum(u64 n, u32 word, u32 bits)
{
	u64 sum = 0;
	u32 draw, i;

	for (i = 0; i < 1U << bits; i++) {
		draw = bits ? i << (32 - bits) : 0;
		script(&draw, 1);
		sum += scripted_thin(n, word);
	}
	return sum;
}

/* Over all outcomes, n thinned is n on average: to the last digit. */
static bool test_thin(u32 which)
{
	u64 seed = test_seed();
	u32 e, i;

	(void)which;
	for (e = 0; e <= OUTCOME_BITS_MAX; e++) {
		u32 word = scounter_bfp_word(5, e);

		for (i = 0; i < 64; i++) {
			u64 n = i < 8 ? i : next_seed(&seed) >>
					    (22 + next_seed(&seed) % 40);

			if (thin_sum(n, word, e) != n << e)
				return false;
		}
	}
	return true;
}

/* Words and additions at all the edges, for each policy. */
struct edge {
	struct scounter_bfp_policy policy;
	u32 word;
	u64 n;		/* a multiple of the word's unit */
	bool saturates;
};

static struct edge failed_edge;

static void comment_edge(void)
{
	const struct edge *edge = &failed_edge;

	comment("word %#x, n %llu, bound %u, Theta %u, contended %u",
		edge->word, edge->n, edge->policy.bound, edge->policy.theta,
		edge->policy.contended);
}

static bool mantissa_fits(const struct edge *edge, u64 mantissa, u32 exponent)
{
	return mantissa <= SCOUNTER_BFP_MANTISSA_MAX &&
	       (mantissa < scounter_bfp_bound(&edge->policy, exponent) ||
		exponent == SCOUNTER_BFP_EXPONENT_MAX);
}

typedef bool (*edge_fn)(const struct edge *edge, sum_fn sum);

/* All mantissas and additions of note at one exponent of one policy. */
static bool for_edges_at(const struct scounter_bfp_policy *policy, u32 e,
			 edge_fn visit, sum_fn sum, u64 *seed)
{
	u32 bound = scounter_bfp_bound(policy, e), theta = policy->theta;
	const u32 mantissas[] = {
		0, 1, 2, theta / 2 - 1, theta / 2, theta / 2 + 1,
		theta - 2, theta - 1, theta, theta + 1, theta + 2,
		bound / 2 - 1, bound / 2, bound - 2, bound - 1,
		SCOUNTER_BFP_MANTISSA_MAX - 1, SCOUNTER_BFP_MANTISSA_MAX,
		next_seed(seed) % bound, next_seed(seed) % bound,
	};
	const u64 units[] = {
		1, 2, 3, theta / 2, theta - 1, theta, theta + 1,
		bound / 2, bound - 1, bound, bound + 1ULL, 2ULL * bound,
		3ULL * bound - 1, SCOUNTER_BFP_MANTISSA_MAX,
		1ULL << 29, 1ULL << 40, SCOUNTER_BFP_BEYOND >> e,
		1 + next_seed(seed) % bound, 1 + next_seed(seed) % theta,
	};
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(mantissas); i++) {
		for (j = 0; j < ARRAY_SIZE(units); j++) {
			struct edge edge = {
				.policy = *policy,
				.word = scounter_bfp_word(mantissas[i], e),
				.n = units[j] << e,
			};

			if (!mantissa_fits(&edge, mantissas[i], e) ||
			    edge.n > SCOUNTER_BFP_BEYOND)
				continue;
			edge.saturates = scounter_bfp_value(edge.word) +
					 edge.n >= VALUE_MAX;
			if (!visit(&edge, sum)) {
				failed_edge = edge;
				return false;
			}
		}
	}
	return true;
}

/* Calls visit() for the edges of all classes; false once it returns false. */
static bool for_all_edges(edge_fn visit, sum_fn sum)
{
	u64 seed = test_seed();
	u32 which, e;

	for (which = 0; which < 2 * POLICIES * CLASSES; which++) {
		struct scounter_class class = counted_class(which / 2 % POLICIES,
							    classes[which / 2 / POLICIES]);
		struct scounter_bfp_policy policy = policy_of(&class);

		policy.contended = which & 1;
		for (e = 0; e <= SCOUNTER_BFP_EXPONENT_MAX; e++)
			if (!for_edges_at(&policy, e, visit, sum, &seed))
				return false;
	}
	return true;
}

/* The average over all outcomes of the rounding is the exact sum. */
static bool sum_is_exact(const struct edge *edge, sum_fn sum)
{
	u64 exact = scounter_bfp_value(edge->word) + edge->n;
	u32 e = scounter_bfp_exponent(edge->word);
	u32 bits = scounter_bfp_growth(scounter_bfp_mantissa(edge->word) + (edge->n >> e), e,
				       &edge->policy);
	u64 all = 0;
	u32 draw, i;

	(void)sum;
	/* Close to the end rounding up saturates, which is no rounding. */
	if (exact + (1ULL << (e + bits)) > VALUE_MAX || bits > OUTCOME_BITS_MAX)
		return true;
	for (i = 0; i < 1U << bits; i++) {
		draw = bits ? i << (32 - bits) : 0;
		script(&draw, 1);
		all += scounter_bfp_value(scripted_sum(edge->word, edge->n,
						       &edge->policy));
	}
	return all == exact << bits;
}

static bool test_sum(u32 which)
{
	(void)which;
	if (for_all_edges(sum_is_exact, NULL))
		return true;
	comment_edge();
	return false;
}

/*
 * The exponent is the smallest, from that of the word on, at which the mantissa
 * is below the bound there; one more than the word's if that was contended and the
 * mantissa reaches Theta; and one more again if it was rounded up to the bound.
 */
static bool sum_obeys_policy(const struct edge *edge, sum_fn sum)
{
	static struct rnd_state rnd = { 2, 8, 16, 128 };
	const struct scounter_bfp_policy *policy = &edge->policy;
	u64 exact = scounter_bfp_value(edge->word) + edge->n;
	u32 before = scounter_bfp_exponent(edge->word);
	u32 e = before;
	u32 word;

	if (edge->saturates)
		return true;
	while (e < SCOUNTER_BFP_EXPONENT_MAX && exact >> e >= scounter_bfp_bound(policy, e))
		e++;
	if (e == before && e < SCOUNTER_BFP_EXPONENT_MAX &&
	    policy->contended && exact >> e >= policy->theta)
		e++;
	word = sum(edge->word, edge->n, policy, &rnd);
	return word == SCOUNTER_BFP_WORD_MAX ||
	       scounter_bfp_exponent(word) == e ||
	       (word == scounter_bfp_word(scounter_bfp_bound(policy, e) / 2, e + 1) &&
		exact >> e == scounter_bfp_bound(policy, e) - 1);
}

static bool test_policy(u32 which)
{
	if (which) {
		describe("catches halving without contention");
		return !for_all_edges(sum_obeys_policy, broken_sum_contended);
	}
	describe("all edges of words and additions");
	if (for_all_edges(sum_obeys_policy, scounter_bfp_sum))
		return true;
	comment_edge();
	return false;
}

/* No outcome is below the old value, or more than one unit off. */
static bool sum_goes_up(const struct edge *edge, sum_fn sum)
{
	static struct rnd_state rnd = { 2, 8, 16, 128 };
	u64 value = scounter_bfp_value(edge->word);
	u32 i;

	for (i = 0; i < 8; i++) {
		u32 word = sum(edge->word, edge->n, &edge->policy, &rnd);
		u64 now = scounter_bfp_value(word);
		u64 unit = 1ULL << scounter_bfp_exponent(word);

		if (now < value)
			return false;
		if (edge->saturates) {
			/* One below is still possible when that was rounded. */
			if (now < VALUE_MAX - unit)
				return false;
			continue;
		}
		if (now + unit <= value + edge->n || now >= value + edge->n + unit)
			return false;
		if (!mantissa_fits(edge, scounter_bfp_mantissa(word),
				   scounter_bfp_exponent(word)))
			return false;
	}
	return true;
}

static bool test_goes_up(u32 which)
{
	if (which) {
		describe("catches rounding down before adding");
		return !for_all_edges(sum_goes_up, broken_sum_down);
	}
	describe("all edges of words and additions");
	if (for_all_edges(sum_goes_up, scounter_bfp_sum))
		return true;
	comment_edge();
	return false;
}

/* Increments and additions of all sizes until nothing more fits. */
static bool stays_monotonic(const struct machine *machine, enum counted policy)
{
	u64 seed = test_seed();
	struct sim sim;
	u32 run, i;

	for (run = 0; run < 400; run++) {
		struct rival rival = { .kind = RIVAL_GROWTH };

		sim_init(&sim, machine, policy, classes[run % CLASSES]);
		seed_state(&rival.chance, &seed);
		sim_against(&sim, &rival);
		model_seed(machine, &seed);
		for (i = 0; i < 1000; i++) {
			u32 size = next_seed(&seed) % (1 + run / 10);
			u64 n = next_seed(&seed) >> (63 - size);

			if (next_seed(&seed) % 4)
				sim_count(&sim, n % 1000);
			else
				sim_add(&sim, n);
		}
		if (sim.went_down)
			return false;
	}
	return true;
}

static bool test_monotonic(u32 which)
{
	struct machine machine = machine_kmod;

	describe("%s%s, contended",
		 which < 2 ? "" : "catches rounding down before adding: ",
		 which % 2 ? "bfp_csup" : "bfp_dup");
	if (which < 2)
		return stays_monotonic(&machine, which);
	machine.hooks.sum = broken_sum_down;
	return !stays_monotonic(&machine, which - 2);
}

static bool saturates(const struct machine *machine, enum counted policy)
{
	static const u64 huge[] = {
		VALUE_MAX, VALUE_MAX + 1, 1ULL << 43, 1ULL << 62, ~0ULL >> 1,
	};
	u64 seed = test_seed();
	struct sim sim;
	u32 class, i, j;

	model_seed(machine, &seed);
	for (class = 0; class < CLASSES; class++) {
		sim_init(&sim, machine, policy, classes[class]);
		for (i = 0; i < ARRAY_SIZE(huge); i++) {
			sim_start(&sim, 0);
			sim_count(&sim, i * 1000000);
			sim_add(&sim, huge[i]);
			for (j = 0; j < 3; j++) {
				struct scounter_estimate estimate = sim_estimate(&sim);

				if (sim_word(&sim) != SCOUNTER_BFP_WORD_MAX ||
				    estimate.value != VALUE_MAX ||
				    estimate.upper != ~0ULL || sim.went_down)
					return false;
				sim_count(&sim, 1000000);
				sim_add(&sim, huge[j]);
			}
		}
		/* The last value below, and the increments that lead out. */
		sim_start(&sim, 0);
		sim_add(&sim, VALUE_MAX - (1 << SCOUNTER_BFP_EXPONENT_MAX));
		if (sim_word(&sim) != SCOUNTER_BFP_WORD_MAX - 1)
			return false;
		sim_count(&sim, 10000000);
		if (sim_word(&sim) != SCOUNTER_BFP_WORD_MAX || sim.went_down)
			return false;
	}
	return true;
}

static bool test_saturation(u32 which)
{
	struct machine machine = machine_kmod;

	describe("%s%s", which < 2 ? "" : "catches wrapping: ",
		 which % 2 ? "bfp_csup" : "bfp_dup");
	if (which < 2)
		return saturates(&machine, which);
	machine.hooks.sum = broken_sum_wraps;
	return !saturates(&machine, which - 2);
}

const struct test word_tests[] = {
	{ "thinning is unbiased over all outcomes", 1, test_thin },
	{ "a sum is unbiased over all outcomes", 1, test_sum },
	{ "the exponent grows as the policy says", 2, test_policy },
	{ "a sum is never smaller", 2, test_goes_up },
	{ "the value never goes down", 4, test_monotonic },
	{ "saturates at (2^28 - 1) * 2^15", 4, test_saturation },
	{ }
};

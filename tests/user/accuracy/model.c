// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/percpu.h>

#include "model.h"
#include "base/random.h"
#include "repr/value.h"
#include "util.h"

const struct machine machine_kmod;

const char *const counted_names[COUNTED] = {
	[DUP]		= "bfp_dup",
	[CSUP]		= "bfp_csup",
	[APPROX]	= "approx",
	[MORRIS]	= "morris",
	[SCALABLE]	= "scalable",
	[CAPPED]	= "scalable, at most 2^10 at once",
};

struct hooks hooks;
bool hooks_failed, hooks_contended;

/* The first and the last. */
static struct shim_cpu counting_cpu, rival_cpu;

/* The counter that is counted in; NULL while nobody may come between. */
static struct sim *now;
/*
 * Nor may anybody before the trial: it is only made when it succeeds, and to change the
 * word then would be to know that.
 */
static bool untried;

bool model_init(u32 cpus, u32 nodes)
{
	if (shim_cpus == (int)cpus && shim_nodes == (int)nodes)
		return false;
	if (shim_cpus)
		shim_exit();
	if (!shim_init(cpus, nodes)) {
		perror("accuracy");
		exit(2);
	}
	shim_be(cpus - 1);
	rival_cpu = shim_this;
	shim_be(0);
	counting_cpu = shim_this;
	return true;
}

void seed_state(struct rnd_state *rnd, u64 *seed)
{
	u64 high = next_seed(seed), low = next_seed(seed);

	rnd->s1 = __seed(high >> 32, 2);
	rnd->s2 = __seed((u32)high, 8);
	rnd->s3 = __seed(low >> 32, 16);
	rnd->s4 = __seed((u32)low, 128);
}

void model_seed(const struct machine *machine, u64 *seed)
{
	u64 next;

	do
		next = next_seed(seed);
	while (!next);
	scounter_random_init(next);
	if (machine->seeded)
		machine->seeded();
}

s32 *model_left(u32 cpu, u32 k)
{
	return &per_cpu_ptr(&scounter_gaps, cpu)->left[k];
}

struct scounter_class counted_class(enum counted counted, u32 error_ppm)
{
	static const enum scounter_kind kinds[COUNTED] = {
		SCOUNTER_BFP_DUP, SCOUNTER_BFP_CSUP, SCOUNTER_APPROX,
		SCOUNTER_MORRIS, SCOUNTER_SCALABLE, SCOUNTER_SCALABLE,
	};
	const struct scounter_params params = {
		.kind = kinds[counted],
		.error_ppm = error_ppm,
		.granularity_log2 = counted == CAPPED ? CAP : 0,
	};
	struct scounter_class class;

	if (scounter_class_init(&class, &params))
		abort();
	return class;
}

struct scounter_bfp_policy policy_of(const struct scounter_class *class)
{
	struct scounter_bfp_policy policy = { .bound = class->limit + 1, .theta = class->theta };

	if (class->bound_log2) {
		policy.bound = 1U << class->bound_log2;
		policy.early = scounter_bfp_approx_early(class->bound_log2);
	}
	return policy;
}

static bool is_small(const struct sim *sim)
{
	return __SCOUNTER_IS_BFP(sim->class.kind);
}

u64 sim_word(const struct sim *sim)
{
	return is_small(sim) ? (u32)sim->word32.word.counter : (u64)sim->word64.word.counter;
}

u64 sim_value(const struct sim *sim)
{
	return is_small(sim) ? scounter_word32_read(&sim->word32, &sim->class) :
			       scounter_word64_read(&sim->word64, &sim->class);
}

struct scounter_estimate sim_estimate(const struct sim *sim)
{
	struct scounter_estimate estimate;

	if (is_small(sim))
		scounter_word32_read_est(&sim->word32, &sim->class, &estimate);
	else
		scounter_word64_read_est(&sim->word64, &sim->class, &estimate);
	return estimate;
}

double sim_error(const struct sim *sim)
{
	return (double)(s64)(sim->fetched + sim_value(sim) - sim->events);
}

void sim_init(struct sim *sim, const struct machine *machine, enum counted counted,
	      u32 error_ppm)
{
	model_init(1, 1);
	*sim = (struct sim) {
		.machine = machine,
		.class = counted_class(counted, error_ppm),
	};
	if (machine->theta) {
		sim->class.theta = machine->theta(error_ppm);
		sim->class.limit = sim->class.theta - 1;
	}
	hooks = machine->hooks;
}

void sim_against(struct sim *sim, struct rival *rival)
{
	model_init(2, 1);
	sim->rival = rival;
}

static void poke(struct sim *sim, u64 word)
{
	if (is_small(sim))
		sim->word32.word.counter = word;
	else
		sim->word64.word.counter = word;
}

void sim_start(struct sim *sim, u64 word)
{
	poke(sim, word);
	sim->events = sim->seen = sim_value(sim);
	sim->fetched = 0;
}

static void look(struct sim *sim)
{
	u64 value = is_small(sim) ? scounter_bfp_value(sim_word(sim)) : sim_word(sim);

	sim->went_down |= value < sim->seen;
	sim->seen = value;
}

static void increment(struct sim *sim)
{
	now = sim;
	untried = true;
	hooks_failed = false;
	if (is_small(sim))
		scounter_word32_inc(&sim->word32, &sim->class);
	else
		scounter_word64_inc(&sim->word64, &sim->class);
	now = NULL;
	if (sim->rival)
		look(sim);
}

static void add(struct sim *sim, u64 n)
{
	now = sim;
	untried = false;
	hooks_failed = false;
	if (is_small(sim))
		scounter_word32_add(&sim->word32, &sim->class, n);
	else
		scounter_word64_add(&sim->word64, &sim->class, n);
	now = NULL;
	look(sim);
}

void sim_add(struct sim *sim, u64 n)
{
	sim->events += n;
	add(sim, n);
}

static struct scounter_value_rule rule_of(const struct scounter_class *class)
{
	return (struct scounter_value_rule) {
		.a = class->kind == SCOUNTER_MORRIS ? class->morris_a : 0,
		.shift = class->threshold_log2,
		.cap = class->flags & SCOUNTER_CLASS_CAPPED ? class->granularity_log2 : 63,
		.max = class->kind == SCOUNTER_MORRIS ? S64_MAX : SCOUNTER_SCALABLE_MAX,
	};
}

/* How many increments are to add 1 without a trial, and that of the next trial. */
static u64 plain_left(const struct sim *sim, u32 *exponent)
{
	const struct scounter_class *class = &sim->class;
	struct scounter_value_rule rule = rule_of(class);
	u64 word = sim_word(sim);

	*exponent = is_small(sim) ? scounter_bfp_exponent(word) :
				    scounter_value_exponent(word, &rule);
	return word < class->limit ? class->limit - word : 0;
}

/* All that come before an increment which changes the word, and that one. */
static u64 count_to_success(struct sim *sim, u64 events)
{
	u32 exponent;
	u64 plain = plain_left(sim, &exponent), passed = 0;
	s32 *left = model_left(shim_this.cpu, exponent);

	if (!plain && *left > 0) {
		passed = min_t(u64, *left, events);
		*left -= passed;
	} else if (plain > 1 && !sim->rival) {
		passed = min(plain, events) - 1;
		poke(sim, sim_word(sim) + passed);
	}
	if (passed == events)
		return events;
	increment(sim);
	if (sim->machine->gap && exponent && !plain) {
		*left = sim->machine->gap(scounter_random_get(), exponent);
		scounter_random_put();
	}
	return passed + 1;
}

/* As kmod/kinds/bfp.c, for a success of a word that nobody else changes. */
static u64 bfp_alone(u64 word, u32 exponent, u32 bound_log2,
		     const struct scounter_bfp_policy *policy, struct rnd_state *rnd)
{
	u32 k = exponent + scounter_bfp_bits_beyond(word, bound_log2);
	u64 n = 1ULL << exponent;

	if (scounter_bfp_mantissa(word) + 1 < scounter_bfp_bound(policy, exponent))
		return word + 1;
	if (k > exponent)
		n = scounter_bfp_thin_to(n, k, rnd);
	return n ? scounter_bfp_sum(word, n, policy, rnd) : word;
}

/* And as kmod/kinds/value.c. */
static u64 value_alone(u64 word, u32 exponent, const struct scounter_value_rule *rule,
		       struct rnd_state *rnd)
{
	u64 n = scounter_value_thin(1ULL << exponent, scounter_value_unit(word, rule), rnd);

	return n ? scounter_value_sum(word, n, rule) : word;
}

static void count_alone(struct sim *sim, u64 events)
{
	const struct scounter_class *class = &sim->class;
	struct scounter_bfp_policy policy = policy_of(class);
	struct scounter_value_rule rule = rule_of(class);
	struct rnd_state *rnd = scounter_random_get();
	u32 (*gap)(struct rnd_state *rnd, u32 k) = sim->machine->gap ?: scounter_draw_gap;
	s32 *gaps = model_left(shim_this.cpu, 0);
	u64 word = sim_word(sim);
	bool small = is_small(sim);

	while (events) {
		u32 exponent = small ? scounter_bfp_exponent(word) :
				       scounter_value_exponent(word, &rule);
		u32 drawn;
		u64 passed = word < class->limit ? class->limit - word :
							 (u64)max(gaps[exponent], 0);

		passed = min(passed, events);
		events -= passed;
		if (word < class->limit) {
			word += passed;
			continue;
		}
		gaps[exponent] -= passed;
		if (!events)
			break;
		events--;
		drawn = min_t(u32, exponent, SCOUNTER_GAP_EXPONENT_MAX);
		gaps[exponent] = exponent ? gap(rnd, drawn) : 0;
		if (scounter_draw_bits(rnd, exponent - drawn))
			continue;
		word = small ? bfp_alone(word, exponent, class->bound_log2, &policy, rnd) :
			       value_alone(word, exponent, &rule, rnd);
	}
	scounter_random_put();
	poke(sim, word);
	look(sim);
}

static bool is_hooked(const struct machine *machine)
{
	static const struct hooks none;

	return memcmp(&machine->hooks, &none, sizeof(none));
}

void sim_count(struct sim *sim, u64 events)
{
	sim->events += events;
	if (sim->pace == ALONE && !sim->rival && !is_hooked(sim->machine)) {
		count_alone(sim, events);
		return;
	}
	while (events && sim->pace == ONE_BY_ONE) {
		increment(sim);
		events--;
	}
	while (events)
		events -= count_to_success(sim, events);
}

static bool one_in(struct rival *rival, u32 n)
{
	return prandom_u32_state(&rival->chance) % n == 0;
}

/* Half of the threshold or more: as after a failure of its own, so that the unit grows. */
static void grow(struct sim *sim, u32 exponent)
{
	hooks_contended = true;
	sim_add(sim, is_small(sim) ? (sim->class.theta / 2 + 1ULL) << exponent :
				     sim_value(sim) / 2 + 1);
	hooks_contended = false;
}

static void reset(struct sim *sim)
{
	sim->fetched += is_small(sim) ? scounter_word32_fetch_reset(&sim->word32, &sim->class) :
					scounter_word64_fetch_reset(&sim->word64, &sim->class);
	sim->seen = 0;
}

static void interfere(struct sim *sim, bool swap)
{
	struct rival *rival = sim->rival;
	u32 exponent;

	plain_left(sim, &exponent);
	if ((rival->kind == RIVAL_RESET || rival->kind == RIVAL_ALL) && one_in(rival, 512))
		reset(sim);
	else if ((rival->kind == RIVAL_ALL || (rival->kind == RIVAL_GROWTH && swap)) &&
		 one_in(rival, 16))
		grow(sim, exponent);
	else if (one_in(rival, 2))
		sim_count(sim, 1 + scounter_draw_bits(&rival->chance, exponent + 1));
}

/* Before each access to an atomic word. */
void shim_access(const volatile void *address, size_t bytes, enum shim_kind_of_access access)
{
	struct sim *sim = now;
	bool failed = hooks_failed;

	(void)bytes;
	if (!sim || address != &sim->word32 || !sim->rival || sim->rival->busy)
		return;
	if (untried && access == SHIM_LOAD)
		return;
	sim->rival->busy = true;
	now = NULL;
	shim_this = rival_cpu;
	interfere(sim, access == SHIM_CAS);
	shim_this = counting_cpu;
	now = sim;
	untried = false;
	hooks_failed = failed;
	sim->rival->busy = false;
}

void shim_failed(void)
{
	if (!now)
		return;
	now->failures++;
	hooks_failed = true;
}

void shim_fence(void)
{
}

/* A CPU looks at what it has alone for a trial. */
void shim_private(const volatile void *address)
{
	(void)address;
	untried = false;
}

void shim_relax(void)
{
}

void shim_draw(void)
{
}

uint64_t shim_time(void)
{
	return 0;
}

bool shim_no_fetch_op(void)
{
	return false;
}

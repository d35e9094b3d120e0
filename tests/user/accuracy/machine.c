// SPDX-License-Identifier: GPL-2.0
/* Parts for struct machine, broken on purpose. */
#include <string.h>

#include <linux/cpumask.h>

#include "model.h"
#include "base/random.h"

/* Every CPU gets the streams of the first. */
void broken_seed_same(void)
{
	struct rnd_state first = *scounter_random_get();
	int cpu;

	for_each_possible_cpu(cpu) {
		memcpy(model_left(cpu, 0), model_left(0, 0), sizeof(struct scounter_gaps));
		shim_be(cpu);
		*scounter_random_get() = first;
	}
	shim_be(0);
}

/* The first trial of every exponent succeeds. */
void broken_seed_zero_gaps(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(model_left(cpu, 0), 0, sizeof(struct scounter_gaps));
}

/* One success, placed uniformly, in each block of 2^k trials. */
u32 broken_gap_block(struct rnd_state *rnd, u32 k)
{
	static u32 rest[SCOUNTER_TRIAL_EXPONENTS];
	u32 place = scounter_draw_bits(rnd, k);
	u32 gap = rest[k] + place;

	rest[k] = (1U << k) - 1 - place;
	return gap;
}

/* The right mean and no variance. */
u32 broken_gap_constant(struct rnd_state *rnd, u32 k)
{
	(void)rnd;
	return (1U << k) - 1;
}

/* Counts the success as one of the failures. */
u32 broken_gap_longer(struct rnd_state *rnd, u32 k)
{
	return scounter_draw_gap(rnd, k) + 1;
}

/* The last exponent is the end. */
u64 broken_thin_never(u64 n, u32 k, struct rnd_state *rnd)
{
	return scounter_bfp_thin_to(n, min_t(u32, k, SCOUNTER_BFP_EXPONENT_MAX), rnd);
}

/* Each success counts for as much as one in 2^d should. */
u64 broken_thin_always(u64 n, u32 k, struct rnd_state *rnd)
{
	u32 beyond = k > SCOUNTER_BFP_EXPONENT_MAX ? k - SCOUNTER_BFP_EXPONENT_MAX : 0;

	return scounter_bfp_thin_to(n, k - beyond, rnd) << beyond;
}

/* A fifth too small. */
u32 broken_theta(u32 error_ppm)
{
	return scounter_bfp_theta(error_ppm) * 2 / 5 * 2;
}

/* Always rounds down, and halves before it adds. */
u32 broken_sum_down(u32 word, u64 n, const struct scounter_bfp_policy *policy,
		    struct rnd_state *rnd)
{
	u32 exponent = scounter_bfp_exponent(word);
	u32 mantissa = scounter_bfp_mantissa(word);

	if (!scounter_bfp_growth(mantissa + (n >> exponent), exponent, policy))
		return scounter_bfp_sum(word, n, policy, rnd);
	return scounter_bfp_word(mantissa / 2, exponent + 1);
}

/* Halves at Theta whether contended or not. */
u32 broken_sum_contended(u32 word, u64 n,
			 const struct scounter_bfp_policy *policy,
			 struct rnd_state *rnd)
{
	struct scounter_bfp_policy always = *policy;

	always.contended = true;
	return scounter_bfp_sum(word, n, &always, rnd);
}

/* Goes on from 0 where it should saturate. */
u32 broken_sum_wraps(u32 word, u64 n, const struct scounter_bfp_policy *policy,
		     struct rnd_state *rnd)
{
	u32 sum = scounter_bfp_sum(word, n, policy, rnd);

	return sum == SCOUNTER_BFP_WORD_MAX ? 0 : sum;
}

/* Adds a little more than what the probability is the inverse of. */
u64 broken_thin_rounds_up(u64 n, u64 unit, struct rnd_state *rnd)
{
	n = scounter_value_thin(n, unit, rnd);
	return n == unit && unit > 1 ? n + n / 32 + 1 : n;
}

/* The power of two below the unit decides alone. */
u64 broken_thin_accepts(u64 n, u64 unit, struct rnd_state *rnd)
{
	(void)rnd;
	return max(n, unit);
}

/* Decides once more whether the increment counts. */
u64 broken_retry_redraw(u64 n, u64 unit, struct rnd_state *rnd)
{
	return n > unit ? n : scounter_value_thin(1, unit, rnd);
}

/* A success adds one unit, whatever one unit has become. */
u64 broken_retry_keep(u64 n, u64 unit, struct rnd_state *rnd)
{
	(void)rnd;
	return n && n < unit ? unit : n;
}

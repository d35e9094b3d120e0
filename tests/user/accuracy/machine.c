// SPDX-License-Identifier: GPL-2.0
/* The parts of struct machine: as in kmod/base/random.c, and broken on purpose. */
#include <string.h>

#include "model.h"
#include "util.h"

static void seed_state(struct rnd_state *rnd, u64 *seed)
{
	u64 high = next_seed(seed);
	u64 low = next_seed(seed);

	rnd->s1 = __seed(high >> 32, 2);
	rnd->s2 = __seed((u32)high, 8);
	rnd->s3 = __seed(low >> 32, 16);
	rnd->s4 = __seed((u32)low, 128);
}

/* scounter_random_init() for one CPU with one kind of context */
void machine_seed(struct sim_cpu *cpu, u64 *seed)
{
	u32 i;

	memset(cpu, 0, sizeof(*cpu));
	seed_state(&cpu->rnd, seed);
	for (i = 1; i <= SCOUNTER_GAP_EXPONENT_MAX; i++)
		cpu->left[i] = scounter_draw_gap(&cpu->rnd, i);
}

/* Every CPU gets the same seed. */
void broken_seed_same(struct sim_cpu *cpu, u64 *seed)
{
	u64 copy = *seed;

	machine_seed(cpu, &copy);
}

/* The first trial of every exponent succeeds. */
void broken_seed_zero_gaps(struct sim_cpu *cpu, u64 *seed)
{
	memset(cpu, 0, sizeof(*cpu));
	seed_state(&cpu->rnd, seed);
}

u32 machine_gap(struct sim_cpu *cpu, u32 k)
{
	return scounter_draw_gap(&cpu->rnd, k);
}

/* One success, placed uniformly, in each block of 2^k trials. */
u32 broken_gap_block(struct sim_cpu *cpu, u32 k)
{
	u32 place = scounter_draw_bits(&cpu->rnd, k);
	u32 gap = cpu->rest[k] + place;

	cpu->rest[k] = (1U << k) - 1 - place;
	return gap;
}

/* The right mean and no variance. */
u32 broken_gap_constant(struct sim_cpu *cpu, u32 k)
{
	(void)cpu;
	return (1U << k) - 1;
}

/* Counts the success as one of the failures. */
u32 broken_gap_longer(struct sim_cpu *cpu, u32 k)
{
	return scounter_draw_gap(&cpu->rnd, k) + 1;
}

u64 machine_thin(u64 n, u32 word, u32 shift, struct rnd_state *rnd)
{
	return scounter_bfp_thin_to(n, scounter_bfp_exponent(word) +
				       scounter_bfp_bits_beyond(word, shift), rnd);
}

/* The last exponent is the end. */
u64 broken_thin_never(u64 n, u32 word, u32 shift, struct rnd_state *rnd)
{
	(void)shift;
	return scounter_bfp_thin(n, word, rnd);
}

/* Each success counts for as much as one in 2^d should. */
u64 broken_thin_always(u64 n, u32 word, u32 shift, struct rnd_state *rnd)
{
	return scounter_bfp_thin(n, word, rnd) << scounter_bfp_bits_beyond(word, shift);
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

/* Decides once more whether the increment counts. */
u64 broken_retry_redraw(u64 n, u32 seen, struct rnd_state *rnd)
{
	if (n > 1ULL << scounter_bfp_exponent(seen))
		return n;
	return scounter_bfp_thin(1, seen, rnd);
}

/* A success adds one unit, whatever one unit has become. */
u64 broken_retry_keep(u64 n, u32 seen, struct rnd_state *rnd)
{
	u64 unit = 1ULL << scounter_bfp_exponent(seen);

	(void)rnd;
	return n && n < unit ? unit : n;
}

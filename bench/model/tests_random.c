// SPDX-License-Identifier: GPL-2.0
/* What each CPU has of its own: streams of random numbers, and its place. */
#include <stdio.h>
#include <string.h>

#include "../../tests/user/kernel/counters.h"
#include "../../tests/user/kernel/shim.h"
#include "base/random.h"
#include "model.h"
#include "tests.h"

#define CONTEXTS	4

/* The states of all CPUs and contexts, as who draws there finds them. */
static void states_of(struct rnd_state states[8][CONTEXTS])
{
	int cpu, where;

	for (cpu = 0; cpu < 8; cpu++) {
		for (where = 0; where < CONTEXTS; where++) {
			shim_be(cpu);
			shim_this.context = where;
			states[cpu][where] = *scounter_random_get();
			scounter_random_put();
		}
	}
	shim_be(0);
}

/* Each context is seeded where it draws next: as a machine loaded with that seed. */
bool test_reseed(void)
{
	static struct rnd_state before[8][CONTEXTS], after[8][CONTEXTS], loaded[8][CONTEXTS];
	int cpu, where;

	if (!begin(&two_nodes))
		return false;
	scounter_random_init(1);
	states_of(before);
	scounter_random_reseed(2);
	states_of(after);
	scounter_random_init(2);
	states_of(loaded);
	for (cpu = 0; cpu < 8; cpu++) {
		for (where = 0; where < CONTEXTS; where++) {
			if (!memcmp(&before[cpu][where], &after[cpu][where], sizeof(before[0][0])))
				return false;
			/* The countdowns were drawn from that of tasks. */
			if (where != SHIM_TASK &&
			    memcmp(&loaded[cpu][where], &after[cpu][where], sizeof(after[0][0])))
				return false;
		}
	}
	return true;
}

#define STREAMS		(8 * 4)		/* of two_nodes: a context of a CPU each */

/* How many of all words of all states are equal to another. */
static int equal_words(const u32 words[STREAMS * 4])
{
	int i, j, equal = 0;

	for (i = 0; i < STREAMS * 4; i++)
		for (j = 0; j < i; j++)
			equal += words[i] == words[j];
	return equal;
}

/*
 * Two of the 128 words are equal once in 500,000 seeds, and so is a countdown of 2^-25
 * that begins at 0 among the 312; two pairs are, or two countdowns, less than once in
 * 10^10.  The seed is fixed.
 */
bool test_streams(void)
{
	u32 words[STREAMS * 4], *to = words;
	int cpu, context, exponent, zero = 0, equal;
	const struct rnd_state *rnd;

	if (!begin(&two_nodes))
		return false;
	counters_init(1);
	for (cpu = 0; cpu < 8; cpu++) {
		shim_be(cpu);
		for (context = SHIM_TASK; context <= SHIM_NMI; context++) {
			shim_this.context = context;
			rnd = scounter_random_get();
			scounter_random_put();
			*to++ = rnd->s1;
			*to++ = rnd->s2;
			*to++ = rnd->s3;
			*to++ = rnd->s4;
		}
		shim_this.context = SHIM_TASK;
		for (exponent = 25; exponent < SCOUNTER_TRIAL_EXPONENTS; exponent++)
			zero += !raw_cpu_read(scounter_gaps.left[exponent]);
	}
	equal = equal_words(words);
	if (equal > 1 || zero > 1)
		printf("# %d pairs of words are equal, %d countdowns begin at 0\n", equal, zero);
	return equal <= 1 && zero <= 1;
}

/*
 * Up to as many as a node has, no two CPUs count in one word; and in a word that says
 * which node counted last, those of a node are one.
 */
bool test_slots(void)
{
	u64 tags[8];
	u32 slots[8];
	int cpu, other;
	bool good = true;

	if (!begin(&two_nodes))
		return false;
	counters_init(1);
	for (cpu = 0; cpu < 8; cpu++) {
		shim_be(cpu);
		slots[cpu] = __scounter_slot();
		tags[cpu] = raw_cpu_read(scounter_place.numa_tag);
		good &= slots[cpu] / SCOUNTER_COMPONENTS_MAX == (u32)shim_node_of(cpu);
		for (other = 0; other < cpu; other++) {
			good &= slots[other] != slots[cpu];
			good &= (tags[other] == tags[cpu]) ==
				(shim_node_of(other) == shim_node_of(cpu));
		}
	}
	return good;
}

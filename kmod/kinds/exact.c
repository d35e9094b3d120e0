// SPDX-License-Identifier: GPL-2.0
/*
 * atomic, percpu and multiline: one atomic word, a word a possible CPU, stripes a node.
 *
 * The value is the sum of the component words less what resets have returned.  Example:
 * components 30 and 12, of which a reset has returned 40: the value is 2.
 *
 * Components only grow, and neither a reader nor a reset writes them.  A reader that reads
 * `fetched` first and the components afterwards never gets a negative difference: it
 * finds every component at the value that went into `fetched`, or above.  A reset moves
 * `fetched` to the sum that it read, so all resets together return each event once.
 *
 * The word `count` of struct scounter is one of the components.  It has what was counted
 * before a static counter was registered, and after.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>

#include "compat.h"
#include "base/stripes.h"
#include "kinds/kind.h"
#include "kinds/marks.h"

static notrace u64 percpu_read(const struct scounter_cpu *cpu)
{
#if __SCOUNTER_PLAIN_CPU_WORDS
	return READ_ONCE(cpu->count);
#else
	return atomic64_read(&cpu->count);
#endif
}

static notrace u64 exact_components_sum(const struct scounter *counter)
{
	u64 sum = atomic64_read(&counter->count);
	u64 spread = atomic64_read(&counter->spread.word);
	struct scounter_cpu __percpu *percpu;
	int cpu;

	if (__scounter_is_stripes(spread))
		sum += scounter_stripes_sum(scounter_stripes_of(spread));
	percpu = READ_ONCE(counter->percpu);
	if (percpu)
		for_each_possible_cpu(cpu)
			sum += percpu_read(per_cpu_ptr(percpu, cpu));
	return sum;
}

static notrace bool exact_was_reset(const struct scounter *counter, u64 fetched)
{
	/* The components before this; pairs with the swap of a reset: reset-again.litmus. */
	smp_rmb();
	return atomic64_read(&counter->fetched) != fetched;
}

/*
 * A reset between the two reads leaves events in the difference that were never there
 * together: what it has returned, and what has come since.  Beyond 2^63 - 1 that would
 * say that they overflowed.
 */
static notrace u64 exact_words(const struct scounter *counter, u64 words[2])
{
	do {
		/* Pairs with the swap in exact_fetch_reset(): reset-read.litmus. */
		words[1] = atomic64_read_acquire(&counter->fetched);
		words[0] = exact_components_sum(counter);
	} while (unlikely(words[0] - words[1] > S64_MAX) &&
		 exact_was_reset(counter, words[1]));
	return words[0] - words[1];
}

static notrace u64 exact_value(const struct scounter *counter)
{
	u64 words[2];

	return exact_words(counter, words);
}

static u64 exact_read(const struct scounter_ref *ref)
{
	return exact_value(ref->counter);
}

void scounter_exact_estimate(const struct scounter *counter, u64 words[2],
			     struct scounter_estimate *estimate)
{
	u64 value = exact_words(counter, words);

	*estimate = (struct scounter_estimate) {
		.value = value, .lower = value, .upper = value,
	};
	if (value > S64_MAX) {
		estimate->flags = SCOUNTER_F_OVERFLOW;
		estimate->upper = U64_MAX;
	}
}

static void exact_read_est(const struct scounter_ref *ref,
			   struct scounter_estimate *estimate)
{
	u64 words[2];

	scounter_exact_estimate(ref->counter, words, estimate);
}

static u64 exact_fetch_reset(const struct scounter_ref *ref)
{
	s64 fetched;
	u64 sum;

	do {
		/* In each turn, as a failed swap orders nothing: reset-add.litmus. */
		fetched = atomic64_read_acquire(&ref->counter->fetched);
		sum = exact_components_sum(ref->counter);
	} while (!atomic64_try_cmpxchg(&ref->counter->fetched, &fetched, sum));
	return sum - fetched;
}

/*
 * A value beyond 2^63 - 1 shows its overflow itself, until it passes 2^64.  From then on a
 * mark shows it.  No value passes 2^64 without a mark:
 *
 * An addition of LARGE or more looks at the value first, and marks before it changes the
 * word.  All of these change the same word by compare-and-swap, so each sees the ones
 * before it.
 *
 * A smaller addition looks at the value when it has taken its word across a multiple of
 * LARGE.  Between two looks the value grows by less than LARGE a word, which is 2^54 in
 * all.  So one look falls between 2^63 and 2^64.
 *
 * An increment does not look.  2^63 of them take years, or 8192 CPUs a week.
 */
#define LARGE	BIT_ULL(40)

/* Changes nothing and returns false if another has changed the word meanwhile. */
static notrace bool exact_try_add_large(const struct scounter_ref *ref, u64 n)
{
	struct scounter *counter = ref->counter;
	/* Before the value: of large additions that come in between the swap knows. */
	s64 old = atomic64_read_acquire(&counter->count);
	u64 words[2];
	bool added;

	if (likely(exact_words(counter, words) <= S64_MAX - n))
		return atomic64_try_cmpxchg_relaxed(&counter->count, &old, old + n);
	scounter_marks_enter(ref, 0, SCOUNTER_F_OVERFLOW);
	added = atomic64_try_cmpxchg_relaxed(&counter->count, &old, old + n);
	/* A reset has taken what would have overflowed with n. */
	scounter_marks_leave(ref, added && !exact_was_reset(counter, words[1]));
	return added;
}

static notrace void exact_add_large(const struct scounter_ref *ref, u64 n)
{
	while (!exact_try_add_large(ref, n))
		;
}

static notrace void exact_look_after(const struct scounter_ref *ref, u64 word, u64 n)
{
	if (likely((word ^ (word - n)) < LARGE || exact_value(ref->counter) <= S64_MAX))
		return;
	scounter_marks_enter(ref, 0, SCOUNTER_F_OVERFLOW);
	scounter_marks_leave(ref, true);
}

static notrace void exact_add_small(const struct scounter_ref *ref, atomic64_t *word, u64 n)
{
	exact_look_after(ref, atomic64_add_return_relaxed(n, word), n);
}

static notrace void atomic_add_n(const struct scounter_ref *ref, u64 n)
{
	if (unlikely(n >= LARGE))
		exact_add_large(ref, n);
	else
		exact_add_small(ref, &ref->counter->count, n);
}

static notrace void multiline_add(const struct scounter_ref *ref, u64 n)
{
	u64 spread = atomic64_read(&ref->counter->spread.word);

	if (unlikely(n >= LARGE) || !__scounter_is_stripes(spread))
		atomic_add_n(ref, n);
	else
		exact_add_small(ref, scounter_stripes_here(scounter_stripes_of(spread)), n);
}

static notrace void percpu_add_n(const struct scounter_ref *ref, u64 n)
{
	const struct scounter *counter = ref->counter;
	struct scounter_cpu __percpu *percpu = READ_ONCE(counter->percpu);

	if (unlikely(n >= LARGE || !percpu)) {
		atomic_add_n(ref, n);
		return;
	}
#if __SCOUNTER_PLAIN_CPU_WORDS
	exact_look_after(ref, this_cpu_add_return(percpu->count, n), n);
#else
	exact_add_small(ref, &raw_cpu_ptr(percpu)->count, n);
#endif
}

static u32 exact_components_of(const struct scounter *counter)
{
	return 1 << counter->class.components_log2;
}

static int multiline_spread(struct scounter *counter, gfp_t gfp)
{
	struct scounter_stripes *stripes =
		scounter_stripes_alloc(exact_components_of(counter), gfp);

	if (!stripes)
		return -ENOMEM;
	/*
	 * A static counter may be incremented meanwhile: publish zeroed stripes.  Pairs
	 * with the address dependency of an increment: publish-stripes.litmus.
	 */
	atomic64_set_release(&counter->spread.word, scounter_stripes_word(stripes));
	return 0;
}

/* Nobody counts any more: the sum goes back to the one word. */
static void multiline_collapse(const struct scounter_ref *ref)
{
	struct scounter *counter = ref->counter;
	u64 spread = atomic64_read(&counter->spread.word);

	atomic64_set(&counter->count, exact_components_sum(counter));
	atomic64_set(&counter->spread.word, 0);
	if (__scounter_is_stripes(spread))
		scounter_stripes_free(scounter_stripes_of(spread));
}

static size_t multiline_bytes(const struct scounter *counter)
{
	return scounter_stripes_bytes(exact_components_of(counter));
}

static int percpu_spread(struct scounter *counter, gfp_t gfp)
{
	struct scounter_cpu __percpu *percpu;

	percpu = alloc_percpu_gfp(struct scounter_cpu, gfp);
	if (!percpu)
		return -ENOMEM;
	/* Zeroed words before the pointer, as in multiline_spread(). */
	smp_store_release(&counter->percpu, percpu);
	return 0;
}

static void percpu_collapse(const struct scounter_ref *ref)
{
	struct scounter *counter = ref->counter;
	struct scounter_cpu __percpu *percpu = counter->percpu;

	atomic64_set(&counter->count, exact_components_sum(counter));
	WRITE_ONCE(counter->percpu, NULL);
	free_percpu(percpu);
}

static size_t percpu_bytes(const struct scounter *counter)
{
	return num_possible_cpus() * sizeof(struct scounter_cpu);
}

const struct scounter_kind_ops scounter_atomic_ops = {
	.value_max	= &scounter_s64_max,
	.summary	= "exact; one atomic word",
	.add		= atomic_add_n,
	.read		= exact_read,
	.read_est	= exact_read_est,
	.fetch_reset	= exact_fetch_reset,
};

const struct scounter_kind_ops scounter_percpu_ops = {
	.value_max	= &scounter_s64_max,
	.summary	= "exact; a word for each possible CPU",
	.spread		= percpu_spread,
	.collapse	= percpu_collapse,
	.add		= percpu_add_n,
	.read		= exact_read,
	.read_est	= exact_read_est,
	.fetch_reset	= exact_fetch_reset,
	.spread_bytes	= percpu_bytes,
};

const struct scounter_kind_ops scounter_multiline_ops = {
	.value_max	= &scounter_s64_max,
	.summary	= "exact; stripes for each NUMA node",
	.spread		= multiline_spread,
	.collapse	= multiline_collapse,
	.add		= multiline_add,
	.read		= exact_read,
	.read_est	= exact_read_est,
	.fetch_reset	= exact_fetch_reset,
	.spread_bytes	= multiline_bytes,
};

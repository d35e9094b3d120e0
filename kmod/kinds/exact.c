// SPDX-License-Identifier: GPL-2.0
/*
 * The exact kinds: one atomic word; a word a possible CPU; lines a node.
 *
 * The value is the sum of the component words less what resets have returned.
 * Components only grow, and no reader or reset writes them.  Whoever reads
 * `fetched` first and the components afterwards therefore never gets a
 * negative difference: every component that went into `fetched` is read again
 * at that value or above.  A reset moves `fetched` to the sum it read, so that
 * all resets together return each event once.
 *
 * A component keeps the word `count` of its struct scounter beside it: it
 * holds what was counted before a static counter was registered, and after.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>

#include "compat.h"
#include "base/lines.h"
#include "kinds/kind.h"
#include "kinds/marks.h"

static u64 percpu_read(const struct scounter_cpu *cpu)
{
#if __SCOUNTER_PLAIN_CPU_WORDS
	return READ_ONCE(cpu->count);
#else
	return atomic64_read(&cpu->count);
#endif
}

static struct scounter_sum components_sum(const struct scounter *counter)
{
	struct scounter_sum sum = { .low = atomic64_read(&counter->count) };
	u64 spread = atomic64_read(&counter->spread.word);
	struct scounter_cpu __percpu *percpu;
	int cpu;

	if (__scounter_is_lines(spread))
		scounter_lines_add_to(scounter_lines_of(spread), &sum);
	percpu = READ_ONCE(counter->percpu);
	if (percpu)
		for_each_possible_cpu(cpu)
			scounter_sum_add(&sum, percpu_read(per_cpu_ptr(percpu, cpu)));
	return sum;
}

/* True if the sum was 2^64 or more: below 2^63 each, words can still be that together. */
static bool exact_words(const struct scounter *counter, u64 words[2])
{
	struct scounter_sum sum;

	/* Pairs with the swap in exact_fetch_reset(): reset-read.litmus. */
	words[1] = atomic64_read_acquire(&counter->fetched);
	sum = components_sum(counter);
	words[0] = sum.low;
	return sum.carried;
}

static u64 exact_read(const struct scounter_ref *ref)
{
	u64 words[2];

	exact_words(ref->counter, words);
	return words[0] - words[1];
}

void scounter_exact_estimate(const struct scounter *counter, u64 words[2],
			     struct scounter_estimate *estimate)
{
	bool carried = exact_words(counter, words);
	u64 value = words[0] - words[1];

	*estimate = (struct scounter_estimate) {
		.value = value, .lower = value, .upper = value,
	};
	/* After a reset the carry may be one that the reset has taken. */
	if ((carried && !words[1]) || value > S64_MAX) {
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
		/* Each time, as a swap that fails orders nothing: reset-add.litmus. */
		fetched = atomic64_read_acquire(&ref->counter->fetched);
		sum = components_sum(ref->counter).low;
	} while (!atomic64_try_cmpxchg(&ref->counter->fetched, &fetched, sum));
	return sum - fetched;
}

/*
 * A word that an add takes or leaves beyond 2^63 - 1 is beyond the range of
 * the exact kinds: no word can wrap without passing there, so no wrap of a word is
 * silent.  Several words that are below can wrap together: who reads sees the carry.
 */
static notrace void note_overflow(const struct scounter_ref *ref, s64 after, u64 n)
{
	if (unlikely(after < 0 || (s64)(after - n) < 0))
		scounter_marks_note(ref, SCOUNTER_F_OVERFLOW);
}

static notrace void word_add(const struct scounter_ref *ref, atomic64_t *word, u64 n)
{
	note_overflow(ref, atomic64_add_return_relaxed(n, word), n);
}

static notrace void atomic_add_n(const struct scounter_ref *ref, u64 n)
{
	word_add(ref, &ref->counter->count, n);
}

static notrace void multiline_add(const struct scounter_ref *ref, u64 n)
{
	struct scounter *counter = ref->counter;
	u64 spread = atomic64_read(&counter->spread.word);

	word_add(ref, __scounter_is_lines(spread) ?
		 scounter_lines_here(scounter_lines_of(spread)) : &counter->count, n);
}

static notrace void percpu_add_n(const struct scounter_ref *ref, u64 n)
{
	struct scounter *counter = ref->counter;
	struct scounter_cpu __percpu *percpu = READ_ONCE(counter->percpu);

	if (!percpu) {
		word_add(ref, &counter->count, n);
		return;
	}
#if __SCOUNTER_PLAIN_CPU_WORDS
	note_overflow(ref, this_cpu_add_return(percpu->count, n), n);
#else
	word_add(ref, &raw_cpu_ptr(percpu)->count, n);
#endif
}

static u32 components_of(const struct scounter *counter)
{
	return 1 << counter->class.shift;
}

static int multiline_spread(struct scounter *counter, gfp_t gfp)
{
	struct scounter_lines *lines =
		scounter_lines_alloc(components_of(counter), gfp);

	if (!lines)
		return -ENOMEM;
	/*
	 * A static counter may be incremented meanwhile: zeroed lines before the
	 * pointer.  The address dependency of an increment is the partner:
	 * publish-lines.litmus.
	 */
	atomic64_set_release(&counter->spread.word, scounter_lines_word(lines));
	return 0;
}

/* Nobody counts any more: what was counted goes back to the one word. */
static void multiline_collapse(const struct scounter_ref *ref)
{
	struct scounter *counter = ref->counter;
	u64 spread = atomic64_read(&counter->spread.word);

	atomic64_set(&counter->count, components_sum(counter).low);
	atomic64_set(&counter->spread.word, 0);
	if (__scounter_is_lines(spread))
		scounter_lines_free(scounter_lines_of(spread));
}

static size_t multiline_bytes(const struct scounter *counter)
{
	return scounter_lines_bytes(components_of(counter));
}

static int percpu_spread(struct scounter *counter, gfp_t gfp)
{
	struct scounter_cpu __percpu *percpu;

	percpu = alloc_percpu_gfp(struct scounter_cpu, gfp);
	if (!percpu)
		return -ENOMEM;
	/* As with the lines. */
	smp_store_release(&counter->percpu, percpu);
	return 0;
}

static void percpu_collapse(const struct scounter_ref *ref)
{
	struct scounter *counter = ref->counter;
	struct scounter_cpu __percpu *percpu = counter->percpu;

	atomic64_set(&counter->count, components_sum(counter).low);
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
	.collapse		= percpu_collapse,
	.add		= percpu_add_n,
	.read		= exact_read,
	.read_est	= exact_read_est,
	.fetch_reset	= exact_fetch_reset,
	.spread_bytes	= percpu_bytes,
};

const struct scounter_kind_ops scounter_multiline_ops = {
	.value_max	= &scounter_s64_max,
	.summary	= "exact; lines for each NUMA node",
	.spread		= multiline_spread,
	.collapse		= multiline_collapse,
	.add		= multiline_add,
	.read		= exact_read,
	.read_est	= exact_read_est,
	.fetch_reset	= exact_fetch_reset,
	.spread_bytes	= multiline_bytes,
};

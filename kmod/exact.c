// SPDX-License-Identifier: GPL-2.0
/*
 * The exact kinds: one atomic word; a word a possible CPU; a cache line a node.
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
#include <linux/nodemask.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "compat.h"
#include "kind.h"

static u64 percpu_read(const struct scounter_cpu *cpu)
{
#ifdef CONFIG_64BIT
	return READ_ONCE(cpu->count);
#else
	return atomic64_read(&cpu->count);
#endif
}

static u64 components_sum(const struct scounter *counter)
{
	struct scounter_cpu __percpu *percpu = READ_ONCE(counter->percpu);
	atomic64_t **lines = READ_ONCE(counter->lines);
	u64 sum = atomic64_read(&counter->count);
	int i;

	if (lines)
		for (i = 0; i < nr_node_ids; i++)
			sum += atomic64_read(lines[i]);
	if (percpu)
		for_each_possible_cpu(i)
			sum += percpu_read(per_cpu_ptr(percpu, i));
	return sum;
}

static u64 exact_read(struct scounter *counter)
{
	u64 fetched = atomic64_read_acquire(&counter->fetched);

	return components_sum(counter) - fetched;
}

static void exact_read_est(struct scounter *counter,
			   struct scounter_estimate *estimate)
{
	u64 value = exact_read(counter);

	*estimate = (struct scounter_estimate) {
		.value = value,
		.lower = value,
		.upper = value,
		.flags = atomic_read(&counter->flags),
	};
}

static u64 exact_fetch_reset(struct scounter *counter)
{
	s64 fetched = atomic64_read_acquire(&counter->fetched);
	u64 sum, value;

	do {
		sum = components_sum(counter);
		value = sum - fetched;
	} while (!atomic64_try_cmpxchg(&counter->fetched, &fetched, sum));
	atomic_andnot(SCOUNTER_F_OVERFLOW, &counter->flags);
	return value;
}

/*
 * A word that an add takes or leaves beyond 2^63 - 1 is beyond the range of
 * the exact kinds: no word can wrap without passing there, so no wrap is
 * silent.
 */
static void mark_overflow(struct scounter *counter, s64 after, u64 n)
{
	if (unlikely(after < 0 || (s64)(after - n) < 0))
		atomic_or(SCOUNTER_F_OVERFLOW, &counter->flags);
}

static void word_add(struct scounter *counter, atomic64_t *word, u64 n)
{
	mark_overflow(counter, atomic64_add_return_relaxed(n, word), n);
}

static void atomic_add_n(struct scounter *counter, u64 n)
{
	word_add(counter, &counter->count, n);
}

static void multiline_add(struct scounter *counter, u64 n)
{
	atomic64_t **lines = READ_ONCE(counter->lines);

	word_add(counter, lines ? lines[numa_node_id()] : &counter->count, n);
}

static void percpu_add_n(struct scounter *counter, u64 n)
{
	struct scounter_cpu __percpu *percpu = READ_ONCE(counter->percpu);

	if (!percpu) {
		word_add(counter, &counter->count, n);
		return;
	}
#ifdef CONFIG_64BIT
	mark_overflow(counter, this_cpu_add_return(percpu->count, n), n);
#else
	word_add(counter, &raw_cpu_ptr(percpu)->count, n);
#endif
}

static void lines_free(atomic64_t **lines)
{
	int node;

	for (node = 0; node < nr_node_ids; node++)
		kfree(lines[node]);
	kfree(lines);
}

/*
 * Each line is in memory of its own node, where the directory that the node's
 * cores ask for it is.  A node without memory, or offline, gets its line from
 * another: kmalloc_node() prefers the node and takes what there is.
 */
static int multiline_spread(struct scounter *counter, gfp_t gfp)
{
	atomic64_t **lines = kcalloc(nr_node_ids, sizeof(*lines), gfp);
	int node;

	if (!lines)
		return -ENOMEM;
	for (node = 0; node < nr_node_ids; node++) {
		lines[node] = kzalloc_node(L1_CACHE_BYTES, gfp,
					   node_online(node) ? node : NUMA_NO_NODE);
		if (!lines[node]) {
			lines_free(lines);
			return -ENOMEM;
		}
	}
	/*
	 * A static counter may be incremented meanwhile: zeroed lines before the
	 * pointer.  The address dependency of an increment is the partner.
	 */
	smp_store_release(&counter->lines, lines);
	return 0;
}

/* Nobody counts any more: what was counted goes back to the one word. */
static void multiline_gather(struct scounter *counter)
{
	atomic64_t **lines = counter->lines;

	atomic64_set(&counter->count, components_sum(counter));
	WRITE_ONCE(counter->lines, NULL);
	lines_free(lines);
}

static size_t multiline_bytes(void)
{
	return nr_node_ids * (sizeof(atomic64_t *) + L1_CACHE_BYTES);
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

static void percpu_gather(struct scounter *counter)
{
	struct scounter_cpu __percpu *percpu = counter->percpu;

	atomic64_set(&counter->count, components_sum(counter));
	WRITE_ONCE(counter->percpu, NULL);
	free_percpu(percpu);
}

static size_t percpu_bytes(void)
{
	return num_possible_cpus() * sizeof(struct scounter_cpu);
}

const struct scounter_kind_ops scounter_atomic_ops = {
	.name		= "atomic",
	.kind		= SCOUNTER_ATOMIC,
	.add		= atomic_add_n,
	.read		= exact_read,
	.read_est	= exact_read_est,
	.fetch_reset	= exact_fetch_reset,
};

const struct scounter_kind_ops scounter_percpu_ops = {
	.name		= "percpu",
	.kind		= SCOUNTER_PERCPU,
	.spread		= percpu_spread,
	.gather		= percpu_gather,
	.add		= percpu_add_n,
	.read		= exact_read,
	.read_est	= exact_read_est,
	.fetch_reset	= exact_fetch_reset,
	.spread_bytes	= percpu_bytes,
};

const struct scounter_kind_ops scounter_multiline_ops = {
	.name		= "multiline",
	.kind		= SCOUNTER_MULTILINE,
	.spread		= multiline_spread,
	.gather		= multiline_gather,
	.add		= multiline_add,
	.read		= exact_read,
	.read_est	= exact_read_est,
	.fetch_reset	= exact_fetch_reset,
	.spread_bytes	= multiline_bytes,
};

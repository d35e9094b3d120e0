// SPDX-License-Identifier: GPL-2.0
/*
 * rbo_numa and rbo_numa_adapt: several increments in a row come from the node that has the
 * cache line.
 *
 * Above the count the word keeps the node that counted last.  After a failed
 * compare-and-swap (CAS) a CPU of that node tries again soon.  A CPU of another node waits
 * for 8 us or so first, and for twice as long after each failure.  A failed CAS
 * still steals the cache line, so remote CPUs look twice before they try.
 *
 * A CPU that has waited for PATIENCE_NS becomes impatient: it puts its node into the
 * word's slot of starving[].  The other nodes hold off for a while, and the CPUs of the
 * starving node stop waiting.  The first of them to count takes the line there.
 *
 * starving[] is a hint.  No CPU waits for other nodes for more than WAIT_NS between two
 * tries, so neither a stalled CPU nor a node that never pauses keeps others from counting.
 * With interrupts off, and in hardirq and NMI context, no CPU waits for other nodes: there
 * the kinds are rbo.
 *
 * rbo_numa_adapt counts without a node until QUICK_TRIES at once and BACKOFF_TRIES with
 * backoff have failed.  From then on the word has a node, until it is reset.
 *
 * Dice, Lev & Moir 2013, section 2.1.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/nodemask.h>

#include "compat.h"
#include "base/backoff.h"
#include "base/stripes.h"
#include "base/random.h"
#include "kinds/kind.h"
#include "kinds/numa.h"
#include "kinds/trace.h"

#define QUICK_TRIES		3
#define BACKOFF_TRIES		16

#define LOOK_NS		128	/* between two looks at another node's word */
#define SLOW_NS		8192	/* of a remote CPU after a failure, then doubled */
#define PATIENCE_NS	65536	/* in all, until a CPU is impatient */
#define WAIT_NS		200000	/* between two tries, at most */
#define HOLD_OFF_NS	32768	/* for a starving node, before each try */
#define CHECK_NS	512	/* between two looks at who is starving */

/* How long a pause takes is measured at load: 3 to 50 ns. */
#define PAUSES_MEASURED	256
#define MEASUREMENTS	8
#define PAUSE_NS_MAX	1024

#define HAS_NODE		BIT_ULL(63)

/* Built in, words may count before scounter_numa_init(), then without a node. */
struct scounter_numa __scounter_numa = { .value_max = HAS_NODE - 1 };
EXPORT_SYMBOL_GPL(__scounter_numa);

/* By a hash of the word: 1 + the node that has waited for too long, or 0. */
#define STARVING_LOG2		6
static u32 starving[1 << STARVING_LOG2];

/* How many pauses these waits are. */
static struct {
	u32 look, slow_log2, patience, hold_off, check;
} numa_pauses;

u32 *scounter_numa_starving(const struct scounter_word64 *word)
{
	return &starving[hash_ptr(word, STARVING_LOG2)];
}

/* What PAUSES_MEASURED take, without what interrupted some of them. */
static u32 numa_measure(void)
{
	u64 least = PAUSES_MEASURED * PAUSE_NS_MAX, from, took;
	int i;

	for (i = 0; i < MEASUREMENTS; i++) {
		from = ktime_get_mono_fast_ns();
		scounter_pause(PAUSES_MEASURED);
		took = ktime_get_mono_fast_ns() - from;
		least = min(least, took);
	}
	/* A clock that stands still says nothing: 16 ns each. */
	return least ?: PAUSES_MEASURED * 16;
}

static u32 numa_pauses_of(u32 ns, u32 measured)
{
	return ns * PAUSES_MEASURED / measured ?: 1;
}

void scounter_numa_init(void)
{
	u32 measured = numa_measure();

	__scounter_numa.value_max = BIT_ULL(scounter_node_shift()) - 1;
	numa_pauses.look = numa_pauses_of(LOOK_NS, measured);
	numa_pauses.slow_log2 = ilog2(numa_pauses_of(SLOW_NS, measured));
	numa_pauses.patience = numa_pauses_of(PATIENCE_NS, measured);
	numa_pauses.hold_off = numa_pauses_of(HOLD_OFF_NS, measured);
	numa_pauses.check = numa_pauses_of(CHECK_NS, measured);
}

static notrace u64 numa_value_of(u64 word)
{
	return word & __scounter_numa.value_max;
}

static notrace bool numa_is_of(u64 word, u64 tag)
{
	return (word ^ tag) <= __scounter_numa.value_max;
}

/* What starving[] holds for the node of a tag: never 0. */
static notrace u32 numa_name_of(u64 tag)
{
	return 1 + ((tag & ~HAS_NODE) >> scounter_node_shift());
}

struct numa_try {
	u64 tag;	/* of this CPU's node */
	u32 *starving;	/* the slot of the word */
	u32 failures;
	u32 waited;	/* for other nodes, in all */
	u64 since;	/* when it first waited after the last try, or 0 */
	bool patient;	/* may wait for other nodes */
	bool starves;	/* has set *starving */
};

static notrace bool numa_is_over(struct numa_try *try)
{
	return try->since && ktime_get_mono_fast_ns() - try->since >= WAIT_NS;
}

/* False if WAIT_NS are over. */
static notrace bool numa_wait_a_bit(struct numa_try *try, u32 pauses)
{
	if (!try->since)
		try->since = ktime_get_mono_fast_ns();
	scounter_pause(pauses);
	return !numa_is_over(try);
}

/* Wait for so many pauses, until the node of @try starves, or WAIT_NS are over. */
static notrace void numa_wait_slowly(struct numa_try *try, u32 pauses)
{
	u32 waited = 0;

	while (waited < pauses && READ_ONCE(*try->starving) != numa_name_of(try->tag) &&
	       numa_wait_a_bit(try, numa_pauses.check))
		waited += numa_pauses.check;
	try->waited += waited;
}

/* Let the CPUs of a starving node go first, for a bounded time. */
static notrace void numa_hold_off(struct numa_try *try)
{
	u32 waited = 0;
	u32 node;

	while (waited < numa_pauses.hold_off) {
		node = READ_ONCE(*try->starving);
		if (!node || node == numa_name_of(try->tag) || !numa_wait_a_bit(try, numa_pauses.check))
			return;
		waited += numa_pauses.check;
	}
}

/* One at a time: not if the slot has a node, for this word or for another one. */
static notrace void numa_become_impatient(struct numa_try *try)
{
	if (try->starves || cmpxchg_relaxed(try->starving, 0, numa_name_of(try->tag)))
		return;
	try->starves = true;
	atomic_inc(&__scounter_numa.starving);
}

static notrace void numa_end_impatience(struct numa_try *try)
{
	if (!try->starves)
		return;
	WRITE_ONCE(*try->starving, 0);
	atomic_dec(&__scounter_numa.starving);
}

static notrace void numa_after_failure(struct numa_try *try, u64 seen,
				       struct rnd_state *rnd)
{
	try->failures++;
	if (!(seen & HAS_NODE) && try->failures < QUICK_TRIES)
		return;
	if (!(seen & HAS_NODE) || numa_is_of(seen, try->tag) || !try->patient) {
		scounter_backoff(try->failures, rnd);
		return;
	}
	numa_wait_slowly(try, max_t(u32, try->waited, BIT(numa_pauses.slow_log2) / 2) +
			      scounter_draw_bits(rnd, numa_pauses.slow_log2));
	if (try->waited >= numa_pauses.patience)
		numa_become_impatient(try);
}

static notrace bool numa_takes_node(const struct scounter_ref *ref, u64 seen,
				    const struct numa_try *try)
{
	return ref->class->kind == SCOUNTER_RBO_NUMA || seen & HAS_NODE ||
	       try->failures >= QUICK_TRIES + BACKOFF_TRIES;
}

static notrace bool numa_try_add(const struct scounter_ref *ref, s64 *seen, u64 n,
				 const struct numa_try *try)
{
	const u64 max = __scounter_numa.value_max;
	u64 node = numa_takes_node(ref, *seen, try) ? try->tag : 0;
	u64 old = numa_value_of(*seen);

	if (unlikely(scounter_exact_wraps(ref, old, max)))
		return scounter_wrap64(ref, seen, node);
	if (!atomic64_try_cmpxchg_relaxed(&ref->word64->word, seen,
					  scounter_exact_sum(old, n, max) | node))
		return false;
	scounter_trace_exact(ref, old, n, max);
	return true;
}

/*
 * False if another node counts: the word changes between two looks, and has not come to
 * this CPU's node.  True for a CPU that has waited for too long.
 */
static notrace bool numa_may_try(const struct scounter_ref *ref, s64 *seen,
				 struct numa_try *try)
{
	s64 first = *seen;

	if (!try->patient || !(first & HAS_NODE))
		return true;
	numa_hold_off(try);
	if (!numa_is_of(first, try->tag))
		scounter_pause(numa_pauses.look);
	*seen = atomic64_read(&ref->word64->word);
	return *seen == first || numa_is_of(*seen, try->tag) || try->starves || numa_is_over(try);
}

/* False if another CPU was faster, or if this one has to wait. */
static notrace bool numa_try_once(const struct scounter_ref *ref, s64 *seen, u64 n,
				  struct numa_try *try)
{
	try->tag = raw_cpu_read(scounter_place.numa_tag);
	*seen = atomic64_read(&ref->word64->word);
	if (numa_takes_node(ref, *seen, try) && !numa_may_try(ref, seen, try))
		return false;
	try->since = 0;
	return numa_try_add(ref, seen, n, try);
}

static notrace void numa_apply(const struct scounter_ref *ref, u64 n, u32 failures)
{
	struct numa_try try = {
		.starving = scounter_numa_starving(ref->word64),
		.failures = failures,
		.patient = !in_nmi() && !in_hardirq() && !irqs_disabled(),
	};
	struct rnd_state *rnd = scounter_random_get();
	s64 seen;

	while (!numa_try_once(ref, &seen, n, &try)) {
		numa_after_failure(&try, seen, rnd);
		if (try.starves)
			continue;
		/* Let a task run that wants this CPU, unless other nodes hold off for us. */
		scounter_random_put();
		rnd = scounter_random_get();
	}
	numa_end_impatience(&try);
	scounter_random_put();
}

static notrace void numa_finish(const struct scounter_ref *ref, u32 outcome)
{
	numa_apply(ref, 1, outcome == SCOUNTER_CONTENDED);
}

static notrace void numa_add(const struct scounter_ref *ref, u64 n)
{
	numa_apply(ref, n, 0);
}

static u64 numa_read(const struct scounter_ref *ref)
{
	return numa_value_of(atomic64_read(&ref->word64->word));
}

static void numa_read_est(const struct scounter_ref *ref,
			  struct scounter_estimate *estimate)
{
	scounter_estimate_exact(estimate, numa_read(ref), __scounter_numa.value_max);
}

static u64 numa_fetch_reset(const struct scounter_ref *ref)
{
	return numa_value_of(atomic64_xchg(&ref->word64->word, 0));
}

#define NUMA_OPS(summary_) {				\
	.word_offset	= offsetof(struct scounter, word64),	\
	.value_max	= &__scounter_numa.value_max,	\
	.summary	= summary_,			\
	.finish		= numa_finish,			\
	.add		= numa_add,			\
	.read		= numa_read,			\
	.read_est	= numa_read_est,		\
	.fetch_reset	= numa_fetch_reset,		\
}

const struct scounter_kind_ops scounter_rbo_numa_ops =
	NUMA_OPS("exact; rbo, other nodes than the last wait for longer");
const struct scounter_kind_ops scounter_rbo_numa_adapt_ops =
	NUMA_OPS("exact; rbo_numa once contended, until reset");

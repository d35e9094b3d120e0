// SPDX-License-Identifier: GPL-2.0
/*
 * multiline_adapt: one word until it is contended, then a stripe for each node.
 *
 * The word is a plain count until an increment has failed adapt_tries times.  Then it
 * becomes the address of stripes.  A stripe that takes more than grow_rate increments a
 * second makes them several a node.  After deflate_after seconds without an increment
 * the word becomes a count again.
 *
 *      count  --inflate-->  stripes  --idle: close-->  closing  --deflate-->  count
 *                             ^                          |
 *                             +---- contended: reopen ---+
 *
 * The value of a word with stripes is
 *
 *      base + the sum of the stripes + offset
 *
 * base is what the word had counted.  offset is what large additions put there, less
 * what resets have returned.  Example: a word inflates at 1000, its two stripes count 30
 * and 12, and a reset returns 1042: base is 1000, offset -1042, and the value 0.
 *
 * Stripes only grow.  A reader that reads offset first and the stripes afterwards never
 * gets less than was there.  A reset writes offset alone and disturbs no increment.
 *
 * Inflating allocates nothing, as an increment may run in any context: it takes stripes
 * that a work has made ready.  If there are none, the word stays a count, and the next
 * contended increment asks again.  A static counter inflates only while it is
 * registered: afterwards nobody would take the stripes back.
 *
 * Deflating moves the value from many words to one while others count, and in one step
 * for readers.  A closing word sends all increments to offset, by compare-and-swap.
 * Increments that had already read the address of the stripes may still add to them.
 * This ends when every task has slept once and every interrupt handler has returned.
 * Then only offset changes, until it is sealed.  With the seal the value is a constant,
 * and any CPU that finds the seal may put that constant into the word.  No CPU waits
 * for another to do so.
 *
 *	CPU 0: reads stripes' address		CPU 1: work, closing
 *	CPU 0: is preempted
 *						seal, word = value	too early!
 *	CPU 0: adds 1 to a stripe		lost
 *
 * The grace period takes from tens of milliseconds to for ever: a kernel thread may
 * never sleep.  Meanwhile the closing word is a single word.  So only an idle word
 * closes, and it gets its stripes back if CPUs contend for it before it is sealed.
 *
 * A word with stripes changes only under its lock, and so does a closing word until it
 * is sealed.
 *
 * Dice, Lev & Moir 2013, section 2.2.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/numa.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "base/backoff.h"
#include "base/stripes.h"
#include "base/random.h"
#include "kinds/adapt.h"
#include "kinds/kind.h"
#include "kinds/trace.h"

#define SAMPLE_LOG2	3
#define READY		8	/* inflated states that wait to be used */
#define PERIOD		HZ	/* between two looks at a word, or tries to get memory */
#define LOOKS_MAX	4096	/* in one run of the work */

/* offset is twice the number, plus the seal. */
#define SEALED		1

/*
 * How far a stripe may grow before an addition looks at the value.  All stripes and the
 * additions of all CPUs at once then stay below 2^61.  With a value below 2^62 the sum
 * is below 2^63, where adapt_value_at() is still right.
 */
#define STRIPES_MAX		(MAX_NUMNODES * 2ULL * SCOUNTER_COMPONENTS_MAX)
#define STRIPE_UNCHECKED	(BIT_ULL(60) / STRIPES_MAX)
#define ADD_UNCHECKED		BIT_ULL(32)
#define VALUE_CHECKED		BIT_ULL(61)

uint scounter_adapt_tries = 4;
module_param_named(adapt_tries, scounter_adapt_tries, uint, 0444);
MODULE_PARM_DESC(adapt_tries, "failed tries of one increment after which multiline_adapt inflates and morris_adapt samples (default 4)");

static uint grow_rate = 1 << 20;
module_param(grow_rate, uint, 0444);
MODULE_PARM_DESC(grow_rate, "increments a second of one stripe of an inflated counter from which its nodes get several stripes (default 2^20)");

static uint deflate_after = 5;
module_param(deflate_after, uint, 0444);
MODULE_PARM_DESC(deflate_after, "seconds without an increment after which an inflated counter becomes one word again (default 5); 0, for tests: at every look, also while it counts");

struct inflated {
	struct scounter_stripes *stripes;	/* one component a node */
	struct scounter_stripes *grown;	/* several, later, or NULL */
	u32 components;			/* that it may grow to */
	bool wraps;			/* at the end of its range, as a count */
	bool contended;			/* a compare-and-swap of offset failed */
	bool leaving;			/* adapt_deflate() is to come; under the lock */
	u64 base;
	atomic64_t offset;
	struct scounter_word64 *word;	/* NULL: destroyed, or a count again */
	const struct scounter *counter;	/* of that word, or NULL */
	raw_spinlock_t *lock;		/* of that word */
	struct rcu_head rcu;
	struct llist_node fresh;	/* on that list */
	struct llist_node dead;		/* on that list */
	/* The rest is the work's alone. */
	struct list_head watched;
	unsigned long looked;		/* when last looked at, in jiffies, */
	unsigned long busy;		/* and found to have counted */
	u64 sum;			/* of the stripes then */
	u64 seen[];			/* by node: the stripe then */
};

/*
 * The lock of a word keeps the word's memory: adapt_collapse() takes it before the
 * memory goes, even if the word is a count.  An increment that found the seal may have
 * made it one, and then adapt_deflate() is still to look at the word.
 */
#define LOCKS_LOG2	6
static raw_spinlock_t locks[1 << LOCKS_LOG2];

static struct inflated *ready[READY];
static unsigned long period = PERIOD;
static bool none_ready;		/* the work has been asked for some */
static LLIST_HEAD(fresh);	/* inflated since the work ran */
static LLIST_HEAD(dead);	/* to be freed */
static LIST_HEAD(watched);	/* all others; the work's alone */

/*
 * Refilling may wait for memory.  Tending waits for nothing.  Its timer is deferrable:
 * an idle machine does not wake up to look at counters in which nobody counts.  A late
 * look goes by the time that has passed.  It costs time or memory, never counts.
 */
static void adapt_refill(struct work_struct *work);
static DECLARE_DELAYED_WORK(refill_work, adapt_refill);
static void adapt_tend(struct work_struct *work);
static DECLARE_DEFERRABLE_WORK(tend_work, adapt_tend);

static void adapt_refill_soon(struct irq_work *work)
{
	mod_delayed_work(scounter_unbound_wq, &refill_work, 0);
}

static void adapt_tend_soon(struct irq_work *work)
{
	mod_delayed_work(scounter_unbound_wq, &tend_work, 0);
}

/* An irq_work can be queued in NMI context, and a work cannot. */
static DEFINE_IRQ_WORK(refill_irq_work, adapt_refill_soon);
static DEFINE_IRQ_WORK(tend_irq_work, adapt_tend_soon);

static notrace raw_spinlock_t *adapt_lock_of(const struct scounter_word64 *word)
{
	return &locks[hash_ptr(word, LOCKS_LOG2)];
}

static notrace bool adapt_is_plain(s64 word)
{
	return !(word & SCOUNTER_SPREAD_STRIPES);
}

static notrace bool adapt_is_closing(u64 word)
{
	return (word & SCOUNTER_SPREAD_STRIPES) == SCOUNTER_SPREAD_CLOSING;
}

static notrace u64 closing_word(struct inflated *inflated)
{
	return SCOUNTER_SPREAD_CLOSING | (unsigned long)inflated >> 2;
}

static notrace struct inflated *inflated_of(u64 word)
{
	if (__scounter_is_stripes(word))
		return scounter_stripes_of(word)->owner;
	return (struct inflated *)(unsigned long)(word << 2);
}

static notrace u64 adapt_grown_part(const struct inflated *inflated)
{
	u64 sum = inflated->base + scounter_stripes_sum(inflated->stripes);
	struct scounter_stripes *grown = READ_ONCE(inflated->grown);

	return grown ? sum + scounter_stripes_sum(grown) : sum;
}

/*
 * Computed from twice the sum, modulo 2^64, as offset itself is: stripes only grow and
 * may pass 2^62 with resets in between, and the value is still right.
 */
static notrace u64 adapt_value_at(u64 sum, u64 offset)
{
	return min_t(u64, (2 * sum + (offset & ~(u64)SEALED)) >> 1, SCOUNTER_ADAPT_MAX);
}

static notrace bool inflated_was_reset(const struct inflated *inflated, s64 offset)
{
	/* The stripes before this; pairs with the swap of a reset: reset-again.litmus. */
	smp_rmb();
	return atomic64_read(&inflated->offset) != offset;
}

/* A reset between the reads could make a value at the end of the range, as in exact.c. */
static notrace u64 inflated_value(const struct inflated *inflated)
{
	s64 offset;
	u64 value;

	do {
		/*
		 * Before the stripes: pairs with the swap of a reset (reset-read.litmus)
		 * and with the seal (seal.litmus).
		 */
		offset = atomic64_read_acquire(&inflated->offset);
		value = adapt_value_at(adapt_grown_part(inflated), offset);
	} while (unlikely(value == SCOUNTER_ADAPT_MAX) && inflated_was_reset(inflated, offset));
	return value;
}

static struct inflated *inflated_alloc(gfp_t gfp)
{
	struct inflated *inflated =
		kzalloc(struct_size(inflated, seen, scounter_nodes), gfp);

	if (!inflated)
		return NULL;
	inflated->stripes = scounter_stripes_alloc(1, gfp);
	if (!inflated->stripes) {
		kfree(inflated);
		return NULL;
	}
	inflated->stripes->owner = inflated;
	INIT_LIST_HEAD(&inflated->watched);
	return inflated;
}

static void inflated_free(struct inflated *inflated)
{
	scounter_stripes_free(inflated->stripes);
	scounter_stripes_free(inflated->grown);
	kfree(inflated);
}

static notrace struct inflated *adapt_take_ready(void)
{
	struct inflated *inflated = NULL;
	u32 i;

	for (i = 0; i < READY && !inflated; i++)
		if (READ_ONCE(ready[i]))
			inflated = xchg(&ready[i], NULL);
	/* Before the work is queued: the work clears it. */
	if (!inflated)
		WRITE_ONCE(none_ready, true);
	irq_work_queue(&refill_irq_work);
	return inflated;
}

static notrace bool adapt_give_back(struct inflated *inflated)
{
	u32 i;

	for (i = 0; i < READY; i++) {
		if (!READ_ONCE(ready[i]) && !cmpxchg(&ready[i], NULL, inflated)) {
			WRITE_ONCE(none_ready, false);
			return true;
		}
	}
	return false;
}

static notrace void adapt_bury(struct inflated *inflated)
{
	llist_add(&inflated->dead, &dead);
	irq_work_queue(&tend_irq_work);
}

/* Returns false if another CPU changed the word. */
static notrace bool adapt_publish(const struct scounter_ref *ref, s64 seen,
				  struct inflated *inflated)
{
	inflated->base = seen;
	inflated->sum = seen;
	inflated->looked = jiffies;
	inflated->busy = jiffies;
	inflated->word = ref->word64;
	inflated->counter = ref->counter;
	inflated->lock = adapt_lock_of(ref->word64);
	inflated->components = 1 << ref->class->components_log2;
	inflated->wraps = ref->class->flags & SCOUNTER_CLASS_WRAP;
	/*
	 * A full barrier: all of it before the address of the stripes.  Pairs with the
	 * acquires of readers, and with the address dependency of increments:
	 * inflate.litmus, publish-stripes.litmus.
	 */
	if (atomic64_cmpxchg(&ref->word64->word, seen,
			     scounter_stripes_word(inflated->stripes)) != seen) {
		if (!adapt_give_back(inflated))
			adapt_bury(inflated);
		return false;
	}
	if (llist_add(&inflated->fresh, &fresh))
		irq_work_queue(&tend_irq_work);
	if (trace_scounter_inflate_enabled())
		scounter_trace_word(SCOUNTER_INFLATE, ref->counter, ref->word64,
				    SCOUNTER_MULTILINE_ADAPT, seen);
	return true;
}

/*
 * A contended increment asks at every try.  While the work makes stripes, to ask is one
 * load.  It writes to the contended cache line of the counter the first time only.
 */
static notrace void adapt_note_deferred(struct scounter *counter, bool asked)
{
	if (counter && (!asked || !atomic_read(&counter->deferred)))
		atomic_inc(&counter->deferred);
}

/*
 * Returns false if there are no stripes, or another CPU changed the word.  A word at the
 * end of its range does not inflate: its increments change nothing, so none fails.
 */
static notrace bool adapt_inflate(const struct scounter_ref *ref, s64 seen)
{
	bool asked = READ_ONCE(none_ready);
	struct inflated *inflated;

	if (seen == SCOUNTER_ADAPT_MAX ||
	    (ref->counter && !READ_ONCE(ref->counter->may_inflate)))
		return false;
	inflated = asked ? NULL : adapt_take_ready();
	if (inflated)
		return adapt_publish(ref, seen, inflated);
	adapt_note_deferred(ref->counter, asked);
	return false;
}

/* The offset is sealed: the value is a constant.  The first CPU puts it into the word. */
static notrace void adapt_unspread(struct scounter_word64 *word, struct inflated *inflated)
{
	u64 closing = closing_word(inflated), value = inflated_value(inflated);

	if (atomic64_cmpxchg(&word->word, closing, value) == (s64)closing &&
	    trace_scounter_deflate_enabled())
		scounter_trace_word(SCOUNTER_DEFLATE, inflated->counter, word,
				    SCOUNTER_MULTILINE_ADAPT, value);
}

/* CPUs contend for offset: a closing word is not idle. */
static notrace void adapt_note_contended(struct inflated *inflated)
{
	if (READ_ONCE(inflated->contended))
		return;
	WRITE_ONCE(inflated->contended, true);
	irq_work_queue(&tend_irq_work);
}

/* Returns false if the offset is sealed. */
static notrace bool adapt_try_offset_add(struct scounter_word64 *word,
					 struct inflated *inflated, s64 *offset, u64 n)
{
	u64 room = U64_MAX;

	/* The value stops at the end of the range. */
	if (n > 1) {
		room = SCOUNTER_ADAPT_MAX - adapt_value_at(adapt_grown_part(inflated), *offset);
		n = min(n, room);
	}
	if (!atomic64_try_cmpxchg(&inflated->offset, offset, *offset + 2 * (s64)n))
		return false;
	if (n && n == room && trace_scounter_saturate_enabled())
		scounter_trace_word(SCOUNTER_SATURATE, inflated->counter, word,
				    SCOUNTER_MULTILINE_ADAPT, SCOUNTER_ADAPT_MAX);
	return true;
}

/* False if the offset is sealed: the word is a count again. */
static notrace bool adapt_offset_add(struct scounter_word64 *word,
				     struct inflated *inflated, u64 n)
{
	s64 offset;

	for (;;) {
		/* Each time, as a swap that fails orders nothing: reset-add.litmus. */
		offset = atomic64_read_acquire(&inflated->offset);
		if (offset & SEALED) {
			adapt_unspread(word, inflated);
			return false;
		}
		if (adapt_try_offset_add(word, inflated, &offset, n))
			return true;
		adapt_note_contended(inflated);
	}
}

/*
 * No stripe may wrap, and the value may not pass 2^63.  A look at the value before the
 * addition is not enough for large ones: eight CPUs may each find 2^61 and add 2^61, and
 * the sum passes 2^64.  Large additions, and all near the end of the range, go to
 * offset, where each sees the ones before it.
 */
static notrace bool adapt_fits_stripe(struct inflated *inflated, const atomic64_t *stripe, u64 n)
{
	if (n >= ADD_UNCHECKED)
		return false;
	return (u64)atomic64_read(stripe) < STRIPE_UNCHECKED ||
	       inflated_value(inflated) < VALUE_CHECKED;
}

static notrace bool inflated_add(struct scounter_word64 *word, u64 seen, u64 n)
{
	struct inflated *inflated = inflated_of(seen);
	atomic64_t *stripe;

	if (!__scounter_is_stripes(seen))
		return adapt_offset_add(word, inflated, n);
	stripe = scounter_stripes_here(scounter_stripes_of(seen));
	if (!adapt_fits_stripe(inflated, stripe, n))
		return adapt_offset_add(word, inflated, n);
	atomic64_add(n, stripe);
	return true;
}

static notrace bool adapt_plain_add(const struct scounter_ref *ref, s64 seen, u64 n)
{
	if (!scounter_exact_try_add(ref, &seen, n, SCOUNTER_ADAPT_MAX))
		return false;
	scounter_trace_exact(ref, seen, n, SCOUNTER_ADAPT_MAX);
	return true;
}

static notrace void adapt_apply(const struct scounter_ref *ref, u64 n, u32 failures)
{
	struct rnd_state *rnd;
	s64 seen;

	/* Preemption is off until put: the stripes that the word names stay allocated. */
	rnd = scounter_random_get();
	for (;; failures++) {
		seen = atomic64_read(&ref->word64->word);
		if (adapt_is_plain(seen) && failures >= scounter_adapt_tries && adapt_inflate(ref, seen))
			continue;
		if (adapt_is_plain(seen) ? adapt_plain_add(ref, seen, n) :
				     inflated_add(ref->word64, seen, n))
			break;
		scounter_backoff(failures + 1, rnd);
	}
	scounter_random_put();
}

/*
 * Two CPUs of two nodes may contend for a word for ever and seldom fail four times in a
 * row.  If they take the word in turn, each pays for a transfer of the cache line and
 * neither fails often.  R increments a second of 300 ns collide with probability
 * R * 300 ns each.  So failures grow with R^2.
 *
 * A word that may take several stripes a node, as `exact` may, therefore also inflates
 * after one failed increment in 2^SAMPLE_LOG2, drawn at random.  The time to get there
 * falls with the square of R.
 */
static notrace void adapt_finish(const struct scounter_ref *ref, u32 outcome)
{
	u32 failures = outcome == SCOUNTER_CONTENDED;

	if (failures && ref->class->components_log2 && scounter_trial(SAMPLE_LOG2))
		failures = scounter_adapt_tries;
	adapt_apply(ref, 1, failures);
}

static notrace void adapt_add(const struct scounter_ref *ref, u64 n)
{
	adapt_apply(ref, n, 0);
}

static u64 adapt_read(const struct scounter_ref *ref)
{
	u64 value;

	preempt_disable_notrace();
	/* Pairs with the swap in adapt_publish(): inflate.litmus. */
	value = atomic64_read_acquire(&ref->word64->word);
	if (!adapt_is_plain(value))
		value = inflated_value(inflated_of(value));
	preempt_enable_notrace();
	return value;
}

static void adapt_read_est(const struct scounter_ref *ref,
			   struct scounter_estimate *estimate)
{
	scounter_estimate_exact(estimate, adapt_read(ref), SCOUNTER_ADAPT_MAX);
	if (!adapt_is_plain(atomic64_read(&ref->word64->word)))
		estimate->flags |= SCOUNTER_F_INFLATED;
}

/*
 * After the grace period: no task and no interrupt handler adds to the stripes any more,
 * unless the word got them back.
 */
static void adapt_deflate(struct rcu_head *rcu)
{
	struct inflated *inflated = container_of(rcu, struct inflated, rcu);
	struct scounter_word64 *word;
	unsigned long flags;

	raw_spin_lock_irqsave(inflated->lock, flags);
	WRITE_ONCE(inflated->leaving, false);
	word = inflated->word;
	if (word && adapt_is_closing(atomic64_read(&word->word))) {
		/*
		 * The stripes, as the grace period left them, before the seal; pairs
		 * with the acquire in inflated_value(): deflate.litmus, seal.litmus.
		 */
		atomic64_fetch_or_release(SEALED, &inflated->offset);
		adapt_unspread(word, inflated);
		inflated->word = NULL;
	}
	if (!inflated->word)
		adapt_bury(inflated);
	raw_spin_unlock_irqrestore(inflated->lock, flags);
}

/* Every task has slept.  Wait for the interrupt handlers that still run. */
static void adapt_tasks_have_slept(struct rcu_head *rcu)
{
	call_rcu(rcu, adapt_deflate);
}

static u64 stripes_word_of(const struct inflated *inflated)
{
	return scounter_stripes_word(inflated->grown ?: inflated->stripes);
}

/*
 * Change the word from @old to @new, under the lock.  False if the word is gone or is not
 * @old.  A full barrier: the work found the stripes in the list of fresh ones, and a CPU
 * that finds them in the word must find all that is in them (reopen.litmus).
 */
static bool adapt_replace(struct inflated *inflated, u64 old, u64 new)
{
	struct scounter_word64 *word = inflated->word;

	return word && atomic64_cmpxchg(&word->word, old, new) == (s64)old;
}

/*
 * Not while adapt_deflate() is still to come.  Deferred to a workqueue:
 * call_rcu_tasks() may wake a task, which is illegal in NMI or under a runqueue lock.
 */
static void adapt_close(struct inflated *inflated)
{
	unsigned long flags;
	bool closed;

	raw_spin_lock_irqsave(inflated->lock, flags);
	WRITE_ONCE(inflated->contended, false);
	closed = adapt_replace(inflated, stripes_word_of(inflated), closing_word(inflated));
	if (closed)
		inflated->leaving = true;
	raw_spin_unlock_irqrestore(inflated->lock, flags);
	if (closed)
		scounter_call_rcu_tasks(&inflated->rcu, adapt_tasks_have_slept);
}

/* Nothing to add up: the stripes were part of the value all the while. */
static void adapt_reopen(struct inflated *inflated)
{
	unsigned long flags;

	raw_spin_lock_irqsave(inflated->lock, flags);
	adapt_replace(inflated, closing_word(inflated), stripes_word_of(inflated));
	raw_spin_unlock_irqrestore(inflated->lock, flags);
}

/* Returns false if the offset is sealed. */
static bool inflated_fetch_reset(struct inflated *inflated, u64 *value)
{
	s64 offset;
	u64 sum;

	do {
		/* Each time, as a swap that fails orders nothing: reset-add.litmus. */
		offset = atomic64_read_acquire(&inflated->offset);
		if (offset & SEALED)
			return false;
		sum = adapt_grown_part(inflated);
		*value = adapt_value_at(sum, offset);
	} while (!atomic64_try_cmpxchg(&inflated->offset, &offset, -2 * (s64)sum));
	return true;
}

static bool adapt_try_fetch_reset(struct scounter_word64 *word, u64 *value)
{
	/* Pairs with the swap in adapt_publish(): inflate.litmus. */
	s64 seen = atomic64_read_acquire(&word->word);

	if (adapt_is_plain(seen)) {
		*value = seen;
		return atomic64_try_cmpxchg(&word->word, &seen, 0);
	}
	if (inflated_fetch_reset(inflated_of(seen), value))
		return true;
	adapt_unspread(word, inflated_of(seen));
	return false;
}

static u64 adapt_fetch_reset(const struct scounter_ref *ref)
{
	u64 value;

	preempt_disable_notrace();
	while (!adapt_try_fetch_reset(ref->word64, &value))
		cpu_relax();
	preempt_enable_notrace();
	return value;
}

static int adapt_spread(struct scounter *counter, gfp_t gfp)
{
	WRITE_ONCE(counter->may_inflate, true);
	return 0;
}

/*
 * Nobody counts or reads any more: back to a count.  An adapt_deflate() that is still to
 * come finds that the word is gone.
 */
static void adapt_collapse(const struct scounter_ref *ref)
{
	struct scounter_word64 *word = ref->word64;
	struct inflated *inflated;
	unsigned long flags;
	u64 seen;

	if (ref->counter)
		WRITE_ONCE(ref->counter->may_inflate, false);
	/* The lock keeps the work from the word. */
	raw_spin_lock_irqsave(adapt_lock_of(word), flags);
	seen = atomic64_read_acquire(&word->word);
	if (!adapt_is_plain(seen)) {
		inflated = inflated_of(seen);
		atomic64_set(&word->word, inflated_value(inflated));
		inflated->word = NULL;
		if (!inflated->leaving)
			adapt_bury(inflated);
	}
	raw_spin_unlock_irqrestore(adapt_lock_of(word), flags);
}

static size_t adapt_bytes(const struct scounter *counter)
{
	struct inflated *inflated;
	size_t bytes = 0;
	u64 word;

	rcu_read_lock();
	word = atomic64_read_acquire(&counter->spread.word);
	if (!adapt_is_plain(word)) {
		inflated = inflated_of(word);
		bytes = struct_size(inflated, seen, scounter_nodes) +
			scounter_stripes_bytes(1);
		if (READ_ONCE(inflated->grown))
			bytes += scounter_stripes_bytes(inflated->components);
	}
	rcu_read_unlock();
	return bytes;
}

/* Has a stripe grown by grow_rate a second since the last look? */
static bool adapt_is_contended(struct inflated *inflated, unsigned long elapsed)
{
	u64 most = div_u64((u64)grow_rate * elapsed, HZ);
	bool contended = false;
	u32 node;

	for (node = 0; node < scounter_nodes; node++) {
		u64 now = atomic64_read(scounter_stripes_first(inflated->stripes, node));

		contended |= now - inflated->seen[node] >= most;
		inflated->seen[node] = now;
	}
	return contended;
}

/* Let increments use several stripes a node.  The first ones stay part of the sum. */
static bool adapt_grow(struct inflated *inflated)
{
	struct scounter_stripes *grown =
		scounter_stripes_alloc(inflated->components, GFP_KERNEL);
	u64 old = scounter_stripes_word(inflated->stripes);
	unsigned long flags;

	if (!grown)
		return false;
	grown->owner = inflated;
	/*
	 * A reader must find the new stripes before a CPU counts in them.  Pairs with
	 * the address dependency in adapt_grown_part(): publish-stripes.litmus.
	 */
	smp_store_release(&inflated->grown, grown);
	raw_spin_lock_irqsave(inflated->lock, flags);
	if (inflated->word)
		atomic64_cmpxchg(&inflated->word->word, old, scounter_stripes_word(grown));
	raw_spin_unlock_irqrestore(inflated->lock, flags);
	return true;
}

static bool adapt_is_idle(struct inflated *inflated)
{
	u64 sum = adapt_grown_part(inflated);

	if (sum != inflated->sum)
		inflated->busy = jiffies;
	inflated->sum = sum;
	return jiffies - inflated->busy >= (unsigned long)deflate_after * HZ;
}

/* Only a count wraps, so an inflated word at the end of its range has to deflate. */
static bool adapt_is_to_wrap(const struct inflated *inflated)
{
	return inflated->wraps && inflated_value(inflated) == SCOUNTER_ADAPT_MAX;
}

static void adapt_look(struct inflated *inflated)
{
	unsigned long elapsed = jiffies - inflated->looked;

	if (READ_ONCE(inflated->leaving)) {
		if (!READ_ONCE(inflated->contended))
			return;
		adapt_reopen(inflated);
		inflated->busy = jiffies;
		return;
	}
	if (elapsed < period)
		return;
	inflated->looked = jiffies;
	if (adapt_is_contended(inflated, elapsed) && inflated->components > 1 && !inflated->grown)
		adapt_grow(inflated);
	if ((adapt_is_idle(inflated) || adapt_is_to_wrap(inflated)) && SCOUNTER_CAN_WAIT_FOR_TASKS)
		adapt_close(inflated);
}

static void adapt_adopt_fresh(void)
{
	struct llist_node *list = llist_del_all(&fresh);
	struct inflated *inflated, *next;

	llist_for_each_entry_safe(inflated, next, list, fresh)
		list_add(&inflated->watched, &watched);
}

/* Look at those first that have waited for longest. */
static void adapt_watch(void)
{
	struct inflated *inflated;
	u32 looks = LOOKS_MAX;
	LIST_HEAD(others);

	list_splice_init(&watched, &others);
	while (!list_empty(&others) && looks--) {
		inflated = list_first_entry(&others, struct inflated, watched);
		list_move_tail(&inflated->watched, &watched);
		adapt_look(inflated);
		cond_resched();
	}
	list_splice(&others, &watched);
}

static void adapt_free_inflated(struct rcu_head *rcu)
{
	inflated_free(container_of(rcu, struct inflated, rcu));
}

static void adapt_free_dead(struct llist_node *list)
{
	struct inflated *inflated, *next;

	llist_for_each_entry_safe(inflated, next, list, dead) {
		list_del_init(&inflated->watched);
		/* A CPU may have read its address from the word: free-stripes.litmus. */
		call_rcu(&inflated->rcu, adapt_free_inflated);
		cond_resched();
	}
}

/* Returns false if memory is short. */
static bool adapt_make_one_ready(void)
{
	struct inflated *inflated = inflated_alloc(GFP_KERNEL | __GFP_NOWARN);

	if (inflated && !adapt_give_back(inflated))
		inflated_free(inflated);
	return inflated;
}

static bool adapt_make_ready(void)
{
	u32 i;

	for (i = 0; i < READY; i++)
		if (!READ_ONCE(ready[i]) && !adapt_make_one_ready())
			return false;
	/* An increment that finds none after this queues the work again. */
	WRITE_ONCE(none_ready, false);
	return true;
}

static void adapt_refill(struct work_struct *work)
{
	if (!adapt_make_ready())
		queue_delayed_work(scounter_unbound_wq, &refill_work, PERIOD);
}

static void adapt_tend(struct work_struct *work)
{
	/* Before the fresh ones: all that is dead by now is in the list of watched ones. */
	struct llist_node *list = llist_del_all(&dead);

	adapt_adopt_fresh();
	adapt_free_dead(list);
	adapt_watch();
	if (!list_empty(&watched))
		queue_delayed_work(scounter_unbound_wq, &tend_work, period);
}

void scounter_adapt_init(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(locks); i++)
		raw_spin_lock_init(&locks[i]);
	adapt_make_ready();
}

static void adapt_stop_work(void)
{
	irq_work_sync(&refill_irq_work);
	irq_work_sync(&tend_irq_work);
	cancel_delayed_work_sync(&refill_work);
	cancel_delayed_work_sync(&tend_work);
}

/* Nobody counts any more.  Words that their users did not destroy are not looked at. */
static void adapt_free_watched(void)
{
	struct inflated *inflated, *next;

	list_for_each_entry_safe(inflated, next, &watched, watched)
		inflated_free(inflated);
}

void scounter_adapt_exit(void)
{
	u32 i;

	/* Wait for the grace periods, then for the work that they queue. */
	adapt_stop_work();
	scounter_barrier_rcu_tasks();
	rcu_barrier();
	adapt_stop_work();
	adapt_adopt_fresh();
	adapt_free_dead(llist_del_all(&dead));
	rcu_barrier();
	adapt_free_watched();
	for (i = 0; i < READY; i++)
		if (ready[i])
			inflated_free(ready[i]);
}

static const u64 adapt_max = SCOUNTER_ADAPT_MAX;

const struct scounter_kind_ops scounter_multiline_adapt_ops = {
	.word_offset	= offsetof(struct scounter, spread),
	.value_max	= &adapt_max,
	.summary	= "exact; a word that inflates to stripes when contended",
	.spread		= adapt_spread,
	.collapse	= adapt_collapse,
	.spread_bytes	= adapt_bytes,
	.finish		= adapt_finish,
	.add		= adapt_add,
	.read		= adapt_read,
	.read_est	= adapt_read_est,
	.fetch_reset	= adapt_fetch_reset,
};

#ifdef SCOUNTER_KUNIT
#include "tests/adapt_kunit.c"
#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * multiline_adapt: a word that is a plain count until an increment has failed
 * adapt_tries times, and from then on the address of lines, one a node; where these are
 * contended in turn, of several lines a node.  A reset takes the lines back.
 *
 *      count  --inflate-->  lines  --reset: close-->  closing  --deflate-->  count
 *
 * The value of a word with lines is
 *
 *      base + the sum of the lines + offset
 *
 * where base is what the word counted, and offset, below zero, what resets have
 * returned.  Lines only grow, and whoever reads offset first and the lines
 * afterwards never gets less than was there.
 *
 * Inflating takes lines that are ready: an increment allocates nothing, whatever
 * its context.  If there are none, the word stays a count, and the next increment
 * that is contended asks again; work refills what was taken.  A static counter
 * inflates while it is registered: nobody would take the lines back afterwards.
 *
 * Deflating has to move the value from many words to one, in one step for those
 * who read, and while others count.  A closing word sends all increments to
 * offset, by compare-and-swap.  Those who had already read the address of the
 * lines may still add to them: this ends when every task has slept once and
 * every interrupt handler has returned.  Then offset alone still changes.  It is
 * sealed, which ends that, too: now the value is a constant, and whoever finds
 * the seal may put that constant into the word.  Nobody has to wait for somebody
 * else to do so.
 *
 *	CPU 0: reads lines' address		CPU 1: reset, closing
 *	CPU 0: is preempted
 *						seal, word = value	too early!
 *	CPU 0: adds 1 to a line			lost
 *
 * Dice, Lev & Moir 2013, section 2.2.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "adapt.h"
#include "backoff.h"
#include "kind.h"
#include "lines.h"
#include "random.h"

#define SAMPLE_LOG2	3
#define READY		8	/* inflated states that wait to be used */
#define PERIOD		HZ	/* between two looks for contended lines */

/* offset is twice the number, plus the seal. */
#define SEALED		1

uint scounter_adapt_tries = 4;
module_param_named(adapt_tries, scounter_adapt_tries, uint, 0444);
MODULE_PARM_DESC(adapt_tries, "failed tries of one increment after which multiline_adapt inflates and morris_adapt decimates (default 4)");

static uint grow_rate = 1 << 20;
module_param(grow_rate, uint, 0444);
MODULE_PARM_DESC(grow_rate, "increments a second of one line of an inflated counter from which its nodes get several lines (default 2^20)");

struct inflated {
	struct scounter_lines *lines;	/* one component a node */
	struct scounter_lines *grown;	/* several, later, or NULL */
	u32 components;			/* that it may grow to */
	u64 base;
	atomic64_t offset;
	struct scounter_word64 *word;	/* NULL: is destroyed, or a count again */
	raw_spinlock_t *lock;		/* of that word */
	struct rcu_head rcu;
	struct llist_node fresh;	/* on that list */
	struct llist_node leaving;	/* on closed, later on dead */
	struct list_head watched;
	u64 seen[];			/* by node: the line when last looked at */
};

/*
 * Under the lock of a word its memory stays: who destroys it takes the lock, also
 * if it is a count, which it may have become by the hands of another than
 * deflate(), who is then still about to look at it.
 */
#define LOCKS_LOG2	6
static raw_spinlock_t locks[1 << LOCKS_LOG2];

static struct inflated *ready[READY];
static LLIST_HEAD(fresh);	/* inflated since the work ran */
static LLIST_HEAD(closed);	/* to be deflated when nobody counts in them */
static LLIST_HEAD(dead);	/* to be freed */
static LIST_HEAD(watched);	/* may grow; the work's alone */

static bool short_of_memory;	/* do not ask again before the period is over */

static void tend(struct work_struct *work);
static DECLARE_DELAYED_WORK(tend_work, tend);

static void tend_soon(struct irq_work *work)
{
	mod_delayed_work(system_unbound_wq, &tend_work, 0);
}

/* Work can be queued from an interrupt at most, and this from anywhere. */
static DEFINE_IRQ_WORK(tend_irq_work, tend_soon);

static notrace raw_spinlock_t *lock_of(const struct scounter_word64 *word)
{
	return &locks[hash_ptr(word, LOCKS_LOG2)];
}

static notrace bool is_plain(s64 word)
{
	return !(word & SCOUNTER_SPREAD_LINES);
}

static notrace u64 closing_word(struct inflated *inflated)
{
	return SCOUNTER_SPREAD_CLOSING | (unsigned long)inflated >> 2;
}

static notrace struct inflated *inflated_of(u64 word)
{
	if (__scounter_is_lines(word))
		return scounter_lines_of(word)->owner;
	return (struct inflated *)(unsigned long)(word << 2);
}

static notrace u64 grown_part(const struct inflated *inflated)
{
	u64 sum = inflated->base + scounter_lines_sum(inflated->lines);
	struct scounter_lines *grown = READ_ONCE(inflated->grown);

	return grown ? sum + scounter_lines_sum(grown) : sum;
}

/*
 * Of twice the sum, and modulo 2^64 as the offset itself: right although lines,
 * which only grow, may have passed 2^62 with resets in between.
 */
static notrace u64 value_at(u64 sum, u64 offset)
{
	return min_t(u64, (2 * sum + (offset & ~(u64)SEALED)) >> 1, SCOUNTER_ADAPT_MAX);
}

static notrace u64 inflated_value(const struct inflated *inflated)
{
	/*
	 * Before the lines: pairs with the swap of a reset (reset-read.litmus) and
	 * with the seal (seal.litmus).
	 */
	s64 offset = atomic64_read_acquire(&inflated->offset);

	return value_at(grown_part(inflated), offset);
}

static struct inflated *inflated_alloc(gfp_t gfp)
{
	struct inflated *inflated =
		kzalloc(struct_size(inflated, seen, scounter_nodes), gfp);

	if (!inflated)
		return NULL;
	inflated->lines = scounter_lines_alloc(1, gfp);
	if (!inflated->lines) {
		kfree(inflated);
		return NULL;
	}
	inflated->lines->owner = inflated;
	INIT_LIST_HEAD(&inflated->watched);
	return inflated;
}

static void inflated_free(struct inflated *inflated)
{
	scounter_lines_free(inflated->lines);
	scounter_lines_free(inflated->grown);
	kfree(inflated);
}

static notrace struct inflated *take_ready(void)
{
	struct inflated *inflated = NULL;
	u32 i;

	for (i = 0; i < READY && !inflated; i++)
		if (READ_ONCE(ready[i]))
			inflated = xchg(&ready[i], NULL);
	if (!READ_ONCE(short_of_memory))
		irq_work_queue(&tend_irq_work);
	return inflated;
}

static notrace bool give_back(struct inflated *inflated)
{
	u32 i;

	for (i = 0; i < READY; i++)
		if (!READ_ONCE(ready[i]) && !cmpxchg(&ready[i], NULL, inflated))
			return true;
	return false;
}

static notrace void bury(struct inflated *inflated)
{
	llist_add(&inflated->leaving, &dead);
	irq_work_queue(&tend_irq_work);
}

/* Returns false if another CPU changed the word. */
static notrace bool publish(const struct scounter_ref *ref, s64 seen,
			    struct inflated *inflated)
{
	inflated->base = seen;
	inflated->word = ref->word64;
	inflated->lock = lock_of(ref->word64);
	inflated->components = 1 << ref->class->shift;
	/*
	 * A full barrier: all of it before the address of the lines.  Pairs with the
	 * acquires of those who read, and the address dependency of those who count:
	 * inflate.litmus, publish-lines.litmus.
	 */
	if (atomic64_cmpxchg(&ref->word64->word, seen,
			     scounter_lines_word(inflated->lines)) != seen) {
		if (!give_back(inflated))
			bury(inflated);
		return false;
	}
	/* The work that take_ready() asks for may have run before. */
	if (inflated->components > 1 && llist_add(&inflated->fresh, &fresh))
		irq_work_queue(&tend_irq_work);
	return true;
}

/* Returns false if there are no lines, or another CPU changed the word. */
static notrace bool inflate(const struct scounter_ref *ref, s64 seen)
{
	struct inflated *inflated;

	if (ref->counter && !READ_ONCE(ref->counter->may_inflate))
		return false;
	inflated = take_ready();
	if (!inflated) {
		if (ref->counter)
			atomic_inc(&ref->counter->deferred);
		return false;
	}
	return publish(ref, seen, inflated);
}

/*
 * The offset is sealed, so that the value is a constant; whoever is first puts it
 * into the word.
 */
static notrace void unspread(struct scounter_word64 *word, struct inflated *inflated)
{
	atomic64_cmpxchg(&word->word, closing_word(inflated), inflated_value(inflated));
}

/* Add to a closing word.  False: it was sealed, and is a count again. */
static notrace bool closing_add(struct scounter_word64 *word,
				struct inflated *inflated, u64 n)
{
	s64 offset = atomic64_read(&inflated->offset);

	do {
		if (offset & SEALED) {
			unspread(word, inflated);
			return false;
		}
	} while (!atomic64_try_cmpxchg(&inflated->offset, &offset, offset + 2 * (s64)n));
	return true;
}

static notrace bool inflated_add(struct scounter_word64 *word, u64 seen, u64 n)
{
	struct inflated *inflated = inflated_of(seen);

	/* No more than there is room for, so that no line can wrap. */
	if (n > 1)
		n = min_t(u64, n, SCOUNTER_ADAPT_MAX - inflated_value(inflated));
	if (!__scounter_is_lines(seen))
		return closing_add(word, inflated, n);
	atomic64_add(n, scounter_lines_here(scounter_lines_of(seen)));
	return true;
}

static notrace bool plain_add(const struct scounter_ref *ref, s64 seen, u64 n)
{
	return atomic64_try_cmpxchg_relaxed(&ref->word64->word, &seen,
					    scounter_exact_sum(ref, seen, n,
							       SCOUNTER_ADAPT_MAX));
}

static notrace void adapt_apply(const struct scounter_ref *ref, u64 n, u32 failures)
{
	struct rnd_state *rnd;
	s64 seen;

	/* Preemption is off until put: what the word says stays allocated. */
	rnd = scounter_random_get();
	for (;; failures++) {
		seen = atomic64_read(&ref->word64->word);
		if (is_plain(seen) && failures >= scounter_adapt_tries && inflate(ref, seen))
			continue;
		if (is_plain(seen) ? plain_add(ref, seen, n) :
				     inflated_add(ref->word64, seen, n))
			break;
		scounter_backoff(failures + 1, rnd);
	}
	scounter_random_put();
}

/*
 * Two CPUs of two nodes can fight over a word for ever, and yet seldom fail four
 * times in a row; and a word that they take in turn, without fighting, costs each the
 * way of its line.  How often increments fail tells of both: of R a second about R times
 * the few hundred nanoseconds that one takes.  A word that may take several lines a
 * node, as `exact` does, therefore also inflates after one failed increment in
 * 2^SAMPLE_LOG2, which is after a time that falls with the square of R.
 */
static notrace void adapt_finish(const struct scounter_ref *ref, u32 outcome)
{
	u32 failures = outcome == SCOUNTER_CONTENDED;

	if (failures && ref->class->shift && scounter_trial(SAMPLE_LOG2))
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
	/* Pairs with the swap in publish(): inflate.litmus. */
	value = atomic64_read_acquire(&ref->word64->word);
	if (!is_plain(value))
		value = inflated_value(inflated_of(value));
	preempt_enable_notrace();
	return value;
}

static void adapt_read_est(const struct scounter_ref *ref,
			   struct scounter_estimate *estimate)
{
	scounter_estimate_exact(estimate, adapt_read(ref), SCOUNTER_ADAPT_MAX);
	if (!is_plain(atomic64_read(&ref->word64->word)))
		estimate->flags |= SCOUNTER_F_INFLATED;
}

/* No task and no interrupt handler adds to the lines any more. */
static void deflate(struct rcu_head *rcu)
{
	struct inflated *inflated = container_of(rcu, struct inflated, rcu);
	struct scounter_word64 *word;
	unsigned long flags;

	raw_spin_lock_irqsave(inflated->lock, flags);
	word = inflated->word;
	if (word) {
		/*
		 * The lines, as the grace period left them, before the seal; pairs
		 * with the acquire in inflated_value(): deflate.litmus, seal.litmus.
		 */
		atomic64_fetch_or_release(SEALED, &inflated->offset);
		unspread(word, inflated);
		inflated->word = NULL;
	}
	raw_spin_unlock_irqrestore(inflated->lock, flags);
	bury(inflated);
}

/* Tasks first, then the interrupt handlers that ran meanwhile. */
static void tasks_have_slept(struct rcu_head *rcu)
{
	call_rcu(rcu, deflate);
}

/*
 * By work, as asking for a grace period may wake a task, which who resets a
 * counter under the lock of a runqueue or in an NMI cannot.
 */
static void deflate_closed(void)
{
	struct inflated *inflated, *next;

	llist_for_each_entry_safe(inflated, next, llist_del_all(&closed), leaving)
		scounter_call_rcu_tasks(&inflated->rcu, tasks_have_slept);
}

static void close(struct scounter_word64 *word, u64 seen)
{
	struct inflated *inflated = inflated_of(seen);

	if (!SCOUNTER_CAN_WAIT_FOR_TASKS ||
	    atomic64_cmpxchg(&word->word, seen, closing_word(inflated)) != seen)
		return;
	llist_add(&inflated->leaving, &closed);
	irq_work_queue(&tend_irq_work);
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
		sum = grown_part(inflated);
		*value = value_at(sum, offset);
	} while (!atomic64_try_cmpxchg(&inflated->offset, &offset, -2 * (s64)sum));
	return true;
}

static bool try_fetch_reset(struct scounter_word64 *word, u64 *value)
{
	/* Pairs with the swap in publish(): inflate.litmus. */
	s64 seen = atomic64_read_acquire(&word->word);

	if (is_plain(seen)) {
		*value = seen;
		return atomic64_try_cmpxchg(&word->word, &seen, 0);
	}
	if (!inflated_fetch_reset(inflated_of(seen), value)) {
		unspread(word, inflated_of(seen));
		return false;
	}
	if (__scounter_is_lines(seen))
		close(word, seen);
	return true;
}

static u64 adapt_fetch_reset(const struct scounter_ref *ref)
{
	u64 value;

	preempt_disable_notrace();
	while (!try_fetch_reset(ref->word64, &value))
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
 * Nobody counts or reads any more: back to a count.  A callback that still waits
 * to deflate the word finds that it is not there any more.
 */
static void adapt_gather(const struct scounter_ref *ref)
{
	struct scounter_word64 *word = ref->word64;
	struct inflated *inflated;
	unsigned long flags;
	u64 seen;

	if (ref->counter)
		WRITE_ONCE(ref->counter->may_inflate, false);
	/* Nobody else changes the word under its lock now. */
	raw_spin_lock_irqsave(lock_of(word), flags);
	seen = atomic64_read_acquire(&word->word);
	if (!is_plain(seen)) {
		inflated = inflated_of(seen);
		atomic64_set(&word->word, inflated_value(inflated));
		inflated->word = NULL;
		if (__scounter_is_lines(seen))
			bury(inflated);
	}
	raw_spin_unlock_irqrestore(lock_of(word), flags);
}

static size_t adapt_bytes(const struct scounter *counter)
{
	struct inflated *inflated;
	size_t bytes = 0;
	u64 word;

	rcu_read_lock();
	word = atomic64_read_acquire(&counter->spread.word);
	if (!is_plain(word)) {
		inflated = inflated_of(word);
		bytes = struct_size(inflated, seen, scounter_nodes) +
			scounter_lines_bytes(1);
		if (READ_ONCE(inflated->grown))
			bytes += scounter_lines_bytes(inflated->components);
	}
	rcu_read_unlock();
	return bytes;
}

/* Has a line of it grown by so much since the last look? */
static bool is_contended(struct inflated *inflated)
{
	u64 rate = (u64)grow_rate * PERIOD / HZ;
	bool contended = false;
	u32 node;

	for (node = 0; node < scounter_nodes; node++) {
		u64 now = atomic64_read(scounter_lines_first(inflated->lines, node));

		contended |= now - inflated->seen[node] >= rate;
		inflated->seen[node] = now;
	}
	return contended;
}

/* Let increments use more lines.  The first ones stay part of the sum. */
static bool grow(struct inflated *inflated)
{
	struct scounter_lines *grown =
		scounter_lines_alloc(inflated->components, GFP_KERNEL);
	u64 old = scounter_lines_word(inflated->lines);
	unsigned long flags;

	if (!grown)
		return false;
	grown->owner = inflated;
	/*
	 * Who counts in them is seen only by those who see them; pairs with the
	 * address dependency in grown_part(): publish-lines.litmus.
	 */
	smp_store_release(&inflated->grown, grown);
	raw_spin_lock_irqsave(inflated->lock, flags);
	if (inflated->word)
		atomic64_cmpxchg(&inflated->word->word, old, scounter_lines_word(grown));
	raw_spin_unlock_irqrestore(inflated->lock, flags);
	return true;
}

static void adopt_fresh(void)
{
	struct llist_node *list = llist_del_all(&fresh);
	struct inflated *inflated, *next;

	llist_for_each_entry_safe(inflated, next, list, fresh)
		list_add(&inflated->watched, &watched);
}

static void watch(void)
{
	static unsigned long last_look;
	struct inflated *inflated, *next;

	/* Not time_before(): jiffies begin far from 0. */
	if (jiffies - last_look < PERIOD)
		return;
	last_look = jiffies;
	list_for_each_entry_safe(inflated, next, &watched, watched)
		if (is_contended(inflated) && grow(inflated))
			list_del_init(&inflated->watched);
}

static void free_dead(struct llist_node *list)
{
	struct inflated *inflated, *next;

	if (!list)
		return;
	llist_for_each_entry(inflated, list, leaving)
		list_del_init(&inflated->watched);
	/* Those who have read the address of the state from its word: free-lines.litmus. */
	synchronize_rcu();
	llist_for_each_entry_safe(inflated, next, list, leaving)
		inflated_free(inflated);
}

/* Returns false if memory is short. */
static bool refill(void)
{
	struct inflated *inflated;
	u32 i;

	for (i = 0; i < READY; i++) {
		if (READ_ONCE(ready[i]))
			continue;
		inflated = inflated_alloc(GFP_KERNEL | __GFP_NOWARN);
		if (!inflated)
			return false;
		if (!give_back(inflated))
			inflated_free(inflated);
	}
	return true;
}

/* Everything that needs memory or time. */
static void tend(struct work_struct *work)
{
	/* Before the fresh ones: what is dead by now is then no longer among them. */
	struct llist_node *list = llist_del_all(&dead);

	deflate_closed();
	WRITE_ONCE(short_of_memory, !refill());
	adopt_fresh();
	free_dead(list);
	watch();
	if (short_of_memory || !list_empty(&watched))
		queue_delayed_work(system_unbound_wq, &tend_work, PERIOD);
}

void scounter_adapt_init(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(locks); i++)
		raw_spin_lock_init(&locks[i]);
	refill();
}

static void stop_tending(void)
{
	irq_work_sync(&tend_irq_work);
	cancel_delayed_work_sync(&tend_work);
}

void scounter_adapt_exit(void)
{
	u32 i;

	/* What resets still left to the work, then what that left to others. */
	stop_tending();
	deflate_closed();
	scounter_barrier_rcu_tasks();
	rcu_barrier();
	stop_tending();
	adopt_fresh();
	free_dead(llist_del_all(&dead));
	for (i = 0; i < READY; i++)
		if (ready[i])
			inflated_free(ready[i]);
}

static const u64 adapt_max = SCOUNTER_ADAPT_MAX;

const struct scounter_kind_ops scounter_multiline_adapt_ops = {
	.name		= "multiline_adapt",
	.kind		= SCOUNTER_MULTILINE_ADAPT,
	.word		= SCOUNTER_WORD64,
	.word_offset	= offsetof(struct scounter, spread),
	.value_max	= &adapt_max,
	.paper		= "Dice, Lev & Moir 2013, 2.2",
	.summary	= "exact; a word that inflates to lines when contended",
	.spread		= adapt_spread,
	.gather		= adapt_gather,
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

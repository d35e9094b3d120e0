// SPDX-License-Identifier: GPL-2.0
/*
 * multiline_adapt, state by state.  Included by kmod/kinds/adapt.c: which state a word
 * is in, and to take all stripes that are ready, is known there alone.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "tests/faults.h"

static const struct scounter_class adapt_class =
	SCOUNTER_CLASS(SCOUNTER_MULTILINE_ADAPT, 0);
static const struct scounter_class growing_class = SCOUNTER_CLASS(SCOUNTER_EXACT, 0);

static struct scounter_ref ref_of(struct scounter_word64 *word,
				  const struct scounter_class *class)
{
	return (struct scounter_ref) { .word64 = word, .class = class };
}

static u64 word_of(struct scounter_word64 *word)
{
	return atomic64_read(&word->word);
}

/* Until the condition holds; bounded, as a bug must end the run. */
#define WAIT_FOR(test, condition) do {				\
	u32 tries_left = 3000;					\
								\
	while (!(condition) && --tries_left)			\
		msleep(20);					\
	KUNIT_ASSERT_TRUE_MSG(test, tries_left > 0, #condition);	\
} while (0)

/* An increment that has failed scounter_adapt_tries times.  Waits for stripes to be ready. */
static void fail_and_count(struct kunit *test, struct scounter_word64 *word,
			   const struct scounter_class *class)
{
	struct scounter_ref ref = ref_of(word, class);
	u32 tries_left = 3000;

	do {
		adapt_apply(&ref, 1, scounter_adapt_tries);
		if (!adapt_is_plain(word_of(word)))
			return;
		/* There were no stripes: it counted, and is to be asked again. */
		KUNIT_ASSERT_GT(test, scounter_word64_fetch_reset(word, class), 0ULL);
		msleep(20);
	} while (--tries_left);
	KUNIT_FAIL_AND_ABORT(test, "never inflates");
}

/* Inflated, with a value. */
static void inflate_with(struct kunit *test, struct scounter_word64 *word,
			 const struct scounter_class *class, u64 value)
{
	scounter_word64_init(word);
	fail_and_count(test, word, class);
	KUNIT_ASSERT_TRUE(test, __scounter_is_stripes(word_of(word)));
	scounter_word64_add(word, class,
			    value - scounter_word64_read(word, class));
	KUNIT_ASSERT_EQ(test, scounter_word64_read(word, class), value);
}

static u32 flags_of(struct scounter_word64 *word, const struct scounter_class *class)
{
	struct scounter_estimate estimate;

	scounter_word64_read_est(word, class, &estimate);
	return estimate.flags;
}

static void a_word_inflates_after_four_failures(struct kunit *test)
{
	struct scounter_word64 word = SCOUNTER_WORD_INIT;
	struct scounter_ref ref = ref_of(&word, &adapt_class);
	u32 failures;

	KUNIT_EXPECT_EQ(test, scounter_adapt_tries, 4);
	for (failures = 0; failures < scounter_adapt_tries; failures++) {
		adapt_apply(&ref, 1, failures);
		KUNIT_EXPECT_EQ(test, word_of(&word), failures + 1ULL);
	}
	__scounter_word64_finish(&word, &adapt_class, SCOUNTER_CONTENDED);
	KUNIT_EXPECT_EQ(test, word_of(&word), 5ULL);
	KUNIT_EXPECT_EQ(test, flags_of(&word, &adapt_class), 0U);
	scounter_word64_fetch_reset(&word, &adapt_class);
	inflate_with(test, &word, &adapt_class, 6);
	KUNIT_EXPECT_EQ(test, flags_of(&word, &adapt_class), SCOUNTER_F_INFLATED);
	scounter_word64_destroy(&word, &adapt_class);
}

static bool stripes_are_ready(void)
{
	u32 i;

	for (i = 0; i < READY; i++)
		if (READ_ONCE(ready[i]))
			return true;
	return false;
}

/*
 * exact.  The number of failures of 200 words is a sum of geometric variables: a mean
 * of 1600, a standard deviation of 106.  Outside of these limits in one of 10^9 runs.
 */
static void one_failure_in_eight_inflates_exact(struct kunit *test)
{
	u32 failures = 0, i;

	for (i = 0; i < 200; i++) {
		struct scounter_word64 word = SCOUNTER_WORD_INIT;

		while (adapt_is_plain(word_of(&word)) && failures < 3000) {
			WAIT_FOR(test, stripes_are_ready());
			__scounter_word64_finish(&word, &growing_class, SCOUNTER_CONTENDED);
			failures++;
		}
		scounter_word64_destroy(&word, &growing_class);
	}
	KUNIT_EXPECT_GT(test, failures, 950U);
	KUNIT_EXPECT_LT(test, failures, 2450U);
}

/* What the word has counted goes on to count; also by an increment. */
static void what_was_counted_stays(struct kunit *test)
{
	struct scounter_word64 word = SCOUNTER_WORD_INIT;
	struct scounter_ref ref = ref_of(&word, &adapt_class);

	WAIT_FOR(test, READ_ONCE(ready[0]));
	scounter_word64_add(&word, &adapt_class, 1000);
	adapt_apply(&ref, 1, scounter_adapt_tries);
	KUNIT_ASSERT_TRUE(test, __scounter_is_stripes(word_of(&word)));
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &adapt_class), 1001ULL);
	scounter_word64_destroy(&word, &adapt_class);
	KUNIT_EXPECT_EQ(test, word_of(&word), 1001ULL);
}

static void count_in_this_state(struct kunit *test, struct scounter_word64 *word,
				const struct scounter_class *class)
{
	u64 before = scounter_word64_read(word, class);
	u32 i;

	for (i = 0; i < 100; i++) {
		scounter_word64_inc(word, &adapt_class);
		scounter_word64_add(word, class, i);
	}
	scounter_word64_add(word, class, 0);
	KUNIT_EXPECT_EQ(test, scounter_word64_read(word, class), before + 100 + 4950);
}

static void wait_for_the_work(void)
{
	irq_work_sync(&refill_irq_work);
	irq_work_sync(&tend_irq_work);
	flush_delayed_work(&refill_work);
	flush_delayed_work(&tend_work);
}

/* The work looks at it as it will after so many seconds. */
static void seconds_pass(struct inflated *inflated, u32 seconds)
{
	wait_for_the_work();
	inflated->looked -= seconds * HZ;
	inflated->busy -= seconds * HZ;
	adapt_tend_soon(NULL);
	wait_for_the_work();
}

/* As the work does when a word is idle. */
static struct inflated *close_now(struct kunit *test, struct scounter_word64 *word)
{
	struct inflated *inflated = inflated_of(word_of(word));

	adapt_close(inflated);
	KUNIT_ASSERT_TRUE(test, adapt_is_closing(word_of(word)));
	return inflated;
}

/* stripes, closing, count: counted, read and reset in each. */
static void every_state_counts_and_is_reset(struct kunit *test)
{
	struct scounter_word64 word;
	u32 round;

	for (round = 0; round < 3; round++) {
		inflate_with(test, &word, &adapt_class, 500);
		count_in_this_state(test, &word, &adapt_class);
		KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(&word, &adapt_class),
				5550ULL);
		count_in_this_state(test, &word, &adapt_class);
		rcu_read_lock();
		close_now(test, &word);
		count_in_this_state(test, &word, &adapt_class);
		KUNIT_EXPECT_EQ(test, flags_of(&word, &adapt_class), SCOUNTER_F_INFLATED);
		KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(&word, &adapt_class),
				10100ULL);
		KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &adapt_class), 0ULL);
		count_in_this_state(test, &word, &adapt_class);
		rcu_read_unlock();
		WAIT_FOR(test, adapt_is_plain(word_of(&word)));
		KUNIT_EXPECT_EQ(test, word_of(&word), 5050ULL);
		KUNIT_EXPECT_EQ(test, flags_of(&word, &adapt_class), 0U);
		count_in_this_state(test, &word, &adapt_class);
		KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(&word, &adapt_class),
				10100ULL);
	}
	scounter_word64_destroy(&word, &adapt_class);
}

/* Read with a reset once a second, for twice as long as an idle word has. */
static void a_reset_leaves_the_stripes(struct kunit *test)
{
	struct scounter_word64 word;
	struct inflated *inflated;
	u32 second;

	inflate_with(test, &word, &growing_class, 9);
	inflated = inflated_of(word_of(&word));
	KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(&word, &growing_class), 9ULL);
	for (second = 0; second < 2 * deflate_after; second++) {
		KUNIT_ASSERT_TRUE(test, __scounter_is_stripes(word_of(&word)));
		KUNIT_ASSERT_PTR_EQ(test, inflated_of(word_of(&word)), inflated);
		count_in_this_state(test, &word, &growing_class);
		KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(&word, &growing_class),
				5050ULL);
		seconds_pass(inflated, 1);
	}
	scounter_word64_destroy(&word, &growing_class);
}

/* A reset is no event, and one event is enough. */
static void an_idle_word_becomes_a_count(struct kunit *test)
{
	struct scounter_word64 word;
	struct inflated *inflated;
	u32 second;

	KUNIT_EXPECT_EQ(test, deflate_after, 5U);
	/* Idle CPUs do not wake up for it. */
	KUNIT_EXPECT_TRUE(test, tend_work.timer.flags & TIMER_DEFERRABLE);
	inflate_with(test, &word, &adapt_class, 9);
	inflated = inflated_of(word_of(&word));
	for (second = 0; second < 20; second++) {
		if (second % 4 == 0)
			scounter_word64_inc(&word, &adapt_class);
		seconds_pass(inflated, 1);
		KUNIT_ASSERT_TRUE(test, __scounter_is_stripes(word_of(&word)));
	}
	KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(&word, &adapt_class), 14ULL);
	scounter_word64_inc(&word, &adapt_class);
	/* The first look finds that event. */
	seconds_pass(inflated, 1);
	seconds_pass(inflated, 3);
	KUNIT_EXPECT_TRUE(test, __scounter_is_stripes(word_of(&word)));
	KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(&word, &adapt_class), 1ULL);
	seconds_pass(inflated, 2);
	KUNIT_EXPECT_FALSE(test, __scounter_is_stripes(word_of(&word)));
	count_in_this_state(test, &word, &adapt_class);
	WAIT_FOR(test, adapt_is_plain(word_of(&word)));
	KUNIT_EXPECT_EQ(test, word_of(&word), 5050ULL);
	scounter_word64_destroy(&word, &adapt_class);
}

/* CPUs that meet in a closing word wait for no grace period. */
static void a_contended_word_gets_its_stripes_back(struct kunit *test)
{
	struct scounter_word64 word;
	struct inflated *inflated;

	inflate_with(test, &word, &adapt_class, 40);
	rcu_read_lock();
	inflated = close_now(test, &word);
	scounter_word64_add(&word, &adapt_class, 2);
	adapt_note_contended(inflated);
	rcu_read_unlock();
	WAIT_FOR(test, __scounter_is_stripes(word_of(&word)));
	KUNIT_EXPECT_PTR_EQ(test, inflated_of(word_of(&word)), inflated);
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &adapt_class), 42ULL);
	count_in_this_state(test, &word, &adapt_class);
	/* The grace period that was asked for ends: nothing is sealed. */
	WAIT_FOR(test, !READ_ONCE(inflated->leaving));
	KUNIT_EXPECT_TRUE(test, __scounter_is_stripes(word_of(&word)));
	count_in_this_state(test, &word, &adapt_class);
	seconds_pass(inflated, 1);
	seconds_pass(inflated, 5);
	WAIT_FOR(test, adapt_is_plain(word_of(&word)));
	KUNIT_EXPECT_EQ(test, word_of(&word), 42ULL + 2 * 5050);
	scounter_word64_destroy(&word, &adapt_class);
}

/* While adapt_deflate() is still to come: freed by that, and once. */
static void a_word_that_was_reopened_is_destroyed(struct kunit *test)
{
	struct scounter_word64 word;
	struct inflated *inflated;

	inflate_with(test, &word, &adapt_class, 40);
	rcu_read_lock();
	inflated = close_now(test, &word);
	adapt_reopen(inflated);
	KUNIT_EXPECT_TRUE(test, __scounter_is_stripes(word_of(&word)));
	scounter_word64_destroy(&word, &adapt_class);
	KUNIT_EXPECT_EQ(test, word_of(&word), 40ULL);
	/* The word is not there any more. */
	adapt_reopen(inflated);
	adapt_close(inflated);
	KUNIT_EXPECT_EQ(test, word_of(&word), 40ULL);
	rcu_read_unlock();
}

/* Closing, and no grace period ends before rcu_read_unlock(). */
static struct inflated *close_with(struct kunit *test, struct scounter_word64 *word,
				   u64 value)
{
	inflate_with(test, word, &adapt_class, value + 7);
	rcu_read_lock();
	close_now(test, word);
	KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(word, &adapt_class), value + 7);
	scounter_word64_add(word, &adapt_class, value);
	return inflated_of(word_of(word));
}

/* Sealed, and not a count yet: as in the midst of adapt_deflate(), whose lock is held. */
static struct inflated *seal(struct kunit *test, struct scounter_word64 *word, u64 value)
{
	struct inflated *inflated = close_with(test, word, value);

	raw_spin_lock_irq(inflated->lock);
	atomic64_fetch_or_release(SEALED, &inflated->offset);
	return inflated;
}

/* What adapt_deflate() does then; the word may go. */
static void end_deflation(struct scounter_word64 *word, struct inflated *inflated)
{
	adapt_unspread(word, inflated);
	inflated->word = NULL;
	raw_spin_unlock_irq(inflated->lock);
	rcu_read_unlock();
	scounter_word64_destroy(word, &adapt_class);
}

static void a_sealed_word_is_read(struct kunit *test)
{
	struct scounter_word64 word;
	struct inflated *inflated = seal(test, &word, 40);

	KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &adapt_class), 40ULL);
	KUNIT_EXPECT_TRUE(test, adapt_is_closing(word_of(&word)));
	end_deflation(&word, inflated);
	KUNIT_EXPECT_EQ(test, word_of(&word), 40ULL);
}

static void who_counts_in_a_sealed_word_opens_it(struct kunit *test)
{
	struct scounter_word64 word;
	struct inflated *inflated = seal(test, &word, 40);

	scounter_word64_inc(&word, &adapt_class);
	KUNIT_EXPECT_EQ(test, word_of(&word), 41ULL);
	end_deflation(&word, inflated);
	inflated = seal(test, &word, 50);
	scounter_word64_add(&word, &adapt_class, 5);
	KUNIT_EXPECT_EQ(test, word_of(&word), 55ULL);
	end_deflation(&word, inflated);
}

static void who_resets_a_sealed_word_opens_it(struct kunit *test)
{
	struct scounter_word64 word;
	struct inflated *inflated = seal(test, &word, 40);

	KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(&word, &adapt_class), 40ULL);
	KUNIT_EXPECT_EQ(test, word_of(&word), 0ULL);
	end_deflation(&word, inflated);
}

/* The word is destroyed and freed before adapt_deflate() looks at it: it stays as it is. */
static void a_destroyed_word_is_left_alone(struct kunit *test)
{
	struct scounter_word64 word;
	struct inflated *inflated = close_with(test, &word, 40);
	u64 closing = word_of(&word);

	scounter_word64_destroy(&word, &adapt_class);
	KUNIT_EXPECT_PTR_EQ(test, inflated->word, (struct scounter_word64 *)NULL);
	/* What adapt_deflate() would look for. */
	atomic64_set(&word.word, closing);
	rcu_read_unlock();
	wait_for_the_work();
	scounter_barrier_rcu_tasks();
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, word_of(&word), closing);
}

static void destroy_keeps_the_value_in_every_state(struct kunit *test)
{
	struct scounter_word64 word;

	scounter_word64_init(&word);
	scounter_word64_add(&word, &adapt_class, 3);
	scounter_word64_destroy(&word, &adapt_class);
	KUNIT_EXPECT_EQ(test, word_of(&word), 3ULL);
	scounter_word64_destroy(&word, &adapt_class);

	inflate_with(test, &word, &adapt_class, 77);
	scounter_word64_destroy(&word, &adapt_class);
	KUNIT_EXPECT_EQ(test, word_of(&word), 77ULL);

	/* Destroyed, it may be used again, and inflates again. */
	scounter_word64_inc(&word, &adapt_class);
	KUNIT_EXPECT_EQ(test, word_of(&word), 78ULL);
	inflate_with(test, &word, &adapt_class, 99);
	scounter_word64_destroy(&word, &adapt_class);
}

static void take_all_ready(struct inflated *taken[READY])
{
	u32 i;

	for (i = 0; i < READY; i++)
		taken[i] = xchg(&ready[i], NULL);
}

static void give_all_back(struct inflated *taken[READY])
{
	u32 i;

	for (i = 0; i < READY; i++)
		if (taken[i] && !adapt_give_back(taken[i]))
			inflated_free(taken[i]);
}

/* Without stripes the word counts on, says how often, and inflates later. */
static void without_stripes_a_word_stays_a_count(struct kunit *test)
{
	struct scounter *counter = scounter_create("plain", "kunit_adapt",
						   SCOUNTER_MULTILINE_ADAPT, 0,
						   GFP_KERNEL);
	struct inflated *taken[READY];
	struct scounter_ref ref;
	unsigned long flags;
	u32 i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
	ref = ref_of(&counter->spread, &counter->class);
	ref.counter = counter;
	/* The work that refills is not to run in between; nor can it. */
	wait_for_the_work();
	local_irq_save(flags);
	take_all_ready(taken);
	/* Only the first of those who wait is told to the table and the work. */
	for (i = 0; i < 10; i++)
		adapt_apply(&ref, 1, scounter_adapt_tries);
	local_irq_restore(flags);
	KUNIT_EXPECT_TRUE(test, adapt_is_plain(word_of(ref.word64)));
	KUNIT_EXPECT_EQ(test, scounter_read(counter), 10ULL);
	KUNIT_EXPECT_EQ(test, atomic_read(&counter->deferred), 1);
	give_all_back(taken);
	WAIT_FOR(test, !READ_ONCE(none_ready));
	WAIT_FOR(test, READ_ONCE(ready[0]));
	adapt_apply(&ref, 1, scounter_adapt_tries);
	KUNIT_EXPECT_TRUE(test, __scounter_is_stripes(word_of(ref.word64)));
	KUNIT_EXPECT_EQ(test, scounter_read(counter), 11ULL);
	KUNIT_EXPECT_EQ(test, atomic_read(&counter->deferred), 1);
	scounter_destroy(counter);
}

#ifdef CONFIG_FAULT_INJECTION
static void every_allocation_of_stripes_fails_once(struct kunit *test)
{
	u32 failures = 0, nth;

	skip_while_booting(test);
	for (nth = 1; nth < 100; nth++) {
		struct inflated *inflated;
		bool failed;

		current->fail_nth = nth;
		inflated = inflated_alloc(GFP_KERNEL | __GFP_NOWARN);
		failed = !current->fail_nth;
		current->fail_nth = 0;
		failures += !inflated;
		if (inflated)
			inflated_free(inflated);
		/* kmemleak allocates, too, and does without. */
		if (!failed)
			break;
	}
	/* The state, the table of the stripes, and those of one node at least. */
	KUNIT_EXPECT_GE(test, failures, 3U);
	KUNIT_EXPECT_LT(test, nth, 100U);
}
#else
static void every_allocation_of_stripes_fails_once(struct kunit *test)
{
	kunit_skip(test, "the kernel has no fault injection");
}
#endif

/* From stripes->slot[] to more of them, while what is counted stays. */
static void contended_stripes_become_several(struct kunit *test)
{
	struct scounter_word64 word;
	struct inflated *inflated;
	u64 first, total;

	KUNIT_EXPECT_EQ(test, growing_class.components_log2, 2);
	inflate_with(test, &word, &growing_class, 10);
	first = word_of(&word);
	inflated = inflated_of(first);
	KUNIT_EXPECT_EQ(test, inflated->components, 4U);
	/* As fast as it has to be, and the work looks each second. */
	scounter_word64_add(&word, &growing_class, 4ULL * grow_rate);
	total = 10 + 4ULL * grow_rate;
	WAIT_FOR(test, word_of(&word) != first);
	KUNIT_EXPECT_TRUE(test, __scounter_is_stripes(word_of(&word)));
	KUNIT_EXPECT_PTR_EQ(test, inflated_of(word_of(&word)), inflated);
	KUNIT_EXPECT_EQ(test, inflated->grown->components, 4U);
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &growing_class), total);
	/* Who had read the old stripes still counts in them. */
	atomic64_inc(scounter_stripes_here(inflated->stripes));
	total++;
	count_in_this_state(test, &word, &growing_class);
	KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(&word, &growing_class),
			total + 5050);
	count_in_this_state(test, &word, &growing_class);
	seconds_pass(inflated, 1);
	seconds_pass(inflated, deflate_after);
	WAIT_FOR(test, adapt_is_plain(word_of(&word)));
	KUNIT_EXPECT_EQ(test, word_of(&word), 5050ULL);
	scounter_word64_destroy(&word, &growing_class);
}

/* The work that refills may be done before the stripes that it replaces are in use. */
static void stripes_that_are_late_become_several(struct kunit *test)
{
	struct scounter_word64 word = SCOUNTER_WORD_INIT;
	struct scounter_ref ref = ref_of(&word, &growing_class);
	struct inflated *inflated;

	WAIT_FOR(test, (inflated = adapt_take_ready()));
	wait_for_the_work();
	/* Nothing of the tests before makes it run again. */
	WAIT_FOR(test, (wait_for_the_work(), list_empty(&watched)));
	preempt_disable();
	KUNIT_EXPECT_TRUE(test, adapt_publish(&ref, 0, inflated));
	preempt_enable();
	scounter_word64_add(&word, &growing_class, 4ULL * grow_rate);
	WAIT_FOR(test, READ_ONCE(inflated->grown));
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &growing_class), 4ULL * grow_rate);
	scounter_word64_destroy(&word, &growing_class);
}

/* Of another node's CPUs nothing: stripes that nobody counts in stay as they are. */
static void quiet_stripes_stay(struct kunit *test)
{
	struct scounter_word64 word;
	struct inflated *inflated;

	inflate_with(test, &word, &growing_class, 10);
	inflated = inflated_of(word_of(&word));
	KUNIT_EXPECT_FALSE(test, adapt_is_contended(inflated, PERIOD));
	scounter_word64_add(&word, &growing_class, grow_rate - 1ULL);
	KUNIT_EXPECT_FALSE(test, adapt_is_contended(inflated, PERIOD));
	scounter_word64_add(&word, &growing_class, grow_rate - 1ULL);
	KUNIT_EXPECT_FALSE(test, adapt_is_contended(inflated, PERIOD));
	/* A look that is late goes by the time that has passed. */
	scounter_word64_add(&word, &growing_class, 3ULL * grow_rate - 1);
	KUNIT_EXPECT_FALSE(test, adapt_is_contended(inflated, 3 * PERIOD));
	scounter_word64_add(&word, &growing_class, 3ULL * grow_rate);
	KUNIT_EXPECT_TRUE(test, adapt_is_contended(inflated, 3 * PERIOD));
	scounter_word64_destroy(&word, &growing_class);
}

static void the_end_of_the_range_is_kept_in_every_state(struct kunit *test)
{
	struct scounter_word64 word = SCOUNTER_WORD_INIT;
	u32 i;

	scounter_word64_add(&word, &adapt_class, S64_MAX);
	KUNIT_EXPECT_EQ(test, word_of(&word), SCOUNTER_ADAPT_MAX);
	KUNIT_EXPECT_EQ(test, flags_of(&word, &adapt_class), SCOUNTER_F_SATURATED);
	for (i = 0; i < 3; i++)
		scounter_word64_inc(&word, &adapt_class);
	KUNIT_EXPECT_EQ(test, word_of(&word), SCOUNTER_ADAPT_MAX);

	inflate_with(test, &word, &adapt_class, SCOUNTER_ADAPT_MAX - 1);
	KUNIT_EXPECT_EQ(test, flags_of(&word, &adapt_class), SCOUNTER_F_INFLATED);
	for (i = 0; i < 5; i++)
		scounter_word64_inc(&word, &adapt_class);
	scounter_word64_add(&word, &adapt_class, S64_MAX);
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &adapt_class),
			SCOUNTER_ADAPT_MAX);
	KUNIT_EXPECT_EQ(test, flags_of(&word, &adapt_class),
			SCOUNTER_F_INFLATED | SCOUNTER_F_SATURATED);
	KUNIT_EXPECT_EQ(test, scounter_word64_fetch_reset(&word, &adapt_class),
			SCOUNTER_ADAPT_MAX);
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &adapt_class), 0ULL);
	scounter_word64_add(&word, &adapt_class, S64_MAX);
	scounter_word64_add(&word, &adapt_class, S64_MAX);
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &adapt_class),
			SCOUNTER_ADAPT_MAX);
	close_now(test, &word);
	scounter_word64_add(&word, &adapt_class, U64_MAX);
	scounter_word64_inc(&word, &adapt_class);
	WAIT_FOR(test, adapt_is_plain(word_of(&word)));
	KUNIT_EXPECT_EQ(test, word_of(&word), SCOUNTER_ADAPT_MAX);
	scounter_word64_destroy(&word, &adapt_class);
}

static const struct scounter_params wrapping[] = {
	{ .kind = SCOUNTER_EXACT, .flags = SCOUNTER_CLASS_WRAP },
	{ .kind = SCOUNTER_MULTILINE_ADAPT, .flags = SCOUNTER_CLASS_WRAP, .components = 8 },
};

/*
 * One CPU counts: the word is not contended, therefore stays one and begins
 * again at 0.  Inflated by one increment in 8 at the end of its range, all of 200 would
 * escape in one of 10^11 runs.
 */
static void a_word_at_the_end_of_its_range_wraps(struct kunit *test)
{
	struct scounter_class class;
	u32 i, j;

	for (i = 0; i < 200 * ARRAY_SIZE(wrapping); i++) {
		struct scounter_word64 word = SCOUNTER_WORD_INIT;

		KUNIT_ASSERT_EQ(test, scounter_class_init(&class, &wrapping[i % 2]), 0);
		scounter_word64_add(&word, &class, SCOUNTER_ADAPT_MAX - 1);
		for (j = 0; j < 3; j++)
			scounter_word64_inc(&word, &class);
		KUNIT_EXPECT_EQ(test, word_of(&word), 1ULL);
		scounter_word64_destroy(&word, &class);
	}
}

/* Inflated before, it does so as soon as it is a count: though it is not idle. */
static void an_inflated_word_wraps_as_a_count(struct kunit *test)
{
	struct scounter_word64 word;
	struct inflated *inflated;
	struct scounter_class class;

	KUNIT_ASSERT_EQ(test, scounter_class_init(&class, &wrapping[0]), 0);
	inflate_with(test, &word, &class, SCOUNTER_ADAPT_MAX - 1);
	inflated = inflated_of(word_of(&word));
	seconds_pass(inflated, 1);
	KUNIT_EXPECT_TRUE(test, __scounter_is_stripes(word_of(&word)));
	scounter_word64_inc(&word, &class);
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &class), SCOUNTER_ADAPT_MAX);
	seconds_pass(inflated, 1);
	/* At once: some seconds later it would be idle. */
	KUNIT_ASSERT_FALSE(test, __scounter_is_stripes(word_of(&word)));
	WAIT_FOR(test, adapt_is_plain(word_of(&word)));
	KUNIT_EXPECT_EQ(test, word_of(&word), SCOUNTER_ADAPT_MAX);
	scounter_word64_inc(&word, &class);
	KUNIT_EXPECT_EQ(test, word_of(&word), 0ULL);
	scounter_word64_destroy(&word, &class);
}

/* Two CPUs count, inflate and reset the same word, from one state to the next. */
#define ROUNDS	400

struct crowd {
	struct scounter_word64 *word;
	struct completion done;
	u64 added, returned, inflated, closing;
};

static int crowd(void *data)
{
	struct crowd *crowd = data;
	struct scounter_ref ref = ref_of(crowd->word, &growing_class);
	u32 i, j;

	for (i = 0; i < ROUNDS; i++) {
		crowd->closing += adapt_is_closing(word_of(crowd->word));
		for (j = 0; j < 1000; j++)
			scounter_word64_inc(crowd->word, &growing_class);
		scounter_word64_add(crowd->word, &growing_class, i);
		adapt_apply(&ref, 1, scounter_adapt_tries);
		crowd->added += 1000 + i + 1;
		crowd->inflated += __scounter_is_stripes(word_of(crowd->word));
		if (i % 2)
			crowd->returned += scounter_word64_fetch_reset(crowd->word,
								       &growing_class);
		usleep_range(500, 3000);
	}
	complete(&crowd->done);
	return 0;
}

static void a_crowd_loses_nothing(struct kunit *test)
{
	struct scounter_word64 word = SCOUNTER_WORD_INIT;
	u64 added = 0, returned, inflated = 0, closing = 0;
	struct crowd *crowds;
	int cpu;

	crowds = kunit_kcalloc(test, nr_cpu_ids, sizeof(*crowds), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, crowds);
	/* The work closes the word in every jiffy, though it is counted in. */
	deflate_after = 0;
	period = 1;
	for_each_online_cpu(cpu) {
		struct task_struct *task;

		crowds[cpu].word = &word;
		init_completion(&crowds[cpu].done);
		task = kthread_create_on_cpu(crowd, &crowds[cpu], cpu, "crowd/%u");
		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
		wake_up_process(task);
	}
	for_each_online_cpu(cpu)
		wait_for_completion(&crowds[cpu].done);
	returned = scounter_word64_fetch_reset(&word, &growing_class);
	for_each_online_cpu(cpu) {
		added += crowds[cpu].added;
		returned += crowds[cpu].returned;
		inflated += crowds[cpu].inflated;
		closing += crowds[cpu].closing;
	}
	KUNIT_EXPECT_EQ(test, added, returned);
	KUNIT_EXPECT_EQ(test, scounter_word64_read(&word, &growing_class), 0ULL);
	/* All states were there. */
	KUNIT_EXPECT_GT(test, inflated, 0ULL);
	KUNIT_EXPECT_GT(test, closing, 0ULL);
	kunit_info(test, "inflated %llu times, closing %llu of %u\n", inflated, closing,
		   ROUNDS * num_online_cpus());
	scounter_word64_destroy(&word, &growing_class);
}

static void reopen_or_not(struct inflated *inflated, bool wanted)
{
	if (wanted)
		adapt_reopen(inflated);
}

/* A named counter is destroyed in any state, too. */
static void named_counters_go_in_every_state(struct kunit *test)
{
	u32 state;

	for (state = 0; state < 4; state++) {
		struct scounter *counter = scounter_create("state", "kunit_adapt",
							   SCOUNTER_EXACT, 0,
							   GFP_KERNEL);

		KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
		scounter_inc(counter);
		if (state)
			fail_and_count(test, &counter->spread, &counter->class);
		rcu_read_lock();
		if (state > 1)
			reopen_or_not(close_now(test, &counter->spread), state > 2);
		rcu_read_unlock();
		scounter_destroy(counter);
	}
}

/* While it is not registered nobody would take its stripes back. */
static void a_static_counter_inflates_while_registered(struct kunit *test)
{
	static DEFINE_SCOUNTER(counter, SCOUNTER_EXACT, 0);
	struct scounter_ref ref = ref_of(&counter.spread, &counter.class);
	u32 round;

	ref.counter = &counter;
	for (round = 1; round <= 2; round++) {
		WAIT_FOR(test, READ_ONCE(ready[0]));
		adapt_apply(&ref, 1, scounter_adapt_tries);
		KUNIT_EXPECT_TRUE(test, adapt_is_plain(word_of(&counter.spread)));

		KUNIT_ASSERT_EQ(test, scounter_register(&counter, "static", "kunit_adapt"), 0);
		WAIT_FOR(test, READ_ONCE(ready[0]));
		adapt_apply(&ref, 1, scounter_adapt_tries);
		KUNIT_EXPECT_TRUE(test, __scounter_is_stripes(word_of(&counter.spread)));

		scounter_unregister(&counter);
		KUNIT_EXPECT_EQ(test, word_of(&counter.spread), 2ULL * round);
	}
	KUNIT_EXPECT_EQ(test, scounter_fetch_reset(&counter), 4ULL);
}

/* Its user has gone without a word; the stripes go with the module, or kmemleak says so. */
static void a_word_is_forgotten(struct kunit *test)
{
	static struct scounter_word64 word;

	fail_and_count(test, &word, &growing_class);
	KUNIT_ASSERT_TRUE(test, __scounter_is_stripes(word_of(&word)));
	/* And does not become idle before. */
	inflated_of(word_of(&word))->leaving = true;
}

static void adapt_test_exit(struct kunit *test)
{
	deflate_after = 5;
	period = PERIOD;
}

static struct kunit_case adapt_cases[] = {
	KUNIT_CASE(a_word_inflates_after_four_failures),
	KUNIT_CASE(one_failure_in_eight_inflates_exact),
	KUNIT_CASE(what_was_counted_stays),
	KUNIT_CASE(every_state_counts_and_is_reset),
	KUNIT_CASE(a_reset_leaves_the_stripes),
	KUNIT_CASE(an_idle_word_becomes_a_count),
	KUNIT_CASE(a_contended_word_gets_its_stripes_back),
	KUNIT_CASE(a_word_that_was_reopened_is_destroyed),
	KUNIT_CASE(a_sealed_word_is_read),
	KUNIT_CASE(who_counts_in_a_sealed_word_opens_it),
	KUNIT_CASE(who_resets_a_sealed_word_opens_it),
	KUNIT_CASE(a_destroyed_word_is_left_alone),
	KUNIT_CASE(destroy_keeps_the_value_in_every_state),
	KUNIT_CASE(without_stripes_a_word_stays_a_count),
	KUNIT_CASE(every_allocation_of_stripes_fails_once),
	KUNIT_CASE(contended_stripes_become_several),
	KUNIT_CASE(stripes_that_are_late_become_several),
	KUNIT_CASE(quiet_stripes_stay),
	KUNIT_CASE(the_end_of_the_range_is_kept_in_every_state),
	KUNIT_CASE(a_word_at_the_end_of_its_range_wraps),
	KUNIT_CASE(an_inflated_word_wraps_as_a_count),
	KUNIT_CASE(a_crowd_loses_nothing),
	KUNIT_CASE(named_counters_go_in_every_state),
	KUNIT_CASE(a_static_counter_inflates_while_registered),
	KUNIT_CASE(a_word_is_forgotten),
	{}
};

static struct kunit_suite adapt_suite = {
	.name = "scounter_adapt",
	.exit = adapt_test_exit,
	.test_cases = adapt_cases,
};
kunit_test_suites(&adapt_suite);

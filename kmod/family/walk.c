// SPDX-License-Identifier: GPL-2.0
/*
 * A reader of a family goes over the words of the client, some at a time.
 *
 * The client's function is called again and again, and holds its own locks only while it
 * is in there: for 128 words or so.  Between two calls other tasks may run, and the reader
 * leaves if somebody wants the family to go.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bug.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat.h"
#include "counter/counter.h"
#include "family/family.h"
#include "kinds/kind.h"
#include "repr/sum.h"
#include "set/set.h"

/* Words that a client visits with its locks held. */
#define AT_ONCE	128

static void pass_add(struct scounter_family_pass *pass, const struct scounter_estimate *one)
{
	scounter_sum_put(&pass->sum, one);
	pass->largest.value = max(pass->largest.value, one->value);
	pass->largest.lower = max(pass->largest.lower, one->lower);
	pass->largest.upper = max(pass->largest.upper, one->upper);
	pass->largest.flags |= one->flags;
	scounter_spread_add(&pass->values, one->value);
	scounter_spread_add(&pass->lowers, one->lower);
	scounter_spread_add(&pass->uppers, one->upper);
	pass->words++;
}

static bool walk_visit(struct scounter_family_walk *walk, const struct scounter_ref *ref,
		       u32 bytes)
{
	struct scounter_estimate one;

	scounter_kinds[ref->class->kind - 1].ops->read_est(ref, &one);
	pass_add(walk->pass, &one);
	walk->pass->bytes += bytes + scounter_word_spread_bytes(ref);
	return ++walk->visited < AT_ONCE;
}

static bool walk_has(const struct scounter_family_walk *walk, enum __scounter_word_size word)
{
	const struct scounter_class *class = walk->family->desc->class;

	return !WARN_ONCE(scounter_kind_row(class->kind)->word != word,
			  "scounter: family %s has words of kind %u, which have another size\n",
			  walk->family->name, class->kind);
}

/**
 * scounter_family_visit32 - a reader of a family looks at a word of four bytes
 * @walk: as the client's function got it
 * @word: the word, which is there until this returns
 *
 * Context: Any context, within the client's walk().
 * Return: whether to go on.  If not, return from walk() soon: this many words are enough
 * to hold a lock for.  The word itself is done.
 */
bool scounter_family_visit32(struct scounter_family_walk *walk,
			     const struct scounter_word32 *word)
{
	const struct scounter_ref ref = {
		.word32 = (struct scounter_word32 *)word,
		.class = walk->family->desc->class,
	};

	return walk_has(walk, __SCOUNTER_WORD32) && walk_visit(walk, &ref, sizeof(*word));
}
EXPORT_SYMBOL_GPL(scounter_family_visit32);

/**
 * scounter_family_visit64 - a reader of a family looks at a word of eight bytes
 * @walk: as the client's function got it
 * @word: the word, which is there until this returns
 *
 * Context: Any context, within the client's walk(); of multiline_adapt where RCU is
 * watching.
 * Return: as scounter_family_visit32().
 */
bool scounter_family_visit64(struct scounter_family_walk *walk,
			     const struct scounter_word64 *word)
{
	const struct scounter_ref ref = {
		.word64 = (struct scounter_word64 *)word,
		.class = walk->family->desc->class,
	};

	return walk_has(walk, __SCOUNTER_WORD64) && walk_visit(walk, &ref, sizeof(*word));
}
EXPORT_SYMBOL_GPL(scounter_family_visit64);

/**
 * scounter_family_visit_row - a reader of a family looks at a counter of a set
 * @walk: as the client's function got it
 * @set: the set, embedded in an object or with a name, which is there until this returns
 * @row: which counter; of the class that the family has
 *
 * Context: Any context, within the client's walk(); of multiline_adapt where RCU is
 * watching.
 * Return: as scounter_family_visit32().
 */
bool scounter_family_visit_row(struct scounter_family_walk *walk,
			       const struct scounter_set *set, u32 row)
{
	const u32 kind = walk->family->desc->class->kind;
	struct scounter_ref ref;

	if (WARN_ONCE(row >= set->desc->count || set->desc->rows[row].class.kind != kind,
		      "scounter: row %u of a set is not of kind %u, as family %s is\n", row, kind,
		      walk->family->name))
		return false;
	ref = scounter_set_ref(set, row);
	return walk_visit(walk, &ref, scounter_set_word_bytes(set->desc));
}
EXPORT_SYMBOL_GPL(scounter_family_visit_row);

#ifdef CONFIG_LOCKDEP
static struct lock_class_key walk_key;
static struct lockdep_map walk_map = STATIC_LOCKDEP_MAP_INIT("scounter_family_walk", &walk_key);
#endif

/* A task that waits for walk() must hold no lock that walk() takes. */
void scounter_family_may_wait(void)
{
	lock_map_acquire(&walk_map);
	lock_map_release(&walk_map);
}

static bool walk_some(struct scounter_family_walk *walk)
{
	const struct scounter_family *family = walk->family;
	unsigned long at = walk->at;
	bool more;

	walk->visited = 0;
	lock_map_acquire_read(&walk_map);
	more = family->desc->walk(walk, family->context);
	lock_map_release(&walk_map);
	return more && !WARN_ONCE(!walk->visited && walk->at == at,
				  "scounter: family %s: walk() stays where it is\n", family->name);
}

struct scounter_family_pass *scounter_family_pass(struct scounter_family *family)
{
	struct scounter_family_walk walk = { .family = family };

	walk.pass = kvzalloc(sizeof(*walk.pass), GFP_KERNEL_ACCOUNT);
	if (!walk.pass)
		return ERR_PTR(-ENOMEM);
	scounter_sum_begin(&walk.pass->sum);
	do {
		cond_resched();
		if (fatal_signal_pending(current) || !scounter_item_is_alive(&family->item)) {
			kvfree(walk.pass);
			return ERR_PTR(-EINTR);
		}
	} while (walk_some(&walk));
	return walk.pass;
}

/* What is said of the words */

/* In parts per million of the value, rounded up. */
static u32 say_error(const struct scounter_estimate *estimate)
{
	u64 off = max(estimate->value - estimate->lower, estimate->upper - estimate->value);
	u64 value = estimate->value;

	if (!off)
		return 0;
	/* So that a million times as much is a number, too. */
	while (off >> 43) {
		off = (off >> 1) + 1;
		value >>= 1;
	}
	if (!value)
		return U32_MAX;
	return min_t(u64, div64_u64(off * SCOUNTER_PPM + value - 1, value), U32_MAX);
}

static void say_number(u64 value, struct scounter_estimate *estimate)
{
	*estimate = (struct scounter_estimate) { .value = value, .lower = value, .upper = value };
}

/* Bounds of a value are at most as far off as its bucket is wide, and its word's bounds. */
static void say_quantile(const struct scounter_family_pass *pass, u32 percent,
			 struct scounter_estimate *estimate)
{
	u64 rank = div_u64(pass->words * percent + 99, 100);
	u32 bucket;

	say_number(0, estimate);
	if (!pass->words)
		return;
	bucket = scounter_spread_find(&pass->values, rank);
	estimate->value = scounter_spread_low(bucket);
	estimate->value += (scounter_spread_high(bucket) - estimate->value) / 2;
	/* The middle of the bucket that the largest word is in may be beyond that. */
	estimate->value = min(estimate->value, pass->largest.value);
	estimate->lower = scounter_spread_low(scounter_spread_find(&pass->lowers, rank));
	estimate->upper = scounter_spread_high(scounter_spread_find(&pass->uppers, rank));
	if (estimate->upper == U64_MAX)
		estimate->flags = SCOUNTER_F_SATURATED;
	else
		estimate->error_ppm = say_error(estimate);
}

static void say_largest(const struct scounter_family_pass *pass,
			struct scounter_estimate *estimate)
{
	*estimate = pass->largest;
	if (estimate->upper != U64_MAX)
		estimate->error_ppm = say_error(estimate);
}

void scounter_family_say(const struct scounter_family_pass *pass,
			 struct scounter_estimate *estimates)
{
	say_number(pass->words, &estimates[SCOUNTER_FAMILY_WORDS]);
	scounter_sum_get(&pass->sum, &estimates[SCOUNTER_FAMILY_SUM]);
	say_largest(pass, &estimates[SCOUNTER_FAMILY_LARGEST]);
	say_quantile(pass, 50, &estimates[SCOUNTER_FAMILY_P50]);
	say_quantile(pass, 90, &estimates[SCOUNTER_FAMILY_P90]);
	say_quantile(pass, 99, &estimates[SCOUNTER_FAMILY_P99]);
	say_number(pass->bytes, &estimates[SCOUNTER_FAMILY_BYTES]);
}

/**
 * scounter_family_read - what is said of a family
 * @family: the family
 * @estimates: room for each of enum scounter_family_row
 *
 * A quantile is known to the width of its bucket, 1/16 of it, and to the errors of the
 * words: the bounds have both.  error_ppm of the quantiles and of the largest is how far
 * the farther bound is off.  Words are read one after the other.
 *
 * Context: Task context; may sleep, and does what the family's walk() does.
 * Return: 0; -ENOMEM; -EINTR if the task is about to die, or the family to go.
 */
int scounter_family_read(struct scounter_family *family,
			 struct scounter_estimate estimates[SCOUNTER_FAMILY_ROWS])
{
	struct scounter_family_pass *pass = scounter_family_pass(family);

	if (IS_ERR(pass))
		return PTR_ERR(pass);
	scounter_family_say(pass, estimates);
	kvfree(pass);
	return 0;
}
EXPORT_SYMBOL_GPL(scounter_family_read);

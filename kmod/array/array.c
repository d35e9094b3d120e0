// SPDX-License-Identifier: GPL-2.0
/*
 * Arrays of approximate counters in the kernel: where the words of packed cells
 * are, and how they are stored when CPUs and contexts meet in one.  What a cell
 * means and what an addition makes of it is in repr/.
 *
 * An increment is a trial with the countdowns of random.c, and writes nothing if
 * that fails.  If it succeeds it is the addition of what it counts for, 1 / Q.
 * An addition is decided by its first rounding: when the compare-and-swap then
 * fails, because this or a neighbouring cell of the word has changed, what it was
 * rounded to is added to the new state.  To round anew would be a bias: a
 * rounding to "no change" never meets a failure.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/export.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "compat.h"
#include "array/array.h"
#include "base/random.h"
#include "base/refuse.h"

#define LEVEL_MASK	63U

static notrace bool array_is_shared(const struct scounter_array *array)
{
	return array->cells.repr.type.kind == SCOUNTER_REPR_SHARED;
}

/* Where two meet, the lower stays. */
static notrace void array_note_lost(struct scounter_array *array, u64 lost_from)
{
	s64 old = atomic64_read(&array->lost_from);

	while ((u64)old > lost_from &&
	       !atomic64_try_cmpxchg(&array->lost_from, &old, lost_from))
		;
}

/* Where two meet, the higher stays. */
static void array_raise(atomic_t *what, u32 to)
{
	int old = atomic_read(what);

	while ((u32)old < to && !atomic_try_cmpxchg(what, &old, to))
		;
}

static void array_raise_to(atomic64_t *what, u64 to)
{
	s64 old = atomic64_read(what);

	while ((u64)old < to && !atomic64_try_cmpxchg(what, &old, to))
		;
}

/*
 * A word has come to a level: new samples of all counters do, unless the array was
 * cleared since the addition began, and the number of clearings is a higher one.
 * Then the word is zero, or alone with a sample of that level.
 */
static notrace void array_raise_level(struct scounter_array *array, u32 seen, u32 level)
{
	u32 to = (seen & ~LEVEL_MASK) | level;
	int old = atomic_read(&array->level);

	while ((u32)old < to && !atomic_try_cmpxchg(&array->level, &old, to))
		;
}

static notrace atomic64_t *array_copy_here(const struct scounter_array *array)
{
	if (array->placement == SCOUNTER_ARRAY_PER_NODE)
		return array->copies[numa_node_id()];
	if (array->placement == SCOUNTER_ARRAY_PER_CPU)
		return array->copies[raw_smp_processor_id()];
	return array->copies[0];
}

struct addition {
	struct scounter_real v;
	u32 seen;	/* array->level when the addition began */
	u32 level;	/* SCOUNTER_REPR_SHARED: v is of a sample at this level */
	bool lacks;	/* v may lack counts */
};

/*
 * That counts were lost is noted before they are, so that who reads the cell finds
 * it noted; and again after that, in case an array that is being cleared has
 * forgotten it in between.
 */
static notrace void array_add_to_cell(struct scounter_array *array, atomic64_t *word, u32 bit,
				struct addition *addition)
{
	const struct scounter_cells *cells = &array->cells;
	struct rnd_state *rnd = scounter_random_get();
	s64 old = atomic64_read(word);
	bool lost;
	u64 new;

	do {
		lost = addition->lacks;
		new = scounter_cells_add(cells, old, bit, &addition->v, addition->level, rnd,
					 &lost);
		if (lost)
			array_note_lost(array, scounter_cells_lost_from(cells, new, bit));
	} while (new != (u64)old && !atomic64_try_cmpxchg(word, &old, new));
	scounter_random_put();

	if (lost)
		array_note_lost(array, scounter_cells_lost_from(cells, new, bit));
	if (array_is_shared(array) && scounter_shared_level(new) > scounter_shared_level(old))
		array_raise_level(array, addition->seen, scounter_shared_level(new));
}

/* Whether an increment of a cell in this state succeeds, and what it counts for. */
static notrace bool array_trial(const struct scounter_repr *repr, u32 x, struct scounter_real *worth)
{
	bool success;

	*worth = scounter_repr_worth(repr, x);
	if (!scounter_trial(scounter_real_log2(*worth)))
		return false;
	if (!worth->part && !(worth->whole & (worth->whole - 1)))
		return true;
	success = scounter_real_accept(*worth, scounter_random_get());
	scounter_random_put();
	return success;
}

/* Most end with the trial, without a look at the cell. */
static notrace void array_inc_shared(struct scounter_array *array, atomic64_t *copy, u64 cell)
{
	u32 seen = atomic_read(&array->level), level = seen & LEVEL_MASK, bit;
	struct addition one = {
		.v = scounter_real(1ULL << level), .seen = seen, .level = level,
	};
	u64 word;

	if (!scounter_trial(level))
		return;
	word = scounter_cells_find(&array->cells, cell, &bit);
	array_add_to_cell(array, &copy[word], bit, &one);
}

static notrace void array_inc_cell(struct scounter_array *array, atomic64_t *copy, u64 cell)
{
	const struct scounter_repr *repr = &array->cells.repr;
	struct scounter_real worth;
	atomic64_t *word;
	u32 bit, x;

	word = &copy[scounter_cells_find(&array->cells, cell, &bit)];
	x = scounter_cells_state(&array->cells, atomic64_read(word), bit);
	if (x >= repr->top)
		array_note_lost(array, scounter_cells_lost_at_end(&array->cells));
	else if (array_trial(repr, x, &worth))
		array_add_to_cell(array, word, bit, &(struct addition){ .v = worth });
}

static notrace bool array_refuse_range(const struct scounter_array *array, u64 first, u64 count)
{
	if (likely(first <= array->length && count <= array->length - first))
		return false;
	/* To count what was refused does not change what was counted. */
	atomic64_inc((atomic64_t *)&array->refused);
	return true;
}

static notrace bool array_refuse(const struct scounter_array *array, u64 index)
{
	return array_refuse_range(array, index, 1);
}

/**
 * scounter_array_inc - count one event
 * @array: the array
 * @index: which counter; if there is none of this number, the call is refused and
 *	counted in scounter_array_refused()
 *
 * With a group of g cells a counter, each counts the event by a trial of its own.
 *
 * Steele & Tristan 2017, section 2 and sections 4 to 8; Xu et al. for groups.
 *
 * Context: Any context, NMI included.
 */
notrace void scounter_array_inc(struct scounter_array *array, u64 index)
{
	u32 group = array->cells.repr.type.group;
	atomic64_t *copy;
	u32 i;

	if (array_refuse(array, index))
		return;
	copy = array_copy_here(array);
	for (i = 0; i < group; i++) {
		if (array_is_shared(array))
			array_inc_shared(array, copy, index * group + i);
		else
			array_inc_cell(array, copy, index * group + i);
	}
}
EXPORT_SYMBOL_GPL(scounter_array_inc);

/* See scounter_array_add(). */
notrace void __scounter_array_add(struct scounter_array *array, u64 index, u64 n)
{
	u32 group = array->cells.repr.type.group;
	u32 seen = atomic_read(&array->level);
	atomic64_t *copy = array_copy_here(array);
	u32 bit, i;
	u64 word;

	if (array_refuse(array, index) || !n)
		return;
	if (scounter_refuses(n, array->entry.name)) {
		atomic64_inc(&array->refused);
		return;
	}
	for (i = 0; i < group; i++) {
		struct addition addition = {
			.v = scounter_real(n), .seen = seen, .level = seen & LEVEL_MASK,
		};

		word = scounter_cells_find(&array->cells, index * group + i, &bit);
		array_add_to_cell(array, &copy[word], bit, &addition);
	}
}
EXPORT_SYMBOL_GPL(__scounter_array_add);

static notrace void array_add_up_cell(const struct scounter_array *array, u64 cell,
				struct scounter_cell_total *total)
{
	u32 bit, i;
	u64 word = scounter_cells_find(&array->cells, cell, &bit);

	for (i = 0; i < array->slots; i++)
		if (array->copies[i])
			scounter_cell_total_add(total, &array->cells,
					     atomic64_read(&array->copies[i][word]), bit);
}

static notrace struct scounter_cell_total array_add_up(const struct scounter_array *array, u64 index)
{
	u32 group = array->cells.repr.type.group, i;
	struct scounter_cell_total total = { 0 };

	for (i = 0; i < group; i++)
		array_add_up_cell(array, index * group + i, &total);
	return total;
}

static notrace struct scounter_known array_known_of(const struct scounter_array *array)
{
	struct scounter_known known = {
		.copies		= array->copy_count,
		.level		= scounter_array_level(array),
		.lost_from	= atomic64_read(&array->lost_from),
	};

	/* In the order in which array_begin_clear() changes them, so that none is missed. */
	known.mixed_ppm = atomic_read(&array->mixed_ppm);
	known.roundings = atomic_read(&array->roundings);
	known.unit = atomic64_read(&array->unit);
	smp_rmb(); /* array_begin_clear() */
	known.mixed_ppm = max_t(u32, known.mixed_ppm, atomic_read(&array->cleared_ppm));
	known.roundings = max_t(u32, known.roundings, atomic_read(&array->cleared_roundings));
	known.unit = max_t(u64, known.unit, atomic64_read(&array->cleared_unit));
	return known;
}

/*
 * Before cells are read, and after: what is said of them is the worse of both.  Losses and
 * errors are noted before a cell is written and after it, and forgotten when it has been
 * cleared.
 */
static notrace struct scounter_known array_known_before(const struct scounter_array *array)
{
	struct scounter_known known = array_known_of(array);

	/* Pairs with the exchange in array_forget_lost(), and with array_begin_clear(). */
	smp_rmb();
	return known;
}

static notrace struct scounter_known array_known_after(const struct scounter_array *array,
						       const struct scounter_known *before)
{
	struct scounter_known known;

	/* Pairs with the compare-and-swap in array_add_to_cell(). */
	smp_rmb();
	known = array_known_of(array);
	known.lost_from = min(known.lost_from, before->lost_from);
	known.mixed_ppm = max(known.mixed_ppm, before->mixed_ppm);
	known.roundings = max(known.roundings, before->roundings);
	known.unit = max(known.unit, before->unit);
	known.level = max(known.level, before->level);
	return known;
}

/**
 * scounter_array_read_est - a counter's value, and how far it can be trusted
 * @array: the array
 * @index: which counter
 * @estimate: value, bounds, relative error and state; for a shared probability
 *	the additive error too
 *
 * Relative standard deviation at most sqrt((q - 1) / 2m), over the root of the cells of
 * a group: Steele & Tristan 2017, theorems 11.4, 11.6 and 11.10.  The value is exact
 * below m.  Bounds: kmod/repr/bounds.h.
 *
 * Context: Any context, NMI included.
 * Return: 0, or -ERANGE if there is no such counter.
 */
notrace int scounter_array_read_est(const struct scounter_array *array, u64 index,
				    struct scounter_array_estimate *estimate)
{
	struct scounter_cell_total total;
	struct scounter_known known;

	if (array_refuse(array, index))
		return -ERANGE;
	known = array_known_before(array);
	total = array_add_up(array, index);
	known = array_known_after(array, &known);
	scounter_estimate_of(&total, &array->cells.repr.type, &known, estimate);
	return 0;
}
EXPORT_SYMBOL_GPL(scounter_array_read_est);

/**
 * scounter_array_reached - has a counter of an array counted so many events?
 * @array: the array
 * @index: which counter
 * @limit: how many
 *
 * By the bounds of scounter_array_read_est(), as scounter_reached().
 *
 * Context: Any context, NMI included.
 * Return: SCOUNTER_NO, SCOUNTER_YES or SCOUNTER_CANNOT_SAY, which is also the answer for
 * a counter that there is not.
 */
notrace enum scounter_answer scounter_array_reached(const struct scounter_array *array,
						    u64 index, u64 limit)
{
	struct scounter_array_estimate estimate;

	if (scounter_array_read_est(array, index, &estimate))
		return SCOUNTER_CANNOT_SAY;
	return scounter_bounds_reached(estimate.lower, estimate.upper, estimate.flags, limit);
}
EXPORT_SYMBOL_GPL(scounter_array_reached);

/**
 * scounter_array_read - a counter's value
 * @array: the array
 * @index: which counter
 *
 * Context: Any context, NMI included.
 * Return: an estimate of the number of events, rounded to the nearest whole number;
 * 0 for a counter that there is not.  What is rounded off, where a cell does not
 * stand for a whole number, does not average out over many counters: add them up
 * with scounter_array_sum() or scounter_array_read_fixed().
 */
notrace u64 scounter_array_read(const struct scounter_array *array, u64 index)
{
	struct scounter_array_estimate estimate;

	return scounter_array_read_est(array, index, &estimate) ? 0 : estimate.value;
}
EXPORT_SYMBOL_GPL(scounter_array_read);

/**
 * scounter_array_read_range - the values of many counters in fixed point
 * @array: the array
 * @first: the first counter
 * @count: how many; 0 reads none
 * @values: unbiased estimates of the numbers of events, @count of them
 *
 * Whether a counter lacks counts is said by scounter_array_read_est() and
 * scounter_array_sum().
 *
 * Context: Any context, NMI included.  Takes as long as so many reads.
 * Return: 0, or -ERANGE if there are not so many counters; @values is not
 * written then.
 */
notrace int scounter_array_read_range(const struct scounter_array *array, u64 first, u64 count,
				      struct scounter_array_value *values)
{
	struct scounter_cell_total total;
	u64 i;

	if (array_refuse_range(array, first, count))
		return -ERANGE;
	for (i = 0; i < count; i++) {
		total = array_add_up(array, first + i);
		values[i] = scounter_value_of(scounter_wide_over(total.sum,
								 array->cells.repr.type.group));
	}
	return 0;
}
EXPORT_SYMBOL_GPL(scounter_array_read_range);

static void array_total_cell(const struct scounter_array *array, u64 cell,
		       const struct scounter_known *known, struct scounter_total *total)
{
	u32 bit, i;
	u64 word = scounter_cells_find(&array->cells, cell, &bit);

	for (i = 0; i < array->slots; i++)
		if (array->copies[i])
			scounter_total_cell(total, &array->cells,
					    atomic64_read(&array->copies[i][word]), bit,
					    known);
}

/* A merge that came meanwhile has more to say of the counts than a sum began with. */
static bool array_is_worse(const struct scounter_known *known, const struct scounter_known *than)
{
	return known->mixed_ppm > than->mixed_ppm || known->roundings > than->roundings ||
	       known->unit > than->unit || known->level > than->level;
}

/* After so many sums, each beside a merge that said more, the last one is given. */
#define LOOKS	8

/**
 * scounter_array_sum - the sum of many counters, and how far it can be trusted
 * @array: the array
 * @first: the first counter
 * @count: how many; the sum of none is 0
 * @sum: value, standard deviation, bounds and state
 *
 * The expected value is the number of events: nothing is rounded but the sum.  The
 * counters err independently of each other, so that the relative error of a sum
 * over many is small where that of each is not.
 *
 * Steele & Tristan 2017, theorems 11.4, 11.6 and 11.10, for each counter.
 *
 * Context: Task context; may sleep.
 * Return: 0, or -ERANGE if there are not so many counters.
 */
int scounter_array_sum(const struct scounter_array *array, u64 first, u64 count,
		       struct scounter_array_total *sum)
{
	u32 group = array->cells.repr.type.group;
	struct scounter_known known, after;
	struct scounter_total total;
	u32 looks = 0;
	u64 cell;

	might_sleep();
	if (array_refuse_range(array, first, count))
		return -ERANGE;
	if (!count) {
		*sum = (struct scounter_array_total){ 0 };
		return 0;
	}
	do {
		known = array_known_before(array);
		total = (struct scounter_total){ 0 };
		for (cell = first * group; cell < (first + count) * group; cell++) {
			array_total_cell(array, cell, &known, &total);
			if (cell % 64 == 0)
				cond_resched();
		}
		after = array_known_after(array, &known);
	} while (array_is_worse(&after, &known) && ++looks < LOOKS);
	scounter_total_of(&total, group, after.lost_from, sum);
	return 0;
}
EXPORT_SYMBOL_GPL(scounter_array_sum);

static bool array_word_may_lack(const struct scounter_cells *cells, u64 word, u64 lost_from)
{
	u32 bit = 0, i;

	for (i = 0; i < cells->per_word; i++, bit += cells->repr.type.bits)
		if (scounter_may_lack(lost_from, scounter_cells_f(cells, word, bit).whole))
			return true;
	return false;
}

static bool array_copy_may_lack(const struct scounter_array *array, const atomic64_t *copy,
			  u64 lost_from)
{
	u64 word;

	for (word = 0; word < array->cells.words; word++) {
		if (array_word_may_lack(&array->cells, atomic64_read(&copy[word]), lost_from))
			return true;
		if (word % 4096 == 0)
			cond_resched();
	}
	return false;
}

/*
 * Forget what was lost.  A cell that lost some while the array was being cleared,
 * in a word that was cleared before, is at its end still, and remembered for.
 */
static void array_forget_lost(struct scounter_array *array)
{
	u64 lost_from = atomic64_xchg(&array->lost_from, SCOUNTER_NOTHING_LOST);
	u32 i;

	for (i = 0; i < array->slots && lost_from != SCOUNTER_NOTHING_LOST; i++)
		if (array->copies[i] && array_copy_may_lack(array, array->copies[i], lost_from))
			array_note_lost(array, lost_from);
}

/*
 * Only when all words are zero: an addition to one that is not yet would raise the
 * level again, and there are none that lower it.
 */
static void array_begin_level_again(struct scounter_array *array)
{
	int old = atomic_read(&array->level);

	while (!atomic_try_cmpxchg(&array->level, &old, ((u32)old | LEVEL_MASK) + 1))
		;
}

/*
 * What is merged meanwhile brings its error.  What was merged before has it until its word
 * is 0, where a reader finds it in one place or in the other.
 */
static void array_begin_clear(struct scounter_array *array)
{
	array_raise(&array->cleared_ppm, atomic_read(&array->mixed_ppm));
	array_raise(&array->cleared_roundings, atomic_read(&array->roundings));
	array_raise_to(&array->cleared_unit, atomic64_read(&array->unit));
	smp_mb(); /* array_known_of() */
	atomic_set(&array->mixed_ppm, 0);
	atomic_set(&array->roundings, 0);
	atomic64_set(&array->unit, 0);
}

/**
 * scounter_array_clear - set all counters to zero
 * @array: the array
 *
 * Word by word: what is counted meanwhile is in some counters kept and in others
 * cleared.  That counts were lost is forgotten.  Who loses some meanwhile in a counter
 * that is kept finds it said when both calls have returned.  What was refused is
 * not forgotten.
 *
 * Context: Task context; may sleep.
 */
void scounter_array_clear(struct scounter_array *array)
{
	u64 word;
	u32 i;

	might_sleep();
	array_begin_clear(array);
	for (i = 0; i < array->slots; i++) {
		if (!array->copies[i])
			continue;
		for (word = 0; word < array->cells.words; word++) {
			atomic64_set(&array->copies[i][word], 0);
			if (word % 4096 == 0)
				cond_resched();
		}
	}
	smp_mb(); /* array_known_of() */
	atomic_set(&array->cleared_ppm, 0);
	atomic_set(&array->cleared_roundings, 0);
	atomic64_set(&array->cleared_unit, 0);
	array_begin_level_again(array);
	array_forget_lost(array);
}
EXPORT_SYMBOL_GPL(scounter_array_clear);

static bool array_same_type(const struct scounter_array *a, const struct scounter_array *b)
{
	return !memcmp(&a->cells.repr.type, &b->cells.repr.type,
		       sizeof(a->cells.repr.type));
}

static int array_check_merge(const struct scounter_array *dst, const struct scounter_array *src)
{
	const char *why = NULL;

	if (dst == src)
		why = "an array is not merged with itself";
	else if (dst->length != src->length)
		why = "arrays of different length are not merged";
	else if (dst->cells.repr.type.group != src->cells.repr.type.group)
		why = "arrays with groups of different size are not merged";
	else if (array_is_shared(dst) != array_is_shared(src))
		why = "arrays with relative and with additive errors are not merged";
	if (why)
		pr_warn_ratelimited("%s\n", why);
	return why ? -EINVAL : 0;
}

static bool array_word_is_empty(const struct scounter_array *array, u64 word)
{
	u32 i;

	for (i = 0; i < array->slots; i++)
		if (array->copies[i] && atomic64_read(&array->copies[i][word]))
			return false;
	return true;
}

static void array_merge_cell(struct scounter_array *dst, const struct scounter_array *src,
		       u64 cell, bool same)
{
	struct scounter_cell_total total = { 0 };
	struct scounter_known known = array_known_before(src);
	struct addition addition;
	u32 bit, ppm;
	u64 to;

	array_add_up_cell(src, cell, &total);
	known = array_known_after(src, &known);
	addition = (struct addition){
		.v = scounter_wide_real(total.sum),
		.seen = atomic_read(&dst->level),
		.lacks = scounter_may_lack(known.lost_from, total.largest) ||
			 total.sum.over,
	};
	if (scounter_real_is_zero(addition.v))
		return;
	/* The sum's sample is of no lower level than each. */
	addition.level = max(total.level, addition.seen & LEVEL_MASK);
	ppm = scounter_brought_ppm(&total, same, known.mixed_ppm, &dst->cells.repr);
	array_raise(&dst->mixed_ppm, ppm);
	to = scounter_cells_find(&dst->cells, cell, &bit);
	array_add_to_cell(dst, &array_copy_here(dst)[to], bit, &addition);
	/*
	 * Again:
	 *
	 *	CPU 0: raises the error		CPU 1: clears: the error is 0, and the word
	 *	adds to the word		a merged count without its error
	 */
	array_raise(&dst->mixed_ppm, ppm);
}

/* What is said of all cells, those of 0 among them. */
static void array_merge_known(struct scounter_array *dst, const struct scounter_array *src, bool same)
{
	struct scounter_known known = array_known_of(src);

	array_raise(&dst->roundings, scounter_brought_roundings(&known, same));
	array_raise_to(&dst->unit, scounter_brought_unit(&src->cells.repr, &known, same,
							 &dst->cells.repr));
}

/**
 * scounter_array_merge - dst[i] += src[i] for all counters
 * @dst: grows
 * @src: stays as it is; of the same length and group
 *
 * The types may differ, in width and in representation; arrays with a shared
 * probability merge only with their like, as their errors are additive.  Each sum
 * is rounded at random to one of the two nearest states of @dst.  Both may be
 * counted in meanwhile; what @src gets during the merge may be in the sum or not.
 * A counter of @dst may lack counts if it is beyond its last state, or if that of
 * @src may; both say so in every read.
 *
 * Steele & Tristan 2017, sections 3 and 9.
 *
 * Context: Task context; may sleep.
 * Return: 0, or -EINVAL if the two do not go together; then nothing has changed.
 */
int scounter_array_merge(struct scounter_array *dst, const struct scounter_array *src)
{
	const struct scounter_cells *cells = &src->cells;
	bool same = array_same_type(dst, src);
	u64 cell, word;
	u32 bit;
	int err;

	might_sleep();
	err = array_check_merge(dst, src);
	if (err)
		return err;
	array_merge_known(dst, src, same);
	for (cell = 0; cell < cells->count; cell++) {
		word = scounter_cells_find(cells, cell, &bit);
		if (bit == 0) {
			cond_resched();
			if (array_word_is_empty(src, word)) {
				cell += cells->per_word - 1;
				continue;
			}
		}
		array_merge_cell(dst, src, cell, same);
	}
	/* The level may have risen. */
	array_merge_known(dst, src, same);
	/* A cell that may lack counts can be empty, where the first step is a large one. */
	if (scounter_may_lack(atomic64_read(&src->lost_from), 0))
		array_note_lost(dst, 0);
	return 0;
}
EXPORT_SYMBOL_GPL(scounter_array_merge);

/**
 * scounter_array_length - the number of counters
 * @array: the array
 *
 * Context: Any context.
 * Return: the length that it was created with.
 */
u64 scounter_array_length(const struct scounter_array *array)
{
	return array->length;
}
EXPORT_SYMBOL_GPL(scounter_array_length);

/**
 * scounter_array_refused - how often an index was outside
 * @array: the array
 *
 * Context: Any context, NMI included.
 * Return: the number of increments, adds and reads that were refused.
 */
u64 scounter_array_refused(const struct scounter_array *array)
{
	return atomic64_read(&array->refused);
}
EXPORT_SYMBOL_GPL(scounter_array_refused);

/**
 * scounter_array_saturated - whether counts were lost
 * @array: the array
 *
 * Context: Any context, NMI included.
 * Return: whether a counter was at its largest value when it should have grown,
 * since the array was created or cleared; or that of an array which was merged into
 * it since then.
 */
bool scounter_array_saturated(const struct scounter_array *array)
{
	return atomic64_read(&array->lost_from) != SCOUNTER_NOTHING_LOST;
}
EXPORT_SYMBOL_GPL(scounter_array_saturated);

/**
 * scounter_array_bytes - the memory that an array takes
 * @array: the array
 *
 * Context: Any context.
 * Return: bytes of all copies, of the tables that are its own, and of the rest.
 */
size_t scounter_array_bytes(const struct scounter_array *array)
{
	return array->bytes;
}
EXPORT_SYMBOL_GPL(scounter_array_bytes);

static u64 array_snapshot_unit(const struct scounter_array *array)
{
	struct scounter_known known = array_known_of(array);

	return array_is_shared(array) ? scounter_known_unit(&known, &array->cells.repr) : known.unit;
}

void scounter_array_header(const struct scounter_array *array,
			   struct scounter_array_header *header)
{
	*header = (struct scounter_array_header){
		.magic		= SCOUNTER_ARRAY_MAGIC,
		.version	= SCOUNTER_ARRAY_VERSION,
		.header_bytes	= sizeof(*header),
		.flags		= array->placement |
				  (scounter_array_saturated(array) ? SCOUNTER_ARRAY_SATURATED : 0),
		.type		= array->cells.repr.type,
		.copies		= array->copy_count,
		.error_ppm	= atomic_read(&array->mixed_ppm),
		.length		= array->length,
		.words		= array->cells.words,
		.refused	= atomic64_read(&array->refused),
		.lost_from	= atomic64_read(&array->lost_from),
		.unit		= array_snapshot_unit(array),
		.roundings	= atomic_read(&array->roundings),
	};
}

/* A word of the snapshot, counted over all copies. */
u64 scounter_array_word(const struct scounter_array *array, u64 position)
{
	u64 copy = div64_u64(position, array->cells.words);
	u32 i;

	position -= copy * array->cells.words;
	for (i = 0; i < array->slots; i++)
		if (array->copies[i] && copy-- == 0)
			return atomic64_read(&array->copies[i][position]);
	return 0;
}

void scounter_array_free(struct scounter_array *array)
{
	u32 i;

	for (i = 0; i < array->slots; i++)
		kvfree(array->copies[i]);
	kvfree(array->rungs);
	kfree(array);
}

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
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "array.h"
#include "compat.h"
#include "random.h"
#include "refuse.h"
#include "standard.h"

static notrace bool is_shared(const struct scounter_array *array)
{
	return array->cells.repr.type.kind == SCOUNTER_REPR_SHARED;
}

static notrace void note_saturated(struct scounter_array *array)
{
	if (!atomic_read(&array->saturated))
		atomic_set(&array->saturated, 1);
}

/* The level, or an error, only ever rises; where two meet, the higher stays. */
static notrace void raise(atomic_t *to, u32 least)
{
	int old = atomic_read(to);

	while ((u32)old < least && !atomic_try_cmpxchg(to, &old, least))
		;
}

static notrace atomic64_t *copy_here(const struct scounter_array *array)
{
	if (array->placement == SCOUNTER_ARRAY_PER_NODE)
		return array->copies[numa_node_id()];
	if (array->placement == SCOUNTER_ARRAY_PER_CPU)
		return array->copies[raw_smp_processor_id()];
	return array->copies[0];
}

static notrace void add_to_cell(struct scounter_array *array, atomic64_t *word, u32 bit,
				struct scounter_real v, u32 level)
{
	struct rnd_state *rnd = scounter_random_get();
	s64 old = atomic64_read(word);
	bool saturated;
	u64 new;

	do {
		saturated = false;
		new = scounter_cells_add(&array->cells, old, bit, &v, level, rnd, &saturated);
	} while (new != (u64)old && !atomic64_try_cmpxchg(word, &old, new));
	scounter_random_put();

	if (saturated)
		note_saturated(array);
	if (is_shared(array))
		raise(&array->level, scounter_shared_level(new));
}

/* Whether an increment of a cell in this state succeeds, and what it counts for. */
static notrace bool trial(const struct scounter_repr *repr, u32 x, struct scounter_real *worth)
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

static notrace void inc_cell(struct scounter_array *array, atomic64_t *copy, u64 cell)
{
	const struct scounter_repr *repr = &array->cells.repr;
	struct scounter_real worth;
	u32 bit, x, level = 0;
	atomic64_t *word;

	if (is_shared(array)) {
		/* Most end here, without a look at the cell. */
		level = atomic_read(&array->level);
		if (!scounter_trial(level))
			return;
		worth = scounter_real(1ULL << level);
		word = &copy[scounter_cells_find(&array->cells, cell, &bit)];
	} else {
		word = &copy[scounter_cells_find(&array->cells, cell, &bit)];
		x = scounter_cells_state(&array->cells, atomic64_read(word), bit);
		if (x >= repr->top) {
			note_saturated(array);
			return;
		}
		if (!trial(repr, x, &worth))
			return;
	}
	add_to_cell(array, word, bit, worth, level);
}

static notrace bool refuse(const struct scounter_array *array, u64 index)
{
	if (likely(index < array->length))
		return false;
	/* To count what was refused does not change what was counted. */
	atomic64_inc((atomic64_t *)&array->refused);
	return true;
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

	if (refuse(array, index))
		return;
	copy = copy_here(array);
	for (i = 0; i < group; i++)
		inc_cell(array, copy, index * group + i);
}
EXPORT_SYMBOL_GPL(scounter_array_inc);

/* Every event is at least as probable as the level says: a sample of the n. */
static notrace void add_to_counter(struct scounter_array *array, u64 index,
				   struct scounter_real v, u32 level)
{
	u32 group = array->cells.repr.type.group;
	atomic64_t *copy = copy_here(array);
	u32 bit, i;
	u64 word;

	for (i = 0; i < group; i++) {
		word = scounter_cells_find(&array->cells, index * group + i, &bit);
		add_to_cell(array, &copy[word], bit, v, level);
	}
}

/* See scounter_array_add(). */
notrace void __scounter_array_add(struct scounter_array *array, u64 index, u64 n)
{
	if (refuse(array, index) || !n)
		return;
	if (scounter_refuses(n, array->entry.name))
		atomic64_inc(&array->refused);
	else
		add_to_counter(array, index, scounter_real(n), atomic_read(&array->level));
}
EXPORT_SYMBOL_GPL(__scounter_array_add);

static notrace void gather_cell(const struct scounter_array *array, u64 cell,
				struct scounter_gathered *gathered)
{
	u32 bit, i;
	u64 word = scounter_cells_find(&array->cells, cell, &bit);

	for (i = 0; i < array->slots; i++)
		if (array->copies[i])
			scounter_gather_cell(gathered, &array->cells,
					     atomic64_read(&array->copies[i][word]), bit);
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
	const struct scounter_array_type *type = &array->cells.repr.type;
	struct scounter_gathered gathered = { 0 };
	u32 i;

	if (refuse(array, index))
		return -ERANGE;
	for (i = 0; i < type->group; i++)
		gather_cell(array, index * type->group + i, &gathered);
	scounter_estimate_of(&gathered, type, array->copy_count, atomic_read(&array->level),
			     atomic_read(&array->mixed_ppm), estimate);
	return 0;
}
EXPORT_SYMBOL_GPL(scounter_array_read_est);

/**
 * scounter_array_read - a counter's value
 * @array: the array
 * @index: which counter
 *
 * Context: Any context, NMI included.
 * Return: an unbiased estimate of the number of events, rounded to the nearest
 * whole number; 0 for a counter that there is not.
 */
notrace u64 scounter_array_read(const struct scounter_array *array, u64 index)
{
	struct scounter_array_estimate estimate;

	return scounter_array_read_est(array, index, &estimate) ? 0 : estimate.value;
}
EXPORT_SYMBOL_GPL(scounter_array_read);

/**
 * scounter_array_clear - set all counters to zero
 * @array: the array
 *
 * Word by word: what is counted meanwhile is in some counters kept and in others
 * cleared.  That it was saturated is forgotten; what was refused is not.
 *
 * Context: Task context; may sleep.
 */
void scounter_array_clear(struct scounter_array *array)
{
	u64 word;
	u32 i;

	might_sleep();
	atomic_set(&array->level, 0);
	for (i = 0; i < array->slots; i++) {
		if (!array->copies[i])
			continue;
		for (word = 0; word < array->cells.words; word++) {
			atomic64_set(&array->copies[i][word], 0);
			if (word % 4096 == 0)
				cond_resched();
		}
	}
	atomic_set(&array->saturated, 0);
	atomic_set(&array->mixed_ppm, 0);
}
EXPORT_SYMBOL_GPL(scounter_array_clear);

static bool same_type(const struct scounter_array *a, const struct scounter_array *b)
{
	return !memcmp(&a->cells.repr.type, &b->cells.repr.type,
		       sizeof(a->cells.repr.type));
}

static int check_merge(const struct scounter_array *dst, const struct scounter_array *src)
{
	const char *why = NULL;

	if (dst == src)
		why = "an array is not merged with itself";
	else if (dst->length != src->length)
		why = "arrays of different length are not merged";
	else if (dst->cells.repr.type.group != src->cells.repr.type.group)
		why = "arrays with groups of different size are not merged";
	else if (is_shared(dst) != is_shared(src))
		why = "arrays with relative and with additive errors are not merged";
	if (why)
		pr_warn_ratelimited("%s\n", why);
	return why ? -EINVAL : 0;
}

/* The level of src's sample in a cell, over its copies: the sum's is no lower. */
static u32 level_of(const struct scounter_array *array, u64 word)
{
	u32 level = 0, i;

	if (!is_shared(array))
		return 0;
	for (i = 0; i < array->slots; i++)
		if (array->copies[i])
			level = max(level, scounter_shared_level(atomic64_read(&array->copies[i][word])));
	return level;
}

static bool word_is_empty(const struct scounter_array *array, u64 word)
{
	u32 i;

	for (i = 0; i < array->slots; i++)
		if (array->copies[i] && atomic64_read(&array->copies[i][word]))
			return false;
	return true;
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
 *
 * Steele & Tristan 2017, sections 3 and 9.
 *
 * Context: Task context; may sleep.
 * Return: 0, or -EINVAL if the two do not go together; then nothing has changed.
 */
int scounter_array_merge(struct scounter_array *dst, const struct scounter_array *src)
{
	const struct scounter_cells *cells = &src->cells;
	u64 cell, word, to;
	u32 bit;
	int err;

	might_sleep();
	err = check_merge(dst, src);
	if (err)
		return err;
	raise(&dst->mixed_ppm, atomic_read(&src->mixed_ppm));
	if (!is_shared(src) && !same_type(dst, src))
		raise(&dst->mixed_ppm, scounter_type_error_ppm(&cells->repr));
	for (cell = 0; cell < cells->count; cell++) {
		struct scounter_gathered gathered = { 0 };

		word = scounter_cells_find(cells, cell, &bit);
		if (bit == 0) {
			cond_resched();
			if (word_is_empty(src, word)) {
				cell += cells->per_word - 1;
				continue;
			}
		}
		gather_cell(src, cell, &gathered);
		if (scounter_real_is_zero(gathered.sum))
			continue;
		if (gathered.saturated)
			note_saturated(dst);
		to = scounter_cells_find(&dst->cells, cell, &bit);
		add_to_cell(dst, &copy_here(dst)[to], bit, gathered.sum,
			    max_t(u32, level_of(src, word), atomic_read(&dst->level)));
	}
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
 * since the array was created or cleared.
 */
bool scounter_array_saturated(const struct scounter_array *array)
{
	return atomic_read(&array->saturated);
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

void scounter_array_header(const struct scounter_array *array,
			   struct scounter_array_header *header)
{
	*header = (struct scounter_array_header){
		.magic		= SCOUNTER_ARRAY_MAGIC,
		.version	= SCOUNTER_ARRAY_VERSION,
		.header_bytes	= sizeof(*header),
		.flags		= array->placement |
				  (atomic_read(&array->saturated) ? SCOUNTER_ARRAY_SATURATED : 0),
		.type		= array->cells.repr.type,
		.copies		= array->copy_count,
		.error_ppm	= atomic_read(&array->mixed_ppm),
		.length		= array->length,
		.words		= array->cells.words,
		.refused	= atomic64_read(&array->refused),
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

/* The machine's memory is the limit before any is asked for. */
static void *allocate(struct scounter_array *array, u64 bytes, int node)
{
	if (bytes >> PAGE_SHIFT >= totalram_pages())
		return NULL;
	array->bytes += bytes;
	return kvzalloc_node(bytes, GFP_KERNEL | __GFP_NOWARN, node);
}

static u32 slots_of(u32 placement)
{
	if (placement == SCOUNTER_ARRAY_PER_NODE)
		return nr_node_ids;
	return placement == SCOUNTER_ARRAY_PER_CPU ? nr_cpu_ids : 1;
}

static bool slot_is_used(const struct scounter_array *array, u32 slot)
{
	if (array->placement == SCOUNTER_ARRAY_PER_NODE)
		return node_possible(slot);
	return array->placement != SCOUNTER_ARRAY_PER_CPU || cpu_possible(slot);
}

static int node_of(const struct scounter_array *array, u32 slot)
{
	int node = NUMA_NO_NODE;

	if (array->placement == SCOUNTER_ARRAY_PER_NODE)
		node = slot;
	else if (array->placement == SCOUNTER_ARRAY_PER_CPU)
		node = cpu_to_node(slot);
	return node != NUMA_NO_NODE && node_online(node) ? node : NUMA_NO_NODE;
}

static int allocate_copies(struct scounter_array *array)
{
	u32 i;

	for (i = 0; i < array->slots; i++) {
		if (!slot_is_used(array, i))
			continue;
		array->copies[i] = allocate(array, array->cells.words * sizeof(atomic64_t),
					    node_of(array, i));
		if (!array->copies[i])
			return -ENOMEM;
		array->copy_count++;
	}
	return 0;
}

/* The tables come from the build for the standard types, and are made for others. */
static int init_cells(struct scounter_array *array, const struct scounter_array_type *type)
{
	u32 count = scounter_repr_rungs(type);
	const struct scounter_rung *rungs = NULL;
	struct scounter_rung *own;

	if (count)
		rungs = scounter_standard_rungs(type, &count);
	if (count && !rungs) {
		own = allocate(array, (u64)count * sizeof(*own), NUMA_NO_NODE);
		if (!own)
			return -ENOMEM;
		count = scounter_csuros_fill(own, count, type->q_ppm, type->m);
		array->rungs = own;
		rungs = own;
	}
	scounter_cells_init(&array->cells, type, array->length, rungs, count);
	return 0;
}

static int check(struct scounter_array_type *type, u64 length, u32 flags)
{
	int err = scounter_type_check(type);

	if (err) {
		pr_warn_ratelimited("array of kind %u, %u bits, q %u ppm, m %u, theta %u, group %u: %s\n",
				    type->kind, type->bits, type->q_ppm, type->m, type->theta,
				    type->group, err == -ERANGE ? "a number is out of its range" :
				    "no such kind");
		return err;
	}
	if (!length || (flags && flags != SCOUNTER_ARRAY_PER_NODE &&
			flags != SCOUNTER_ARRAY_PER_CPU)) {
		pr_warn_ratelimited("array of %llu counters with flags %#x: %s\n", length, flags,
				    length ? "no such placement" : "an array has at least one");
		return -EINVAL;
	}
	return scounter_cells_words(type, length) ? 0 : -ENOMEM;
}

/* See scounter_array_create(). */
struct scounter_array *__scounter_array_create(const char *name, const char *group,
					       const struct scounter_array_type *type,
					       u64 length, u32 flags, struct module *owner)
{
	struct scounter_array_type checked = *type;
	struct scounter_array *array;
	int err;

	might_sleep();
	err = check(&checked, length, flags);
	if (err)
		return ERR_PTR(err);
	array = kzalloc(struct_size(array, copies, slots_of(flags)), GFP_KERNEL);
	if (!array)
		return ERR_PTR(-ENOMEM);
	array->length = length;
	array->placement = flags;
	array->slots = slots_of(flags);
	array->bytes = struct_size(array, copies, array->slots);
	err = init_cells(array, &checked);
	if (!err)
		err = allocate_copies(array);
	if (!err)
		err = scounter_array_publish(array, name, group, owner);
	if (err) {
		scounter_array_free(array);
		return ERR_PTR(err);
	}
	return array;
}
EXPORT_SYMBOL_GPL(__scounter_array_create);

/**
 * scounter_array_destroy - free an array
 * @array: the array; nothing happens if it is NULL or an ERR_PTR
 *
 * Waits for those who read its file.
 *
 * Context: Task context; may sleep.
 */
void scounter_array_destroy(struct scounter_array *array)
{
	might_sleep();
	if (IS_ERR_OR_NULL(array))
		return;
	scounter_array_unpublish(array);
	scounter_array_free(array);
}
EXPORT_SYMBOL_GPL(scounter_array_destroy);

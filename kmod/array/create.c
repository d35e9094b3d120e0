// SPDX-License-Identifier: GPL-2.0
/*
 * Arrays are made and destroyed: memory for the copies of their words, on the nodes or for
 * the CPUs that count in them, and a name.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/export.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "array/array.h"
#include "array/standard.h"
#include "repr/choose.h"

/* The machine's memory is the limit before any is asked for. */
static void *array_allocate(struct scounter_array *array, u64 bytes, int node)
{
	if (bytes > SIZE_MAX || bytes >> PAGE_SHIFT >= totalram_pages()) {
		pr_warn_ratelimited("array of %llu counters: a copy of %llu bytes is beyond %s\n",
				    array->length, bytes, bytes > SIZE_MAX ?
				    "the addresses of this machine" : "its memory");
		return NULL;
	}
	array->bytes += bytes;
	/* There kvzalloc_node() ends. */
	if (bytes > INT_MAX)
		return vzalloc_node(bytes, node);
	return kvzalloc_node(bytes, GFP_KERNEL | __GFP_NOWARN, node);
}

static u32 array_slots_of(u32 placement)
{
	if (placement == SCOUNTER_ARRAY_PER_NODE)
		return nr_node_ids;
	return placement == SCOUNTER_ARRAY_PER_CPU ? nr_cpu_ids : 1;
}

static bool array_slot_is_used(const struct scounter_array *array, u32 slot)
{
	if (array->placement == SCOUNTER_ARRAY_PER_NODE)
		return node_possible(slot);
	return array->placement != SCOUNTER_ARRAY_PER_CPU || cpu_possible(slot);
}

static int array_node_of(const struct scounter_array *array, u32 slot)
{
	int node = NUMA_NO_NODE;

	if (array->placement == SCOUNTER_ARRAY_PER_NODE)
		node = slot;
	else if (array->placement == SCOUNTER_ARRAY_PER_CPU)
		node = cpu_to_node(slot);
	return node != NUMA_NO_NODE && node_online(node) ? node : NUMA_NO_NODE;
}

static int array_allocate_copies(struct scounter_array *array)
{
	u32 i;

	for (i = 0; i < array->slots; i++) {
		if (!array_slot_is_used(array, i))
			continue;
		array->copies[i] = array_allocate(array, array->cells.words * sizeof(atomic64_t),
					    array_node_of(array, i));
		if (!array->copies[i])
			return -ENOMEM;
		array->copy_count++;
	}
	return 0;
}

/* The tables come from the build for the standard types, and are made for others. */
static int array_init_cells(struct scounter_array *array, const struct scounter_array_type *type)
{
	u32 count = scounter_repr_rungs(type);
	const struct scounter_rung *rungs = NULL;
	struct scounter_rung *own;

	if (count)
		rungs = scounter_standard_rungs(type, &count);
	if (count && !rungs) {
		own = array_allocate(array, (u64)count * sizeof(*own), NUMA_NO_NODE);
		if (!own)
			return -ENOMEM;
		count = scounter_csuros_fill(own, count, type->q_ppm, type->m);
		array->rungs = own;
		rungs = own;
	}
	scounter_cells_init(&array->cells, type, array->length, rungs, count);
	return 0;
}

static int array_check(struct scounter_array_type *type, u64 length, u32 flags)
{
	const u32 placement = flags & ~SCOUNTER_ARRAY_HIDDEN;
	const char *why;
	int err = scounter_type_check(type, &why);

	if (err) {
		pr_warn_ratelimited("array of kind %u, %u bits, q_ppm %u, m %u, theta %u, group %u: %s\n",
				    type->kind, type->bits, type->q_ppm, type->m, type->theta,
				    type->group, why);
		return err;
	}
	if (placement && placement != SCOUNTER_ARRAY_PER_NODE &&
	    placement != SCOUNTER_ARRAY_PER_CPU) {
		pr_warn_ratelimited("array with flags %#x: no such placement\n", flags);
		return -EINVAL;
	}
	if (!scounter_cells_words(type, length)) {
		pr_warn_ratelimited("array of %llu counters: there are 1 to 2^40\n", length);
		return length ? -ENOMEM : -ERANGE;
	}
	return 0;
}

/* See scounter_array_create(). */
struct scounter_array *__scounter_array_create(const char *name, const char *group,
					       const struct scounter_array_type *type,
					       u64 length, u32 flags, struct module *owner)
{
	const u32 placement = flags & ~SCOUNTER_ARRAY_HIDDEN;
	struct scounter_array_type checked = *type;
	struct scounter_array *array;
	int err;

	might_sleep();
	err = array_check(&checked, length, flags);
	if (err)
		return ERR_PTR(err);
	array = kzalloc(struct_size(array, copies, array_slots_of(placement)), GFP_KERNEL);
	if (!array)
		return ERR_PTR(-ENOMEM);
	array->length = length;
	array->placement = placement;
	atomic64_set(&array->lost_from, SCOUNTER_NOTHING_LOST);
	array->slots = array_slots_of(placement);
	array->entry.without_files = flags != placement;
	array->bytes = struct_size(array, copies, array->slots);
	err = array_init_cells(array, &checked);
	if (!err)
		err = array_allocate_copies(array);
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
 * Never waits.  Its name is free at once; its file and its memory go a moment later,
 * when nobody reads it any more.
 *
 * Context: Any context but NMI.
 */
void scounter_array_destroy(struct scounter_array *array)
{
	if (!IS_ERR_OR_NULL(array))
		scounter_array_unpublish(array);
}
EXPORT_SYMBOL_GPL(scounter_array_destroy);

/**
 * scounter_array_type_for - the type for a largest count in so many bits
 * @type: what is chosen, for scounter_array_create()
 * @bits: of a cell: 4 to 8, 10, 12 or 16
 * @max_count: what a counter must reach, from 1 to 2^63
 *
 * Counts that fit into @bits are held exactly.  For others it is a Morris counter up to
 * 8 bits, and a Csuros counter above, with the least q that reaches @max_count.  An
 * estimate says what the error is.  Takes some 10^5 instructions.
 *
 * Steele & Tristan 2017, section 10.
 *
 * Context: Any context.
 * Return: 0, or -ERANGE for a number out of its range, or where no counter of so few
 * bits counts so far.  Then @type is as it was, and the log says why.
 */
int scounter_array_type_for(struct scounter_array_type *type, u32 bits, u64 max_count)
{
	const char *why;
	int err = scounter_type_for(type, bits, max_count, &why);

	if (err)
		pr_warn_ratelimited("array for %llu in %u bits: %s\n", max_count, bits, why);
	return err;
}
EXPORT_SYMBOL_GPL(scounter_array_type_for);

/**
 * scounter_array_type_for_error - the smallest type for a largest count and an error
 * @type: what is chosen, for scounter_array_create()
 * @max_count: what a counter must reach, from 1 to 2^63
 * @error_ppm: relative standard deviation, at most, in parts per million; 0 for exact
 *	counts
 *
 * As scounter_array_type_for(), of the fewest bits.  Takes some 10^6 instructions.
 *
 * Context: Any context.
 * Return: 0, or -ERANGE if @max_count is out of its range, or where 16 bits do not
 * count so far with so small an error.  Then @type is as it was, and the log says why.
 */
int scounter_array_type_for_error(struct scounter_array_type *type, u64 max_count, u32 error_ppm)
{
	const char *why;
	int err = scounter_type_for_error(type, max_count, error_ppm, &why);

	if (err)
		pr_warn_ratelimited("array for %llu with %u ppm: %s\n", max_count, error_ppm, why);
	return err;
}
EXPORT_SYMBOL_GPL(scounter_array_type_for_error);

// SPDX-License-Identifier: GPL-2.0
/* Snapshots of arrays, and the cells in them: tools/lib. */
#include <string.h>

#include "array.h"
#include "fuzz.h"

#define LOOKED_AT	64

/*
 * The library's memory: none for lengths that no input can fill, which would be
 * cleared in vain.  A table of sums for 8-bit cells takes 192 KiB.
 */
#define MEMORY_MAX	(1 << 18)

#include "memory.h"

static bool may_lack(struct array *array, u64 i)
{
	struct scounter_array_estimate estimate;

	require(!array_estimate(array, i, &estimate));
	return estimate.flags & SCOUNTER_F_SATURATED;
}

/* The same array after it was saved and loaded. */
static void save_and_load(struct array *array)
{
	static char buffer[1 << 16];
	struct array *again;
	FILE *file;
	long bytes;
	u64 i;

	if (array->cells.words * array->copies * sizeof(u64) > sizeof(buffer) / 2)
		return;
	file = fmemopen(buffer, sizeof(buffer), "wb");
	require(file && !array_save(array, file));
	bytes = ftell(file);
	fclose(file);
	file = fuzz_file((uint8_t *)buffer, bytes);
	require(!array_load(&again, file));
	fclose(file);
	require(again->length == array->length && again->copies == array->copies);
	require(array_saturated(again) == array_saturated(array));
	for (i = 0; i < array->length && i < LOOKED_AT; i++) {
		require(array_value(again, i) == array_value(array, i));
		require(may_lack(again, i) == may_lack(array, i));
	}
	array_free(again);
}

/* The sum of the first counters is that of their values. */
static void add_up(struct array *array)
{
	u64 count = array->length < LOOKED_AT ? array->length : LOOKED_AT, i;
	double values[LOOKED_AT], total = 0;
	struct array_total sum;
	const u32 lost = array_saturated(array) ? SCOUNTER_F_SATURATED : 0;
	u32 flags = 0;

	require(!array_values(array, 0, count, values));
	require(!array_sum(array, 0, count, &sum));
	for (i = 0; i < count; i++) {
		total += values[i];
		/* Not what an estimate lacks beyond 2^64: doubles go further. */
		flags |= may_lack(array, i) ? lost : 0;
	}
	require((sum.flags & ~SCOUNTER_F_PARTIAL) == flags && sum.variance >= 0);
	require(!!(sum.flags & SCOUNTER_F_PARTIAL) == array->partial);
	require(sum.value <= total * (1 + 1e-9) && sum.value >= total * (1 - 1e-9));
}

static void look(struct array *array)
{
	struct scounter_array_estimate estimate;
	u64 i;

	for (i = 0; i < array->length && i < LOOKED_AT; i++) {
		require(!array_estimate(array, i, &estimate));
		require(estimate.lower <= estimate.value && estimate.value <= estimate.upper);
		require(!(estimate.flags & SCOUNTER_F_SATURATED) || estimate.upper == U64_MAX);
		/* The last: copies that come to 2^64 or more together. */
		require(!(estimate.flags & SCOUNTER_F_SATURATED) || array_saturated(array) ||
			estimate.value == U64_MAX);
	}
	add_up(array);
	require(array_estimate(array, array->length, &estimate));
}

/*
 * No counter becomes less by more being added to it, except: a cell that is brought
 * to its array's level is rounded, and so is a mantissa at or above Theta below the
 * last exponent, a state that no counter gets to but that a file may hold.
 */
static bool keeps_order(const struct array *array)
{
	const struct scounter_array_type *type = &array->cells.repr.type;

	return type->kind != SCOUNTER_REPR_SHARED &&
	       (type->kind != SCOUNTER_REPR_DLM_FLOAT || type->theta == type->m);
}

/*
 * Merging cells of 8 bits begins with a table of all sums, which takes longer than all
 * else here: one input in 16, by what it is made of, so that the same does the same.
 */
static bool may_merge(const struct array *array, const uint8_t *data, size_t size)
{
	uint8_t sum = 0;

	while (size)
		sum += data[--size];
	return array->length < 4096 && (array->cells.repr.type.bits != 8 || sum % 16 == 0);
}

static void count(struct array *array)
{
	u64 before = array_value(array, 0);

	array_seed(array, 1);
	require(!array_add(array, 0, 1000));
	require(!keeps_order(array) || array_value(array, 0) >= before);
	before = array_value(array, 0);
	require(!array_inc(array, 0));
	require(!keeps_order(array) || array_value(array, 0) >= before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *file = fuzz_file(data, size);
	struct array *array, *other;

	if (array_load(&array, file)) {
		require(*array_error());
		fclose(file);
		return 0;
	}
	rewind(file);
	require(!array_load(&other, file));
	fclose(file);
	look(array);
	save_and_load(array);
	count(array);
	if (may_merge(array, data, size) && !array_merge(array, other))
		look(array);
	array_free(array);
	array_free(other);
	return 0;
}

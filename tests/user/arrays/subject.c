// SPDX-License-Identifier: GPL-2.0
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/module.h>
#include <linux/scounter_array.h>

#include "array/array.h"
#include "base/random.h"
#include "subject.h"

/* The kernel's */

static int kernel_create(void **array, const struct scounter_array_type *type, u64 length)
{
	*array = scounter_array_create(NULL, NULL, type, length, 0);
	return IS_ERR(*array) ? PTR_ERR(*array) : 0;
}

static void kernel_free(void *array)
{
	scounter_array_destroy(array);
}

/* All arrays draw from the streams of the CPUs. */
static void kernel_seed(void *array, u64 seed)
{
	(void)array;
	scounter_random_init(seed ? seed : 1);
}

static void kernel_inc(void *array, u64 index)
{
	scounter_array_inc(array, index);
}

static void kernel_add(void *array, u64 index, u64 n)
{
	scounter_array_add((struct scounter_array *)array, index, n);
}

static int kernel_estimate(void *array, u64 index, struct scounter_array_estimate *estimate)
{
	return scounter_array_read_est(array, index, estimate);
}

static double double_of(struct scounter_array_value value)
{
	return value.whole + value.part * 0x1p-32;
}

static int kernel_values(void *array, u64 first, u64 count, double *values)
{
	struct scounter_array_value *fixed = calloc(count + 1, sizeof(*fixed));
	int err = scounter_array_read_range(array, first, count, fixed);
	u64 i;

	for (i = 0; !err && i < count; i++)
		values[i] = double_of(fixed[i]);
	free(fixed);
	return err;
}

static int kernel_sum(void *array, u64 first, u64 count, struct array_total *sum)
{
	struct scounter_array_total fixed;
	int err = scounter_array_sum(array, first, count, &fixed);

	if (!err)
		*sum = (struct array_total){
			.value = double_of(fixed.value),
			.variance = (double)fixed.deviation * fixed.deviation,
			.flags = fixed.flags,
		};
	return err;
}

static int kernel_merge(void *dst, const void *src)
{
	return scounter_array_merge(dst, src);
}

static void kernel_clear(void *array)
{
	scounter_array_clear(array);
}

static bool kernel_saturated(const void *array)
{
	return scounter_array_saturated(array);
}

static u64 kernel_refused(const void *array)
{
	return scounter_array_refused(array);
}

static u64 kernel_word(const void *array, u64 position)
{
	return scounter_array_word(array, position);
}

static void kernel_set_word(void *array, u64 position, u64 word)
{
	atomic64_set(&((struct scounter_array *)array)->copies[0][position], word);
}

static const struct scounter_cells *kernel_cells(const void *array)
{
	return &((const struct scounter_array *)array)->cells;
}

static void kernel_lose(void *array)
{
	atomic64_set(&((struct scounter_array *)array)->lost_from,
		     scounter_cells_lost_at_end(kernel_cells(array)));
}

static u32 kernel_mixed_ppm(const void *array)
{
	return atomic_read(&((const struct scounter_array *)array)->mixed_ppm);
}

/* As its file reads. */
static FILE *kernel_snapshot(const void *array)
{
	struct scounter_array_header header;
	FILE *file = tmpfile();
	u64 i;

	scounter_array_header(array, &header);
	fwrite(&header, sizeof(header), 1, file);
	for (i = 0; i < header.words * header.copies; i++) {
		u64 word = scounter_array_word(array, i);

		fwrite(&word, sizeof(word), 1, file);
	}
	rewind(file);
	return file;
}

/* The library's */

static int library_create(void **array, const struct scounter_array_type *type, u64 length)
{
	return array_create((struct array **)array, type, length);
}

static void library_free(void *array)
{
	array_free(array);
}

static void library_seed(void *array, u64 seed)
{
	array_seed(array, seed);
}

static void library_inc(void *array, u64 index)
{
	array_inc(array, index);
}

static void library_add(void *array, u64 index, u64 n)
{
	array_add(array, index, n);
}

static int library_estimate(void *array, u64 index, struct scounter_array_estimate *estimate)
{
	return array_estimate(array, index, estimate);
}

static int library_values(void *array, u64 first, u64 count, double *values)
{
	return array_values(array, first, count, values);
}

static int library_sum(void *array, u64 first, u64 count, struct array_total *sum)
{
	return array_sum(array, first, count, sum);
}

static int library_merge(void *dst, const void *src)
{
	return array_merge(dst, src);
}

static void library_clear(void *array)
{
	array_clear(array);
}

static bool library_saturated(const void *array)
{
	return array_saturated(array);
}

static u64 library_refused(const void *array)
{
	return ((const struct array *)array)->refused;
}

static u64 library_word(const void *array, u64 position)
{
	return ((const struct array *)array)->words[position];
}

static void library_set_word(void *array, u64 position, u64 word)
{
	((struct array *)array)->words[position] = word;
}

static const struct scounter_cells *library_cells(const void *array)
{
	return &((const struct array *)array)->cells;
}

static void library_lose(void *array)
{
	((struct array *)array)->lost_from = scounter_cells_lost_at_end(library_cells(array));
}

static u32 library_mixed_ppm(const void *array)
{
	return ((const struct array *)array)->mixed_ppm;
}

static FILE *library_snapshot(const void *array)
{
	FILE *file = tmpfile();

	if (array_save(array, file))
		errx(1, "%s", array_error());
	rewind(file);
	return file;
}

#define SUBJECT(what)							\
	{								\
		.name = #what,						\
		.create = what##_create, .free = what##_free,		\
		.seed = what##_seed, .inc = what##_inc, .add = what##_add, \
		.estimate = what##_estimate, .values = what##_values,	\
		.sum = what##_sum, .merge = what##_merge, .clear = what##_clear, \
		.saturated = what##_saturated, .refused = what##_refused, \
		.word = what##_word, .set_word = what##_set_word,	\
		.lose = what##_lose, .cells = what##_cells,		\
		.mixed_ppm = what##_mixed_ppm, .snapshot = what##_snapshot, \
	}

const struct subject subjects[SUBJECTS] = {
	[KERNEL] = SUBJECT(kernel),
	[LIBRARY] = SUBJECT(library),
};

void *create(const struct subject *subject, const struct scounter_array_type *type,
	     u64 length, u64 seed)
{
	void *array;
	int error = subject->create(&array, type, length);

	if (error)
		errx(1, "no array of %llu counters: %s", length, strerror(-error));
	subject->seed(array, seed);
	return array;
}

u32 state_of(const struct subject *subject, const void *array, u64 cell)
{
	const struct scounter_cells *cells = subject->cells(array);
	u32 bit;
	u64 word = scounter_cells_find(cells, cell, &bit);

	return scounter_cells_state(cells, subject->word(array, word), bit);
}

void *counted(const struct subject *subject, const struct scounter_array_type *type,
	      u64 length, u32 events, u64 seed)
{
	void *array = create(subject, type, length, seed);
	u64 i;
	u32 n;

	for (i = 0; i < length; i++)
		for (n = 0; n < events; n++)
			subject->inc(array, i);
	return array;
}

void count_states(const struct subject *subject, const void *array, u64 length, u64 *counts)
{
	u64 i;

	for (i = 0; i < length; i++)
		counts[state_of(subject, array, i)]++;
}

double value_of(const struct subject *subject, void *array, u64 index)
{
	double value = -1;

	subject->values(array, index, 1, &value);
	return value;
}

bool may_lack(const struct subject *subject, void *array, u64 index)
{
	struct scounter_array_estimate estimate = { 0 };

	subject->estimate(array, index, &estimate);
	return estimate.flags & SCOUNTER_F_SATURATED;
}

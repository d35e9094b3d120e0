// SPDX-License-Identifier: GPL-2.0
/* Arrays in memory: what kmod/array/array.c is in the kernel, for one thread. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "internal.h"
#include "repr/choose.h"

static __thread char error_text[200];

const char *array_error(void)
{
	return error_text;
}

int array_fail(int err, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error_text, sizeof(error_text), format, arguments);
	va_end(arguments);
	return err;
}

int out_of_memory(void)
{
	return array_fail(-ENOMEM, "out of memory");
}

int want(FILE *from, void *to, size_t size, const char *what)
{
	if (fread(to, 1, size, from) == size)
		return 0;
	if (ferror(from))
		return array_fail(-EIO, "%s", strerror(errno));
	return array_fail(-ENODATA, "truncated: it ends in the middle of a %s", what);
}

static bool is_shared(const struct array *array)
{
	return array->cells.repr.type.kind == SCOUNTER_REPR_SHARED;
}

/* SplitMix64 (Steele, Lea & Flood 2014) */
static u64 split_mix(u64 *seed)
{
	u64 z = *seed += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

void array_seed(struct array *array, u64 seed)
{
	u64 words[2] = { split_mix(&seed), split_mix(&seed) };
	u32 i;

	array->rnd.s1 = __seed(words[0] >> 32, 2U);
	array->rnd.s2 = __seed((u32)words[0], 8U);
	array->rnd.s3 = __seed(words[1] >> 32, 16U);
	array->rnd.s4 = __seed((u32)words[1], 128U);
	for (i = 0; i < 4; i++)
		array->bulk[i] = split_mix(&seed);
}

static int seed_by_system(struct array *array)
{
	u64 seed;

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		return array_fail(-EIO, "no random seed: %s", strerror(errno));
	array_seed(array, seed);
	return 0;
}

static int allocate(struct array *array, const struct scounter_array_type *type)
{
	u32 count = scounter_repr_rungs(type);

	if (count) {
		array->rungs = calloc(count, sizeof(*array->rungs));
		if (!array->rungs)
			return out_of_memory();
		count = scounter_csuros_fill(array->rungs, count, type->q_ppm, type->m);
	}
	scounter_cells_init(&array->cells, type, array->length, array->rungs, count);
	if (array->cells.words > SIZE_MAX / sizeof(u64) / array->copies)
		return array_fail(-ENOMEM, "%llu counters are too many", array->length);
	array->words = calloc(array->cells.words * array->copies, sizeof(u64));
	if (!array->words)
		return array_fail(-ENOMEM, "out of memory for %llu counters", array->length);
	return seed_by_system(array);
}

int array_create_copies(struct array **array, const struct scounter_array_type *type,
			u64 length, u32 copies)
{
	struct scounter_array_type checked = *type;
	const char *why;
	int err = scounter_type_check(&checked, &why);

	if (err)
		return array_fail(err, "kind %u, %u bits, q_ppm %u, m %u, theta %u, group %u: %s",
				  type->kind, type->bits, type->q_ppm, type->m, type->theta,
				  type->group, why);
	if (!scounter_cells_words(&checked, length))
		return array_fail(length ? -ENOMEM : -ERANGE,
				  "%llu counters: an array has 1 to 2^40", length);
	*array = calloc(1, sizeof(**array));
	if (!*array)
		return out_of_memory();
	(*array)->length = length;
	(*array)->copies = copies;
	(*array)->lost_from = SCOUNTER_NOTHING_LOST;
	err = allocate(*array, &checked);
	if (err) {
		array_free(*array);
		*array = NULL;
	}
	return err;
}

int array_type_for(struct scounter_array_type *type, u32 bits, u64 max_count)
{
	const char *why;
	int err = scounter_type_for(type, bits, max_count, &why);

	return err ? array_fail(err, "%llu in %u bits: %s", max_count, bits, why) : 0;
}

int array_type_for_error(struct scounter_array_type *type, u64 max_count, u32 error_ppm)
{
	const char *why;
	int err = scounter_type_for_error(type, max_count, error_ppm, &why);

	return err ? array_fail(err, "%llu with %u ppm: %s", max_count, error_ppm, why) : 0;
}

int array_create(struct array **array, const struct scounter_array_type *type, u64 length)
{
	return array_create_copies(array, type, length, 1);
}

void array_free(struct array *array)
{
	if (!array)
		return;
	free(array->words);
	free(array->rungs);
	free(array);
}

size_t array_bytes(const struct array *array)
{
	return sizeof(*array) + array->cells.words * array->copies * sizeof(u64) +
	       scounter_repr_rungs(&array->cells.repr.type) * sizeof(*array->rungs);
}

static int refuse_range(struct array *array, u64 first, u64 count)
{
	if (first <= array->length && count <= array->length - first)
		return 0;
	array->refused++;
	return array_fail(-ERANGE, "there are no %llu counters from %llu on, only %llu in all",
			  count, first, array->length);
}

static int refuse(struct array *array, u64 index)
{
	return refuse_range(array, index, 1);
}

bool array_saturated(const struct array *array)
{
	return array->lost_from != SCOUNTER_NOTHING_LOST;
}

void array_note_lost(struct array *array, u64 lost_from)
{
	array->lost_from = min(array->lost_from, lost_from);
}

/* @lacks: v may lack counts */
static void add_to_cell(struct array *array, u64 cell, struct scounter_real v, u32 level,
			bool lacks)
{
	u32 bit;
	u64 *word = &array->words[scounter_cells_find(&array->cells, cell, &bit)];

	*word = scounter_cells_add(&array->cells, *word, bit, &v, max(array->level, level),
				   &array->rnd, &lacks);
	if (lacks)
		array_note_lost(array, scounter_cells_lost_from(&array->cells, *word, bit));
	if (is_shared(array))
		array->level = max(array->level, scounter_shared_level(*word));
}

static void inc_cell(struct array *array, u64 cell)
{
	const struct scounter_repr *repr = &array->cells.repr;
	u32 bit, x;
	u64 word;

	if (is_shared(array)) {
		if (!scounter_draw_bits(&array->rnd, array->level))
			add_to_cell(array, cell, scounter_real(1ULL << array->level), 0, false);
		return;
	}
	word = scounter_cells_find(&array->cells, cell, &bit);
	x = scounter_cells_state(&array->cells, array->words[word], bit);
	if (x >= repr->top)
		array_note_lost(array, scounter_cells_lost_at_end(&array->cells));
	else if (scounter_repr_trial(repr, x, &array->rnd))
		add_to_cell(array, cell, scounter_repr_worth(repr, x), 0, false);
}

int array_inc(struct array *array, u64 index)
{
	u32 group = array->cells.repr.type.group, i;
	int err = refuse(array, index);

	for (i = 0; !err && i < group; i++)
		inc_cell(array, index * group + i);
	return err;
}

int array_add(struct array *array, u64 index, u64 n)
{
	u32 group = array->cells.repr.type.group, i;
	int err = refuse(array, index);

	if (!err && (s64)n < 0) {
		array->refused++;
		err = array_fail(-ERANGE, "%lld is not added: counters are never decremented",
				 (s64)n);
	}
	for (i = 0; !err && n && i < group; i++)
		add_to_cell(array, index * group + i, scounter_real(n), 0, false);
	return err;
}

static void add_up_cell(const struct array *array, u64 cell, struct scounter_cell_total *total)
{
	u32 bit, i;
	u64 word = scounter_cells_find(&array->cells, cell, &bit);

	for (i = 0; i < array->copies; i++)
		scounter_cell_total_add(total, &array->cells,
				     array->words[i * array->cells.words + word], bit);
}

static struct scounter_cell_total add_up(const struct array *array, u64 index)
{
	u32 group = array->cells.repr.type.group, i;
	struct scounter_cell_total total = { 0 };

	for (i = 0; i < group; i++)
		add_up_cell(array, index * group + i, &total);
	return total;
}

struct scounter_known array_known(const struct array *array)
{
	return (struct scounter_known){
		.copies		= array->copies,
		.level		= array->level,
		.mixed_ppm	= array->mixed_ppm,
		.lost_from	= array->lost_from,
		.unit		= array->unit,
		.roundings	= array->roundings,
	};
}

int array_estimate(struct array *array, u64 index, struct scounter_array_estimate *estimate)
{
	struct scounter_known known = array_known(array);
	struct scounter_cell_total total;
	int err = refuse(array, index);

	if (err)
		return err;
	total = add_up(array, index);
	scounter_estimate_of(&total, &array->cells.repr.type, &known, estimate);
	if (array->partial) {
		estimate->flags |= SCOUNTER_F_PARTIAL;
		estimate->upper = U64_MAX;
	}
	return 0;
}

static double double_of(struct scounter_wide sum)
{
	return ldexp(sum.over, 64) + sum.rest.whole + ldexp(sum.rest.part, -64);
}

int array_values(struct array *array, u64 first, u64 count, double *values)
{
	int err = refuse_range(array, first, count);
	u64 i;

	for (i = 0; !err && i < count; i++)
		values[i] = double_of(add_up(array, first + i).sum) /
			    array->cells.repr.type.group;
	return err;
}

static void total_cell(const struct array *array, u64 cell, const struct scounter_known *known,
		       struct scounter_total *total)
{
	u32 bit, i;
	u64 word = scounter_cells_find(&array->cells, cell, &bit);

	for (i = 0; i < array->copies; i++)
		scounter_total_cell(total, &array->cells,
				    array->words[i * array->cells.words + word], bit,
				    known);
}

int array_sum(struct array *array, u64 first, u64 count, struct array_total *sum)
{
	u32 group = array->cells.repr.type.group;
	struct scounter_known known = array_known(array);
	struct scounter_total total = { 0 };
	int err = refuse_range(array, first, count);
	struct scounter_scaled variance;
	u64 cell;

	if (err)
		return err;
	for (cell = first * group; cell < (first + count) * group; cell++)
		total_cell(array, cell, &known, &total);
	variance = scounter_total_variance(&total, group);
	*sum = (struct array_total){
		.value = double_of(total.sum) / group,
		.variance = ldexp(variance.m, variance.e),
		.flags = count && scounter_may_lack(array->lost_from, total.largest) ?
			 SCOUNTER_F_SATURATED : 0,
	};
	if (array->partial)
		sum->flags |= SCOUNTER_F_PARTIAL;
	return 0;
}

u64 array_value(struct array *array, u64 index)
{
	struct scounter_array_estimate estimate;

	return array_estimate(array, index, &estimate) ? 0 : estimate.value;
}

void array_clear(struct array *array)
{
	memset(array->words, 0, array->cells.words * array->copies * sizeof(u64));
	array->level = 0;
	array->mixed_ppm = 0;
	array->unit = 0;
	array->roundings = 0;
	array->lost_from = SCOUNTER_NOTHING_LOST;
	array->partial = false;
}

bool array_same_type(const struct array *a, const struct array *b)
{
	return !memcmp(&a->cells.repr.type, &b->cells.repr.type, sizeof(a->cells.repr.type));
}

static int check_merge(const struct array *dst, const struct array *src)
{
	if (dst == src)
		return array_fail(-EINVAL, "an array is not merged with itself");
	if (dst->length != src->length)
		return array_fail(-EINVAL, "the arrays have %llu and %llu counters",
				  dst->length, src->length);
	if (dst->cells.repr.type.group != src->cells.repr.type.group)
		return array_fail(-EINVAL, "the counters have groups of %u and %u cells",
				  dst->cells.repr.type.group, src->cells.repr.type.group);
	if (is_shared(dst) != is_shared(src))
		return array_fail(-EINVAL, "one array has relative errors, the other additive ones");
	return 0;
}

static void merge_cell(struct array *dst, const struct array *src, u64 cell, bool same)
{
	struct scounter_cell_total total = { 0 };
	struct scounter_real sum;

	add_up_cell(src, cell, &total);
	sum = scounter_wide_real(total.sum);
	if (scounter_real_is_zero(sum))
		return;
	dst->mixed_ppm = max(dst->mixed_ppm,
			     scounter_brought_ppm(&total, same, src->mixed_ppm,
						  &dst->cells.repr));
	add_to_cell(dst, cell, sum, total.level,
		    total.sum.over || scounter_may_lack(src->lost_from, total.largest));
}

static void merge_cells(struct array *dst, const struct array *src, bool same)
{
	u64 cell;

	for (cell = 0; cell < src->cells.count; cell++)
		merge_cell(dst, src, cell, same);
	/* A cell that may lack counts can be empty, where the first step is a large one. */
	if (scounter_may_lack(src->lost_from, 0))
		array_note_lost(dst, 0);
}

int array_merge(struct array *dst, const struct array *src)
{
	struct scounter_known known = array_known(src);
	bool same = array_same_type(dst, src);
	int err = check_merge(dst, src);

	if (!err && array_merge8_applies(dst, src))
		err = array_merge8(dst, src);
	else if (!err)
		merge_cells(dst, src, same);
	if (err)
		return err;
	dst->partial |= src->partial;
	/* What is said of all cells, those of 0 among them. */
	dst->roundings = max(dst->roundings, scounter_brought_roundings(&known, same));
	dst->unit = max(dst->unit, scounter_brought_unit(&src->cells.repr, &known, same,
							 &dst->cells.repr));
	return 0;
}

/* The cell of the sum, of what the cells of a and b stand for, rounded once. */
static void put_cell(struct array *dst, const struct array *a, const struct array *b, u64 cell)
{
	struct scounter_cell_total one = { 0 }, other = { 0 }, both;
	bool lacks;

	add_up_cell(a, cell, &one);
	both = one;
	add_up_cell(b, cell, &both);
	add_up_cell(b, cell, &other);
	if (scounter_real_is_zero(scounter_wide_real(both.sum)))
		return;
	lacks = both.sum.over || scounter_may_lack(a->lost_from, one.largest) ||
		scounter_may_lack(b->lost_from, other.largest);
	dst->mixed_ppm = max(dst->mixed_ppm,
			     scounter_brought_ppm(&both, false, max(a->mixed_ppm, b->mixed_ppm),
						  &dst->cells.repr));
	add_to_cell(dst, cell, scounter_wide_real(both.sum), both.level, lacks);
}

static void put_known(struct array *dst, const struct array *src)
{
	struct scounter_known known = array_known(src);

	dst->roundings = max(dst->roundings, scounter_brought_roundings(&known, false));
	dst->unit = max(dst->unit, scounter_brought_unit(&src->cells.repr, &known, false,
							 &dst->cells.repr));
	dst->partial |= src->partial;
	if (scounter_may_lack(src->lost_from, 0))
		array_note_lost(dst, 0);
}

int array_put_sum(struct array *dst, const struct array *a, const struct array *b)
{
	int err = check_merge(dst, a);
	u64 cell;

	if (!err)
		err = check_merge(dst, b);
	if (!err && a == b)
		err = array_fail(-EINVAL, "an array is not added to itself");
	/* What merges need comes before anything changes. */
	if (!err && (array_merge8_applies(dst, a) || array_merge8_applies(dst, b)))
		err = array_merge8_prepare(dst);
	if (err)
		return err;
	array_clear(dst);
	/* Into an empty array of its type, each count goes as it is. */
	if (array_same_type(dst, a) || array_same_type(dst, b)) {
		bool a_first = array_same_type(dst, a);

		array_merge(dst, a_first ? a : b);
		return array_merge(dst, a_first ? b : a);
	}
	for (cell = 0; cell < dst->cells.count; cell++)
		put_cell(dst, a, b, cell);
	put_known(dst, a);
	put_known(dst, b);
	return 0;
}

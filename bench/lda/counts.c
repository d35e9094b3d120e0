// SPDX-License-Identifier: GPL-2.0
/* Counters of the topic models: integers, or arrays of the library. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "lda.h"
#include "util.h"

static const struct {
	const char *name;
	struct scounter_array_type type;
} types[] = {
	{ "int32", { 0 } },
	{ "morris1.08", { .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1080000 } },
	{ "morris1.1", { .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1100000 } },
	{ "csuros4", { .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 16 } },
	{ "csuros5", { .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 32 } },
	{ "morris2", { .kind = SCOUNTER_REPR_MORRIS2, .bits = 8 } },
	{ "dlm_probability", { .kind = SCOUNTER_REPR_DLM_PROBABILITY, .bits = 16, .q_ppm = 1080000 } },
	{ "dlm_float", { .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 8, .m = 16 } },
};

enum { TYPES = sizeof(types) / sizeof(types[0]) };

bool type_of(const char *name, struct scounter_array_type *type)
{
	u32 i;

	for (i = 0; i < TYPES; i++)
		if (!strcmp(types[i].name, name)) {
			*type = types[i].type;
			return true;
		}
	return false;
}

const char *type_names(void)
{
	static char names[200];
	u32 i, used = 0;

	for (i = 0; i < TYPES; i++)
		used += sprintf(names + used, "%s%s", i ? " " : "", types[i].name);
	return names;
}

/* An increment goes to the next state, and is worth the gap. */
static bool has_chances(const struct scounter_array_type *type)
{
	return type->kind != SCOUNTER_REPR_DLM_PROBABILITY && type->kind != SCOUNTER_REPR_DLM_FLOAT;
}

/* Q' of the paper, section 4: 0 at the end, where array_inc() notes what is lost. */
static void make_chances(struct counts *counts)
{
	const struct scounter_repr *repr = &counts->array->cells.repr;
	u32 x;

	counts->chance = allocate(1U << repr->type.bits, sizeof(u64));
	for (x = 0; x < repr->top; x++) {
		struct scounter_real gap = scounter_repr_gap(repr, x);

		counts->chance[x] = 0x1p53 / (gap.whole + gap.part * 0x1p-64);
	}
}

void counts_create(struct counts *counts, const struct scounter_array_type *type, u64 length,
		   u64 seed)
{
	u32 x;

	*counts = (struct counts){ .length = length };
	if (!type->kind) {
		counts->plain = allocate(length, sizeof(u32));
		return;
	}
	if (array_create(&counts->array, type, length))
		errx(1, "%s", array_error());
	array_seed(counts->array, seed);
	counts->value = allocate(1U << type->bits, sizeof(float));
	for (x = 0; x < 1U << type->bits; x++) {
		const struct scounter_repr *repr = &counts->array->cells.repr;
		struct scounter_real f = scounter_repr_f(repr, min(x, repr->top));

		counts->value[x] = f.whole + f.part * 0x1p-64;
	}
	if (has_chances(type))
		make_chances(counts);
	for (x = 0; x < 4; x++)
		counts->random[x] = next_seed(&seed);
}

void counts_clear(struct counts *counts)
{
	if (counts->plain)
		memset(counts->plain, 0, counts->length * sizeof(u32));
	else
		array_clear(counts->array);
}

static void inc_by_chance(struct counts *counts, u64 i)
{
	const struct scounter_cells *cells = &counts->array->cells;
	u64 *word = &counts->array->words[i / cells->per_word];
	u32 bits = cells->repr.type.bits, bit = i % cells->per_word * bits;
	u64 chance = counts->chance[*word >> bit & ((1U << bits) - 1)];

	if (!chance)
		array_inc(counts->array, i);
	else if (next_bits(counts->random) >> 11 < chance)
		*word += 1ULL << bit;
}

void counts_inc(struct counts *counts, u64 i)
{
	if (counts->plain)
		counts->plain[i]++;
	else if (counts->chance)
		inc_by_chance(counts, i);
	else
		array_inc(counts->array, i);
}

void counts_reduce(struct counts *counts)
{
	if (counts->plain)
		MPI_Allreduce(MPI_IN_PLACE, counts->plain, counts->length, MPI_UINT32_T, MPI_SUM,
			      MPI_COMM_WORLD);
	else if (scounter_mpi_allreduce(counts->array, MPI_COMM_WORLD))
		errx(1, "%s", array_error());
	counts->lost += counts->array && array_saturated(counts->array);
}

u64 counts_bytes(const struct counts *counts)
{
	return counts->plain ? counts->length * sizeof(u32) :
	       counts->array->cells.words * sizeof(u64);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What must be true, whatever the order:
 *
 * - As long as so few events are counted that a representation is exact, each counter
 *   has in the end what was counted in it, and a read returns what was counted before
 *   it at least, and what had begun to be counted at most.
 * - Where a cell is full soon: a counter that lacks counts says so, and none does if
 *   nothing was lost.  If the array is cleared meanwhile, it says so when those that
 *   clear and add have returned.
 * - Where counts come from another type, a read and a sum of them never say exact.
 * - A level that is shared is not higher, once the array was cleared, than what is
 *   counted then makes it.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/module.h>

#include "array/array.h"
#include "base/random.h"
#include "cells.h"
#include "kernel.h"
#include "script.h"

#define COUNTERS	2
#define SEED		1

static const struct kind {
	const char *name;
	struct scounter_array_type type;
	u32 flags;
	u32 first;	/* in counter 0 at first */
	u32 end;	/* the largest count: only who adds more comes to it */
	struct scounter_array_type other;	/* what is merged into it, or of its own type */
} kinds[] = {
	{ .name = "csuros", .type = { .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 64 } },
	{ .name = "float", .type = { .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 12, .m = 64 } },
	{ .name = "shared", .type = { .kind = SCOUNTER_REPR_SHARED, .bits = 8 } },
	{ .name = "csuros-node", .type = { .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 64 },
	  .flags = SCOUNTER_ARRAY_PER_NODE },
	{ .name = "shared-cpu", .type = { .kind = SCOUNTER_REPR_SHARED, .bits = 8 },
	  .flags = SCOUNTER_ARRAY_PER_CPU },
	/* At level 2, and full. */
	{ .name = "shared-raised", .type = { .kind = SCOUNTER_REPR_SHARED, .bits = 4 },
	  .first = 60 },
	{ .name = "csuros-end", .type = { .kind = SCOUNTER_REPR_CSUROS2, .bits = 4, .m = 8 },
	  .end = 22 },
	{ .name = "csuros-lost", .type = { .kind = SCOUNTER_REPR_CSUROS2, .bits = 4, .m = 8 },
	  .first = 100, .end = 22 },
	/* All that is in it was merged. */
	{ .name = "csuros-mixed", .type = { .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 64 },
	  .other = { .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1500000 } },
};

/* In memory that is restored. */
struct books {
	struct scounter_array *array, *other;
	u64 begun[COUNTERS], done[COUNTERS];
	bool beyond;	/* more than the end was added, or will have been */
	bool clears, cleared;
};

static const struct kind *now;
static struct books *books;

static void count(int counter, u64 n)
{
	books->begun[counter] += n;
	if (n == 1)
		scounter_array_inc(books->array, counter);
	else
		scounter_array_add(books->array, counter, n);
	books->done[counter] += n;
}

static void look_at_end(void)
{
	struct scounter_array_estimate estimate;
	bool clears = books->clears, lacks;
	u64 done = books->done[0];

	scounter_array_read_est(books->array, 0, &estimate);
	lacks = estimate.flags & SCOUNTER_F_SATURATED;
	clears |= books->clears || (books->cleared && done < books->begun[0]);
	if (lacks != (estimate.value == now->end) && (lacks || !clears))
		explore_fail("a value of %llu is said to %s", (unsigned long long)estimate.value,
			     lacks ? "lack counts" : "be right");
	if (!books->beyond && scounter_array_saturated(books->array))
		explore_fail("counts are said to be lost that are not");
}

static void look_at_level(void)
{
	if (books->cleared && scounter_array_level(books->array))
		explore_fail("level %u of a cleared array", scounter_array_level(books->array));
}

static void look_at_error(void)
{
	struct scounter_array_estimate estimate;
	struct scounter_array_total sum;

	scounter_array_read_est(books->array, 0, &estimate);
	if (estimate.value && !estimate.error_ppm)
		explore_fail("a merged %llu is said to be exact", (unsigned long long)estimate.value);
	scounter_array_sum(books->array, 0, COUNTERS, &sum);
	if (sum.value.whole && !sum.deviation)
		explore_fail("a sum of a merged %llu is said to be exact",
			     (unsigned long long)sum.value.whole);
}

static void look(void)
{
	u64 least, value;
	int i;

	if (now->end)
		look_at_end();
	if (now->other.kind)
		look_at_error();
	if (now->end || now->first || now->other.kind)
		return;
	for (i = 0; i < COUNTERS; i++) {
		least = books->done[i];
		value = scounter_array_read(books->array, i);
		if (value < least || value > books->begun[i])
			explore_fail("counter %d: read %llu, not %llu to %llu", i,
				     (unsigned long long)value, (unsigned long long)least,
				     (unsigned long long)books->begun[i]);
	}
}

static void merge(void)
{
	books->begun[0] += 2;
	if (scounter_array_merge(books->array, books->other))
		explore_fail("arrays are not merged");
	books->done[0] += 2;
}

static void operate(char operation)
{
	switch (operation) {
	case 'i':
	case 'j':
		count(operation - 'i', 1);
		break;
	case 'a':
		count(0, 3);
		break;
	case 'r':
		look();
		break;
	case 'm':
		merge();
		break;
	case 'e':
		count(0, 8);
		break;
	case 'x':
		books->beyond = true;
		count(0, 100);
		break;
	case 'c':
		books->clears = true;
		scounter_array_clear(books->array);
		books->clears = false;
		books->cleared = true;
		break;
	}
}

static bool setup(void)
{
	if (!shim_init(SCRIPT_CPUS, SCRIPT_NODES) || !kernel_init())
		return false;
	scounter_random_init(SEED);
	books = shim_zalloc(sizeof(*books));
	books->array = scounter_array_create(NULL, NULL, &now->type, COUNTERS, now->flags);
	books->other = scounter_array_create(NULL, NULL,
					     now->other.kind ? &now->other : &now->type,
					     COUNTERS, now->flags);
	if (IS_ERR(books->array) || IS_ERR(books->other))
		return false;
	scounter_array_add(books->other, 0, now->other.kind ? 10 : 2);
	if (now->other.kind)
		merge();
	scounter_array_add(books->array, 0, now->first);
	books->beyond = now->first > now->end;
	return true;
}

static void check(void)
{
	look();
	look_at_level();
	scounter_array_destroy(books->array);
	scounter_array_destroy(books->other);
}

const struct explore_program *cells_program(const char *name, const char *script)
{
	const struct script what = { .text = script, .letters = "ijaremxc", .operate = operate };
	const struct explore_program like = { .setup = setup, .check = check };

	for (now = kinds; now < kinds + sizeof(kinds) / sizeof(kinds[0]); now++)
		if (!strcmp(now->name, name))
			return script_program(&what, &like);
	return NULL;
}

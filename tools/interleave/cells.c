// SPDX-License-Identifier: GPL-2.0
/*
 * What must be true, whatever the order, as long as so few events are counted that
 * every representation here is exact: each counter has in the end what was counted
 * in it, and a read returns what was counted before it at least, and what had begun
 * to be counted at most.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/module.h>

#include "array.h"
#include "cells.h"
#include "kernel.h"
#include "random.h"
#include "script.h"

#define COUNTERS	2
#define SEED		1

static const struct kind {
	const char *name;
	struct scounter_array_type type;
	u32 flags;
} kinds[] = {
	{ "csuros", { .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 64 }, 0 },
	{ "float", { .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 12, .m = 64 }, 0 },
	{ "shared", { .kind = SCOUNTER_REPR_SHARED, .bits = 8 }, 0 },
	{ "csuros-node", { .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 64 },
	  SCOUNTER_ARRAY_PER_NODE },
	{ "shared-cpu", { .kind = SCOUNTER_REPR_SHARED, .bits = 8 }, SCOUNTER_ARRAY_PER_CPU },
};

/* In memory that is restored. */
struct books {
	struct scounter_array *array, *other;
	u64 begun[COUNTERS], done[COUNTERS];
};

static const struct kind *now;
static struct books *books;
static char operations[SCRIPT_THREADS_MAX][SCRIPT_LENGTH_MAX + 1];
static struct explore_program program;

static void count(int counter, u64 n)
{
	books->begun[counter] += n;
	if (n == 1)
		scounter_array_inc(books->array, counter);
	else
		scounter_array_add(books->array, counter, n);
	books->done[counter] += n;
}

static void look(void)
{
	u64 least, value;
	int i;

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
		explore_fail("arrays of one type are not merged");
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
	}
}

static void body(int thread)
{
	script_run(operations[thread], operate);
}

static int cpu_of(int thread)
{
	return script_cpu(thread, program.needed);
}

static bool setup(void)
{
	if (!shim_init(SCRIPT_CPUS, SCRIPT_NODES) || !kernel_init())
		return false;
	scounter_random_init(SEED);
	books = shim_zalloc(sizeof(*books));
	books->array = scounter_array_create(NULL, NULL, &now->type, COUNTERS, now->flags);
	books->other = scounter_array_create(NULL, NULL, &now->type, COUNTERS, now->flags);
	if (IS_ERR(books->array) || IS_ERR(books->other))
		return false;
	scounter_array_add(books->other, 0, 2);
	return true;
}

static void check(void)
{
	look();
	scounter_array_destroy(books->array);
	scounter_array_destroy(books->other);
}

const struct explore_program *cells_program(const char *name, const char *script)
{
	program = (struct explore_program) {
		.setup = setup, .body = body, .check = check, .cpu = cpu_of,
	};
	program.needed = program.threads = script_read(script, "ijarm", operations);
	for (now = kinds; now < kinds + sizeof(kinds) / sizeof(kinds[0]); now++)
		if (!strcmp(now->name, name))
			return program.needed ? &program : NULL;
	return NULL;
}

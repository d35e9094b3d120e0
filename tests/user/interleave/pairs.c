// SPDX-License-Identifier: GPL-2.0
/*
 * What must be true, whatever the order:
 *
 * - A read has the amounts of all its events, and of no others.
 * - It has what was counted before it began at least, and what had begun to be counted
 *   at most.
 * - What had been counted when an addition ended, or half a quarter more or less, is what
 *   a read beside one thread that adds can return.
 * - In the end all is there.
 */
#include <string.h>

#include <linux/scounter_pair.h>

#include "kernel.h"
#include "pairs.h"
#include "script.h"

#define AMOUNT	(1ULL << 16)
#define MANY	(1ULL << 21)

/* In memory that is restored. */
struct books {
	struct scounter_pair pair;
	u64 begun, done;
	/* Of one thread that adds: all that there has been. */
	u64 been[SCRIPT_LENGTH_MAX + 1];
	u32 count;
};

static struct books *books;
static uint64_t first;
static bool one_adds;

static void add(u64 events)
{
	books->begun += events;
	books->been[++books->count % (SCRIPT_LENGTH_MAX + 1)] = books->begun;
	if (events == 1)
		scounter_pair_add(&books->pair, AMOUNT);
	else
		scounter_pair_add_many(&books->pair, events, events * AMOUNT);
	books->done += events;
}

static bool has_been(u64 events)
{
	u32 i;

	for (i = 0; i <= books->count; i++)
		if (books->been[i] == events)
			return true;
	return false;
}

static void look(void)
{
	struct scounter_pair_values values;
	u64 done = books->done;

	scounter_pair_read(&books->pair, &values);
	if (values.sum != values.events * AMOUNT)
		explore_fail("%llu events with a sum of %llu", (unsigned long long)values.events,
			     (unsigned long long)values.sum);
	else if (values.events < done || values.events > books->begun ||
		 (one_adds && !has_been(values.events)))
		explore_fail("read %llu of %llu to %llu events", (unsigned long long)values.events,
			     (unsigned long long)done, (unsigned long long)books->begun);
}

static void operate(char operation)
{
	switch (operation) {
	case 'p':
		add(1);
		break;
	case 'b':
		add(MANY);
		break;
	case 'r':
		look();
		break;
	}
}

static bool setup(void)
{
	if (!shim_init(SCRIPT_CPUS, SCRIPT_NODES) || !kernel_init())
		return false;
	books = shim_zalloc(sizeof(*books));
	scounter_pair_add_many(&books->pair, first, first * AMOUNT);
	books->begun = first;
	books->done = first;
	books->been[0] = first;
	return true;
}

const struct explore_program *pairs_program(const char *text, uint64_t preload)
{
	const struct script script = {
		.text = text, .letters = "pbrPBR", .operate = operate, .contexts = true,
	};
	const struct explore_program like = { .setup = setup, .check = look };
	const char *adds = strpbrk(text, "pbPB");

	first = preload;
	/* From there to the end of its thread. */
	one_adds = adds && (!strchr(adds, ',') || !strpbrk(strchr(adds, ','), "pbPB"));
	return script_program(&script, &like);
}

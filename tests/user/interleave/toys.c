// SPDX-License-Identifier: GPL-2.0
#include <linux/atomic.h>
#include <linux/processor.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "memory.h"
#include "toys.h"

#define TOY_WORDS	4

/* In memory that is restored. */
static struct play {
	long word[TOY_WORDS];	/* 64 bytes apart is of no importance here */
	long saw[TOY_WORDS];
	raw_spinlock_t lock;
	long *memory;
} *play;

static const struct toy *now;
static struct explore_program program;
static uint64_t outcomes;

static long load(int i)
{
	return READ_ONCE(play->word[i]);
}

static void store(int i, long value)
{
	WRITE_ONCE(play->word[i], value);
}

/* What racing does. */
static void load_and_store(int thread)
{
	(void)thread;
	store(0, load(0) + 1);
}

static uint64_t word_0(void)
{
	return play->word[0];
}

/* Dekker: not both can miss the other, as memory is sequentially consistent. */
static void dekker(int thread)
{
	store(thread, 1);
	play->saw[thread] = load(!thread);
}

static uint64_t both_saw(void)
{
	return play->saw[0] + 2 * play->saw[1];
}

/* Four words, of which two belong to one thread alone. */
static void own_and_shared(int thread)
{
	store(2 + thread, 1);
	store(thread, load(2 + thread) + load(!thread));
	play->saw[thread] = load(2 + thread);
}

static uint64_t two_words(void)
{
	return play->word[0] + 4 * play->word[1];
}

static void three(int thread)
{
	if (thread == 0)
		store(0, 1);
	else if (thread == 1)
		store(1, load(0));
	else
		play->saw[0] = load(1) + 2 * load(0);
}

static uint64_t saw_0(void)
{
	return play->saw[0] + 4 * play->word[1];
}

static void with_lock(int thread)
{
	(void)thread;
	raw_spin_lock(&play->lock);
	load_and_store(thread);
	raw_spin_unlock(&play->lock);
}

static void with_flag(int thread)
{
	if (thread) {
		while (!load(1))
			cpu_relax();
		play->saw[0] = load(0);
	} else {
		store(0, 5);
		store(1, 1);
	}
}

static bool is_set(void *word)
{
	return *(long *)word;
}

static void with_wait(int thread)
{
	if (thread) {
		explore_wait(is_set, &play->word[1], SHIM_RMW);
		play->saw[0] = load(0);
	} else {
		store(0, 5);
		store(1, 1);
	}
}

/* Each has what the other wants. */
static void deadlock(int thread)
{
	store(thread, 1);
	while (load(!thread))
		cpu_relax();
	store(thread, 0);
}

static void for_ever(int thread)
{
	while (load(thread) >= 0)
		store(thread, load(thread) + 1);
}

static void late(int thread)
{
	if (thread)
		kfree(play->memory);
	else
		WRITE_ONCE(*play->memory, 1);
	(void)load(0);
}

static void beyond(int thread)
{
	WRITE_ONCE(play->memory[8 + thread], 1);
}

/* Two accesses a thread, or three of two: all small programs, in the long run. */
static uint32_t drawn;

static void any(int thread)
{
	uint32_t code = drawn >> 10 * thread;
	int n = program.threads == 2 ? 3 : 2;
	long seen = 0;

	for (; n--; code >>= 3) {
		int word = code & 1;

		if (code & 2)
			store(word, load(!word) + (code & 4));
		else if (code & 4)
			store(word, seen + 1);
		else
			seen = seen * 4 + load(word);
	}
	play->saw[thread] = seen;
}

/* Different outcomes may look the same here, but not the same different. */
static uint64_t mixed(void)
{
	uint64_t mix = play->word[0] + 5 * play->word[1];
	int i;

	for (i = 0; i < TOY_WORDS; i++)
		mix = (mix + play->saw[i]) * 0x9e3779b97f4a7c15ULL;
	return mix >> 58;
}

static const struct toy any_toys[] = {
	{ "two that were drawn", 2, any, mixed, 0, 0, NULL },
	{ "three that were drawn", 3, any, mixed, 0, 0, NULL },
};

const struct toy *toy_draw(uint32_t seed)
{
	drawn = seed * 0x9e3779b9U ^ seed >> 3;
	return &any_toys[seed % 2];
}

static uint64_t nothing(void)
{
	return 0;
}

const struct toy toys[] = {
	{ "load and store", 2, load_and_store, word_0, 1 << 1 | 1 << 2, 20, NULL },
	{ "three that load and store", 3, load_and_store, word_0,
	  1 << 1 | 1 << 2 | 1 << 3, 1680, NULL },
	{ "Dekker", 2, dekker, both_saw, 1 << 1 | 1 << 2 | 1 << 3, 20, NULL },
	{ "words of one's own", 2, own_and_shared, two_words, 1 << 9 | 1 << 6 | 1 << 5, 0, NULL },
	{ "three in a row", 3, three, saw_0, 0, 0, NULL },
	{ "a lock", 2, with_lock, word_0, 1 << 2, 0, NULL },
	{ "a lock for three", 3, with_lock, word_0, 1 << 3, 0, NULL },
	{ "a flag", 2, with_flag, saw_0, 1ULL << 9, 0, NULL },
	{ "what is waited for", 2, with_wait, saw_0, 1ULL << 9, 0, NULL },
	{ "a deadlock", 2, deadlock, word_0, 0, 0, "nobody can go on" },
	{ "no end", 1, for_ever, word_0, 0, 0, "no end" },
	{ "memory that is freed", 2, late, nothing, 0, 0, "freed memory" },
	{ "memory beyond the end", 2, beyond, nothing, 0, 0, "beyond" },
	{ }
};

static void check(void)
{
	outcomes |= 1ULL << now->outcome();
}

static int cpu_of(int thread)
{
	return thread;
}

static bool setup(void)
{
	if (!shim_init(4, 1))
		return false;
	play = shim_zalloc(sizeof(*play));
	play->memory = shim_zalloc(64);
	return true;
}

const struct explore_program *toy_program(const struct toy *toy)
{
	now = toy;
	outcomes = 0;
	program = (struct explore_program) {
		.threads = toy->threads, .needed = toy->threads, .setup = setup,
		.body = toy->body, .check = check, .cpu = cpu_of,
	};
	return &program;
}

uint64_t toy_outcomes(void)
{
	return outcomes;
}

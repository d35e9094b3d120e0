// SPDX-License-Identifier: GPL-2.0
/*
 * kmod/registry/share.c: a snapshot that is refused does not make another snapshot of the
 * same user fail.
 */
#include <errno.h>
#include <string.h>

#include <linux/capability.h>
#include <linux/uidgid.h>

#include "kernel.h"
#include "memory.h"
#include "registry/share.h"
#include "script.h"
#include "shares.h"

#define MIB	(1UL << 20)
#define MOST	(64 * MIB)
#define HALF	(40 * MIB)	/* and more: two of them do not fit */

/* In memory that is restored. */
struct books {
	struct scounter_share *share;
	size_t held;
	int halves;		/* that were taken */
	unsigned int privileged;	/* threads */
};

static struct books *books;
static bool asks_for_halves;
static unsigned int live_without;

bool capable(int capability)
{
	return capability == CAP_SYS_RESOURCE && books->privileged & 1U << explore_self();
}

static bool takes(size_t size)
{
	int err = scounter_share_take(books->share, size);

	if (err && err != -EAGAIN)
		explore_fail("error %d", err);
	if (!err)
		books->held += size;
	return !err;
}

static void must_take(size_t size)
{
	if (!takes(size))
		explore_fail("%zu MiB are refused to who holds %zu", size / MIB, books->held / MIB);
}

static void gives(size_t size)
{
	scounter_share_give(books->share, size);
	books->held -= size;
}

static void take_with_right(size_t size)
{
	books->privileged |= 1U << explore_self();
	must_take(size);
	books->privileged &= ~(1U << explore_self());
}

static void operate(char operation)
{
	switch (operation) {
	case 's':
		must_take(MIB);
		break;
	case 'h':
		books->halves += takes(HALF);
		break;
	case 'l':
		if (takes(MOST))
			explore_fail("%zu MiB are held", books->held / MIB);
		break;
	case 'p':
		take_with_right(MOST);
		break;
	case 'g':
		gives(MIB);
		must_take(MIB);
		break;
	}
}

/* What is said to be held is: the rest can be taken, and not a byte more. */
static void check(void)
{
	if (asks_for_halves && books->halves != 1)
		explore_fail("%d of two halves were taken", books->halves);
	if (books->held <= MOST) {
		must_take(MOST - books->held);
		if (takes(1))
			explore_fail("a byte more than the most");
	}
	gives(books->held);
	/* One alone may be as large as it is. */
	must_take(2 * MOST);
	gives(2 * MOST);
	scounter_share_put(books->share);
	if (memory_live() != live_without)
		explore_fail("the user's share is left");
}

static bool setup(void)
{
	static const kuid_t user = { 1000 };

	if (!shim_init(SCRIPT_CPUS, SCRIPT_NODES) || !kernel_init())
		return false;
	books = shim_zalloc(sizeof(*books));
	live_without = memory_live();
	books->share = scounter_share_get(user);
	return books->share && takes(MIB);
}

const struct explore_program *shares_program(const char *script)
{
	const struct script what = { .text = script, .letters = "shlpg", .operate = operate };
	const struct explore_program like = { .setup = setup, .check = check };

	asks_for_halves = strchr(script, 'h');
	return script_program(&what, &like);
}

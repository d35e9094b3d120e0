// SPDX-License-Identifier: GPL-2.0
#include <stdatomic.h>
#include <stdbool.h>

#ifdef HAVE_URCU
#define _LGPL_SOURCE
#include <urcu/uatomic.h>
#endif
#ifdef HAVE_CK
#include <ck_pr.h>
#endif

#include "rivals.h"

__thread unsigned int rival_thread;

struct cell {
	_Alignas(64) _Atomic uint64_t count;
};

/* A word for each thread, and nothing shared: what no counter can undercut. */
static void thread_inc(void *counter)
{
	struct cell *cell = (struct cell *)counter + rival_thread;
	uint64_t count = atomic_load_explicit(&cell->count, memory_order_relaxed);

	atomic_store_explicit(&cell->count, count + 1, memory_order_relaxed);
}

static uint64_t cells_read(void *counter)
{
	struct cell *cells = counter;
	uint64_t sum = 0;
	int i;

	for (i = 0; i < RIVAL_THREADS; i++)
		sum += atomic_load_explicit(&cells[i].count, memory_order_relaxed);
	return sum;
}

/*
 * As java.util.concurrent's Striped64: one word until a compare-and-swap fails,
 * then the thread's cell.  All cells are there from the beginning.
 */
static void striped_inc(void *counter)
{
	struct cell *base = counter;
	static __thread bool contended;
	uint64_t count;

	if (!contended) {
		count = atomic_load_explicit(&base->count, memory_order_relaxed);
		if (atomic_compare_exchange_strong(&base->count, &count, count + 1))
			return;
		contended = true;
	}
	base += 1 + rival_thread % (RIVAL_THREADS - 1);
	count = atomic_load_explicit(&base->count, memory_order_relaxed);
	while (!atomic_compare_exchange_weak(&base->count, &count, count + 1))
		;
}

#if defined(HAVE_URCU) || defined(HAVE_CK)
static uint64_t word_read(void *counter)
{
	return atomic_load_explicit(&((struct cell *)counter)->count, memory_order_relaxed);
}
#endif

#ifdef HAVE_URCU
static void urcu_inc(void *counter)
{
	uatomic_inc((unsigned long *)counter);
}
#endif

#ifdef HAVE_CK
static void ck_inc(void *counter)
{
	ck_pr_inc_64(counter);
}
#endif

const struct rival rivals[] = {
	{ "per_thread", thread_inc, cells_read, RIVAL_THREADS * sizeof(struct cell) },
	{ "striped64_like", striped_inc, cells_read, RIVAL_THREADS * sizeof(struct cell) },
#ifdef HAVE_URCU
	{ "urcu_uatomic_inc", urcu_inc, word_read, sizeof(struct cell) },
#endif
#ifdef HAVE_CK
	{ "ck_pr_inc_64", ck_inc, word_read, sizeof(struct cell) },
#endif
	{ 0 }
};

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers from 1 on, of objects that are allocated once: those that nobody uses.  Each CPU
 * keeps some at hand, so that CPUs seldom meet here.
 */
#ifndef _PAPER_POOL_H
#define _PAPER_POOL_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/types.h>

#define POOL_AT_HAND	14

struct pool_hand {
	u32 count;
	u32 number[POOL_AT_HAND];
} ____cacheline_aligned_in_smp;

struct pool {
	atomic64_t head;	/* a tag, and the first number */
	u32 *next;
	struct pool_hand *hands;	/* NULL: nothing is kept at hand */
};

/* All of them are in the pool.  False if there is no memory. */
bool pool_init(struct pool *pool, u32 count, bool hands);
void pool_clear(struct pool *pool);

/* 0 if there is none. */
u32 pool_take(struct pool *pool);
void pool_give(struct pool *pool, u32 number);

static inline bool pool_is_empty(const struct pool *pool)
{
	return !(u32)atomic64_read(&pool->head);
}

#endif /* _PAPER_POOL_H */

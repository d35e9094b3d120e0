/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scounter pairs: two counts that belong together, such as packets and their bytes,
 * counted by one atomic addition.
 *
 *	struct queue { ...; struct scounter_pair rx; };
 *	struct scounter_pair_values rx;
 *
 *	scounter_pair_add(&queue->rx, skb->len);	a packet and its bytes
 *	scounter_pair_read(&queue->rx, &rx);		rx.events, rx.sum
 *
 * No reader ever sees a packet without its bytes.  So the sum of several pairs, of the
 * queues of a device or of CPUs, has no packet without its bytes either.
 *
 * A pair has no name and needs no registration.  Zeroed memory is a pair that has
 * counted nothing.  kmod/counter/pair.c says how it works.
 */
#ifndef _LINUX_SCOUNTER_PAIR_H
#define _LINUX_SCOUNTER_PAIR_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct scounter_pair - two counts that belong together
 *
 * Up to 2^62 - 1 for each of them: beyond it both are wrong.
 */
struct scounter_pair {
	/* private: */
	atomic64_t word;	/* (events << 40) + sum, modulo 2^64 */
	atomic64_t mark;	/* which quarters of their ranges the word is in */
};

/**
 * struct scounter_pair_values - what was read of a pair
 * @events: how many events
 * @sum: of their amounts
 */
struct scounter_pair_values {
	u64 events;
	u64 sum;
};

#define __SCOUNTER_PAIR_EVENT		(1ULL << 40)
/* Bits of a word and of a mark that say in which quarter events and sum are. */
#define __SCOUNTER_PAIR_QUARTERS	(3ULL << 62 | 3ULL << 38)
/* The greatest amount that is added without a look at the mark before. */
#define SCOUNTER_PAIR_PLAIN_MAX		65536ULL

void __scounter_pair_advance(struct scounter_pair *pair);
void scounter_pair_add_many(struct scounter_pair *pair, u64 events, u64 sum);
void scounter_pair_read(const struct scounter_pair *pair, struct scounter_pair_values *values);

/**
 * scounter_pair_add - count an event and its amount
 * @pair: the pair
 * @n: the amount; up to SCOUNTER_PAIR_PLAIN_MAX inline, larger ones as by
 *	scounter_pair_add_many()
 *
 * One atomic addition, and a test that the pair keeps up.
 *
 * Context: Any context; on 32-bit machines without a 64-bit compare-and-swap not NMI.
 */
static __always_inline void scounter_pair_add(struct scounter_pair *pair, u64 n)
{
	u64 word;

	if (unlikely(n > SCOUNTER_PAIR_PLAIN_MAX)) {
		scounter_pair_add_many(pair, 1, n);
		return;
	}
	/* The mark that it found last, before the word; and this one after: pair-mark.litmus. */
	word = atomic64_add_return(__SCOUNTER_PAIR_EVENT + n, &pair->word);
	if (unlikely((word ^ atomic64_read(&pair->mark)) & __SCOUNTER_PAIR_QUARTERS))
		__scounter_pair_advance(pair);
}

#endif /* _LINUX_SCOUNTER_PAIR_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Space-Saving for one thread: a hash table of counters, and a heap with the smallest
 * count on top ("SSH" in G. Cormode and M. Hadjieleftheriou, "Finding frequent items in
 * data streams", VLDB 2008, section 3.2), as in QPOPSS: delegation.c.
 */
#include <string.h>

#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/mm.h>

#include "rivals.h"

struct counter {
	u64 key, count, error;
	u32 next;		/* in its chain: the number plus 1 */
	u32 hash;
	u32 at;			/* in the heap */
};

struct space_saving {
	struct counter *counters;
	u32 *heads, *heap;
	u32 used, capacity, mask;
};

static bool space_saving_init(void *part, u32 counters, u64 seed)
{
	struct space_saving *s = part;
	u32 heads = roundup_pow_of_two(counters);

	(void)seed;
	s->capacity = counters;
	s->mask = heads - 1;
	s->counters = kvcalloc(counters, sizeof(*s->counters), GFP_KERNEL);
	s->heads = kvcalloc(heads, sizeof(*s->heads), GFP_KERNEL);
	s->heap = kvcalloc(counters, sizeof(*s->heap), GFP_KERNEL);
	return s->counters && s->heads && s->heap;
}

static void space_saving_clear(void *part)
{
	struct space_saving *s = part;

	kvfree(s->counters);
	kvfree(s->heads);
	kvfree(s->heap);
}

static u32 *space_saving_head(struct space_saving *s, u32 hash)
{
	return &s->heads[hash >> 8 & s->mask];
}

static u64 space_saving_count_at(const struct space_saving *s, u32 at)
{
	return s->counters[s->heap[at]].count;
}

static void space_saving_put(struct space_saving *s, u32 at, u32 counter)
{
	s->heap[at] = counter;
	s->counters[counter].at = at;
}

/* A counter has grown: smaller ones go up past it. */
static void space_saving_sink(struct space_saving *s, u32 counter)
{
	u32 child, at = s->counters[counter].at;

	while ((child = 2 * at + 1) < s->used) {
		if (child + 1 < s->used &&
		    space_saving_count_at(s, child + 1) < space_saving_count_at(s, child))
			child++;
		if (space_saving_count_at(s, child) >= s->counters[counter].count)
			break;
		space_saving_put(s, at, s->heap[child]);
		at = child;
	}
	space_saving_put(s, at, counter);
}

/* A new counter is the last of the heap: larger ones go down past it. */
static void space_saving_rise(struct space_saving *s, u32 counter)
{
	u32 at = s->counters[counter].at;

	while (at && space_saving_count_at(s, (at - 1) / 2) > s->counters[counter].count) {
		space_saving_put(s, at, s->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	space_saving_put(s, at, counter);
}

static void space_saving_unlink(struct space_saving *s, u32 counter)
{
	u32 *link = space_saving_head(s, s->counters[counter].hash);

	while (*link != counter + 1)
		link = &s->counters[*link - 1].next;
	*link = s->counters[counter].next;
}

static void space_saving_link(struct space_saving *s, u32 counter, u64 key, u32 hash)
{
	u32 *head = space_saving_head(s, hash);

	s->counters[counter].key = key;
	s->counters[counter].hash = hash;
	s->counters[counter].next = *head;
	*head = counter + 1;
}

static void space_saving_count(void *part, u64 key, u32 hash, u64 n)
{
	struct space_saving *s = part;
	u32 counter;

	for (counter = *space_saving_head(s, hash); counter;
	     counter = s->counters[counter - 1].next) {
		if (s->counters[counter - 1].key == key) {
			s->counters[counter - 1].count += n;
			space_saving_sink(s, counter - 1);
			return;
		}
	}
	if (s->used < s->capacity) {
		counter = s->used++;
		space_saving_link(s, counter, key, hash);
		s->counters[counter].count = n;
		s->counters[counter].at = counter;
		space_saving_rise(s, counter);
		return;
	}
	counter = s->heap[0];
	space_saving_unlink(s, counter);
	space_saving_link(s, counter, key, hash);
	s->counters[counter].error = s->counters[counter].count;
	s->counters[counter].count += n;
	space_saving_sink(s, counter);
}

static void space_saving_list(void *part, u32 most, struct scounter_topk_header *header)
{
	struct space_saving *s = part;
	u64 record[3];
	u32 i;

	for (i = 0; i < s->used; i++) {
		record[0] = s->counters[i].count;
		record[1] = s->counters[i].error;
		record[2] = s->counters[i].key;
		topk_offer(header, most, (const struct scounter_topk_record *)record);
	}
	if (s->used == s->capacity)
		topk_leave_out(header, space_saving_count_at(s, 0));
}

static size_t space_saving_bytes(u32 counters)
{
	return counters * (sizeof(struct counter) + sizeof(u32)) +
	       roundup_pow_of_two(counters) * sizeof(u32);
}

const struct rival_part_ops rival_space_saving = {
	.size	= sizeof(struct space_saving),
	.init	= space_saving_init,
	.clear	= space_saving_clear,
	.count	= space_saving_count,
	.list	= space_saving_list,
	.bytes	= space_saving_bytes,
};

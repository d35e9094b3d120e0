// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "sequential.h"

/* In a bucket and in a chain.  0 is no element. */
struct item {
	u64 key, error;
	u32 group;
	u32 next, before;
	u32 next_in_chain;
};

/* A bucket.  0 is none. */
struct group {
	u64 count;
	u32 first;
	u32 next, before;
};

struct sequential {
	struct item *items;
	struct group *groups;
	u32 *chains;
	struct topk_secret secret;
	u32 capacity, used, bits;
	u32 least, greatest;
	u32 free_group;		/* linked by next */
	u64 total, evictions;
};

struct sequential *sequential_create(u32 capacity, const struct topk_secret *secret)
{
	struct sequential *s = kzalloc(sizeof(*s), GFP_KERNEL);
	u32 i;

	if (!s)
		return NULL;
	s->capacity = capacity;
	s->secret = *secret;
	s->bits = ilog2(capacity) + 1;
	s->items = kcalloc(capacity + 1UL, sizeof(*s->items), GFP_KERNEL);
	/* While an element moves, its new bucket is beside the old one. */
	s->groups = kcalloc(capacity + 2UL, sizeof(*s->groups), GFP_KERNEL);
	s->chains = kcalloc(1UL << s->bits, sizeof(*s->chains), GFP_KERNEL);
	if (!s->items || !s->groups || !s->chains) {
		sequential_destroy(s);
		return NULL;
	}
	for (i = 1; i <= capacity; i++)
		s->groups[i].next = i + 1;
	s->free_group = 1;
	return s;
}

void sequential_destroy(struct sequential *s)
{
	kfree(s->items);
	kfree(s->groups);
	kfree(s->chains);
	kfree(s);
}

static u32 *sequential_chain(const struct sequential *s, u64 key)
{
	return &s->chains[topk_hash_word(key, &s->secret) >> (32 - s->bits)];
}

static u32 sequential_find(const struct sequential *s, u64 key)
{
	u32 i;

	for (i = *sequential_chain(s, key); i && s->items[i].key != key;
	     i = s->items[i].next_in_chain)
		;
	return i;
}

static void sequential_name(struct sequential *s, u32 i, u64 key)
{
	u32 *chain = sequential_chain(s, key);

	s->items[i].key = key;
	s->items[i].next_in_chain = *chain;
	*chain = i;
}

static void sequential_forget(struct sequential *s, u32 i)
{
	u32 *from = sequential_chain(s, s->items[i].key);

	while (*from != i)
		from = &s->items[*from].next_in_chain;
	*from = s->items[i].next_in_chain;
}

/* A bucket behind another, or, behind 0, the least. */
static u32 group_new(struct sequential *s, u32 behind, u64 count)
{
	u32 g = s->free_group;
	struct group *group = &s->groups[g];

	s->free_group = group->next;
	*group = (struct group) {
		.count = count, .before = behind,
		.next = behind ? s->groups[behind].next : s->least,
	};
	if (group->next)
		s->groups[group->next].before = g;
	else
		s->greatest = g;
	if (behind)
		s->groups[behind].next = g;
	else
		s->least = g;
	return g;
}

static void group_free(struct sequential *s, u32 g)
{
	struct group *group = &s->groups[g];

	if (group->before)
		s->groups[group->before].next = group->next;
	else
		s->least = group->next;
	if (group->next)
		s->groups[group->next].before = group->before;
	else
		s->greatest = group->before;
	group->next = s->free_group;
	s->free_group = g;
}

static void group_add(struct sequential *s, u32 g, u32 i)
{
	struct item *item = &s->items[i];

	item->group = g;
	item->before = 0;
	item->next = s->groups[g].first;
	if (item->next)
		s->items[item->next].before = i;
	s->groups[g].first = i;
}

static void group_remove(struct sequential *s, u32 g, u32 i)
{
	struct item *item = &s->items[i];

	if (item->before)
		s->items[item->before].next = item->next;
	else
		s->groups[g].first = item->next;
	if (item->next)
		s->items[item->next].before = item->before;
}

/* To the bucket of a count that is behind bucket @from. */
static void sequential_place(struct sequential *s, u32 from, u32 i, u64 count)
{
	u32 next = from ? s->groups[from].next : s->least;

	for (; next && s->groups[next].count < count; next = s->groups[next].next)
		from = next;
	if (!next || s->groups[next].count != count)
		next = group_new(s, from, count);
	group_add(s, next, i);
}

static void sequential_raise(struct sequential *s, u32 i, u64 hits)
{
	u32 from = s->items[i].group;

	group_remove(s, from, i);
	sequential_place(s, from, i, s->groups[from].count + hits);
	if (!s->groups[from].first)
		group_free(s, from);
}

/* Algorithm 2.1 */
void sequential_add(struct sequential *s, u64 key, u64 hits)
{
	u32 i = sequential_find(s, key);

	s->total += hits;
	if (!i && s->used < s->capacity) {
		i = ++s->used;
		sequential_name(s, i, key);
		sequential_place(s, 0, i, hits);
		return;
	}
	if (!i) {
		i = s->groups[s->least].first;
		sequential_forget(s, i);
		sequential_name(s, i, key);
		s->items[i].error = s->groups[s->least].count;
		s->evictions++;
	}
	sequential_raise(s, i, hits);
}

struct scounter_topk_header *sequential_snapshot(const struct sequential *s)
{
	struct scounter_topk_header *header = topk_snapshot_alloc(sizeof(u64), s->capacity);
	u32 g, i;

	if (!header)
		return NULL;
	header->capacity = s->capacity;
	header->design = SCOUNTER_TOPK_INDEPENDENT;
	header->total = s->total;
	header->evictions = s->evictions;
	header->floor = s->used == s->capacity ? s->groups[s->least].count : 0;
	for (g = s->greatest; g; g = s->groups[g].before) {
		for (i = s->groups[g].first; i; i = s->items[i].next) {
			struct scounter_topk_record *record = topk_record(header, header->records++);

			record->count = s->groups[g].count;
			record->error = s->items[i].error;
			memcpy(record->key, &s->items[i].key, sizeof(u64));
		}
	}
	return header;
}

size_t sequential_bytes(const struct sequential *s)
{
	return sizeof(*s) + (s->capacity + 1UL) * sizeof(*s->items) +
	       (s->capacity + 2UL) * sizeof(*s->groups) + (sizeof(u32) << s->bits);
}

// SPDX-License-Identifier: GPL-2.0
/* What owners do with elements and buckets; the idea is in buckets.h. */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "topk/buckets.h"
#include "topk/delegation.h"
#include "topk/index.h"
#include "topk/places.h"
#include "topk/reading.h"
#include "topk/table.h"


static struct topk_cpu *buckets_this_cpu(struct topk_buckets *buckets)
{
	return topk_this_cpu(&buckets->table);
}

static struct topk_node *buckets_node(struct topk_buckets *buckets, u32 i)
{
	return topk_node(&buckets->index, i);
}

static struct topk_element *buckets_element(struct topk_buckets *buckets, u32 i)
{
	return topk_element(&buckets->places, i);
}

static u64 buckets_count(struct topk_buckets *buckets, u32 i)
{
	return topk_element_count(&buckets->places, i);
}

static struct topk_bucket *bucket_of_count(struct topk_buckets *buckets, u64 count)
{
	return &buckets->array[count & buckets->mask];
}

static struct topk_bucket *bucket_of_least(struct topk_buckets *buckets)
{
	return bucket_of_count(buckets, topk_bounds_least(&buckets->places.bounds));
}

/* The bucket that the element's request is for. */
struct topk_bucket *topk_buckets_wanted(struct topk_buckets *buckets, u32 i)
{
	switch (buckets_node(buckets, i)->request & TOPK_REQUEST) {
	case TOPK_OVERWRITE:
		return bucket_of_least(buckets);
	case TOPK_FIRST:
		return bucket_of_count(buckets, 1);
	}
	return bucket_of_count(buckets, buckets_count(buckets, i));
}

/* Victims */

/*
 * The victim has lost its place, but is still in its chain.  The CPU whose key took the
 * place takes it out, when it wants a node for its next key: the owner of the bucket of
 * the least count has enough to do.
 */
static void buckets_give_victim(struct topk_buckets *buckets, u32 cpu, u32 i)
{
	s64 given = atomic64_read(&buckets->victims[cpu].given);

	do {
		buckets_node(buckets, i)->next = given;
	} while (!atomic64_try_cmpxchg(&buckets->victims[cpu].given, &given, i));
}

static u32 buckets_take_list(atomic64_t *list)
{
	return atomic64_read(list) ? atomic64_xchg(list, 0) : 0;
}

/* Take one of a CPU's victims out of its chain, and keep the others for later. */
bool topk_buckets_retire_victim(struct topk_buckets *buckets, u32 cpu)
{
	struct topk_victims *victims = &buckets->victims[cpu];
	u32 i = buckets_take_list(&victims->kept) ?: buckets_take_list(&victims->given);
	u32 rest, next;

	if (!i)
		return false;
	for (rest = buckets_node(buckets, i)->next; rest; rest = next) {
		s64 none = 0;

		next = buckets_node(buckets, rest)->next;
		if (atomic64_try_cmpxchg(&victims->kept, &none, rest))
			break;
		/* Another context keeps some meanwhile. */
		buckets_give_victim(buckets, cpu, rest);
	}
	topk_index_remove(&buckets->index, buckets_node(buckets, i), i);
	topk_index_give(&buckets->index, &buckets_this_cpu(buckets)->spare, i);
	return true;
}

/* A node for a new key, RESERVED, or 0; of another CPU's victims if there is no other. */
u32 topk_buckets_take_node(struct topk_buckets *buckets, const struct topk_key *key)
{
	atomic64_t *spare = &buckets_this_cpu(buckets)->spare;
	u32 cpu = raw_smp_processor_id();
	u32 n, i;

	if (!atomic64_read(spare))
		topk_buckets_retire_victim(buckets, cpu);
	i = topk_index_take(&buckets->index, spare);
	for (n = 1; !i && n <= nr_cpu_ids; n++)
		if (topk_buckets_retire_victim(buckets, (cpu + n) % nr_cpu_ids))
			i = topk_index_take(&buckets->index, spare);
	if (i)
		topk_node_reserve(buckets_node(buckets, i), key->word, key->words, key->hash);
	return i;
}

/* Requests, by the owner of the bucket */

/* The request's hits are counted. */
static void buckets_counted(struct topk_buckets *buckets, u32 i)
{
	if (buckets_node(buckets, i)->request & TOPK_LEFT)
		topk_counted(buckets_this_cpu(buckets), buckets_element(buckets, i)->add);
}

/* Let the element go.  If others left hits in it, count them instead, and return false. */
static bool bucket_let_go(struct topk_buckets *buckets, u32 i)
{
	struct topk_node *node = buckets_node(buckets, i);
	u64 pending;
	s64 state;

	do {
		state = atomic64_read(&node->state);
		pending = topk_state_pending(state);
	} while (!atomic64_try_cmpxchg(&node->state, &state,
				       state - (pending ?: TOPK_RESERVED)));
	if (!pending)
		return true;
	topk_place_raise(&buckets->places, i,
			 topk_add_saturating(buckets_count(buckets, i), pending));
	topk_counted(buckets_this_cpu(buckets), pending);
	return false;
}

/* The element is in the bucket of its count, or goes on if its count has changed. */
static void bucket_arrive(struct topk_buckets *buckets, struct topk_bucket *bucket, u32 i,
			  struct topk_work *work)
{
	/* In any case: overwrites may have waited for this count. */
	WRITE_ONCE(bucket->barren, 0);
	while (bucket_of_count(buckets, buckets_count(buckets, i)) == bucket)
		if (bucket_let_go(buckets, i))
			return;
	topk_work_add(buckets, work, i, TOPK_ARRIVE);
}

static void bucket_move(struct topk_buckets *buckets, struct topk_bucket *bucket, u32 i,
			struct topk_work *work)
{
	WRITE_ONCE(bucket->barren, 0);
	topk_place_raise(&buckets->places, i,
			 topk_add_saturating(buckets_count(buckets, i),
					     buckets_element(buckets, i)->add));
	buckets_counted(buckets, i);
	topk_work_add(buckets, work, i, TOPK_ARRIVE);
}

/* The element takes the victim's place.  The victim is EVICTED: the caller owns it. */
static void bucket_take_place(struct topk_buckets *buckets, u32 i, u32 victim,
			      struct topk_work *work)
{
	struct topk_element *element = buckets_element(buckets, i);
	u64 count = buckets_count(buckets, victim);
	u32 cpu = element->cpu;

	WRITE_ONCE(buckets_node(buckets, i)->error, count);
	topk_place_give(&buckets->places, buckets_element(buckets, victim)->place, victim, i,
			topk_add_saturating(count, element->add));
	buckets_counted(buckets, i);
	buckets_give_victim(buckets, cpu, victim);
	if (buckets_node(buckets, i)->request & TOPK_LEFT)
		work->overwritten++;
	atomic64_inc(&buckets_this_cpu(buckets)->evictions);
	topk_work_add(buckets, work, i, TOPK_ARRIVE);
}

/*
 * False if all elements of the least count are owned: the request stays with the bucket.
 * Each owner of such an element must bring it to this bucket, or away from it.
 */
static bool bucket_overwrite(struct topk_buckets *buckets, struct topk_bucket *bucket, u32 i,
			     struct topk_work *work)
{
	u64 least = topk_bounds_least(&buckets->places.bounds);
	u32 victim = 0;
	bool busy = false;

	if (bucket_of_count(buckets, least) == bucket &&
	    !(least && READ_ONCE(bucket->barren) == least)) {
		victim = topk_place_evict(&buckets->places, &buckets_this_cpu(buckets)->hint,
					  least, &busy);
		if (victim) {
			bucket_take_place(buckets, i, victim, work);
			return true;
		}
	}
	if (bucket_of_least(buckets) != bucket) {
		topk_work_add(buckets, work, i, buckets_node(buckets, i)->request);
		return true;
	}
	if (busy)
		WRITE_ONCE(bucket->barren, least);
	return false;
}

/* False if it is to be served later: an overwrite that finds no victim. */
bool topk_bucket_serve(struct topk_buckets *buckets, struct topk_bucket *bucket, u32 i,
		       struct topk_work *work)
{
	switch (buckets_node(buckets, i)->request & TOPK_REQUEST) {
	case TOPK_MOVE:
		bucket_move(buckets, bucket, i, work);
		break;
	case TOPK_ARRIVE:
	case TOPK_FIRST:
		bucket_arrive(buckets, bucket, i, work);
		break;
	case TOPK_OVERWRITE:
		return bucket_overwrite(buckets, bucket, i, work);
	}
	return true;
}

/* A new key takes an unused place, or must overwrite another; what to request for it. */
enum topk_request topk_buckets_enter(struct topk_buckets *buckets, u32 i, u64 n)
{
	u32 place;

	if (topk_place_take(&buckets->places, &place)) {
		WRITE_ONCE(buckets_node(buckets, i)->error, 0);
		topk_place_give(&buckets->places, place, 0, i, n);
		return TOPK_FIRST;
	}
	buckets_element(buckets, i)->add = n;
	buckets_element(buckets, i)->cpu = raw_smp_processor_id();
	return TOPK_OVERWRITE;
}

/* Reading */

/* Look again while the place passes to another key between two looks: not for long. */
static struct topk_look buckets_look(struct topk_buckets *buckets, u32 place)
{
	struct topk_look look;

	while (!topk_place_look(&buckets->places, place, &look))
		;
	return look;
}

static bool buckets_count_of_place(struct topk_table *table, u32 place, u64 *count)
{
	struct topk_look at = buckets_look(topk_buckets_of(table), place);

	*count = at.count;
	return at.node;
}

static void buckets_read_place(struct topk_table *table, struct topk_pick *pick,
			       struct scounter_topk_record *record)
{
	struct topk_buckets *buckets = topk_buckets_of(table);
	u32 word, words = DIV_ROUND_UP(table->key_size, sizeof(u64));
	struct topk_node *node;

	do {
		struct topk_look at = buckets_look(buckets, pick->place);

		node = buckets_node(buckets, at.node);
		pick->node = at.node;
		pick->generation = topk_state_generation(at.state);
		record->count = at.count;
		record->error = READ_ONCE(node->error);
		for (word = 0; word < words; word++)
			((u64 *)record->key)[word] = READ_ONCE(node->key[word]);
		smp_rmb(); /* topk_node_reserve(): topk-generation.litmus */
	} while (topk_state_generation(atomic64_read(&node->state)) != pick->generation);
}

/* Acquire: a query that finds the node EVICTED finds what `evicted' was raised to. */
static bool buckets_is_in_place(struct topk_table *table, const struct topk_pick *pick)
{
	struct topk_node *node = buckets_node(topk_buckets_of(table), pick->node);
	u64 state = atomic64_read_acquire(&node->state);

	return topk_state_generation(state) == pick->generation && !(state & TOPK_EVICTED);
}

static u64 buckets_evicted(struct topk_table *table)
{
	return atomic64_read(&topk_buckets_of(table)->places.evicted);
}

static const struct topk_reader buckets_reader = {
	.count		= buckets_count_of_place,
	.read		= buckets_read_place,
	.is_there	= buckets_is_in_place,
	.floor		= buckets_evicted,
};

int topk_buckets_read(struct topk_table *table, u32 most, struct scounter_topk_header *header)
{
	header->pending = topk_pending(table);
	return topk_read_places(table, &buckets_reader, most, header);
}

/* Creation */

/* After an error, topk_buckets_clear() frees what there is. */
int topk_buckets_init(struct topk_buckets *buckets, const struct topk_ops *ops, u32 capacity,
		      u32 key_size, const struct topk_secret *secret)
{
	u32 nodes = capacity + topk_queue_limit + TOPK_NODES_PER_CPU * nr_cpu_ids;
	u32 count = roundup_pow_of_two(capacity);
	int err;

	err = topk_table_init(&buckets->table, ops, capacity, key_size, secret) ?:
	      topk_index_init(&buckets->index, nodes, key_size, sizeof(struct topk_element)) ?:
	      topk_places_init(&buckets->places, &buckets->index, capacity);
	if (err)
		return err;
	buckets->mask = count - 1;
	buckets->array = kvcalloc(count, sizeof(*buckets->array), GFP_KERNEL);
	buckets->victims = kvcalloc(nr_cpu_ids, sizeof(*buckets->victims), GFP_KERNEL);
	return buckets->array && buckets->victims ? 0 : -ENOMEM;
}

void topk_buckets_clear(struct topk_buckets *buckets)
{
	kvfree(buckets->array);
	kvfree(buckets->victims);
	topk_places_clear(&buckets->places);
	topk_index_clear(&buckets->index);
	topk_table_clear(&buckets->table);
}

/* Beside what the design's own structure takes. */
size_t topk_buckets_bytes(const struct topk_buckets *buckets)
{
	return topk_index_bytes(&buckets->index) + topk_places_bytes(&buckets->places) +
	       (buckets->mask + 1) * sizeof(*buckets->array) +
	       nr_cpu_ids * (sizeof(*buckets->victims) + sizeof(*buckets->table.cpus));
}

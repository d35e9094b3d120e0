// SPDX-License-Identifier: GPL-2.0
/*
 * Cuckoo Heavy Keeper for one thread: V. Q. Ngo and M. Papatriantafilou, VLDB 2025; see
 * delegation.c for what of it was at hand.
 *
 * There are two tables of buckets, and each key belongs to one bucket of each.  A bucket
 * has a *lobby*, and two heavy entries.  A key that is in neither of its buckets comes
 * into a lobby.  If another key is there, that one's count decays: it goes down with
 * probability 1.08^-count, and at 0 the lobby is the new key's.  With 16 hits in the lobby
 * a key is promoted: it takes the smaller heavy entry of its bucket, always if that has no
 * more hits than it, otherwise with probability (count - 16) / (other - 16).  The entry
 * that had to go is put into its other bucket, and puts out the smaller entry there, and
 * so on, up to ten times, as long as it has 4/5 of the share that makes a heavy hitter.
 *
 * Our choices: a heavy entry has the whole key, where the paper has a fingerprint of 16
 * bits, as this table lists its keys.  A heavy hitter has 1 / m of the hits, m being the
 * number of heavy entries.  Many hits at once decay a lobby by one trial for each; the
 * paper has their expectations in a table.
 *
 * A count may be too large or too small, and nothing says by how much.
 */
#include <linux/kernel.h>
#include <linux/mm.h>

#include "rivals.h"

#define HEAVY		2
#define PROMOTED	16
#define DECAY		1.08
#define KICKS		10
#define HEAVY_RATIO	0.8

struct entry {
	u64 key, count;		/* no key if the count is 0 */
};

struct bucket {
	struct entry heavy[HEAVY];
	u32 lobby, fingerprint;
};

struct keeper {
	struct bucket *tables[2];
	u32 buckets;		/* of a table */
	u64 total, random;
	u64 decays[PROMOTED + 1];	/* probabilities, in 2^-63 */
};

static u32 keeper_buckets(u32 counters)
{
	return max(DIV_ROUND_UP(counters, 2 * HEAVY), 1U);
}

static bool keeper_init(void *part, u32 counters, u64 seed)
{
	struct keeper *k = part;
	double probability = 0x1p63;
	u32 i;

	k->buckets = keeper_buckets(counters);
	k->random = seed * 0x9e3779b97f4a7c15ULL + 1;
	for (i = 0; i <= PROMOTED; i++, probability /= DECAY)
		k->decays[i] = probability;
	for (i = 0; i < 2; i++)
		k->tables[i] = kvcalloc(k->buckets, sizeof(struct bucket), GFP_KERNEL);
	return k->tables[0] && k->tables[1];
}

static void keeper_clear(void *part)
{
	struct keeper *k = part;

	kvfree(k->tables[0]);
	kvfree(k->tables[1]);
}

/* 63 random bits (G. Marsaglia, "Xorshift RNGs", 2003). */
static u64 keeper_draw(struct keeper *k)
{
	k->random ^= k->random << 13;
	k->random ^= k->random >> 7;
	k->random ^= k->random << 17;
	return k->random >> 1;
}

/* The key's bucket in each table, and its fingerprint, of 64 bits. */
static u64 keeper_hash(u64 key)
{
	key *= 0x9e3779b97f4a7c15ULL;
	key ^= key >> 32;
	key *= 0xd6e8feb86659fd93ULL;
	return key ^ key >> 32;
}

static struct bucket *keeper_bucket(struct keeper *k, u64 hash, u32 table)
{
	u32 part = hash >> (table ? 32 : 0);

	return &k->tables[table][((u64)part * k->buckets) >> 32];
}

static struct entry *keeper_smaller(struct bucket *bucket)
{
	return bucket->heavy[0].count <= bucket->heavy[1].count ? &bucket->heavy[0] :
								  &bucket->heavy[1];
}

static bool keeper_is_heavy(const struct keeper *k, u64 count)
{
	return count >= HEAVY_RATIO * k->total / (2 * HEAVY * k->buckets);
}

/* What was put out of its bucket in @table. */
static void keeper_kick(struct keeper *k, struct entry kicked, u32 table)
{
	u32 kicks;

	for (kicks = 0; kicks < KICKS && kicked.count && keeper_is_heavy(k, kicked.count);
	     kicks++) {
		struct entry *smaller, next;

		table = 1 - table;
		smaller = keeper_smaller(keeper_bucket(k, keeper_hash(kicked.key), table));
		next = *smaller;
		*smaller = kicked;
		kicked = next;
	}
}

/* The key has so many hits in the lobby of its bucket. */
static void keeper_promote(struct keeper *k, struct bucket *bucket, u32 table, u64 key, u64 count)
{
	struct entry *smaller = keeper_smaller(bucket), kicked = *smaller;

	if (kicked.count > count &&
	    keeper_draw(k) * 0x1p-63 * (kicked.count - PROMOTED) >= count - PROMOTED) {
		bucket->lobby = PROMOTED;
		return;
	}
	*smaller = (struct entry) { .key = key, .count = count };
	bucket->lobby = 0;
	keeper_kick(k, kicked, table);
}

static bool keeper_count_heavy(struct bucket **buckets, u64 key, u64 n)
{
	struct entry *empty = NULL;
	u32 i, j;

	for (i = 0; i < 2; i++) {
		for (j = 0; j < HEAVY; j++) {
			struct entry *entry = &buckets[i]->heavy[j];

			if (entry->count && entry->key == key) {
				entry->count += n;
				return true;
			}
			if (!entry->count && !empty)
				empty = entry;
		}
	}
	if (empty)
		*empty = (struct entry) { .key = key, .count = n };
	return empty;
}

/* The key comes into a lobby with so many hits. */
static void keeper_enter(struct keeper *k, struct bucket *bucket, u32 table, u64 key,
			 u32 fingerprint, u64 n)
{
	bucket->fingerprint = fingerprint;
	bucket->lobby = min_t(u64, n, PROMOTED);
	if (n >= PROMOTED)
		keeper_promote(k, bucket, table, key, n);
}

static void keeper_count(void *part, u64 key, u32 hash, u64 n)
{
	struct keeper *k = part;
	u64 mixed = keeper_hash(key);
	struct bucket *buckets[2] = { keeper_bucket(k, mixed, 0), keeper_bucket(k, mixed, 1) };
	u32 i, fingerprint = hash & 0xffff;
	struct bucket *bucket;

	k->total += n;
	if (keeper_count_heavy(buckets, key, n))
		return;
	for (i = 0; i < 2; i++) {
		if (buckets[i]->lobby && buckets[i]->fingerprint == fingerprint) {
			keeper_enter(k, buckets[i], i, key, fingerprint, buckets[i]->lobby + n);
			return;
		}
	}
	for (i = 0; i < 2; i++) {
		if (!buckets[i]->lobby) {
			keeper_enter(k, buckets[i], i, key, fingerprint, n);
			return;
		}
	}
	i = fingerprint & 1;
	bucket = buckets[i];
	for (; n && bucket->lobby; n--)
		if (keeper_draw(k) < k->decays[bucket->lobby])
			bucket->lobby--;
	/* The hit that ends the other's count is the first of this key. */
	if (!bucket->lobby)
		keeper_enter(k, bucket, i, key, fingerprint, n + 1);
}

static void keeper_list(void *part, u32 most, struct scounter_topk_header *header)
{
	struct keeper *k = part;
	u32 table, i, j;

	for (table = 0; table < 2; table++) {
		for (i = 0; i < k->buckets; i++) {
			for (j = 0; j < HEAVY; j++) {
				const struct entry *entry = &k->tables[table][i].heavy[j];
				u64 record[3] = { entry->count, 0, entry->key };

				if (entry->count)
					topk_offer(header, most, (const void *)record);
			}
		}
	}
}

static size_t keeper_bytes(u32 counters)
{
	return 2 * keeper_buckets(counters) * sizeof(struct bucket);
}

const struct rival_part_ops rival_cuckoo_keeper = {
	.size	= sizeof(struct keeper),
	.init	= keeper_init,
	.clear	= keeper_clear,
	.count	= keeper_count,
	.list	= keeper_list,
	.bytes	= keeper_bytes,
};

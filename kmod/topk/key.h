/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keys: 4 to 64 bytes, padded with zeros to 64-bit words.  The hash has a secret that
 * nobody outside the table knows.  So an attacker who chooses keys cannot choose which of
 * them meet in a chain.
 *
 * Keys of up to 8 bytes are hashed by one multiplication, which takes a fifth of the
 * instructions of jhash ("pair-multiply-shift": M. Thorup, "High speed hashing for
 * integers and strings", 2015, section 3).  x0 and x1 are the halves of a key, and all is
 * modulo 2^64.  The hash is made from the upper half of
 *
 *	(a0 + x1)(a1 + x0) + b = a0 x0 + a1 x1 + x0 x1 + (a0 a1 + b).
 *
 * Take two keys that differ in x0, by d.  d is not 0 and less than 2^32 in size, so it is
 * 2^k d' with an odd d' and k < 32.  Then a0 d is uniform over the multiples of 2^k.  So
 * the upper half of the difference of the two sums is uniform, whatever its lower half.
 * b makes one of the sums uniform, whatever the difference.  So the two hashes are uniform
 * and independent of each other ("strongly universal"), and so are any bits of them: two
 * keys meet in one of n chains with probability 1 / n.  Among c keys that are chosen
 * without knowledge of the secret, a given one meets (c - 1) / n others in the mean, as
 * with a random function.
 *
 * That is the mean over all secrets.  Keys in a row would have hashes in a row, and one in
 * nine of all secrets would make much longer chains.  A last shift and multiplication,
 * known to all, breaks the row up.  It is a bijection, so the above still holds.
 *
 * An attacker who sees by timing which keys collide learns about the secret, as about the
 * seed of jhash.  A reset draws a new secret.
 */
#ifndef _SCOUNTER_TOPK_KEY_H
#define _SCOUNTER_TOPK_KEY_H

#include <linux/compiler.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>

#define TOPK_KEY_WORDS	8

/* Random; see above. */
struct topk_secret {
	u64 a0, a1, b;
	u64 seed;		/* of jhash; its lower half */
};

struct topk_key {
	u64 word[TOPK_KEY_WORDS];
	u32 hash;
	u32 words;
};

/* Odd, so that the multiplication is a bijection; from C. Wellons' lowbias32. */
#define TOPK_MIX	0x2c1b3c6dU

/*
 * The hash but for the last multiplication.  On a 32-bit machine the long multiplication
 * is three of 32 bits.
 */
static __always_inline u32 topk_hash_sum(u64 word, const struct topk_secret *secret)
{
	u32 sum = ((secret->a0 + (word >> 32)) * (secret->a1 + (u32)word) + secret->b) >> 32;

	return sum ^ sum >> 15;
}

static __always_inline u32 topk_hash_of_sum(u32 sum)
{
	return sum * TOPK_MIX;
}

static __always_inline u32 topk_hash_word(u64 word, const struct topk_secret *secret)
{
	return topk_hash_of_sum(topk_hash_sum(word, secret));
}

static inline void topk_key_load(struct topk_key *key, const void *bytes, u32 size,
				 const struct topk_secret *secret)
{
	key->words = DIV_ROUND_UP(size, sizeof(u64));
	key->word[key->words - 1] = 0;
	memcpy(key->word, bytes, size);
	key->hash = key->words == 1 ? topk_hash_word(key->word[0], secret) :
		    jhash2((const u32 *)key->word, 2 * key->words, secret->seed);
}

static inline void topk_key_of_words(struct topk_key *key, const u64 *word, u32 words, u32 hash)
{
	key->words = words;
	key->hash = hash;
	memcpy(key->word, word, words * sizeof(u64));
}

/* @words may be in a node that another context is giving another key. */
static __always_inline bool topk_key_equal(const struct topk_key *key, const u64 *words)
{
	u32 i;

	if (likely(key->words == 1))
		return READ_ONCE(words[0]) == key->word[0];
	for (i = 0; i < key->words; i++)
		if (READ_ONCE(words[i]) != key->word[i])
			return false;
	return true;
}

#endif /* _SCOUNTER_TOPK_KEY_H */

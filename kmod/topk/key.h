/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keys: 4 to 64 bytes, padded with zeros to 64-bit words, and hashed with a
 * seed that nobody outside the table knows, so that whoever chooses keys cannot
 * choose which of them meet in a chain.
 */
#ifndef _SCOUNTER_TOPK_KEY_H
#define _SCOUNTER_TOPK_KEY_H

#include <linux/compiler.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>

#define TOPK_KEY_WORDS	8

struct topk_key {
	u64 word[TOPK_KEY_WORDS];
	u32 hash;
	u32 words;
};

/* Inline, so that a key of 8 bytes stays in a register. */
static __always_inline void topk_key_load(struct topk_key *key, const void *bytes,
					  u32 size, u32 seed)
{
	if (likely(size == sizeof(u64))) {
		memcpy(key->word, bytes, sizeof(u64));
		key->words = 1;
		key->hash = jhash_2words(key->word[0], key->word[0] >> 32, seed);
		return;
	}
	key->words = DIV_ROUND_UP(size, sizeof(u64));
	key->word[key->words - 1] = 0;
	memcpy(key->word, bytes, size);
	key->hash = jhash2((const u32 *)key->word, 2 * key->words, seed);
}

/* @words may be those of a node that is being given another key. */
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

// SPDX-License-Identifier: GPL-2.0
/*
 * A text is found by its address, which its user passes again and again.  Its bytes are
 * compared, too: the text that was there may be gone, and another in its place.  If no
 * text of this address is known, it is found by its bytes, and its address noted.
 */
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include "registry/texts.h"

/* Bytes of a text, at a guess: it takes two of twice as many places. */
#define USUAL	16U
#define LEAST	16U

struct scounter_text_place {
	const char *text;
	u32 at;
};

int scounter_texts_begin(struct scounter_texts *texts, char *bytes, u32 room)
{
	u32 places = roundup_pow_of_two(max(LEAST, 4 * room / USUAL));

	*texts = (struct scounter_texts) {
		.bytes = bytes,
		.size = 1,
		.room = room,
		.bits = ilog2(places),
		.places = kvcalloc(places, sizeof(*texts->places), GFP_KERNEL_ACCOUNT),
	};
	if (!texts->places)
		return -ENOMEM;
	bytes[0] = 0;
	return 0;
}

void scounter_texts_end(struct scounter_texts *texts)
{
	kvfree(texts->places);
	texts->places = NULL;
}

/* Its place, or the free one for it: there always is one.  Any @address if it is NULL. */
static struct scounter_text_place *texts_find(const struct scounter_texts *texts, u32 hash,
					      const char *text, const char *address)
{
	struct scounter_text_place *place;
	u32 i = hash;

	for (;; i++) {
		place = &texts->places[i & (BIT(texts->bits) - 1)];
		if (!place->text ||
		    ((!address || place->text == address) &&
		     !strcmp(texts->bytes + place->at, text)))
			return place;
	}
}

static struct scounter_text_place *texts_find_address(const struct scounter_texts *texts,
						      const char *text)
{
	return texts_find(texts, hash_ptr(text, texts->bits), text, text);
}

static struct scounter_text_place *texts_find_bytes(const struct scounter_texts *texts,
						    const char *text)
{
	return texts_find(texts, full_name_hash(NULL, text, strlen(text)), text, NULL);
}

/* False if half of the places are taken. */
static bool texts_note(struct scounter_texts *texts, struct scounter_text_place *place,
		       const char *text, u32 at)
{
	if (2 * texts->used >= BIT(texts->bits))
		return false;
	place->text = text;
	place->at = at;
	texts->used++;
	return true;
}

static u32 texts_append(struct scounter_texts *texts, const char *text)
{
	size_t size = strlen(text) + 1;
	u32 at = texts->size;

	if (size > texts->room - texts->size ||
	    !texts_note(texts, texts_find_bytes(texts, text), text, at)) {
		texts->short_of_room = true;
		return 0;
	}
	memcpy(texts->bytes + at, text, size);
	texts->size += size;
	return at;
}

u32 scounter_texts_add(struct scounter_texts *texts, const char *text)
{
	struct scounter_text_place *place;
	u32 at;

	if (!text || !*text)
		return 0;
	place = texts_find_address(texts, text);
	if (place->text)
		return place->at;
	place = texts_find_bytes(texts, text);
	at = place->text ? place->at : texts_append(texts, text);
	/* Without a place for its address it is found by its bytes again. */
	if (at)
		texts_note(texts, texts_find_address(texts, text), text, at);
	return at;
}

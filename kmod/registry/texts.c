// SPDX-License-Identifier: GPL-2.0
/*
 * A text is found by its address, which its user passes again and again.  Its bytes are
 * compared, too: the text that was there may be gone, and another in its place.
 */
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "registry/texts.h"

/* Bytes of a text, at a guess, for twice as many places. */
#define USUAL	16U
#define LEAST	16U

struct scounter_text_place {
	const char *text;
	u32 at;
};

int scounter_texts_begin(struct scounter_texts *texts, char *bytes, u32 room)
{
	u32 places = roundup_pow_of_two(max(LEAST, 2 * room / USUAL));

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

/* Its place, or the free one for it: there always is one. */
static struct scounter_text_place *texts_find(const struct scounter_texts *texts, const char *text)
{
	struct scounter_text_place *place;
	u32 i = hash_ptr(text, texts->bits);

	for (;; i = (i + 1) & (BIT(texts->bits) - 1)) {
		place = &texts->places[i];
		if (!place->text ||
		    (place->text == text && !strcmp(texts->bytes + place->at, text)))
			return place;
	}
}

static u32 texts_append(struct scounter_texts *texts, struct scounter_text_place *place,
			const char *text)
{
	size_t size = strlen(text) + 1;

	if (size > texts->room - texts->size || 2 * texts->used >= BIT(texts->bits)) {
		texts->short_of_room = true;
		return 0;
	}
	place->text = text;
	place->at = texts->size;
	memcpy(texts->bytes + texts->size, text, size);
	texts->size += size;
	texts->used++;
	return place->at;
}

u32 scounter_texts_add(struct scounter_texts *texts, const char *text)
{
	struct scounter_text_place *place;

	if (!text || !*text)
		return 0;
	place = texts_find(texts, text);
	return place->text ? place->at : texts_append(texts, place, text);
}

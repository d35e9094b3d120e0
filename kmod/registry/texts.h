/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The texts of a snapshot, one after the other, each once.  Example: 1000 counters with
 * the unit "bytes", and no other text, have the texts "\0bytes\0", and all of them the
 * offset 1.
 */
#ifndef _SCOUNTER_TEXTS_H
#define _SCOUNTER_TEXTS_H

#include <linux/types.h>

struct scounter_text_place;

/*
 * @bytes: the texts; whose memory it is, is not said here
 * @size: of them; 1 if there is but the empty one
 * @short_of_room: a text was left out
 */
struct scounter_texts {
	char *bytes;
	u32 size, room;
	bool short_of_room;
	/* private: */
	u32 used, bits;
	struct scounter_text_place *places;
};

/* 0, or -ENOMEM.  @room is 1 or more, and @bytes has so many. */
int scounter_texts_begin(struct scounter_texts *texts, char *bytes, u32 room);
void scounter_texts_end(struct scounter_texts *texts);

/* Where the text is; 0 for NULL, for "", and for one that was left out. */
u32 scounter_texts_add(struct scounter_texts *texts, const char *text);

#endif /* _SCOUNTER_TEXTS_H */

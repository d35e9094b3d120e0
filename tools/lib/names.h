/* SPDX-License-Identifier: GPL-2.0 */
/* Names of counters as text, and texts by 8 bytes. */
#ifndef _LIB_NAMES_H
#define _LIB_NAMES_H

#include <endian.h>
#include <string.h>

#include "counters.h"

/* 8 bytes of a text: the first one is the lowest. */
#define ALL(byte)	(0x0101010101010101ULL * (byte))

static inline uint64_t bytes_at(const void *text)
{
	uint64_t bytes;

	memcpy(&bytes, text, 8);
	return le64toh(bytes);
}

/* The bits of those before the first NUL; all if there is none. */
static inline uint64_t before_nul(uint64_t bytes)
{
	uint64_t nul = (bytes - ALL(1)) & ~bytes & ALL(0x80);

	return ((nul & -nul) >> 7) - 1;
}

/* GROUP/NAME or GROUP/OBJECT/NAME for people: other than printable UTF-8, and '\', as \xHH. */
#define NAME_ROOM	(4 * 64 * 3 + 3)
char *text_of(const unsigned char *name, char *to);	/* where it ends */
char *full_name(const record_t *record, char *to);	/* the same */

#endif /* _LIB_NAMES_H */

// SPDX-License-Identifier: GPL-2.0
/* Names of counters as text for people. */
#include <stdio.h>
#include <string.h>

#include "names.h"

/* Length of the valid, printable UTF-8 sequence here, or 0. */
static int sequence(const unsigned char *s)
{
	unsigned int code, length, i;

	if (*s < 0x80)
		return *s >= ' ' && *s != 0x7f && *s != '\\';
	if (*s >= 0xc2 && *s <= 0xdf)
		length = 2, code = *s & 0x1f;
	else if ((*s & 0xf0) == 0xe0)
		length = 3, code = *s & 0x0f;
	else if (*s >= 0xf0 && *s <= 0xf4)
		length = 4, code = *s & 0x07;
	else
		return 0;
	for (i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < 0xa0 || (length == 3 && code < 0x800) || (code >= 0xd800 && code < 0xe000) ||
	    (length == 4 && (code < 0x10000 || code > 0x10ffff)))
		return 0;
	/* Marks that turn the direction of a terminal's text. */
	if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
		return 0;
	return length;
}

char *text_of(const unsigned char *name, char *to)
{
	while (*name) {
		int length;

		/* Most names are of such bytes, and there may be many. */
		while (*name >= ' ' && *name < 0x7f && *name != '\\')
			*to++ = *name++;
		if (!*name)
			break;
		length = sequence(name);
		if (length) {
			memcpy(to, name, length);
			to += length;
			name += length;
		} else {
			to += sprintf(to, "\\x%02x", *name++);
		}
	}
	*to = 0;
	return to;
}

/* Whether each of 8 bytes stands for itself: below 0x7f, no control and no '\\'. */
static bool are_plain(uint64_t bytes)
{
	uint64_t other = bytes ^ ALL('\\');
	uint64_t backslash = (other - ALL(1)) & ~other;

	return !(((bytes + ALL(1)) | bytes | (bytes - ALL(' ')) | backslash) & ALL(0x80));
}

/* Of a record's, in an array that ends with a NUL.  Up to 7 bytes behind it are zeroed. */
static char *append_name(char *to, const __u8 *name)
{
	for (;; name += 8, to += 8) {
		uint64_t bytes = bytes_at(name), before = before_nul(bytes), text = bytes & before;

		if (!are_plain(text | (ALL(' ') & ~before)))
			return text_of(name, to);
		text = htole64(text);
		memcpy(to, &text, 8);
		if (~before)
			return to + __builtin_ctzll(~before) / 8;
	}
}

char *full_name(const record_t *record, char *to)
{
	to = append_name(to, record->group);
	*to++ = '/';
	if (*record->object) {
		to = append_name(to, record->object);
		*to++ = '/';
	}
	return append_name(to, record->name);
}

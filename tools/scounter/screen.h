/* SPDX-License-Identifier: GPL-2.0 */
/* A table on a whole terminal, with keys to move, filter and pause. */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdint.h>

#include "table.h"

struct screen {
	const char *help;	/* the keys of the command; '\n' ends a line */
	const char *keys;	/* and these are they */
	uint64_t top, rows;	/* the first one that is shown; of all */
	bool raw, paused, typing;
	char filter[64];
	char message[64];	/* where no row is; or empty */
};

enum screen_event {
	SCREEN_LATER,		/* it is time for other data */
	SCREEN_CHANGED,		/* to be drawn again; rows, too */
	SCREEN_KEY,		/* one of the command's keys */
	SCREEN_LEAVE,
};

enum screen_mark { SCREEN_PLAIN, SCREEN_NOTE, SCREEN_ALARM };

void screen_open(void);
void screen_close(void);
int screen_columns(void);
/* Rows that are seen, at most. */
uint64_t screen_lines(void);
/* Keep the rows that are shown within all. */
void screen_move(struct screen *screen);
/* @table: the rows that are seen; @marks: of each, an enum screen_mark, or NULL */
void screen_draw(const struct screen *screen, const char *head, struct table *table,
		 const unsigned char *marks);
/* Until so many seconds are over, or something is to be done. */
enum screen_event screen_wait(struct screen *screen, double *seconds, int *key);
/* Text of bars for rates from 0 to the largest; negative ones are not known. */
char *sparkline(const double *rates, int count, char *to);
#define SPARKLINE_ROOM(count)	((count) * 4 + 1)

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The snapshots of the last minutes, and the rates that they show. */
#ifndef HISTORY_H
#define HISTORY_H

#include "scounter.h"

/* The last seconds, as the rates of so many pieces of time. */
#define HISTORY_PIECES	20

struct piece {
	float events[HISTORY_PIECES];
	uint32_t known;		/* of these, from the newest back */
};

#define HISTORY_OLD	32

struct history {
	double piece_seconds;	/* that a piece has at least */
	uint64_t tick;		/* of `now`; the first one is kept longest */
	struct snapshot now;
	/* Older ones, from the newest on, and their ticks. */
	struct snapshot old[HISTORY_OLD];
	uint64_t old_tick[HISTORY_OLD];
	unsigned int olds;
	/* Of each record of `now`. */
	struct change *changes;
	struct piece *pieces;
	float seconds[HISTORY_PIECES];	/* of each piece, the newest first */
};

/* @interval: seconds between snapshots */
void history_begin(struct history *history, double interval);
/* The snapshot becomes that of now. */
void history_add(struct history *history, const struct snapshot *now);
void history_end(struct history *history);
/* Events a second of a piece; negative: not known. */
double history_rate(const struct history *history, uint64_t record, unsigned int piece);

#endif

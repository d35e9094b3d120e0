/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _XU_H
#define _XU_H

#include <stdbool.h>

#include <linux/types.h>

/* Hits of each event in each slice of time. */
struct stream {
	u32 events, slices;
	char **names;
	u32 **hits;
	u64 *counts;	/* of all slices */
};

void stream_read(struct stream *stream, const char *path);
void stream_free(struct stream *stream);
u64 stream_most(const struct stream *stream);

/* Ways to count all events of a stream at once. */
enum way {
	SINGLE,		/* one binary Morris counter of 6 bits */
	GROUP,		/* the mean of five of them */
	LFSR_GROUP,	/* five with the paper's source of chance, a step a hit */
	CELL16,		/* the module's 16 bits that reach the largest count */
	WORD32,		/* the module's 32 bits, with an error of 1 % */
	ROTATED_HALF,	/* exact counters of 64 bits, for half the events at a time */
	ROTATED_FOUR,	/* four of them */
	COMPARED,
	LFSR = COMPARED, /* one with the paper's source of chance, a step a hit */
	LFSR_FRESH,	/* the same, with windows that do not overlap */
	WAYS
};

struct way_name {
	const char *name, *short_name;
	double bits;		/* an event; those of ROTATED_FOUR are not by event */
};

extern const struct way_name way_names[WAYS];

/* One run: what each event is said to have counted. */
void count_stream(const struct stream *stream, enum way way, u64 seed, double *said);

/* Exact counters, fewer than events: each slice the next event gets one, the first goes. */
void rotate(const struct stream *stream, u32 counters, u64 seed, double *said);

int check(u64 seed);

#endif /* _XU_H */

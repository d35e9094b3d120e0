/* SPDX-License-Identifier: GPL-2.0 */
/* The rates of counters over a recording. */
#ifndef SERIES_H
#define SERIES_H

#include "scounter.h"

/* A rate that is known to a tenth, or as well as it can be.  Times are since the first snapshot. */
struct stretch {
	double from, to;
	double rate, bar;	/* inf: how far it may be off is not known */
};

struct series {
	header_t since;
	record_t first, last;
	struct change change;	/* of all of the recording */
	char *unit, *help;
	struct stretch *stretches;
	size_t count;
	struct stretch pending;	/* not known as well yet, if it has a time */
	bool gone;
};

struct recording_rates {
	header_t begin, end;
	unsigned long snapshots;
	double least;			/* seconds of a stretch */
	struct snapshot anchors;	/* of each series, where its next stretch begins */
	struct series *series;		/* in the order of names */
};

/* Reads the file twice, once for its time; false if a pattern matches nothing. */
bool rates_read(struct recording_rates *rates, const char *path, char **patterns);
void rates_free(struct recording_rates *rates);
double rates_seconds(const struct recording_rates *rates);
/* The largest rate, with its bar where that is known, of a series. */
double series_most(const struct series *series);

/* Marks on axes: 1, 2 or 5 times a power of ten; and of the clock, about six in a panel. */
double round_step(double least);
double clock_step(double seconds);
/* How far the clock of this machine is from UTC at a time. */
double seconds_east(double real);

#endif

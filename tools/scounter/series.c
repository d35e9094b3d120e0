// SPDX-License-Identifier: GPL-2.0
/*
 * The rates of counters over a recording: of each, stretches of time that do not overlap,
 * each as long as is needed for a bar of a tenth, or for a figure.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "series.h"

#define STRETCHES	400	/* that a figure can show */
#define GOOD_ENOUGH	0.1	/* the bar, as a share of the events */

static void *must(void *memory)
{
	if (!memory)
		fail(FAILED, "out of memory");
	return memory;
}

double rates_seconds(const struct recording_rates *rates)
{
	struct snapshot begin = { .header = rates->begin }, end = { .header = rates->end };

	return seconds_between(&begin, &end);
}

static void append(struct series *series, const struct stretch *stretch)
{
	if (!(series->count & (series->count - 1)))
		series->stretches = must(realloc(series->stretches, (series->count ? 2 * series->count : 1) *
						 sizeof(*stretch)));
	series->stretches[series->count++] = *stretch;
	series->pending = (struct stretch) { 0 };
}

/* Where its name belongs. */
static uint64_t place_of(const struct recording_rates *rates, const record_t *record)
{
	uint64_t first = 0, end = rates->anchors.header.count;

	while (first < end) {
		uint64_t middle = (first + end) / 2;

		if (record_order(&rates->anchors.records[middle], record) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

/* Room for one more at a place. */
static void *insert(void *items, uint64_t count, uint64_t place, size_t size)
{
	char *all = must(realloc(items, (count + 1) * size));

	memmove(all + (place + 1) * size, all + place * size, (count - place) * size);
	return all;
}

static void begin_series(struct recording_rates *rates, const struct snapshot *now,
			 const record_t *record, uint64_t place)
{
	uint64_t count = rates->anchors.header.count++;

	rates->anchors.records = insert(rates->anchors.records, count, place, sizeof(record_t));
	rates->series = insert(rates->series, count, place, sizeof(struct series));
	rates->anchors.records[place] = *record;
	rates->series[place] = (struct series) {
		.since = now->header, .first = *record, .last = *record,
		.unit = must(strdup(unit_of(now, record))), .help = must(strdup(help_of(now, record))),
	};
}

static void go_on(struct recording_rates *rates, const struct snapshot *now,
		  const record_t *record, uint64_t place)
{
	struct series *series = &rates->series[place];
	struct snapshot before = {
		.header = series->since, .records = &rates->anchors.records[place],
	};
	struct snapshot begin = { .header = rates->begin };
	struct change change;
	struct stretch stretch;
	double to = seconds_between(&begin, now);

	before.header.count = 1;
	change = change_between(&before, now, record);
	stretch = (struct stretch) {
		.from = fmax(to - change.seconds, 0), .to = to,
		.rate = change.events / change.seconds, .bar = change.bar / change.seconds,
	};
	series->last = *record;
	/* What was pending ended in a reset. */
	if (change.restarted && series->pending.to > 0)
		append(series, &series->pending);
	series->pending = stretch;
	if (!change.restarted && !unsure_of(record) &&
	    (change.bar > GOOD_ENOUGH * change.events || change.seconds < rates->least))
		return;
	if (change.seconds > 0)
		append(series, &stretch);
	series->pending = (struct stretch) { 0 };
	series->since = now->header;
	rates->anchors.records[place] = *record;
}

static void add(struct recording_rates *rates, const struct snapshot *now)
{
	uint64_t i, place;

	for (i = 0; i < rates->anchors.header.count; i++)
		rates->series[i].gone = true;
	for (i = 0; i < now->header.count; i++) {
		const record_t *record = &now->records[i];

		place = place_of(rates, record);
		if (place == rates->anchors.header.count ||
		    record_order(&rates->anchors.records[place], record))
			begin_series(rates, now, record, place);
		else
			go_on(rates, now, record, place);
		rates->series[place].gone = false;
	}
}

static void find_time(struct recording_rates *rates, const char *path)
{
	struct snapshot next;
	struct source source;

	source_open(&source, path, NULL);
	while (source_next(&source, &next)) {
		if (!rates->snapshots++)
			rates->begin = next.header;
		rates->end = next.header;
		snapshot_free(&next);
	}
	source_close(&source);
	if (!rates->snapshots)
		fail(FAILED, "%s: empty", path);
	rates->least = rates_seconds(rates) / STRETCHES;
}

bool rates_read(struct recording_rates *rates, const char *path, char **patterns)
{
	struct source source;
	struct snapshot next;
	bool complete = true;
	uint64_t i, n = 0;

	*rates = (struct recording_rates) { 0 };
	if (!strcmp(path, "-"))
		usage_error("a figure wants a file, which is read twice, and not standard input");
	find_time(rates, path);
	source_open(&source, path, NULL);
	while (source_next(&source, &next)) {
		if (!snapshot_select(&next, patterns, !n) && !n)
			complete = false;
		n++;
		add(rates, &next);
		snapshot_free(&next);
	}
	source_close(&source);
	for (i = 0; i < rates->anchors.header.count; i++)
		if (rates->series[i].pending.to > 0)
			append(&rates->series[i], &rates->series[i].pending);
	return complete;
}

void rates_free(struct recording_rates *rates)
{
	uint64_t i;

	for (i = 0; i < rates->anchors.header.count; i++) {
		free(rates->series[i].unit);
		free(rates->series[i].help);
		free(rates->series[i].stretches);
	}
	free(rates->series);
	free(rates->anchors.records);
}

double series_most(const struct series *series)
{
	double most = 0;
	size_t i;

	for (i = 0; i < series->count; i++) {
		const struct stretch *s = &series->stretches[i];

		most = fmax(most, s->rate + (isinf(s->bar) ? 0 : s->bar));
	}
	return most;
}

double round_step(double least)
{
	double power = pow(10, floor(log10(least)));

	return least <= power ? power : least <= 2 * power ? 2 * power :
	       least <= 5 * power ? 5 * power : 10 * power;
}

double clock_step(double seconds)
{
	static const double steps[] = {
		1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200,
	};
	unsigned int i;

	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (seconds / steps[i] <= 7)
			return steps[i];
	return 86400 * ceil(seconds / 86400 / 7);
}

double seconds_east(double real)
{
	time_t seconds = real;
	struct tm tm;

	return localtime_r(&seconds, &tm) ? tm.tm_gmtoff : 0;
}

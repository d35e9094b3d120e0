// SPDX-License-Identifier: GPL-2.0
/*
 * Rates of counters over as long as is needed for them to be known.
 *
 * The bar of D events that are counted in units of u is about 3 sqrt(D u): a share of D
 * that falls with the square root of the time.  So the rate is that since the newest
 * snapshot for which the bar is a tenth, or less.  Where there is none, it is since the
 * oldest one.
 *
 * The snapshot of tick s is kept at tick t if there is a k with 2^k dividing s and t - s
 * below 4 * 2^k.  So there is one for each age, to a factor of 1.5, and each k adds two.
 * The older ones keep only the records that have an error: of an exact counter the last
 * interval tells all.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"

#define GOOD_ENOUGH	0.1	/* the bar, as a share of the events */
#define DOUBLINGS	11	/* about two hours of seconds */

void history_begin(struct history *history, double interval)
{
	*history = (struct history) { .piece_seconds = fmax(interval, 1) };
}

void history_end(struct history *history)
{
	unsigned int i;

	for (i = 0; i < history->olds; i++)
		snapshot_free(&history->old[i]);
	snapshot_free(&history->now);
	free(history->changes);
	free(history->pieces);
}

static bool is_kept(uint64_t s, uint64_t t)
{
	unsigned int k;

	for (k = 0; k < DOUBLINGS; k++)
		if (!(s & ((1ULL << k) - 1)) && t - s < 4ULL << k)
			return true;
	return false;
}

/* What has no error needs no longer time. */
static void keep_inexact(struct snapshot *snapshot)
{
	uint64_t i, kept = 0;
	record_t *r;

	for (i = 0; i < snapshot->header.count; i++) {
		r = &snapshot->records[i];
		if (r->error_ppm || r->flags & SCOUNTER_F_SAMPLING)
			snapshot->records[kept++] = *r;
	}
	snapshot->header.count = kept;
	r = realloc(snapshot->records, (kept ? kept : 1) * sizeof(*r));
	if (r)
		snapshot->records = r;
}

/* The snapshot of before becomes the newest of the old ones. */
static void age(struct history *history)
{
	unsigned int i, kept = 0;

	if (history->olds)
		keep_inexact(&history->old[0]);
	for (i = 0; i < history->olds; i++) {
		if (!is_kept(history->old_tick[i], history->tick + 1)) {
			snapshot_free(&history->old[i]);
			continue;
		}
		history->old[kept] = history->old[i];
		history->old_tick[kept++] = history->old_tick[i];
	}
	memmove(&history->old[1], &history->old[0], kept * sizeof(history->old[0]));
	memmove(&history->old_tick[1], &history->old_tick[0], kept * sizeof(uint64_t));
	history->old[0] = history->now;
	history->old_tick[0] = history->tick;
	history->olds = kept + 1;
}

static bool is_known(const struct change *change)
{
	return change->bar <= GOOD_ENOUGH * change->events;
}

/* @change: since the last snapshot; @seconds: over which the rate was known the last time */
static struct change change_of(const struct history *history, const record_t *record,
			       struct change change, double seconds)
{
	struct change longer;
	unsigned int i;

	if (!change.before || change.restarted || unsure_of(record) || is_known(&change))
		return change;
	for (i = 1; i < history->olds; i++) {
		/* What was too short before is not tried, but for a step. */
		if (seconds_between(&history->old[i], &history->now) < seconds * 0.4)
			continue;
		longer = change_between(&history->old[i], &history->now, record);
		if (!longer.before || longer.restarted)
			break;
		change = longer;
		if (is_known(&change))
			break;
	}
	return change;
}

/* Events since the snapshot of before. */
static void add_events(struct piece *piece, const struct change *last, bool new_piece)
{
	if (new_piece) {
		memmove(piece->events + 1, piece->events,
			(HISTORY_PIECES - 1) * sizeof(*piece->events));
		piece->events[0] = 0;
		piece->known += piece->known < HISTORY_PIECES;
	}
	if (last->before || piece->known > 1)
		piece->events[0] += last->events;
}

static bool begin_piece(struct history *history)
{
	bool new_piece = history->seconds[0] > history->piece_seconds * 0.95 ||
			 history->seconds[0] <= 0;

	if (new_piece) {
		memmove(history->seconds + 1, history->seconds,
			(HISTORY_PIECES - 1) * sizeof(*history->seconds));
		history->seconds[0] = 0;
	}
	history->seconds[0] += seconds_between(&history->old[0], &history->now);
	return new_piece;
}

static void compare(struct history *history)
{
	struct change *changes = calloc(history->now.header.count + 1, sizeof(*changes));
	struct piece *pieces = calloc(history->now.header.count + 1, sizeof(*pieces));
	const struct snapshot *before = &history->old[0];
	bool new_piece = history->olds && begin_piece(history);
	uint64_t i;

	if (!changes || !pieces)
		fail(FAILED, "out of memory");
	for (i = 0; history->olds && i < history->now.header.count; i++) {
		const record_t *record = &history->now.records[i];
		struct change last = change_between(before, &history->now, record);
		const record_t *b = last.before;

		if (b)
			pieces[i] = history->pieces[b - before->records];
		changes[i] = change_of(history, record, last,
				       b ? history->changes[b - before->records].seconds : 0);
		add_events(&pieces[i], &last, new_piece || !b);
	}
	free(history->changes);
	free(history->pieces);
	history->changes = changes;
	history->pieces = pieces;
}

void history_add(struct history *history, const struct snapshot *now)
{
	if (history->changes) {
		age(history);
		history->tick++;
	}
	history->now = *now;
	compare(history);
}

double history_rate(const struct history *history, uint64_t record, unsigned int piece)
{
	if (piece >= history->pieces[record].known || history->seconds[piece] <= 0)
		return -1;
	return history->pieces[record].events[piece] / history->seconds[piece];
}

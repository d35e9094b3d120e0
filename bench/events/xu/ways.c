// SPDX-License-Identifier: GPL-2.0
/*
 * One run of each way to count.  The module's cells and words are those of kmod/, and
 * count the events one by one.
 */
#include <err.h>
#include <math.h>
#include <stdlib.h>

#include <linux/err.h>
#include <linux/module.h>
#include <linux/scounter_array.h>

#include "counters.h"
#include "lfsr.h"
#include "util.h"
#include "xu.h"

#define GROUP_CELLS	5
#define GROUP_BITS	6
#define LFSR_WIDTH	32

const struct way_name way_names[WAYS] = {
	[SINGLE] = { "one 6-bit Morris counter", "single", 6 },
	[GROUP] = { "five 6-bit Morris counters", "group", 30 },
	[LFSR] = { "one with an LFSR, 1 step a hit", "lfsr", 6 },
	[LFSR_FRESH] = { "one with 32 steps a hit", "fresh", 6 },
	[LFSR_GROUP] = { "five with LFSRs, 1 step a hit", "lfsrs", 30 },
	[CELL16] = { "16 bits, tuned", "cell16", 16 },
	[WORD32] = { "32 bits, 1 %", "word32", 32 },
	[ROTATED_HALF] = { "64 bits for half the events", "half", 32 },
	[ROTATED_FOUR] = { "four of 64 bits", "four", 0 },
};

static void each_event(const struct stream *stream, void (*inc)(void *counters, u32 event),
		       void *counters)
{
	u32 event;
	u64 n;

	for (event = 0; event < stream->events; event++)
		for (n = 0; n < stream->counts[event]; n++)
			inc(counters, event);
}

static void inc_cell(void *array, u32 event)
{
	scounter_array_inc(array, event);
}

static void count_array(const struct stream *stream, const struct scounter_array_type *type,
			double *said)
{
	struct scounter_array *array = scounter_array_create(NULL, NULL, type, stream->events, 0);
	struct scounter_array_value value;
	u32 event;

	if (IS_ERR(array))
		errx(1, "no array: error %ld", -PTR_ERR(array));
	each_event(stream, inc_cell, array);
	for (event = 0; event < stream->events; event++) {
		scounter_array_read_fixed(array, event, &value);
		said[event] = value.whole + value.part * 0x1p-32;
	}
	scounter_array_destroy(array);
}

static void count_morris(const struct stream *stream, u32 cells, double *said)
{
	const struct scounter_array_type type = {
		.kind = SCOUNTER_REPR_MORRIS2, .bits = GROUP_BITS, .group = cells,
	};

	count_array(stream, &type, said);
}

static void count_cells(const struct stream *stream, double *said)
{
	struct scounter_array_type type;

	/* What is counted may be more than what was. */
	if (scounter_array_type_for(&type, 16, max(2 * stream_most(stream), 1ULL << 16)))
		errx(1, "no type of 16 bits");
	count_array(stream, &type, said);
}

static void inc_word(void *words, u32 event)
{
	counter_word_inc(words, event);
}

static void count_words(const struct stream *stream, double *said)
{
	struct counter_words words;
	u32 event;

	if (!counter_words_make(&words, counter_type("bfp_dup"), stream->events))
		errx(1, "no words");
	each_event(stream, inc_word, &words);
	for (event = 0; event < stream->events; event++)
		said[event] = counter_word_read(&words, event);
	counter_words_free(&words);
}

/* @steps of the registers for each event. */
static void count_lfsr(const struct stream *stream, u32 cells, u32 steps, u64 seed, double *said)
{
	u32 event, i;
	u64 n;

	for (event = 0; event < stream->events; event++) {
		said[event] = 0;
		for (i = 0; i < cells; i++) {
			u32 state = (u32)next_seed(&seed) | 1, x = 0;

			for (n = 0; n < stream->counts[event]; n++)
				lfsr_inc(&x, &state, LFSR_WIDTH, steps);
			said[event] += (ldexp(1, x) - 1) / cells;
		}
	}
}

/* A random order of the events. */
static void shuffle(u32 *order, u32 count, u64 *seed)
{
	u32 i;

	for (i = 0; i < count; i++) {
		u32 other = next_seed(seed) % (i + 1);

		order[i] = order[other];
		order[other] = i;
	}
}

/*
 * As perf does it when there are more events than counters: what was seen is multiplied by
 * all time over the time in which the event had a counter.
 */
void rotate(const struct stream *stream, u32 counters, u64 seed, double *said)
{
	u32 *order = allocate(stream->events, sizeof(*order));
	u32 event, slice;

	shuffle(order, stream->events, &seed);
	for (event = 0; event < stream->events; event++) {
		u32 seen_slices = 0;
		u64 seen = 0;

		for (slice = 0; slice < stream->slices; slice++)
			if ((order[event] + slice) % stream->events < counters) {
				seen += stream->hits[event][slice];
				seen_slices++;
			}
		said[event] = seen_slices ? (double)seen * stream->slices / seen_slices : 0;
	}
	free(order);
}

void count_stream(const struct stream *stream, enum way way, u64 seed, double *said)
{
	counters_init(seed | 1);
	switch (way) {
	case SINGLE: return count_morris(stream, 1, said);
	case GROUP: return count_morris(stream, GROUP_CELLS, said);
	case LFSR: return count_lfsr(stream, 1, 1, seed, said);
	case LFSR_FRESH: return count_lfsr(stream, 1, LFSR_WIDTH, seed, said);
	case LFSR_GROUP: return count_lfsr(stream, GROUP_CELLS, 1, seed, said);
	case CELL16: return count_cells(stream, said);
	case WORD32: return count_words(stream, said);
	case ROTATED_HALF: return rotate(stream, (stream->events + 1) / 2, seed, said);
	case ROTATED_FOUR: return rotate(stream, min(4U, stream->events), seed, said);
	default: errx(1, "no such way");
	}
}

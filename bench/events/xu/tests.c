// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>

#include "lfsr.h"
#include "stats.h"
#include "tap.h"
#include "util.h"
#include "xu.h"

static void test_period(u32 width)
{
	u32 state = 1, steps = 0;
	bool zero = false;

	do {
		state = lfsr_step(state, width);
		zero |= !state;
		steps++;
	} while (state != 1 && steps <= lfsr_mask(width));
	ok(!zero && steps == lfsr_mask(width), "an LFSR of %u bits passes all states but zero: %u",
	   width, steps);
}

/* The two defects, as numbers of states. */
static void test_windows(void)
{
	enum { WIDTH = 16 };
	u32 x, state, wrong = 0;

	for (x = 1; x <= WIDTH; x++) {
		u32 first = 0, both = 0, alike = (1U << (WIDTH - x)) - 1;

		for (state = 1; state <= lfsr_mask(WIDTH); state++) {
			if (!lfsr_success(state, x, WIDTH))
				continue;
			first++;
			both += lfsr_success(lfsr_step(state, WIDTH), x, WIDTH);
		}
		/* One more bit is zero: half of them, but for the one that is not there. */
		wrong += first != alike || both != alike / 2;
	}
	ok(!wrong, "X bits of 16 are zeros in 2^(16 - X) - 1 states, and after these in every other one");
}

static void test_stuck(u64 seed)
{
	u32 state = (u32)next_seed(&seed) % 0xff + 1, x = 0, n;

	for (n = 0; n < 1000000; n++)
		lfsr_inc(&x, &state, 8, 1);
	ok(x == 8, "a counter with an LFSR of 8 bits stays at 2^8 - 1 after a million: 2^%u - 1", x);
}

#define EVENTS	10
#define SLICES	40

static void make_stream(struct stream *stream, u32 hits)
{
	u32 event, slice;

	*stream = (struct stream) { .events = EVENTS, .slices = SLICES };
	stream->hits = allocate(EVENTS, sizeof(*stream->hits));
	stream->counts = allocate(EVENTS, sizeof(*stream->counts));
	for (event = 0; event < EVENTS; event++) {
		stream->hits[event] = allocate(SLICES, sizeof(**stream->hits));
		for (slice = 0; slice < SLICES; slice++)
			stream->hits[event][slice] = hits;
		stream->counts[event] = hits * SLICES;
	}
}

/* All of it: in one slice, the others empty. */
static void make_burst(struct stream *stream)
{
	u32 event, slice;

	for (event = 0; event < EVENTS; event++)
		for (slice = 1; slice < SLICES; slice++) {
			stream->hits[event][0] += stream->hits[event][slice];
			stream->hits[event][slice] = 0;
		}
}

static u32 wrong_counts(const struct stream *stream, const double *said)
{
	u32 event, wrong = 0;

	for (event = 0; event < EVENTS; event++)
		wrong += said[event] != stream->counts[event];
	return wrong;
}

static void test_rotation(u64 seed)
{
	struct stream stream;
	double said[EVENTS], sum = 0;
	u32 event, zero = 0;

	make_stream(&stream, 7);
	rotate(&stream, 3, seed, said);
	ok(!wrong_counts(&stream, said), "three counters for ten events: exact where nothing varies");
	make_burst(&stream);
	rotate(&stream, EVENTS, seed, said);
	ok(!wrong_counts(&stream, said), "a counter for each event: exact");
	rotate(&stream, 2, seed, said);
	for (event = 0; event < EVENTS; event++) {
		zero += !said[event];
		sum += said[event];
	}
	/* Two events have a counter in the first slice. */
	ok(zero == EVENTS - 2 && sum == 2.0 * 5 * stream.counts[0],
	   "two counters for ten bursts: two counts are 5 times too large, and eight are 0");
	stream_free(&stream);
}

/* Chebyshev's bound of the paper, and mean and variance. */
static void test_bound(u64 seed, enum way way, u32 cells)
{
	enum { COUNTERS = 4000, N = 1000 };
	struct stream stream = { .events = COUNTERS };
	double *said = allocate(COUNTERS, sizeof(*said)), e = 0.75, bound = 1 / (2 * e * e) / cells;
	struct moments moments = { 0 };
	struct summary summary;
	u32 c, beyond = 0;

	stream.counts = allocate(COUNTERS, sizeof(*stream.counts));
	for (c = 0; c < COUNTERS; c++)
		stream.counts[c] = N;
	count_stream(&stream, way, seed, said);
	for (c = 0; c < COUNTERS; c++) {
		moments_add(&moments, said[c] - N);
		beyond += fabs(said[c] - N) > e * N;
	}
	summary = summarize(&moments);
	ok(fabs(summary.mean_z) <= MEAN_LIMIT &&
	   fabs(variance_z(&summary, N * (N - 1.0) / 2 / cells)) <= Z_LIMIT &&
	   beyond <= bound * COUNTERS,
	   "%s: mean %+.2f standard errors, variance %.3f of the exact one; %.4f beyond 0.75 c, bound %.4f",
	   way_names[way].name, summary.mean_z, summary.variance / (N * (N - 1.0) / 2 / cells),
	   (double)beyond / COUNTERS, bound);
	free(stream.counts);
	free(said);
}

static void test_narrow_errors(u64 seed)
{
	struct stream stream;
	static const double limits[2] = { 0.101, 0.072 };
	double said[EVENTS], worst[2] = { 0 };
	u32 i, event;

	make_stream(&stream, 5000);
	for (i = 0; i < 2; i++) {
		count_stream(&stream, i ? WORD32 : CELL16, derive_seed(seed, "narrow", i), said);
		for (event = 0; event < EVENTS; event++)
			worst[i] = fmax(worst[i], fabs(said[event] / stream.counts[event] - 1));
	}
	/* 7.2 standard deviations of 1.4 and of 1 %. */
	ok(worst[0] > 0 && worst[0] <= limits[0] && worst[1] > 0 && worst[1] <= limits[1],
	   "16 and 32 bits: 200000 within 10.1 and 7.2 %%: %.2f and %.2f %%", 100 * worst[0],
	   100 * worst[1]);
	stream_free(&stream);
}

int check(u64 seed)
{
	comment("seed %llu; a test of chance may fail without cause: at most 1e-9 each, but %.1e",
		seed, normal_tails(MEAN_LIMIT));
	comment("for each unbiased mean; the seed is fixed, so that it always passes or always fails");
	test_period(8);
	test_period(16);
	test_windows();
	test_stuck(seed);
	test_rotation(seed);
	test_bound(derive_seed(seed, "single", 0), SINGLE, 1);
	test_bound(derive_seed(seed, "group", 0), GROUP, 5);
	test_narrow_errors(seed);
	tap_plan(tap_tests());
	return tap_status();
}

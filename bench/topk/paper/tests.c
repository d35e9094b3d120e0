// SPDX-License-Identifier: GPL-2.0
/*
 * That the designs keep what the paper and Space-Saving promise, against exact counts.  The
 * orders of accesses that matter are in tests/user/topk/orders.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/smp.h>

#include "designs.h"
#include "engine.h"
#include "invariant.h"
#include "sequential.h"
#include "streams.h"
#include "tap.h"
#include "tests.h"
#ifndef SHIM_MODEL
#include "guarantee.h"
#endif

#define SEED	20090824

static struct {
	const struct streams *streams;
	struct topk_table *table;
	u64 *hits;		/* by element */
} run;

static void body(u32 thread)
{
	u32 i;

	for (i = 0; i < run.streams->length; i++) {
		u64 key = key_of(run.streams->element[thread][i]);

		run.table->ops->add(run.table, &key, 1);
		engine_step();
	}
}

static void count_exactly(void)
{
	u32 i, j;

	run.hits = calloc(run.streams->alphabet, sizeof(*run.hits));
	for (i = 0; i < run.streams->streams; i++)
		for (j = 0; j < run.streams->length; j++)
			run.hits[run.streams->element[i][j]]++;
}

/* Records that break a bound, and keys that are missing with more hits than the floor. */
static u64 count_violations(const struct scounter_topk_header *header)
{
	bool *listed = calloc(run.streams->alphabet, sizeof(*listed));
	u64 violations = 0;
	u32 i, element;

	for (i = 0; i < header->records; i++) {
		const struct scounter_topk_record *record = topk_record(header, i);

		element = element_of(*(const u64 *)record->key);
		violations += element >= run.streams->alphabet || listed[element] ||
			      record->error > record->count ||
			      record->count - record->error > run.hits[element] ||
			      record->count < run.hits[element];
		listed[element] = true;
	}
	for (i = 0; i < run.streams->alphabet; i++)
		violations += !listed[i] && run.hits[i] > header->floor;
	free(listed);
	return violations;
}

/* The table has been made.  Returns a snapshot, after which all is at rest. */
static struct scounter_topk_header *count_all(void)
{
	const struct topk_query all = { .most = ~0U };

	engine_run(run.streams->streams, body);
	return topk_snapshot(run.table, &all);
}

static bool says(const char *wrong)
{
	if (wrong)
		comment("%s", wrong);
	return !wrong;
}

static struct topk_secret secret(void)
{
	u64 seed = SEED;

	return random_secret(&seed);
}

/* A stream for each thread. */
static bool begin(enum shape shape, double alpha, u32 threads, u32 length)
{
	run.streams = streams_make(shape, alpha, 20000, threads, length, SEED);
	count_exactly();
	return engine_begin(threads);
}

static void end(void)
{
	if (run.table)
		run.table->ops->destroy(run.table);
	run.table = NULL;
	engine_end();
	streams_free((struct streams *)run.streams);
	free(run.hits);
}

/* One thread: every design is Space-Saving, with all its bounds. */
static bool is_space_saving(const struct topk_ops *ops, enum shape shape, double alpha)
{
	struct topk_secret drawn = secret();
	struct scounter_topk_header *header;
	u64 counts = 0, violations;
	bool good;
	u32 i;

	if (!begin(shape, alpha, 1, 20000))
		return false;
	run.table = ops->create(500, sizeof(u64), &drawn);
	header = count_all();
	for (i = 0; i < header->records; i++)
		counts += topk_record(header, i)->count;
	violations = count_violations(header);
	good = header->total == 20000 && counts == header->total && !violations &&
	       header->floor <= header->total / 500;
	if (!good)
		comment("%s: total %llu, counts %llu, %llu violations, floor %llu",
			run.streams->name, (unsigned long long)header->total,
			(unsigned long long)counts, (unsigned long long)violations,
			(unsigned long long)header->floor);
	topk_snapshot_free(header);
	end();
	return good;
}

static bool test_one_thread(void)
{
	const struct topk_ops *const designs[] = {
		&paper_coop_ops, &paper_tuned_ops, &paper_shared_ops, &paper_independent_ops,
	};
	bool good = true;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(designs); i++) {
		good &= is_space_saving(designs[i], ZIPF, 0.5);
		good &= is_space_saving(designs[i], ZIPF, 1.5);
		good &= is_space_saving(designs[i], SAME, 0);
		good &= is_space_saving(designs[i], DISTINCT, 0);
		good &= is_space_saving(designs[i], ROTATION, 0);
	}
	return good;
}

/* Many threads: nothing is lost, and all invariants hold in the end. */
static bool keeps_invariants(const struct summary_options *options, enum shape shape,
			     double alpha)
{
	struct scounter_topk_header *header;
	struct topk_secret drawn = secret();
	const struct topk_ops *ops = options->window ? &paper_lossy_ops : &paper_coop_ops;
	const u32 length = engine_is_model() ? 1000 : 5000;
	const u64 hits = 8 * length;
	struct worker sums;
	bool good;

	if (!begin(shape, alpha, 8, length))
		return false;
	run.table = paper_coop_create(ops, options, &drawn);
	if (IS_ERR(run.table)) {
		run.table = NULL;
		end();
		return false;
	}
	header = count_all();
	paper_sums(run.table, &sums);
	good = says(invariant_at_rest(paper_summary(run.table), hits)) && sums.hits == hits &&
	       (options->window || header->total == hits) && !header->dropped;
	if (options->window)
		good &= !count_violations(header);
	if (!good)
		comment("%s, capacity %u: %llu hits, total %llu, %llu dropped",
			run.streams->name, options->capacity, (unsigned long long)sums.hits,
			(unsigned long long)header->total, (unsigned long long)header->dropped);
	topk_snapshot_free(header);
	end();
	return good;
}

static bool test_invariants(void)
{
	static const struct summary_options plain = { .capacity = 200, .waiting = 64 };
	static const struct summary_options tuned = { .capacity = 200, .waiting = 64,
						      .tunes = true, .queue_limit = 1 };
	static const struct summary_options scarce = { .capacity = 4, .waiting = 4,
						       .buckets = 8 };
	static const struct summary_options lossy = { .capacity = 12800, .waiting = 64,
						      .window = 200 };
	const struct summary_options *const all[] = { &plain, &tuned, &scarce, &lossy };
	bool good = true;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		good &= keeps_invariants(all[i], ZIPF, 0.5);
		good &= keeps_invariants(all[i], ZIPF, 2);
		good &= keeps_invariants(all[i], SAME, 0);
	}
	return good;
}

/* One thread: (1 / epsilon) log(epsilon N) entries at most, and no count is off by more than epsilon N. */
static bool test_lossy(void)
{
	static const struct { enum shape shape; double alpha; } inputs[] = {
		{ ZIPF, 0.5 }, { ZIPF, 1 }, { ZIPF, 2 }, { ROTATION, 0 }, { DISTINCT, 0 },
	};
	const u32 window = 100, n = 20000;
	struct topk_secret drawn = secret();
	struct scounter_topk_header *header;
	bool good = true;
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(inputs); i++) {
		if (!begin(inputs[i].shape, inputs[i].alpha, 1, n))
			return false;
		run.table = paper_lossy_create(window, &drawn);
		header = count_all();
		good &= !count_violations(header) && header->floor <= n / window &&
			header->records <= window * log((double)n / window);
		for (j = 0; j < header->records; j++)
			good &= topk_record(header, j)->error <= n / window;
		good &= says(invariant_at_rest(paper_summary(run.table), n));
		topk_snapshot_free(header);
		end();
	}
	return good;
}

static bool refuses(int error, struct summary_options options)
{
	struct topk_secret drawn = secret();
	struct topk_table *table = paper_coop_create(&paper_coop_ops, &options, &drawn);

	if (IS_ERR(table) && PTR_ERR(table) == error)
		return true;
	comment("capacity %u, waiting %u, buckets %u, limit %u: not refused", options.capacity,
		options.waiting, options.buckets, options.queue_limit);
	if (!IS_ERR(table))
		table->ops->destroy(table);
	return false;
}

static bool test_refused(void)
{
	struct topk_secret drawn = secret();
	bool good = engine_begin(1);

	good &= refuses(-ERANGE, (struct summary_options) { .capacity = 0, .waiting = 1 });
	good &= refuses(-ERANGE, (struct summary_options) { .capacity = (1 << 20) + 1, .waiting = 1 });
	good &= refuses(-ERANGE, (struct summary_options) { .capacity = 1, .waiting = 0 });
	good &= refuses(-ERANGE, (struct summary_options) { .capacity = 1, .waiting = 1, .buckets = 4 });
	good &= refuses(-EINVAL, (struct summary_options) { .capacity = 1, .waiting = 1, .tunes = true });
	good &= refuses(-EINVAL, (struct summary_options) { .capacity = 1, .waiting = 1,
							    .queue_limit = 1 });
	good &= refuses(-ERANGE, (struct summary_options) { .capacity = 1, .waiting = 1, .tunes = true,
							    .queue_limit = 1U << 31 });
	good &= PTR_ERR(paper_lossy_create(0, &drawn)) == -ERANGE;
	good &= PTR_ERR(paper_lossy_create((1 << 20) + 1, &drawn)) == -ERANGE;
	engine_end();
	return good;
}

/* Hits that are left while the owner is away: all of them are there, or refused. */
static bool test_many_left(void)
{
	struct topk_secret drawn = secret();
	struct search search = { 0 };
	u64 state, left = 0;
	enum found found;
	u32 owned, l;
	bool good;

	if (!engine_begin(1) || !search_init(&search, 1, 8, false, &drawn))
		return false;
	good = search_acquire(&search, 7, 1, &owned) == FOUND_NEW;
	while ((found = search_acquire(&search, 7, SUMMARY_HITS_MAX, &l)) == FOUND_LEFT)
		left += SUMMARY_HITS_MAX;
	good &= found == FOUND_NONE && left > LOCATION_PENDING / 2;
	good &= search_relinquish(&search, owned, &state) == left;
	good &= !search_relinquish(&search, owned, &state) && search_delete(&search, owned);
	search_clear(&search);
	engine_end();
	return good;
}

#ifdef SHIM_MODEL
static bool is_repeatable(const struct topk_ops *ops)
{
	struct topk_secret drawn = secret();
	double seconds[2];
	int i;

	for (i = 0; i < 2; i++) {
		if (!begin(ZIPF, 1, 8, 500))
			return false;
		run.table = ops->create(100, sizeof(u64), &drawn);
		seconds[i] = engine_run(8, body);
		end();
	}
	return seconds[0] > 0 && seconds[0] == seconds[1];
}

static bool test_repeatable(void)
{
	return is_repeatable(&paper_coop_ops) && is_repeatable(&paper_tuned_ops) &&
	       is_repeatable(&paper_shared_ops);
}
#else
/* Queries beside hits: those of the shared design lock what they read, and miss nothing. */
static bool test_locked_readers(void)
{
	static const double alphas[] = { 0.5, 1.5 };
	struct verdict verdict;
	bool good = true;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(alphas); i++) {
		struct streams *streams = streams_make(ZIPF, alphas[i], 5000, 4, 30000, SEED);

		guarantee_check(&paper_shared_ops, streams, 200, &verdict);
		if (verdict.failures)
			comment("%llu failures; the first: %s", verdict.failures, verdict.why);
		comment("%llu queries meanwhile", verdict.queries);
		good &= !verdict.failures;
		streams_free(streams);
	}
	return good;
}

static u32 merging;
static struct scounter_topk_header *merged;

static void merge(u32 thread)
{
	struct scounter_topk_header *header;

	body(thread);
	header = paper_merge(run.table, thread, merging, engine_meet);
	if (header)
		merged = header;
}

/* In pairs, whatever the number of threads: as good as one table for all. */
static bool test_hierarchical_merge(void)
{
	struct topk_secret drawn = secret();
	bool good = true;

	for (merging = 1; merging <= 9; merging += 1 + (merging == 5) * 2) {
		if (!begin(ZIPF, 1, merging, 3000))
			return false;
		merged = NULL;
		run.table = paper_independent_ops.create(200, sizeof(u64), &drawn);
		engine_run(merging, merge);
		good &= merged && merged->total == 3000ULL * merging &&
			!count_violations(merged) && merged->floor <= merged->total / 200;
		topk_snapshot_free(merged);
		end();
	}
	return good;
}
#endif

static const struct tap_test tests[] = {
	{ "one thread: all bounds of Space-Saving", test_one_thread },
	{ "eight threads: no hit is lost, all invariants hold", test_invariants },
	{ "Lossy Counting: its bounds, and its number of entries", test_lossy },
	{ "options that are not right are refused", test_refused },
	{ "hits that are left to an owner are as many as fit", test_many_left },
#ifdef SHIM_MODEL
	{ "the model: the same again", test_repeatable },
#else
	{ "shared-paper: queries beside hits", test_locked_readers },
	{ "independent-paper: merged in pairs", test_hierarchical_merge },
#endif
};

int tests_run(const char *only)
{
	comment("seed %u", SEED);
	return tap_processes(tests, ARRAY_SIZE(tests), only, 120);
}

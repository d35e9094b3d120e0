// SPDX-License-Identifier: GPL-2.0
/*
 * Increments by pinned threads, in real time.  Each figure is the median of
 * several windows; the error is that of the value after all of them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "counters.h"
#include "rivals.h"
#include "shim.h"
#include "tap.h"
#include "util.h"

#define WINDOWS		21	/* undisturbed ones, */
#define TRIES		400	/* of so many at most */
#define WINDOW_NS	1000000ULL
#define LOOK_NS		5000
#define CHUNK_MIN	16
#define CHUNK_MAX	1024
#define ARRAY		7500
#define PRELOAD		1000000000ULL	/* what one CPU counts in two seconds */
#define WARM_UPS	5
#define THREADS		2
#define WORK_UNIT	2	/* steps that a unit of external work is */
#define CHECK_INCS	20000

struct counter {
	const struct counter_type *type;
	const struct rival *rival;
	void **of;		/* ARRAY or 1 */
	int count;
};

static struct {
	struct counter counter;
	int threads;
	uint64_t work;		/* mean units of external work */
	uint64_t limit;		/* increments a thread, or 0: until stopped */
	bool resets;		/* in the middle of each window, by the first thread */
	pthread_barrier_t barrier;
} run;

struct thread {
	_Alignas(64) pthread_t pthread;
	int number;
	u64 random;
	uint64_t incs;		/* in the last window */
	uint64_t hot;		/* in all, of the first counter */
	uint64_t fetched;	/* by resets, the same */
	uint64_t from, to;
	long switches;
};

static struct thread threads[THREADS];

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

/* That this process may run on. */
static int cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

static void pin(int number)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(number, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void external_work(struct thread *thread)
{
	uint64_t units = (unsigned __int128)next_seed(&thread->random) *
			 (2 * run.work + 1) >> 64;
	volatile int i;

	while (units--)
		for (i = 0; i < WORK_UNIT; i++)
			;
}

/* How often this thread had to leave its CPU. */
static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static void count(struct thread *thread, void (*inc)(void *), unsigned int n)
{
	void *counter = run.counter.of[0];
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (run.counter.count > 1 && i & 1) {
			inc(run.counter.of[1 + ((next_seed(&thread->random) >> 32) *
				(run.counter.count - 1) >> 32)]);
		} else {
			inc(counter);
			thread->hot++;
		}
		if (run.work)
			external_work(thread);
	}
	thread->incs += n;
}

static bool is_over(const struct thread *thread)
{
	return run.limit ? thread->incs >= run.limit :
			   now() - thread->from >= WINDOW_NS;
}

static void *body(void *argument)
{
	struct thread *thread = argument;
	void (*inc)(void *) = run.counter.type ? run.counter.type->inc :
						 run.counter.rival->inc;
	unsigned int chunk = CHUNK_MIN;
	bool resets = run.resets && !thread->number;
	uint64_t before;

	pin(thread->number);
	shim_be(thread->number);
	rival_thread = thread->number;
	pthread_barrier_wait(&run.barrier);
	thread->incs = 0;
	thread->switches = switches();
	thread->from = before = now();
	do {
		count(thread, inc, chunk);
		/* To look at the clock is to cost little. */
		if (!run.limit && now() - before < LOOK_NS && chunk < CHUNK_MAX)
			chunk *= 2;
		before = now();
		if (resets && before - thread->from >= WINDOW_NS / 2) {
			thread->fetched += run.counter.type->fetch_reset(run.counter.of[0]);
			resets = false;
		}
	} while (!is_over(thread));
	thread->to = now();
	thread->switches = switches() - thread->switches;
	return NULL;
}

/* Whether all threads ran all the while, and at the same time. */
static bool is_undisturbed(void)
{
	uint64_t first = threads[0].from, last = threads[0].to, from = first, to = last;
	int i;

	for (i = 0; i < run.threads; i++) {
		if (threads[i].switches)
			return false;
		first = threads[i].from < first ? threads[i].from : first;
		last = threads[i].to > last ? threads[i].to : last;
		from = threads[i].from > from ? threads[i].from : from;
		to = threads[i].to < to ? threads[i].to : to;
	}
	return to > from && to - from >= (last - first) / 10 * 9;
}

static bool window(void)
{
	int i;

	pthread_barrier_init(&run.barrier, NULL, run.threads);
	for (i = 0; i < run.threads; i++) {
		threads[i].number = i;
		if (pthread_create(&threads[i].pthread, NULL, body, &threads[i])) {
			perror("bench");
			exit(1);
		}
	}
	for (i = 0; i < run.threads; i++)
		pthread_join(threads[i].pthread, NULL);
	pthread_barrier_destroy(&run.barrier);
	/*
	 * A second has passed: what a window has seen is scaled up to it.  And
	 * without the lines that are made here multiline_adapt would stay a word.
	 * Grace periods that began in the window are over, too.
	 */
	shim_jiffies += 250;
	shim_run_works();
	shim_grace_period();
	return is_undisturbed();
}

static bool make(int count)
{
	int i;

	run.counter.count = count;
	run.counter.of = calloc(count, sizeof(void *));
	for (i = 0; i < count; i++) {
		run.counter.of[i] = run.counter.type ?
			run.counter.type->make(run.counter.type) :
			shim_zalloc(run.counter.rival->bytes);
		if (!run.counter.of[i]) {
			fprintf(stderr, "bench: no memory\n");
			return false;
		}
	}
	return true;
}

static void unmake(void)
{
	int i;

	/* The last one first: only so is per-CPU memory given back. */
	for (i = run.counter.count - 1; i >= 0; i--) {
		if (run.counter.type)
			run.counter.type->free(run.counter.of[i]);
		else
			free(run.counter.of[i]);
	}
	free(run.counter.of);
	counters_settle();
}

/* With what resets have returned. */
static uint64_t value(void)
{
	return threads[0].fetched + (run.counter.type ? run.counter.type->read(run.counter.of[0]) :
				  run.counter.rival->read(run.counter.of[0]));
}

static const char *name(void)
{
	return run.counter.type ? run.counter.type->name : run.counter.rival->name;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double hot_incs(void)
{
	double sum = 0;
	int i;

	for (i = 0; i < run.threads; i++)
		sum += threads[i].hot;
	return sum;
}

static double ns_of_window(void)
{
	double rate = 0;
	int i;

	for (i = 0; i < run.threads; i++)
		rate += (double)threads[i].incs / (threads[i].to - threads[i].from);
	return 1 / rate;
}

/* Undisturbed windows as far as there are any, and how many these were. */
static int windows(double *ns)
{
	double any[TRIES];
	int good = 0, tries;

	for (tries = 0; tries < TRIES && good < WINDOWS; tries++) {
		bool undisturbed = window();

		any[tries] = ns_of_window();
		if (undisturbed)
			ns[good++] = any[tries];
	}
	if (!good)
		memcpy(ns, any, WINDOWS * sizeof(*ns));
	qsort(ns, good ? good : WINDOWS, sizeof(*ns), compare);
	return good;
}

static double measure(int thread_count, double percent, uint64_t work, int count)
{
	double ns[WINDOWS], before, lately, hot;
	uint64_t preload = 0;
	int good, n, i;

	run.threads = thread_count;
	run.work = work;
	memset(threads, 0, sizeof(threads));
	for (i = 0; i < thread_count; i++)
		threads[i].random = i + 1;
	if (!make(count))
		exit(1);
	/* Warm-up; after it, the events of a long time. */
	for (i = 0; i < WARM_UPS; i++)
		window();
	if (run.counter.type) {
		run.counter.type->add(run.counter.of[0], PRELOAD);
		preload = PRELOAD;
	}
	window();
	hot = hot_incs();
	before = value();
	good = windows(ns);
	n = good ? good : WINDOWS;
	lately = (value() - before) / (hot_incs() - hot) - 1;
	printf("{\"source\":\"measured\",\"kind\":\"%s\",\"threads\":%d,\"work\":%g,"
	       "\"counters\":%d,\"ns\":%.3f,\"ns_quartile1\":%.3f,\"ns_quartile3\":%.3f,\"per_ms\":%.0f,"
	       "\"error\":%.6f,\"period_error\":%.6f,\"bytes\":%zu,\"undisturbed\":%d}\n",
	       name(), thread_count, percent, count, ns[n / 2], ns[n / 4], ns[3 * n / 4],
	       1e6 / ns[n / 2], value() / (hot_incs() + preload) - 1, lately,
	       run.counter.type ? run.counter.type->bytes(run.counter.of[0]) :
				  run.counter.rival->bytes, good);
	fflush(stdout);
	unmake();
	return ns[n / 2];
}

/* What a scrape that resets costs those who count: each window stands for a second. */
static void measure_resets(void)
{
	static const char *const kinds[] = { "atomic", "multiline", "exact" };
	double without, with;
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		run.counter = (struct counter){ .type = counter_type(kinds[i]) };
		run.resets = false;
		without = measure(2, 0, 0, 1);
		run.counter = (struct counter){ .type = counter_type(kinds[i]) };
		run.resets = true;
		with = measure(2, 0, 0, 1);
		printf("{\"source\":\"measured\",\"kind\":\"%s\",\"threads\":2,"
		       "\"with_resets_to_without\":%.3f}\n", kinds[i], with / without);
	}
}

/* ns, the least of several: what disturbs only makes it longer. */
#define TIMED_TIMES(times, statement) ({				\
	double _least = 1e9;						\
	int _i, _j;							\
	for (_i = 0; _i < 50; _i++) {					\
		uint64_t _from = now();					\
		for (_j = 0; _j < (times); _j++) {			\
			statement;					\
		}							\
		if ((double)(now() - _from) / (times) < _least)		\
			_least = (double)(now() - _from) / (times);	\
	}								\
	_least;								\
})
#define TIMED(statement)	TIMED_TIMES(20000, statement)

/* How many units of work make the rate of one thread with cas a hundredth. */
static uint64_t work_of_99_percent(void)
{
	struct thread thread = { .random = 1 };
	double cas, unit;

	run.counter = (struct counter){ .type = counter_type("cas") };
	if (!make(1))
		exit(1);
	cas = TIMED(run.counter.type->inc(run.counter.of[0]));
	unmake();
	run.work = 50;
	unit = TIMED_TIMES(2000, external_work(&thread)) / run.work;
	return 99 * cas / unit + 0.5;
}

static void measure_all(bool quick)
{
	uint64_t work = work_of_99_percent();
	const struct counter_type *type = counter_types;
	const struct rival *rival = rivals;
	int thread_count, most = cpus() < 2 ? 1 : 2;

	if (most < 2)
		fprintf(stderr, "bench: one CPU only: nothing can be said of contention\n");
	while (type->name || rival->name) {
		run.counter = (struct counter){ 0 };
		if (type->name)
			run.counter.type = type++;
		else
			run.counter.rival = rival++;
		fprintf(stderr, "bench: %s\n", name());
		for (thread_count = 1; thread_count <= most; thread_count++) {
			measure(thread_count, 0, 0, 1);
			if (quick)
				continue;
			measure(thread_count, 99, work, 1);
			if (run.counter.type)
				measure(thread_count, 0, 0, 1 + ARRAY);
		}
	}
}

/* Making and freeing, and reading. */
static void measure_calls(void)
{
	const struct counter_type *type;
	volatile uint64_t sink = 0;
	double made, read;
	void *counter;

	for (type = counter_types; type->name; type++) {
		made = TIMED_TIMES(100, type->free(type->make(type)));
		counters_settle();
		counter = type->make(type);
		read = TIMED(sink += type->read(counter));
		type->free(counter);
		printf("{\"source\":\"measured\",\"kind\":\"%s\",\"make_free_per_s\":%.0f,"
		       "\"read_ns\":%.2f}\n", type->name, 1e9 / made, read);
	}
}

/*
 * This machine as a description for the model.  Only what concerns one CPU, and what
 * happens to a word that two threads hand over: not the contended counters that the
 * model is to predict.
 */
static _Alignas(64) int ball;
static _Alignas(64) int ready[2];
static _Alignas(64) int stopped;	/* this many rounds */
#define SWAPS	20000
/* Few: a hypervisor may move its CPUs every second. */
#define ROUNDS	100

/* What a player did in a round: exchanges, and of them what is asked for. */
struct round {
	uint64_t from, to, swaps, result;
	long switches;
};

/* Take it away from each other; how often it was the other one's. */
static uint64_t snatch_ball(int mine)
{
	return __atomic_exchange_n(&ball, mine, __ATOMIC_RELAXED) != mine;
}

/*
 * The same, but with a look first, and what is written depends on it; the lowest
 * bit says by whom.  Whether it was the other one's, or whether the look was
 * in vain, as the ball went away between it and the exchange.
 */
static inline __attribute__((always_inline)) uint64_t look_and_snatch(int mine, bool vain)
{
	int seen = __atomic_load_n(&ball, __ATOMIC_RELAXED);
	int old = __atomic_exchange_n(&ball, ((seen & ~1) + 2) | mine, __ATOMIC_RELAXED);

	return vain ? old != seen : (old & 1) != mine;
}

static inline uint64_t look_in_vain(int mine)
{
	return look_and_snatch(mine, true);
}

static inline uint64_t look_at_others(int mine)
{
	return look_and_snatch(mine, false);
}

/* Until one of the two has done so many: nobody plays alone. */
static inline __attribute__((always_inline)) void
play_round(struct round *round, int number, int mine, uint64_t (*play)(int))
{
	while (round->swaps < SWAPS && __atomic_load_n(&stopped, __ATOMIC_RELAXED) < number) {
		round->result += play(mine);
		round->swaps++;
	}
	__atomic_store_n(&stopped, number, __ATOMIC_RELAXED);
}

enum game { SNATCH, VAIN, OTHERS };

struct player {
	enum game game;
	int mine;
	struct round rounds[ROUNDS];
};

static void *play_rounds(void *argument)
{
	struct player *player = argument;
	int i, mine = player->mine;

	pin(mine);
	for (i = 0; i < ROUNDS; i++) {
		struct round round = { .switches = -switches() };

		__atomic_store_n(&ready[mine], i + 1, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&ready[!mine], __ATOMIC_SEQ_CST) < i + 1)
			;
		round.from = now();
		if (player->game == SNATCH)
			play_round(&round, i + 1, mine, snatch_ball);
		else if (player->game == VAIN)
			play_round(&round, i + 1, mine, look_in_vain);
		else
			play_round(&round, i + 1, mine, look_at_others);
		round.to = now();
		round.switches += switches();
		player->rounds[i] = round;
	}
	return NULL;
}

/* The medians, over rounds in which both were there: */
struct figures {
	double ns;		/* by result, of both together */
	double swaps;		/* exchanges by result */
};

static bool was_disturbed(const struct player *players, int i)
{
	return players[0].rounds[i].switches || players[1].rounds[i].switches ||
	       players[0].rounds[i].from > players[1].rounds[i].to ||
	       players[1].rounds[i].from > players[0].rounds[i].to;
}

static struct figures play(enum game game)
{
	static struct player players[2];
	static double ns[ROUNDS], swaps[ROUNDS];
	pthread_t other;
	int i, count = 0;

	memset(ready, 0, sizeof(ready));
	stopped = 0;
	for (i = 0; i < 2; i++) {
		players[i].game = game;
		players[i].mine = i;
	}
	pthread_create(&other, NULL, play_rounds, &players[1]);
	play_rounds(&players[0]);
	pthread_join(other, NULL);
	for (i = 0; i < ROUNDS; i++) {
		const struct round *one = &players[0].rounds[i], *two = &players[1].rounds[i];
		double result = one->result + two->result;

		if (was_disturbed(players, i))
			continue;
		ns[count] = (one->to - one->from) / (result ?: 1);
		swaps[count++] = (one->swaps + two->swaps) / (result ?: 1);
	}
	if (!count) {
		fprintf(stderr, "bench: two threads were never undisturbed: calibrate on a calmer machine\n");
		exit(1);
	}
	qsort(ns, count, sizeof(*ns), compare);
	qsort(swaps, count, sizeof(*swaps), compare);
	return (struct figures){ ns[count / 2], swaps[count / 2] };
}

/*
 * How many of a hundred looks at what the other CPU wrote take the line over, so that
 * the write that follows finds it there.  The other turns begin with a look in vain.
 */
static int migratory_percent(void)
{
	double vain = 1 / play(VAIN).swaps;
	double turns = 1 / play(OTHERS).swaps;

	printf("# of %.3f turns an exchange, %.3f begin with a look in vain\n", turns, vain);
	return vain < turns ? (int)(100 * (1 - vain / turns) + 0.5) : 0;
}

/* Compare-and-swaps of which each, none, or one in two fails, and is tried again. */
static double swaps(long wrong, bool at_random)
{
	static _Alignas(64) long word;
	uint32_t random = 1;

	return TIMED(random = random * 1664525 + 1013904223;
		     long old = __atomic_load_n(&word, __ATOMIC_RELAXED) ^
				(at_random ? random >> 31 : wrong);
		     while (!__atomic_compare_exchange_n(&word, &old, old + 2, false,
							 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			     ;);
}

/* What a failure costs that was not foreseen, other than the compare-and-swap itself. */
static double retry_cost(void)
{
	return 2 * swaps(0, true) - swaps(0, false) - swaps(1, false);
}

/* As a machine file wants it: nothing is free. */
static double at_least(double ns)
{
	return ns > 0.001 ? ns : 0.001;
}

static int calibrate(void)
{
	static _Alignas(64) long word;
	static _Alignas(64) volatile long own;
	double load, rmw, exchange, cas, pause, call, hold, retry, way;
	struct figures before, after;
	int migratory;

	pin(0);
	load = TIMED(__atomic_load_n(&word, __ATOMIC_RELAXED); __asm__ volatile("" : : : "memory"));
	rmw = TIMED(__atomic_fetch_add(&word, 1, __ATOMIC_RELAXED));
	exchange = TIMED(__atomic_exchange_n(&word, 1, __ATOMIC_RELAXED));
	/* As a counter does: of what was just loaded. */
	cas = TIMED(long old = __atomic_load_n(&word, __ATOMIC_RELAXED);
		    __atomic_compare_exchange_n(&word, &old, old + 1, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED));
	pause = TIMED(shim_relax());
	/* Who counts does something of its own in between. */
	call = TIMED(own++);
	before = play(SNATCH);
	printf("# SPDX-License-Identifier: GPL-2.0\n# This machine, by bench calibrate.\n");
	migratory = migratory_percent();
	retry = retry_cost();
	after = play(SNATCH);
	/* So long a CPU goes on with a line that the other one wants. */
	hold = exchange * (before.swaps + after.swaps) / 2;
	/* In a turn, the line is on its way for a half of this, and then held. */
	way = before.ns + after.ns - 2 * hold;
	printf("# turn_ns %.3f, %.3f\n"
	       "name = here\nnodes = 1\ncpus_per_node = 2\ncache_lines = 32768\nfetch_op = yes\n"
	       "migratory = %d\nstore_buffer = no\nshared_cache_ns = no\nhold_ns = %.3f\nhit_ns = %.3f\nrmw_ns = %.3f\ncas_ns = %.3f\nretry_ns = %.3f\nnode_ns = %.3f\nremote_ns = %.3f\n"
	       "memory_ns = 110\npause_ns = %.3f\ndraw_ns = 3\ncall_ns = %.3f\n"
	       "loop_ns = no\nchoose_ns = no\npipe_threads = no\nissue = yes\npause_issue = no\n",
	       before.ns, after.ns, migratory, hold, load, rmw, cas - load,
	       at_least(retry), at_least(way), at_least(way), pause, call);
	return 0;
}

/* No timing: exact kinds must be exact with real threads, and racing is not. */
static int check(void)
{
	const struct counter_type *type;
	int tests = 0;

	for (type = counter_types; type->name; type++)
		tests++;
	tap_plan(tests);
	run.limit = CHECK_INCS;
	run.threads = THREADS;
	for (type = counter_types; type->name; type++) {
		double error;
		bool good;
		int i;

		memset(threads, 0, sizeof(threads));
		run.counter = (struct counter){ .type = type };
		if (!make(1))
			return 1;
		for (i = 0; i < 5; i++)
			window();
		error = value() / hot_incs() - 1;
		/* Others: within 7 standard deviations of 1.2 %, and no worse for 2.7 %. */
		good = type->exact ? value() == hot_incs() :
		       !strcmp(type->name, "racing") ? value() <= hot_incs() :
		       error < 0.19 && error > -0.19;
		ok(good, "%s counts %.0f events of two threads%s", type->name, hot_incs(),
		   type->exact ? " exactly" : "");
		comment("error %+.3f %%", 100 * error);
		unmake();
	}
	return tap_status();
}

int main(int argc, char **argv)
{
	const char *verb = argc == 2 ? argv[1] : "";

	if (!shim_init(2, 1)) {
		fprintf(stderr, "bench: no memory\n");
		return 1;
	}
	counters_init(1);
	if (cpus() < 2 && (!strcmp(verb, "contended") || !strcmp(verb, "resets") || !strcmp(verb, "calibrate"))) {
		fprintf(stderr, "bench: %s needs two CPUs\n", verb);
		return 1;
	}
	if (!strcmp(verb, "run") || !strcmp(verb, "quick"))
		measure_all(!strcmp(verb, "quick"));
	else if (!strcmp(verb, "contended")) {
		run.counter = (struct counter){ .type = counter_type("atomic") };
		measure(2, 0, 0, 1);
		run.counter = (struct counter){ .type = counter_type("cas") };
		measure(2, 0, 0, 1);
	} else if (!strcmp(verb, "resets"))
		measure_resets();
	else if (!strcmp(verb, "calls"))
		measure_calls();
	else if (!strcmp(verb, "calibrate"))
		return calibrate();
	else if (!strcmp(verb, "check"))
		return check();
	else {
		fprintf(strcmp(verb, "--help") ? stderr : stdout,
			"Usage: bench run        increments: 1 and 2 threads, 0 and 99 %% work, 7500 counters\n"
			"       bench quick      one counter and no work only\n"
			"       bench contended  atomic and cas by two threads only\n"
			"       bench resets     some kinds by two threads, without resets and with one a second\n"
			"       bench calls      making, freeing and reading\n"
			"       bench calibrate  this machine as a description for bench/model\n"
			"       bench check      tests, of which none is about time\n"
			"Results are JSON, an object a line; ns is the time between two increments\n"
			"of all threads together, the median of %d windows.\n", WINDOWS);
		return strcmp(verb, "--help") ? 2 : 0;
	}
	return 0;
}

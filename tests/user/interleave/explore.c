// SPDX-License-Identifier: GPL-2.0
/*
 * Every thread is a fiber.  Before each access it stops, says what it is going to
 * do, and one of the threads is chosen to do what it has said: an access and all
 * that follows, up to the next.  An order of the accesses is thus a list of
 * threads, the *schedule*, and the same schedule gives the same run.
 *
 * All orders are tried by going back to the last choice that has alternatives left
 * (depth first).  Two accesses by different threads are *dependent* if they are to
 * the same word and one of them writes; to exchange two neighbours that are not
 * makes no difference.  So an alternative is only tried where a run has shown two
 * dependent accesses that nothing else orders (dynamic partial-order reduction:
 * Flanagan & Godefroid 2005, Abdulla et al. 2014), and not if it was tried before in an order that is
 * the same (sleep sets: Godefroid 1996).  Clocks of each thread and word tell what
 * is ordered (Mattern 1989).  With every_order none of this is done, to test it.
 *
 * A loop that waits reads the same value again and again, with a pause in between.
 * Such a repetition changes nothing, and others are not let in between; after
 * SPINS of them, more than any wait in the module that ends by itself, the thread
 * waits until the value has changed.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include "explore.h"
#include "fiber.h"
#include "memory.h"
#include "source.h"
#include "util.h"

#define STACK_BYTES	(64UL << 10)
#define STEPS_MAX	20000	/* of a run; more never end */
#define SPINS		200
#define WORDS		8192	/* a power of two */
#define ALL		((1U << EXPLORE_THREADS_MAX) - 1)

typedef uint32_t clock_of[EXPLORE_THREADS_MAX];

struct access {
	const volatile void *address;
	size_t bytes;		/* more than a word if it is freed, else 0 */
	enum shim_kind_of_access kind;
	const void *code;
};

struct thread {
	struct fiber fiber;
	struct shim_cpu self;
	struct access pending;
	clock_of clock;
	uint32_t steps;
	bool returned;
	/* Waits until ready(), or until the word is no longer `seen`. */
	bool (*ready)(void *argument);
	void *argument;
	bool spins;
	uint64_t seen;
	/* The last access, and whether it paused afterwards. */
	struct access last;
	uint64_t last_value;
	bool paused;
	unsigned int repeated;
};

/* A choice; masks of threads. */
struct step {
	int thread;
	uint32_t number;	/* among the thread's own */
	clock_of clock;
	unsigned char enabled, backtrack, done, sleep;
	struct access access;
};

struct word {
	uintptr_t address;
	uint64_t stamp;		/* of the run in which the rest means something */
	int write;		/* step, or -1 */
	int reads[EXPLORE_THREADS_MAX];	/* since then */
	clock_of written, read;
};

static struct {
	const struct explore_program *program;
	const struct explore_options *options;
	struct explore_result *result;
	struct thread threads[EXPLORE_THREADS_MAX];
	char *stacks;
	struct fiber main;
	int current;		/* thread, or -1 */
	bool runs, redundant;
	struct step steps[STEPS_MAX + 1];
	int depth;
	int given;		/* steps whose thread is known */
	uint64_t run, seed, stamp;
	struct word words[WORDS];
	u64 random;
	unsigned int stay;	/* random: once in 2^stay another thread */
	int *schedule, schedule_length;
} ex = { .current = -1 };

static uintptr_t word_of(const volatile void *address)
{
	return (uintptr_t)address & ~7UL;
}

__attribute__((no_sanitize("address", "thread")))
static uint64_t value_at(const volatile void *address)
{
	return *(const volatile uint64_t *)word_of(address);
}

static uintptr_t last_word_of(const struct access *access)
{
	return word_of(access->address) + (access->bytes ? access->bytes - 8 : 0);
}

static bool dependent(const struct access *a, const struct access *b)
{
	return word_of(a->address) <= last_word_of(b) &&
	       word_of(b->address) <= last_word_of(a) &&
	       (a->kind != SHIM_LOAD || b->kind != SHIM_LOAD);
}

/* The end of a run */

static void to_main(void)
{
	struct fiber *from = &ex.threads[ex.current].fiber;

	ex.runs = false;
	fiber_switch(from, &ex.main);
	abort();
}

static char *schedule_text(void)
{
	char *text = malloc(16 * ex.depth + 1), *end = text;
	int i, from;

	if (!text)
		abort();
	*end = 0;
	for (i = 0; i < ex.depth; i = from) {
		for (from = i; from < ex.depth && ex.steps[from].thread == ex.steps[i].thread;)
			from++;
		end += sprintf(end, "%s%dx%d", i ? "," : "", ex.steps[i].thread, from - i);
	}
	return text;
}

static void note_failure(const char *format, va_list arguments)
{
	if (ex.result->failed)
		return;
	ex.result->failed = true;
	ex.result->seed = ex.seed;
	vsnprintf(ex.result->message, sizeof(ex.result->message), format, arguments);
	ex.result->schedule = schedule_text();
}

void explore_fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	note_failure(format, arguments);
	va_end(arguments);
	if (ex.current < 0)
		abort();
	to_main();
	abort();
}

/* The module crashed.  Nothing is to be saved but the schedule. */
static void crashed(int signal)
{
	static const char *const names[] = { [SIGSEGV] = "a wild pointer", [SIGABRT] = "abort()",
					     [SIGBUS] = "a wild pointer" };
	char *text = schedule_text();

	printf("# crash: %s; to be seen again with\n# --seed %llu --replay %s\n",
	       names[signal], (unsigned long long)ex.seed, text);
	fflush(stdout);
	_exit(3);
}

static void catch_crashes(void)
{
	static char stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = crashed, .sa_flags = SA_ONSTACK };

	sigaltstack(&alternate, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGABRT, &action, NULL);
}

/* What orders what */

static struct word *word_find(uintptr_t key)
{
	size_t at = key * 0x9e3779b97f4a7c15ULL >> 40 & (WORDS - 1);
	struct word *word;

	for (;; at = (at + 1) & (WORDS - 1)) {
		word = &ex.words[at];
		if (word->stamp != ex.stamp)
			break;
		if (word->address == key)
			return word;
	}
	*word = (struct word) { .address = key, .stamp = ex.stamp, .write = -1 };
	memset(word->reads, -1, sizeof(word->reads));
	return word;
}

static void clock_join(clock_of to, const clock_of from)
{
	int i;

	for (i = 0; i < EXPLORE_THREADS_MAX; i++)
		if (from[i] > to[i])
			to[i] = from[i];
}

/* Is everything that the first of another thread in `firsts` is or follows later? */
static bool is_initial(int thread, const uint32_t *clock, const struct step *const *firsts)
{
	int other;

	for (other = 0; other < ex.program->threads; other++)
		if (other != thread && firsts[other] &&
		    clock[other] >= firsts[other]->number)
			return false;
	return true;
}

/*
 * The threads that can begin what is to come before step `at` instead of after it:
 * the steps after it that do not follow from it, and then the next step of
 * `thread`, at `clock`.
 */
static unsigned int initials(int at, int thread, const uint32_t *clock)
{
	const struct step *firsts[EXPLORE_THREADS_MAX] = { NULL }, *step;
	const struct step *first = &ex.steps[at];
	unsigned int mask = 0;
	int i;

	for (step = first + 1; step < &ex.steps[ex.depth]; step++)
		if (!firsts[step->thread] && step->clock[first->thread] < first->number)
			firsts[step->thread] = step;
	for (i = 0; i < ex.program->threads; i++)
		if (firsts[i] ? is_initial(i, firsts[i]->clock, firsts) :
		    i == thread && is_initial(i, clock, firsts))
			mask |= 1U << i;
	return mask;
}

/*
 * Step `at` and the next of `thread`, an access to `word`, are dependent.  If
 * nothing orders them, let the other one come first, by a thread that leads there
 * (source sets: Abdulla et al. 2014).
 */
static void race(int at, int thread, const struct word *word, bool writes)
{
	struct step *step = &ex.steps[at];
	unsigned int leads;
	clock_of clock;

	memcpy(clock, ex.threads[thread].clock, sizeof(clock));
	if (step->thread == thread || clock[step->thread] >= step->number)
		return;
	clock_join(clock, word->written);
	if (writes)
		clock_join(clock, word->read);
	leads = initials(at, thread, clock) & step->enabled;
	if (!leads)
		step->backtrack |= step->enabled;
	else if (!(leads & step->backtrack))
		step->backtrack |= leads & -leads;
}

/* The thread's next step, at ex.depth, is an access to this word. */
static void meet(struct word *word, int number, bool writes)
{
	int other;

	if (word->write >= 0)
		race(word->write, number, word, writes);
	for (other = 0; writes && other < ex.program->threads; other++)
		if (word->reads[other] >= 0)
			race(word->reads[other], number, word, writes);
}

static void join(struct word *word, int number, bool writes)
{
	struct thread *thread = &ex.threads[number];

	clock_join(thread->clock, word->written);
	if (writes) {
		clock_join(thread->clock, word->read);
		memcpy(word->written, thread->clock, sizeof(clock_of));
		memset(word->read, 0, sizeof(clock_of));
		memset(word->reads, -1, sizeof(word->reads));
		word->write = ex.depth;
	} else {
		clock_join(word->read, thread->clock);
		word->reads[number] = ex.depth;
	}
}

static void record(struct step *step, int number)
{
	struct thread *thread = &ex.threads[number];
	uintptr_t first = word_of(thread->pending.address), at;
	uintptr_t last = last_word_of(&thread->pending);
	bool writes = thread->pending.kind != SHIM_LOAD;

	for (at = first; at <= last; at += 8)
		meet(word_find(at), number, writes);
	step->thread = number;
	step->number = ++thread->steps;
	step->access = thread->pending;
	thread->clock[number] = thread->steps;
	for (at = first; at <= last; at += 8)
		join(word_find(at), number, writes);
	memcpy(step->clock, thread->clock, sizeof(step->clock));
}

/* Choosing */

static bool is_enabled(const struct thread *thread)
{
	if (thread->returned)
		return false;
	if (thread->spins)
		return value_at(thread->pending.address) != thread->seen;
	return !thread->ready || thread->ready(thread->argument);
}

static unsigned int enabled_threads(void)
{
	unsigned int mask = 0;
	int i;

	for (i = 0; i < ex.program->threads; i++)
		mask |= (unsigned int)is_enabled(&ex.threads[i]) << i;
	return mask;
}

static bool all_returned(void)
{
	int i;

	for (i = 0; i < ex.program->threads; i++)
		if (!ex.threads[i].returned &&
		    (i < ex.program->needed || ex.threads[i].spins))
			return false;
	return true;
}

/* Goes on with the same thread if it can. */
static int prefer(unsigned int mask)
{
	if (ex.current >= 0 && mask & 1U << ex.current)
		return ex.current;
	return __builtin_ctz(mask);
}

static int choose_randomly(unsigned int enabled)
{
	unsigned int others = enabled;
	int n;

	if (ex.current >= 0 && enabled & 1U << ex.current) {
		if (next_seed(&ex.random) >> (64 - ex.stay))
			return ex.current;
		others &= ~(1U << ex.current);
	}
	if (!others)
		return ex.current;
	for (n = next_seed(&ex.random) % __builtin_popcount(others); n; n--)
		others &= others - 1;
	return __builtin_ctz(others);
}

static int choose_next(unsigned int enabled)
{
	if (ex.options->mode == EXPLORE_RANDOM)
		return choose_randomly(enabled);
	if (ex.depth >= ex.schedule_length)
		return prefer(enabled);
	if (!(enabled & 1U << ex.schedule[ex.depth]))
		explore_fail("the schedule does not fit: thread %d cannot go on at step %d",
			     ex.schedule[ex.depth], ex.depth);
	return ex.schedule[ex.depth];
}

/* Those that were tried before, or are asleep, and have nothing to do with this. */
static unsigned int still_asleep(const struct step *step, int chosen)
{
	unsigned int asleep = (step->sleep | step->done) & ~(1U << chosen);
	int i;

	for (i = 0; i < ex.program->threads; i++)
		if (asleep & 1U << i && dependent(&ex.threads[i].pending,
						  &ex.threads[chosen].pending))
			asleep &= ~(1U << i);
	return asleep;
}

/* -1: what could follow is the same as what was tried before. */
static int choose_of_all(struct step *step, unsigned int enabled)
{
	unsigned int awake;
	int chosen;

	if (ex.depth < ex.given) {
		chosen = step->thread;
	} else {
		awake = enabled & ~step->sleep;
		if (!awake)
			return -1;
		step->enabled = enabled;
		step->done = 0;
		chosen = prefer(awake);
		step->backtrack = ex.options->every_order ? enabled : 1U << chosen;
	}
	step[1].sleep = ex.options->every_order ? 0 : still_asleep(step, chosen);
	return chosen;
}

/* Who does the next access; -1 at the end of the run. */
static int choose(void)
{
	struct step *step = &ex.steps[ex.depth];
	unsigned int enabled = enabled_threads();
	int chosen;

	if (!enabled) {
		if (!all_returned())
			explore_fail("nobody can go on: all wait");
		return -1;
	}
	if (ex.depth == STEPS_MAX)
		explore_fail("no end after %d accesses", STEPS_MAX);
	chosen = ex.options->mode == EXPLORE_ALL ? choose_of_all(step, enabled) :
						   choose_next(enabled);
	if (chosen < 0) {
		ex.redundant = true;
		return -1;
	}
	record(step, chosen);
	ex.depth++;
	ex.result->accesses++;
	return chosen;
}

static void go_to(struct fiber *from, int next)
{
	if (ex.current >= 0)
		ex.threads[ex.current].self = shim_this;
	ex.current = next;
	ex.threads[next].spins = false;
	ex.threads[next].ready = NULL;
	shim_this = ex.threads[next].self;
	if (from != &ex.threads[next].fiber)
		fiber_switch(from, &ex.threads[next].fiber);
}

/* The current thread has said what it will do, or has returned. */
static void let_one_go(void)
{
	struct thread *thread = &ex.threads[ex.current];
	int next = choose();

	if (next < 0)
		to_main();
	go_to(&thread->fiber, next);
}

/* Accesses */

/* The same as the last, with the same to be seen, after a pause. */
static bool repeats(struct thread *thread, const struct access *access)
{
	bool same = thread->paused && access->code == thread->last.code &&
		    access->address == thread->last.address &&
		    (access->kind == SHIM_LOAD || access->kind == SHIM_CAS) &&
		    value_at(access->address) == thread->last_value;

	thread->paused = false;
	if (!same)
		thread->repeated = 0;
	return same;
}

static void stop_before(const struct access *access, bool in_memory)
{
	struct thread *thread = &ex.threads[ex.current];
	const char *wrong = in_memory ? memory_judge(access->address) : NULL;

	if (wrong)
		explore_fail("%s, in %s", wrong, source_name(access->code));
	if (ex.program->watch)
		ex.program->watch();
	if (in_memory && repeats(thread, access)) {
		if (++thread->repeated < SPINS)
			return;
		thread->repeated = 0;
		thread->spins = true;
		thread->seen = thread->last_value;
	}
	thread->pending = *access;
	let_one_go();
	wrong = in_memory ? memory_judge(access->address) : NULL;
	if (wrong)
		explore_fail("%s, in %s", wrong, source_name(access->code));
	thread->last = *access;
	if (in_memory)
		thread->last_value = value_at(access->address);
}

void shim_access(const volatile void *address, size_t bytes, enum shim_kind_of_access kind)
{
	struct access access = { address, 0, kind, __builtin_return_address(0) };

	(void)bytes;
	if (ex.runs)
		stop_before(&access, true);
}

/* No access passes another one here. */
void shim_fence(void)
{
}

/* Others may look at what is per CPU. */
void shim_private(const volatile void *address)
{
	struct access access = { address, 0, SHIM_RMW, __builtin_return_address(0) };

	if (ex.runs && address != &shim_this)
		stop_before(&access, true);
}

void shim_relax(void)
{
	if (ex.runs)
		ex.threads[ex.current].paused = true;
}

void shim_draw(void)
{
}

void shim_failed(void)
{
}

/* It does not pass: who waits for somebody waits until that one is there. */
uint64_t shim_time(void)
{
	return 1;
}

bool shim_no_fetch_op(void)
{
	return false;
}

void explore_frees(const void *start, size_t bytes)
{
	struct access access = { start, bytes, SHIM_RMW, __builtin_return_address(0) };

	if (ex.runs)
		stop_before(&access, false);
}

void explore_touch(const void *what, enum shim_kind_of_access kind)
{
	struct access access = { what, 0, kind, __builtin_return_address(0) };

	if (ex.runs)
		stop_before(&access, false);
}

/* Clocks in words of their own: addresses of words are multiples of 8. */
static struct word *order_of(const void *what)
{
	return word_find((uintptr_t)what | 4);
}

void explore_gives(const void *what)
{
	if (ex.runs)
		clock_join(order_of(what)->written, ex.threads[ex.current].clock);
}

void explore_takes(const void *what)
{
	if (!ex.runs)
		return;
	clock_join(ex.threads[ex.current].clock, order_of(what)->written);
	clock_join(ex.steps[ex.depth - 1].clock, order_of(what)->written);
}

void explore_wait(bool (*ready)(void *argument), void *argument,
		  enum shim_kind_of_access kind)
{
	struct thread *thread = &ex.threads[ex.current];
	struct access access = { argument, 0, kind, __builtin_return_address(0) };

	if (!ex.runs)
		return;
	thread->ready = ready;
	thread->argument = argument;
	stop_before(&access, false);
}

int explore_self(void)
{
	return ex.current;
}

bool explore_runs(void)
{
	return ex.runs;
}

/* Runs */

static void entry(void)
{
	int self = ex.current;

	ex.program->body(self);
	ex.threads[self].returned = true;
	let_one_go();
	abort();
}

/* In a fiber, too, so that it can fail anywhere. */
static void check_entry(void)
{
	ex.program->check();
	fiber_switch(&ex.threads[ex.current].fiber, &ex.main);
	abort();
}

static void start_fiber(int i, void (*what)(void))
{
	char *stack = ex.stacks + i * STACK_BYTES;

#ifdef __SANITIZE_ADDRESS__
	/* What was on it is no more. */
	__asan_unpoison_memory_region(stack, STACK_BYTES);
#endif
	fiber_exit(&ex.threads[i].fiber);
	fiber_init(&ex.threads[i].fiber, stack, STACK_BYTES, what);
}

static void run_once(void)
{
	int i;

	memory_restore();
	ex.run++;
	ex.stamp++;
	ex.depth = 0;
	ex.redundant = false;
	ex.current = -1;
	/* All orders are orders of the same program. */
	ex.seed = ex.options->seed + (ex.options->mode == EXPLORE_RANDOM ? ex.run - 1 : 0);
	ex.random = ex.seed;
	ex.stay = 1 + next_seed(&ex.random) % 4;
	if (ex.program->begin)
		ex.program->begin(ex.seed);
	for (i = 0; i < ex.program->threads; i++) {
		struct thread *thread = &ex.threads[i];
		struct fiber fiber = thread->fiber;

		*thread = (struct thread) { .fiber = fiber };
		thread->pending.address = thread;	/* nobody else's: its start */
		shim_be(ex.program->cpu(i));
		thread->self = shim_this;
		start_fiber(i, entry);
	}
	ex.runs = true;
	go_to(&ex.main, choose());
	ex.runs = false;
	if (ex.redundant || ex.result->failed)
		return;
	shim_be(0);
	ex.current = 0;
	start_fiber(0, check_entry);
	fiber_switch(&ex.main, &ex.threads[0].fiber);
}

static void print_trace(void)
{
	static const char *const kinds[] = {
		[SHIM_LOAD] = "load", [SHIM_STORE] = "store", [SHIM_RMW] = "modify",
		[SHIM_CAS] = "compare-and-swap",
	};
	const struct step *step;

	for (step = ex.steps; step < &ex.steps[ex.depth]; step++)
		if (step->access.code)
			printf("%*s%d %s %s, %s\n", 8 * step->thread, "", step->thread,
			       kinds[step->access.kind], memory_name(step->access.address),
			       source_name(step->access.code));
}

/* To the last choice with an alternative; false if there is none. */
static bool go_back(void)
{
	unsigned int left;

	while (ex.depth--) {
		struct step *step = &ex.steps[ex.depth];

		step->done |= 1U << step->thread;
		left = step->backtrack & ~step->done & ~step->sleep;
		if (!left)
			continue;
		step->thread = __builtin_ctz(left);
		ex.given = ex.depth + 1;
		return true;
	}
	return false;
}

static bool read_schedule(const char *text)
{
	unsigned int thread, times, i;
	int length = 0;

	ex.schedule_length = 0;
	if (!text)
		return true;
	ex.schedule = realloc(ex.schedule, STEPS_MAX * sizeof(*ex.schedule));
	for (; sscanf(text, "%ux%u%n", &thread, &times, &length) == 2; text += length) {
		if (thread >= (unsigned int)ex.program->threads ||
		    times > (unsigned int)(STEPS_MAX - ex.schedule_length))
			return false;
		for (i = 0; i < times; i++)
			ex.schedule[ex.schedule_length++] = thread;
		if (text[length] == ',')
			length++;
	}
	return !*text;
}

static bool go_on(void)
{
	const struct explore_options *options = ex.options;

	if (options->mode == EXPLORE_ALL && !go_back()) {
		ex.result->complete = true;
		return false;
	}
	if (options->mode == EXPLORE_ALL && !options->runs)
		return true;
	return ex.result->runs < options->runs;
}

bool explore(const struct explore_program *program,
	     const struct explore_options *options, struct explore_result *result)
{
	memset(result, 0, sizeof(*result));
	if (!ex.stacks) {
		ex.stacks = mmap(NULL, EXPLORE_THREADS_MAX * STACK_BYTES, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (ex.stacks == MAP_FAILED)
			return false;
		catch_crashes();
	}
	ex.program = program;
	ex.options = options;
	ex.result = result;
	ex.given = 0;
	ex.steps[0].sleep = 0;
	ex.run = 0;
	if (!read_schedule(options->schedule) || !memory_init() || !program->setup())
		return false;
	memory_remember();
	do {
		run_once();
		if (ex.redundant)
			result->redundant++;
		else
			result->runs++;
	} while (!result->failed && go_on());
	if (options->trace)
		print_trace();
	memory_restore();
	shim_exit();
	return true;
}

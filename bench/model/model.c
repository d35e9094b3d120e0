// SPDX-License-Identifier: GPL-2.0
/*
 * The machine.
 *
 * Every CPU has its own time.  It runs ahead of the others as long as it touches
 * nothing shared; before each shared access it waits until no other CPU is behind
 * it, so that accesses happen in the order of their times.
 *
 * A line is as in the MESI protocol: owned by one CPU (M or E), shared (S), or in
 * no cache.  Each CPU has a private cache, direct-mapped, which remembers the
 * version of each line that it holds; a write makes a new version, and so all
 * other copies invalid.
 *
 * A miss takes the latency between the CPU and where the line is.  In the first
 * half of it the request travels: the owner still has the line and goes on using
 * it.  In the second half the line travels.  Requests that arrive meanwhile queue
 * for the line in the order of their arrival, and each has it for one operation,
 * or for as long as the machine file says (hold_ns): where a line has a home that
 * serves one request after the other, the next one reaches the new owner only a
 * while after the line has.  This is what makes contention expensive, and why two
 * CPUs at one word are better off than one might think: the owner does several
 * operations a transfer.
 *
 * Where a node's CPUs share a cache in which all writes are done, a line does not
 * move between them: a write takes as long as it takes, and has the line busy only
 * for a part of that.
 *
 * On machines that are called migratory, a load of what another CPU has just
 * written takes the line over, as if it were to write it next: so does hardware
 * that knows the pattern, or sends for the line when it sees the store to come.
 * It keeps the line long enough for that store.  Where the machine sends for the line
 * while the load is still under way, the load may see what was there when its request
 * came, while the owner went on: a machine says for how many of a hundred loads that is
 * not so.
 *
 * A compare-and-swap that fails costs what it costs, and then what the machine file
 * says (retry_ns) for the branch that was predicted otherwise: time in which the
 * line may leave again.
 *
 * Where the machine file says so (store_buffer), a store to a line that the CPU
 * does not own waits for it in the CPU's store buffer, and the CPU goes on.  So do
 * the stores after it, since they become visible in their order (TSO): one a hit_ns
 * while the CPU has their line; only then is the line of the next one sent for.
 * Stores that are done in a node's cache all wait for their turn there.
 * A load of what the buffer has is served from it, and a load of anything else in such
 * a line waits until the buffer has written it.  Atomic operations and full barriers
 * first let the buffer drain, and while it is full the CPU waits.  Nobody else sees
 * what is in the buffer: memory is as the CPU sees it whose turn it is, and when another
 * one goes on, the buffered stores and what was there before change places.  So
 * accesses that are not marked in the source see their CPU's stores, too.
 *
 * Where hardware threads share a pipeline (pipe_threads), it issues for one of them at
 * a time.  A thread needs slots for a part of the time in which it computes (issue) or
 * pauses (pause_issue), and none while it waits for a line.  What it needed since its
 * last access it has got when the pipeline has served all who asked before.
 *
 * What is left out: out-of-order execution, accesses that are not marked in the
 * source, what the caches of a node share beyond that a line is near, bandwidth,
 * interrupts and the scheduler.  Queues are fair, which real ones may not be.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../tests/user/kernel/shim.h"
#include "fiber.h"
#include "model.h"

#define STACK_BYTES	32768UL
#define LINE_SHIFT	6
#define NOBODY		(-1)
#define PAUSE_PART	500000ULL	/* in picoseconds */
#define FIRST_LINES	1024	/* a power of two */

struct line {
	uint64_t tag;		/* the address, shifted, or 0: unused */
	uint32_t id;		/* in the order of first use, whatever the address */
	uint32_t version;
	int owner;		/* CPU, or NOBODY */
	bool dirty;		/* the owner has written it */
	uint64_t nodes;		/* that have a copy */
	uint64_t free_at;	/* until then it is on its way to those who came before */
};

struct cached {
	uint32_t id;		/* 0: none */
	uint32_t version;
};

/* A store in the buffer: its value, or, while its CPU runs, what was there before. */
struct store {
	struct line *line;
	void *address;
	size_t bytes;
	char value[8];
};

/* Of the oldest store. */
enum stage {
	IS_NEXT,	/* must look whether the line is here */
	ASKS,		/* its request is on the way */
	ARRIVES,	/* the line is */
};

struct cpu {
	struct fiber fiber;
	uint64_t now;
	struct cached *cache;
	struct shim_cpu self;
	/* Took this line over by a load, and keeps it until then. */
	struct line *held;
	uint64_t held_until;
	uint64_t pauses;	/* since the last atomic write, or try of one */
	uint64_t migratory;	/* hundredths of a read that is to take a line over */
	struct store *stores;	/* a ring */
	uint64_t oldest, stored;
	enum stage stage;
	uint64_t drain_at;	/* the end of this stage */
	uint64_t slots;		/* time on its pipeline that it has not been given yet, */
	uint64_t since;		/* but needs from here on */
	uint64_t *served;	/* until when the pipeline has been given to somebody */
	int number;
	int node;
	int thread;
};

struct event {
	uint64_t time;
	uint64_t order;		/* of those at the same time */
	struct cpu *cpu;
	bool drains;		/* its store buffer does something, not the CPU */
};

static struct {
	const struct machine *machine;
	struct cpu *cpus;
	struct cached *caches;
	size_t caches_bytes;
	struct store *stores;
	uint64_t *pipes;
	struct cpu *shown;	/* its buffered stores are in memory */
	uint32_t cache_size;	/* a power of two */

	struct line **lines;	/* hashed by tag */
	size_t line_slots, line_count;
	struct line *last_line;

	struct event *heap;
	int waiting;
	uint64_t order;

	struct fiber scheduler;
	struct cpu *current;
	void (*body)(int thread);
	uint64_t time;
	struct model_statistics statistics;
} model;

static bool before(const struct event *a, const struct event *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void heap_push(struct cpu *cpu, uint64_t time, bool drains)
{
	struct event event = { time, model.order++, cpu, drains };
	int at = model.waiting++;

	while (at && before(&event, &model.heap[(at - 1) / 2])) {
		model.heap[at] = model.heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	model.heap[at] = event;
}

static void heap_sift(struct event event)
{
	int at = 0, child;

	while ((child = 2 * at + 1) < model.waiting) {
		if (child + 1 < model.waiting &&
		    before(&model.heap[child + 1], &model.heap[child]))
			child++;
		if (!before(&model.heap[child], &event))
			break;
		model.heap[at] = model.heap[child];
		at = child;
	}
	model.heap[at] = event;
}

static struct cpu *heap_pop(void)
{
	struct cpu *cpu = model.heap[0].cpu;

	model.waiting--;
	if (model.waiting)
		heap_sift(model.heap[model.waiting]);
	return cpu;
}

/* The nth oldest, from 0. */
static struct store *store_of(struct cpu *cpu, uint64_t n)
{
	return &cpu->stores[(cpu->oldest + n) % model.machine->store_buffer];
}

static void change_places(struct store *store)
{
	char there[sizeof(store->value)];

	memcpy(there, store->address, store->bytes);
	memcpy(store->address, store->value, store->bytes);
	memcpy(store->value, there, store->bytes);
}

/* Memory is then as the CPU sees it, or, without one, as all but the buffers have it. */
static void show(struct cpu *cpu)
{
	uint64_t n;

	if (model.shown == cpu)
		return;
	if (model.shown)
		for (n = model.shown->stored; n > 0; n--)
			change_places(store_of(model.shown, n - 1));
	model.shown = cpu;
	if (cpu)
		for (n = 0; n < cpu->stored; n++)
			change_places(store_of(cpu, n));
}

static void become(struct cpu *cpu)
{
	show(cpu);
	model.current = cpu;
	model.statistics.switches++;
	if (cpu)
		shim_this = cpu->self;
}

static bool somebody_is_behind(uint64_t now)
{
	return model.waiting && model.heap[0].time <= now;
}

static void drain_step(struct cpu *cpu);

static struct cpu *next_cpu(void)
{
	while (model.waiting && model.heap[0].drains)
		drain_step(heap_pop());
	return model.waiting ? heap_pop() : NULL;
}

/* Let all go first who are behind. */
static void wait_turn(struct cpu *cpu)
{
	struct cpu *next;

	while (somebody_is_behind(cpu->now) && model.heap[0].drains)
		drain_step(heap_pop());
	if (!somebody_is_behind(cpu->now)) {
		show(cpu);
		return;
	}
	next = model.heap[0].cpu;
	heap_sift((struct event){ cpu->now, model.order++, cpu, false });
	become(next);
	fiber_switch(&cpu->fiber, &next->fiber);
}

static uint64_t longer(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The CPU computes, or pauses, and needs so many percent of the issue slots meanwhile. */
static void spend(struct cpu *cpu, uint64_t picoseconds, uint64_t percent)
{
	cpu->now += picoseconds;
	cpu->slots += picoseconds * percent / 100;
}

/* Be given the slots that were needed: those who share the pipeline may have come first. */
static void get_slots(struct cpu *cpu)
{
	if (!model.machine->pipe_threads)
		return;
	wait_turn(cpu);
	*cpu->served = longer(*cpu->served, cpu->since) + cpu->slots;
	cpu->now = longer(*cpu->served, cpu->now);
	cpu->since = cpu->now;
	cpu->slots = 0;
}

/* Until its store buffer has done something. */
static void wait_for_buffer(struct cpu *cpu)
{
	if (cpu->now < cpu->drain_at)
		cpu->now = cpu->drain_at;
	wait_turn(cpu);
}

static void drain(struct cpu *cpu)
{
	while (cpu->stored)
		wait_for_buffer(cpu);
}

static void entry(void)
{
	struct cpu *cpu = model.current;
	struct fiber *next;

	model.body(cpu->thread);
	drain(cpu);
	if (cpu->now > model.time)
		model.time = cpu->now;
	become(next_cpu());
	next = model.current ? &model.current->fiber : &model.scheduler;
	fiber_switch(&cpu->fiber, next);
	abort();
}

static size_t line_slot(uint64_t tag)
{
	return tag * 0x9e3779b97f4a7c15ULL >> 20 & (model.line_slots - 1);
}

static void lines_insert(struct line *line)
{
	size_t slot = line_slot(line->tag);

	while (model.lines[slot])
		slot = (slot + 1) & (model.line_slots - 1);
	model.lines[slot] = line;
}

static void lines_grow(void)
{
	struct line **old = model.lines;
	size_t slots = model.line_slots, i;

	model.line_slots *= 2;
	model.lines = calloc(model.line_slots, sizeof(*model.lines));
	if (!model.lines)
		abort();
	for (i = 0; i < slots; i++)
		if (old[i])
			lines_insert(old[i]);
	free(old);
}

static struct line *line_new(uint64_t tag)
{
	struct line *line = calloc(1, sizeof(*line));

	if (!line)
		abort();
	if (model.line_count * 2 >= model.line_slots)
		lines_grow();
	line->tag = tag;
	line->id = ++model.line_count;
	line->owner = NOBODY;
	lines_insert(line);
	return line;
}

static struct line *line_of(const volatile void *address)
{
	uint64_t tag = (uintptr_t)address >> LINE_SHIFT;
	size_t slot;

	if (model.last_line && model.last_line->tag == tag)
		return model.last_line;
	for (slot = line_slot(tag); model.lines[slot];
	     slot = (slot + 1) & (model.line_slots - 1))
		if (model.lines[slot]->tag == tag)
			return model.last_line = model.lines[slot];
	return model.last_line = line_new(tag);
}

/* Where the CPU would keep the line: neighbours do not evict each other. */
static struct cached *cached_at(const struct cpu *cpu, const struct line *line)
{
	return &cpu->cache[line->id & (model.cache_size - 1)];
}

static bool has_copy(const struct cpu *cpu, const struct line *line)
{
	const struct cached *cached = cached_at(cpu, line);

	return cached->id == line->id && cached->version == line->version;
}

static bool is_hit(const struct cpu *cpu, const struct line *line,
		   enum shim_kind_of_access access, uint64_t now)
{
	if (cpu->held == line && now < cpu->held_until)
		return true;
	return has_copy(cpu, line) &&
	       (access == SHIM_LOAD || line->owner == cpu->number);
}

/*
 * How long it takes to get the line.  A load asks the nearest copy; a write has
 * to reach the farthest.
 */
static uint64_t latency(const struct cpu *cpu, const struct line *line,
			enum shim_kind_of_access access)
{
	uint64_t here = 1ULL << cpu->node;

	if (!line->nodes)
		return model.machine->memory;
	if (access == SHIM_LOAD ? !(line->nodes & here) : line->nodes & ~here)
		return model.machine->remote;
	return model.machine->node;
}

/* What an access takes that finds the line. */
static uint64_t cost(enum shim_kind_of_access access)
{
	if (access == SHIM_CAS)
		return model.machine->cas;
	return access == SHIM_RMW ? model.machine->rmw : model.machine->hit;
}

static bool is_taken_over(const struct line *line, enum shim_kind_of_access access)
{
	return access == SHIM_LOAD && line->dirty && model.machine->migratory;
}

/* Does this read see what is there when the line comes?  So many of a hundred, evenly. */
static bool is_in_time(struct cpu *cpu)
{
	cpu->migratory += model.machine->migratory;
	if (cpu->migratory < 100)
		return false;
	cpu->migratory -= 100;
	return true;
}

static void take(struct cpu *cpu, struct line *line, enum shim_kind_of_access access,
		 bool over)
{
	uint64_t here = 1ULL << cpu->node;

	if (access != SHIM_LOAD || over) {
		line->version++;
		line->owner = cpu->number;
		line->nodes = here;
	} else if (!line->nodes) {
		line->owner = cpu->number;
		line->nodes = here;
	} else {
		line->owner = NOBODY;
		line->nodes |= here;
	}
	line->dirty = access != SHIM_LOAD;
	*cached_at(cpu, line) = (struct cached){ line->id, line->version };
}

/* From when it has the line on, the CPU keeps it for that time, or for longer. */
static void keep(struct cpu *cpu, struct line *line, uint64_t from, uint64_t least)
{
	line->free_at = from + longer(least, model.machine->hold);
	cpu->held = line;
	cpu->held_until = line->free_at;
}

/* The request is there, now: when will the line be here? */
static uint64_t fetch(struct cpu *cpu, struct line *line, enum shim_kind_of_access access,
		      uint64_t now)
{
	/* What the line then is may be another state than the one that was asked for. */
	uint64_t way = latency(cpu, line, access);
	uint64_t start = longer(now, line->free_at);
	bool over = is_taken_over(line, access);

	model.statistics.misses++;
	model.statistics.transfers += way == model.machine->remote;
	if (access != SHIM_LOAD)
		keep(cpu, line, start + way / 2, cost(access));
	else if (over)
		/* The write that is to come is under way, and gets it first. */
		keep(cpu, line, start + way / 2, model.machine->hit + model.machine->cas);
	else if (line->owner != NOBODY)
		/* Copies of a line that nobody owns are given out side by side. */
		line->free_at = start + way / 2;
	take(cpu, line, access, over);
	return start + way / 2;
}

static void miss(struct cpu *cpu, struct line *line, enum shim_kind_of_access access)
{
	bool sees_now;

	/* The request travels, to where the line is now. */
	cpu->now += latency(cpu, line, access) / 2;
	wait_turn(cpu);
	sees_now = is_taken_over(line, access) && !is_in_time(cpu);
	cpu->now = fetch(cpu, line, access, cpu->now);
	/* Else others go on first, who may write until the line leaves. */
	if (!sees_now)
		wait_turn(cpu);
}

static bool is_written_in_node(const struct cpu *cpu, const struct line *line)
{
	return model.machine->shared_cache && line->nodes == 1ULL << cpu->node;
}

/*
 * A write of a line that only this node has, where that is done in the node's
 * cache: the line stays there, and the CPUs' own copies become invalid.
 */
static void write_in_node(struct cpu *cpu, struct line *line,
			  enum shim_kind_of_access access)
{
	cpu->now += cost(access) / 2;
	wait_turn(cpu);
	/* Another node may have taken it meanwhile. */
	if (!is_written_in_node(cpu, line)) {
		miss(cpu, line, access);
		return;
	}
	if (line->free_at > cpu->now)
		cpu->now = line->free_at;
	line->free_at = cpu->now + model.machine->shared_cache;
	wait_turn(cpu);
	take(cpu, line, access, false);
	cpu->now -= cost(access) / 2;
}

static void perform(struct cpu *cpu, struct line *line, enum shim_kind_of_access access)
{
	if (access != SHIM_LOAD && is_written_in_node(cpu, line))
		write_in_node(cpu, line, access);
	else if (!is_hit(cpu, line, access, cpu->now))
		miss(cpu, line, access);
	line->dirty |= access != SHIM_LOAD;
}

static void stage(struct cpu *cpu, enum stage stage, uint64_t until)
{
	cpu->stage = stage;
	cpu->drain_at = until;
	heap_push(cpu, until, true);
}

/* The oldest store becomes visible. */
static void retire(struct cpu *cpu, uint64_t now)
{
	struct store *store = store_of(cpu, 0);

	show(NULL);
	change_places(store);
	store->line->dirty = true;
	cpu->oldest++;
	cpu->stored--;
	if (cpu->stored)
		stage(cpu, IS_NEXT, now + cost(SHIM_STORE));
}

/* When it can be written in the node's cache. */
static uint64_t turn_in_node(struct cpu *cpu, struct line *line, uint64_t now)
{
	uint64_t start = longer(now + cost(SHIM_STORE) / 2, line->free_at);

	line->free_at = start + model.machine->shared_cache;
	take(cpu, line, SHIM_STORE, false);
	return start;
}

static void drain_step(struct cpu *cpu)
{
	struct line *line = store_of(cpu, 0)->line;
	uint64_t now = cpu->drain_at;

	if (cpu->stage == ARRIVES)
		retire(cpu, now);
	else if (cpu->stage == ASKS)
		stage(cpu, ARRIVES, fetch(cpu, line, SHIM_STORE, now));
	else if (is_written_in_node(cpu, line))
		stage(cpu, ARRIVES, turn_in_node(cpu, line, now));
	else if (is_hit(cpu, line, SHIM_STORE, now))
		retire(cpu, now);
	else
		stage(cpu, ASKS, now + latency(cpu, line, SHIM_STORE) / 2);
}

/* Stores that find their line wait only if others wait before them. */
static bool is_buffered(const struct cpu *cpu, const struct line *line)
{
	if (!model.machine->store_buffer)
		return false;
	return cpu->stored || is_written_in_node(cpu, line) ||
	       !is_hit(cpu, line, SHIM_STORE, cpu->now);
}

static void buffer(struct cpu *cpu, struct line *line, void *address, size_t bytes)
{
	struct store *store;

	while (cpu->stored == model.machine->store_buffer)
		wait_for_buffer(cpu);
	if (!cpu->stored)
		stage(cpu, IS_NEXT, cpu->now);
	store = store_of(cpu, cpu->stored++);
	*store = (struct store){ line, address, bytes, { 0 } };
	memcpy(store->value, address, bytes);
}

/* Whether the buffer has all of what is loaded. */
static bool is_forwarded(struct cpu *cpu, const char *address, size_t bytes)
{
	uint64_t n;

	for (n = cpu->stored; n > 0; n--) {
		const struct store *store = store_of(cpu, n - 1);
		const char *start = store->address;

		if (address >= start && address + bytes <= start + store->bytes)
			return true;
	}
	return false;
}

static bool has_stored(struct cpu *cpu, const struct line *line)
{
	uint64_t n;

	for (n = 0; n < cpu->stored; n++)
		if (store_of(cpu, n)->line == line)
			return true;
	return false;
}

static void load(struct cpu *cpu, struct line *line, const void *address, size_t bytes)
{
	if (is_forwarded(cpu, address, bytes))
		return;
	while (has_stored(cpu, line))
		wait_for_buffer(cpu);
	perform(cpu, line, SHIM_LOAD);
}

void shim_access(const volatile void *address, size_t bytes, enum shim_kind_of_access access)
{
	struct cpu *cpu = model.current;
	void *plain = (void *)address;
	struct line *line;

	/* Outside of model_run() everything is free. */
	if (!cpu)
		return;
	get_slots(cpu);
	if (access == SHIM_RMW || access == SHIM_CAS) {
		cpu->pauses = 0;
		drain(cpu);
	}
	wait_turn(cpu);
	line = line_of(address);
	model.statistics.accesses++;
	if (access == SHIM_LOAD)
		load(cpu, line, plain, bytes);
	else if (access == SHIM_STORE && is_buffered(cpu, line))
		buffer(cpu, line, plain, bytes);
	else
		perform(cpu, line, access);
	cpu->since = cpu->now;
	/* An atomic operation takes one slot, and its time is that of a cache. */
	spend(cpu, cost(access), access == SHIM_RMW || access == SHIM_CAS ? 0 : model.machine->issue);
}

void shim_fence(void)
{
	if (model.current)
		drain(model.current);
}

void shim_private(const volatile void *address)
{
	(void)address;
	if (model.current)
		spend(model.current, model.machine->hit, model.machine->issue);
}

void shim_relax(void)
{
	struct cpu *cpu = model.current;

	if (!cpu)
		return;
	spend(cpu, model.machine->pause, model.machine->pause_issue);
	cpu->pauses++;
	if (cpu->pauses > model.statistics.pauses)
		model.statistics.pauses = cpu->pauses;
}

void shim_draw(void)
{
	if (model.current)
		spend(model.current, model.machine->draw, model.machine->issue);
}

void shim_failed(void)
{
	if (model.current)
		model.current->now += model.machine->retry;
}

uint64_t shim_time(void)
{
	return (model.current ? model.current->now : model.time) / 1000;
}

bool shim_no_fetch_op(void)
{
	return model.current && !model.machine->fetch_op;
}

uint64_t model_now(void)
{
	return model.current->now;
}

void model_context(enum shim_context context)
{
	shim_this.context = context;
	model.current->self = shim_this;
}

void model_work(uint64_t picoseconds)
{
	spend(model.current, picoseconds, model.machine->issue);
	get_slots(model.current);
}

/* In parts, as threads that share a pipeline go on in turn. */
void model_pause(uint64_t picoseconds)
{
	uint64_t part = model.machine->pipe_threads ? PAUSE_PART : picoseconds;

	for (; picoseconds; picoseconds -= part) {
		part = picoseconds < part ? picoseconds : part;
		spend(model.current, part, model.machine->pause_issue);
		get_slots(model.current);
	}
}

uint64_t model_time(void)
{
	return model.time;
}

const struct model_statistics *model_statistics(void)
{
	return &model.statistics;
}

void model_free(void (*function)(void))
{
	struct cpu *cpu = model.current;

	/* It sees what other CPUs do. */
	show(NULL);
	model.current = NULL;
	function();
	model.current = cpu;
	show(cpu);
}

static void *map(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Neighbours have pipelines of their own: threads are spread over those first. */
static int pipe_of(const struct machine *machine, int cpu)
{
	int per_node = machine->cpus_per_node;
	int pipes = machine->pipe_threads ? per_node / (int)machine->pipe_threads : per_node;

	return cpu / per_node * per_node + cpu % per_node % pipes;
}

bool model_init(const struct machine *machine)
{
	int cpus = machine_cpus(machine);
	int i;

	memset(&model, 0, sizeof(model));
	model.machine = machine;
	model.cache_size = 1;
	while (model.cache_size < machine->cache_lines)
		model.cache_size *= 2;
	model.caches_bytes = (size_t)cpus * model.cache_size * sizeof(struct cached);
	model.caches = map(model.caches_bytes);
	model.cpus = calloc(cpus, sizeof(*model.cpus));
	/* Of each CPU and of each store buffer. */
	model.heap = calloc(2 * cpus + 1, sizeof(*model.heap));
	model.stores = calloc(cpus * machine->store_buffer + 1, sizeof(*model.stores));
	model.pipes = calloc(cpus, sizeof(*model.pipes));
	model.line_slots = FIRST_LINES;
	model.lines = calloc(FIRST_LINES, sizeof(*model.lines));
	if (!model.caches || !model.cpus || !model.stores || !model.heap || !model.pipes ||
	    !model.lines)
		return false;
	for (i = 0; i < cpus; i++) {
		model.cpus[i].cache = model.caches + (size_t)i * model.cache_size;
		model.cpus[i].stores = model.stores + i * machine->store_buffer;
		model.cpus[i].number = i;
		model.cpus[i].node = i / (int)machine->cpus_per_node;
		model.cpus[i].served = &model.pipes[pipe_of(machine, i)];
		shim_be(i);
		model.cpus[i].self = shim_this;
	}
	return true;
}

void model_exit(void)
{
	size_t i;

	for (i = 0; i < model.line_slots; i++)
		free(model.lines[i]);
	free(model.lines);
	free(model.cpus);
	free(model.stores);
	free(model.heap);
	free(model.pipes);
	munmap(model.caches, model.caches_bytes);
}

void model_run(int threads, void (*body)(int thread))
{
	char *stacks = map(threads * STACK_BYTES);
	struct cpu *cpu;
	int i;

	if (!stacks)
		abort();
	model.body = body;
	for (i = 0; i < threads; i++) {
		cpu = &model.cpus[machine_place(model.machine, i)];
		cpu->thread = i;
		cpu->now = cpu->since = model.time;
		fiber_init(&cpu->fiber, stacks + i * STACK_BYTES, STACK_BYTES, entry);
		heap_push(cpu, cpu->now, false);
	}
	become(next_cpu());
	fiber_switch(&model.scheduler, &model.current->fiber);
	for (i = 0; i < threads; i++)
		fiber_exit(&model.cpus[machine_place(model.machine, i)].fiber);
	fiber_exit(&model.scheduler);
	munmap(stacks, threads * STACK_BYTES);
}

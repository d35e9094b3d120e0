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
 * It keeps the line long enough for that store.
 *
 * A compare-and-swap that fails costs what it costs, and then what the machine file
 * says (retry_ns) for the branch that was predicted otherwise: time in which the
 * line may leave again.
 *
 * What is left out: store buffers and out-of-order execution (a store waits for
 * its line), accesses that are not marked in the source, what the caches of a
 * node share beyond that a line is near, bandwidth, hyperthreads that share a
 * core, interrupts and the scheduler.  Queues are fair, which real ones may not be.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../testing/shim/shim.h"
#include "fiber.h"
#include "model.h"

#define STACK_BYTES	32768UL
#define LINE_SHIFT	6
#define NOBODY		(-1)
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

struct cpu {
	struct fiber fiber;
	uint64_t now;
	struct cached *cache;
	struct shim_cpu self;
	/* Took this line over by a load, and keeps it until then. */
	struct line *held;
	uint64_t held_until;
	int number;
	int node;
	int thread;
};

struct event {
	uint64_t time;
	uint64_t order;		/* of those at the same time */
	struct cpu *cpu;
};

static struct {
	const struct machine *machine;
	struct cpu *cpus;
	struct cached *caches;
	size_t caches_bytes;
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

static void heap_push(struct cpu *cpu)
{
	struct event event = { cpu->now, model.order++, cpu };
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

static void become(struct cpu *cpu)
{
	model.current = cpu;
	model.statistics.switches++;
	if (cpu)
		shim_this = cpu->self;
}

/* Let all go first who are behind. */
static void wait_turn(struct cpu *cpu)
{
	struct event event = { cpu->now, model.order, cpu };
	struct cpu *next;

	if (!model.waiting || before(&event, &model.heap[0]))
		return;
	model.order++;
	next = model.heap[0].cpu;
	heap_sift(event);
	become(next);
	fiber_switch(&cpu->fiber, &next->fiber);
}

static void entry(void)
{
	struct cpu *cpu = model.current;
	struct fiber *next;

	model.body(cpu->thread);
	if (cpu->now > model.time)
		model.time = cpu->now;
	become(model.waiting ? heap_pop() : NULL);
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
		   enum shim_kind_of_access access)
{
	if (cpu->held == line && cpu->now < cpu->held_until)
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

static uint64_t longer(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* What an access takes that finds the line. */
static uint64_t cost(enum shim_kind_of_access access)
{
	if (access == SHIM_CAS)
		return model.machine->cas;
	return access == SHIM_RMW ? model.machine->rmw : model.machine->hit;
}

static void take(struct cpu *cpu, struct line *line, enum shim_kind_of_access access)
{
	uint64_t here = 1ULL << cpu->node;

	if (access != SHIM_LOAD || (line->dirty && model.machine->migratory)) {
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

static void miss(struct cpu *cpu, struct line *line, enum shim_kind_of_access access)
{
	uint64_t way, start;

	/* The request travels, to where the line is now. */
	cpu->now += latency(cpu, line, access) / 2;
	wait_turn(cpu);

	/* What the line then is may be another state than the one that was asked for. */
	way = latency(cpu, line, access);
	start = cpu->now > line->free_at ? cpu->now : line->free_at;
	model.statistics.misses++;
	model.statistics.transfers += way == model.machine->remote;
	if (access != SHIM_LOAD)
		keep(cpu, line, start + way / 2, cost(access));
	else if (line->dirty && model.machine->migratory)
		/* The write that is to come is under way, and gets it first. */
		keep(cpu, line, start + way / 2, model.machine->hit + model.machine->cas);
	else if (line->owner != NOBODY)
		/* Copies of a line that nobody owns are given out side by side. */
		line->free_at = start + way / 2;
	take(cpu, line, access);
	cpu->now = start + way / 2;
	wait_turn(cpu);
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
	if (line->nodes != 1ULL << cpu->node) {
		miss(cpu, line, access);
		return;
	}
	if (line->free_at > cpu->now)
		cpu->now = line->free_at;
	line->free_at = cpu->now + model.machine->shared_cache;
	wait_turn(cpu);
	take(cpu, line, access);
	cpu->now -= cost(access) / 2;
}

void shim_access(const volatile void *address, size_t bytes, enum shim_kind_of_access access)
{
	struct cpu *cpu = model.current;
	struct line *line;

	(void)bytes;
	/* Outside of model_run() everything is free. */
	if (!cpu)
		return;
	wait_turn(cpu);
	line = line_of(address);
	model.statistics.accesses++;
	if (model.machine->shared_cache && access != SHIM_LOAD &&
	    line->nodes == 1ULL << cpu->node)
		write_in_node(cpu, line, access);
	else if (!is_hit(cpu, line, access))
		miss(cpu, line, access);
	line->dirty |= access != SHIM_LOAD;
	cpu->now += cost(access);
}

/* Stores wait for their lines, so that there is nothing to wait for. */
void shim_fence(void)
{
}

void shim_private(const volatile void *address)
{
	(void)address;
	if (model.current)
		model.current->now += model.machine->hit;
}

void shim_relax(void)
{
	if (model.current)
		model.current->now += model.machine->pause;
}

void shim_draw(void)
{
	if (model.current)
		model.current->now += model.machine->draw;
}

void shim_failed(void)
{
	if (model.current)
		model.current->now += model.machine->retry;
}

bool shim_no_fetch_op(void)
{
	return model.current && !model.machine->fetch_op;
}

uint64_t model_now(void)
{
	return model.current->now;
}

void model_work(uint64_t picoseconds)
{
	model.current->now += picoseconds;
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

	model.current = NULL;
	function();
	model.current = cpu;
}

static void *map(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
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
	model.heap = calloc(cpus + 1, sizeof(*model.heap));
	model.line_slots = FIRST_LINES;
	model.lines = calloc(FIRST_LINES, sizeof(*model.lines));
	if (!model.caches || !model.cpus || !model.heap || !model.lines)
		return false;
	for (i = 0; i < cpus; i++) {
		model.cpus[i].cache = model.caches + (size_t)i * model.cache_size;
		model.cpus[i].number = i;
		model.cpus[i].node = i / (int)machine->cpus_per_node;
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
	free(model.heap);
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
		cpu->now = model.time;
		fiber_init(&cpu->fiber, stacks + i * STACK_BYTES, STACK_BYTES, entry);
		heap_push(cpu);
	}
	become(heap_pop());
	fiber_switch(&model.scheduler, &model.current->fiber);
	for (i = 0; i < threads; i++)
		fiber_exit(&model.cpus[machine_place(model.machine, i)].fiber);
	fiber_exit(&model.scheduler);
	munmap(stacks, threads * STACK_BYTES);
}

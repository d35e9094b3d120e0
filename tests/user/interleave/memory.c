// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "explore.h"
#include "memory.h"

/* Where nothing else is; the same in each process. */
#define ARENA		((char *)0x200000000000UL)
#define ARENA_BYTES	(16UL << 20)
#define GRANULE		64UL
#define GRANULES	(ARENA_BYTES / GRANULE)
#define POISON		0x5a

enum { GAP, LIVE, FREED };

/* Of the objects in kmod/: see the Makefile. */
extern char __start_kmod_data[], __stop_kmod_data[];
extern char __start_kmod_bss[], __stop_kmod_bss[];
extern char __start_shim_percpu[], __stop_shim_percpu[];

struct heap {
	unsigned char state[GRANULES];
	uint32_t size[GRANULES];	/* at its first granule */
	size_t used;			/* granules */
	unsigned int live;
	bool unloaded;			/* the module */
};

struct region {
	char *start;
	size_t bytes;
	char *copy;
};

#define REGIONS	16

static struct heap heap, heap_copy;
/* As the program found them. */
static struct region pristine[2];
static struct region regions[REGIONS];
static int region_count;

/*
 * By words, and not by memcpy(): between the variables are the red zones of the
 * address sanitizer, which a run does not change.
 */
__attribute__((no_sanitize("address", "undefined")))
static void copy(char *to, const char *from, size_t bytes)
{
	size_t i;

	for (i = 0; i + 8 <= bytes; i += 8)
		*(volatile uint64_t *)(to + i) = *(const volatile uint64_t *)(from + i);
	for (; i < bytes; i++)
		*(volatile char *)(to + i) = *(const volatile char *)(from + i);
}

static struct region copy_of(char *start, const char *end)
{
	struct region region = { start, end - start, malloc(end - start + 1) };

	if (!region.copy)
		abort();
	copy(region.copy, start, region.bytes);
	return region;
}

static void copy_back(const struct region *region)
{
	copy(region->start, region->copy, region->bytes);
}

bool memory_init(void)
{
	static bool mapped;

	if (!mapped) {
		pristine[0] = copy_of(__start_kmod_data, __stop_kmod_data);
		pristine[1] = copy_of(__start_kmod_bss, __stop_kmod_bss);
	}
	copy_back(&pristine[0]);
	copy_back(&pristine[1]);
	if (!mapped && mmap(ARENA, ARENA_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
			    -1, 0) != ARENA)
		return false;
	mapped = true;
	memset(heap.state, 0, heap.used);
	heap.used = heap.live = 0;
	heap.unloaded = false;
	return true;
}

void *shim_zalloc(size_t size)
{
	size_t granules = (size + GRANULE - 1) / GRANULE + !size;
	size_t first = heap.used;

	/* One granule between two blocks. */
	if (first + granules + 1 > GRANULES)
		return NULL;
	heap.used += granules + 1;
	memset(heap.state + first, LIVE, granules);
	heap.state[first + granules] = GAP;
	heap.size[first] = granules;
	heap.live++;
	return memset(ARENA + first * GRANULE, 0, granules * GRANULE);
}

void shim_free(void *memory)
{
	size_t first = ((char *)memory - ARENA) / GRANULE;

	if (!memory)
		return;
	if (heap.state[first] != LIVE || !heap.size[first])
		abort();
	explore_frees(memory, heap.size[first] * GRANULE);
	memset(heap.state + first, FREED, heap.size[first]);
	memset(memory, POISON, heap.size[first] * GRANULE);
	heap.live--;
}

unsigned int memory_live(void)
{
	return heap.live;
}

void memory_remember(void)
{
	size_t percpu = __stop_shim_percpu - __start_shim_percpu;
	int cpu;

	memory_forget();
	regions[region_count++] = copy_of(__start_kmod_data, __stop_kmod_data);
	regions[region_count++] = copy_of(__start_kmod_bss, __stop_kmod_bss);
	regions[region_count++] = copy_of(ARENA, ARENA + heap.used * GRANULE);
	for (cpu = 0; cpu < shim_cpus; cpu++) {
		char *area = __start_shim_percpu + shim_offset_of(cpu);

		regions[region_count++] = copy_of(area, area + percpu);
	}
	memcpy(heap_copy.state, heap.state, heap.used);
	memcpy(heap_copy.size, heap.size, heap.used * sizeof(heap.size[0]));
	heap_copy.used = heap.used;
	heap_copy.live = heap.live;
}

void memory_restore(void)
{
	int i;

	for (i = 0; i < region_count; i++)
		copy_back(&regions[i]);
	memset(heap.state, 0, heap.used);
	memcpy(heap.state, heap_copy.state, heap_copy.used);
	memcpy(heap.size, heap_copy.size, heap_copy.used * sizeof(heap.size[0]));
	heap.used = heap_copy.used;
	heap.live = heap_copy.live;
	heap.unloaded = false;
}

void memory_unload(void)
{
	heap.unloaded = true;
}

static bool in_module(const volatile void *address)
{
	const volatile char *at = address;

	return (at >= __start_kmod_data && at < __stop_kmod_data) ||
	       (at >= __start_kmod_bss && at < __stop_kmod_bss);
}

void memory_forget(void)
{
	while (region_count)
		free(regions[--region_count].copy);
}

static bool in_arena(const volatile void *address)
{
	return (const volatile char *)address >= ARENA &&
	       (const volatile char *)address < ARENA + ARENA_BYTES;
}

const char *memory_judge(const volatile void *address)
{
	size_t granule = ((uintptr_t)address - (uintptr_t)ARENA) / GRANULE;

	if ((uintptr_t)address < 4096)
		return "access by a null pointer";
	if ((uintptr_t)address >> 32 == 0x5a5a5a5a)
		return "access by a pointer that was read from freed memory";
	if (heap.unloaded && in_module(address))
		return "access to a variable of the module, which has gone";
	if (!in_arena(address) || heap.state[granule] == LIVE)
		return NULL;
	return heap.state[granule] == FREED ? "access to freed memory" :
					     "access beyond allocated memory";
}

const char *memory_name(const volatile void *address)
{
	static char name[64];

	if (in_arena(address))
		snprintf(name, sizeof(name), "allocated+%#zx",
			 (size_t)((const volatile char *)address - ARENA));
	else
		snprintf(name, sizeof(name), "%p", (const void *)address);
	return name;
}

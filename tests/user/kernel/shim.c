// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs, their memory, and parameters.
 *
 * Per-CPU variables are in a section of their own, which is the first part of a
 * template.  Every CPU has a copy of it; the address of a variable in the
 * template plus the CPU's offset is its own.  The second part of the template
 * is what is allocated at run time.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "shim.h"

/* Enough for the 7500 counters of a benchmark. */
#ifndef SHIM_POOL_BYTES
#define SHIM_POOL_BYTES	(128 * 1024)
#endif
#define AREA_ALIGN	4096UL

SHIM_PERCPU static char pool[SHIM_POOL_BYTES] __attribute__((aligned(64)));

extern char __start_shim_percpu[], __stop_shim_percpu[];
extern const struct shim_param __start_shim_params[] __attribute__((weak));
extern const struct shim_param __stop_shim_params[] __attribute__((weak));

#ifdef SHIM_MODEL
struct shim_cpu shim_this;
#else
__thread struct shim_cpu shim_this;
#endif

int shim_cpus, shim_nodes;
int shim_node_stride = 1;
unsigned int shim_asked[SHIM_NODE_IDS];
unsigned long shim_jiffies;
size_t shim_size_max = SIZE_MAX;

static char *areas;
static size_t area_bytes;
static size_t pool_used;

int shim_node_of(int cpu)
{
	return (int)((long)cpu * shim_nodes / shim_cpus);
}

unsigned long shim_offset_of(int cpu)
{
	return (unsigned long)areas + cpu * area_bytes -
	       (unsigned long)__start_shim_percpu;
}

bool shim_init(int cpus, int nodes)
{
	size_t used = __stop_shim_percpu - __start_shim_percpu;

	if (cpus < 1 || nodes < 1 || cpus % nodes)
		return false;
	shim_cpus = cpus;
	shim_nodes = nodes;
	area_bytes = (used + AREA_ALIGN - 1) / AREA_ALIGN * AREA_ALIGN;
	/* Zero, as are all per-CPU variables; only what is touched is there. */
	areas = mmap(NULL, area_bytes * cpus, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (areas == MAP_FAILED)
		return false;
	pool_used = 0;
	shim_be(0);
	return true;
}

void shim_exit(void)
{
	munmap(areas, area_bytes * shim_cpus);
	areas = NULL;
}

void shim_be(int cpu)
{
	shim_this.offset = shim_offset_of(cpu);
	shim_this.cpu = cpu;
	shim_this.node = shim_node_of(cpu);
	shim_this.context = SHIM_TASK;
}

/* From the pool, one after the other; only the last one can be given back. */
void *shim_percpu_alloc(size_t size, size_t align)
{
	size_t start = (pool_used + align - 1) / align * align;
	int cpu;

	if (start + size > SHIM_POOL_BYTES)
		return NULL;
	pool_used = start + size;
	for (cpu = 0; cpu < shim_cpus; cpu++)
		memset(pool + start + shim_offset_of(cpu), 0, size);
	return pool + start;
}

void shim_percpu_free(void *address, size_t size)
{
	if ((char *)address + size == pool + pool_used)
		pool_used -= size;
}

void shim_entropy(void *buffer, size_t size)
{
	if (getrandom(buffer, size, 0) != (ssize_t)size)
		abort();
}

bool shim_param(const char *name, unsigned int value)
{
	const struct shim_param *param;

	for (param = __start_shim_params; param < __stop_shim_params; param++) {
		if (!strcmp(param->name, name) && param->size == sizeof(value)) {
			memcpy(param->value, &value, sizeof(value));
			return true;
		}
	}
	return false;
}

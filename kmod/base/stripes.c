// SPDX-License-Identifier: GPL-2.0
/*
 * Memory for stripes, and the slot of each CPU.
 *
 * A node's stripes are in memory of that node: the directory that its cores ask for them
 * is there.  For a node that is offline or has no memory, kzalloc_node() takes another's.
 */
#include <linux/cache.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/nodemask.h>
#include <linux/numa.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "compat.h"
#include "base/stripes.h"

DEFINE_PER_CPU(struct scounter_place, scounter_place);
EXPORT_PER_CPU_SYMBOL_GPL(scounter_place);

static int hotplug_state;

u32 scounter_nodes;

/* Ids by number, and numbers by id. */
static u16 node_ids[MAX_NUMNODES];
static u16 node_numbers[MAX_NUMNODES];

static void stripes_number_nodes(void)
{
	int id;

	scounter_nodes = 0;
	for_each_node(id) {
		node_ids[scounter_nodes] = id;
		node_numbers[id] = scounter_nodes++;
	}
}

/* A CPU without a node counts on node 0. */
u32 scounter_node_number(int id)
{
	return id == NUMA_NO_NODE ? 0 : node_numbers[id];
}

/* The CPUs of a node take its slots in turn. */
static void stripes_place_cpu(u32 cpu)
{
	struct scounter_place *place = per_cpu_ptr(&scounter_place, cpu);
	u32 node = scounter_node_number(cpu_to_node(cpu));
	u32 other, rank = 0;

	for_each_possible_cpu(other) {
		if (other == cpu)
			break;
		rank += cpu_to_node(other) == cpu_to_node(cpu);
	}
	place->numa_tag = scounter_node_tag(node);
	WRITE_ONCE(place->slot, node * SCOUNTER_COMPONENTS_MAX +
				rank % SCOUNTER_COMPONENTS_MAX);
}

/* A CPU that comes online may have got another node since the module was loaded. */
static int stripes_place_online_cpu(unsigned int cpu)
{
	stripes_place_cpu(cpu);
	return 0;
}

int scounter_places_init(void)
{
	u32 cpu;

	stripes_number_nodes();
	for_each_possible_cpu(cpu)
		stripes_place_cpu(cpu);
	hotplug_state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN,
						  "scounter:online",
						  stripes_place_online_cpu, NULL);
	return min(hotplug_state, 0);
}

void scounter_places_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
}

static bool stripes_node_alloc(struct scounter_stripes *stripes, u32 node, gfp_t gfp)
{
	int id = node_online(node_ids[node]) ? node_ids[node] : NUMA_NO_NODE;
	void *words = kzalloc_node(stripes->components * L1_CACHE_BYTES, gfp, id);
	u32 i;

	if (!words)
		return false;
	for (i = 0; i < SCOUNTER_COMPONENTS_MAX; i++)
		stripes->slot[node * SCOUNTER_COMPONENTS_MAX + i] =
			words + i % stripes->components * L1_CACHE_BYTES;
	return true;
}

struct scounter_stripes *scounter_stripes_alloc(u32 components, gfp_t gfp)
{
	struct scounter_stripes *stripes;
	u32 node;

	stripes = kzalloc(struct_size(stripes, slot,
				      scounter_nodes * SCOUNTER_COMPONENTS_MAX), gfp);
	if (!stripes)
		return NULL;
	stripes->components = components;
	for (node = 0; node < scounter_nodes; node++) {
		if (!stripes_node_alloc(stripes, node, gfp)) {
			scounter_stripes_free(stripes);
			return NULL;
		}
	}
	return stripes;
}

void scounter_stripes_free(struct scounter_stripes *stripes)
{
	u32 node;

	if (!stripes)
		return;
	for (node = 0; node < scounter_nodes; node++)
		kfree(scounter_stripes_first(stripes, node));
	kfree(stripes);
}

/* Modulo 2^64. */
notrace u64 scounter_stripes_sum(const struct scounter_stripes *stripes)
{
	u64 sum = 0;
	u32 node, i;

	for (node = 0; node < scounter_nodes; node++)
		for (i = 0; i < stripes->components; i++)
			sum += atomic64_read(stripes->slot[node * SCOUNTER_COMPONENTS_MAX + i]);
	return sum;
}

size_t scounter_stripes_bytes(u32 components)
{
	return struct_size((struct scounter_stripes *)NULL, slot,
			   scounter_nodes * SCOUNTER_COMPONENTS_MAX) +
	       scounter_nodes * components * L1_CACHE_BYTES;
}

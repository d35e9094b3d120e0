/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Machine descriptions: a text file of lines "key = value"; # begins a comment.
 * All keys must be there, once, and no others.
 */
#ifndef _SIM_MACHINE_H
#define _SIM_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MACHINE_NAME_MAX	63
#define MACHINE_NODES_MAX	64
#define MACHINE_CPUS_MAX	8192
#define MACHINE_STORES_MAX	1024

/* Times in picoseconds. */
struct machine {
	char name[MACHINE_NAME_MAX + 1];
	uint64_t nodes;
	uint64_t cpus_per_node;
	uint64_t cache_lines;	/* that a CPU's private caches hold */
	uint64_t fetch_op;	/* has fetch-and-add; else it is done by CAS */
	/* Reads of what another CPU wrote take it over; % that see what comes with the line. */
	uint64_t migratory;
	uint64_t store_buffer;	/* 0, or: so many stores of a CPU may wait for lines */
	/*
	 * 0, or: writes are done in a cache that the node shares, which has a line
	 * busy for so long
	 */
	uint64_t shared_cache;
	uint64_t hold;		/* 0, or: a CPU that has got a line keeps it so long */
	uint64_t hit;		/* a load or store that finds the line */
	uint64_t rmw;		/* an atomic operation that does */
	uint64_t cas;		/* a compare-and-swap that does, of what was just loaded */
	uint64_t retry;		/* 0, or: a branch that was predicted as if it succeeded */
	uint64_t node;		/* to get a line from elsewhere on the node */
	uint64_t remote;	/* from another node */
	uint64_t memory;	/* from memory */
	uint64_t pause;		/* cpu_relax() */
	uint64_t draw;		/* 32 bits from a random generator */
	uint64_t call;		/* what is left of an increment */
	uint64_t loop;		/* 0, or: the loop around it that a benchmark has */
	uint64_t choose;	/* 0, or: the choice of one of many counters */
	/*
	 * 0, or: so many hardware threads share the issue slots of a pipeline.  A thread
	 * takes so many percent of the slots while it runs, and while it pauses.
	 */
	uint64_t pipe_threads;
	uint64_t issue, pause_issue;
};

static inline int machine_cpus(const struct machine *machine)
{
	return (int)(machine->nodes * machine->cpus_per_node);
}

/* Says on standard error what is wrong with the file, and where. */
bool machine_read(struct machine *machine, const char *path);
/* The same from an open file, which is called so. */
bool machine_parse(struct machine *machine, FILE *file, const char *path);

/* The CPU of a thread: spread over the nodes first. */
int machine_place(const struct machine *machine, int thread);

#endif /* _SIM_MACHINE_H */

// SPDX-License-Identifier: GPL-2.0
/* Threads of this machine. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/smp.h>
#include <linux/spinlock.h>

#include "engine.h"
#include "profile.h"
#include "topk/table.h"

/* A thread that waits for a lock sleeps, as in the paper. */
bool shim_locks_sleep = true;

struct thread {
	pthread_t id;
	u32 number;
	double begin, end;
};

static struct {
	void (*body)(u32 thread);
	pthread_barrier_t barrier;
} run;

/* The paper's "small time slice", which it does not say more of. */
bool topk_throttle(void)
{
	const struct timespec slice = { .tv_nsec = 100000 };

	nanosleep(&slice, NULL);
	return true;
}

bool engine_option(const char *argument)
{
	(void)argument;
	fputs("topk-paper: a machine is for topk-paper-sim only\n", stderr);
	return false;
}

bool engine_ready(u32 threads)
{
	(void)threads;
	return true;
}

bool engine_is_model(void)
{
	return false;
}

static void read_model(char *name, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[200], *at;

	while (file && fgets(line, sizeof(line), file)) {
		at = strchr(line, ':');
		if (strncmp(line, "model name", 10) || !at)
			continue;
		line[strcspn(line, "\n")] = 0;
		snprintf(name, size, "%s", at + 2);
		break;
	}
	if (file)
		fclose(file);
}

const char *engine_name(void)
{
	static char name[160];
	char model[120] = "unknown CPU";

	read_model(model, sizeof(model));
	snprintf(name, sizeof(name), "measured on %ld CPUs (%s), a thread a stream",
		 sysconf(_SC_NPROCESSORS_ONLN), model);
	return name;
}

bool engine_begin(u32 threads)
{
	shim_cpus = threads;
	shim_nodes = 1;
	shim_this.cpu = 0;
	return true;
}

void engine_end(void)
{
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

static void *work(void *argument)
{
	struct thread *thread = argument;

	shim_this.cpu = thread->number;
	pthread_barrier_wait(&run.barrier);
	thread->begin = seconds();
	profile_begin();
	run.body(thread->number);
	profile_enter(SECTION_REST);
	thread->end = seconds();
	return NULL;
}

double engine_run(u32 threads, void (*body)(u32 thread))
{
	struct thread *all = calloc(threads, sizeof(*all));
	double begin = 1e300, end = 0;
	u32 i;

	run.body = body;
	pthread_barrier_init(&run.barrier, NULL, threads);
	for (i = 0; i < threads; i++) {
		all[i].number = i;
		if (pthread_create(&all[i].id, NULL, work, &all[i])) {
			perror("topk-paper: no thread");
			exit(3);
		}
	}
	for (i = 0; i < threads; i++)
		pthread_join(all[i].id, NULL);
	for (i = 0; i < threads; i++) {
		begin = all[i].begin < begin ? all[i].begin : begin;
		end = all[i].end > end ? all[i].end : end;
	}
	pthread_barrier_destroy(&run.barrier);
	free(all);
	return end - begin;
}

void engine_step(void)
{
}

void engine_meet(void)
{
	pthread_barrier_wait(&run.barrier);
}

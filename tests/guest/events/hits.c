// SPDX-License-Identifier: GPL-2.0
/*
 * Hits raw_syscalls:sys_enter, whose field `id` is the number of the system call.
 *
 * Usage: hits N		on each CPU N times getppid(); prints nanoseconds of a call,
 *				the mean, and that of the fastest BATCH on each CPU
 *        hits late KEYS HOT N	calls that do not exist: KEYS of them once each, from
 *				FIRST on, and then FIRST + HOT another N times
 */
#define _GNU_SOURCE
#include <err.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FIRST	1000
#define BATCH	1000

struct together {
	int ready, go;
	uint64_t all, fastest;
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static uint64_t batch(void)
{
	uint64_t begin = now();
	int i;

	for (i = 0; i < BATCH; i++)
		syscall(SYS_getppid);
	return now() - begin;
}

static void hit_on(int cpu, long batches, struct together *together)
{
	uint64_t all = 0, fastest = UINT64_MAX, time;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
	__atomic_fetch_add(&together->ready, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&together->go, __ATOMIC_ACQUIRE))
		;
	while (batches--) {
		time = batch();
		all += time;
		if (time < fastest)
			fastest = time;
	}
	__atomic_fetch_add(&together->all, all, __ATOMIC_RELAXED);
	__atomic_fetch_add(&together->fastest, fastest, __ATOMIC_RELAXED);
	_exit(0);
}

static void hit_on_all(long batches)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu, status, failed = 0;
	struct together *together = mmap(NULL, sizeof(*together), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (together == MAP_FAILED)
		err(1, "mmap");
	for (cpu = 0; cpu < cpus; cpu++)
		if (!fork())
			hit_on(cpu, batches, together);
	while (__atomic_load_n(&together->ready, __ATOMIC_SEQ_CST) < cpus)
		usleep(1000);
	__atomic_store_n(&together->go, 1, __ATOMIC_RELEASE);
	while (wait(&status) > 0)
		failed |= status;
	if (failed)
		errx(1, "a process has failed");
	printf("%.1f\t%.1f\n", (double)together->all / BATCH / batches / cpus,
	       (double)together->fastest / BATCH / cpus);
}

int main(int argc, char **argv)
{
	long key, n;

	if (argc == 2) {
		hit_on_all(atol(argv[1]) / BATCH);
		return 0;
	}
	if (argc != 5 || strcmp(argv[1], "late"))
		errx(2, "usage: hits N | hits late KEYS HOT N");
	for (key = 0; key < atol(argv[2]); key++)
		syscall(FIRST + key);
	for (n = atol(argv[4]); n; n--)
		syscall(FIRST + atol(argv[3]));
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzzer of files: operations that are drawn, with junk for arguments, on all files
 * of scounter in debugfs and sysfs and on /dev/scounter, by root and by nobody at once,
 * while a third process loads and unloads modules whose files come and go.
 *
 * Usage: files SEED OPERATIONS
 *
 * To run in a guest, in the folder of the modules, with scounter and scounter_kept
 * loaded.  So many operations are done by root, and as many by nobody; the same seed
 * draws the same ones.  Something that must not be ends it, and is said with seed and
 * operation.  Then the counters that nobody counts in must say what they did before.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"

#define NOBODY	65534

long operation_number;

static const char *who = "at first";
static uint64_t seed;
static bool enough;

void found(const char *format, ...)
{
	va_list list;

	printf("files: seed %llu, %s, operation %ld: ", (unsigned long long)seed, who,
	       operation_number);
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

/* SplitMix64 (Steele, Lea & Flood 2014) */
static uint64_t state;

uint64_t draw(uint64_t below)
{
	uint64_t z = state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return (z ^ z >> 31) % below;
}

static void load(const char *module, const char *parameters)
{
	int fd = open(module, O_RDONLY);

	if (fd < 0 || syscall(SYS_finit_module, fd, parameters, 0))
		found("%s %s is not loaded: %s", module, parameters, strerror(errno));
	close(fd);
}

static void unload(const char *module)
{
	if (syscall(SYS_delete_module, module, O_NONBLOCK))
		found("%s is not unloaded: %s", module, strerror(errno));
}

static void stop(int number)
{
	(void)number;
	__atomic_store_n(&enough, true, __ATOMIC_RELAXED);
}

/* Counters, arrays and tables come and go until it is told to stop. */
static void come_and_go(void)
{
	static const char *const kinds[] = {
		"kind=exact add=77", "kind=approx add=99999", "kind=percpu", "kind=multiline",
		"kind=morris add=9223372036854775808",
	};
	static const char *const arrays[] = {
		"m=512 length=5000 add=9", "kind=7 bits=8 length=1",
		"m=512 length=300 flags=2 add=9",
	};
	static const char *const tables[] = {
		"capacity=64 add=5", "capacity=1 design=cooperative", "capacity=64 design=independent",
	};
	long rounds;

	for (rounds = 0; !rounds || !__atomic_load_n(&enough, __ATOMIC_RELAXED); rounds++) {
		load("scounter_try.ko", kinds[draw(5)]);
		load("scounter_array_try.ko", arrays[draw(3)]);
		load("scounter_topk_try.ko", tables[draw(3)]);
		usleep(draw(2000));
		unload("scounter_array_try");
		unload("scounter_try");
		unload("scounter_topk_try");
	}
	printf("files: %ld times came and went\n", rounds);
}

static void junk_by_root(long count)
{
	operate(count, true);
	kept_check();
}

static void junk_by_nobody(long count)
{
	if (setgid(NOBODY) || setuid(NOBODY))
		found("cannot become nobody");
	operate(count, false);
}

static pid_t start(const char *name, void (*function)(long count), long count)
{
	pid_t child = fork();

	if (child)
		return child;
	/* A stream of its own for each name. */
	who = name;
	state = seed * 0x100 + name[0];
	function(count);
	fflush(stdout);
	_exit(0);
}

static void churn(long unused)
{
	(void)unused;
	come_and_go();
}

static bool ended_well(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		return false;
	if (WIFSIGNALED(status))
		printf("files: killed by signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	pid_t by_root, by_nobody, modules;
	bool good;
	long count;

	if (argc != 3) {
		fprintf(stderr, "usage: files SEED OPERATIONS\n");
		return 2;
	}
	seed = strtoull(argv[1], NULL, 0);
	count = strtol(argv[2], NULL, 0);
	signal(SIGUSR1, stop);
	paths_find();
	printf("files: seed %llu, %d paths, 2 x %ld operations\n", (unsigned long long)seed,
	       path_count, count);
	fflush(stdout);
	modules = start("modules", churn, 0);
	by_root = start("root", junk_by_root, count);
	by_nobody = start("nobody", junk_by_nobody, count);
	good = ended_well(by_root);
	good &= ended_well(by_nobody);
	kill(modules, SIGUSR1);
	good &= ended_well(modules);
	return good ? 0 : 1;
}

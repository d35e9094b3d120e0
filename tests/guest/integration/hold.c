// SPDX-License-Identifier: GPL-2.0
/*
 * Holds what it can of some files.
 *
 * Usage: hold FILE...		opens one after the other, reads a byte of each and holds
 *				them, until it is refused; says "held N, then: why"
 *	  hold --stalled FILE	reads the file to memory that never comes: says "stalled"
 *				and stays in read()
 *
 * Then it waits to be killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void hold(char **files, int n)
{
	struct rlimit limit;
	long held = 0;
	char byte;
	int file;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	for (;;) {
		file = open(files[held % n], O_RDONLY);
		if (file < 0 || read(file, &byte, 1) != 1)
			break;
		held++;
	}
	/* With the last one still open. */
	printf("held %ld, then: %s\n", held, strerror(errno));
}

static char *memory;

static void *read_fault(void *userfault)
{
	struct uffd_msg message;

	if (read(*(int *)userfault, &message, sizeof(message)) != sizeof(message))
		fail("no fault");
	printf("stalled\n");
	fflush(stdout);
	return NULL;
}

static void read_stalled(const char *name)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int userfault = syscall(SYS_userfaultfd, 0);
	int file = open(name, O_RDONLY);
	pthread_t thread;

	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (unsigned long)memory;
	range.range.len = 4096;
	if (userfault < 0 || file < 0 || ioctl(userfault, UFFDIO_API, &api) ||
	    ioctl(userfault, UFFDIO_REGISTER, &range) ||
	    pthread_create(&thread, NULL, read_fault, &userfault))
		fail(name);
	if (read(file, memory, 1) != 1)
		fail("read");
	printf("read\n");
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--stalled"))
		read_stalled(argv[2]);
	else if (argc > 1)
		hold(argv + 1, argc - 1);
	else
		return 2;
	fflush(stdout);
	for (;;)
		pause();
}

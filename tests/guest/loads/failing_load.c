// SPDX-License-Identifier: GPL-2.0
/*
 * Loads a module while one allocation of the loading fails.
 *
 * Usage: failing_load MODULE.ko NTH
 *
 * Prints "loaded" or the error, and whether the NTH allocation was reached:
 * where it was not, a larger NTH changes nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of this thread alone, so that nothing but the loading fails. */
#define FAIL_NTH	"/proc/thread-self/fail-nth"

static void die(const char *what)
{
	perror(what);
	exit(2);
}

int main(int argc, char **argv)
{
	char left[16] = "";
	struct stat status;
	int module, nth, err;
	void *image;

	if (argc != 3) {
		fprintf(stderr, "usage: failing_load MODULE.ko NTH\n");
		return 2;
	}
	module = open(argv[1], O_RDONLY);
	if (module < 0 || fstat(module, &status))
		die(argv[1]);
	image = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, module, 0);
	if (image == MAP_FAILED)
		die(argv[1]);
	nth = open(FAIL_NTH, O_RDWR);
	if (nth < 0 || write(nth, argv[2], strlen(argv[2])) < 0)
		die(FAIL_NTH);
	/* Not finit_module(), whose copy of the file warns when it fails. */
	err = syscall(SYS_init_module, image, status.st_size, "") ? errno : 0;
	if (pread(nth, left, sizeof(left) - 1, 0) < 0 || pwrite(nth, "0", 1, 0) < 0)
		die(FAIL_NTH);
	printf("%s, %s\n", err ? strerror(err) : "loaded",
	       atoi(left) ? "not reached" : "reached");
	return 0;
}

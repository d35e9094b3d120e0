// SPDX-License-Identifier: GPL-2.0
/* Machine files: which are taken, and which are refused. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model.h"
#include "tests.h"

#define FILE_OF(stores, threads)					\
	"name = a\nnodes = 2\ncpus_per_node = 4\ncache_lines = 8\n"	\
	"fetch_op = yes\nmigratory = no\nstore_buffer = " stores "\n"	\
	"shared_cache_ns = no\nhold_ns = 7\nhit_ns = 1\nrmw_ns = 5\ncas_ns = 6\nretry_ns = 9\nnode_ns = 40\n"	\
	"remote_ns = 100\nmemory_ns = 80\npause_ns = 9\ndraw_ns = 2\nloop_ns = no\nchoose_ns = no\n"	\
	"pipe_threads = " threads "\nissue = 50\npause_issue = no\n"
#define FILE_WITH(stores)	FILE_OF(stores, "2")
#define GOOD_FILE	FILE_WITH("no")

static const struct {
	const char *text;
	bool good;
} files[] = {
	{ GOOD_FILE "call_ns = 1.5 # comment\n\n# another\n", true },
	{ GOOD_FILE "call_ns = 1", true },
	{ GOOD_FILE, false },					/* one is missing */
	{ GOOD_FILE "call_ns = 1\ncall_ns = 1\n", false },	/* twice */
	{ GOOD_FILE "call_ns = 1\nspeed = 1\n", false },	/* unknown */
	{ GOOD_FILE "call_ns = 0\n", false },
	{ GOOD_FILE "call_ns = -1\n", false },
	{ GOOD_FILE "call_ns = nan\n", false },
	{ GOOD_FILE "call_ns = 1 ns\n", false },
	{ GOOD_FILE "call_ns = 9999999\n", false },
	{ GOOD_FILE "call_ns = 1\nwhat\n", false },
	{ FILE_WITH("1024") "call_ns = 1\n", true },
	{ FILE_WITH("1025") "call_ns = 1\n", false },
	{ FILE_WITH("0") "call_ns = 1\n", false },
	{ FILE_WITH("-1") "call_ns = 1\n", false },
	{ FILE_WITH("56 stores") "call_ns = 1\n", false },
	{ FILE_WITH("yes") "call_ns = 1\n", false },
	{ FILE_OF("no", "4") "call_ns = 1\n", true },
	{ FILE_OF("no", "3") "call_ns = 1\n", false },	/* of 4 CPUs */
	{ FILE_OF("no", "8") "call_ns = 1\n", false },
	{ "name = a\nnodes = 0\n", false },
	{ "name = a\nnodes = 65\n", false },
	{ "cpus_per_node = 0\n", false },
	{ "cpus_per_node = 1x\n", false },
	{ "cpus_per_node = 99999999999999999999\n", false },
	{ "fetch_op = maybe\n", false },
	{ "migratory = 101\n", false },
	{ "migratory = -1\n", false },
	{ "migratory = 50 %\n", false },
	{ "name =\n", false },
	{ "", false },
};

bool test_files(void)
{
	char path[] = "/tmp/sim-test-XXXXXX";
	struct machine machine;
	bool good = true;
	unsigned int i;
	int fd = mkstemp(path);

	if (fd < 0 || !freopen("/dev/null", "w", stderr))
		return false;
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		size_t length = strlen(files[i].text);

		if (ftruncate(fd, 0) ||
		    pwrite(fd, files[i].text, length, 0) != (ssize_t)length)
			return false;
		if (machine_read(&machine, path) != files[i].good) {
			printf("# file %u is %s\n", i, files[i].good ? "refused" : "taken");
			good = false;
		}
	}
	close(fd);
	unlink(path);
	return good && !machine_read(&machine, "/nonexistent") &&
	       !machine_read(&machine, "/");
}

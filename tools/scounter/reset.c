// SPDX-License-Identifier: GPL-2.0
/* reset: through sysfs, where the kernel checks who may. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scounter.h"

static bool reset(const record_t *r)
{
	char path[4096], name[NAME_ROOM];
	int fd, error = 0;

	full_name(r, name);
	if (*r->object) {
		warn("%s: a counter of an object is not reset", name);
		return false;
	}
	snprintf(path, sizeof(path), "%s/%s/%s/reset", sysfs_root(), r->group, r->name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "1", 1) != 1)
		error = errno;
	if (fd >= 0)
		close(fd);
	if (!error)
		return true;
	if (error == ENOENT || error == ENODEV)
		warn("%s: the counter is gone, or hidden from sysfs", name);
	else
		warn("%s: %s%s", name, strerror(error),
		     error == EACCES || error == EPERM ? "; only root may reset" : "");
	return false;
}

int cmd_reset(int argc, char **argv)
{
	static const struct option options[] = { {} };
	struct snapshot snapshot;
	bool complete;
	uint64_t i;

	if (getopt_long(argc, argv, "", options, NULL) != -1)
		return USAGE;
	if (optind == argc)
		usage_error("reset wants a counter; '*' is all");
	/* What is in a file may be of another machine, or of another time. */
	if (from && !getenv("SCOUNTER_SYSFS"))
		usage_error("reset acts on the counters of this machine, and takes no --from");
	snapshot_read(from, argv + optind, &snapshot);
	complete = snapshot_select(&snapshot, argv + optind, true);
	for (i = 0; i < snapshot.header.count; i++)
		complete &= reset(&snapshot.records[i]);
	snapshot_free(&snapshot);
	return complete ? OK : FAILED;
}
